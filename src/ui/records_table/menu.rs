//! The menus of the table: what can be done with a row, and which columns there are.

use std::sync::Arc;

use egui::{
    Id, Key, Modifiers, Popup, PopupAnchor, PopupCloseBehavior, PopupKind, Pos2, ScrollArea, Ui,
};

use crate::decode::value::Part;
use crate::model::Record;

use super::super::commands::Action;
use super::super::context::Cx;
use super::super::decoding::Reader;
use super::super::state::{ColumnKind, Msg, Revealed, TableMsg};
use super::super::{draw, format, taking};
use super::cache::TableCache;
use super::cells::{Seen, seen};
use super::copy;
use super::layout::Layout;
use super::listing::{Listing, Top};

fn row_menu_id() -> Id {
    Id::unique("record menu")
}

fn columns_id() -> Id {
    Id::unique("columns menu")
}

/// Whether one of the menus is open, so that keys are for it.
pub(super) fn is_open(ui: &Ui) -> bool {
    Popup::is_id_open(ui.ctx(), row_menu_id()) || Popup::is_id_open(ui.ctx(), columns_id())
}

/// The menu of columns, while it is open.
#[derive(Clone, Debug)]
pub(super) struct ColumnsMenu {
    at: Pos2,
    /// The column on whose name it was opened, which it moves.
    of: Option<ColumnKind>,
    /// What there is to choose from; it stays while the menu is open.
    seen: Seen,
    /// Whether it was opened by key, so that it takes the focus.
    takes_focus: bool,
    /// Whether what had the focus gets it back.
    by_key: bool,
}

/// Closes a menu by key, which then is for nothing else.
pub(super) fn close_by_key(ui: &Ui, cache: &TableCache) {
    if is_open(ui) && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        Popup::close_all(ui.ctx());
        let column = cache.columns_menu.as_ref().filter(|menu| menu.by_key);
        let before = column
            .and_then(|menu| menu.of.as_ref())
            .map_or_else(super::rows::body_id, super::head::name_id);
        ui.memory_mut(|memory| memory.request_focus(before));
    }
}

/// Opens the menu of the record that is shown, at `at`.
pub(super) fn open_row(ui: &Ui, cache: &mut TableCache, at: Pos2, by_key: bool) {
    cache.menu_at = Some((at, by_key));
    Popup::open_id(ui.ctx(), row_menu_id());
}

/// Opens the menu of columns at `at`, of one of them when `of` says so, or closes it.
pub(super) fn toggle_columns(
    ui: &Ui,
    cache: &mut TableCache,
    at: Pos2,
    of: Option<&ColumnKind>,
    by_key: bool,
) {
    if Popup::is_id_open(ui.ctx(), columns_id()) {
        Popup::close_id(ui.ctx(), columns_id());
    } else {
        cache.columns_menu = Some(ColumnsMenu {
            at,
            of: of.cloned(),
            seen: Seen::default(),
            takes_focus: by_key,
            by_key,
        });
        Popup::open_id(ui.ctx(), columns_id());
    }
}

/// The menu of a row, while it is open.
pub(super) fn show_row(ui: &Ui, cx: &mut Cx<'_>, cache: &mut TableCache) {
    let (Some((at, by_key)), Some(record)) = (cache.menu_at, cx.state.record.clone()) else {
        return;
    };
    let popup = Popup::new(
        row_menu_id(),
        ui.ctx().clone(),
        PopupAnchor::Position(at),
        ui.layer_id(),
    )
    .kind(PopupKind::Menu)
    .layout(egui::Layout::top_down_justified(egui::Align::Min))
    .style(egui::containers::menu::menu_style)
    .accessible_name("Record")
    .open_memory(None);
    let texts = cache
        .menu_texts
        .take()
        .filter(|(of, _)| Arc::ptr_eq(of, &record));
    let texts = texts.unwrap_or_else(|| {
        let reader = Reader::of(cx.state, cx.snapshot);
        let of = |part| reader.text(&record, part);
        (Arc::clone(&record), [of(Part::Value), of(Part::Key)])
    });
    let shown = popup.show(|ui| {
        let first = ui.next_auto_id();
        row_items(ui, cx, &record, &texts);
        if by_key {
            ui.memory_mut(|memory| memory.request_focus(first));
        }
    });
    match shown {
        // Only the first time: then arrows lead.
        Some(_) => {
            cache.menu_at = Some((at, false));
            cache.menu_texts = Some(texts);
        }
        None => cache.menu_at = None,
    }
}

/// A record, and what its value and its key were decoded to, where that is not what was sent.
pub(super) type MenuTexts = (Arc<Record>, [Option<String>; 2]);

fn row_items(ui: &mut Ui, cx: &mut Cx<'_>, record: &Arc<Record>, (_, [value, key]): &MenuTexts) {
    ui.set_min_width(170.0);
    let item = |ui: &mut Ui, text: &str, why_not: Option<&str>| {
        let is_chosen = draw::menu_item(ui, text, why_not).clicked();
        if is_chosen {
            // A key closes no menu by itself.
            ui.close();
        }
        is_chosen
    };
    taking::items(ui, cx, record, &|part| match part {
        Part::Value => value.clone(),
        Part::Key => key.clone(),
    });
    let many = cx.state.table.selected.len();
    let text = if many > 1 {
        format!(
            "Copy {} records as JSON",
            format::count(u64::try_from(many).unwrap_or(0))
        )
    } else {
        "Copy as JSON".to_owned()
    };
    if item(ui, &text, None) {
        let records = cx.state.chosen_records();
        taking::put(ui, cx, copy::json_lines(&records));
    }
    let export = Action::Export;
    if item(ui, export.name(), export.why_not(cx.situation())) {
        cx.push(export.message(cx.situation()));
    }
    ui.separator();
    let revealed = Revealed::of(record);
    let why_not = revealed.is_none().then_some("It carries no time");
    if item(ui, "Show on the timeline", why_not)
        && let Some(revealed) = revealed
    {
        cx.push(Msg::Reveal(revealed));
    }
}

