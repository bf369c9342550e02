//! The window's own state and its frame: take the newest snapshot, draw it, take what the person did, tell
//! the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use egui::{
    CentralPanel, Context, Frame, Id, Key, Margin, Panel, Rangef, Rect, Ui, ViewportCommand,
};
use jiff::tz::TimeZone;

use crate::engine::{
    Command, ConnectTarget, Connection, Link, Memory, SessionId, Snapshot, Table, TableRequest,
    TableSpan, View,
};
use crate::inspect::lag::total;
use crate::model::time::Clock;
use crate::model::{Isolation, TimestampMs, TopicPartition};

use super::around::Around;
use super::bottom_tabs;
use super::context::Cx;
use super::group_marks::GroupMarks;
use super::group_view::{self, GroupView};
use super::groups_panel::{self, Summaries};
use super::outbox::{Outbox, Wishes};
use super::record_detail::{self, DetailCache};
use super::records_table::{self, TableCache, TableCost, Wanted};
use super::state::{
    BottomTab, Msg, Selection, Span, TableState, UiState, ViewRange, WindowState, following,
};
use super::theme;
use super::timeline::axis::{Axis, Columns};
use super::timeline::model::{Choice, Lanes};
use super::timeline::{self, Cost, LaneCache};
use super::tokens::{Tokens, size};
use super::{draw, status_bar, top_bar, welcome};

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
    /// Where "now" comes from.
    pub clock: Clock,
    /// The system's zone, in which times are written unless the person wants UTC.
    pub zone: TimeZone,
    /// What is remembered from run to run; nothing when `None`.
    pub memory: Option<Arc<dyn Memory>>,
}

