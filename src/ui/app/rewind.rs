//! What of the plan the engine is to know, and undoing an entry of the journal.

use std::sync::Arc;

use egui::Context;

use crate::engine::Run;

use super::super::state::rewind::Numbered;
use super::super::state::{BottomTab, Msg, Notice, RewindMsg, ViewRange};
use super::App;

impl App {
    /// What the engine is to plan: while it is on screen, being dragged, or being done.
    pub(super) fn planned(&self) -> Option<&Arc<Numbered>> {
        let rewind = &self.state.rewind;
        let matters = self.state.tab == BottomTab::Rewind
            || rewind.drag.is_some()
            || self.snapshot.rewind.run != Run::Idle;
        rewind.request.as_ref().filter(|_| matters)
    }

    /// Makes a plan of the entry of the journal that the person wants to undo.
    pub(super) fn begin_undo(&mut self, ctx: &Context, shown: ViewRange) {
        let Some(id) = self.state.undo_entry.take() else {
            return;
        };
        let entries = self.snapshot.journal.entries.as_deref().unwrap_or_default();
        let Some(entry) = entries.iter().find(|entry| entry.id == id).map(Arc::clone) else {
            let text = "The journal has no such entry any more, so there is nothing to undo";
            let notice = Msg::Notice(Notice::error(text.to_owned()));
            self.around.take(ctx, notice, &mut self.state);
            return;
        };
        let group = entry.group.clone();
        self.state.apply(Msg::SelectGroup(Some(group)), shown);
        self.state.apply(Msg::Rewind(RewindMsg::Undo(entry)), shown);
    }
}
