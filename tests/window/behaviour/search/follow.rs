//! Following what comes in.

use super::*;

/// What came in: `count` records, as many of them as `rows` held.
fn came(request: &SearchRequest, count: u64, rows: usize) -> SearchView {
    let view = running(request, hits(request, 30_000, rows));
    let coverage = tideline::engine::Coverage {
        records_scanned: count,
        ..tideline::engine::Coverage::clone(&view.coverage)
    };
    SearchView {
        hits: count,
        not_held: count - u64::try_from(rows).unwrap(),
        records_per_second: 48_000,
        coverage: Arc::new(coverage),
        ..view
    }
}

fn following() -> (Window, Fake, SearchRequest) {
    let (mut harness, fake) = shop();
    click(&mut harness, "orders");
    press(&mut harness, Modifiers::NONE, Key::L);
    let request = fake.last_search().expect("it is followed");
    (harness, fake, request)
}

#[test]
fn a_key_follows_from_the_end_with_or_without_filters() {
    let (mut harness, fake, request) = following();
    assert!(request.follow && request.filters.is_empty());
    assert_eq!(request.span, TableSpan::All);
    assert_eq!(request.partitions.len(), 13);
    press(&mut harness, Modifiers::NONE, Key::L);
    assert!(is_ended(&fake));
    press(&mut harness, Modifiers::COMMAND, Key::F);
    type_text(&mut harness, "Search records", "key:o-1");
    click(&mut harness, "Follow");
    let request = fake.last_search().unwrap();
    assert!(request.follow);
    assert_eq!(request.filters.written(), ["key:o-1"]);
}

#[test]
fn all_that_came_is_counted_and_a_sample_is_called_one() {
    let (mut harness, fake, request) = following();
    let mut view = came(&request, 1_234_567, 100);
    view.is_sampled = true;
    publish(&mut harness, &fake, view);
    assert!(shows(
        &harness,
        "1,234,567 records since 14:59:58 UTC+01:00, 48,000/s"
    ));
    assert!(shows_part(
        &harness,
        "the rows are a sample; all are counted"
    ));
    // The newest stands at the foot.
    let last = hits(&request, 30_000, 100).pop().unwrap();
    assert_eq!(names(&harness).last(), Some(&label(&last)));
}

#[test]
fn pausing_keeps_the_rows_and_says_what_came_meanwhile() {
    let (mut harness, fake, request) = following();
    publish(&mut harness, &fake, came(&request, 100, 100));
    fake.take();
    click(&mut harness, "Pause");
    let before = rows(&harness);
    publish(&mut harness, &fake, came(&request, 12_500, 120));
    assert_eq!(rows(&harness), before);
    // The engine goes on collecting: it is told nothing.
    assert!(controls(&fake).is_empty());
    assert!(shows_part(
        &harness,
        "12,400 records came meanwhile; of all, 12,380 records are not held any more: at most 64 MB"
    ));
    click(&mut harness, "Resume");
    let last = hits(&request, 30_000, 120).pop().unwrap();
    assert_eq!(names(&harness).last(), Some(&label(&last)));
    assert!(!shows_part(&harness, "came meanwhile"));
}

#[test]
fn the_switch_ends_what_it_began() {
    let (mut harness, _, _) = following();
    assert!(harness.state().state().search.follows());
    click(&mut harness, "Follow");
    assert!(!harness.state().state().search.follows());
}
