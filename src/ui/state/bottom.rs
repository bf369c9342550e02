//! What the person has chosen in the area below the timeline.

use crate::model::TimestampMs;

use super::super::scroll::RowScroll;
use super::LaneKey;

/// A tab below the timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BottomTab {
    /// The records of the chosen span.
    #[default]
    Records,
    /// The chosen group.
    Group,
    /// Where the chosen group's bookmarks are to go.
    Rewind,
    /// What is missing, to whom and why.
    Gaps,
    /// What was changed.
    Journal,
}

impl BottomTab {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [
        Self::Records,
        Self::Group,
        Self::Rewind,
        Self::Gaps,
        Self::Journal,
    ];
}

/// A column of the table of a group's partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroupColumn {
    /// Topic, then partition.
    #[default]
    Topic,
    /// The partition's number.
    Partition,
    /// The committed offset.
    Committed,
    /// The end of the log.
    End,
    /// Records behind.
    Lag,
    /// Time behind.
    Delay,
    /// When the committed offset last changed.
    Moved,
    /// Where the lag is going.
    Trend,
    /// The member that reads it.
    Owner,
    /// Warnings, and what was stored with the commit.
    Notes,
}

/// The order of the table of a group's partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupSort {
    /// By what.
    pub column: GroupColumn,
    /// Largest or latest first.
    pub descending: bool,
}

impl GroupSort {
    /// The order after `column` was asked for: the other way round when it was by that already; else what one
    /// looks for first: much lag, a growing one, long delays.
    #[must_use]
    pub fn by(self, column: GroupColumn) -> Self {
        let descending = if self.column == column {
            !self.descending
        } else {
            matches!(
                column,
                GroupColumn::Committed | GroupColumn::End | GroupColumn::Lag | GroupColumn::Delay
            )
        };
        Self { column, descending }
    }
}

/// How the chosen group is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupState {
    /// The order of its partitions.
    pub sort: GroupSort,
    /// Where they are scrolled to.
    pub scroll: RowScroll,
    /// Where its members are scrolled to.
    pub members_scroll: RowScroll,
    /// The topic or partition whose trajectory is drawn; the one that is farthest behind when `None`.
    pub subject: Option<LaneKey>,
    /// The time at which the trajectory is read off by keys.
    pub read_at: Option<TimestampMs>,
}

/// Something the person did in the view of a group.
#[derive(Clone, Debug)]
pub enum GroupMsg {
    /// Order by a column, or the other way round.
    Sort(GroupColumn),
    /// Scroll the partitions to a place.
    Scroll(RowScroll),
    /// Scroll the members to a place.
    ScrollMembers(RowScroll),
    /// Draw the trajectory of a topic or partition.
    Choose(LaneKey),
    /// Read the trajectory off at a time, or no more.
    ReadAt(Option<TimestampMs>),
}

impl GroupState {
    /// Takes what the person did.
    pub fn apply(&mut self, msg: GroupMsg) {
        match msg {
            GroupMsg::Sort(column) => {
                self.sort = self.sort.by(column);
                self.scroll = RowScroll::default();
            }
            GroupMsg::Scroll(scroll) => self.scroll = scroll,
            GroupMsg::ScrollMembers(scroll) => self.members_scroll = scroll,
            GroupMsg::Choose(lane) => {
                if self.subject.as_ref() != Some(&lane) {
                    self.read_at = None;
                }
                self.subject = Some(lane);
            }
            GroupMsg::ReadAt(at) => self.read_at = at,
        }
    }

    /// Whether `msg` would leave everything as it is.
    pub fn is_settled(&self, msg: &GroupMsg) -> bool {
        match msg {
            GroupMsg::Sort(_) => false,
            GroupMsg::Scroll(scroll) => self.scroll == *scroll,
            GroupMsg::ScrollMembers(scroll) => self.members_scroll == *scroll,
            GroupMsg::Choose(lane) => self.subject.as_ref() == Some(lane),
            GroupMsg::ReadAt(at) => self.read_at == *at,
        }
    }

    /// Forgets what belongs to one group.
    pub fn leave(&mut self) {
        *self = Self {
            sort: self.sort,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_asked_for_twice_is_turned_round() {
        let lag = GroupSort::default().by(GroupColumn::Lag);
        assert!(lag.descending);
        assert!(!lag.by(GroupColumn::Lag).descending);
        let owner = lag.by(GroupColumn::Owner);
        assert_eq!(
            (owner.column, owner.descending),
            (GroupColumn::Owner, false)
        );
    }

    #[test]
    fn another_order_begins_at_the_top() {
        let mut state = GroupState::default();
        state.apply(GroupMsg::Scroll(RowScroll {
            row: 40,
            hidden: 2.0,
        }));
        state.apply(GroupMsg::Sort(GroupColumn::Lag));
        assert_eq!(state.scroll, RowScroll::default());
    }

    #[test]
    fn another_partition_is_not_read_at_the_old_time() {
        let mut state = GroupState::default();
        state.apply(GroupMsg::ReadAt(Some(TimestampMs(7))));
        state.apply(GroupMsg::Choose(LaneKey::topic(&"a".into())));
        assert_eq!(state.read_at, None);
    }
}
