//! The smallest things that go into a row: what is never cut in two.

use crate::decode::visible;

use super::Flaw;

/// What a piece of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text that is nothing else.
    Plain,
    /// The name of a field.
    Key,
    /// A string.
    Text,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Word,
    /// Brackets, commas and white space.
    Mark,
    /// What stands for something that cannot be seen.
    Hidden,
}

/// What comes next in a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    /// Bytes of the value.
    Show(Show),
    /// A space that is not in the value.
    Space,
    /// The line ends.
    Line,
    /// Much was passed over that is not shown: a good place to end a row.
    Pause,
    /// The value ends.
    End,
    /// It cannot be read in this form.
    Broken(Flaw),
}

/// Bytes of the value, and what is to be seen of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Show {
    /// The first of them.
    pub from: usize,
    /// How many they are.
    pub len: usize,
    /// How many characters wide they are.
    pub columns: usize,
    /// What they are.
    pub piece: Piece,
    /// How they are shown.
    pub look: Look,
}

/// How bytes are shown.
#[derive(Clone, Copy, Debug)]
pub(super) enum Look {
    /// Printable ASCII as it is.
    Ascii,
    /// One character.
    Char(char),
    /// A byte that is no part of a character.
    Byte(u8),
}

impl Show {
    /// `len` bytes of printable ASCII.
    pub(super) fn ascii(from: usize, len: usize, piece: Piece) -> Self {
        Self {
            from,
            len,
            columns: len,
            piece,
            look: Look::Ascii,
        }
    }

    /// The character at `from`, or the byte that stands there in place of one; `None` at the end.
    pub(super) fn one(bytes: &[u8], from: usize, piece: Piece) -> Option<Self> {
        let rest = bytes.get(from..)?;
        let first = *rest.first()?;
        let len = match first {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        let character = rest
            .get(..len)
            .and_then(|start| std::str::from_utf8(start).ok())
            .and_then(|start| start.chars().next());
        Some(match character {
            Some(c) => Self {
                from,
                len: c.len_utf8(),
                columns: visible::columns(c),
                piece: if c == '\t' || visible::is_hidden(c) {
                    Piece::Hidden
                } else {
                    piece
                },
                look: Look::Char(c),
            },
            None => Self {
                from,
                len: 1,
                columns: visible::BYTE_COLUMNS,
                piece: Piece::Hidden,
                look: Look::Byte(first),
            },
        })
    }
}

/// How many of the bytes from `from` on, `most` at most, are printable ASCII that `wanted` takes.
pub(super) fn ascii_run(
    bytes: &[u8],
    from: usize,
    most: usize,
    wanted: impl Fn(u8) -> bool,
) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let near = rest.get(..most).unwrap_or(rest);
    near.iter()
        .position(|byte| !(0x20..=0x7e).contains(byte) || !wanted(*byte))
        .unwrap_or(near.len())
}
