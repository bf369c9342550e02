//! The data of the tests: every case that an inspector may get wrong, with numbers known by hand.
//!
//! All record timestamps count from [`T0`]. Offsets below are those that the fixture brings about and checks.

use super::cluster::{Cluster, Member, Transactional};
use super::kafka::Kafka;
use super::process::Supervised;
use super::raw::{self, Record};
use super::{tools, wait_for};
use rdkafka::admin::{NewTopic, TopicReplication};
use std::sync::LazyLock;

/// 2026-01-01T00:00:00Z.
pub const T0: i64 = 1_767_225_600_000;
pub const MINUTE: i64 = 60_000;
/// 2100-01-01T00:00:00Z.
pub const YEAR_2100: i64 = 4_102_444_800_000;
/// A second after the epoch.
pub const YEAR_1970: i64 = 1_000;

/// The cluster of [`Kafka::one_node`], filled, with members that live as long as this does.
///
/// | topic | partition | what is in it |
/// |---|---|---|
/// | `six` | 0 | 20 records, one a minute from `T0`, keys `k0`…, values `{"n":0}`… |
/// | | 1 | 0–4 plain, 5–7 committed (marker at 8), 9–12 aborted (marker at 13), 14–15 plain, 16–17 of an open transaction, 18 plain: high watermark 19, last stable offset 16 |
/// | | 2 | 30 records, one a minute, of which 0–9 were deleted |
/// | | 3 | odd times: 0 without (-1), 1 in 2100, 2 at `T0`, 3 in 1970, 4 an hour after `T0` |
/// | | 4 | odd bytes: 0 null value, 1 empty key and value, 2 binary key and value, 3 one header name twice and a null value, 4 a header name that is no UTF-8, 5 null key |
/// | | 5 | nothing |
/// | `clock` | 0, 1, 2 | record i of 30 is at partition i mod 3, offset i div 3, second i after `T0`, value `tick i` |
/// | `compacted` | 0 | 2, 5, 6, 7, 8 are left of 0–8 |
/// | `appended` | 0 | 3 records with the broker's own time |
/// | `ahead` | 0 | 5,101 records, one a second from `T0`, of which 100 is dated 2100 |
pub struct OneNode {
    pub kafka: &'static Kafka,
    pub cluster: Cluster,
    _open: Transactional,
    _members: Vec<Member>,
    _share_member: Supervised,
}

/// Topic, partition, offset.
pub type Commit = (&'static str, i32, i64);

/// Groups without members, and what they have committed.
pub const IDLE_GROUPS: [(&str, &[Commit]); 4] = [
    ("a#b", &[("six", 0, 5), ("six", 1, 13), ("six", 2, 30)]),
    (
        "p%40c",
        &[("six", 0, 20), ("six", 2, 3), ("compacted", 0, 3)],
    ),
    ("群组-1", &[("clock", 0, 2), ("clock", 1, 10)]),
    ("beyond", &[("six", 0, 25), ("six", 5, 1)]),
];
/// A group that left a text beside its one commit, `six` 0 at 7.
pub const NOTED_GROUP: &str = "noted";
/// The text.
pub const NOTE: &str = "billing ✓ {\"run\":7}";
/// A member of the classic protocol, client id `classic-member`, on all of `clock`; nothing committed.
pub const CLASSIC_GROUP: &str = "live-classic";
/// A member of the new protocol, client id `consumer-member`, on all of `clock`; nothing committed.
pub const CONSUMER_GROUP: &str = "live-consumer";
/// A share group with one member on `clock`.
pub const SHARE_GROUP: &str = "live-share";

impl OneNode {
    pub fn get() -> &'static Self {
        static ONE_NODE: LazyLock<OneNode> = LazyLock::new(OneNode::fill);
        &ONE_NODE
    }

    fn fill() -> Self {
        let kafka = Kafka::one_node();
        let cluster = Cluster::at(&kafka.bootstrap());
        cluster.create_topics(&topics());
        let to = kafka.bootstrap();
        fill_compacted(&to);
        // The slow ones first: they come up while the rest is being filled.
        fill_clock(&to);
        let share_member = tools::share_member(kafka, SHARE_GROUP, "clock");
        fill_six(&to, &cluster);
        let open = fill_transactions(&to, &cluster);
        raw::produce(&to, "appended", 0, &minutes(0..3));
        fill_ahead(&to);

        for (group, committed) in IDLE_GROUPS {
            cluster.commit(group, committed);
        }
        cluster.commit_with_metadata(NOTED_GROUP, "six", 0, 7, NOTE);
        let members = vec![
            cluster.join(CLASSIC_GROUP, "clock", &[("client.id", "classic-member")]),
            cluster.join(
                CONSUMER_GROUP,
                "clock",
                &[
                    ("client.id", "consumer-member"),
                    ("group.protocol", "consumer"),
                ],
            ),
        ];
        // Listed is not settled: a member gets its partitions seconds after its group is there, and
        // whoever compares the groups' log before and after would see that as a trace.
        wait_for("the share group", || {
            let listed = tools::groups(kafka)
                .iter()
                .any(|group| group.name == SHARE_GROUP);
            (listed && tools::share_assignment(kafka, SHARE_GROUP)? == "clock:0,1,2").then_some(())
        });
        wait_for("the compaction", || {
            (cluster.readable_offsets("compacted", 0) == [2, 5, 6, 7, 8]).then_some(())
        });
        Self {
            kafka,
            cluster,
            _open: open,
            _members: members,
            _share_member: share_member,
        }
    }
}

