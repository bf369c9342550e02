//! The journal: every change that was made from here, how far it is, and the ways to check and undo it.
//!
//! | part | what it is |
//! |---|---|
//! | `model` | which entry undoes which, made anew only when the journal changes. Pure |
//! | `words` | what is said of an entry, and why it cannot be undone. Pure |
//! | `lines` | what the detail says, line by line. Pure |
//! | `list`, `detail` | drawing: the entries, the chosen one |
//!
//! A journal may be long and a change may have thousands of partitions: only what is on screen is put into words.

mod detail;
mod lines;
mod list;
mod model;
mod words;

pub use model::JournalPanel;

use std::sync::Arc;

use egui::{Align2, Id, Rect, Role, Sense, Ui, WidgetInfo};

use crate::engine::JournalView;
use crate::model::JournalState;

use super::context::Cx;
use super::num::u64_from_usize;
use super::{fonts, format};

/// Draws the journal in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, panel: &mut JournalPanel) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    ui.painter().rect_filled(area, 0, cx.tokens.window);
    let view = Arc::clone(&cx.snapshot.journal);
    let entries = match &view.entries {
        Ok(entries) if entries.is_empty() => {
            let text = "Nothing was changed yet. Each change that is made from here is written down first, and can be undone from here";
            say(ui, cx, area, text, false);
            return;
        }
        Ok(entries) => entries,
        Err(problem) => {
            let text =
                format!("The journal cannot be read, and nothing is changed without it: {problem}");
            say(ui, cx, area, &text, true);
            return;
        }
    };
    panel.update(&view);
    let chosen = cx.state.journal.chosen.as_deref();
    let chosen = chosen.and_then(|id| panel.index(id)).unwrap_or(0);
    let right_width = (area.width() * 0.5).clamp(300.0, 680.0).round();
    let (left, right) = area.split_left_right_at_x(area.right() - right_width);
    list::show(ui, cx, left, entries, panel, chosen);
    if let Some(entry) = entries.get(chosen) {
        let progress = view.progress.get(&entry.id);
        detail::show(ui, cx, right, entry, progress, panel);
    }
}

fn say(ui: &Ui, cx: &Cx<'_>, area: Rect, said: &str, is_problem: bool) {
    let color = if is_problem {
        cx.tokens.warning
    } else {
        cx.tokens.dim
    };
    let width = (area.width() - 40.0).min(560.0);
    let galley = ui
        .painter()
        .layout(said.to_owned(), fonts::text(), color, width);
    let rect = Align2::CENTER_CENTER.anchor_size(area.center(), galley.size());
    ui.painter().galley(rect.min, galley, color);
    let response = ui.interact(rect, Id::unique("journal said"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, said));
}

/// The title of the tab: with the number of changes of which it is not known whether the bus has them.
pub fn tab_title(ui: &Ui, cx: &Cx<'_>) -> String {
    let unknown = to_check(ui, &cx.snapshot.journal);
    if unknown == 0 {
        "Journal".to_owned()
    } else {
        format!("Journal, {} to check", format::count(unknown))
    }
}

/// How many entries are to be checked, counted once for each journal that is published.
fn to_check(ui: &Ui, view: &Arc<JournalView>) -> u64 {
    let key = Id::unique("journal to check");
    let known = ui.data(|data| data.get_temp::<(Arc<JournalView>, u64)>(key));
    if let Some((_, count)) = known.filter(|(of, _)| Arc::ptr_eq(of, view)) {
        return count;
    }
    let entries = view.entries.as_deref().unwrap_or_default();
    let unknown = entries
        .iter()
        .filter(|entry| entry.state == JournalState::Sending);
    let count = u64_from_usize(unknown.count());
    ui.data_mut(|data| data.insert_temp(key, (Arc::clone(view), count)));
    count
}
