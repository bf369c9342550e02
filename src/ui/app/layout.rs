//! Where the panels of a connected window are, and the lines between them.

use egui::{CentralPanel, Frame, Id, Panel, Rangef, Rect, Ui, UiBuilder};

use crate::model::TimestampMs;

use super::super::context::Cx;
use super::super::records_table::{self, Wanted};
use super::super::state::{BottomTab, Msg, ViewRange, following};
use super::super::timeline::axis::{Axis, Columns};
use super::super::tokens::size;
use super::super::{
    bottom_tabs, draw, findings_panel, group_view, groups_panel, journal_panel, record_detail,
    rewind_panel, search, timeline,
};
use super::App;

impl App {
    /// Timeline above, groups, records and detail below.
    pub(super) fn draw_bus(
        &mut self,
        ui: &mut Ui,
        cx: &mut Cx<'_>,
        shown: ViewRange,
    ) -> timeline::Output {
        let whole = ui.available_rect_before_wrap();
        let records_height = (whole.height() * self.state.records_share)
            .clamp(120.0, (whole.height() - 140.0).max(120.0))
            .round();
        let detail_width = (whole.width() * self.state.detail_share)
            .clamp(
                220.0,
                (whole.width() - self.state.label_width - 200.0).max(220.0),
            )
            .round();
        let records_top = whole.bottom() - records_height;
        let (upper, lower) = whole.split_top_bottom_at_y(records_top);
        ui.advance_cursor_after_rect(whole);
        ui.painter().rect_filled(lower, 0, self.tokens.panel);
        // Where the areas are is said here alone: a panel would grow with what is in it.
        let of = |name: &str, rect| {
            UiBuilder::new()
                .scope_id(Id::unique(("area", name)))
                .max_rect(rect)
        };
        ui.scope_builder(of("records", lower), |ui| {
            ui.shrink_clip_rect(lower);
            self.draw_records(ui, cx, detail_width);
        });
        let (lanes, cache) = (&self.derived.lanes, &mut self.lanes);
        let output = ui
            .scope_builder(of("timeline", upper), |ui| {
                ui.shrink_clip_rect(upper);
                timeline::show(ui, cx, lanes, cache, shown)
            })
            .inner;
        ui.painter()
            .hline(whole.x_range(), records_top, self.tokens.hairline());
        self.splitters(ui, cx, whole, records_top, whole.right() - detail_width);
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
        if cx.state.tab == BottomTab::Rewind {
            let panel = &mut self.rewind_panel;
            CentralPanel::no_frame().show(ui, |ui| rewind_panel::show(ui, cx, panel));
            return;
        }
        if cx.state.tab == BottomTab::Gaps {
            let panel = &mut self.findings;
            CentralPanel::no_frame().show(ui, |ui| findings_panel::show(ui, cx, panel));
            return;
        }
        if cx.state.tab == BottomTab::Journal {
            CentralPanel::no_frame().show(ui, |ui| journal_panel::show(ui, cx, &mut self.journal));
            return;
        }
        Panel::right("detail")
            .resizable(false)
            .exact_size(detail_width)
            .frame(plain)
            .show(ui, |ui| record_detail::show(ui, cx, &mut self.detail));
        let height = search::height(cx);
        if height > 0.0 {
            let (listed, panel) = (self.derived.table.as_ref(), &mut self.search);
            Panel::top("search")
                .resizable(false)
                .exact_size(height)
                .frame(plain)
                .show(ui, |ui| search::show(ui, cx, listed, panel));
        }
        let wanted = Wanted {
            request: self.derived.table.as_deref(),
            is_answered: self.derived.is_answered(),
            found: self.search.found(cx),
        };
        let cache = &mut self.table;
        CentralPanel::no_frame().show(ui, |ui| records_table::show(ui, cx, &wanted, cache));
    }

    /// The range on screen. While it follows the data it moves by whole columns, so that what is counted and
    /// looked up stays the same in between.
    pub(super) fn shown_range(&self, ui: &Ui, now: TimestampMs) -> ViewRange {
        if let Some(view) = self.state.view {
            return view;
        }
        let range = following(self.snapshot.inventory.bulk, now);
        let width = (ui.available_width() - self.state.label_width - size::SCROLL_BAR).max(1.0);
        let axis = Axis::new(Rangef::new(0.0, width), range);
        let columns = Columns::on(&axis, 4.0);
        ViewRange::between(columns.from(), columns.to())
    }
}
