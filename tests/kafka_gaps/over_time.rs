//! What only somebody sees who remembers how it was before.

use std::time::Duration;

use serde_json::Value;

use crate::support::{tools, wait_for};
use crate::{Lab, alarms, expected, of_kind, place};

#[test]
fn a_topic_that_was_made_anew_is_told_from_one_that_was_cut_back() {
    let lab = Lab::get();
    let home = tempfile::tempdir().unwrap();
    lab.topic("recreated", 1);
    lab.fill("recreated", 0, 0..50);
    lab.cluster
        .commit("reads-recreated", &[("recreated", 0, 50)]);
    lab.gaps_at(home.path(), &["--topic", "recreated"]).exits(0);
    tools::run(
        lab.kafka,
        "TopicCommand",
        &["--delete", "--topic", "recreated"],
    );
    wait_for("the topic to be gone", || {
        let topics = tools::topics(lab.kafka);
        (!topics.contains_key("recreated")).then_some(())
    });
    lab.topic("recreated", 1);
    lab.fill("recreated", 0, 0..5);
    // A consumer that went on through it commits where it believes to be.
    lab.cluster
        .commit("reads-recreated", &[("recreated", 0, 50)]);

    let run = lab.gaps_at(home.path(), &["--topic", "recreated"]).exits(1);
    let beyond = of_kind(&run, "G5");
    assert_eq!(beyond.len(), 1, "{}", run.stdout);
    assert_eq!(beyond[0]["certainty"], "proof");
    assert_eq!(beyond[0]["evidence"]["cause"], "recreated");
}

#[test]
fn records_in_a_new_partition_before_a_group_knew_of_it_were_possibly_skipped() {
    let lab = Lab::get();
    let home = tempfile::tempdir().unwrap();
    lab.topic("grown", 1);
    lab.fill("grown", 0, 0..10);
    lab.cluster.commit("reads-grown", &[("grown", 0, 10)]);
    let run = lab.gaps_at(home.path(), &["--topic", "grown"]).exits(0);
    assert_eq!(alarms(&run), Vec::<Value>::new());
    tools::run(
        lab.kafka,
        "TopicCommand",
        &["--alter", "--topic", "grown", "--partitions", "2"],
    );
    wait_for("the partition", || {
        (lab.cluster.watermarks("grown", 1) == (0, 0)).then_some(())
    });
    lab.fill("grown", 1, 0..8);
    std::thread::sleep(Duration::from_secs(1));
    // The group begins at the end, as auto.offset.reset=latest does.
    lab.cluster.commit("reads-grown", &[("grown", 1, 8)]);

    let run = lab.gaps_at(home.path(), &["--topic", "grown"]).exits(0);
    let added = of_kind(&run, "G9");
    assert_eq!(
        added.iter().map(place).collect::<Vec<_>>(),
        [expected("G9", 1, (0, 7), 8, "hint", false)],
        "{}",
        run.stdout
    );
    let moved = of_kind(&run, "G23");
    assert_eq!(moved.len(), 1, "{}", run.stdout);
    assert_eq!(moved[0]["normal"], true);
}

#[test]
fn a_bookmark_that_somebody_deleted_is_noticed() {
    let lab = Lab::get();
    lab.topic("forgotten", 2);
    lab.fill("forgotten", 0, 0..10);
    lab.fill("forgotten", 1, 0..10);
    lab.cluster
        .commit("forgets", &[("forgotten", 0, 10), ("forgotten", 1, 6)]);
    tools::run(
        lab.kafka,
        "consumer.group.ConsumerGroupCommand",
        &[
            "--delete-offsets",
            "--group",
            "forgets",
            "--topic",
            "forgotten:1",
        ],
    );
    let run = lab.gaps(&["--topic", "forgotten"]).exits(0);
    let forgotten = of_kind(&run, "G19");
    assert_eq!(forgotten.len(), 1, "{}", run.stdout);
    assert_eq!(forgotten[0]["partition"], 1);
    assert_eq!(forgotten[0]["certainty"], "hint");
    assert_eq!(forgotten[0]["evidence"]["committed_offset"], 6);
}
