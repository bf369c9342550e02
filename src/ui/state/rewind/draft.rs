//! What is asked for, and the request that it makes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::{
    JournalEntry, Offset, RowOutcome, Text, TimestampMs, TopicName, TopicPartition,
};
use crate::rewind::target::{Part, PlanRequest, Scope, Target, UndoRow, undo_rows};

use super::FlagAim;
use super::typed;

/// The kinds of targets that the whole scope can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// The first record at or after a time.
    #[default]
    Time,
    /// The same offset everywhere.
    Offset,
    /// The log start.
    Earliest,
    /// The end of the log.
    Latest,
    /// So many records on or back.
    Shift,
    /// Where another group stands.
    Group,
    /// What the rows of a file say.
    File,
    /// To a group that does not exist yet, what the chosen one has.
    Fresh,
    /// What an entry of the journal found.
    Undo,
    /// Nothing but rows that were dragged or typed.
    Placed,
}

/// A time as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedTime {
    /// The text.
    pub text: String,
    /// The time it means; what is wrong with it; `None` while nothing is typed.
    pub at: Option<Result<TimestampMs, String>>,
}

/// Partitions with the offsets that a table gives them.
pub type TableRows = Arc<[(TopicPartition, Offset)]>;

/// The rows of a file as they were put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedTable {
    /// The text.
    pub text: String,
    /// Its rows; what is wrong with them; `None` while nothing is put in.
    pub rows: Option<Result<TableRows, String>>,
}

/// What an entry of the journal found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoTarget {
    /// The entry.
    pub id: String,
    /// What it found and what it wrote.
    pub rows: Arc<[UndoRow]>,
}

/// Where one row goes by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowAim {
    /// To the offset that was typed or dragged to.
    Typed(String),
    /// To the first record at or after the time to which it was dragged.
    At(TimestampMs),
}

/// Target, scope and rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The kind of target.
    pub kind: TargetKind,
    /// The time.
    pub time: TypedTime,
    /// The offset.
    pub offset: String,
    /// How many records.
    pub shift: String,
    /// The other group.
    pub other: Option<Text>,
    /// The rows of a file.
    pub table: TypedTable,
    /// The name of a group that is to come into being.
    pub fresh: String,
    /// The entry of the journal that is undone.
    pub undo: Option<UndoTarget>,
    /// The topics in scope; all that the group committed in when empty.
    pub topics: BTreeSet<TopicName>,
    /// Topics that go to a time of their own.
    pub placed: BTreeMap<TopicName, TimestampMs>,
    /// Rows that go their own way.
    pub rows: BTreeMap<TopicPartition, RowAim>,
    /// Rows that stay.
    pub left_out: BTreeSet<TopicPartition>,
}

impl Draft {
    /// The draft that undoes `entry`, as far as the bus accepted it.
    pub fn undoing(entry: &JournalEntry) -> Self {
        Self {
            kind: TargetKind::Undo,
            undo: Some(UndoTarget {
                id: entry.id.clone(),
                rows: undo_rows(entry),
            }),
            ..Self::default()
        }
    }

    /// The draft that goes to the places that `entry` wanted, where the bus has not accepted them.
    pub fn finishing(entry: &JournalEntry) -> Self {
        let rows: TableRows = entry
            .rows
            .iter()
            .filter(|row| row.outcome != RowOutcome::Accepted)
            .filter_map(|row| Some((row.at.clone(), row.after.as_ref()?.offset)))
            .collect();
        let lines = rows
            .iter()
            .map(|(at, offset)| format!("\"{}\",{},{offset}\n", at.topic, at.partition));
        Self {
            kind: TargetKind::File,
            table: TypedTable {
                text: lines.collect(),
                rows: (!rows.is_empty()).then_some(Ok(rows)),
            },
            ..Self::default()
        }
    }

    /// Takes another kind of target, for all rows: those that went their own way follow it.
    pub fn choose(&mut self, kind: TargetKind) {
        if self.kind != kind {
            self.kind = kind;
            self.rows.clear();
            self.placed.clear();
            if kind != TargetKind::Undo {
                self.undo = None;
            }
        }
    }

    /// The target of the whole scope; `None` while there is none.
    ///
    /// # Errors
    /// What is wrong with what was typed.
    pub fn target(&self) -> Result<Option<Target>, String> {
        let filled = |text: &str| !text.trim().is_empty();
        Ok(match self.kind {
            TargetKind::Time => match &self.time.at {
                None => None,
                Some(at) => Some(Target::Time(at.clone()?)),
            },
            TargetKind::Offset if filled(&self.offset) => {
                Some(Target::Offset(typed::offset(&self.offset)?))
            }
            TargetKind::Shift if filled(&self.shift) => {
                Some(Target::Shift(typed::shift(&self.shift)?))
            }
            // A new group is a copy of the one that is asked for, see `request`.
            TargetKind::Offset | TargetKind::Shift | TargetKind::Placed | TargetKind::Fresh => None,
            TargetKind::Earliest => Some(Target::Earliest),
            TargetKind::Latest => Some(Target::Latest),
            TargetKind::Group => self.other.clone().map(Target::Group),
            TargetKind::File => match &self.table.rows {
                None => None,
                Some(rows) => Some(Target::Table(rows.clone()?)),
            },
            TargetKind::Undo => self.undo.as_ref().map(|undo| Target::Before {
                id: undo.id.clone(),
                rows: Arc::clone(&undo.rows),
            }),
        })
    }

