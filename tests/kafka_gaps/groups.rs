//! What groups lose, skip or wait for, and groups beside them that lack nothing.

use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::{Offset, TopicPartitionList};
use serde_json::Value;

use crate::support::{tools, wait_for};
use crate::{Lab, alarms, expected, findings, now_ms, of_kind, place, says};

const NONE: [Value; 0] = [];

#[test]
fn records_deleted_under_one_of_two_groups_are_lost_to_that_one() {
    let lab = Lab::get();
    lab.topic("deleted", 2);
    lab.fill("deleted", 0, 0..50);
    lab.fill("deleted", 1, 0..50);
    lab.cluster
        .commit("lost-some", &[("deleted", 0, 10), ("deleted", 1, 50)]);
    lab.cluster
        .commit("lost-none", &[("deleted", 0, 50), ("deleted", 1, 50)]);
    lab.cluster.delete_records_before("deleted", 0, 30);

    let run = lab.gaps(&["--topic", "deleted"]).exits(1);
    let lost = of_kind(&run, "G4");
    assert_eq!(
        lost.iter().map(place).collect::<Vec<_>>(),
        [expected("G4", 0, (10, 29), 20, "proof", false)]
    );
    assert_eq!(lost[0]["group"], "lost-some");
    assert_eq!(lost[0]["concerns"], "group");
    says(&lost[0], &["20", "lost-some"]);
    assert_eq!(alarms(&run).len(), 1);

    let run = lab
        .gaps(&["--topic", "deleted", "--group", "lost-none"])
        .exits(0);
    assert_eq!(findings(&run), NONE);
}

#[test]
fn a_committed_offset_beyond_the_end_is_invalid_for_sure() {
    let lab = Lab::get();
    lab.topic("beyond", 1);
    lab.fill("beyond", 0, 0..5);
    lab.cluster.commit("ahead", &[("beyond", 0, 12)]);
    lab.cluster.commit("at-the-end", &[("beyond", 0, 5)]);

    let run = lab.gaps(&["--topic", "beyond"]).exits(1);
    let beyond = of_kind(&run, "G5");
    assert_eq!(beyond.len(), 1);
    assert_eq!(beyond[0]["group"], "ahead");
    assert_eq!(beyond[0]["certainty"], "proof");
    assert_eq!(beyond[0]["evidence"]["committed_offset"], 12);
    assert_eq!(beyond[0]["evidence"]["high_watermark"], 5);
    assert_eq!(alarms(&run).len(), 1);
}

#[test]
fn partitions_where_a_group_never_committed_are_named() {
    let lab = Lab::get();
    lab.topic("never", 3);
    lab.fill("never", 0, 0..10);
    lab.fill("never", 1, 0..7);
    lab.cluster.commit("partly", &[("never", 0, 10)]);
    let run = lab.gaps(&["--topic", "never"]).exits(0);
    let never: Vec<_> = of_kind(&run, "G8");
    // Partition 2 holds nothing.
    assert_eq!(
        never.iter().map(place).collect::<Vec<_>>(),
        [expected("G8", 1, (0, 6), 7, "proof", false)]
    );
    assert_eq!(never[0]["group"], "partly");
    assert_eq!(alarms(&run).len(), 1);
}

/// A member that reads what it is told to and commits it.
struct Reader {
    client: BaseConsumer,
    topic: &'static str,
}

impl Reader {
    fn join(lab: &Lab, group: &str, topic: &'static str) -> Self {
        let client: BaseConsumer = ClientConfig::new()
            .set("bootstrap.servers", lab.kafka.bootstrap())
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "earliest")
            .create()
            .unwrap();
        client.subscribe(&[topic]).unwrap();
        let reader = Self { client, topic };
        wait_for("the assignment", || {
            drop(reader.client.poll(Duration::from_millis(100)));
            let assigned = reader.client.assignment().ok()?;
            (assigned.count() > 0).then_some(())
        });
        reader
    }

    fn commit(&self, partition: i32, offset: i64) {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(self.topic, partition, Offset::Offset(offset))
            .unwrap();
        wait_for("the commit", || {
            drop(self.client.poll(Duration::from_millis(10)));
            self.client.commit(&list, CommitMode::Sync).ok()
        });
    }
}

