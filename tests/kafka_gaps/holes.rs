//! Offsets that hold no record, and are normal.

use crate::support::raw::{self, Record};
use crate::support::wait_for;
use crate::{Lab, alarms, expected, now_ms, of_kind, place, says};

#[test]
fn ten_transactions_leave_ten_marks_and_no_alarm() {
    let lab = Lab::get();
    lab.topic("ten-transactions", 1);
    let producer = lab.cluster.transactional("ten-transactions");
    for n in 0..10 {
        producer.begin("ten-transactions", 0, &[(now_ms(), "k", "one")]);
        producer.commit();
        // The broker answers before the marker is in the log.
        lab.cluster
            .wait_for_high_watermark("ten-transactions", 0, 2 * n + 2);
    }
    // A group that has read everything stands at 19, before the last mark: it lacks nothing.
    lab.cluster
        .commit("reads-transactions", &[("ten-transactions", 0, 19)]);

    let run = lab.gaps(&["--topic", "ten-transactions"]).exits(0);
    let marks: Vec<_> = of_kind(&run, "G1").iter().map(place).collect();
    let by_hand: Vec<_> = (0..10)
        .map(|n| 2 * n + 1)
        .map(|at| expected("G1", 0, (at, at), 1, "proof", true))
        .collect();
    let mut sorted = marks;
    sorted.sort();
    assert_eq!(sorted.len(), 10);
    for mark in by_hand {
        assert!(sorted.contains(&mark), "{mark:?} is not among {sorted:?}");
    }
    assert_eq!(alarms(&run), Vec::<serde_json::Value>::new());
}

#[test]
fn an_aborted_transaction_is_withdrawn_and_normal() {
    let lab = Lab::get();
    lab.topic("withdrawn", 1);
    lab.fill("withdrawn", 0, 0..3);
    let producer = lab.cluster.transactional("withdrawn");
    let at = now_ms();
    producer.begin(
        "withdrawn",
        0,
        &[
            (at, "a", "1"),
            (at, "a", "2"),
            (at, "a", "3"),
            (at, "a", "4"),
        ],
    );
    producer.abort();
    lab.cluster.wait_for_high_watermark("withdrawn", 0, 8);
    lab.fill("withdrawn", 0, 3..5);
    lab.cluster
        .commit("reads-withdrawn", &[("withdrawn", 0, 10)]);

    let run = lab.gaps(&["--topic", "withdrawn"]).exits(0);
    let withdrawn = of_kind(&run, "G2");
    assert_eq!(
        withdrawn.iter().map(place).collect::<Vec<_>>(),
        [expected("G2", 0, (3, 6), 4, "proof", true)]
    );
    says(&withdrawn[0], &["withdr"]);
    assert_eq!(
        of_kind(&run, "G1").iter().map(place).collect::<Vec<_>>(),
        [expected("G1", 0, (7, 7), 1, "proof", true)]
    );
    assert_eq!(alarms(&run), Vec::<serde_json::Value>::new());
}

#[test]
fn what_compaction_took_is_explained() {
    let lab = Lab::get();
    lab.topic_with(
        "cleaned",
        1,
        &[
            ("cleanup.policy", "compact"),
            ("segment.ms", "200"),
            ("min.cleanable.dirty.ratio", "0.01"),
        ],
    );
    let to = lab.kafka.bootstrap();
    // Each batch a second after the one before, which is longer than a segment lives: the last alone stays uncleaned.
    let from = now_ms() - 10_000;
    for (second, keys) in [(0, "a b c a b"), (1, "a b d"), (2, "tail")] {
        let records: Vec<Record> = keys
            .split(' ')
            .map(|key| Record::new(from + second * 1_000, key, format!("{key} in {second}")))
            .collect();
        raw::produce(&to, "cleaned", 0, &records);
    }
    wait_for("the compaction", || {
        (lab.cluster.readable_offsets("cleaned", 0) == [2, 5, 6, 7, 8]).then_some(())
    });
    lab.cluster.commit("reads-cleaned", &[("cleaned", 0, 9)]);

    let run = lab.gaps(&["--topic", "cleaned"]).exits(0);
    // 0 and 1 before c, 3 and 4 behind it: all inside of the first batch, which kept its first and last offset.
    let mut holes: Vec<_> = of_kind(&run, "G3").iter().map(place).collect();
    holes.sort();
    assert_eq!(
        holes,
        [
            expected("G3", 0, (0, 1), 2, "proof", true),
            expected("G3", 0, (3, 4), 2, "proof", true)
        ]
    );
    assert_eq!(alarms(&run), Vec::<serde_json::Value>::new());
}
