use super::*;
use crate::model::{Offset, by_hand};

/// Ten rows fit.
const VIEWPORT: f32 = ROW * 10.0;

fn record(offset: i64) -> Arc<Record> {
    Arc::new(by_hand::record("t", 0, offset))
}

/// Rows `offset` to `offset + count` of a list of `all`, the first of them numbered `first`.
fn piece(offset: i64, count: i64, first: i64, all: i64) -> Table {
    let known = |value: i64| u64::try_from(value).unwrap();
    Table {
        rows: (offset..offset + count).map(record).collect(),
        first,
        anchor: Some(0),
        before: known(offset),
        after: known(all - offset - count),
        up_to: Some(known(all)),
        at_start: offset == 0,
        at_end: offset + count == all,
        ..Table::default()
    }
}

fn at(line: i64, hidden: f32) -> Top {
    Top { line, hidden }
}

fn offset_at(listing: &Listing<'_>, line: i64) -> Option<i64> {
    listing.record(line).map(|record| record.offset.0)
}

fn old_first<'t>(table: &'t Table, place: &'t TablePlace) -> Listing<'t> {
    Listing::new(table, table.first, place, (false, None), VIEWPORT)
}

fn new_first<'t>(table: &'t Table, place: &'t TablePlace) -> Listing<'t> {
    Listing::new(table, table.first, place, (true, None), VIEWPORT)
}

#[test]
fn one_point_is_one_point_at_any_row() {
    let table = piece(999_999_000, 1_000, -1_000, 1_000_000_000);
    let listing = old_first(&table, &TablePlace::End);
    let mut top = at(-500, 0.0);
    for _ in 0..10 {
        top = listing.moved(top, 1.0);
    }
    assert_eq!(top, at(-500, 10.0));
    assert_eq!(listing.moved(top, 15.0), at(-499, 1.0));
    assert_eq!(listing.moved(top, -15.0), at(-501, 19.0));
    assert_eq!(offset_at(&listing, -10), Some(999_999_990));
}

#[test]
fn the_newest_first_counts_downwards() {
    let table = piece(90, 10, -10, 100);
    let listing = new_first(&table, &TablePlace::End);
    assert_eq!(listing.lines(), (1, 11));
    assert_eq!(offset_at(&listing, 1), Some(99));
    assert_eq!(offset_at(&listing, 10), Some(90));
    assert_eq!(listing.record(11), None);
    assert_eq!(listing.top(TableScroll::Placed(0.0)), Some(at(1, 0.0)));
}

#[test]
fn rows_keep_their_place_when_some_are_added_on_either_side() {
    let scroll = TableScroll::At {
        row: 4,
        hidden: 7.0,
    };
    for (table, turned) in [
        (piece(500, 100, 0, 1_000), false),
        (piece(450, 200, -50, 1_000), false),
        (piece(500, 100, 0, 1_000), true),
        (piece(450, 200, -50, 1_000), true),
    ] {
        let listing = Listing::new(
            &table,
            table.first,
            &TablePlace::Start,
            (turned, None),
            VIEWPORT,
        );
        let top = listing.top(scroll).unwrap();
        assert_eq!(offset_at(&listing, top.line), Some(504), "{turned}");
        assert_eq!(listing.scroll_of(top), scroll);
    }
}

#[test]
fn one_stays_at_the_end_while_rows_come() {
    let before = piece(0, 100, 0, 100);
    let listing = old_first(&before, &TablePlace::Start);
    let top = listing.moved(at(0, 0.0), 1e9);
    assert_eq!(top, at(90, 0.0));
    assert_eq!(listing.scroll_of(top), TableScroll::End);
    let after = piece(0, 103, 0, 103);
    let listing = old_first(&after, &TablePlace::Start);
    assert_eq!(listing.top(TableScroll::End), Some(at(93, 0.0)));
    let listing = new_first(&after, &TablePlace::Start);
    assert_eq!(
        offset_at(&listing, listing.top(TableScroll::End).unwrap().line),
        Some(102)
    );
}

#[test]
fn one_may_scroll_a_page_beyond_what_is_at_hand_but_not_beyond_the_list() {
    let table = piece(100, 100, 0, 203);
    let listing = old_first(&table, &TablePlace::Start);
    assert_eq!(listing.moved(at(50, 0.0), 1e7), at(93, 0.0));
    assert_eq!(listing.moved(at(50, 0.0), -1e7), at(-10, 0.0));
    assert_eq!(listing.visible(at(93, 0.0)).len(), 10);
    assert_eq!(offset_at(&listing, 102), None);
    assert_eq!(
        listing.scroll_of(at(93, 0.0)),
        TableScroll::At {
            row: 93,
            hidden: 0.0
        }
    );
}

