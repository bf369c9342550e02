//! The columns of the table: which, in which order, how wide.

use serde::{Deserialize, Serialize};

/// What a column shows of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// Its time.
    Time,
    /// Its topic; drawn only where the list has several.
    Topic,
    /// The number of its partition.
    Partition,
    /// Its offset.
    Offset,
    /// Its key.
    Key,
    /// Its value, in one line.
    Value,
    /// Its size in bytes: key, value and headers.
    Size,
    /// Which groups have read it.
    ReadBy,
    /// The first header of this name.
    Header(String),
    /// A field of its value, by path.
    Field(String),
}

impl ColumnKind {
    /// The columns that any record can fill, in the order in which they are offered.
    pub const FIXED: [Self; 8] = [
        Self::Time,
        Self::Topic,
        Self::Partition,
        Self::Offset,
        Self::Key,
        Self::Value,
        Self::Size,
        Self::ReadBy,
    ];

    /// Whether the list itself can be in the order of it, however long it is.
    pub fn sorts_list(&self) -> bool {
        matches!(self, Self::Time | Self::Offset)
    }

    /// Its name, as a person calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Time => "Time",
            Self::Topic => "Topic",
            Self::Partition => "Partition",
            Self::Offset => "Offset",
            Self::Key => "Key",
            Self::Value => "Value",
            Self::Size => "Size",
            Self::ReadBy => "Read by",
            Self::Header(name) | Self::Field(name) => name,
        }
    }
}

/// A column that is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableColumn {
    /// What it shows.
    pub kind: ColumnKind,
    /// Its width in points; as wide as such a column usually is when `None`.
    pub width: Option<f32>,
}

/// The columns that are shown, from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableColumns {
    /// The columns, each kind once.
    pub shown: Vec<TableColumn>,
}

impl Default for TableColumns {
    fn default() -> Self {
        let kinds = [
            ColumnKind::Time,
            ColumnKind::Topic,
            ColumnKind::Partition,
            ColumnKind::Offset,
            ColumnKind::Key,
            ColumnKind::Value,
            ColumnKind::ReadBy,
        ];
        Self {
            shown: kinds
                .into_iter()
                .map(|kind| TableColumn { kind, width: None })
                .collect(),
        }
    }
}

impl TableColumns {
    /// These columns as they can be shown: each kind once, of a width that leaves something to see; the usual
    /// ones when there is none.
    #[must_use]
    pub fn sound(self) -> Self {
        let mut sound = Self { shown: Vec::new() };
        for column in self.shown {
            if !sound.has(&column.kind) {
                let (kind, width) = (column.kind.clone(), column.width);
                sound.shown.push(column);
                sound.set_width(&kind, width);
            }
        }
        if sound.shown.is_empty() {
            return Self::default();
        }
        sound
    }

    /// Whether a column of this kind is shown.
    pub fn has(&self, kind: &ColumnKind) -> bool {
        self.shown.iter().any(|column| column.kind == *kind)
    }

    /// Shows a column, or takes it away. A fixed one comes to its usual place, a header or field goes before
    /// the value, and the last column stays.
    pub fn toggle(&mut self, kind: &ColumnKind) {
        if let Some(index) = self.shown.iter().position(|column| column.kind == *kind) {
            if self.shown.len() > 1 {
                self.shown.remove(index);
            }
            return;
        }
        let place = |kind: &ColumnKind| match kind {
            // Beside the value, which they are taken from.
            ColumnKind::Header(_) | ColumnKind::Field(_) => 9,
            fixed => ColumnKind::FIXED
                .iter()
                .position(|other| other == fixed)
                .map_or(9, |index| if index < 5 { index } else { index + 10 }),
        };
        let wanted = place(kind);
        let index = self
            .shown
            .iter()
            .position(|column| place(&column.kind) > wanted)
            .unwrap_or(self.shown.len());
        let column = TableColumn {
            kind: kind.clone(),
            width: None,
        };
        self.shown.insert(index, column);
    }

    /// Takes a column to the place before another one, or behind all others.
    pub fn move_before(&mut self, kind: &ColumnKind, next: Option<&ColumnKind>) {
        let place = |shown: &[TableColumn], kind: &ColumnKind| {
            shown.iter().position(|column| column.kind == *kind)
        };
        let Some(from) = place(&self.shown, kind).filter(|_| next != Some(kind)) else {
            return;
        };
        let column = self.shown.remove(from);
        let to = next.and_then(|next| place(&self.shown, next));
        self.shown.insert(to.unwrap_or(self.shown.len()), column);
    }

