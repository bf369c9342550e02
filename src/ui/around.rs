//! What is around the panels in a frame: global keys, dialogs, notices, looks, and what is remembered.
//!
//! The window calls it at four places: with a new snapshot, before it draws, after it has drawn, and with
//! each message.

use std::sync::Arc;
use std::time::Duration;

use egui::{Context, Event, Id, Key, PointerButton, ThemePreference};
use jiff::tz::TimeZone;

use crate::engine::{ConnectTarget, Connection, Folders, Memory, Snapshot};
use crate::model::link::ViewLink;
use crate::model::{Clock, plain_address};

use super::commands::{self, Action, Situation};
use super::context::Cx;
use super::palette::{self, Hits};
use super::state::{
    Before, Dialog, LaneKey, Moment, Msg, Notice, Remembered, ThemeChoice, UiState, WindowMsg,
    WindowSize, WindowState,
};
use super::timeline::{filter_id, label_id};
use super::tokens::Tokens;
use super::{dialogs, export, locks, opener, profiles, rewind_panel};

/// What has changed is remembered once it has stayed for so long, in seconds.
const SETTLED_S: f64 = 1.0;

/// Everything around the panels.
pub struct Around {
    state: WindowState,
    memory: Option<Arc<dyn Memory>>,
    clock: Clock,
    /// What the memory was given last.
    kept: Remembered,
    /// What was to be remembered in the last frame, and since when.
    latest: Remembered,
    since_s: f64,
    /// How often a button of the pointer was pressed.
    presses: u64,
    /// What had the focus before a dialog took it.
    focus_before: Option<Id>,
    /// What is to have the focus as soon as no dialog keeps it from it.
    focus_next: Option<Id>,
    hits: Hits,
}

impl Around {
    /// What is around a window that has `memory`, if any.
    pub fn new(memory: Option<Arc<dyn Memory>>, clock: Clock, folders: Folders) -> Self {
        let remembered = memory.as_ref().map_or_else(Remembered::default, |memory| {
            Remembered::from_stored(&memory.loaded())
        });
        Self {
            kept: remembered.clone(),
            latest: remembered.clone(),
            state: WindowState {
                remembered,
                folders,
                ..WindowState::default()
            },
            memory,
            clock,
            since_s: 0.0,
            presses: 0,
            focus_before: None,
            focus_next: None,
            hits: Hits::default(),
        }
    }

    /// Takes the link with which the window begins, and what there is to say of it.
    pub fn begin(&mut self, link: Option<ViewLink>, said: Option<String>) {
        self.state.link = link;
        self.state.link_said = said;
    }

    /// What the panels draw of it.
    pub fn state(&self) -> &WindowState {
        &self.state
    }

    /// The zone in which times are written, where `local` is the system's.
    pub fn zone(&self, local: &TimeZone) -> TimeZone {
        if self.state.remembered.utc {
            TimeZone::UTC
        } else {
            local.clone()
        }
    }

