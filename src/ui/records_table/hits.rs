//! The hits of a search in place of the list. They come in between those that are there; the row at the upper edge
//! keeps its place on screen all the same, because rows are numbered from it.

use std::sync::Arc;
use std::time::Duration;

use egui::Ui;

use crate::engine::Table;
use crate::model::{Record, TopicPartition};

use super::super::context::Cx;
use super::super::format;
use super::super::num::{i64_from_usize, u64_from_usize};
use super::super::state::{ColumnKind, Msg, TableMsg, TableScroll, TableSort};
use super::bar::Ranks;
use super::cache::TableCache;
use super::caption::OnScreen;
use super::listing::{Listing, Top};
use super::same_place;

/// While hits come in, rows by another column are put in order anew at most this often, in seconds.
const SORT_EVERY_S: f64 = 1.0;

/// Hits that are shown in place of the list.
pub struct Found {
    /// The number of the search.
    pub number: u64,
    /// The hits, oldest first.
    pub table: Arc<Table>,
    /// Whether more may come.
    pub goes_on: bool,
    /// Whether they may be of several topics.
    pub several_topics: bool,
    /// What is said where there is none.
    pub none: String,
}

/// Which hits are shown, and their numbers.
#[derive(Default)]
pub(super) struct HitRows {
    number: u64,
    table: Arc<Table>,
    taken_s: f64,
    /// The rows that are numbered, by what they are sorted, and the number of the first.
    numbered: Option<(Arc<Table>, TableSort, i64)>,
    /// The row at the upper edge and its number.
    edge: Option<(Arc<Record>, i64)>,
}

impl HitRows {
    /// The number of the first row of `shown`, in `order` by `sort`, so that the row at the upper edge keeps its
    /// own.
    pub(super) fn first(
        &mut self,
        shown: &Arc<Table>,
        order: Option<&[usize]>,
        sort: &TableSort,
    ) -> i64 {
        let first = match &self.numbered {
            Some((of, by, first)) if Arc::ptr_eq(of, shown) && by == sort => return *first,
            Some((_, by, first)) if by == sort => {
                let edge = self.edge.as_ref();
                let kept = edge.and_then(|(record, number)| {
                    let index = index_of(&shown.rows, record)?;
                    let place = match order {
                        Some(order) => order.iter().position(|row| *row == index)?,
                        None => index,
                    };
                    Some(number.saturating_sub(i64_from_usize(place)))
                });
                kept.unwrap_or(*first)
            }
            _ => 0,
        };
        self.numbered = Some((Arc::clone(shown), sort.clone(), first));
        first
    }
}

/// Where `record` is among `rows`, which are about in the order of time; where it would be, when it is not held any
/// more.
fn index_of(rows: &[Arc<Record>], record: &Arc<Record>) -> Option<usize> {
    rows.iter()
        .position(|row| Arc::ptr_eq(row, record))
        .or_else(|| {
            let from = rows.partition_point(|row| row.timestamp < record.timestamp);
            let same_time = rows.iter().enumerate().skip(from);
            let mut same_time = same_time.take_while(|(_, row)| row.timestamp == record.timestamp);
            same_time
                .find(|(_, row)| same_place(row, record))
                .map(|(index, _)| index)
                .or_else(|| (from < rows.len()).then_some(from))
        })
}

/// The hits to show: the newest, but those before for a while where putting them in order is much work.
pub(super) fn taken(ui: &Ui, cx: &Cx<'_>, cache: &mut TableCache, found: &Found) -> Arc<Table> {
    let hits = &mut cache.hits;
    let now_s = ui.input(|input| input.time);
    if hits.number != found.number {
        *hits = HitRows {
            number: found.number,
            ..HitRows::default()
        };
    }
    if Arc::ptr_eq(&hits.table, &found.table) {
        return Arc::clone(&hits.table);
    }
    let sort = cx.state.table.sort.as_ref();
    let is_sorted = sort.is_some_and(|sort| sort.by != ColumnKind::Time);
    let wait_s = hits.taken_s + SORT_EVERY_S - now_s;
    if is_sorted && found.goes_on && wait_s > 0.0 && !hits.table.rows.is_empty() {
        ui.ctx()
            .request_repaint_after(Duration::from_secs_f64(wait_s));
        return Arc::clone(&hits.table);
    }
    hits.table = Arc::clone(&found.table);
    hits.taken_s = now_s;
    Arc::clone(&hits.table)
}

