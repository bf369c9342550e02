//! The headers of a record: a row each where that is enough, else a name and below it the rows of its value.
//! Pure.

use std::fmt::Write as _;

use crate::decode::rows::{Form, Layout};
use crate::decode::value::{self, HeaderKind};
use crate::decode::visible;
use crate::model::Header;

/// The value of a header in one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// A word that stands for what is not there: null, empty.
    Word(&'static str),
    /// What it is taken for, in words that follow it where that is not plain, and why.
    Value {
        /// Its text.
        text: String,
        /// What its bytes were read as; empty where they are text, or shown as bytes.
        kind: String,
        /// Why.
        evidence: String,
    },
}

impl Shown {
    /// All of it in one text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Word(word) => (*word).to_owned(),
            Self::Value { text, kind, .. } if kind.is_empty() => text.clone(),
            Self::Value { text, kind, .. } => format!("{text} {kind}"),
        }
    }
}

/// The name as it is shown, cut to `columns` characters.
pub(super) fn name_of(header: &Header, columns: usize) -> String {
    let name = visible::one_line(header.name.as_bytes(), columns);
    if name.is_empty() {
        "(empty name)".to_owned()
    } else {
        name
    }
}

/// The value in one row, typed by evidence.
pub(super) fn value_of(header: &Header) -> Shown {
    let typed = value::header(header.name.as_bytes(), header.value.as_deref());
    let bytes = header.value.as_deref().unwrap_or_default();
    let is_text = std::str::from_utf8(bytes).is_ok();
    let kind = match typed.kind {
        HeaderKind::Null => return Shown::Word("null"),
        HeaderKind::Empty => return Shown::Word("empty"),
        HeaderKind::Integer => format!("int{}", bytes.len().saturating_mul(8)),
        HeaderKind::Uuid | HeaderKind::Json if !is_text => typed.kind.label().to_owned(),
        _ => String::new(),
    };
    let evidence = if is_text && typed.kind != HeaderKind::Integer {
        typed.evidence
    } else {
        format!("{}: {}", typed.evidence, hex(bytes))
    };
    Shown::Value {
        text: visible::one_line(typed.text.as_bytes(), typed.text.len()),
        kind,
        evidence,
    }
}

/// The first bytes, in hex.
fn hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 32;
    let mut hex = "0x".to_owned();
    for byte in bytes.iter().take(SHOWN) {
        // Writing to a String cannot fail.
        write!(hex, "{byte:02x}").unwrap_or_default();
    }
    if bytes.len() > SHOWN {
        hex.push('…');
    }
    hex
}

/// Headers that follow one another.
#[derive(Debug)]
pub(super) enum Run {
    /// So many from this one on, a row each.
    Rows(usize, usize),
    /// One whose value needs rows of its own.
    Long(usize, Box<Layout>),
}

/// How `headers` are laid out in `columns` characters.
pub(super) fn runs(headers: &[Header], columns: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (index, header) in headers.iter().enumerate() {
        if fits(header, columns) {
            match runs.last_mut() {
                Some(Run::Rows(_, count)) => *count = count.saturating_add(1),
                _ => runs.push(Run::Rows(index, 1)),
            }
            continue;
        }
        let value = header.value.clone().unwrap_or_default();
        let start = value.get(..4_096).unwrap_or(&value);
        let is_text = start.utf8_chunks().all(|chunk| chunk.invalid().is_empty());
        let form = if is_text { Form::Text } else { Form::Hex };
        // Inset like the rows of a value.
        runs.push(Run::Long(
            index,
            Box::new(Layout::new(value, form, columns)),
        ));
    }
    runs
}

/// Whether name and value fit into one row.
fn fits(header: &Header, columns: usize) -> bool {
    let len = header.value.as_ref().map_or(0, bytes::Bytes::len);
    // A character has four bytes at most; without this a large one would be made only to be measured.
    if len > columns.saturating_mul(4) {
        return false;
    }
    let name = name_of(header, columns).chars().count();
    let value = value_of(header).text();
    let wide = value.chars().map(visible::columns);
    let value = wide.fold(0_usize, usize::saturating_add);
    name.saturating_add(2).saturating_add(value) <= columns
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::model::Text;

    fn header(name: &str, value: Option<&'static [u8]>) -> Header {
        Header {
            name: Text::from(name),
            value: value.map(Bytes::from_static),
        }
    }

    fn shown(value: Option<&'static [u8]>) -> Shown {
        value_of(&header("h", value))
    }

    #[test]
    fn null_empty_and_the_words_differ() {
        assert_eq!(shown(None), Shown::Word("null"));
        assert_eq!(shown(Some(b"")), Shown::Word("empty"));
        for word in ["null", "empty"] {
            let Shown::Value { text, kind, .. } = shown(Some(word.as_bytes())) else {
                panic!("it is a text");
            };
            assert_eq!((text.as_str(), kind.as_str()), (word, ""));
        }
    }

    #[test]
    fn values_are_typed_by_evidence_and_their_bytes_are_told() {
        let said = |value: &'static [u8]| shown(Some(value)).text();
        assert_eq!(said(&[0, 0, 0, 2]), "2 int32");
        assert_eq!(said(&[0xff, 1, 2]), "0xff0102");
        assert_eq!(said("a\u{202e}b".as_bytes()), "a‹U+202E›b");
        let Shown::Value { evidence, .. } = shown(Some(&[0, 0, 0, 2])) else {
            panic!("it is a number");
        };
        assert!(evidence.ends_with(": 0x00000002"), "{evidence}");
        assert_eq!(name_of(&header("", None), 20), "(empty name)");
        assert_eq!(name_of(&header("a\u{0}", None), 20), "a‹U+0000›");
    }

    #[test]
    fn a_long_header_goes_on_below_its_name() {
        let headers = [
            header("a", Some(b"1")),
            header("a", None),
            header("traceparent", Some(b"00-4bf92f3577b34da6-01")),
            header("b", Some(b"2")),
        ];
        let runs = runs(&headers, 20);
        assert!(matches!(
            runs.as_slice(),
            [Run::Rows(0, 2), Run::Long(2, _), Run::Rows(3, 1)]
        ));
        assert!(matches!(
            super::runs(&headers, 60).as_slice(),
            [Run::Rows(0, 4)]
        ));
    }
}