    /// Takes a new snapshot and does what does not need the screen. The colours to draw with.
    pub fn update(
        &mut self,
        ctx: &Context,
        snapshot: &Snapshot,
        state: &UiState,
    ) -> &'static Tokens {
        let now_s = ctx.input(|input| {
            if input.pointer.any_pressed() {
                self.presses = self.presses.wrapping_add(1);
            }
            input.time
        });
        for notice in self.state.watch.take(snapshot) {
            self.give(notice, now_s);
        }
        if let Some(notice) = self.state.saved(&snapshot.access) {
            self.give(notice, now_s);
        }
        if let Some(notice) = self.state.opener_set((*snapshot.opener).as_ref()) {
            self.give(notice, now_s);
        }
        let had_dialog = self.state.dialog.is_some();
        if let Some(notice) = self.state.exported(&snapshot.export) {
            self.give(notice, now_s);
        }
        self.move_focus(ctx, had_dialog);
        let problem = self.memory.as_ref().and_then(|memory| memory.problem());
        if let Some(problem) = problem {
            let text = problem.to_string();
            self.give(Notice::error(capitalized(&text)), now_s);
        }
        if let Some(wait_s) = self.state.notices.expire(now_s) {
            ctx.request_repaint_after(Duration::from_secs_f64(wait_s.max(0.0)));
        }
        self.give_focus(ctx);
        self.take_looks(ctx);
        self.remember(ctx, snapshot, state, now_s);
        Tokens::of(ctx.theme())
    }

    fn take_looks(&self, ctx: &Context) {
        let theme = match self.state.remembered.theme {
            ThemeChoice::System => ThemePreference::System,
            ThemeChoice::Dark => ThemePreference::Dark,
            ThemeChoice::Light => ThemePreference::Light,
        };
        if ctx.options(|options| options.theme_preference) != theme {
            ctx.set_theme(theme);
        }
        ctx.set_zoom_factor(self.state.remembered.scale);
    }

    /// Takes note of what is to be remembered, and hands over what has changed and stayed for a while.
    fn remember(&mut self, ctx: &Context, snapshot: &Snapshot, state: &UiState, now_s: f64) {
        let Some(memory) = &self.memory else {
            return;
        };
        let remembered = &mut self.state.remembered;
        remembered.take_from(state);
        if let Connection::Connected {
            to, demo: false, ..
        } = &snapshot.connection
            && **to != *remembered.address
            && let Some(address) = plain_address(to)
        {
            remembered.address = address;
        }
        remembered.window = window_size(ctx, remembered.window).or(remembered.window);
        if *remembered != self.latest {
            self.latest.clone_from(remembered);
            self.since_s = now_s;
        }
        if self.latest == self.kept {
            return;
        }
        let wait_s = self.since_s + SETTLED_S - now_s;
        if wait_s > 0.0 {
            ctx.request_repaint_after(Duration::from_secs_f64(wait_s));
        } else if memory.keep(self.latest.changes_since(&self.kept).into_iter().collect()) {
            self.kept.clone_from(&self.latest);
        }
    }

    /// Hands over what has changed at the end of the run.
    pub fn remember_now(&mut self, state: &UiState) {
        self.state.remembered.take_from(state);
        let changes = self.state.remembered.changes_since(&self.kept);
        if let Some(memory) = &self.memory
            && !changes.is_empty()
            && memory.keep(changes.into_iter().collect())
        {
            self.kept.clone_from(&self.state.remembered);
        }
    }

    /// Takes the frame's keys that are meant for the whole window; what they say. Called before anything is
    /// drawn, so that nothing else acts on them.
    pub fn keys(&self, ctx: &Context, snapshot: &Snapshot, state: &UiState) -> Vec<Msg> {
        let situation = Situation {
            state,
            window: &self.state,
            snapshot,
            clock: self.clock.now(),
            is_connected: matches!(snapshot.connection, Connection::Connected { .. }),
        };
        let dialog = self.state.dialog.as_ref();
        let in_list = dialog.is_some_and(Dialog::is_list);
        let in_text = in_list || ctx.text_edit_focused();
        let actions = ctx.input_mut(|input| commands::take(&mut input.events, in_text, situation));
        let mut messages: Vec<Msg> = actions
            .into_iter()
            .chain(buttons(ctx, situation).filter(|_| dialog.is_none()))
            .map(|action| {
                if is_shown(action, dialog) {
                    Msg::Window(WindowMsg::Close)
                } else {
                    action.message(situation)
                }
            })
            .collect();
        if dialog.is_some() {
            let escaped = ctx.input_mut(|input| {
                let escaped = input.consume_key(egui::Modifiers::NONE, Key::Escape);
                if !in_text {
                    input.events.retain(|event| !is_for_what_lies_below(event));
                }
                escaped
            });
            if escaped {
                messages.push(Msg::Window(WindowMsg::Close));
            }
        }
        messages
    }

    /// Lays the open dialog over what was drawn.
    pub fn dialog(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        let window = cx.window;
        match &window.dialog {
            Some(dialog @ (Dialog::Commands(_) | Dialog::Find(_))) => {
                palette::show(ctx, cx, dialog, &mut self.hits);
            }
            Some(Dialog::Keys) => dialogs::keys(ctx, cx),
            Some(Dialog::Notices) => dialogs::notices(ctx, cx),
            Some(Dialog::ApplyWhenEmpty) => rewind_panel::wait_dialog(ctx, cx),
            Some(Dialog::Unlock(typed)) => locks::unlock_dialog(ctx, cx, typed),
            Some(Dialog::Profile(form)) => profiles::profile_dialog(ctx, cx, form),
            Some(Dialog::RemoveProfile(name)) => profiles::remove_dialog(ctx, cx, name),
            Some(Dialog::Export(form)) => export::dialog(ctx, cx, form),
            Some(Dialog::Opener) => opener::dialog(ctx, cx),
            None => {}
        }
    }

    /// Where one is before `messages` are taken.
    pub fn before(state: &UiState, messages: &[Msg]) -> Option<Before> {
        Before::of(state, messages)
    }

    /// Takes what the person did; what of it the panels' own state must take.
    pub fn take(&mut self, ctx: &Context, msg: Msg, state: &mut UiState) -> Option<Msg> {
        let now_s = ctx.input(|input| input.time);
        match msg {
            Msg::Notice(notice) => self.give(notice, now_s),
            Msg::Window(msg) => {
                let had_dialog = self.state.dialog.is_some();
                let focuses = matches!(msg, WindowMsg::FocusFilter);
                if let WindowMsg::CopyLink(link) = &msg {
                    ctx.copy_text(link.clone());
                }
                if let Some(notice) = self.state.apply(msg, state) {
                    self.give(notice, now_s);
                }
                self.move_focus(ctx, had_dialog);
                if focuses {
                    self.focus_next = Some(filter_id());
                }
            }
            Msg::Connect(ref target) => {
                self.reach(target);
                self.state.leave();
                return Some(msg);
            }
            Msg::Disconnect => {
                self.state.link = None;
                self.state.leave();
                return Some(msg);
            }
            Msg::ShowTopic(ref topic) => {
                // The topic that was jumped to has the focus, so that keys go on from there.
                self.focus_next = Some(label_id(&LaneKey::topic(topic), false));
                return Some(msg);
            }
            other => return Some(other),
        }
        None
    }

    /// Takes note of where one connects to.
    pub fn reach(&mut self, target: &ConnectTarget) {
        self.state.reach(target);
    }

    /// Takes note of where one came to.
    pub fn note(&mut self, ctx: &Context, before: Before, state: &UiState) {
        let (at_s, is_down) = ctx.input(|input| (input.time, input.pointer.any_down()));
        let press = is_down.then_some(self.presses);
        self.state.note(before, state, Moment { at_s, press });
    }

    /// What had the focus before a dialog gets it back.
    fn move_focus(&mut self, ctx: &Context, had_dialog: bool) {
        let has_dialog = self.state.dialog.is_some();
        if has_dialog && !had_dialog {
            self.focus_before = ctx.memory(egui::Memory::focused);
            if let Some(id) = self.focus_before {
                ctx.memory_mut(|memory| memory.surrender_focus(id));
            }
        } else if had_dialog
            && !has_dialog
            && let Some(id) = self.focus_before.take()
        {
            self.focus_next = Some(id);
        }
    }

    fn give_focus(&mut self, ctx: &Context) {
        if self.focus_next.is_none() || self.state.dialog.is_some() {
            return;
        }
        ctx.request_repaint();
        // Until a frame without the dialog has passed, nothing below it can have the focus.
        if ctx.memory(|memory| memory.top_modal_layer().is_none())
            && let Some(id) = self.focus_next.take()
        {
            ctx.memory_mut(|memory| memory.request_focus(id));
        }
    }

    fn give(&mut self, notice: Notice, now_s: f64) {
        let at = self.clock.now();
        self.state.give(notice, at, now_s);
    }

    /// Lends its state to the panels while they are drawn; [`Around::take_back`] ends that.
    pub fn lend(&mut self) -> WindowState {
        std::mem::take(&mut self.state)
    }

    /// Ends [`Around::lend`].
    pub fn take_back(&mut self, state: WindowState) {
        self.state = state;
    }
}

