//! `cluster` and `topics`.

use serde_json::json;

use crate::engine::{Reply, TopicsReply};
use crate::model::{
    Broker, BrokerId, Cluster, Offset, Partition, PartitionId, ProblemKind, TimestampType, Topic,
    TopicConfig,
};

use super::{lost, problem, run_with, shared};

fn partition(id: i32, start: i64, stable: i64, high: i64) -> Partition {
    Partition {
        id: PartitionId(id),
        leader: Some(BrokerId(1)),
        replicas: vec![BrokerId(1), BrokerId(2)],
        isr: vec![BrokerId(1)],
        log_start: Ok(Offset(start)),
        high_watermark: Ok(Offset(high)),
        last_stable: Ok(Offset(stable)),
        error: None,
    }
}

fn topic(name: &str, partitions: Vec<Partition>) -> Topic {
    Topic {
        name: name.into(),
        topic_id: Some("abc".to_owned()),
        internal: false,
        config: Ok(TopicConfig {
            cleanup_policy: Some("compact,delete".to_owned()),
            retention_ms: Some(-1),
            timestamp_type: Some(TimestampType::LogAppendTime),
            ..TopicConfig::default()
        }),
        partitions,
        error: None,
    }
}

fn reply(topics: Vec<Topic>) -> Reply {
    Reply::Topics(shared(TopicsReply {
        topics: topics.into_iter().map(shared).collect(),
    }))
}

fn missing() -> Topic {
    let gone = problem(ProblemKind::NotFound, "there is no such topic");
    Topic {
        config: Err(gone.clone()),
        error: Some(gone),
        topic_id: None,
        ..topic("nope", Vec::new())
    }
}

fn cluster() -> Reply {
    Reply::Cluster(shared(Cluster {
        cluster_id: Some("id-1".to_owned()),
        controller: None,
        brokers: vec![Broker {
            id: BrokerId(1),
            host: "kafka\u{202e}.example".to_owned(),
            port: 9092,
            rack: None,
        }],
    }))
}

#[test]
fn a_cluster_in_json() {
    let written = run_with("cluster --json", cluster());
    assert_eq!(
        written.out,
        "{\"cluster_id\":\"id-1\",\"controller\":null,\"brokers\":[{\"id\":1,\"host\":\"kafka\u{202e}.example\",\"port\":9092,\"rack\":null}]}\n"
    );
    assert_eq!((written.code, written.err.as_str()), (0, ""));
}

#[test]
fn a_cluster_as_a_table_hides_nothing() {
    let written = run_with("cluster", cluster());
    assert_eq!(
        written.out,
        "Cluster     id-1\nController  none\n\n\
         BROKER  HOST                   PORT  RACK\n     1  kafka⟨U+202E⟩.example  9092  none\n"
    );
}

#[test]
fn a_topic_in_json_has_the_fields_in_their_order() {
    let written = run_with(
        "topics --json",
        reply(vec![topic("orders", vec![partition(0, 5, 900, 1_000)])]),
    );
    assert_eq!(
        written.out,
        "{\"topics\":[{\"topic\":\"orders\",\"topic_id\":\"abc\",\"internal\":false,\
         \"cleanup_policy\":\"compact,delete\",\"retention_ms\":-1,\"timestamp_type\":\"LogAppendTime\",\
         \"error\":null,\"config_error\":null,\"partitions\":[{\"partition\":0,\"leader\":1,\
         \"replicas\":[1,2],\"isr\":[1],\"log_start_offset\":5,\"last_stable_offset\":900,\
         \"high_watermark\":1000,\"error\":null}]}]}\n"
    );
    assert_eq!(written.code, 0);
}

#[test]
fn settings_that_are_not_known_are_null_and_do_not_change_the_exit_code() {
    let mut forbidden = topic("a", Vec::new());
    forbidden.config = Err(problem(ProblemKind::Forbidden, "not allowed"));
    let mut silent = topic("b", Vec::new());
    silent.config = Ok(TopicConfig {
        cleanup_policy: Some("delete".to_owned()),
        ..TopicConfig::default()
    });
    let written = run_with("topics --json", reply(vec![forbidden, silent]));
    let topics = written.json()["topics"].clone();
    assert_eq!(
        (&topics[0]["retention_ms"], &topics[0]["config_error"]),
        (&json!(null), &json!("not allowed"))
    );
    assert_eq!(
        (&topics[1]["cleanup_policy"], &topics[1]["retention_ms"]),
        (&json!("delete"), &json!(null))
    );
    assert_eq!(
        topics[1]["config_error"],
        "the broker did not say retention.ms, message.timestamp.type"
    );
    assert_eq!((written.code, written.err.as_str()), (0, ""));
}

