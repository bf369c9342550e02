//! Which row stands where: exact at any row of any number of them. Pure.
//!
//! Rows are counted downwards on screen by *lines*. A line is the engine's number of its row, or the negative
//! of it where the list is shown from its end; in a table that is sorted by another column it is the place
//! from the top. So a row keeps its line whatever is added above or below it.

use std::sync::Arc;

use crate::engine::{Table, TablePlace};
use crate::model::Record;

use super::super::num::{f32_from_f64, f64_from_i64, i64_from_f64, u64_from_f64};
use super::super::state::TableScroll;
use super::super::tokens::size::ROW;

/// The row at the upper edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Top {
    /// Its line.
    pub(super) line: i64,
    /// How many points of it are hidden.
    pub(super) hidden: f32,
}

/// A piece of a list, as it is shown.
pub(super) struct Listing<'t> {
    rows: &'t [Arc<Record>],
    /// The line of the first row at hand, and one past that of the last.
    lines: (i64, i64),
    /// Whether the list is shown from its end.
    turned: bool,
    /// The rows by another column, when the table is sorted by one.
    sorted: Option<&'t [usize]>,
    /// Offsets above and below the rows at hand, and in the list in all.
    above: u64,
    below: u64,
    up_to: Option<u64>,
    anchor: Option<i64>,
    place: &'t TablePlace,
    viewport: f32,
}

/// Where a drag of the scroll bar leads.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BarTarget {
    /// To a row at hand.
    Row(Top),
    /// To another piece of the list.
    Elsewhere(TablePlace),
}

impl<'t> Listing<'t> {
    /// `table`, of which the first row has the number `first`, in a view of `viewport` points: from its end when
    /// `turned`, or its rows in the order `sorted`, of which then the one at the top has that number.
    pub(super) fn new(
        table: &'t Table,
        first: i64,
        place: &'t TablePlace,
        (turned, sorted): (bool, Option<&'t [usize]>),
        viewport: f32,
    ) -> Self {
        let length = i64::try_from(table.rows.len()).unwrap_or(i64::MAX);
        let end = first.saturating_add(length);
        let lines = if turned && sorted.is_none() {
            (1_i64.saturating_sub(end), 1_i64.saturating_sub(first))
        } else {
            (first, end)
        };
        let before = if table.at_start { 0 } else { table.before };
        let after = if table.at_end { 0 } else { table.after };
        let (above, below) = if turned {
            (after, before)
        } else {
            (before, after)
        };
        Self {
            rows: &table.rows,
            lines,
            turned: turned && sorted.is_none(),
            sorted,
            above: if sorted.is_some() { 0 } else { above },
            below: if sorted.is_some() { 0 } else { below },
            up_to: table.up_to,
            anchor: table.anchor,
            place,
            viewport,
        }
    }

    /// The lines of the rows at hand: the first, and one past the last.
    pub(super) fn lines(&self) -> (i64, i64) {
        self.lines
    }

    /// The row on a line, when it is at hand.
    pub(super) fn record(&self, line: i64) -> Option<&'t Arc<Record>> {
        let from_top = usize::try_from(line.checked_sub(self.lines.0)?).ok()?;
        if line >= self.lines.1 {
            return None;
        }
        let index = if let Some(sorted) = self.sorted {
            *sorted.get(from_top)?
        } else if self.turned {
            self.rows.len().checked_sub(from_top.checked_add(1)?)?
        } else {
            from_top
        };
        self.rows.get(index)
    }

    /// The line of the row that `is_it` names, when it is at hand.
    pub(super) fn line_of(&self, is_it: impl Fn(&Record) -> bool) -> Option<i64> {
        (self.lines.0..self.lines.1)
            .find(|line| self.record(*line).is_some_and(|record| is_it(record)))
    }

    /// Whether there are more rows than fit.
    pub(super) fn is_longer_than_view(&self) -> bool {
        self.lines.1.saturating_sub(self.lines.0) > self.fitting()
    }

    /// The line of the engine's row `number`, and the other way round.
    pub(super) fn turned(&self, number: i64) -> i64 {
        if self.turned {
            number.saturating_neg()
        } else {
            number
        }
    }

    /// The line of the row that was jumped to: the one the place names, or the last at the list's edge.
    pub(super) fn arrival(&self) -> Option<i64> {
        if self.sorted.is_some() || self.rows.is_empty() {
            return None;
        }
        let at_list_start = if self.turned {
            self.lines.1.saturating_sub(1)
        } else {
            self.lines.0
        };
        let at_list_end = if self.turned {
            self.lines.0
        } else {
            self.lines.1.saturating_sub(1)
        };
        match self.place {
            TablePlace::Start => Some(at_list_start),
            TablePlace::End => Some(at_list_end),
            _ => self.anchor.map(|number| {
                self.turned(number)
                    .clamp(self.lines.0, self.lines.1.saturating_sub(1))
            }),
        }
    }