#[test]
fn a_list_that_fits_stays_at_the_top() {
    let table = piece(0, 4, 0, 4);
    let listing = old_first(&table, &TablePlace::Start);
    assert_eq!(listing.moved(at(0, 0.0), 70.0), at(0, 0.0));
    assert_eq!(
        listing.visible(at(0, 0.0)),
        [(0, 0.0), (1, 24.0), (2, 48.0), (3, 72.0)]
    );
}

#[test]
fn a_place_is_shown_where_it_can_be_seen() {
    let table = piece(500, 100, -50, 1_000);
    let rank = TablePlace::Rank(550);
    let placed = TableScroll::Placed(0.0);
    assert_eq!(old_first(&table, &rank).top(placed), Some(at(0, 0.0)));
    assert_eq!(new_first(&table, &rank).top(placed), Some(at(0, 0.0)));
    let record = TablePlace::Record(crate::model::TopicPartition::new("t", 0), Offset(550));
    // Four and a half rows above it, and as many below.
    assert_eq!(old_first(&table, &record).top(placed), Some(at(-5, 12.0)));
    assert_eq!(old_first(&table, &record).arrival(), Some(0));
    let listing = old_first(&table, &TablePlace::Start);
    assert_eq!(listing.top(placed), Some(at(-50, 0.0)));
    assert_eq!(listing.top(TableScroll::Placed(30.0)), Some(at(-49, 6.0)));
    let nowhere = Table {
        anchor: None,
        ..piece(500, 100, -50, 1_000)
    };
    assert_eq!(old_first(&nowhere, &rank).top(placed), None);
}

#[test]
fn a_row_is_revealed_with_the_least_movement() {
    let table = piece(0, 100, 0, 100);
    let listing = old_first(&table, &TablePlace::Start);
    assert_eq!(listing.revealing(at(10, 5.0), 12), at(10, 5.0));
    assert_eq!(listing.revealing(at(10, 5.0), 3), at(3, 0.0));
    assert_eq!(listing.revealing(at(10, 5.0), 10), at(10, 0.0));
    assert_eq!(listing.revealing(at(10, 0.0), 20), at(11, 0.0));
}

#[test]
fn the_bar_goes_by_rank() {
    let table = piece(500_000_000, 1_000, 0, 1_000_000_000);
    let listing = old_first(&table, &TablePlace::Start);
    let (rank, seen, all) = listing.ranks(at(200, 12.0));
    assert!((rank - 500_000_200.5).abs() < 1e-6, "{rank}");
    assert!((seen - 10.0).abs() < 1e-9 && (all - 1e9).abs() < 1e-3);
    let newest = new_first(&table, &TablePlace::End);
    // The row on top is the last at hand: 499,999,000 offsets are newer.
    let (rank, _, _) = newest.ranks(at(-999, 0.0));
    assert!((rank - 499_999_000.0).abs() < 1e-6, "{rank}");
}

#[test]
fn a_bar_that_is_dragged_far_jumps_by_rank_and_one_dragged_little_does_not() {
    let table = piece(500, 100, 0, 1_000);
    let listing = old_first(&table, &TablePlace::Start);
    let to = |part: f64| listing.bar_target(at(0, 0.0), part);
    // 990 offsets can be above: half of them is rank 495, and 0.55 is rank 544.5.
    assert_eq!(to(0.55), BarTarget::Row(at(44, 12.0)));
    assert_eq!(to(0.25), BarTarget::Elsewhere(TablePlace::Rank(248)));
    assert_eq!(to(0.0), BarTarget::Elsewhere(TablePlace::Start));
    assert_eq!(to(1.0), BarTarget::Elsewhere(TablePlace::End));
    let newest = new_first(&table, &TablePlace::Start);
    // From the newest: rank 247.5 from the end is 751.5 from the start.
    assert_eq!(
        newest.bar_target(at(-50, 0.0), 0.25),
        BarTarget::Elsewhere(TablePlace::Rank(752))
    );
    assert_eq!(
        newest.bar_target(at(-50, 0.0), 0.0),
        BarTarget::Elsewhere(TablePlace::End)
    );
}

#[test]
fn a_sorted_table_is_counted_from_its_top() {
    let table = piece(0, 3, 40, 3);
    let order = [2, 0, 1];
    let listing = Listing::new(&table, 0, &TablePlace::End, (true, Some(&order)), VIEWPORT);
    assert_eq!(listing.lines(), (0, 3));
    let offsets: Vec<Option<i64>> = (0..4).map(|line| offset_at(&listing, line)).collect();
    assert_eq!(offsets, [Some(2), Some(0), Some(1), None]);
    assert_eq!(listing.top(TableScroll::Placed(0.0)), Some(at(0, 0.0)));
    assert_eq!(listing.line_of(|record| record.offset.0 == 1), Some(2));
}