#[test]
fn what_a_partition_lacks_is_null_with_its_reason_and_the_rest_stays() {
    let mut leaderless = partition(1, 0, 0, 0);
    leaderless.leader = None;
    leaderless.log_start = lost();
    leaderless.last_stable = lost();
    leaderless.high_watermark = lost();
    let written = run_with(
        "topics --json",
        reply(vec![topic(
            "orders",
            vec![partition(0, 0, 7, 7), leaderless],
        )]),
    );
    let partitions = written.json()["topics"][0]["partitions"].clone();
    assert_eq!(partitions[0]["high_watermark"], 7);
    assert_eq!(
        partitions[1],
        json!({"partition": 1, "leader": null, "replicas": [1, 2], "isr": [1], "log_start_offset": null,
               "last_stable_offset": null, "high_watermark": null, "error": "nobody leads it"})
    );
    assert_eq!(written.code, 6);
    assert_eq!(written.err, "tideline: orders/1: nobody leads it\n");
}

#[test]
fn a_missing_leader_alone_has_a_reason_too() {
    let mut leaderless = partition(0, 0, 7, 7);
    leaderless.leader = None;
    let written = run_with("topics --json", reply(vec![topic("t", vec![leaderless])]));
    let error = &written.json()["topics"][0]["partitions"][0]["error"];
    assert!(
        error.as_str().unwrap().contains("no broker leads"),
        "{error}"
    );
    assert_eq!(written.code, 6);
}

#[test]
fn a_topic_that_does_not_exist_is_said_in_words_in_either_form() {
    let found = topic("orders", vec![partition(0, 0, 7, 7)]);
    let line = "topics --topic orders --topic nope";
    let written = run_with(
        &format!("{line} --json"),
        reply(vec![missing(), found.clone()]),
    );
    let nope = &written.json()["topics"][0];
    assert_eq!(
        (&nope["error"], &nope["partitions"], &nope["internal"]),
        (&json!("there is no such topic"), &json!(null), &json!(null))
    );
    assert_eq!(written.code, 6);
    assert_eq!(
        written.err,
        "tideline: topic nope: there is no such topic\n"
    );
    let table = run_with(line, reply(vec![missing(), found]));
    assert_eq!((table.code, &table.err), (6, &written.err));
    assert!(
        table.out.contains("topic nope: there is no such topic"),
        "{}",
        table.out
    );
}

#[test]
fn topics_as_tables() {
    let mut lame = partition(11, 0, 0, 0);
    lame.high_watermark = lost();
    let written = run_with(
        "topics",
        reply(vec![topic(
            "orders",
            vec![partition(0, 5, 900, 1_234_567), lame],
        )]),
    );
    assert_eq!(
        written.out,
        "TOPIC   PARTITIONS  CLEANUP         RETENTION  TIME TYPE      INTERNAL  ID\n\
         orders           2  compact,delete  for ever   LogAppendTime  no        abc\n\n\
         TOPIC   PARTITION  LEADER  REPLICAS  IN STEP  LOG START  LAST STABLE  HIGH WATERMARK\n\
         orders          0       1  1,2       1                5          900       1,234,567\n\
         orders         11       1  1,2       1                0            0               —\n\n\
         Not known (—):\n  orders/11: nobody leads it\n"
    );
    assert_eq!((written.code, written.err.as_str()), (6, ""));
}

#[test]
fn many_reasons_are_counted_beside_json_and_all_given_in_it() {
    let partitions = (0..25)
        .map(|id| Partition {
            high_watermark: lost(),
            ..partition(id, 0, 0, 0)
        })
        .collect();
    let written = run_with("topics --json", reply(vec![topic("t", partitions)]));
    assert_eq!(written.err.lines().count(), 21);
    assert!(
        written
            .err
            .ends_with("… and 5 more: see the error fields\n"),
        "{}",
        written.err
    );
}
