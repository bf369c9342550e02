use super::*;
use crate::model::PartitionId;

fn cloud_event(offset: i64, id: &str, source: &str) -> Record {
    with(
        record("t", offset, "k"),
        &[("ce_id", id), ("ce_source", source)],
    )
}

fn event(topic: &str, offset: i64, id: &str, value: &'static str) -> Record {
    Record {
        value: Some(value.as_bytes().into()),
        ..with(record(topic, offset, "k"), &[("Event-Id", id)])
    }
}

#[test]
fn an_event_is_the_same_by_source_and_id() {
    let events = of([
        cloud_event(0, "1", "/shop"),
        cloud_event(1, "2", "/shop"),
        cloud_event(2, "1", "/billing"),
        cloud_event(3, "1", "/shop"),
    ]);
    assert_eq!(told(&events, &[]), [("G14", 0, 3, "strong", false)]);
    assert!(
        events.findings(NOW, &[])[0]
            .sentence
            .contains("tried again")
    );
}

#[test]
fn an_event_as_a_whole_in_the_value_is_known_too() {
    let json = |offset, id: &str| Record {
        value: Some(
            format!("{{\"specversion\":\"1.0\",\"source\":\"/s\",\"id\":\"{id}\"}}")
                .into_bytes()
                .into(),
        ),
        ..record("t", offset, "k")
    };
    let events = of([json(0, "1"), json(1, "2"), json(2, "1")]);
    assert_eq!(told(&events, &[]), [("G14", 0, 2, "strong", false)]);
}

#[test]
fn other_topics_dead_letters_and_withdrawn_copies_are_no_duplicates() {
    let aborted = Record {
        visibility: Visibility::Aborted,
        ..event("t", 1, "e-1", "a")
    };
    let mut events = of([
        event("t", 0, "e-1", "a"),
        event("u", 0, "e-1", "a"),
        event("t-retry-0", 0, "e-1", "a"),
        event("t-retry-0", 1, "e-1", "a"),
        event("t.DLT", 0, "e-1", "a"),
        aborted,
    ]);
    let open = Record {
        visibility: Visibility::Open,
        ..event("t", 3, "e-1", "a")
    };
    events.add(&open, None);
    assert_eq!(told(&events, &[]), []);
    events.add(&event("t", 2, "e-1", "b"), None);
    assert_eq!(told(&events, &[]), [("G14", 0, 2, "hint", false)]);
}

#[test]
fn a_first_copy_that_was_withdrawn_does_not_count() {
    let aborted = Record {
        visibility: Visibility::Aborted,
        ..event("t", 0, "e-1", "a")
    };
    assert_eq!(told(&of([aborted, event("t", 1, "e-1", "a")]), &[]), []);
}

#[test]
fn a_copy_that_may_have_been_withdrawn_is_a_question() {
    let unknown = Record {
        visibility: Visibility::Unknown,
        ..event("t", 1, "e-1", "a")
    };
    let events = of([event("t", 0, "e-1", "a"), unknown]);
    assert_eq!(told(&events, &[]), [("G14", 0, 1, "hint", false)]);
}

#[test]
fn copies_close_together_are_a_retry_and_others_were_sent_again() {
    let cause = |records: [Record; 2]| {
        let findings = of(records).findings(NOW, &[]);
        let evidence = findings[0].evidence.iter();
        let mut cause = evidence.filter(|(name, _)| *name == "cause");
        format!("{:?}", cause.next().unwrap().1)
    };
    let first = || event("t", 0, "e", "a");
    // An offset is a second here.
    let at = |offset, seconds: i64| Record {
        timestamp: Some(TimestampMs(seconds * 1_000)),
        ..event("t", offset, "e", "a")
    };
    assert!(cause([first(), at(1_000, 5_000)]).contains("producer_retry"));
    assert!(cause([first(), at(1_001, 60)]).contains("producer_retry"));
    assert!(cause([first(), at(1_001, 61)]).contains("sent_again"));
    let elsewhere = Record {
        partition: PartitionId(1),
        ..at(1, 1)
    };
    assert!(cause([first(), elsewhere]).contains("sent_again"));
}

#[test]
fn an_id_is_unique_within_its_type() {
    let typed = |offset, kind: &str| {
        let headers = [("message-id", "1"), ("type", kind)];
        with(record("t", offset, "k"), &headers)
    };
    assert_eq!(told(&of([typed(0, "Paid"), typed(1, "Sent")]), &[]), []);
    assert_eq!(
        told(&of([typed(0, "Paid"), typed(1, "Paid")]), &[]).len(),
        1
    );
}

#[test]
fn an_id_that_may_be_an_orders_makes_only_what_is_equal_one_event() {
    let order = |offset, value: &'static str| Record {
        value: Some(value.as_bytes().into()),
        ..with(record("t", offset, "k"), &[("id", "42")])
    };
    assert_eq!(told(&of([order(0, "a"), order(1, "b")]), &[]), []);
    assert_eq!(
        told(&of([order(0, "a"), order(1, "a")]), &[]),
        [("G14", 0, 1, "strong", false)]
    );
}

#[test]
fn a_mark_of_deletion_behind_an_event_is_no_copy_of_it() {
    let deletion = Record {
        value: None,
        ..event("t", 1, "e-1", "a")
    };
    assert_eq!(told(&of([event("t", 0, "e-1", "a"), deletion]), &[]), []);
}

#[test]
fn ids_that_stand_on_many_events_are_told_once() {
    let events = of((0..30).map(|n| {
        let value = ["a", "b", "c"][usize::try_from(n % 3).unwrap()];
        event("t", n, &format!("request-{}", n / 3), value)
    }));
    assert_eq!(told(&events, &[]), [("G14", -1, -1, "hint", false)]);
}

#[test]
fn an_event_is_told_once_however_often_it_was_written() {
    let events = of((0..5).map(|n| event("t", n, "e", "a")));
    let findings = events.findings(NOW, &[]);
    assert_eq!(told(&events, &[]), [("G14", 0, 4, "strong", false)]);
    assert_eq!(findings[0].records, Some(5));
    assert!(findings[0].sentence.contains("written 5 times"));
}

#[test]
fn of_very_many_the_rest_is_one_finding() {
    let once = (0..250).map(|n| event("t", n, &format!("e-{n}"), "a"));
    let again = (0..250).map(|n| event("t", 250 + n, &format!("e-{n}"), "a"));
    let events = of(once.chain(again));
    let findings = events.findings(NOW, &[]);
    assert_eq!(findings.len(), ONE_BY_ONE + 1);
    assert_eq!(findings[ONE_BY_ONE].records, Some(50));
}
