//! Fills rows from units.

use crate::decode::visible;

use super::json::JsonSource;
use super::text::TextSource;
use super::unit::{Look, Piece, Show, Unit};
use super::{Flaw, Row};

/// Where the units come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Text(TextSource),
    Json(JsonSource),
}

/// A place between two rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    source: Source,
    /// What did not fit into the row before.
    pending: Option<Show>,
    /// How deep the present line is.
    depth: usize,
    /// Whether the next row goes on with the line of the row before.
    continues: bool,
}

/// How a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Another follows.
    Row,
    /// It was the last.
    Last,
    /// It does not exist, because the value cannot be read on.
    Broken(Flaw),
}

/// What is done with the units of a row.
pub(super) trait Sink {
    /// A row begins, in a line so deep.
    fn begin(&mut self, indent: usize, depth: usize, continues: bool);
    /// Bytes of the value.
    fn show(&mut self, bytes: &[u8], show: Show);
    /// A space that is not in the value.
    fn space(&mut self);
}

impl Cursor {
    /// The beginning of the first row.
    pub(super) fn new(source: Source) -> Self {
        Self {
            source,
            pending: None,
            depth: 0,
            continues: false,
        }
    }

    /// The first byte that is in no row before this place.
    pub(super) fn position(&self) -> usize {
        let taken = match self.source {
            Source::Text(source) => source.position(),
            Source::Json(source) => source.position(),
        };
        self.pending.map_or(taken, |show| show.from)
    }

    /// Gives the units of the next row to `sink` and moves behind it.
    pub(super) fn row(&mut self, bytes: &[u8], width: usize, sink: &mut impl Sink) -> Ended {
        // Deep lines keep half of the width for themselves.
        let indent = self.depth.saturating_mul(2).min(width / 2);
        sink.begin(indent, self.depth, self.continues);
        let mut used = indent;
        let mut is_empty = true;
        loop {
            let room = width.saturating_sub(used).max(1);
            let unit = self
                .pending
                .take()
                .map_or_else(|| self.next(bytes, room), Unit::Show);
            match unit {
                Unit::Show(show) => {
                    let with_it = used.saturating_add(show.columns);
                    if with_it > width && !is_empty {
                        self.pending = Some(show);
                        self.continues = true;
                        return Ended::Row;
                    }
                    sink.show(bytes, show);
                    used = with_it;
                    is_empty = false;
                }
                Unit::Space => {
                    sink.space();
                    used = used.saturating_add(1);
                }
                Unit::Line => {
                    self.continues = false;
                    if let Source::Json(source) = &self.source {
                        self.depth = source.depth();
                    }
                    return Ended::Row;
                }
                Unit::Pause => {
                    self.continues = true;
                    return Ended::Row;
                }
                Unit::End => return Ended::Last,
                Unit::Broken(flaw) => return Ended::Broken(flaw),
            }
        }
    }

    fn next(&mut self, bytes: &[u8], room: usize) -> Unit {
        match &mut self.source {
            Source::Text(source) => source.next(bytes, room),
            Source::Json(source) => source.next(bytes, room),
        }
    }
}

/// Only counts.
impl Sink for () {
    fn begin(&mut self, _indent: usize, _depth: usize, _continues: bool) {}

    fn show(&mut self, _bytes: &[u8], _show: Show) {}

    fn space(&mut self) {}
}

impl Row {
    fn mark(&mut self, from: usize, piece: Piece) {
        let to = self.text.len();
        match self.pieces.last_mut() {
            Some((range, known)) if *known == piece => range.end = to,
            _ => self.pieces.push((from..to, piece)),
        }
    }
}

impl Sink for Row {
    fn begin(&mut self, indent: usize, _depth: usize, continues: bool) {
        self.continues = continues;
        if indent > 0 {
            self.text.extend(std::iter::repeat_n(' ', indent));
            self.mark(0, Piece::Mark);
        }
    }

    fn show(&mut self, bytes: &[u8], show: Show) {
        let from = self.text.len();
        match show.look {
            Look::Ascii => {
                let end = show.from.saturating_add(show.len);
                let taken = bytes.get(show.from..end).unwrap_or_default();
                self.text.extend(taken.iter().copied().map(char::from));
            }
            Look::Char(c) => visible::push(&mut self.text, c),
            Look::Byte(byte) => visible::push_byte(&mut self.text, byte),
        }
        self.mark(from, show.piece);
    }

    fn space(&mut self) {
        let from = self.text.len();
        self.text.push(' ');
        self.mark(from, Piece::Mark);
    }
}

/// The byte behind the last one that is shown.
#[derive(Debug)]
pub(super) struct End(pub(super) usize);

impl Sink for End {
    fn begin(&mut self, _indent: usize, _depth: usize, _continues: bool) {}

    fn show(&mut self, _bytes: &[u8], show: Show) {
        self.0 = show.from.saturating_add(show.len);
    }

    fn space(&mut self) {}
}

/// Rows as they were sent.
#[derive(Debug, Default)]
pub(super) struct Copied {
    pub(super) bytes: Vec<u8>,
    has_begun: bool,
}

impl Sink for Copied {
    fn begin(&mut self, _indent: usize, depth: usize, continues: bool) {
        if continues {
            self.has_begun = true;
            return;
        }
        if self.has_begun {
            self.bytes.push(b'\n');
        }
        self.has_begun = true;
        self.bytes
            .extend(std::iter::repeat_n(b' ', depth.saturating_mul(2)));
    }

    fn show(&mut self, bytes: &[u8], show: Show) {
        let end = show.from.saturating_add(show.len);
        self.bytes
            .extend_from_slice(bytes.get(show.from..end).unwrap_or_default());
    }

    fn space(&mut self) {
        self.bytes.push(b' ');
    }
}
