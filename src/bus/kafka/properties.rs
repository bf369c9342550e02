//! The text forms of settings: Java's properties files and its login lines.

use std::collections::BTreeMap;

/// Reads `name = value` lines: `#` and `!` begin comments, `:` or blanks may stand for `=`, a backslash at
/// the end joins lines and otherwise escapes as in Java (`java.util.Properties.load`).
///
/// # Errors
/// The number of a line that is no setting; never its text, which may hold a secret.
pub(super) fn parse_properties(text: &str) -> Result<BTreeMap<String, String>, usize> {
    let lines = parse_lines(text)?;
    Ok(lines
        .into_iter()
        .map(|(_, name, value)| (name, value))
        .collect())
}

/// The number of the line at which the setting `name` stands: the last such line, which counts.
pub(super) fn line_of(text: &str, name: &str) -> Option<usize> {
    let lines = parse_lines(text).ok()?;
    let mut lines = lines.into_iter().rev();
    lines
        .find(|(_, known, _)| known == name)
        .map(|(line, ..)| line)
}

/// Every setting with the number of the line at which it begins.
fn parse_lines(text: &str) -> Result<Vec<(usize, String, String)>, usize> {
    let mut settings = Vec::new();
    let mut lines = (1_usize..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        let mut logical = line.trim_start().to_owned();
        if logical.is_empty() || logical.starts_with(['#', '!']) {
            continue;
        }
        while ends_in_odd_backslashes(&logical) {
            logical.pop();
            match lines.next() {
                Some((_, next)) => logical.push_str(next.trim_start()),
                None => break,
            }
        }
        let (name, value) = split(&logical);
        let name = unescape(name);
        if name.is_empty() {
            return Err(number);
        }
        let value = unescape(value.trim_end_matches(['\r', '\n']));
        settings.push((number, name, value));
    }
    Ok(settings)
}

fn ends_in_odd_backslashes(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Splits at the first separator that is not escaped.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == '=' || c == ':' || c.is_whitespace() {
            let (name, rest) = line.split_at(at);
            let rest = rest.trim_start();
            let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
            return (name, value.trim_start());
        }
    }
    (line, "")
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let hex: String = chars.by_ref().take(4).collect();
                let char = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                out.push(char.unwrap_or('\u{fffd}'));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// Reads a login line of `sasl.jaas.config`: the module's name and its options.
///
/// # Errors
/// What the line lacks; never its text, which holds a secret.
pub(super) fn jaas_options(line: &str) -> Result<(String, BTreeMap<String, String>), String> {
    let mut words = words(line)?.into_iter();
    let module = words.next().ok_or("sasl.jaas.config is empty")?;
    let mut options = BTreeMap::new();
    for word in words {
        if let Some((name, value)) = word.split_once('=') {
            options.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok((module, options))
}

/// Splits at blanks outside of quotes, up to the semicolon; quotes are taken off and `\` escapes inside them.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => word.extend(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ';') => break,
            (None, c) if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, c) => word.push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote in sasl.jaas.config is not closed".to_owned());
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_comments_joined_lines_and_escapes() {
        let text = "# comment\n! too\n\n a=1\nb : 2\nc 3\nd=x\\\n   y\ne\\=f=g\\u0041\nempty=\n";
        let settings = parse_properties(text).unwrap();
        let expected = [
            ("a", "1"),
            ("b", "2"),
            ("c", "3"),
            ("d", "xy"),
            ("e=f", "gA"),
            ("empty", ""),
        ];
        let expected: BTreeMap<String, String> = expected
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect();
        assert_eq!(settings, expected);
    }

    #[test]
    fn a_line_without_a_name_is_refused_by_its_number_alone() {
        assert_eq!(parse_properties("a=1\n=hunter2"), Err(2));
    }

    #[test]
    fn a_setting_stands_at_the_line_where_it_begins() {
        let text = "# comment\na=\\\n 1\nb=2\na=3\n";
        assert_eq!(line_of(text, "b"), Some(4));
        assert_eq!(line_of(text, "a"), Some(5));
        assert_eq!(line_of("a=\\\n 1", "a"), Some(1));
        assert_eq!(line_of(text, "c"), None);
    }

    #[test]
    fn a_login_line_with_quotes_and_semicolons() {
        let (module, options) = jaas_options(
            "o.a.k.PlainLoginModule required username='al ice' password=\"a;b\\\"c\" ;",
        )
        .unwrap();
        assert_eq!(module, "o.a.k.PlainLoginModule");
        assert_eq!(options["username"], "al ice");
        assert_eq!(options["password"], "a;b\"c");
    }

    #[test]
    fn an_open_quote_is_refused_without_showing_the_line() {
        let error = jaas_options("M required password=\"hunter2").unwrap_err();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