    fn fitting(&self) -> i64 {
        i64_from_f64(f64::from(self.viewport / ROW).ceil())
    }

    /// How many lines beyond the rows at hand may be on screen: no more than there may be, and no more than
    /// fit.
    fn room(&self, offsets: u64) -> i64 {
        i64::try_from(offsets)
            .unwrap_or(i64::MAX)
            .min(self.fitting())
    }

    /// The first line that may be on screen, and one past the last.
    fn reach(&self) -> (i64, i64) {
        (
            self.lines.0.saturating_sub(self.room(self.above)),
            self.lines.1.saturating_add(self.room(self.below)),
        )
    }

    /// The position at which line `end` begins just below the lower edge.
    fn ending_at(&self, end: i64) -> Top {
        let fitting = self.fitting();
        Top {
            line: end.saturating_sub(fitting),
            hidden: f32_from_f64(f64_from_i64(fitting)) * ROW - self.viewport,
        }
    }

    /// `top` kept within the list.
    pub(super) fn clamped(&self, top: Top) -> Top {
        let (first, end) = self.reach();
        let last = self.ending_at(end);
        let top = if is_below(top, last) { last } else { top };
        let first = Top {
            line: first,
            hidden: 0.0,
        };
        if is_below(first, top) { first } else { top }
    }

    /// `top` moved by `points`, down when positive.
    pub(super) fn moved(&self, top: Top, points: f32) -> Top {
        self.clamped(shifted(top, points))
    }

    /// `top` moved as little as possible so that all of `line` is seen.
    pub(super) fn revealing(&self, top: Top, line: i64) -> Top {
        let lowest = self.ending_at(line.saturating_add(1));
        let highest = Top { line, hidden: 0.0 };
        let moved = if is_below(top, highest) {
            highest
        } else if is_below(lowest, top) {
            lowest
        } else {
            top
        };
        self.clamped(moved)
    }

    /// Where the table stands: `None` until the place that was jumped to is there.
    pub(super) fn top(&self, scroll: TableScroll) -> Option<Top> {
        if self.rows.is_empty() {
            return None;
        }
        let first = Top {
            line: self.lines.0,
            hidden: 0.0,
        };
        let last = self.ending_at(self.lines.1);
        let top = match scroll {
            TableScroll::At { row, hidden } => Top {
                line: if self.sorted.is_some() {
                    row
                } else {
                    self.turned(row)
                },
                hidden,
            },
            TableScroll::End | TableScroll::Placed(_) if self.sorted.is_some() => {
                first.moved_by(scroll)
            }
            TableScroll::End => self.edge(first, last, true),
            TableScroll::Placed(_) => match self.place {
                TablePlace::Start => self.edge(first, last, false),
                TablePlace::End => self.edge(first, last, true),
                TablePlace::Rank(_) | TablePlace::Time(_) => Top {
                    line: self.turned(self.anchor?),
                    hidden: 0.0,
                },
                TablePlace::Record(..) => {
                    let above = (self.viewport - ROW) / 2.0;
                    let anchor = Top {
                        line: self.turned(self.anchor?),
                        hidden: 0.0,
                    };
                    shifted(anchor, -above.max(0.0))
                }
            }
            .moved_by(scroll),
        };
        Some(self.clamped(top))
    }

    /// The position at the list's end, or at its start.
    fn edge(&self, first: Top, last: Top, end: bool) -> Top {
        if end == self.turned { first } else { last }
    }

    /// `top` as it is remembered: at the list's end, if it is there, so that it stays there.
    pub(super) fn scroll_of(&self, top: Top) -> TableScroll {
        let top = self.clamped(top);
        if self.sorted.is_none() && self.shows_end(top) {
            return TableScroll::End;
        }
        TableScroll::At {
            row: if self.sorted.is_some() {
                top.line
            } else {
                self.turned(top.line)
            },
            hidden: top.hidden,
        }
    }

    /// Whether the table stands at the end of the list.
    fn shows_end(&self, top: Top) -> bool {
        if self.turned {
            self.above == 0 && top.line <= self.lines.0 && top.hidden <= 0.0
        } else {
            let last = self.clamped(self.ending_at(self.lines.1));
            self.below == 0 && !is_below(last, top)
        }
    }

    /// The lines on screen at `top`, each with the distance of its upper edge from the top; also those whose
    /// rows are not at hand.
    pub(super) fn visible(&self, top: Top) -> Vec<(i64, f32)> {
        let (first, end) = self.reach();
        let mut lines = Vec::new();
        let mut line = top.line;
        let mut y = -top.hidden;
        while y < self.viewport && line < end {
            if line >= first {
                lines.push((line, y));
            }
            line = line.saturating_add(1);
            y += ROW;
        }
        lines
    }

