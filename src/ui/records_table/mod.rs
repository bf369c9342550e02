//! The records of the selected span, or all of them: a table over a list of any length, of which the engine
//! holds a piece around what is on screen. It draws only the rows on screen.
//!
//! | part | what it is |
//! |---|---|
//! | `listing` | which row stands where, and where scrolling leads. Pure |
//! | `layout`, `cells`, `order` | where columns are, what stands in them, rows by another column. Pure |
//! | `caption`, `deleted`, `copy` | what the table says of itself; why a span holds nothing; records as text. Pure |
//! | `readers` | which groups have read a record |
//! | `hits` | the hits of a search in place of the list |
//! | `cache` | what is kept from frame to frame |
//! | `title`, `head`, `rows`, `empty`, `bar`, `menu`, `goto`, `keys` | drawing, and what the person does |

mod bar;
mod cache;
mod caption;
mod cells;
mod copy;
mod deleted;
mod empty;
mod goto;
mod head;
mod hits;
mod keys;
mod layout;
mod listing;
mod menu;
mod order;
mod readers;
mod rows;
mod title;

pub use cache::{TableCache, TableCost};
pub use goto::{go as go_to_address, go_to_record, keys as address_keys};
pub use hits::{Found, are_of_several_topics};
pub use rows::body_id as rows_id;

use std::sync::Arc;

use egui::{Id, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::engine::{Table, TableOrder, TablePlace, TableRequest, TableSpan};
use crate::model::Record;

use super::context::Cx;
use super::decoding::Reader;
use super::state::{ColumnKind, Msg, TableMsg, TableScroll, TableSort};
use super::tokens::size;
use super::{draw, format};
use bar::Ranks;
use caption::OnScreen;
use layout::{Layout, Room};
use listing::{Listing, Top};
use rows::{View, same_place};

/// The table that is asked for and, once it came, the one to show.
pub struct Wanted<'a> {
    /// What is asked for; `None` while there is nothing to ask.
    pub request: Option<&'a TableRequest>,
    /// Whether the snapshot's table answers it.
    pub is_answered: bool,
    /// The hits that are shown in its place.
    pub found: Option<Found>,
}

