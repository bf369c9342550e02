//! Hits in place of the list, and what a search says of itself.

use super::*;

#[test]
fn hits_take_the_place_of_the_list_and_give_it_back() {
    let (mut harness, fake, request) = search("o-47");
    assert!(shows(&harness, "Beginning…"));
    assert!(shows(&harness, "No hits yet"));
    let found = hits(&request, 300_000, 5);
    publish(&mut harness, &fake, running(&request, found.clone()));
    let expected: Vec<String> = found.iter().map(|hit| label(hit)).collect();
    assert_eq!(names(&harness), expected);
    // A hit is read like any other record.
    click(&mut harness, &expected[1]);
    let shown = harness.state().state().record.clone().unwrap();
    assert_eq!((shown.at(), shown.offset), (found[1].at(), found[1].offset));
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(
        harness.state().state().record.as_ref().unwrap().offset,
        found[2].offset
    );
    fake.take();
    click(&mut harness, "Close search");
    assert!(is_ended(&fake));
    assert!(!shows(&harness, "Pause"));
    assert!(names(&harness).len() > 5);
}

#[test]
fn rows_keep_their_place_when_hits_come_in_before_them() {
    let (mut harness, fake, request) = search("o-47");
    let all = hits(&request, 30_000, 150);
    let late: Vec<_> = all.iter().skip(100).cloned().collect();
    publish(&mut harness, &fake, running(&request, late));
    let before = rows(&harness);
    assert!(before.len() > 5);
    publish(&mut harness, &fake, running(&request, all.clone()));
    assert_eq!(rows(&harness), before);
    // What came before them is above.
    let row = harness.get_by_label(&before[2].1).rect();
    harness.hover_at(row.center());
    harness.run();
    wheel(&mut harness, egui::vec2(0.0, 240.0), Modifiers::NONE);
    assert_ne!(rows(&harness), before);
    assert!(shows_part(&harness, &format!("of {} hits", all.len())));
}

#[test]
fn hits_are_sorted_by_any_column() {
    let (mut harness, fake, request) = search("o-47");
    let found = hits(&request, 300_000, 6);
    publish(&mut harness, &fake, ended(&request, found.clone()));
    let jumps = fake.last_table().map(|table| table.jump);
    click(&mut harness, "Offset");
    let mut by_offset = found.clone();
    by_offset.sort_by_key(|hit| (hit.topic.clone(), hit.partition, hit.offset));
    let expected: Vec<String> = by_offset.iter().map(|hit| label(hit)).collect();
    assert_eq!(names(&harness), expected);
    click(&mut harness, "Key");
    let mut by_key = found;
    by_key.sort_by_key(|hit| hit.key.clone());
    let expected: Vec<String> = by_key.iter().map(|hit| label(hit)).collect();
    assert_eq!(names(&harness), expected);
    // The list is asked for nothing else meanwhile.
    assert_eq!(fake.last_table().map(|table| table.jump), jumps);
}

#[test]
fn what_was_covered_is_said_with_rate_and_first_hit() {
    let (mut harness, fake, request) = search("o-47");
    let mut view = running(&request, hits(&request, 300_000, 5));
    view.hits = 2_345_678;
    view.not_held = 2_345_673;
    view.expression_failures = Some((3, "null has no keys".into()));
    publish(&mut harness, &fake, view);
    assert!(shows_part(
        &harness,
        "Searched 12,400,000 of up to 80,000,000 records of orders, 14:0"
    ));
    assert!(shows_part(&harness, "p0 of 4 partitions complete"));
    assert!(shows_part(
        &harness,
        "showing 5 of 2,345,678 hits; at most 64 MB are held"
    ));
    assert!(shows_part(&harness, "1,234,567 records/s, 123 MB/s"));
    assert!(shows_part(&harness, "first hit after 0.4 s"));
    assert!(shows_part(
        &harness,
        "an expression failed on 3 records: null has no keys"
    ));
    assert!(shows(&harness, "reading 123 MB/s, 1.2 GB so far"));
}

#[test]
fn no_hits_says_what_was_searched() {
    let (mut harness, fake, request) = search("o-47");
    publish(&mut harness, &fake, ended(&request, vec![]));
    assert!(shows_part(
        &harness,
        "No hits: searched all 79,999,120 records of orders, 14:0"
    ));
}

