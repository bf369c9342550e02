//! A value cut into rows that fit a width, bit by bit, whatever its size.
//!
//! | module | what it is |
//! |---|---|
//! | `cursor` | fills one row after another from units |
//! | `text`, `json` | the units of a value read as text, or as JSON laid out in lines |
//! | `unit` | the smallest things that go into a row |
//!
//! Nothing of the rows is kept but every hundredth place where one begins. What is on screen is made anew
//! from the mark before it, so a value of any size costs little beside its own bytes.

mod cursor;
mod json;
mod text;
mod unit;

use std::ops::Range;

use bytes::Bytes;

use super::hex;
use cursor::{Copied, Cursor, End, Ended, Source};
use json::JsonSource;
use text::TextSource;

pub use json::{MAX_DEPTH, can_begin_json, opens_container};
pub use unit::Piece;

/// Rows from one mark to the next.
const ROWS_PER_MARK: u64 = 128;
/// Bytes from one mark to the next, at the latest.
const BYTES_PER_MARK: usize = 64 * 1024;
/// What a row costs beside its bytes when a budget is spent, in bytes.
const ROW_COST: usize = 16;

/// How bytes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// JSON, laid out in lines: nothing but the white space between its parts differs from what was sent.
    Json,
    /// Text in its own lines.
    Text,
    /// A dump of the bytes.
    Hex,
}

/// Why something is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The byte at which it shows.
    pub at: usize,
    /// What is wrong there.
    pub why: &'static str,
}

/// How far the rows are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// More rows follow those known so far.
    Unfinished,
    /// All rows are known.
    Whole,
    /// It cannot be read in this form.
    Broken(Flaw),
}

/// One row as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// What stands in it.
    pub text: String,
    /// Its pieces in order and without gaps, as ranges of `text`.
    pub pieces: Vec<(Range<usize>, Piece)>,
    /// Whether it goes on with the line of the row before.
    pub continues: bool,
}

/// The rows of a value in one form and width.
#[derive(Clone, Debug)]
pub struct Layout {
    bytes: Bytes,
    form: Form,
    width: usize,
    rows: u64,
    state: State,
    cursor: Cursor,
    marks: Vec<Mark>,
}

/// A place where a row begins.
#[derive(Clone, Debug)]
struct Mark {
    row: u64,
    cursor: Cursor,
}

impl Layout {
    /// The rows of `bytes` read as `form`, each at most `width` characters wide (16 at least). None is known
    /// until [`Layout::advance`] was called, except for dumps, whose rows need no search.
    pub fn new(bytes: Bytes, form: Form, width: usize) -> Self {
        let width = width.max(16);
        let source = match form {
            Form::Json => Source::Json(JsonSource::default()),
            Form::Text | Form::Hex => Source::Text(TextSource::default()),
        };
        let mut layout = Self {
            bytes,
            form,
            width,
            rows: 0,
            state: State::Unfinished,
            cursor: Cursor::new(source),
            marks: Vec::new(),
        };
        if form == Form::Hex {
            let rows = hex::line_count(layout.bytes.len(), layout.bytes_per_row());
            layout.rows = u64::try_from(rows).unwrap_or(u64::MAX);
            layout.state = State::Whole;
        }
        layout
    }

    /// The bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// How the bytes are read.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The rows known so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How far the rows are known.
    pub fn state(&self) -> State {
        self.state
    }

    /// The bytes whose rows are known, and all of them.
    pub fn progress(&self) -> (usize, usize) {
        let all = self.bytes.len();
        match self.state {
            State::Whole => (all, all),
            State::Unfinished | State::Broken(_) => (self.cursor.position().min(all), all),
        }
    }

    /// Learns more rows. Ends soon after it has looked at `budget` bytes; how much of the budget it took.
    pub fn advance(&mut self, budget: usize) -> usize {
        let mut spent = 0_usize;
        while self.state == State::Unfinished && spent < budget {
            let from = self.cursor.position();
            let marked = self.marks.last();
            let is_due = marked.is_none_or(|mark| {
                self.rows.saturating_sub(mark.row) >= ROWS_PER_MARK
                    || from.saturating_sub(mark.cursor.position()) >= BYTES_PER_MARK
            });
            if is_due {
                self.marks.push(Mark {
                    row: self.rows,
                    cursor: self.cursor,
                });
            }
            match self.cursor.row(&self.bytes, self.width, &mut ()) {
                Ended::Row => self.rows = self.rows.saturating_add(1),
                Ended::Last => {
                    self.rows = self.rows.saturating_add(1);
                    self.state = State::Whole;
                }
                Ended::Broken(flaw) => self.state = State::Broken(flaw),
            }
            spent = spent
                .saturating_add(self.cursor.position().saturating_sub(from))
                .saturating_add(ROW_COST);
        }
        spent
    }

    /// The rows in `range`, as far as they are known.
    pub fn shown(&self, range: Range<u64>) -> Vec<Row> {
        let range = range.start..range.end.min(self.rows);
        if self.form == Form::Hex {
            return range.map(|row| self.dumped(row)).collect();
        }
        let Some(mut cursor) = self.cursor_at(range.start) else {
            return Vec::new();
        };
        range
            .map(|_| {
                let mut row = Row::default();
                cursor.row(&self.bytes, self.width, &mut row);
                row
            })
            .collect()
    }

    /// What stands in the rows of `range` as it was sent: lines that go on over several rows are whole
    /// again, and nothing stands for anything else. Only bytes that are not UTF-8 become U+FFFD. A dump is
    /// copied as it looks.
    pub fn copied(&self, range: Range<u64>) -> String {
        let range = range.start..range.end.min(self.rows);
        if self.form == Form::Hex {
            let lines: Vec<String> = range.map(|row| self.dumped(row).text).collect();
            return lines.join("\n");
        }
        let Some(mut cursor) = self.cursor_at(range.start) else {
            return String::new();
        };
        if self.form == Form::Text {
            // Taken from the value itself, so that line ends stay what they are.
            let from = cursor.position();
            let mut end = from;
            for _ in range {
                let mut seen = End(cursor.position());
                cursor.row(&self.bytes, self.width, &mut seen);
                end = seen.0;
            }
            let sent = self.bytes.get(from..end).unwrap_or_default();
            return String::from_utf8_lossy(sent).into_owned();
        }
        let mut copied = Copied::default();
        for _ in range {
            cursor.row(&self.bytes, self.width, &mut copied);
        }
        String::from_utf8(copied.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// The cursor at the beginning of `row`; `None` when the row is not known.
    fn cursor_at(&self, row: u64) -> Option<Cursor> {
        if row >= self.rows {
            return None;
        }
        let after = self.marks.partition_point(|mark| mark.row <= row);
        let mark = self.marks.get(after.checked_sub(1)?)?;
        let mut cursor = mark.cursor;
        for _ in mark.row..row {
            cursor.row(&self.bytes, self.width, &mut ());
        }
        Some(cursor)
    }

    fn dumped(&self, row: u64) -> Row {
        let line = usize::try_from(row).unwrap_or(usize::MAX);
        let text = hex::line(&self.bytes, self.bytes_per_row(), line);
        Row {
            pieces: vec![(0..text.len(), Piece::Plain)],
            text,
            continues: false,
        }
    }

    fn bytes_per_row(&self) -> usize {
        match self.width {
            77.. => 16,
            43.. => 8,
            27.. => 4,
            19.. => 2,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests;
