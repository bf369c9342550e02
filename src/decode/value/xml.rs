//! Whether a text is XML: well-formed, by the rules that need no schema.

use std::collections::BTreeSet;

use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Why a text is no XML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    /// The byte at which it shows.
    pub at: usize,
    /// What is wrong there.
    pub why: String,
}

/// Whether `text` may be XML at a glance: it begins with `<` and a name, or as a declaration or comment.
pub(super) fn can_begin(text: &str) -> bool {
    let mut chars = text.trim_start().chars();
    chars.next() == Some('<')
        && chars
            .next()
            .is_some_and(|c| matches!(c, '?' | '!' | '_' | ':') || c.is_alphabetic())
}

/// How `text` begins: `<?xml`, `<order`.
pub(super) fn beginning(text: &str) -> &str {
    let text = text.trim_start();
    let inside = text.strip_prefix('<').unwrap_or(text);
    let len = inside
        .char_indices()
        .find(|(_, c)| c.is_whitespace() || matches!(c, '>' | '/' | '='))
        .map_or(inside.len(), |(at, _)| at);
    let all = text.len().saturating_sub(inside.len()).saturating_add(len);
    match text.char_indices().nth(40) {
        Some((cut, _)) if cut < all => text.get(..cut).unwrap_or(text),
        _ => text.get(..all).unwrap_or(text),
    }
}

/// Whether `text` is well-formed: one element, whose tags are closed in order.
///
/// # Errors
/// It is not, and where that shows.
pub(super) fn check(text: &str) -> Result<(), Flaw> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    let mut depth = 0_usize;
    let mut roots = 0_usize;
    let mut has_types = false;
    loop {
        let at = place(reader.buffer_position());
        let flaw = |why: &str| Flaw {
            at,
            why: why.to_owned(),
        };
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                return Err(Flaw {
                    at: place(reader.error_position()),
                    why: said(&error),
                });
            }
        };
        match event {
            Event::Start(start) => {
                if depth == 0 && roots > 0 {
                    return Err(flaw("a second element follows the first"));
                }
                attributes(&start).map_err(|why| Flaw { at, why })?;
                roots = roots.saturating_add(usize::from(depth == 0));
                depth = depth.saturating_add(1);
            }
            Event::Empty(start) => {
                if depth == 0 && roots > 0 {
                    return Err(flaw("a second element follows the first"));
                }
                attributes(&start).map_err(|why| Flaw { at, why })?;
                roots = roots.saturating_add(usize::from(depth == 0));
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Text(text) => {
                if depth == 0 && !text.trim().is_empty() {
                    return Err(flaw("text stands outside of the element"));
                }
            }
            Event::CData(_) if depth == 0 => {
                return Err(flaw("text stands outside of the element"));
            }
            Event::GeneralRef(reference) => {
                let is_known = matches!(&*reference, "lt" | "gt" | "amp" | "quot" | "apos");
                let is_char = matches!(reference.resolve_char_ref(), Ok(Some(_)));
                if depth == 0 || !(is_known || is_char || has_types) {
                    return Err(flaw("there is no such entity"));
                }
            }
            Event::Decl(_) if at > 0 && !text.get(..at).is_none_or(is_mark) => {
                return Err(flaw("the declaration does not stand at the beginning"));
            }
            Event::DocType(_) => has_types = true,
            Event::CData(_) | Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            Event::Eof if depth > 0 => return Err(flaw("it ends before its tags are closed")),
            Event::Eof if roots == 0 => return Err(flaw("it holds no element")),
            Event::Eof => return Ok(()),
        }
    }
}

/// Whether `text` is a byte order mark and nothing else.
fn is_mark(text: &str) -> bool {
    text == "\u{feff}"
}

fn place(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// Whether the attributes of a tag are written as they must be, each once.
fn attributes(start: &BytesStart<'_>) -> Result<(), String> {
    let mut names = BTreeSet::new();
    // The library would compare each with each.
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| format!("an attribute is wrong: {error}"))?;
        if !names.insert(attribute.key.0) {
            return Err("an attribute stands twice in one tag".to_owned());
        }
    }
    Ok(())
}

/// What is wrong, in words that name no part of the library.
fn said(error: &Error) -> String {
    match error {
        Error::Syntax(
            SyntaxError::UnclosedTag | SyntaxError::UnclosedSingleQuotedAttributeValue,
        ) => "a tag is not closed".to_owned(),
        Error::Syntax(SyntaxError::UnclosedDoubleQuotedAttributeValue) => {
            "the value of an attribute is not closed".to_owned()
        }
        Error::IllFormed(IllFormedError::MismatchedEndTag { .. }) => {
            "an end tag does not fit the tag that is open".to_owned()
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(_)) => {
            "an end tag has no beginning".to_owned()
        }
        Error::IllFormed(IllFormedError::MissingEndTag(_)) => {
            "it ends before its tags are closed".to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_formed_text_is_xml() {
        for text in [
            "<a/>",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<order id=\"1\"><n>1</n><!-- c --></order>\n",
            " <a b='1' c=\"2\">x &lt; y &#228; <![CDATA[<]]></a> ",
            "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>",
            "<s:Envelope xmlns:s=\"urn:s\"><s:Body/></s:Envelope>",
            "<größe>1</größe>",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
            assert!(can_begin(text));
        }
    }

    #[test]
    fn what_is_not_well_formed_is_told_with_its_place() {
        for (text, at, why) in [
            (
                "<a><b></a>",
                6,
                "an end tag does not fit the tag that is open",
            ),
            ("<a>", 3, "it ends before its tags are closed"),
            ("<a/><b/>", 4, "a second element follows the first"),
            ("<a/>x", 4, "text stands outside of the element"),
            ("<a>&e;</a>", 3, "there is no such entity"),
            (
                "<a b='1' b='2'/>",
                0,
                "an attribute stands twice in one tag",
            ),
            ("</a>", 0, "an end tag has no beginning"),
            ("<!-- c -->", 10, "it holds no element"),
            (
                "<a/><?xml version=\"1.0\"?>",
                4,
                "the declaration does not stand at the beginning",
            ),
        ] {
            let flaw = check(text).unwrap_err();
            assert_eq!((flaw.at, flaw.why.as_str()), (at, why), "{text}");
        }
        assert!(check("<a").is_err() && check("<a b=>").is_err() && check("").is_err());
    }

    #[test]
    fn beginnings() {
        assert_eq!(beginning(" <?xml version=\"1.0\"?><a/>"), "<?xml");
        assert_eq!(beginning("<order>"), "<order");
        assert_eq!(beginning(&format!("<{}>", "x".repeat(99))).len(), 40);
        assert!(!can_begin("< 5") && !can_begin("a<b>") && !can_begin(""));
    }

    #[test]
    fn many_attributes_and_many_levels_take_no_long() {
        let attributes: Vec<String> = (0..50_000).map(|n| format!("a{n}='1'")).collect();
        assert_eq!(check(&format!("<a {}/>", attributes.join(" "))), Ok(()));
        let deep = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
        assert_eq!(check(&deep), Ok(()));
    }
}