#[test]
fn a_search_is_paused_resumed_and_stopped() {
    let (mut harness, fake, request) = search("o-47");
    publish(&mut harness, &fake, running(&request, vec![]));
    fake.take();
    click(&mut harness, "Pause");
    click(&mut harness, "Stop");
    let asked = controls(&fake);
    assert_eq!(asked, [SearchControl::Pause, SearchControl::Stop]);
    publish(&mut harness, &fake, stopped(&request, vec![]));
    assert!(shows_part(&harness, "Stopped by you: searched 12,400,000"));
    click(&mut harness, "Resume");
    assert_eq!(controls(&fake), [SearchControl::Resume]);
    publish(&mut harness, &fake, ended(&request, vec![]));
    click(&mut harness, "Resume");
    click(&mut harness, "Stop");
    assert!(controls(&fake).is_empty());
}

#[test]
fn a_search_is_widened_to_all_of_its_topic() {
    let (mut harness, fake) = shop();
    click(&mut harness, "orders");
    drag(
        &mut harness,
        ("Lane orders / 1", 0.1),
        ("Lane orders / 1", 0.6),
    );
    let request = search_for(&mut harness, &fake, "o-47");
    assert_eq!(request.partitions.len(), 1);
    publish(&mut harness, &fake, ended(&request, vec![]));
    click(&mut harness, "Search all of orders…");
    let wider = fake.last_search().unwrap();
    assert_eq!(wider.partitions.len(), 4);
    assert_eq!(wider.span, TableSpan::All);
    assert_eq!(wider.filters, request.filters);
    assert!(wider.number > request.number);
}

#[test]
fn what_a_search_may_cost_is_said_and_asked() {
    let (mut harness, fake, request) = search("o-47");
    publish(&mut harness, &fake, asking(&request));
    assert!(shows(
        &harness,
        "This may read up to 80,000,000 records, about 8 GB, of 4 partitions in 1 topic; at most 20 MB/s, so about 6 min"
    ));
    fake.take();
    click(&mut harness, "Full speed…");
    assert!(controls(&fake).is_empty());
    click(&mut harness, "Keep the limit");
    click(&mut harness, "Full speed…");
    click(&mut harness, "Full speed");
    click(&mut harness, "Begin search");
    assert_eq!(
        controls(&fake),
        [SearchControl::FullSpeed, SearchControl::Begin]
    );
    click(&mut harness, "Cancel");
    assert!(is_ended(&fake));
}

#[test]
fn brokers_that_ask_for_patience_are_shown() {
    let (mut harness, fake, request) = search("o-47");
    let view = SearchView {
        throttled_ms: 250,
        bytes_per_second_at_most: Some(20_000_000),
        ..running(&request, vec![])
    };
    publish(&mut harness, &fake, view);
    assert!(shows_part(
        &harness,
        "the brokers ask for patience, 250 ms each second"
    ));
    assert!(shows(
        &harness,
        "reading 123 MB/s of 20 MB/s allowed, 1.2 GB so far"
    ));
}

#[test]
fn a_search_that_cannot_be_done_says_why() {
    let (mut harness, fake, request) = search("o-47");
    let problem = Problem::new(ProblemKind::Unreachable, "you may not read orders");
    let view = SearchView {
        stage: SearchStage::Failed(problem),
        ..running(&request, vec![])
    };
    publish(&mut harness, &fake, view);
    assert!(shows_part(
        &harness,
        "This cannot be searched: you may not read orders"
    ));
    click(&mut harness, "Back to the list");
    assert!(!shows(&harness, "Search records"));
}

#[test]
fn the_list_is_shown_while_the_search_goes_on() {
    let (mut harness, fake, request) = search("o-47");
    let found = hits(&request, 300_000, 4);
    publish(&mut harness, &fake, running(&request, found.clone()));
    click(&mut harness, "Show list");
    assert!(names(&harness).len() > 4);
    assert!(shows_part(&harness, "Searched 12,400,000"));
    click(&mut harness, "Show hits");
    assert_eq!(names(&harness).len(), 4);
}

#[test]
fn a_frame_costs_the_rows_on_screen_however_many_hits_there_are() {
    let (mut harness, fake, request) = search("o-47");
    let one = hits(&request, 300_000, 1).remove(0);
    let many: Vec<_> = (0..100_000_i64)
        .map(|index| {
            let mut hit = tideline::model::Record::clone(&one);
            hit.offset = Offset(index);
            hit.timestamp = one.timestamp.map(|at| TimestampMs(at.0 + index));
            Arc::new(hit)
        })
        .collect();
    publish(&mut harness, &fake, running(&request, many));
    assert!(shows_part(&harness, "of 100,000 hits"));
    let cost = harness.state().table_cost();
    assert!(cost.rows < 30 && cost.rows > 3, "{cost:?}");
    harness.run_steps(2);
    assert_eq!(harness.state().table_cost().made, 0);
    assert!(harness.state().cost().vertices < 120_000);
}
