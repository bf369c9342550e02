//! What is worked out of the record that is shown, kept until something it comes from changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use egui::Context;

use crate::decode::rows::State;
use crate::engine::Inventory;
use crate::model::{Record, Text};

use super::super::context::Cx;
use super::super::decoding::{Reader, bytes_of};
use super::super::num::f32_from_count;
use super::super::scroll::{RowScroll, Rows};
use super::super::state::Msg;
use super::super::state::detail::{Fold, Look, Part, Section};
use super::decoding::Decoding;
use super::document::{Content, Document, Spot};
use super::headers::{self, Run};
use super::part::PartView;
use super::{CHAR, WORD_CHAR, facts, paint, readers};

/// What is laid out in one frame, in bytes: a few milliseconds.
const BUDGET: usize = 512 * 1024;
/// Both parts, in the order in which they are shown.
const PARTS: [Part; 2] = [Part::Value, Part::Key];

/// What the last frame cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Rows that were drawn.
    pub rows: usize,
    /// Bytes that were looked at to lay out more rows.
    pub bytes: usize,
    /// Parts that were decoded.
    pub decoded: usize,
}

/// What is worked out of the record that is shown, kept until something it comes from changes.
#[derive(Debug, Default)]
pub struct DetailCache {
    of: Option<Of>,
    pub(super) content: Content,
    anchor: Option<Anchor>,
    /// How often the focus was asked for.
    asked: u64,
    /// What the last frame cost.
    pub cost: Cost,
}

/// What the content comes from.
#[derive(Debug, Clone)]
struct Of {
    record: Arc<Record>,
    columns: usize,
    inventory: Arc<Inventory>,
    group: Option<Text>,
    unfolded: BTreeSet<Fold>,
    reader: Reader,
}

/// The row at the upper edge: it stays there when rows above it come or go.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    scroll: RowScroll,
    section: Section,
    in_section: u64,
}

impl DetailCache {
    /// One without a record, in which the focus was asked for so often.
    pub(super) fn empty(asked: u64) -> Self {
        Self {
            asked,
            ..Self::default()
        }
    }

    /// Whether the focus was asked for once more.
    pub(super) fn was_asked(&mut self, asked: u64) -> bool {
        std::mem::replace(&mut self.asked, asked) != asked
    }

    /// Notes what is at the upper edge.
    pub(super) fn hold(&mut self, scroll: RowScroll, top: Option<Spot>) {
        self.anchor = top.map(|spot| Anchor {
            scroll,
            section: spot.section,
            in_section: spot.in_section,
        });
    }

    /// Brings everything up to date, and lays out a little more of what is not laid out.
    pub(super) fn prepare(
        &mut self,
        ctx: &Context,
        cx: &mut Cx<'_>,
        record: &Arc<Record>,
        columns: usize,
    ) {
        let state = &cx.state.detail;
        let inventory = &cx.snapshot.inventory;
        let reader = Reader::of(cx.state, cx.snapshot);
        self.cost.decoded = 0;
        let is_equal = self.of.as_ref().is_some_and(|of| of.record == *record);
        self.read(cx, &reader, record, is_equal);
        let known = self.of.as_ref().filter(|of| of.columns == columns);
        let same_record = known.is_some_and(|of| Arc::ptr_eq(&of.record, record));
        let same_words = known.is_some_and(|of| {
            Arc::ptr_eq(&of.inventory, inventory)
                && of.group == cx.state.group
                && of.unfolded == state.unfolded
        });
        if !same_record {
            // A refreshed table holds the same record anew: what was laid out of it stays.
            if !(known.is_some() && is_equal) {
                for part in PARTS {
                    let rows = self.content.part_mut(part);
                    rows.view = PartView::new(bytes_of(record, part).cloned(), columns);
                    rows.view.set_decoded(rows.decoding.text());
                }
                self.content.headers = headers::runs(&record.headers, columns);
            }
            self.content.facts = facts::facts(record, cx.zone, columns.saturating_add(2));
        }
        if !same_record || !same_words {
            let words = words_of(columns);
            let group = cx.state.group.as_ref();
            let content = &mut self.content;
            content.gone = facts::gone(record, inventory)
                .map_or_else(Vec::new, |said| facts::wrapped(&said, words));
            content.readers = readers::readers(inventory, record, group, &state.unfolded);
            let is_compacted = facts::is_compacted(record, inventory);
            content.value.words = absent(record.value.as_deref(), is_compacted, words);
            content.key.words = absent(record.key.as_deref(), false, words);
        }
        self.of = Some(Of {
            record: Arc::clone(record),
            columns,
            inventory: Arc::clone(inventory),
            group: cx.state.group.clone(),
            unfolded: state.unfolded.clone(),
            reader: reader.clone(),
        });
        self.read_large(ctx, cx, &reader, record);
        self.cost.bytes = self.lay_out(cx, record, columns);
    }

