//! Consumer groups through librdkafka.

use std::collections::BTreeSet;
use std::time::Duration;

use rdkafka::admin::AdminOptions;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message as _;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::topic_partition_list::TopicPartitionListElem;
use rdkafka::{Offset, TopicPartitionList};
use tideline::bus::demo::Server;

use super::{admin, at_noon, block_on, config, consumer, live, make_topic, next, wait_for};

const PATIENCE: Duration = Duration::from_secs(30);

fn member(server: &Server, group: &str, topic: &str) -> BaseConsumer {
    let settings = [
        ("group.id", group),
        ("enable.auto.commit", "false"),
        ("auto.offset.reset", "earliest"),
        ("heartbeat.interval.ms", "200"),
    ];
    let member = consumer(server, &settings);
    member.subscribe(&[topic]).unwrap();
    member
}

fn partitions(member: &BaseConsumer) -> BTreeSet<i32> {
    let assigned = member.assignment().unwrap();
    assigned
        .elements()
        .iter()
        .map(TopicPartitionListElem::partition)
        .collect()
}

fn committed(consumer: &BaseConsumer, topic: &str, partition: i32) -> Offset {
    let mut asked = TopicPartitionList::new();
    asked.add_partition(topic, partition);
    let found = consumer.committed_offsets(asked, PATIENCE).unwrap();
    found.elements()[0].offset()
}

#[test]
fn members_share_the_partitions_and_take_over_from_one_another() {
    let server = live();
    make_topic(&server, "work", 4);
    let first = member(&server, "workers", "work");
    wait_for("all partitions", || {
        first.poll(Duration::from_millis(50));
        (partitions(&first).len() == 4).then_some(())
    });
    let second = member(&server, "workers", "work");
    wait_for("half of the partitions each", || {
        first.poll(Duration::from_millis(20));
        second.poll(Duration::from_millis(20));
        let (one, other) = (partitions(&first), partitions(&second));
        (one.len() == 2 && other.len() == 2 && one.is_disjoint(&other)).then_some(())
    });
    second.unsubscribe();
    drop(second);
    wait_for("all partitions again", || {
        first.poll(Duration::from_millis(50));
        (partitions(&first).len() == 4).then_some(())
    });
}

#[test]
fn a_group_goes_on_where_it_committed() {
    let server = live();
    make_topic(&server, "jobs", 1);
    let producer: BaseProducer = config(&server).create().unwrap();
    for value in ["a", "b", "c"] {
        producer
            .send(BaseRecord::<[u8], _>::to("jobs").payload(value))
            .unwrap();
    }
    producer.flush(PATIENCE).unwrap();
    let first = member(&server, "jobbers", "jobs");
    next(&first, 2, |record| {
        first.commit_message(record, CommitMode::Sync).unwrap();
    });
    assert_eq!(committed(&first, "jobs", 0), Offset::Offset(2));
    drop(first);
    let second = member(&server, "jobbers", "jobs");
    let read = next(&second, 1, |record| record.payload().map(<[u8]>::to_vec));
    assert_eq!(read, [Some(b"c".to_vec())]);
}

#[test]
fn a_member_that_dies_is_missed() {
    let server = live();
    make_topic(&server, "watch", 2);
    let settings = [
        ("group.id", "watchers"),
        ("session.timeout.ms", "1500"),
        ("heartbeat.interval.ms", "200"),
        // It never says good-bye.
        ("max.poll.interval.ms", "2000"),
    ];
    // Neither is closed: librdkafka may wait for ever when it closes a member that was put out of its group.
    let silent = Box::leak(Box::new(consumer(&server, &settings)));
    silent.subscribe(&["watch"]).unwrap();
    wait_for("an assignment", || {
        silent.poll(Duration::from_millis(50));
        (partitions(silent).len() == 2).then_some(())
    });
    let heir = Box::leak(Box::new(consumer(&server, &settings)));
    heir.subscribe(&["watch"]).unwrap();
    // Only the heir polls; the other is put out of the group once its interval is over.
    wait_for("the inheritance", || {
        heir.poll(Duration::from_millis(50));
        (partitions(heir).len() == 2).then_some(())
    });
}

#[test]
fn groups_are_listed_with_state_and_members() {
    let server = at_noon();
    let consumer = consumer(&server, &[]);
    let list = consumer.fetch_group_list(None, PATIENCE).unwrap();
    let mut seen: Vec<(&str, &str, usize)> = list
        .groups()
        .iter()
        .map(|group| (group.name(), group.state(), group.members().len()))
        .collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            ("audit", "Stable", 1),
            ("billing", "Stable", 2),
            ("fraud-check", "Stable", 1),
            ("reports", "Empty", 0),
            ("shipping", "Stable", 2),
        ]
    );
    let billing = consumer
        .fetch_group_list(Some("billing"), PATIENCE)
        .unwrap();
    let member = &billing.groups()[0].members()[0];
    assert_eq!(
        (member.client_id(), member.client_host()),
        ("billing-7f9c", "/10.2.0.4")
    );
}

#[test]
fn a_group_with_members_lets_nobody_else_commit() {
    let server = at_noon();
    let mut positions = TopicPartitionList::new();
    positions
        .add_partition_offset("orders", 0, Offset::Offset(3))
        .unwrap();
    let outsider = consumer(&server, &[("group.id", "billing")]);
    let refused = outsider.commit(&positions, CommitMode::Sync).unwrap_err();
    let code = RDKafkaErrorCode::UnknownMemberId;
    assert_eq!(refused, KafkaError::ConsumerCommit(code));
    let outsider = consumer(&server, &[("group.id", "reports")]);
    outsider.commit(&positions, CommitMode::Sync).unwrap();
    assert_eq!(committed(&outsider, "orders", 0), Offset::Offset(3));
}

#[test]
fn only_a_group_without_members_can_be_deleted() {
    let server = at_noon();
    let deleted = block_on(
        admin(&server).delete_groups(&["reports", "billing", "nobody"], &AdminOptions::new()),
    );
    let mut deleted = deleted.unwrap();
    deleted.sort_by_key(|result| match result {
        Ok(name) | Err((name, _)) => name.clone(),
    });
    let failed = |name: &str, code| Err((name.to_owned(), code));
    assert_eq!(
        deleted,
        [
            failed("billing", RDKafkaErrorCode::NonEmptyGroup),
            failed("nobody", RDKafkaErrorCode::GroupIdNotFound),
            Ok("reports".to_owned()),
        ]
    );
}