fn topics() -> [NewTopic<'static>; 5] {
    let new = |name, partitions| NewTopic::new(name, partitions, TopicReplication::Fixed(1));
    [
        new("six", 6)
            .set("retention.ms", "-1")
            .set("message.timestamp.after.max.ms", "9223372036854775807"),
        new("clock", 3).set("retention.ms", "-1"),
        new("compacted", 1)
            .set("cleanup.policy", "compact")
            .set("segment.ms", "200")
            .set("min.cleanable.dirty.ratio", "0.01"),
        new("appended", 1)
            .set("message.timestamp.type", "LogAppendTime")
            .set("retention.ms", "86400000"),
        new("ahead", 1)
            .set("retention.ms", "-1")
            .set("message.timestamp.after.max.ms", "9223372036854775807"),
    ]
}

/// Numbered records, one a minute.
pub fn minutes(numbers: std::ops::Range<i64>) -> Vec<Record> {
    numbers
        .map(|n| Record::new(T0 + n * MINUTE, format!("k{n}"), format!("{{\"n\":{n}}}")))
        .collect()
}

fn fill_six(to: &str, cluster: &Cluster) {
    raw::produce(to, "six", 0, &minutes(0..20));
    raw::produce(to, "six", 2, &minutes(0..30));
    cluster.delete_records_before("six", 2, 10);

    // Each time alone in its batch: the broker judges a batch by its newest record.
    for (n, timestamp_ms) in [-1, YEAR_2100, T0, YEAR_1970, T0 + 60 * MINUTE]
        .into_iter()
        .enumerate()
    {
        raw::produce(
            to,
            "six",
            3,
            &[Record::new(timestamp_ms, format!("odd{n}"), "time")],
        );
    }

    let plain = |n: i64, key: &[u8], value: &[u8]| Record::new(T0 + n * MINUTE, key, value);
    raw::produce(
        to,
        "six",
        4,
        &[
            Record {
                value: None,
                ..plain(0, b"tombstone", b"")
            },
            plain(1, b"", b""),
            plain(2, &[0xff, 0x00, 0xfe], &[0x80, 0x81]),
            plain(3, b"headers", b"three")
                .header("a", Some(b"1"))
                .header("b", None)
                .header("a", Some(b"2"))
                .header("", Some(b""))
                .header("bin", Some(&[0xff])),
            plain(4, b"name", b"four").header([0xc3, 0x28], Some(b"x")),
            Record {
                key: None,
                ..plain(5, b"", b"no key")
            },
        ],
    );
}

/// Leaves the returned producer in the middle of its third transaction.
fn fill_transactions(to: &str, cluster: &Cluster) -> Transactional {
    let at = |n: i64| T0 + n * MINUTE;
    raw::produce(to, "six", 1, &minutes(0..5));
    let producer = cluster.transactional("fixture");
    producer.begin(
        "six",
        1,
        &[
            (at(5), "c5", "committed"),
            (at(6), "c6", "committed"),
            (at(7), "c7", "committed"),
        ],
    );
    producer.commit();
    // The broker answers before the marker is in the log.
    cluster.wait_for_high_watermark("six", 1, 9);
    let aborted = [9, 10, 11, 12].map(|n| (at(n), "a", "aborted"));
    producer.begin("six", 1, &aborted);
    producer.abort();
    cluster.wait_for_high_watermark("six", 1, 14);
    raw::produce(to, "six", 1, &minutes(14..16));
    producer.begin(
        "six",
        1,
        &[(at(16), "o16", "open"), (at(17), "o17", "open")],
    );
    cluster.wait_for_high_watermark("six", 1, 18);
    raw::produce(to, "six", 1, &minutes(18..19));
    producer
}

fn fill_clock(to: &str) {
    for partition in 0..3 {
        let ticks: Vec<Record> = (0..10)
            .map(|row| row * 3 + i64::from(partition))
            .map(|n| Record::new(T0 + n * 1000, format!("second {n}"), format!("tick {n}")))
            .collect();
        raw::produce(to, "clock", partition, &ticks);
    }
}

fn fill_ahead(to: &str) {
    for first in (0..5_101).step_by(500) {
        let seconds = first..5_101.min(first + 500);
        let records: Vec<Record> = seconds
            .map(|n| {
                let time = if n == 100 { YEAR_2100 } else { T0 + n * 1000 };
                Record::new(time, format!("k{n}"), "ahead")
            })
            .collect();
        raw::produce(to, "ahead", 0, &records);
    }
}

/// Each batch is a second after the one before, which is longer than a segment lives: so the last alone stays uncleaned.
fn fill_compacted(to: &str) {
    for (second, keys) in ["a b c a b", "a b d", "tail"]
        .into_iter()
        .zip(0..)
        .map(|(keys, second)| (second, keys))
    {
        let records: Vec<Record> = keys
            .split(' ')
            .map(|key| Record::new(T0 + second * 1000, key, format!("{key} in {second}")))
            .collect();
        raw::produce(to, "compacted", 0, &records);
    }
}