    /// Decodes the parts of `record` anew that are another's, that the person wants read otherwise, or that
    /// missed a schema while others are known now.
    fn read(&mut self, cx: &mut Cx<'_>, reader: &Reader, record: &Record, is_equal: bool) {
        let before = self.of.as_ref().map(|of| &of.reader).filter(|_| is_equal);
        for part in PARTS {
            let topic = &record.topic;
            let rows = self.content.part_mut(part);
            let is_read = before.is_some_and(|before| {
                before.chosen(topic, part) == reader.chosen(topic, part)
                    && (rows.decoding.needs().is_none() || before.has_same_schemas(reader))
            });
            if !is_read {
                self.cost.decoded = self.cost.decoded.saturating_add(1);
                rows.decoding = Decoding::of(reader, record, part);
                rows.view.set_decoded(rows.decoding.text());
            }
            if let Some(id) = rows.decoding.needs() {
                cx.push(Msg::WantSchema(id));
            }
        }
    }

    /// Begins to decode what is large and asked for, and takes what is done of it.
    fn read_large(&mut self, ctx: &Context, cx: &Cx<'_>, reader: &Reader, record: &Arc<Record>) {
        for part in PARTS {
            let rows = self.content.part_mut(part);
            if cx.state.detail.large.contains(&part) {
                let ctx = ctx.clone();
                rows.decoding
                    .begin(reader, record, part, move || ctx.request_repaint());
            }
            if rows.decoding.take(bytes_of(record, part)) {
                rows.view.set_decoded(rows.decoding.text());
            }
        }
    }

    fn lay_out(&mut self, cx: &Cx<'_>, record: &Record, columns: usize) -> usize {
        let state = &cx.state.detail;
        let words = words_of(columns);
        let mut spent = 0;
        for part in PARTS {
            let wanted = state.look(part);
            let rows = self.content.part_mut(part);
            let best = rows.decoding.chosen_form();
            spent += rows
                .view
                .prepare(wanted, best, BUDGET.saturating_sub(spent));
            rows.format = rows.decoding.line(&record.topic, part);
            rows.notes = notes(&rows.view, wanted, words);
            rows.errors = rows
                .decoding
                .error()
                .map_or_else(Vec::new, |said| facts::wrapped(said, words));
        }
        for run in &mut self.content.headers {
            if let Run::Long(_, layout) = run {
                spent += layout.advance(BUDGET.saturating_sub(spent));
            }
        }
        spent
    }

    /// Whether something is still to be laid out.
    pub(super) fn is_unfinished(&self) -> bool {
        let parts = [&self.content.value, &self.content.key];
        parts.iter().any(|rows| rows.view.unfinished().is_some())
            || self.content.headers.iter().any(|run| match run {
                Run::Long(_, layout) => layout.state() == State::Unfinished,
                Run::Rows(..) => false,
            })
    }

    /// Where the rows are scrolled to, after whatever came or went above the row at the upper edge.
    pub(super) fn scroll(&self, cx: &Cx<'_>, document: &Document, rows: &Rows<'_>) -> RowScroll {
        let wanted = cx.state.detail.scroll;
        let scroll = match self.anchor {
            Some(anchor) if anchor.scroll == wanted => {
                let last = document.rows_of(anchor.section).saturating_sub(1);
                let start = document.start_of(anchor.section);
                RowScroll {
                    row: start.saturating_add(anchor.in_section.min(last)),
                    hidden: wanted.hidden,
                }
            }
            _ => wanted,
        };
        rows.clamped(scroll)
    }
}

/// The width of a line of words in characters, where one of data has `columns`.
fn words_of(columns: usize) -> usize {
    paint::usize_from_f32(f32_from_count(columns.saturating_add(2)) * CHAR / WORD_CHAR)
}

/// What is said in place of the rows of a part that has none.
fn absent(bytes: Option<&[u8]>, is_compacted: bool, columns: usize) -> Vec<String> {
    let said = match bytes {
        None if is_compacted => {
            "null: a tombstone. Compaction removes what was written under this key before, and later the tombstone itself."
        }
        None => "null: there is none",
        Some([]) => "empty: there, and of no length",
        Some(_) => return Vec::new(),
    };
    facts::wrapped(said, columns)
}

/// Remarks above the rows of a part.
fn notes(view: &PartView, wanted: Option<Look>, columns: usize) -> Vec<String> {
    let number = view
        .number()
        .map(|number| format!("Read as a number: {number}"));
    let said = view.not_json(wanted).into_iter().chain(number);
    said.flat_map(|said| facts::wrapped(&said, columns))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_empty_tombstone_and_their_words_differ() {
        let said = |bytes: Option<&[u8]>, is_compacted| absent(bytes, is_compacted, 200).join(" ");
        assert!(said(None, false).starts_with("null"));
        assert!(said(None, true).starts_with("null: a tombstone."));
        assert!(said(Some(b""), true).starts_with("empty"));
        assert_eq!(said(Some(b"null"), true), "");
    }
}
