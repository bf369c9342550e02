//! Where entries stand and which undoes which, made anew only when the journal changes. Pure.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::JournalView;
use crate::model::{JournalEntry, JournalState};

/// What is kept between frames.
#[derive(Debug, Default)]
pub struct JournalPanel {
    of: Option<Arc<JournalView>>,
    /// The place of each entry in the list.
    places: HashMap<String, usize>,
    /// The entry that undid another one, and was not undone itself, by the id of the other one.
    undone_by: HashMap<String, Arc<JournalEntry>>,
}

impl JournalPanel {
    /// Takes over what `view` says, unless that is what it said before.
    pub fn update(&mut self, view: &Arc<JournalView>) {
        if self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, view)) {
            return;
        }
        self.places.clear();
        self.undone_by.clear();
        let entries = view.entries.as_deref().unwrap_or_default();
        // What undoes is newer than what it undoes, so it has been seen before.
        for (place, entry) in entries.iter().enumerate() {
            self.places.insert(entry.id.clone(), place);
            let counts = entry.state != JournalState::Refused && !self.is_undone(&entry.id);
            if let Some(undone) = entry.undoes.as_ref().filter(|_| counts) {
                let by = self.undone_by.entry(undone.clone());
                by.or_insert_with(|| Arc::clone(entry));
            }
        }
        self.of = Some(Arc::clone(view));
    }

    /// The place of the entry `id` in the list.
    pub fn index(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// The entry `id`, when the journal has it.
    pub fn entry(&self, id: &str) -> Option<&Arc<JournalEntry>> {
        let view = self.of.as_ref()?;
        view.entries.as_ref().ok()?.get(self.index(id)?)
    }

    /// The entry that undid the entry `id`.
    pub fn undone_by(&self, id: &str) -> Option<&Arc<JournalEntry>> {
        self.undone_by.get(id)
    }

    fn is_undone(&self, id: &str) -> bool {
        self.undone_by.contains_key(id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::tests::entry;
    use super::*;

    fn panel(entries: &[(&str, Option<&str>, JournalState)]) -> JournalPanel {
        let entries = entries.iter().map(|(id, undoes, state)| {
            let mut entry = entry(*state);
            entry.id = (*id).to_owned();
            entry.undoes = undoes.map(str::to_owned);
            Arc::new(entry)
        });
        let mut panel = JournalPanel::default();
        panel.update(&Arc::new(JournalView {
            entries: Ok(entries.collect()),
            ..JournalView::default()
        }));
        panel
    }

    #[test]
    fn what_was_undone_knows_by_what() {
        let passed = JournalState::Passed;
        let panel = panel(&[("b", Some("a"), passed), ("a", None, passed)]);
        assert_eq!(panel.undone_by("a").map(|by| by.id.as_str()), Some("b"));
        assert!(panel.undone_by("b").is_none());
        assert_eq!((panel.index("a"), panel.index("c")), (Some(1), None));
        assert_eq!(panel.entry("b").map(|entry| entry.id.as_str()), Some("b"));
    }

    #[test]
    fn what_was_refused_or_undone_itself_has_undone_nothing() {
        let passed = JournalState::Passed;
        let refused = panel(&[("b", Some("a"), JournalState::Refused), ("a", None, passed)]);
        assert!(refused.undone_by("a").is_none());
        let twice = panel(&[
            ("c", Some("b"), passed),
            ("b", Some("a"), passed),
            ("a", None, passed),
        ]);
        assert!(twice.undone_by("a").is_none());
        assert!(twice.undone_by("b").is_some());
    }
}
