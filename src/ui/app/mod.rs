//! The window's own state and its frame: take the newest snapshot, draw it, take what the person did, tell
//! the engine.
//!
//! `derive` is what follows from snapshot and choices, `layout` where the panels are, `rewind` what is to be planned.

mod derive;
mod layout;
mod rewind;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use egui::{CentralPanel, Context, Frame, Key, Margin, Panel, Ui, ViewportCommand};
use jiff::tz::TimeZone;

use crate::engine::{
    Command, ConnectTarget, Connection, Folders, Link, Memory, SessionId, Snapshot, View,
};
use crate::inspect::lag::total;
use crate::model::link::ViewLink;
use crate::model::time::Clock;

use super::around::Around;
use super::context::Cx;
use super::findings_panel::FindingsPanel;
use super::group_marks::GroupMarks;
use super::group_view::GroupView;
use super::groups_panel::Summaries;
use super::journal_panel::JournalPanel;
use super::outbox::{Outbox, Wishes};
use super::record_detail::{self, DetailCache};
use super::records_table::{TableCache, TableCost};
use super::rewind_panel::RewindPanel;
use super::search::SearchPanel;
use super::state::{Msg, UiState, ViewRange, WindowState};
use super::theme;
use super::timeline::{Cost, LaneCache};
use super::tokens::{Tokens, size};
use super::{links, locks, status_bar, top_bar, welcome};
use derive::Derived;

/// How long to wait for more news after the first: a refresh comes in several parts, and each repaint costs.
/// What the person does is drawn at once.
const WAKE: Duration = Duration::from_millis(80);

/// Wakes the window when there is something new to draw.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// How the window begins.
#[derive(Clone, Debug)]
pub struct Start {
    /// Where to connect at once; the welcome screen when `None`.
    pub connect: Option<ConnectTarget>,
    /// What `KAFKA_BOOTSTRAP_SERVERS` names; it stands in the address field.
    pub bootstrap_env: Option<String>,
    /// The view to be shown as soon as its cluster is connected.
    pub link: Option<ViewLink>,
    /// What there is to say on the welcome screen, in a sentence without a period.
    pub said: Option<String>,
    /// Where "now" comes from.
    pub clock: Clock,
    /// The system's zone, in which times are written unless the person wants UTC.
    pub zone: TimeZone,
    /// What is remembered from run to run; nothing when `None`.
    pub memory: Option<Arc<dyn Memory>>,
    /// The person's own folders.
    pub folders: Folders,
}

/// The window.
pub struct App {
    link: Box<dyn Link>,
    snapshot: Arc<Snapshot>,
    state: UiState,
    clock: Clock,
    zone: TimeZone,
    tokens: &'static Tokens,
    around: Around,
    woken: Arc<AtomicBool>,
    outbox: Outbox,
    derived: Derived,
    lanes: LaneCache,
    summaries: Summaries,
    marks: Arc<GroupMarks>,
    group_view: GroupView,
    rewind_panel: RewindPanel,
    findings: FindingsPanel,
    journal: JournalPanel,
    detail: DetailCache,
    table: TableCache,
    search: SearchPanel,
    /// The session in which a group was chosen for the person, once.
    chosen_in: Option<SessionId>,
    keys_lead: bool,
    column_ms: Option<i64>,
    cost: Cost,
    title: String,
}