/// Draws the table in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, wanted: &Wanted<'_>, cache: &mut TableCache) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    let table = Arc::clone(&cx.snapshot.table);
    let line = Rect::from_min_size(area.min, vec2(area.width(), 30.0));
    let head = Rect::from_min_size(
        pos2(area.left(), line.bottom()),
        vec2(area.width(), size::ROW),
    );
    let body = Rect::from_min_max(pos2(area.left(), head.bottom()), area.max);
    ui.painter()
        .rect_filled(Rect::from_min_max(head.min, area.max), 0, cx.tokens.window);
    menu::close_by_key(ui, cache);

    let found = wanted.found.as_ref();
    let shown = match found {
        Some(found) => hits::taken(ui, cx, cache, found),
        None if wanted.is_answered => Arc::clone(&table),
        None => Arc::default(),
    };
    let is_whole = found.is_some() || (wanted.is_answered && shown.at_start && shown.at_end);
    let sort = sort_in_force(cx, is_whole);
    let layout = columns_in(cx, head, &shown, wanted, cache);
    cache.begin(&layout, Reader::of(cx.state, cx.snapshot));
    let rows_area = rows_area(body, &layout);
    let has_span = cx.state.selection.is_some();
    let turned = cx.state.table.is_turned(has_span);
    let (order, first) = numbered(cache, &shown, &sort, found.is_some());
    let listing = Listing::new(
        &shown,
        first,
        &cx.state.table.place,
        (turned, order.as_deref()),
        rows_area.height(),
    );
    let top = listing.top(cx.state.table.scroll);
    let at_hand = top.map(|top| (&listing, top));
    match found {
        Some(_) => hits::remember(cache, &listing, top),
        None => remember(cache, &listing, top, cx, &shown),
    }
    if let Some(top) = top {
        look(ui, cx, cache, &listing, top);
    }

    let on_screen = top.and_then(|top| OnScreen::of(&listing, top));
    let is_news = |top: &Top| found.is_none() && listing.scroll_of(*top) != TableScroll::End;
    let said = title::Said {
        sort: &sort,
        on_screen,
        hits: found.map(|_| hits::captions(&shown, &sort, on_screen)),
        news: top
            .filter(is_news)
            .and_then(|_| news(cx, cache, &shown, &listing)),
    };
    title::show(ui, cx, line, &table, wanted, cache, &said);
    let above_rows = head::Head {
        layout: &layout,
        sort: &sort,
        at_hand,
        is_whole,
    };
    head::show(ui, cx, head_area(head), cache, &above_rows);
    rows::ground(ui, rows_area);
    let is_loading =
        found.is_none() && (table.loading || (wanted.request.is_some() && !wanted.is_answered));
    match top {
        Some(top) => {
            let view = View {
                listing: &listing,
                layout: &layout,
                top,
                area: rows_area,
            };
            rows::show(ui, cx, cache, &view);
            keys::step(cx, &listing, top);
            match found {
                Some(found) => hits::hold(cx, found, &listing, top),
                None => arrive(ui, cx, &listing, &shown),
            }
        }
        None if is_loading => waiting(ui, cx, cache, rows_area, &layout),
        None => {
            empty::show(ui, cx, rows_area, &shown, wanted, cache);
            if wanted.is_answered && cx.state.table.arriving.is_some() {
                cx.push(Msg::Table(TableMsg::Arrived(None)));
            }
        }
    }
    let follows = matches!(cx.state.table.scroll, TableScroll::End)
        || cx.state.table.place == TablePlace::End;
    // What comes in at the end is read again and again; that is no news while there is something to see.
    if is_loading && !(top.is_some() && follows) {
        draw::progress(ui.painter(), cx.tokens, body, None);
    }
    rows::wheel(ui, cx, rows_area, at_hand, layout.sideways);
    if top.is_some() || is_loading {
        upright_bar(ui, cx, cache, (body, rows_area), at_hand, turned);
    }
    level_bar(ui, cx, (body, rows_area), &layout);
    menu::show_row(ui, cx, cache);
    menu::show_columns(ui, cx, cache, &layout, at_hand);
}

/// The area of the rows in `body`, without the bars.
fn rows_area(body: Rect, layout: &Layout) -> Rect {
    let has_level_bar = layout.sideways.1 > 0.0;
    let foot = if has_level_bar { size::SCROLL_BAR } else { 0.0 };
    let bottom = (body.bottom() - foot).max(body.top());
    Rect::from_min_max(body.min, pos2(body.right() - size::SCROLL_BAR, bottom))
}

/// The rows of `shown` by another column than their own order, when `sort` asks for one, and the number of the first.
fn numbered(
    cache: &mut TableCache,
    shown: &Arc<Table>,
    sort: &TableSort,
    are_hits: bool,
) -> (Option<Arc<[usize]>>, i64) {
    let is_in_order = if are_hits {
        sort.by == ColumnKind::Time
    } else {
        sort.by.sorts_list()
    };
    let order = (!is_in_order).then(|| cache.order(shown, sort));
    let first = match &order {
        _ if are_hits => cache.hits.first(shown, order.as_deref(), sort),
        Some(_) => 0,
        None => shown.first,
    };
    (order, first)
}

/// Makes the cells of the rows on screen, and asks for the schemas that they miss.
fn look(ui: &Ui, cx: &mut Cx<'_>, cache: &mut TableCache, listing: &Listing<'_>, top: Top) {
    let lines = listing.visible(top);
    let records = lines.iter().filter_map(|(line, _)| listing.record(*line));
    cache.look(records, cx.zone);
    if cache.is_unfinished() {
        ui.ctx().request_repaint();
    }
    cx.messages
        .extend(cache.needs.iter().map(|id| Msg::WantSchema(*id)));
}

