//! Which groups have read a record, as far as their committed offsets tell.

use std::collections::HashMap;
use std::sync::Arc;

use egui::{Align2, Painter, Rangef, Rect, pos2, vec2};

use crate::engine::{GroupPlaces, Inventory};
use crate::model::{Record, Text, TopicPartition};

use super::super::context::Cx;
use super::super::group_marks::GroupMarks;
use super::super::num::{count_from_f64, f32_from_count, u64_from_usize};
use super::super::reading::{Reading, Standing, standing};
use super::super::tokens::{Tokens, size};
use super::super::{draw, fonts, format};
use super::layout::CHIP_GAP;

/// Groups that a sentence names; the rest is counted.
const NAMED: usize = 12;

/// A group with a place in a partition.
#[derive(Clone, Debug)]
struct Reader {
    name: Text,
    initial: String,
    standing: Standing,
}

/// The groups with a place in the partitions on screen, the chosen one first. Kept while the inventory and
/// the choice are the same.
#[derive(Debug, Default)]
pub(super) struct Readers {
    of: Option<(Arc<Inventory>, Option<Text>)>,
    by_partition: HashMap<TopicPartition, Vec<Reader>>,
}

impl Readers {
    /// Forgets what comes from another inventory.
    pub(super) fn prepare(&mut self, cx: &Cx<'_>) {
        let same = self.of.as_ref().is_some_and(|(inventory, chosen)| {
            Arc::ptr_eq(inventory, &cx.snapshot.inventory) && *chosen == cx.state.group
        });
        if !same {
            self.by_partition.clear();
            self.of = Some((Arc::clone(&cx.snapshot.inventory), cx.state.group.clone()));
        }
    }

    fn at(&mut self, at: &TopicPartition, marks: &GroupMarks) -> &[Reader] {
        if !self.by_partition.contains_key(at) {
            let readers = match &self.of {
                Some((inventory, chosen)) => {
                    readers(inventory.groups(), at, chosen.as_ref(), marks)
                }
                None => Vec::new(),
            };
            self.by_partition.insert(at.clone(), readers);
        }
        self.by_partition.get(at).map_or(&[], Vec::as_slice)
    }

    /// Draws the initials of the groups that have read `record` or still will, as many as fit.
    pub(super) fn paint(
        &mut self,
        painter: &Painter,
        cx: &Cx<'_>,
        x: Rangef,
        middle: f32,
        record: &Record,
    ) {
        let tokens = cx.tokens;
        let readers = self.at(&record.at(), cx.marks);
        let shown: Vec<(&Reader, Reading)> = readers
            .iter()
            .map(|reader| (reader, reader.standing.reading(record.offset)))
            .filter(|(_, reading)| *reading != Reading::NeverCommitted)
            .collect();
        let step = size::CHIP + CHIP_GAP;
        let fitting = count_from_f64(f64::from((x.span() + CHIP_GAP) / step));
        let (chips, more) = if shown.len() > fitting {
            (fitting.saturating_sub(1), true)
        } else {
            (shown.len(), false)
        };
        for (index, (reader, reading)) in shown.iter().take(chips).enumerate() {
            let left = x.min + f32_from_count(index) * step;
            let chip = Rect::from_center_size(
                pos2(left + size::CHIP / 2.0, middle),
                vec2(size::CHIP, size::CHIP),
            );
            paint_chip(painter, tokens, chip, reader, reading);
        }
        if more {
            let left = x.min + f32_from_count(chips) * step;
            let rest = shown.len().saturating_sub(chips);
            draw::text(
                painter,
                pos2(left, middle),
                Align2::LEFT_CENTER,
                &format!("+{}", format::short_count(u64_from_usize(rest))),
                fonts::small(),
                tokens.dim,
                x.max - left,
            );
        }
    }

    /// Who has read `record` and who has not, a line for each group.
    pub(super) fn said(&mut self, cx: &Cx<'_>, record: &Record) -> String {
        let readers = self.at(&record.at(), cx.marks);
        if readers.is_empty() {
            return "No group has a place in this partition".to_owned();
        }
        let mut lines: Vec<String> = readers
            .iter()
            .take(NAMED)
            .map(|reader| {
                let name = format::group_name(&reader.name, 60);
                format!(
                    "{name} {}",
                    reader.standing.reading(record.offset).sentence()
                )
            })
            .collect();
        let rest = readers.len().saturating_sub(NAMED);
        if rest > 0 {
            lines.push(format!("and {} more", format::count(u64_from_usize(rest))));
        }
        lines.join("\n")
    }
}

fn readers(
    groups: &[GroupPlaces],
    at: &TopicPartition,
    chosen: Option<&Text>,
    marks: &GroupMarks,
) -> Vec<Reader> {
    let mut readers: Vec<Reader> = groups
        .iter()
        .filter_map(|group| {
            let name = &group.group.listing.name;
            Some(Reader {
                name: name.clone(),
                initial: marks.of(name),
                standing: standing(group, at)?,
            })
        })
        .collect();
    readers.sort_by_key(|reader| chosen != Some(&reader.name));
    readers
}

/// Filled where the group has read the record, an outline where it has not, a question mark where that is not
/// known: the form tells it, not the colour alone.
fn paint_chip(painter: &Painter, tokens: &Tokens, chip: Rect, reader: &Reader, reading: &Reading) {
    match reading {
        Reading::Read => {
            let hue = tokens.hue(&reader.name);
            draw::chip(painter, tokens, chip, &reader.initial, hue);
        }
        Reading::NotYet(_) | Reading::Missed | Reading::NeverCommitted => {
            draw::hollow_chip(painter, chip, &reader.initial, tokens.dim);
        }
        Reading::Beyond { .. } | Reading::Unknown(_) => {
            draw::hollow_chip(painter, chip, "?", tokens.warning);
        }
    }
}
