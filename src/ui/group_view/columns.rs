//! Which columns of a group's table have room, and where they are. Pure.

use egui::{Rangef, Rect};

use super::super::format;
use super::super::glossary;
use super::super::num::f32_from_count;
use super::super::state::GroupColumn;
use super::super::tokens::size;
use super::model::Model;

/// Width of one character of data, in points; JetBrains Mono is 0.6 of its size.
const CHAR: f32 = size::DATA * 0.6;
/// Room between columns.
const GAP: f32 = 10.0;
/// Room at both sides.
const SIDE: f32 = 8.0;

/// All columns, in the order in which they stand.
pub const ALL: [GroupColumn; 10] = [
    GroupColumn::Topic,
    GroupColumn::Partition,
    GroupColumn::Committed,
    GroupColumn::End,
    GroupColumn::Lag,
    GroupColumn::Delay,
    GroupColumn::Moved,
    GroupColumn::Trend,
    GroupColumn::Owner,
    GroupColumn::Notes,
];

/// The heading of a column.
pub fn heading(column: GroupColumn) -> &'static str {
    match column {
        GroupColumn::Topic => "Topic",
        GroupColumn::Partition => "P",
        GroupColumn::Committed => "Committed",
        GroupColumn::End => "Log end",
        GroupColumn::Lag => "Lag",
        GroupColumn::Delay => "In time",
        GroupColumn::Moved => "Last movement",
        GroupColumn::Trend => "Trend",
        GroupColumn::Owner => "Owner",
        GroupColumn::Notes => "Notes",
    }
}

/// What a column holds, in words.
pub fn meaning(column: GroupColumn) -> &'static str {
    let word = |word| glossary::hint(word).unwrap_or_default();
    match column {
        GroupColumn::Topic => word("topic"),
        GroupColumn::Partition => word("partition"),
        GroupColumn::Committed => word("committed offset"),
        GroupColumn::End => word("log end"),
        GroupColumn::Lag => {
            "Records between the committed offset and the end; deleted ones do not count"
        }
        GroupColumn::Delay => word("delay"),
        GroupColumn::Moved => {
            "When the committed offset last changed, as far as Tideline has looked"
        }
        GroupColumn::Trend => crate::inspect::samples::RULE,
        GroupColumn::Owner => "The member that reads the partition",
        GroupColumn::Notes => "Warnings, and what was stored with the commit",
    }
}

/// Whether its values are numbers, aligned right.
pub fn is_number(column: GroupColumn) -> bool {
    matches!(
        column,
        GroupColumn::Partition
            | GroupColumn::Committed
            | GroupColumn::End
            | GroupColumn::Lag
            | GroupColumn::Delay
    )
}

/// Where the columns are.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Those that have room, from left to right.
    pub shown: Vec<(GroupColumn, Rangef)>,
    /// Those that have none.
    pub left_out: Vec<GroupColumn>,
}

impl Columns {
    /// The columns of `model` in `area`.
    pub fn new(area: Rect, model: &Model) -> Self {
        let largest = model
            .largest
            .map_or(0, |offset| format::offset(offset).chars().count());
        let digits = largest.max(7);
        let width = |column: GroupColumn| match column {
            GroupColumn::Topic => CHAR * 11.0,
            GroupColumn::Partition => CHAR * 4.0,
            GroupColumn::Committed | GroupColumn::End => CHAR * f32_from_count(digits.max(9)),
            GroupColumn::Lag => CHAR * f32_from_count(digits.saturating_add(2).min(14)),
            GroupColumn::Delay => CHAR * 10.0,
            GroupColumn::Moved => 140.0,
            GroupColumn::Trend | GroupColumn::Owner => 76.0,
            GroupColumn::Notes => 84.0,
        };
        let room = area.width() - 2.0 * SIDE - size::SCROLL_BAR;
        let mut used = 0.0;
        let mut chosen = Vec::new();
        for column in by_weight(model) {
            let needed = width(column) + if chosen.is_empty() { 0.0 } else { GAP };
            if chosen.is_empty() || used + needed <= room {
                used += needed;
                chosen.push(column);
            }
        }
        let spare = (room - used).max(0.0);
        let has_notes = chosen.contains(&GroupColumn::Notes);
        let mut left = area.left() + SIDE;
        let mut shown = Vec::new();
        for column in ALL.into_iter().filter(|column| chosen.contains(column)) {
            let extra = match column {
                GroupColumn::Topic if has_notes => (spare * 0.5).min(140.0),
                GroupColumn::Topic => spare,
                GroupColumn::Notes => spare - (spare * 0.5).min(140.0),
                _ => 0.0,
            };
            let range = Rangef::new(left, left + width(column) + extra);
            left = range.max + GAP;
            shown.push((column, range));
        }
        let left_out = ALL
            .into_iter()
            .filter(|column| !chosen.contains(column))
            .collect();
        Self { shown, left_out }
    }

    /// The column at `x`.
    pub fn at(&self, x: f32) -> Option<GroupColumn> {
        let half = GAP / 2.0;
        self.shown
            .iter()
            .find(|(_, range)| (range.min - half..range.max + half).contains(&x))
            .map(|(column, _)| *column)
    }
}

/// The columns, those that must not be missed first.
fn by_weight(model: &Model) -> Vec<GroupColumn> {
    let has_warnings = model.all.beyond > 0 || model.all.lost > 0;
    let mut columns = vec![
        GroupColumn::Topic,
        GroupColumn::Partition,
        GroupColumn::Lag,
        GroupColumn::Delay,
    ];
    columns.extend(has_warnings.then_some(GroupColumn::Notes));
    columns.extend([
        GroupColumn::Committed,
        GroupColumn::Trend,
        GroupColumn::Moved,
        GroupColumn::End,
        GroupColumn::Owner,
    ]);
    columns.extend((!has_warnings).then_some(GroupColumn::Notes));
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(width: f32) -> Columns {
        let area = Rect::from_min_size(egui::pos2(100.0, 0.0), egui::vec2(width, 200.0));
        Columns::new(area, &Model::default())
    }

    #[test]
    fn with_room_all_columns_stand_side_by_side() {
        let columns = columns(900.0);
        assert!(columns.left_out.is_empty());
        let all: Vec<GroupColumn> = columns.shown.iter().map(|(column, _)| *column).collect();
        assert_eq!(all, ALL);
        for pair in columns.shown.windows(2) {
            assert!(pair[0].1.max < pair[1].1.min, "{pair:?}");
        }
        assert!(columns.shown[9].1.max <= 1_000.0);
    }

    #[test]
    fn without_room_the_lighter_columns_are_left_out_and_named() {
        let columns = columns(400.0);
        let shown: Vec<GroupColumn> = columns.shown.iter().map(|(column, _)| *column).collect();
        assert_eq!(shown[..2], [GroupColumn::Topic, GroupColumn::Partition]);
        assert!(shown.contains(&GroupColumn::Lag) && shown.contains(&GroupColumn::Delay));
        assert!(columns.left_out.contains(&GroupColumn::Owner));
        assert_eq!(shown.len() + columns.left_out.len(), 10);
    }

    #[test]
    fn a_place_belongs_to_the_column_around_it() {
        let columns = columns(900.0);
        let (column, range) = columns.shown[4];
        assert_eq!(columns.at(range.center()), Some(column));
        assert_eq!(columns.at(50.0), None);
    }
}