/// What is worked out from snapshot and choices, and kept while they are the same.
#[derive(Default)]
struct Derived {
    lanes_of: Option<(Arc<crate::engine::Inventory>, Choice)>,
    lanes: Arc<Lanes>,
    table_of: Option<(Option<Selection>, u64)>,
    table: Option<Arc<TableRequest>>,
    answered: Option<(Arc<Table>, bool)>,
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
    detail: DetailCache,
    table: TableCache,
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
        match start.connect {
            Some(target) => outbox.push(Command::Connect(target)),
            None => outbox.push(Command::FindLocal),
        }
        let around = Around::new(start.memory, start.clock);
        let mut state = UiState::default();
        around.state().remembered.give_to(&mut state);
        if let Some(address) = start.bootstrap_env {
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
            detail: DetailCache::default(),
            table: TableCache::default(),
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
            .read_at
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
        let pressed = self.around.keys(ui.ctx(), &self.state, is_connected);
        let window = self.around.lend();
        let mut cx = Cx {
            tokens: self.tokens,
            snapshot: &snapshot,
            state: &state,
            marks: &marks,
            window: &window,
            zone: &zone,
            now,
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
        let column_ms = self.column_ms.filter(|_| is_connected);
        Panel::bottom("status bar")
            .exact_size(size::STATUS_BAR)
            .frame(bar)
            .show(ui, |ui| {
                status_bar::show(ui, &mut cx, column_ms);
            });
        if is_connected {
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

    /// Timeline above, groups, records and detail below.
    fn draw_bus(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, shown: ViewRange) -> timeline::Output {
        let whole = ui.available_rect_before_wrap();
        let plain = Frame::new().fill(self.tokens.panel);
        let records_height = (whole.height() * self.state.records_share)
            .clamp(120.0, (whole.height() - 140.0).max(120.0))
            .round();
        let detail_width = (whole.width() * self.state.detail_share)
            .clamp(
                220.0,
                (whole.width() - self.state.label_width - 200.0).max(220.0),
            )
            .round();
        Panel::bottom("records area")
            .resizable(false)
            .exact_size(records_height)
            .frame(plain)
            .show(ui, |ui| self.draw_records(ui, cx, detail_width));
        let (lanes, cache) = (&self.derived.lanes, &mut self.lanes);
        let output = CentralPanel::no_frame()
            .show(ui, |ui| timeline::show(ui, cx, lanes, cache, shown))
            .inner;
        self.splitters(
            ui,
            cx,
            whole,
            whole.bottom() - records_height,
            whole.right() - detail_width,
        );
        output
    }

    /// The lines by which labels, records and detail are made larger or smaller. The sizes are kept as parts
    /// of the window, so that another size of it changes nothing in proportion.
    fn splitters(&self, ui: &Ui, cx: &mut Cx<'_>, whole: Rect, records_top: f32, detail_left: f32) {
        const GRIP: f32 = 3.0;
        let split = |ui: &Ui, name: &str, x: Rangef, y: Rangef| {
            let strip = Rect::from_x_y_ranges(x, y);
            draw::splitter(ui, self.tokens, Id::unique(("splitter", name)), strip, name)
        };
        let around = |at: f32| Rangef::new(at - GRIP, at + GRIP);
        let below = Rangef::new(records_top, whole.bottom());
        let labels = around(whole.left() + self.state.label_width);
        if let Some(to) = split(
            ui,
            "Height of the records",
            whole.x_range(),
            around(records_top),
        ) {
            cx.push(Msg::RecordsShare(
                (whole.bottom() - to.y) / whole.height().max(1.0),
            ));
        }
        if self.state.tab == BottomTab::Records
            && let Some(to) = split(ui, "Width of the detail", around(detail_left), below)
        {
            cx.push(Msg::DetailShare(
                (whole.right() - to.x) / whole.width().max(1.0),
            ));
        }
        if let Some(to) = split(ui, "Width of the labels", labels, whole.y_range()) {
            cx.push(Msg::LabelWidth(to.x - whole.left()));
        }
    }

    fn draw_records(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, detail_width: f32) {
        let plain = Frame::new().fill(self.tokens.panel);
        Panel::left("groups")
            .resizable(false)
            .exact_size(self.state.label_width)
            .frame(plain)
            .show(ui, |ui| groups_panel::show(ui, cx, &mut self.summaries));
        Panel::top("bottom tabs")
            .resizable(false)
            .exact_size(size::TABS)
            .frame(plain)
            .show(ui, |ui| bottom_tabs::show(ui, cx));
        records_table::address_keys(ui, cx);
        if cx.state.tab == BottomTab::Group {
            CentralPanel::no_frame().show(ui, |ui| group_view::show(ui, cx, &mut self.group_view));
            return;
        }
        Panel::right("detail")
            .resizable(false)
            .exact_size(detail_width)
            .frame(plain)
            .show(ui, |ui| record_detail::show(ui, cx, &mut self.detail));
        let wanted = Wanted {
            request: self.derived.table.as_deref(),
            is_answered: self
                .derived
                .answered
                .as_ref()
                .is_some_and(|(_, answered)| *answered),
        };
        let cache = &mut self.table;
        CentralPanel::no_frame().show(ui, |ui| records_table::show(ui, cx, &wanted, cache));
    }

    /// The range on screen. While it follows the data it moves by whole columns, so that what is counted and
    /// looked up stays the same in between.
    fn shown_range(&self, ui: &Ui, now: TimestampMs) -> ViewRange {
        if let Some(view) = self.state.view {
            return view;
        }
        let range = following(self.snapshot.inventory.bulk, now);
        let width = (ui.available_width() - self.state.label_width - size::SCROLL_BAR).max(1.0);
        let axis = Axis::new(Rangef::new(0.0, width), range);
        let columns = Columns::on(&axis, 4.0);
        ViewRange::between(columns.from(), columns.to())
    }

    fn derive(&mut self) {
        if !self.marks.is_of(&self.snapshot.inventory) {
            self.marks = Arc::new(GroupMarks::new(&self.snapshot.inventory));
        }
        let choice = Choice {
            filter: self.state.filter.clone(),
            internal: self.state.internal,
            open: self.state.open_topics.clone(),
            pinned: self.state.pinned.clone(),
        };
        let inventory = &self.snapshot.inventory;
        let derived = &mut self.derived;
        let same_lanes = derived
            .lanes_of
            .as_ref()
            .is_some_and(|(of, chosen)| Arc::ptr_eq(of, inventory) && *chosen == choice);
        if !same_lanes {
            derived.lanes = Arc::new(Lanes::build(inventory, &choice));
            derived.lanes_of = Some((Arc::clone(inventory), choice));
            derived.table_of = None;
        }
        if let Some(lane) = self.state.reveal.take() {
            self.state.lane_scroll =
                group_view::in_sight(&derived.lanes, &lane, self.state.lane_scroll);
        }
        self.derive_table();
    }

    /// What the table asks for. A list that became another one begins anew: where the state says, when the
    /// person changed it, or else near the rows that are on screen.
    fn derive_table(&mut self) {
        let derived = &mut self.derived;
        let state = &mut self.state;
        let table_of = (state.selection.clone(), state.table.jump);
        if derived.table_of.as_ref() != Some(&table_of) {
            let selection = state.selection.as_ref();
            let mut made = table_request(&derived.lanes, selection, &state.table);
            if let (Some(made), Some(before)) = (&mut made, &derived.table)
                && made.jump == before.jump
                && !is_same_list(made, before)
            {
                let time = self.table.top().and_then(|record| record.timestamp);
                state.table.begin_near(time, selection.is_some());
                made.place = state.table.place.clone();
                made.jump = state.table.jump;
            }
            // The same as before stays the very same, which is cheap to see.
            if derived.table.as_deref() != made.as_ref() {
                derived.table = made.map(Arc::new);
                derived.answered = None;
            }
            derived.table_of = Some((state.selection.clone(), state.table.jump));
        }
        let table = &self.snapshot.table;
        if derived
            .answered
            .as_ref()
            .is_none_or(|(of, _)| !Arc::ptr_eq(of, table))
        {
            let answers = match (&table.request, &derived.table) {
                (Some(got), Some(wanted)) => *got == **wanted,
                _ => false,
            };
            derived.answered = Some((Arc::clone(table), answers));
        }
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
        if let Some(before) = before {
            self.around.note(ctx, before, &self.state);
        }
    }

    fn tell(&mut self, ctx: &Context, view: Option<&Arc<View>>, is_connected: bool) {
        let wishes = Wishes {
            session: self.snapshot.session,
            connected: is_connected,
            view,
            table: self.derived.table.as_ref(),
            rows: self.rows_on_screen(),
            group: self.state.group.as_ref(),
        };
        let now = ctx.input(|input| input.time);
        if let Some(wait) = self.outbox.send(&*self.link, &wishes, now) {
            ctx.request_repaint_after(Duration::from_secs_f64(wait.clamp(0.01, 1.0)));
        }
    }

    /// The numbers of the table's rows that are on screen, once they are those that were asked for.
    fn rows_on_screen(&self) -> Option<(i64, i64)> {
        let (_, answered) = self.derived.answered.as_ref()?;
        self.table.on_screen().filter(|_| *answered)
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
        let title = match &self.snapshot.connection {
            Connection::Connected { demo: true, .. } => "Demo bus – Tideline".to_owned(),
            Connection::Connected { to, .. } => format!("{to} – Tideline"),
            _ => "Tideline".to_owned(),
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

/// What the table shows: the selected span, or all of the topics shown.
fn table_request(
    lanes: &Lanes,
    selection: Option<&Selection>,
    table: &TableState,
) -> Option<TableRequest> {
    let partitions = match selection.and_then(Selection::offsets) {
        Some(ranges) => ranges.iter().map(|range| range.at.clone()).collect(),
        None => lanes.partitions(selection),
    };
    if partitions.is_empty() {
        return None;
    }
    Some(TableRequest {
        span: selection.map_or(TableSpan::All, |selection| {
            table_span(selection, &partitions)
        }),
        order: table.order(),
        place: table.place.clone(),
        jump: table.jump,
        isolation: Isolation::ReadUncommitted,
        partitions,
    })
}

/// What `selection` means in `partitions`.
fn table_span(selection: &Selection, partitions: &[TopicPartition]) -> TableSpan {
    match &selection.span {
        Span::Time(from, to) => TableSpan::Between(*from, *to),
        Span::Offsets(ranges) => {
            debug_assert_eq!(ranges.len(), partitions.len());
            TableSpan::Offsets(ranges.iter().map(|range| (range.from, range.to)).collect())
        }
    }
}

fn is_same_list(a: &TableRequest, b: &TableRequest) -> bool {
    a.partitions == b.partitions
        && a.span == b.span
        && a.order == b.order
        && a.isolation == b.isolation
}

/// Asks for a repaint soon; several wishes before the next frame are one.
fn waker(ctx: Context, woken: Arc<AtomicBool>) -> Waker {
    Arc::new(move || {
        if !woken.swap(true, Ordering::AcqRel) {
            ctx.request_repaint_after(WAKE);
        }
    })
}