impl App {
    /// A window of the engine that `make_link` makes, in `ctx`.
    pub fn new(
        ctx: &Context,
        make_link: impl FnOnce(Waker) -> Box<dyn Link>,
        start: Start,
    ) -> Self {
        theme::install(ctx);
        let woken = Arc::new(AtomicBool::new(false));
        let link = make_link(waker(ctx.clone(), Arc::clone(&woken)));
        let mut outbox = Outbox::default();
        let mut around = Around::new(start.memory, start.clock, start.folders);
        let address = match &start.link {
            Some(link) if start.connect.is_none() => link.to.addresses().map(str::to_owned),
            _ => None,
        };
        around.begin(start.link, start.said);
        match start.connect {
            Some(target) => {
                around.reach(&target);
                outbox.push(Command::Connect(target));
            }
            None => outbox.push(Command::FindLocal),
        }
        let mut state = UiState::default();
        around.state().remembered.give_to(&mut state);
        if let Some(address) = address.or(start.bootstrap_env) {
            state.address = address;
        }
        Self {
            snapshot: link.snapshot(),
            link,
            state,
            clock: start.clock,
            zone: start.zone,
            tokens: Tokens::of(ctx.theme()),
            around,
            woken,
            outbox,
            derived: Derived::default(),
            lanes: LaneCache::default(),
            summaries: Summaries::default(),
            marks: Arc::default(),
            group_view: GroupView::default(),
            rewind_panel: RewindPanel::default(),
            findings: FindingsPanel::default(),
            journal: JournalPanel::default(),
            detail: DetailCache::default(),
            table: TableCache::default(),
            search: SearchPanel::default(),
            chosen_in: None,
            keys_lead: false,
            column_ms: None,
            cost: Cost::default(),
            title: String::new(),
        }
    }

    /// What the person has chosen.
    pub fn state(&self) -> &UiState {
        &self.state
    }

    /// What is around the panels.
    pub fn window(&self) -> &WindowState {
        self.around.state()
    }

    /// What the last frame's timeline cost.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// What the last frame's table of records cost.
    pub fn table_cost(&self) -> TableCost {
        self.table.cost()
    }

    /// What the last frame of the record's detail cost.
    pub fn detail_cost(&self) -> record_detail::Cost {
        self.detail.cost
    }

    /// Takes the newest snapshot and does what does not need the screen.
    pub fn update(&mut self, ctx: &Context) {
        self.woken.store(false, Ordering::Release);
        self.snapshot = self.link.snapshot();
        self.choose_group();
        self.tokens = self.around.update(ctx, &self.snapshot, &self.state);
        self.set_title(ctx);
    }

    /// Draws the window and takes what the person did.
    pub fn draw(&mut self, ui: &mut Ui) {
        let now = self
            .snapshot
            .inventory
            .newest_read_at()
            .unwrap_or_else(|| self.clock.now());
        let is_connected = matches!(self.snapshot.connection, Connection::Connected { .. });
        let shown = self.shown_range(ui, now);
        self.derive();
        self.keys_lead = keys_lead(ui, self.keys_lead);
        let mut view = None;
        let snapshot = Arc::clone(&self.snapshot);
        let state = self.state.clone();
        let marks = Arc::clone(&self.marks);
        let zone = self.around.zone(&self.zone);
        let pressed = self.around.keys(ui.ctx(), &snapshot, &self.state);
        let window = self.around.lend();
        let mut cx = Cx {
            tokens: self.tokens,
            snapshot: &snapshot,
            state: &state,
            marks: &marks,
            window: &window,
            zone: &zone,
            now,
            clock: self.clock.now(),
            keys_lead: self.keys_lead,
            messages: pressed,
        };
        let bar = Frame::new()
            .fill(self.tokens.panel)
            .inner_margin(Margin::symmetric(8, 0));
        Panel::top("top bar")
            .exact_size(size::TOP_BAR)
            .frame(bar)
            .show(ui, |ui| {
                top_bar::show(ui, &mut cx, is_connected.then_some(shown));
            });
        locks::edge(ui, &cx);
        let column_ms = self.column_ms.filter(|_| is_connected);
        Panel::bottom("status bar")
            .exact_size(size::STATUS_BAR)
            .frame(bar)
            .show(ui, |ui| {
                status_bar::show(ui, &mut cx, column_ms);
            });
        if is_connected {
            links::arrive(&mut cx);
            let output = self.draw_bus(ui, &mut cx, shown);
            self.column_ms = output.column_ms;
            self.cost = output.cost;
            view = Some(output.view);
        } else {
            let ground = Frame::new().fill(self.tokens.window);
            CentralPanel::no_frame()
                .frame(ground)
                .show(ui, |ui| welcome::show(ui, &mut cx));
        }
        self.around.dialog(ui.ctx(), &mut cx);
        let messages = cx.messages;
        self.around.take_back(window);
        self.take(ui.ctx(), messages, shown);
        self.tell(ui.ctx(), view.as_ref(), is_connected);
    }

