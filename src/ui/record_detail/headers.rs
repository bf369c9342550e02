//! The headers of a record: a row each where that is enough, else a name and below it the rows of its value.
//! Pure.

use std::fmt::Write as _;

use crate::decode::rows::{Form, Layout};
use crate::decode::visible;
use crate::model::Header;

use super::part::number_in;

/// The value of a header in one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// A word that stands for what is not there: null, empty.
    Word(&'static str),
    /// Text.
    Text(String),
    /// Bytes in hex, and how they read as a number.
    Bytes(String, Option<String>),
}

impl Shown {
    /// All of it in one text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Word(word) => (*word).to_owned(),
            Self::Text(text) | Self::Bytes(text, None) => text.clone(),
            Self::Bytes(text, Some(number)) => format!("{text} = {number}"),
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

/// The value in one row.
pub(super) fn value_of(header: &Header) -> Shown {
    let Some(bytes) = header.value.as_deref() else {
        return Shown::Word("null");
    };
    if bytes.is_empty() {
        return Shown::Word("empty");
    }
    let number = number_in(bytes);
    if number.is_none() && std::str::from_utf8(bytes).is_ok() {
        return Shown::Text(visible::one_line(bytes, bytes.len()));
    }
    let mut hex = "0x".to_owned();
    for byte in bytes {
        // Writing to a String cannot fail.
        write!(hex, "{byte:02x}").unwrap_or_default();
    }
    Shown::Bytes(hex, number)
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
        assert_eq!(shown(Some(b"null")), Shown::Text("null".into()));
        assert_eq!(shown(Some(b"empty")), Shown::Text("empty".into()));
    }

    #[test]
    fn bytes_are_hex_and_may_read_as_a_number() {
        assert_eq!(shown(Some(&[0, 0, 0, 2])).text(), "0x00000002 = 2 int32");
        assert_eq!(shown(Some(&[0xff, 1])), Shown::Bytes("0xff01".into(), None));
        assert_eq!(
            shown(Some("a\u{202e}b".as_bytes())),
            Shown::Text("a‹U+202E›b".into())
        );
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