    /// Whether the list's edge at the top is at hand, and the one at the bottom.
    pub(super) fn edges_at_hand(&self) -> (bool, bool) {
        (self.above == 0, self.below == 0)
    }

    /// Whether the list is shown from its end.
    pub(super) fn is_turned(&self) -> bool {
        self.turned
    }

    /// Whether the rows are in an order of their own.
    pub(super) fn is_sorted(&self) -> bool {
        self.sorted.is_some()
    }

    /// How many lines of a page are seen, less one or two that stay.
    pub(super) fn page(&self) -> i64 {
        self.fitting().saturating_sub(2).max(1)
    }

    /// How many offsets lie above `top`, how many are seen, and how many there are in all.
    pub(super) fn ranks(&self, top: Top) -> (f64, f64, f64) {
        let length = f64_from_i64(self.lines.1.saturating_sub(self.lines.0)).max(1.0);
        let (above, held) = (to_f64(self.above), self.offsets_held());
        let per_row = held / length;
        let index =
            f64_from_i64(top.line.saturating_sub(self.lines.0)) + f64::from(top.hidden / ROW);
        let all = above + held + to_f64(self.below);
        let seen = (f64::from(self.viewport / ROW) * per_row).min(all);
        let rank = (above + index * per_row).clamp(0.0, (all - seen).max(0.0));
        (rank, seen, all)
    }

    /// Offsets that the rows at hand span; no fewer than there are rows.
    fn offsets_held(&self) -> f64 {
        let length = f64_from_i64(self.lines.1.saturating_sub(self.lines.0));
        let outside = to_f64(self.above) + to_f64(self.below);
        match (self.sorted, self.up_to) {
            (None, Some(up_to)) => (to_f64(up_to) - outside).max(length),
            _ => length,
        }
    }

    /// Where a bar leads whose thumb was dragged to `part` of its way, from 0 to 1.
    pub(super) fn bar_target(&self, top: Top, part: f64) -> BarTarget {
        let (_, seen, all) = self.ranks(top);
        let part = part.clamp(0.0, 1.0);
        let wanted = part * (all - seen).max(0.0);
        let (above, held) = (to_f64(self.above), self.offsets_held());
        let length = f64_from_i64(self.lines.1.saturating_sub(self.lines.0));
        let within = wanted - above;
        let reaches = (wanted + seen <= above + held || self.below == 0)
            && (within >= 0.0 || self.above == 0);
        if reaches {
            let rows = (within.max(0.0) * length / held.max(1.0)).max(0.0);
            let line = self.lines.0.saturating_add(i64_from_f64(rows));
            let hidden = f32_from_f64(rows.fract()) * ROW;
            let last = self.ending_at(self.lines.1);
            return BarTarget::Row(if part >= 1.0 {
                self.clamped(last)
            } else {
                self.clamped(Top { line, hidden })
            });
        }
        BarTarget::Elsewhere(elsewhere(part, wanted, all, self.turned))
    }
}

/// The place that has `wanted` of `all` offsets above it, where a thumb is at `part` of its way.
pub(super) fn elsewhere(part: f64, wanted: f64, all: f64, turned: bool) -> TablePlace {
    let edge = |end: bool| {
        if end {
            TablePlace::End
        } else {
            TablePlace::Start
        }
    };
    if part <= 0.0 {
        edge(turned)
    } else if part >= 1.0 {
        edge(!turned)
    } else if turned {
        TablePlace::Rank(u64_from_f64((all - wanted - 1.0).max(0.0).round()))
    } else {
        TablePlace::Rank(u64_from_f64(wanted.round()))
    }
}

impl Top {
    /// Moved by the points that the person scrolled before the place was there.
    fn moved_by(self, scroll: TableScroll) -> Self {
        match scroll {
            TableScroll::Placed(points) => shifted(self, points),
            TableScroll::End | TableScroll::At { .. } => self,
        }
    }
}

fn is_below(a: Top, b: Top) -> bool {
    (a.line, a.hidden) > (b.line, b.hidden)
}

/// `top` moved by `points`, wherever that is.
fn shifted(top: Top, points: f32) -> Top {
    let hidden = top.hidden + points;
    let lines = (hidden / ROW).floor();
    Top {
        line: top.line.saturating_add(i64_from_f64(f64::from(lines))),
        hidden: hidden - lines * ROW,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the place of a scroll bar needs no more than 53 bits"
)]
pub(super) fn to_f64(offsets: u64) -> f64 {
    offsets as f64
}

#[cfg(test)]
mod tests;
