//! What the stock tools say about the filled cluster, asked once, before Tideline has looked at it.

use crate::support::fixture::OneNode;
use crate::support::tools::{self, Group, GroupMember, GroupOffset, GroupState, Topic};
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub struct Oracle {
    pub data: &'static OneNode,
    pub topics: BTreeMap<String, Topic>,
    pub log_starts: BTreeMap<(String, i64), i64>,
    pub high_watermarks: BTreeMap<(String, i64), i64>,
    pub groups: Vec<Group>,
    pub offsets: Vec<GroupOffset>,
    pub states: BTreeMap<String, GroupState>,
    pub members: Vec<GroupMember>,
}

pub fn get() -> &'static Oracle {
    static ORACLE: LazyLock<Oracle> = LazyLock::new(|| {
        let data = OneNode::get();
        Oracle {
            data,
            topics: tools::topics(data.kafka),
            log_starts: tools::offsets(data.kafka, "earliest"),
            high_watermarks: tools::offsets(data.kafka, "latest"),
            groups: tools::groups(data.kafka),
            offsets: tools::group_offsets(data.kafka),
            states: tools::group_states(data.kafka),
            members: tools::group_members(data.kafka),
        }
    });
    &ORACLE
}

/// The hand-worked numbers of the fixture and the stock tools agree, so that either may be compared with.
#[test]
fn the_cluster_holds_what_the_fixture_says() {
    let oracle = get();
    let at = |partition| ("six".to_owned(), partition);
    let six = |from: &BTreeMap<(String, i64), i64>| {
        [0, 1, 2, 3, 4, 5].map(|partition| from[&at(partition)])
    };
    assert_eq!(six(&oracle.log_starts), [0, 0, 10, 0, 0, 0]);
    assert_eq!(six(&oracle.high_watermarks), [20, 19, 30, 5, 6, 0]);
    let readable = |partition| oracle.data.cluster.readable_offsets("six", partition);
    assert_eq!(
        readable(1),
        [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 18]
    );
    assert_eq!(readable(2), (10..30).collect::<Vec<i64>>());
    assert_eq!(readable(4), [0, 1, 2, 3, 4, 5]);

    let named: Vec<(&str, &str, &str)> = oracle
        .groups
        .iter()
        .map(|group| {
            (
                group.name.as_str(),
                group.kind.as_str(),
                group.protocol_type.as_str(),
            )
        })
        .collect();
    assert_eq!(
        named,
        [
            ("a#b", "classic", ""),
            ("beyond", "classic", ""),
            ("live-classic", "classic", "consumer"),
            ("live-consumer", "consumer", "consumer"),
            ("live-share", "share", "share"),
            ("noted", "classic", ""),
            ("p%40c", "classic", ""),
            ("群组-1", "classic", ""),
        ]
    );
    let committed: Vec<(&str, i64, Option<i64>, Option<i64>)> = oracle
        .offsets
        .iter()
        .filter(|row| matches!(row.group.as_str(), "a#b" | "beyond"))
        .map(|row| (row.topic.as_str(), row.partition, row.committed, row.lag))
        .collect();
    assert_eq!(
        committed,
        [
            ("six", 0, Some(5), Some(15)),
            ("six", 1, Some(13), Some(6)),
            ("six", 2, Some(30), Some(0)),
            ("six", 0, Some(25), Some(-5)),
            ("six", 5, Some(1), Some(-1)),
        ]
    );
    assert_eq!(oracle.members.len(), 2);
    assert_eq!(oracle.states["live-consumer"].state, "Stable");
}