    fn take(&mut self, ctx: &Context, mut messages: Vec<Msg>, shown: ViewRange) {
        messages.retain(|message| !self.state.is_settled(message));
        if !messages.is_empty() {
            // What changed is drawn at once; without this it would wait for the next event.
            ctx.request_repaint();
        }
        let before = Around::before(&self.state, &messages);
        for message in messages {
            let Some(message) = self.around.take(ctx, message, &mut self.state) else {
                continue;
            };
            if let Some(command) = self.state.apply(message, shown) {
                let leaves = matches!(command, Command::Disconnect);
                self.outbox.push(command);
                if leaves {
                    self.outbox.push(Command::FindLocal);
                }
            }
        }
        self.begin_undo(ctx, shown);
        if let Some(before) = before {
            self.around.note(ctx, before, &self.state);
        }
    }

    fn tell(&mut self, ctx: &Context, view: Option<&Arc<View>>, is_connected: bool) {
        let plan = self.planned().cloned();
        let wishes = Wishes {
            session: self.snapshot.session,
            connected: is_connected,
            view,
            table: self.derived.table.as_ref(),
            rows: self.rows_on_screen(),
            group: self.state.group.as_ref(),
            plan: plan.as_ref(),
        };
        let now = ctx.input(|input| input.time);
        if let Some(wait) = self.outbox.send(&*self.link, &wishes, now) {
            ctx.request_repaint_after(Duration::from_secs_f64(wait.clamp(0.01, 1.0)));
        }
    }

    /// Once in a session, when the groups become known, the one that is farthest behind is chosen, so that
    /// the first look answers where something is waiting.
    fn choose_group(&mut self) {
        let session = self.snapshot.session;
        if self.chosen_in == Some(session) || self.state.group.is_some() {
            return;
        }
        if !matches!(self.snapshot.inventory.groups, Some(Ok(_))) {
            return;
        }
        self.chosen_in = Some(session);
        let behind = self.snapshot.inventory.groups().iter().filter_map(|group| {
            let records = total(&group.places)
                .records
                .filter(|records| *records > 0)?;
            Some((records, &group.group.listing.name))
        });
        self.state.group = behind
            .max_by_key(|(records, _)| *records)
            .map(|(_, name)| name.clone());
    }

    fn set_title(&mut self, ctx: &Context) {
        let title = match locks::name(&self.snapshot) {
            Some(name) => format!("{name} – Tideline"),
            None => "Tideline".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        self.update(ctx);
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.draw(ui);
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.around.remember_now(&self.state);
    }

    fn clear_color(&self, _visuals: &egui::Visuals) -> [f32; 4] {
        self.tokens.window.to_normalized_gamma_f32()
    }
}

/// Whether keys lead, given whether they did before: the last of pointer and focus keys that was used does.
fn keys_lead(ui: &Ui, before: bool) -> bool {
    const FOCUS_KEYS: [Key; 6] = [
        Key::Tab,
        Key::ArrowUp,
        Key::ArrowDown,
        Key::PageUp,
        Key::PageDown,
        Key::Home,
    ];
    ui.input(|input| {
        if input.pointer.any_pressed() {
            false
        } else {
            before || FOCUS_KEYS.iter().any(|key| input.key_pressed(*key))
        }
    })
}

/// Asks for a repaint soon; several wishes before the next frame are one.
fn waker(ctx: Context, woken: Arc<AtomicBool>) -> Waker {
    Arc::new(move || {
        if !woken.swap(true, Ordering::AcqRel) {
            ctx.request_repaint_after(WAKE);
        }
    })
}
