//! The desktop entry and the list of preferred programs, as text. Pure.

use std::path::Path;

use crate::model::{Known, Problem, ProblemKind};

/// The entry as it is shipped.
const SHIPPED: &str = include_str!("../../../assets/tideline.desktop");
/// By which an entry is known that the window wrote.
const MARK: &str =
    "# Written by Tideline: its command “Open links with Tideline…” takes it away again.";
/// What stands for links of this program in the list.
const SCHEME: &str = "x-scheme-handler/tideline";
/// The part of the list that says which program is preferred.
const SECTION: &str = "[Default Applications]";

/// The entry that starts `program`.
///
/// # Errors
/// Its path cannot be written in an entry.
pub(super) fn entry(program: &Path) -> Known<String> {
    let path = program
        .to_str()
        .filter(|path| !path.chars().any(char::is_control))
        .ok_or_else(|| {
            let words = format!("{} cannot stand in a desktop entry", program.display());
            Problem::new(ProblemKind::Invalid, words)
        })?;
    let lines = SHIPPED.lines().map(|line| {
        if line.starts_with("Exec=") {
            format!("Exec={} %u", quoted(path))
        } else {
            line.to_owned()
        }
    });
    let lines: Vec<String> = std::iter::once(MARK.to_owned()).chain(lines).collect();
    Ok(lines.join("\n") + "\n")
}

/// A word of `Exec`, quoted by the rules of desktop entries: once as an argument, and again as a string.
fn quoted(word: &str) -> String {
    let mut quoted = String::from('"');
    for c in word.chars() {
        match c {
            '"' | '`' | '$' => {
                quoted.push_str("\\\\");
                quoted.push(c);
            }
            '\\' => quoted.push_str("\\\\\\\\"),
            '%' => quoted.push_str("%%"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether an entry was written by the window.
pub(super) fn is_ours(entry: &str) -> bool {
    entry.lines().next() == Some(MARK)
}

/// The programs that `line` names for the scheme, when it is that line.
fn named(line: &str) -> Option<Vec<&str>> {
    let programs = line.trim().strip_prefix(SCHEME)?.trim_start();
    let programs = programs.strip_prefix('=')?.split(';').map(str::trim);
    Some(programs.filter(|program| !program.is_empty()).collect())
}

/// The lines of the list, each with whether it belongs to the part that says what is preferred.
fn lines(list: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut is_in = false;
    list.lines().map(move |line| {
        if line.trim_start().starts_with('[') {
            is_in = line.trim() == SECTION;
        }
        (line, is_in)
    })
}

/// Whether the list says that `entry` opens the links first.
pub(super) fn prefers(list: &str, entry: &str) -> bool {
    lines(list)
        .filter(|(_, is_in)| *is_in)
        .find_map(|(line, _)| named(line))
        .is_some_and(|programs| programs.first() == Some(&entry))
}

/// The list with `entry` before the other programs for these links.
pub(super) fn with(list: &str, entry: &str) -> String {
    if prefers(list, entry) {
        return list.to_owned();
    }
    let mut others: Vec<&str> = Vec::new();
    let mut kept: Vec<&str> = Vec::new();
    for (line, is_in) in lines(list) {
        match named(line).filter(|_| is_in) {
            Some(programs) => others.extend(programs.iter().filter(|other| **other != entry)),
            None => kept.push(line),
        }
    }
    let all: String = std::iter::once(entry)
        .chain(others)
        .flat_map(|program| [program, ";"])
        .collect();
    let ours = format!("{SCHEME}={all}");
    let mut written: Vec<&str> = Vec::new();
    let mut is_there = false;
    for line in kept {
        written.push(line);
        if !is_there && line.trim() == SECTION {
            is_there = true;
            written.push(&ours);
        }
    }
    if !is_there {
        written.extend([SECTION, &ours]);
    }
    written.join("\n") + "\n"
}

/// The list without `entry` for these links; the other programs stay.
pub(super) fn without(list: &str, entry: &str) -> String {
    let mut written: Vec<String> = Vec::new();
    for (line, is_in) in lines(list) {
        match named(line).filter(|_| is_in) {
            Some(programs) if programs.contains(&entry) => {
                let others: String = programs
                    .iter()
                    .filter(|other| **other != entry)
                    .flat_map(|program| [*program, ";"])
                    .collect();
                if !others.is_empty() {
                    written.push(format!("{SCHEME}={others}"));
                }
            }
            _ => written.push(line.to_owned()),
        }
    }
    if written.is_empty() {
        return String::new();
    }
    written.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "tideline.desktop";

    #[test]
    fn a_path_is_quoted_by_the_rules_of_entries() {
        assert_eq!(quoted("/usr/bin/tideline"), "\"/usr/bin/tideline\"");
        assert_eq!(quoted("/a b/100%"), "\"/a b/100%%\"");
        assert_eq!(quoted("/a\"$`"), r#""/a\\"\\$\\`""#);
        assert_eq!(quoted("/a\\b"), r#""/a\\\\b""#);
        assert!(entry(Path::new("/a\nExec=evil")).is_err());
        let entry = entry(Path::new("/usr/bin/tideline")).unwrap();
        assert!(is_ours(&entry));
        assert!(!is_ours(SHIPPED));
        assert_eq!(entry.matches("Exec=").count(), 1);
    }

    #[test]
    fn other_programs_for_the_links_come_after_and_back() {
        let list =
            "[Default Applications]\nx-scheme-handler/tideline=other.desktop\na/b=c.desktop\n";
        let with = with(list, ENTRY);
        assert!(prefers(&with, ENTRY));
        assert!(with.contains("x-scheme-handler/tideline=tideline.desktop;other.desktop;\n"));
        let back = without(&with, ENTRY);
        assert!(!prefers(&back, ENTRY));
        assert!(back.contains("x-scheme-handler/tideline=other.desktop;\n"));
        assert!(back.contains("a/b=c.desktop\n"));
    }

    #[test]
    fn a_line_of_another_part_is_not_meant() {
        let list = "[Added Associations]\nx-scheme-handler/tideline=tideline.desktop;\n";
        assert!(!prefers(list, ENTRY));
        let with = with(list, ENTRY);
        assert!(with.starts_with(list));
        assert!(
            with.ends_with("[Default Applications]\nx-scheme-handler/tideline=tideline.desktop;\n")
        );
        assert_eq!(super::with("", ENTRY).lines().count(), 2);
    }
}