    /// What is wrong with the offset that was typed for one row.
    pub fn row_problem(&self, at: &TopicPartition) -> Option<String> {
        match self.rows.get(at)? {
            RowAim::Typed(text) if !text.trim().is_empty() => typed::offset(text).err(),
            _ => None,
        }
    }

    /// What is wrong with what was typed anywhere: while there is anything, nothing can be applied.
    pub fn problem(&self) -> Option<String> {
        self.target().err().or_else(|| {
            self.rows.keys().find_map(|at| {
                let problem = self.row_problem(at)?;
                Some(format!("{} / {}: {problem}", at.topic, at.partition))
            })
        })
    }

    /// What `group` is asked to do; `None` while nothing is asked for, or not in a way that can be understood.
    pub fn request(&self, group: Option<&Text>) -> Option<PlanRequest> {
        let chosen = group?.clone();
        let fresh = self.fresh_group();
        let base = match &fresh {
            Some(_) => Some(Target::Group(chosen.clone())),
            None if self.kind == TargetKind::Fresh => return None,
            None => self.target().ok()?,
        };
        let mut parts: Vec<Part> = Vec::new();
        if let Some(target) = base {
            let scopes: Vec<Scope> = if self.topics.is_empty() {
                vec![Scope::Committed]
            } else {
                self.topics.iter().cloned().map(Scope::Topic).collect()
            };
            parts.extend(scopes.into_iter().map(|scope| Part {
                scope,
                target: target.clone(),
            }));
        }
        parts.extend(self.placed.iter().map(|(topic, at)| Part {
            scope: Scope::Topic(Arc::clone(topic)),
            target: Target::Time(*at),
        }));
        parts.extend(self.rows.iter().filter_map(|(at, aim)| {
            let target = match aim {
                RowAim::Typed(text) => Target::Offset(typed::offset(text).ok()?),
                RowAim::At(time) => Target::Time(*time),
            };
            Some(Part {
                scope: Scope::Partition(Arc::clone(&at.topic), at.partition),
                target,
            })
        }));
        (!parts.is_empty()).then(|| PlanRequest {
            // A copy is one in full: some clients keep state in the texts beside their offsets.
            new_group: fresh.is_some(),
            with_metadata: fresh.is_some(),
            group: fresh.unwrap_or(chosen),
            parts,
            left_out: self.left_out.clone(),
            undoes: self
                .undo
                .as_ref()
                .filter(|_| self.kind == TargetKind::Undo)
                .map(|undo| undo.id.clone()),
        })
    }

    /// The group that is to come into being, once it is named.
    fn fresh_group(&self) -> Option<Text> {
        let name = self.fresh.trim();
        (self.kind == TargetKind::Fresh && !name.is_empty()).then(|| Text::from(name))
    }

    /// Whether nothing is asked for yet.
    fn is_blank(&self) -> bool {
        self.rows.is_empty() && self.placed.is_empty() && matches!(self.target(), Ok(None))
    }

    /// Takes the place to which a flag was moved.
    pub fn place(&mut self, aim: FlagAim) {
        let is_blank = self.is_blank();
        match aim {
            FlagAim::Offset(at, offset) => {
                self.place_row(at, RowAim::Typed(offset.0.to_string()), is_blank);
            }
            FlagAim::Time(at, time) => self.place_row(at, RowAim::At(time), is_blank),
            FlagAim::Topic(topic, time, text) => {
                self.left_out.retain(|at| at.topic != topic);
                self.rows.retain(|at, _| at.topic != topic);
                self.placed.remove(&topic);
                let only_here = self.kind == TargetKind::Time
                    && self.topics.len() == 1
                    && self.topics.contains(&topic);
                if (is_blank && self.rows.is_empty() && self.placed.is_empty()) || only_here {
                    self.kind = TargetKind::Time;
                    self.topics = BTreeSet::from([topic]);
                    self.time = TypedTime {
                        text,
                        at: Some(Ok(time)),
                    };
                } else {
                    self.placed.insert(topic, time);
                }
            }
        }
    }

    fn place_row(&mut self, at: TopicPartition, aim: RowAim, is_blank: bool) {
        if is_blank {
            self.kind = TargetKind::Placed;
        }
        self.left_out.remove(&at);
        self.rows.insert(at, aim);
    }
}
