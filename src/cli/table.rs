//! Aligned columns.

use std::io::{self, Write};

use super::text::width;

/// On which side of its column a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// A value wider than this does not widen its column: its row alone is out of line then.
const WIDEST: usize = 72;
const GAP: &str = "  ";

#[derive(Debug)]
enum Row {
    Cells(Vec<String>),
    Line(String),
}

/// Rows that are lined up with one another. Cells must hold no control characters.
#[derive(Debug)]
pub(super) struct Table {
    titles: Vec<(&'static str, Side)>,
    widths: Vec<usize>,
    rows: Vec<Row>,
    titled: bool,
}

impl Table {
    pub(super) fn new(titles: &[(&'static str, Side)]) -> Self {
        Self {
            titles: titles.to_vec(),
            widths: titles.iter().map(|(title, _)| width(title)).collect(),
            rows: Vec::new(),
            titled: false,
        }
    }

    /// Adds a row: one cell for each title.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.titles.len(), "a cell for each title");
        for (column, cell) in self.widths.iter_mut().zip(&cells) {
            let cell = width(cell);
            if cell <= WIDEST {
                *column = cell.max(*column);
            }
        }
        self.rows.push(Row::Cells(cells));
    }

    /// Adds a line that belongs to the row above it and has no columns.
    pub(super) fn line(&mut self, text: String) {
        self.rows.push(Row::Line(text));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes what was added since the last time; the titles stand before the first row.
    pub(super) fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        if !self.titled {
            self.titled = true;
            let titles: Vec<String> = self
                .titles
                .iter()
                .map(|(title, _)| (*title).to_owned())
                .collect();
            self.write_cells(&titles, out)?;
        }
        for row in std::mem::take(&mut self.rows) {
            match row {
                Row::Cells(cells) => self.write_cells(&cells, out)?,
                Row::Line(text) => writeln!(out, "    {text}")?,
            }
        }
        Ok(())
    }

    fn write_cells(&self, cells: &[String], out: &mut dyn Write) -> io::Result<()> {
        let mut line = String::new();
        for ((cell, (_, side)), column) in cells.iter().zip(&self.titles).zip(&self.widths) {
            let padding = " ".repeat(column.saturating_sub(width(cell)));
            let (before, after) = match side {
                Side::Left => ("", padding.as_str()),
                Side::Right => (padding.as_str(), ""),
            };
            for part in [before, cell, after, GAP] {
                line.push_str(part);
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: &mut Table) -> String {
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_are_lined_up_by_what_is_seen() {
        let mut table = Table::new(&[("GROUP", Side::Left), ("LAG", Side::Right)]);
        table.row(["群组-1".to_owned(), "7".to_owned()]);
        table.row(["b".to_owned(), "1,200".to_owned()]);
        table.line("note".to_owned());
        assert_eq!(
            written(&mut table),
            "GROUP     LAG\n群组-1      7\nb       1,200\n    note\n"
        );
    }

    #[test]
    fn a_huge_value_is_whole_and_leaves_the_other_rows_alone() {
        let mut table = Table::new(&[("KEY", Side::Left), ("N", Side::Right)]);
        let long = "x".repeat(100);
        table.row([long.clone(), "1".to_owned()]);
        table.row(["k".to_owned(), "2".to_owned()]);
        assert_eq!(written(&mut table), format!("KEY  N\n{long}  1\nk    2\n"));
    }

    #[test]
    fn later_rows_follow_without_a_second_title() {
        let mut table = Table::new(&[("N", Side::Right)]);
        table.row(["10".to_owned()]);
        assert_eq!(written(&mut table), " N\n10\n");
        table.row(["5".to_owned()]);
        assert_eq!(written(&mut table), " 5\n");
        assert_eq!(written(&mut table), "");
    }
}
