//! How findings are looked at.

use crate::model::{Certainty, FindingKind, TopicName};

use super::super::scroll::RowScroll;

/// Which findings are listed, and which of them is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindingsList {
    /// The finding that is shown in detail, by its id; the first when `None`.
    pub chosen: Option<String>,
    /// Where the list is scrolled to.
    pub scroll: RowScroll,
    /// What is listed.
    pub filter: FindingsFilter,
    /// Why the chosen finding is to be put aside, while that is being written.
    pub reason: Option<String>,
    /// Where events carry a version, for reading records.
    pub version: String,
}

/// What is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingsFilter {
    /// Also what is explained and normal.
    pub normal: bool,
    /// Also what was put aside.
    pub dismissed: bool,
    /// Only what concerns the chosen group.
    pub only_group: bool,
    /// Only this kind.
    pub kind: Option<FindingKind>,
    /// Only this topic.
    pub topic: Option<TopicName>,
    /// Only what is at least this sure.
    pub least: Option<Certainty>,
}

impl FindingsFilter {
    /// How many of its parts leave something out that is listed otherwise.
    pub fn active(&self) -> u64 {
        let parts = [
            self.only_group,
            self.kind.is_some(),
            self.topic.is_some(),
            self.least.is_some(),
        ];
        parts.into_iter().map(u64::from).sum()
    }
}

/// Something the person did with findings.
#[derive(Clone, Debug)]
pub enum FindingsMsg {
    /// Show one in detail, by its id.
    Choose(String),
    /// Scroll the list to a place.
    Scroll(RowScroll),
    /// List these.
    Filter(FindingsFilter),
    /// Write why the chosen one is put aside; `None` gives that up.
    Reason(Option<String>),
    /// Where the version stands was edited.
    Version(String),
}

impl FindingsList {
    /// Takes what the person did.
    pub fn apply(&mut self, msg: FindingsMsg) {
        match msg {
            FindingsMsg::Choose(id) => {
                if self.chosen.as_ref() != Some(&id) {
                    self.reason = None;
                }
                self.chosen = Some(id);
            }
            FindingsMsg::Scroll(scroll) => self.scroll = scroll,
            FindingsMsg::Filter(filter) => {
                self.filter = filter;
                self.scroll = RowScroll::default();
            }
            FindingsMsg::Reason(reason) => self.reason = reason,
            FindingsMsg::Version(version) => self.version = version,
        }
    }

    /// Whether `msg` would leave everything as it is.
    pub fn is_settled(&self, msg: &FindingsMsg) -> bool {
        match msg {
            FindingsMsg::Choose(id) => self.chosen.as_ref() == Some(id),
            FindingsMsg::Scroll(scroll) => self.scroll == *scroll,
            FindingsMsg::Filter(filter) => self.filter == *filter,
            FindingsMsg::Reason(reason) => self.reason == *reason,
            FindingsMsg::Version(version) => self.version == *version,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_belongs_to_the_finding_it_was_written_for() {
        let mut list = FindingsList::default();
        list.apply(FindingsMsg::Choose("a".into()));
        list.apply(FindingsMsg::Reason(Some("known".into())));
        list.apply(FindingsMsg::Choose("a".into()));
        assert_eq!(list.reason.as_deref(), Some("known"));
        list.apply(FindingsMsg::Choose("b".into()));
        assert_eq!(list.reason, None);
    }

    #[test]
    fn what_is_shown_besides_leaves_nothing_out() {
        let filter = FindingsFilter {
            normal: true,
            dismissed: true,
            kind: Some(FindingKind::Stuck),
            ..FindingsFilter::default()
        };
        assert_eq!(filter.active(), 1);
    }
}