    /// Makes a column so many points wide, or as wide as usual.
    pub fn set_width(&mut self, kind: &ColumnKind, width: Option<f32>) {
        const NARROWEST: f32 = 24.0;
        const WIDEST: f32 = 1_600.0;
        for column in self.shown.iter_mut().filter(|column| column.kind == *kind) {
            column.width = width
                .filter(|width| width.is_finite())
                .map(|width| width.clamp(NARROWEST, WIDEST).round());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(columns: &TableColumns) -> Vec<&str> {
        columns
            .shown
            .iter()
            .map(|column| column.kind.name())
            .collect()
    }

    #[test]
    fn columns_come_to_their_usual_places() {
        let mut columns = TableColumns::default();
        columns.toggle(&ColumnKind::Field(".amount".into()));
        columns.toggle(&ColumnKind::Header("event-id".into()));
        columns.toggle(&ColumnKind::Size);
        columns.toggle(&ColumnKind::Key);
        assert_eq!(
            names(&columns),
            [
                "Time",
                "Topic",
                "Partition",
                "Offset",
                ".amount",
                "event-id",
                "Value",
                "Size",
                "Read by"
            ]
        );
        columns.toggle(&ColumnKind::Key);
        assert_eq!(names(&columns)[4], "Key");
        columns.toggle(&ColumnKind::Field(".amount".into()));
        assert!(!columns.has(&ColumnKind::Field(".amount".into())));
    }

    #[test]
    fn a_column_is_moved_before_another_or_behind_all() {
        let mut columns = TableColumns::default();
        columns.set_width(&ColumnKind::Key, Some(90.0));
        columns.move_before(&ColumnKind::Key, Some(&ColumnKind::Time));
        columns.move_before(&ColumnKind::Offset, None);
        let moved = [
            "Key",
            "Time",
            "Topic",
            "Partition",
            "Value",
            "Read by",
            "Offset",
        ];
        assert_eq!(names(&columns), moved);
        assert_eq!(columns.shown[0].width, Some(90.0));
        // Before itself it stays, and one that is not shown moves nothing.
        columns.move_before(&ColumnKind::Value, Some(&ColumnKind::Value));
        columns.move_before(&ColumnKind::Size, None);
        assert_eq!(names(&columns), moved);
        let kept = serde_json::to_string(&columns).unwrap();
        let read: TableColumns = serde_json::from_str(&kept).unwrap();
        assert_eq!(names(&read.sound()), moved);
    }

    #[test]
    fn the_last_column_stays() {
        let mut columns = TableColumns::default();
        for kind in ColumnKind::FIXED {
            if columns.has(&kind) {
                columns.toggle(&kind);
            }
        }
        assert_eq!(columns.shown.len(), 1);
    }

    #[test]
    fn widths_leave_something_to_see() {
        let mut columns = TableColumns::default();
        columns.set_width(&ColumnKind::Time, Some(3.0));
        columns.set_width(&ColumnKind::Offset, Some(f32::NAN));
        assert_eq!(columns.shown[0].width, Some(24.0));
        assert_eq!(columns.shown[3].width, None);
    }

    #[test]
    fn what_was_kept_is_made_sound() {
        let twice = |width| TableColumn {
            kind: ColumnKind::Key,
            width,
        };
        let columns = TableColumns {
            shown: vec![twice(Some(-4.0)), twice(None)],
        };
        let sound = columns.sound();
        assert_eq!(sound.shown.len(), 1);
        assert_eq!(sound.shown[0].width, Some(24.0));
        let none = TableColumns { shown: vec![] };
        assert_eq!(none.sound(), TableColumns::default());
    }

    #[test]
    fn columns_can_be_kept_as_text() {
        let mut columns = TableColumns::default();
        columns.toggle(&ColumnKind::Field(".a".into()));
        columns.set_width(&ColumnKind::Key, Some(90.0));
        let kept = serde_json::to_string(&columns).unwrap();
        assert!(kept.contains(r#"{"kind":{"field":".a"},"width":null}"#));
        assert_eq!(
            serde_json::from_str::<TableColumns>(&kept).unwrap(),
            columns
        );
    }
}