fn head_area(head: Rect) -> Rect {
    Rect::from_min_max(
        head.min,
        pos2(head.right() - size::SCROLL_BAR, head.bottom()),
    )
}

/// The order that is shown: another column's only while all of the list is at hand.
fn sort_in_force(cx: &Cx<'_>, is_whole: bool) -> TableSort {
    let has_span = cx.state.selection.is_some();
    let sort = cx.state.table.sort_shown(has_span);
    if sort.by.sorts_list() || is_whole {
        return sort;
    }
    TableSort {
        by: ColumnKind::Time,
        descending: cx.state.table.is_turned(has_span),
    }
}

fn columns_in(
    cx: &Cx<'_>,
    head: Rect,
    shown: &Table,
    wanted: &Wanted<'_>,
    cache: &mut TableCache,
) -> Layout {
    let request = wanted.request.filter(|_| wanted.found.is_none());
    let several_topics = match (&wanted.found, request) {
        (Some(found), _) => found.several_topics,
        (None, Some(request)) => are_of_several_topics(&request.partitions),
        (None, None) => false,
    };
    let room = Room {
        x: head_area(head).x_range(),
        several_topics,
        has_dates: spans_days(cx, &shown.rows, request),
        offset_chars: cache.offset_chars(&cx.snapshot.inventory),
        sideways: cx.state.table.sideways,
    };
    Layout::new(&cx.state.table.columns, &room)
}

/// Whether the day has to be written with every time.
fn spans_days(cx: &Cx<'_>, rows: &[Arc<Record>], request: Option<&TableRequest>) -> bool {
    if let Some(TableSpan::Between(from, to)) = request.map(|request| &request.span)
        && !format::same_day(*from, *to, cx.zone)
    {
        return true;
    }
    let oldest = rows.iter().find_map(|row| row.timestamp);
    let newest = rows.iter().rev().find_map(|row| row.timestamp);
    let mut ends = oldest.into_iter().chain(newest);
    ends.any(|end| !format::same_day(end, cx.now, cx.zone))
}

/// Notes what is on screen, for the engine and for the next frame.
fn remember(
    cache: &mut TableCache,
    listing: &Listing<'_>,
    top: Option<Top>,
    cx: &Cx<'_>,
    shown: &Table,
) {
    let Some(top) = top else {
        cache.on_screen = None;
        return;
    };
    let (above, seen, all) = listing.ranks(top);
    cache.ranks = Ranks { above, seen, all };
    let lines = listing.visible(top);
    cache.top = lines
        .iter()
        .find_map(|(line, _)| listing.record(*line))
        .map(Arc::clone);
    let length = i64::try_from(shown.rows.len()).unwrap_or(i64::MAX);
    let last = shown.first.saturating_add(length).saturating_sub(1);
    let first_and_last = lines.first().zip(lines.last());
    cache.on_screen = if listing.is_sorted() {
        // All of them may be on screen next.
        Some((shown.first, last))
    } else {
        first_and_last.map(|((first, _), (last, _))| {
            let (a, b) = (listing.turned(*first), listing.turned(*last));
            (a.min(b), a.max(b))
        })
    };
    let sees_end = shown.at_end && cache.on_screen.is_some_and(|(_, seen)| seen >= last);
    let jump = cx.state.table.jump;
    match cache.seen_end {
        Some((of, _)) if of == jump && !sees_end => {}
        _ if sees_end => cache.seen_end = Some((jump, last)),
        _ => cache.seen_end = None,
    }
}

