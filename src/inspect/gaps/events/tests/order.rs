use super::*;
use crate::model::PartitionId;

fn at(offset: i64, key: &str, ms: i64) -> Record {
    Record {
        timestamp: Some(TimestampMs(ms)),
        ..record("t", offset, key)
    }
}

#[test]
fn times_of_one_key_that_go_backwards_were_written_late() {
    let events = of([
        at(0, "a", 10_000),
        at(1, "b", 20_000),
        at(2, "a", 15_000),
        at(3, "a", 14_000),
        at(4, "a", 12_000),
        at(5, "b", 21_000),
    ]);
    // Offset 3 is a second early, which clocks may differ by; offset 4 is three.
    assert_eq!(told(&events, &[]), [("G15", 2, 4, "strong", false)]);
    let finding = &events.findings(NOW, &[])[0];
    assert_eq!(finding.records, Some(1));
    assert_eq!(finding.from_time, Some(TimestampMs(12_000)));
}

#[test]
fn exactly_as_much_as_clocks_may_differ_is_not_late() {
    assert_eq!(told(&of([at(0, "a", 3_000), at(1, "a", 1_000)]), &[]), []);
    assert_eq!(
        told(&of([at(0, "a", 3_001), at(1, "a", 1_000)]), &[]).len(),
        1
    );
}

#[test]
fn times_that_the_broker_set_other_partitions_and_unknown_setters_say_nothing() {
    let pair = |change: fn(&mut Record)| {
        let (first, mut second) = (at(0, "a", 50_000), at(1, "a", 10_000));
        let mut first = first;
        change(&mut first);
        change(&mut second);
        told(&of([first, second]), &[])
    };
    assert_eq!(pair(|_| ()).len(), 1);
    assert_eq!(
        pair(|record| record.timestamp_type = Some(TimestampType::LogAppendTime)),
        []
    );
    assert_eq!(pair(|record| record.timestamp_type = None), []);
    assert_eq!(pair(|record| record.topic = "t-dlt".into()), []);
    assert_eq!(pair(|record| record.key = None), []);
    assert_eq!(pair(|record| record.visibility = Visibility::Aborted), []);
    assert_eq!(
        pair(|record| record.partition = PartitionId(i32::from(record.offset.0 == 0))),
        []
    );
}

#[test]
fn one_record_of_the_future_does_not_put_all_behind_it_in_the_wrong() {
    let events = of([
        at(0, "a", 1_000),
        at(1, "a", 9_000_000),
        at(2, "a", 3_000),
        at(3, "a", 4_000),
    ]);
    assert_eq!(told(&events, &[]), [("G15", 1, 2, "strong", false)]);
}

#[test]
fn a_copy_of_an_event_is_told_as_that_and_not_as_late() {
    let id = |record, id| with(record, &[("event-id", id)]);
    let events = of([
        id(at(0, "a", 1_000), "1"),
        id(at(1, "a", 9_000), "2"),
        id(at(2, "a", 1_000), "1"),
    ]);
    assert_eq!(told(&events, &[]), [("G14", 0, 2, "strong", false)]);
}

#[test]
fn a_topic_whose_times_are_no_times_of_writing_is_told_once() {
    // Each second record is an hour early.
    let events = of((0..100).map(|n| at(n, "a", n * 1_000 - (n % 2) * 3_600_000)));
    assert_eq!(told(&events, &[]), [("G15", -1, -1, "hint", false)]);
}

fn sequences(values: &[&str]) -> Events {
    of(values.iter().zip(0..).map(|(value, offset)| {
        let headers = [("ce_sequence", *value), ("ce_source", "/s")];
        with(record("t", offset, "k"), &headers)
    }))
}

#[test]
fn sequences_are_compared_as_text_and_counted_only_where_they_count() {
    let told = |values: &[&str]| told(&sequences(values), &[]);
    assert_eq!(told(&["001", "002", "003"]), []);
    assert_eq!(
        told(&["002", "001", "003"]),
        [("G12", 0, 1, "strong", false)]
    );
    assert_eq!(told(&["b", "a", "c"]), [("G12", 0, 1, "strong", false)]);
    assert_eq!(told(&["001", "004"]), [("G12", 0, 1, "hint", false)]);
    assert_eq!(told(&["a1", "a4", "b"]), []);
    // The same one twice is not out of order.
    assert_eq!(told(&["001", "001", "002"]), []);
}

#[test]
fn a_hole_of_a_source_says_what_is_missing() {
    let events = sequences(&["008", "009", "012"]);
    let finding = &events.findings(NOW, &[])[0];
    assert_eq!(finding.records, Some(2));
    assert_eq!(
        finding.sentence,
        "/s went from sequence 9 to 12 in t/0: 2 numbers between them were not seen."
    );
    assert_eq!(told(&events, &[compacted("t")]), []);
}

#[test]
fn numbers_of_several_widths_have_no_holes_and_are_told_once() {
    assert_eq!(
        told(&sequences(&["8", "9", "10", "11", "15"]), &[]),
        [("G12", 2, 2, "hint", false)]
    );
    // It turns out later that they are no numbers.
    assert_eq!(told(&sequences(&["001", "004", "x"]), &[]), []);
}

#[test]
fn sequences_are_counted_over_partitions_and_ordered_within_them() {
    let event = |partition, offset, sequence: &str, source: &str| {
        let headers = [("ce_sequence", sequence), ("ce_source", source)];
        Record {
            partition: PartitionId(partition),
            ..with(record("t", offset, "k"), &headers)
        }
    };
    let events = of([
        event(0, 0, "001", "/s"),
        event(0, 1, "003", "/s"),
        event(1, 0, "002", "/s"),
        event(1, 1, "001", "/other"),
        event(1, 2, "004", "/s"),
    ]);
    assert_eq!(told(&events, &[]), []);
}

#[test]
fn a_source_that_jumps_does_not_count() {
    assert_eq!(told(&sequences(&["010", "020", "030", "040"]), &[]), []);
}