#[test]
fn a_bookmark_that_a_tool_moved_forward_jumped_over_events() {
    let lab = Lab::get();
    lab.topic("jumped", 1);
    lab.fill("jumped", 0, 0..2_000);
    let reader = Reader::join(lab, "skipped", "jumped");
    for offset in [100, 200, 300, 400, 500, 600] {
        reader.commit(0, offset);
    }
    drop(reader);
    wait_for("the group to be empty", || {
        (tools::group_states(lab.kafka).get("skipped")?.members == 0).then_some(())
    });
    tools::run(
        lab.kafka,
        "consumer.group.ConsumerGroupCommand",
        &[
            "--reset-offsets",
            "--group",
            "skipped",
            "--topic",
            "jumped",
            "--to-offset",
            "1804",
            "--execute",
        ],
    );
    let reader = Reader::join(lab, "skipped", "jumped");
    reader.commit(0, 1_900);
    reader.commit(0, 2_000);
    // One beside it that reads in large steps.
    let other = Reader::join(lab, "large-steps", "jumped");
    other.commit(0, 50);
    other.commit(0, 2_000);

    let run = lab.gaps(&["--topic", "jumped"]).exits(0);
    let jumps = of_kind(&run, "G7");
    assert_eq!(
        jumps.iter().map(place).collect::<Vec<_>>(),
        [expected("G7", 0, (600, 1_803), 1_204, "strong", false)]
    );
    assert_eq!(jumps[0]["group"], "skipped");
    says(&jumps[0], &["1,204", "skipped"]);
    assert_eq!(
        run.json()["coverage"]["history"]["source"],
        "commit_log",
        "{}",
        run.stdout
    );
    assert_eq!(alarms(&run).len(), 1, "{}", run.stdout);
}

#[test]
fn a_reader_that_is_no_member_is_hidden() {
    let lab = Lab::get();
    lab.topic("hidden", 1);
    lab.fill("hidden", 0, 0..100);
    for offset in [10, 20, 30, 40] {
        lab.cluster.commit("assigns", &[("hidden", 0, offset)]);
        std::thread::sleep(Duration::from_millis(1_200));
    }
    let run = lab.gaps(&["--topic", "hidden"]).exits(0);
    let hidden = of_kind(&run, "G18");
    assert_eq!(hidden.len(), 1, "{}", run.stdout);
    assert_eq!(hidden[0]["group"], "assigns");
    assert_eq!(hidden[0]["certainty"], "proof");
    assert_eq!(of_kind(&run, "G7"), NONE);
}

#[test]
fn a_partition_that_stands_still_while_its_siblings_move_is_stuck_on_one_record() {
    let lab = Lab::get();
    lab.topic("poison", 2);
    lab.fill("poison", 0, 0..40);
    lab.fill("poison", 1, 0..40);
    let reader = Reader::join(lab, "poisoned", "poison");
    reader.commit(0, 17);
    for offset in [5, 10, 15] {
        reader.commit(1, offset);
        std::thread::sleep(Duration::from_secs(2));
    }
    reader.commit(1, 20);
    let run = lab
        .gaps(&["--topic", "poison", "--stuck-after", "4s"])
        .exits(0);
    let stuck = of_kind(&run, "G17");
    assert_eq!(
        stuck.iter().map(place).collect::<Vec<_>>(),
        [expected("G17", 0, (17, 17), 1, "strong", false)],
        "{}",
        run.stdout
    );
    assert_eq!(stuck[0]["group"], "poisoned");
    assert_eq!(of_kind(&run, "G16"), NONE);
    // By default a few seconds are nothing.
    let run = lab.gaps(&["--topic", "poison"]).exits(0);
    assert_eq!(alarms(&run), NONE, "{}", run.stdout);
}

