//! Where the columns are. Pure.

use egui::Rangef;

use super::super::num::{count_from_f64, f32_from_count};
use super::super::state::{ColumnKind, TableColumns};
use super::super::tokens::size;

/// Width of one character of data, in points; JetBrains Mono is 0.6 of its size.
pub(super) const CHAR: f32 = size::DATA * 0.6;
/// Room between columns.
pub(super) const GAP: f32 = 14.0;
/// Room at the left.
const MARGIN: f32 = 8.0;
/// Room between two groups' chips.
pub(super) const CHIP_GAP: f32 = 3.0;
/// The least that a value gets where the columns need more than there is room for.
const LEAST_VALUE: f32 = CHAR * 10.0;

/// A column and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    /// What it shows.
    pub(super) kind: ColumnKind,
    /// From where to where; what lies beyond the table's edges is not seen.
    pub(super) x: Rangef,
}

impl Placed {
    /// How many characters of data fit, one more for the last that is seen in part.
    pub(super) fn chars(&self) -> usize {
        count_from_f64(f64::from((self.x.span() / CHAR).max(0.0))).saturating_add(1)
    }
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// From left to right.
    pub(super) columns: Vec<Placed>,
    /// Whether times are written with their day.
    pub(super) has_dates: bool,
    /// How far it is scrolled sideways, and how far it can be.
    pub(super) sideways: (f32, f32),
}

/// What decides where columns are.
pub(super) struct Room {
    /// From where to where they may be seen.
    pub(super) x: Rangef,
    /// Whether the list has several topics.
    pub(super) several_topics: bool,
    /// Whether times need their day.
    pub(super) has_dates: bool,
    /// Characters of the largest offset that there is.
    pub(super) offset_chars: usize,
    /// How far it is scrolled sideways.
    pub(super) sideways: f32,
}

impl Layout {
    /// The columns that are shown, in `room`. A value without a width of its own takes what is left.
    pub(super) fn new(columns: &TableColumns, room: &Room) -> Self {
        let shown: Vec<(&ColumnKind, Option<f32>)> = columns
            .shown
            .iter()
            .filter(|column| column.kind != ColumnKind::Topic || room.several_topics)
            .map(|column| {
                let usual = usual_width(&column.kind, room);
                (&column.kind, column.width.or(usual))
            })
            .collect();
        let gaps = GAP * f32_from_count(shown.len()) + MARGIN;
        let fixed: f32 = shown.iter().filter_map(|(_, width)| *width).sum();
        let left_over = (room.x.span() - fixed - gaps).max(LEAST_VALUE);
        let all: f32 = shown
            .iter()
            .map(|(_, width)| width.unwrap_or(left_over) + GAP)
            .sum::<f32>()
            + MARGIN;
        let beyond = all - room.x.span();
        // What rounding leaves over is nothing to scroll to.
        let farthest = if beyond < 1.0 { 0.0 } else { beyond };
        let hidden = room.sideways.clamp(0.0, farthest);
        let mut left = room.x.min + MARGIN - hidden;
        let columns = shown
            .into_iter()
            .map(|(kind, width)| {
                let x = Rangef::new(left, left + width.unwrap_or(left_over));
                left = x.max + GAP;
                Placed {
                    kind: kind.clone(),
                    x,
                }
            })
            .collect();
        Self {
            columns,
            has_dates: room.has_dates,
            sideways: (hidden, farthest),
        }
    }

    /// The column at `x` and its number.
    pub(super) fn at(&self, x: f32) -> Option<(usize, &Placed)> {
        self.columns
            .iter()
            .enumerate()
            .find(|(_, column)| (column.x.min - GAP / 2.0..column.x.max + GAP / 2.0).contains(&x))
    }

    /// The number of the column that shows `kind`.
    pub(super) fn number_of(&self, kind: &ColumnKind) -> Option<usize> {
        self.columns.iter().position(|column| column.kind == *kind)
    }

    /// The gap between columns that is nearest to `x`: that before the column of the same number.
    pub(super) fn gap_at(&self, x: f32) -> usize {
        let is_before = |column: &&Placed| column.x.center() < x;
        self.columns.iter().take_while(is_before).count()
    }

