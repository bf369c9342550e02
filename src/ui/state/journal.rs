//! How the journal is looked at.

use super::super::scroll::RowScroll;

/// Which entry is chosen, and where list and detail are scrolled to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalList {
    /// The entry that is shown in detail, by its id; the newest when `None`.
    pub chosen: Option<String>,
    /// Where the entries are scrolled to.
    pub scroll: RowScroll,
    /// Where the detail is scrolled to.
    pub detail_scroll: RowScroll,
}

/// Something the person did in the journal.
#[derive(Clone, Debug)]
pub enum JournalMsg {
    /// Show an entry in detail, by its id.
    Choose(String),
    /// Scroll the entries to a place.
    Scroll(RowScroll),
    /// Scroll the detail to a place.
    ScrollDetail(RowScroll),
}

impl JournalList {
    /// Takes what the person did.
    pub fn apply(&mut self, msg: JournalMsg) {
        match msg {
            JournalMsg::Choose(id) => {
                if self.chosen.as_ref() != Some(&id) {
                    self.detail_scroll = RowScroll::default();
                }
                self.chosen = Some(id);
            }
            JournalMsg::Scroll(scroll) => self.scroll = scroll,
            JournalMsg::ScrollDetail(scroll) => self.detail_scroll = scroll,
        }
    }

    /// Whether `msg` would leave everything as it is.
    pub fn is_settled(&self, msg: &JournalMsg) -> bool {
        match msg {
            JournalMsg::Choose(id) => self.chosen.as_ref() == Some(id),
            JournalMsg::Scroll(scroll) => self.scroll == *scroll,
            JournalMsg::ScrollDetail(scroll) => self.detail_scroll == *scroll,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_entry_is_read_from_its_top() {
        let scroll = RowScroll {
            row: 7,
            hidden: 3.0,
        };
        let mut list = JournalList::default();
        list.apply(JournalMsg::Choose("a".into()));
        list.apply(JournalMsg::ScrollDetail(scroll));
        list.apply(JournalMsg::Choose("a".into()));
        assert_eq!(list.detail_scroll, scroll);
        assert!(list.is_settled(&JournalMsg::Choose("a".into())));
        list.apply(JournalMsg::Choose("b".into()));
        assert_eq!(list.detail_scroll, RowScroll::default());
    }
}