#[test]
fn a_member_that_stands_still_everywhere_is_stuck() {
    let lab = Lab::get();
    lab.topic("stuck", 1);
    lab.fill("stuck", 0, 0..40);
    let reader = Reader::join(lab, "stands-still", "stuck");
    reader.commit(0, 4);
    std::thread::sleep(Duration::from_secs(5));
    let run = lab
        .gaps(&["--topic", "stuck", "--stuck-after", "4s"])
        .exits(0);
    let stuck = of_kind(&run, "G16");
    assert_eq!(stuck.len(), 1, "{}", run.stdout);
    assert_eq!(stuck[0]["group"], "stands-still");
    assert_eq!(stuck[0]["partition"], 0);
    drop(reader);
}

#[test]
fn nobody_waits_for_records_that_were_withdrawn() {
    let lab = Lab::get();
    lab.topic("tail", 1);
    let producer = lab.cluster.transactional("tail-producer");
    let records: Vec<(i64, &str, &str)> = (0..10).map(|_| (now_ms(), "k", "v")).collect();
    producer.begin("tail", 0, &records);
    producer.commit();
    // The mark of the first takes offset 10.
    producer.begin("tail", 0, &records[..4]);
    producer.abort();
    lab.cluster.wait_for_high_watermark("tail", 0, 16);
    // As most frameworks do, both commit the offset behind the record that they have worked on.
    let done = Reader::join(lab, "reads-all", "tail");
    done.commit(0, 10);
    let behind = Reader::join(lab, "reads-not-all", "tail");
    behind.commit(0, 7);
    std::thread::sleep(Duration::from_secs(5));
    let run = lab
        .gaps(&["--topic", "tail", "--stuck-after", "4s"])
        .exits(0);
    let stuck = of_kind(&run, "G16");
    assert_eq!(
        stuck.iter().map(place).collect::<Vec<_>>(),
        [expected("G16", 0, (7, 15), 9, "strong", false)],
        "{}",
        run.stdout
    );
    assert_eq!(stuck[0]["group"], "reads-not-all");
    assert_eq!(stuck[0]["evidence"]["next_for_careful_readers"], 7);
    drop((done, behind));
}

#[test]
fn a_member_that_commits_and_leaves_raises_no_alarm() {
    let lab = Lab::get();
    lab.topic("comes-and-goes", 1);
    lab.fill("comes-and-goes", 0, 0..1_000);
    for offset in [200, 500, 1_000] {
        let reader = Reader::join(lab, "now-and-then", "comes-and-goes");
        reader.commit(0, offset);
        drop(reader);
        wait_for("the group to be empty", || {
            (tools::group_states(lab.kafka).get("now-and-then")?.members == 0).then_some(())
        });
    }
    let run = lab.gaps(&["--topic", "comes-and-goes"]).exits(0);
    assert_eq!(alarms(&run), NONE, "{}", run.stdout);
}

#[test]
fn healthy_groups_of_every_protocol_raise_no_alarm() {
    let lab = Lab::get();
    for protocol in ["classic", "consumer"] {
        let group = format!("healthy-{protocol}");
        let topic = format!("healthy-{protocol}-topic");
        lab.topic(&topic, 3);
        for partition in 0..3 {
            lab.fill(&topic, partition, 0..100);
        }
        let _member = lab.cluster.join(
            &group,
            &topic,
            &[
                ("group.protocol", protocol),
                ("enable.auto.commit", "true"),
                ("auto.commit.interval.ms", "200"),
            ],
        );
        wait_for("everything to be read", || {
            let committed = tools::committed(lab.kafka, &group);
            (committed.values().sum::<i64>() == 300).then_some(())
        });
        for n in 100..103 {
            lab.fill(&topic, 0, n..n + 1);
            std::thread::sleep(Duration::from_millis(400));
        }
        let run = lab.gaps(&["--topic", &topic]).exits(0);
        assert_eq!(alarms(&run), NONE, "{}", run.stdout);
    }
}

#[test]
fn what_was_named_and_is_not_there_is_said() {
    let lab = Lab::get();
    let run = lab.gaps(&["--topic", "no-such-topic"]).exits(6);
    run.says(&["no-such-topic"]);
    let run = lab.gaps(&["--group", "no-such-group"]).exits(6);
    run.says(&["no-such-group"]);
    lab.gaps(&["--version-path", "["]).exits(2);
    lab.gaps(&["--from", "now", "--to", "-1h"]).exits(2);
}