    /// Where that gap is.
    pub(super) fn x_of_gap(&self, gap: usize) -> Option<f32> {
        match self.columns.get(gap) {
            Some(column) => Some(column.x.min - GAP / 2.0),
            None => Some(self.columns.last()?.x.max + GAP / 2.0),
        }
    }

    /// Whether a column would be elsewhere in that gap.
    pub(super) fn moves(&self, kind: &ColumnKind, gap: usize) -> bool {
        self.number_of(kind)
            .is_some_and(|here| gap != here && gap != here.saturating_add(1))
    }

    /// What decides how cells are cut: the columns with the characters that fit.
    pub(super) fn shape(&self) -> Vec<(ColumnKind, usize)> {
        self.columns
            .iter()
            .map(|column| (column.kind.clone(), column.chars()))
            .collect()
    }
}

/// The width that a column has until somebody changes it; `None` takes what is left.
fn usual_width(kind: &ColumnKind, room: &Room) -> Option<f32> {
    let narrow = room.x.span() < 640.0;
    let chars = |chars: f32| Some(chars * CHAR);
    let either = |wide: f32, slim: f32| chars(if narrow { slim } else { wide });
    match kind {
        ColumnKind::Time => chars(if room.has_dates { 24.0 } else { 13.0 }),
        ColumnKind::Topic => either(16.0, 10.0),
        ColumnKind::Key => either(16.0, 9.0),
        ColumnKind::Partition => either(4.0, 3.0),
        // A number that is cut is another number.
        ColumnKind::Offset => {
            chars(f32_from_count(room.offset_chars).max(if narrow { 8.0 } else { 11.0 }))
        }
        ColumnKind::Value => None,
        ColumnKind::Size => chars(8.0),
        ColumnKind::ReadBy => {
            let chips = if narrow { 3.0 } else { 4.0 };
            Some(chips * (size::CHIP + CHIP_GAP))
        }
        ColumnKind::Header(_) => chars(18.0),
        ColumnKind::Field(_) => chars(12.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(width: f32, sideways: f32) -> Room {
        Room {
            x: Rangef::new(100.0, 100.0 + width),
            several_topics: false,
            has_dates: false,
            offset_chars: 9,
            sideways,
        }
    }

    #[test]
    fn the_value_takes_what_is_left() {
        let layout = Layout::new(&TableColumns::default(), &room(1_000.0, 0.0));
        let kinds: Vec<&str> = layout
            .columns
            .iter()
            .map(|column| column.kind.name())
            .collect();
        assert_eq!(
            kinds,
            ["Time", "Partition", "Offset", "Key", "Value", "Read by"]
        );
        assert!((layout.columns[0].x.min - 108.0).abs() < 1e-3);
        let last = layout.columns.last().unwrap();
        assert!((last.x.max + GAP - 1_100.0).abs() < 1e-3, "{last:?}");
        assert_eq!(layout.sideways, (0.0, 0.0));
    }

    #[test]
    fn columns_that_do_not_fit_are_scrolled_to() {
        let mut columns = TableColumns::default();
        columns.set_width(&ColumnKind::Key, Some(900.0));
        let layout = Layout::new(&columns, &room(600.0, 1e6));
        let (hidden, farthest) = layout.sideways;
        assert!(hidden > 300.0 && (hidden - farthest).abs() < 1e-3);
        let last = layout.columns.last().unwrap();
        assert!((last.x.max + GAP - 700.0).abs() < 1e-2, "{last:?}");
    }

    #[test]
    fn an_offset_is_never_cut() {
        let large = Room {
            offset_chars: 25,
            ..room(500.0, 0.0)
        };
        let layout = Layout::new(&TableColumns::default(), &large);
        assert_eq!(layout.columns[2].kind, ColumnKind::Offset);
        assert!((layout.columns[2].x.span() - 25.0 * CHAR).abs() < 1e-2);
    }

    #[test]
    fn a_topic_is_named_where_there_are_several() {
        let several = Room {
            several_topics: true,
            ..room(900.0, 0.0)
        };
        let layout = Layout::new(&TableColumns::default(), &several);
        assert_eq!(layout.columns[1].kind, ColumnKind::Topic);
        assert_eq!(layout.at(layout.columns[1].x.min).unwrap().0, 1);
        assert_eq!(layout.at(0.0), None);
    }
}