/// Notes what is on screen, for the next frame. The engine has nothing to read for it.
pub(super) fn remember(cache: &mut TableCache, listing: &Listing<'_>, top: Option<Top>) {
    cache.on_screen = None;
    cache.seen_end = None;
    let Some(top) = top else {
        cache.ranks = Ranks::default();
        cache.hits.edge = None;
        return;
    };
    let (above, seen, all) = listing.ranks(top);
    cache.ranks = Ranks { above, seen, all };
    let edge = listing
        .visible(top)
        .into_iter()
        .find_map(|(line, _)| Some((listing.record(line)?, line)));
    cache.top = edge.map(|(record, _)| Arc::clone(record));
    cache.hits.edge = edge.map(|(record, line)| (Arc::clone(record), listing.turned(line)));
}

/// Holds on to the row at the upper edge as soon as there are more than fit, so that what comes before it moves
/// nothing.
pub(super) fn hold(cx: &mut Cx<'_>, found: &Found, listing: &Listing<'_>, top: Top) {
    if found.goes_on
        && matches!(cx.state.table.scroll, TableScroll::Placed(_))
        && listing.is_longer_than_view()
    {
        cx.push(Msg::Table(TableMsg::Scroll(listing.scroll_of(top))));
    }
}

/// What the table says of the hits that it shows, in full first.
pub(super) fn captions(
    shown: &Table,
    sort: &TableSort,
    on_screen: Option<OnScreen>,
) -> Vec<String> {
    if shown.rows.is_empty() {
        return Vec::new();
    }
    let held = format::counted(u64_from_usize(shown.rows.len()), "hit", "hits");
    let count = on_screen.map_or_else(|| held.clone(), |rows| rows.of_all(&held));
    let order = match (&sort.by, sort.descending) {
        (ColumnKind::Time, true) => "hits, newest first · ",
        (ColumnKind::Time, false) => "hits, oldest first · ",
        _ => "",
    };
    vec![format!("{order}{count}"), count]
}

/// Whether `partitions`, which are sorted, are of several topics.
pub fn are_of_several_topics(partitions: &[TopicPartition]) -> bool {
    partitions.first().map(|at| &at.topic) != partitions.last().map(|at| &at.topic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{TimestampMs, by_hand};

    fn row(offset: i64, at: i64) -> Arc<Record> {
        Arc::new(Record {
            timestamp: Some(TimestampMs(at)),
            ..by_hand::record("t", 0, offset)
        })
    }

    fn table(rows: &[&Arc<Record>]) -> Arc<Table> {
        Arc::new(Table {
            rows: rows.iter().map(|row| Arc::clone(row)).collect(),
            ..Table::default()
        })
    }

    fn by_time() -> TableSort {
        TableSort {
            by: ColumnKind::Time,
            descending: false,
        }
    }

    #[test]
    fn the_row_at_the_edge_keeps_its_number_whatever_comes_before_it() {
        let rows: Vec<Arc<Record>> = (0..6).map(|at| row(at, at * 10)).collect();
        let mut hits = HitRows::default();
        let old = table(&[&rows[2], &rows[4]]);
        assert_eq!(hits.first(&old, None, &by_time()), 0);
        hits.edge = Some((Arc::clone(&rows[4]), 1));
        let new = table(&[&rows[0], &rows[1], &rows[2], &rows[3], &rows[4], &rows[5]]);
        // Row 4 is the fifth now, and still number 1.
        assert_eq!(hits.first(&new, None, &by_time()), -3);
        assert_eq!(hits.first(&new, None, &by_time()), -3);
    }

    #[test]
    fn a_row_that_is_not_held_any_more_gives_its_number_to_the_next() {
        let rows: Vec<Arc<Record>> = (0..4).map(|at| row(at, at * 10)).collect();
        let mut hits = HitRows::default();
        assert_eq!(
            hits.first(&table(&[&rows[0], &rows[1]]), None, &by_time()),
            0
        );
        hits.edge = Some((Arc::clone(&rows[1]), 1));
        assert_eq!(
            hits.first(&table(&[&rows[2], &rows[3]]), None, &by_time()),
            1
        );
    }

    #[test]
    fn in_another_order_the_place_in_that_order_counts() {
        let rows: Vec<Arc<Record>> = (0..3).map(|at| row(at, at * 10)).collect();
        let sort = TableSort {
            by: ColumnKind::Size,
            descending: true,
        };
        let mut hits = HitRows::default();
        hits.first(&table(&[&rows[0]]), Some(&[0]), &sort);
        hits.edge = Some((Arc::clone(&rows[0]), 0));
        let new = table(&[&rows[0], &rows[1], &rows[2]]);
        assert_eq!(hits.first(&new, Some(&[2, 1, 0]), &sort), -2);
    }
}