/// What the mouse's own buttons for back and forward mean.
fn buttons(ctx: &Context, situation: Situation<'_>) -> impl Iterator<Item = Action> {
    let ways = [
        (PointerButton::Extra1, Action::Back),
        (PointerButton::Extra2, Action::Forward),
    ];
    let pressed = ways.map(|(button, action)| {
        let is_pressed = ctx.input(|input| input.pointer.button_pressed(button));
        (is_pressed && action.why_not(situation).is_none()).then_some(action)
    });
    pressed.into_iter().flatten()
}

/// Whether `action` would open what is open already.
fn is_shown(action: Action, dialog: Option<&Dialog>) -> bool {
    matches!(
        (action, dialog),
        (Action::Commands, Some(Dialog::Commands(_)))
            | (Action::Find, Some(Dialog::Find(_)))
            | (Action::Keys, Some(Dialog::Keys))
            | (Action::Notices, Some(Dialog::Notices))
    )
}

/// Whether `event` is a key by which something below a dialog would be changed.
fn is_for_what_lies_below(event: &Event) -> bool {
    match event {
        Event::Key {
            key, pressed: true, ..
        } => !matches!(key, Key::Tab | Key::Enter | Key::Space),
        _ => false,
    }
}

/// How large the window is in points of the system; `None` while that is not known.
fn window_size(ctx: &Context, before: Option<WindowSize>) -> Option<WindowSize> {
    let scale = ctx.zoom_factor();
    ctx.input(|input| {
        let viewport = input.viewport();
        let is_usual = viewport.minimized != Some(true) && viewport.fullscreen != Some(true);
        let rect = viewport.inner_rect.filter(|_| is_usual)?;
        let maximized = viewport.maximized.unwrap_or(false);
        match before {
            Some(before) if maximized => Some(WindowSize {
                maximized,
                ..before
            }),
            _ => Some(WindowSize {
                width: (rect.width() * scale).round(),
                height: (rect.height() * scale).round(),
                maximized,
            }),
        }
    })
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