/// The menu of columns, while it is open.
pub(super) fn show_columns(
    ui: &Ui,
    cx: &mut Cx<'_>,
    cache: &mut TableCache,
    layout: &Layout,
    at_hand: Option<(&Listing<'_>, Top)>,
) {
    let Some(mut menu) = cache.columns_menu.take() else {
        return;
    };
    if menu.seen.records == 0 {
        menu.seen = look(&Reader::of(cx.state, cx.snapshot), at_hand);
    }
    let popup = Popup::new(
        columns_id(),
        ui.ctx().clone(),
        PopupAnchor::Position(menu.at),
        ui.layer_id(),
    )
    .kind(PopupKind::Menu)
    .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
    .accessible_name("Columns")
    .open_memory(None);
    let shown = popup.show(|ui| {
        ui.set_min_width(230.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        if let Some(of) = menu.of.clone() {
            move_items(ui, cx, layout, &of, &mut menu.takes_focus);
        }
        ScrollArea::vertical()
            .max_height(380.0)
            .show(ui, |ui| column_items(ui, cx, &menu.seen));
    });
    if shown.is_some() {
        cache.columns_menu = Some(menu);
    }
}

/// The column `of` moved past its neighbours.
fn move_items(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    layout: &Layout,
    of: &ColumnKind,
    takes_focus: &mut bool,
) {
    let Some(here) = layout.number_of(of) else {
        return;
    };
    let last = layout.columns.len().saturating_sub(1);
    let ways = [
        (
            "Move left",
            here.checked_sub(1),
            "It is the first column",
            here == 0,
        ),
        (
            "Move right",
            here.checked_add(2),
            "It is the last column",
            here >= last,
        ),
    ];
    for (text, gap, reason, is_at_end) in ways {
        let response = draw::menu_item(ui, text, is_at_end.then_some(reason));
        if *takes_focus && !is_at_end {
            *takes_focus = false;
            response.request_focus();
        }
        if let Some(gap) = gap.filter(|_| response.clicked()) {
            super::head::move_to(cx, layout, of, gap);
        }
    }
    ui.separator();
}

/// Headers and fields of the records on screen.
fn look(reader: &Reader, at_hand: Option<(&Listing<'_>, Top)>) -> Seen {
    at_hand.map_or_else(Seen::default, |(listing, top)| {
        seen(
            reader,
            listing
                .visible(top)
                .into_iter()
                .filter_map(|(line, _)| listing.record(line).map(|record| &**record)),
        )
    })
}

fn column_items(ui: &mut Ui, cx: &mut Cx<'_>, known: &Seen) {
    let columns = &cx.state.table.columns;
    let mut toggled = None;
    let mut item = |ui: &mut Ui, kind: ColumnKind, text: String| {
        let mut shown = columns.has(&kind);
        let is_last = shown && columns.shown.len() == 1;
        let response = ui.add_enabled(!is_last, egui::Checkbox::new(&mut shown, text));
        if response.clicked() {
            toggled = Some(kind);
        }
        response.on_disabled_hover_text("One column stays");
    };
    for kind in ColumnKind::FIXED {
        let text = match kind {
            ColumnKind::Topic => "Topic, where there are several".to_owned(),
            _ => kind.name().to_owned(),
        };
        item(ui, kind, text);
    }
    let of = format::count(known.records);
    let counted = |count: u64| format!("{} of {of}", format::count(count));
    let chosen = |wanted: fn(&ColumnKind) -> bool| {
        columns
            .shown
            .iter()
            .map(|column| &column.kind)
            .filter(move |kind| wanted(kind))
    };
    ui.separator();
    ui.weak("Headers of the records on screen");
    let gone = chosen(|kind| matches!(kind, ColumnKind::Header(_)))
        .map(ColumnKind::name)
        .filter(|name| known.headers.iter().all(|(seen, _)| seen != name))
        .map(|name| (name.to_owned(), 0));
    for (name, count) in known.headers.iter().cloned().chain(gone) {
        let text = format!("{name}   {}", counted(count));
        item(ui, ColumnKind::Header(name), text);
    }
    ui.separator();
    ui.weak("Fields of their values");
    let gone = chosen(|kind| matches!(kind, ColumnKind::Field(_)))
        .map(ColumnKind::name)
        .filter(|name| known.fields.iter().all(|(seen, _)| seen != name))
        .map(|name| (name.to_owned(), 0));
    for (path, count) in known.fields.iter().cloned().chain(gone) {
        let text = format!("{path}   {}", counted(count));
        item(ui, ColumnKind::Field(path), text);
    }
    if known.headers.is_empty() && known.fields.is_empty() {
        ui.weak("None was found");
    }
    if let Some(kind) = toggled {
        let mut columns = columns.clone();
        columns.toggle(&kind);
        cx.push(Msg::Table(TableMsg::Columns(columns)));
    }
}