/// Does with the row that was jumped to what was meant to be done with it.
fn arrive(ui: &Ui, cx: &mut Cx<'_>, listing: &Listing<'_>, shown: &Table) {
    let Some(arriving) = cx.state.table.arriving.clone() else {
        return;
    };
    let Some(line) = listing.arrival() else {
        return;
    };
    let onward = if listing.is_turned() { -1 } else { 1 };
    let mut lines = std::iter::successors(Some(line), |line| line.checked_add(onward))
        .map_while(|line| listing.record(line));
    let record = match (&arriving.of, &cx.state.table.place) {
        (Some(at), _) => lines.find(|record| record.at() == *at),
        // A record that is not there any more: the table says so, and nothing else is meant instead.
        (None, TablePlace::Record(at, offset)) => lines
            .next()
            .filter(|record| record.offset == *offset && record.at() == *at),
        (None, _) => lines.next(),
    };
    if record.is_none() && shown.loading {
        return;
    }
    if let (Some(at), None) = (&arriving.of, record) {
        let said = format!("No record of {at} follows nearby; this is the next of all");
        cx.push(Msg::Table(TableMsg::Say(said)));
    }
    if record.is_some() {
        // Given on to the row in the next frame, when it is the chosen one.
        ui.memory_mut(|memory| memory.request_focus(rows::body_id()));
    }
    cx.push(Msg::Table(TableMsg::Arrived(record.map(Arc::clone))));
}

/// How many records came that are not seen, and what shows them; `None` where that has no place of its own.
fn news(
    cx: &Cx<'_>,
    cache: &TableCache,
    shown: &Table,
    listing: &Listing<'_>,
) -> Option<(String, TableMsg)> {
    let several = shown
        .request
        .as_ref()
        .is_some_and(|request| request.order == TableOrder::Offset && request.partitions.len() > 1);
    // By offset, what is new belongs in between, not at an edge.
    if several || listing.is_sorted() {
        return None;
    }
    let seen = cache
        .seen_end
        .filter(|(jump, _)| *jump == cx.state.table.jump)
        .map(|(_, last)| last);
    let text = caption::news(shown, seen)?;
    let there = if shown.at_end && shown.newer == 0 {
        TableMsg::Scroll(TableScroll::End)
    } else {
        TableMsg::Jump(TablePlace::End, None)
    };
    Some((text, there))
}

/// Rows that are on their way, where nothing is at hand.
fn waiting(ui: &Ui, cx: &mut Cx<'_>, cache: &mut TableCache, area: Rect, layout: &Layout) {
    let painter = ui.painter().with_clip_rect(area);
    let fitting = caption::rows_in(area.height(), size::ROW);
    let all = (cache.ranks.all > 0.0).then_some(cache.ranks.all);
    let mut y = area.top();
    for _ in 0..caption::placeholders(all, fitting) {
        let rect = Rect::from_min_size(pos2(area.left(), y), vec2(area.width(), size::ROW));
        rows::placeholder(&painter, cx, rect, layout);
        y += size::ROW;
    }
    let response = ui.interact(area, Id::unique("table waits"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, "Reading…"));
    cx.push(Msg::HoverTime(None));
    // The row that had the focus is gone; the next one gets it.
    let focused = ui.memory(egui::Memory::focused);
    if focused.is_some() && focused == cache.focused {
        ui.memory_mut(|memory| memory.request_focus(rows::body_id()));
        cache.focused = Some(rows::body_id());
    }
}

/// The bar by which columns are reached that have no room.
fn level_bar(ui: &Ui, cx: &mut Cx<'_>, (body, rows_area): (Rect, Rect), layout: &Layout) {
    let level = Rect::from_min_max(
        pos2(body.left(), rows_area.bottom()),
        pos2(rows_area.right(), body.bottom()),
    );
    bar::level(ui, cx, level, layout.sideways);
}

/// The bar that says where the table stands, also while its rows are on their way.
fn upright_bar(
    ui: &Ui,
    cx: &mut Cx<'_>,
    cache: &TableCache,
    (body, rows_area): (Rect, Rect),
    at_hand: Option<(&Listing<'_>, Top)>,
    turned: bool,
) {
    let upright = Rect::from_min_max(
        pos2(rows_area.right(), body.top()),
        pos2(body.right(), rows_area.bottom()),
    );
    let ranks = if at_hand.is_some() {
        cache.ranks
    } else {
        cache.ranks.on_the_way(&cx.state.table.place, turned)
    };
    bar::upright(ui, cx, upright, ranks, at_hand, turned);
}
