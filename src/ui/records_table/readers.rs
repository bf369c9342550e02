//! Which groups have read a record, as far as their committed offsets tell.

use std::collections::HashMap;
use std::sync::Arc;

use egui::{Align2, Color32, CornerRadius, Painter, Rangef, Rect, Stroke, StrokeKind, pos2, vec2};

use crate::decode::visible;
use crate::engine::{GroupPlaces, Inventory};
use crate::model::{Known, Offset, Record, Text, TopicPartition};

use super::super::context::Cx;
use super::super::num::{count_from_f64, f32_from_count, u64_from_usize};
use super::super::timeline::place_in;
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
    committed: Known<Option<Offset>>,
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

    fn at(&mut self, at: &TopicPartition) -> &[Reader] {
        if !self.by_partition.contains_key(at) {
            let readers = match &self.of {
                Some((inventory, chosen)) => readers(inventory.groups(), at, chosen.as_ref()),
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
        tokens: &Tokens,
        x: Rangef,
        middle: f32,
        record: &Record,
    ) {
        let readers = self.at(&record.at());
        let shown: Vec<&Reader> = readers
            .iter()
            .filter(|reader| !matches!(reader.committed, Ok(None)))
            .collect();
        let step = size::CHIP + CHIP_GAP;
        let fitting = count_from_f64(f64::from((x.span() + CHIP_GAP) / step));
        let (chips, more) = if shown.len() > fitting {
            (fitting.saturating_sub(1), true)
        } else {
            (shown.len(), false)
        };
        for (index, reader) in shown.iter().take(chips).enumerate() {
            let left = x.min + f32_from_count(index) * step;
            let chip = Rect::from_center_size(
                pos2(left + size::CHIP / 2.0, middle),
                vec2(size::CHIP, size::CHIP),
            );
            paint_chip(painter, tokens, chip, reader, record.offset);
        }
        if more {
            let left = x.min + f32_from_count(chips) * step;
            let rest = shown.len().saturating_sub(chips);
            draw::text(
                painter,
                pos2(left, middle),
                Align2::LEFT_CENTER,
                &format!("+{rest}"),
                fonts::small(),
                tokens.dim,
                x.max - left,
            );
        }
    }

    /// Who has read `record` and who has not, a line for each group.
    pub(super) fn said(&mut self, record: &Record) -> String {
        let readers = self.at(&record.at());
        if readers.is_empty() {
            return "No group has a place in this partition".to_owned();
        }
        let mut lines: Vec<String> = readers
            .iter()
            .take(NAMED)
            .map(|reader| {
                let name = visible::one_line(reader.name.as_bytes(), 60);
                format!("{name} {}", standing(&reader.committed, record.offset))
            })
            .collect();
        let rest = readers.len().saturating_sub(NAMED);
        if rest > 0 {
            lines.push(format!("and {} more", format::count(u64_from_usize(rest))));
        }
        lines.join("\n")
    }
}

fn readers(groups: &[GroupPlaces], at: &TopicPartition, chosen: Option<&Text>) -> Vec<Reader> {
    let mut readers: Vec<Reader> = groups
        .iter()
        .filter_map(|group| {
            let name = &group.group.listing.name;
            Some(Reader {
                committed: place_in(group, at)?.committed.clone(),
                initial: format::initial(name),
                name: name.clone(),
            })
        })
        .collect();
    readers.sort_by_key(|reader| chosen != Some(&reader.name));
    readers
}

/// Whether a group that committed `committed` has passed `offset`, in words.
fn standing(committed: &Known<Option<Offset>>, offset: Offset) -> String {
    match committed {
        Err(problem) => format!("— not known: {problem}"),
        Ok(None) => "never committed".to_owned(),
        Ok(Some(committed)) => match offset.since(*committed) {
            None => "has read it".to_owned(),
            Some(0) => "has not: it is the next one".to_owned(),
            Some(behind) => format!("has not: {} behind", format::count(behind)),
        },
    }
}

/// Filled where the group has read the record, an outline where it has not, a question mark where that is not
/// known: the form tells it, not the colour alone.
fn paint_chip(painter: &Painter, tokens: &Tokens, chip: Rect, reader: &Reader, offset: Offset) {
    let outline = |text: &str, color: Color32| {
        let stroke = Stroke::new(1.0, color.gamma_multiply(0.7));
        painter.rect_stroke(chip, CornerRadius::same(2), stroke, StrokeKind::Inside);
        draw::text(
            painter,
            chip.center(),
            Align2::CENTER_CENTER,
            text,
            fonts::strong_of(10.0),
            color,
            chip.width(),
        );
    };
    match &reader.committed {
        Ok(Some(committed)) if offset < *committed => {
            let hue = tokens.hue(&reader.name);
            draw::chip(painter, tokens, chip, &reader.initial, hue);
        }
        Ok(_) => outline(&reader.initial, tokens.dim),
        Err(_) => outline("?", tokens.warning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Problem, ProblemKind};

    #[test]
    fn a_committed_offset_is_the_next_record_to_read() {
        let at = |committed| standing(&Ok(Some(Offset(committed))), Offset(10));
        assert_eq!(at(11), "has read it");
        assert_eq!(at(10), "has not: it is the next one");
        assert_eq!(at(7), "has not: 3 behind");
        assert_eq!(standing(&Ok(None), Offset(10)), "never committed");
        let problem = Problem::new(ProblemKind::Forbidden, "it may not be read");
        assert_eq!(
            standing(&Err(problem), Offset(10)),
            "— not known: it may not be read"
        );
    }
}
