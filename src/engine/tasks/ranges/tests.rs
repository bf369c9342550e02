//! Ranges of offsets, in words and numbers worked out by hand.

use super::*;
use crate::engine::tasks::by_hand::{ByHand, Log, log};
use crate::model::{Commit, GroupList, GroupListing, GroupType, Text};

/// Offsets 20 to 49; careful readers are served up to 39.
fn tail() -> Log {
    Log {
        start: 20,
        stable: Some(39),
        ..log(0..50)
    }
}

fn named(partition: i32, offset: Option<i64>) -> RecordScope {
    RecordScope {
        topic: "t".into(),
        partition: Some(PartitionId(partition)),
        offset: offset.map(Offset),
    }
}

fn whole() -> RecordsRequest {
    RecordsRequest {
        scope: vec![named(0, None)],
        ..RecordsRequest::default()
    }
}

fn offset(offset: i64) -> Edge {
    Edge::Offset(Offset(offset))
}

async fn resolved(request: &RecordsRequest) -> Resolved {
    resolve(&ByHand::new([tail(), log(0..5)]), request)
        .await
        .unwrap()
}

/// From, to, and what is lacking of partition 0, if anything.
async fn range(request: RecordsRequest) -> (i64, i64, String) {
    let range = resolved(&request).await.ranges.remove(0);
    let lacking = range
        .lacking
        .map_or_else(String::new, |problem| problem.message.to_string());
    (range.from.0, range.to.0, lacking)
}

async fn edges(from: Option<Edge>, to: Option<Edge>) -> (i64, i64, String) {
    range(RecordsRequest {
        from,
        to,
        ..whole()
    })
    .await
}

async fn careful(from: Option<Edge>, to: Option<Edge>) -> (i64, i64, String) {
    range(RecordsRequest {
        from,
        to,
        isolation: Isolation::ReadCommitted,
        ..whole()
    })
    .await
}

fn lacks(sentence: &str) -> String {
    sentence.to_owned()
}

const SERVED: &str = "careful readers are served only up to the last stable offset 39 for now (an open transaction), the log ends at 50";

#[tokio::test]
async fn edges_inside_the_log_are_taken_as_they_are() {
    assert_eq!(edges(None, None).await, (20, 50, String::new()));
    assert_eq!(
        edges(Some(offset(30)), Some(offset(40))).await,
        (30, 40, String::new())
    );
    assert_eq!(
        edges(Some(offset(20)), Some(offset(50))).await,
        (20, 50, String::new())
    );
    assert_eq!(edges(Some(offset(50)), None).await, (50, 50, String::new()));
    assert_eq!(
        careful(Some(offset(30)), Some(offset(39))).await,
        (30, 39, String::new())
    );
    assert_eq!(careful(None, None).await, (20, 39, String::new()));
}

#[tokio::test]
async fn edges_below_the_log_start_say_what_is_deleted() {
    let all_before = "offsets 4 to 19 are deleted: the log starts at 20";
    assert_eq!(
        edges(Some(offset(4)), None).await,
        (20, 50, lacks(all_before))
    );
    assert_eq!(
        edges(Some(offset(19)), Some(offset(30))).await,
        (20, 30, lacks("offset 19 is deleted: the log starts at 20"))
    );
    assert_eq!(
        edges(Some(offset(4)), Some(offset(8))).await,
        (
            20,
            20,
            lacks("offsets 4 to 7 are deleted: the log starts at 20")
        )
    );
    assert_eq!(
        edges(None, Some(offset(8))).await,
        (
            20,
            20,
            lacks("nothing is left before offset 8: the log starts at 20")
        )
    );
}

#[tokio::test]
async fn edges_beyond_the_end_say_where_the_log_ends() {
    assert_eq!(
        edges(None, Some(offset(53))).await,
        (
            20,
            50,
            lacks("offsets 50 to 52 are not written yet: the log ends at 50")
        )
    );
    assert_eq!(
        edges(Some(offset(30)), Some(offset(51))).await,
        (
            30,
            50,
            lacks("offset 50 is not written yet: the log ends at 50")
        )
    );
    assert_eq!(
        edges(Some(offset(60)), Some(offset(70))).await,
        (
            50,
            50,
            lacks("offset 60 lies beyond the end of the log (50)")
        )
    );
    assert_eq!(
        edges(Some(offset(4)), Some(offset(51))).await,
        (
            20,
            50,
            lacks(
                "offsets 4 to 19 are deleted: the log starts at 20; offset 50 is not written yet: the log ends at 50"
            )
        )
    );
}

#[tokio::test]
async fn careful_readers_are_told_of_the_last_stable_offset_and_not_of_the_end() {
    let not_yet = format!("offset 40 is not served yet: {SERVED}");
    assert_eq!(
        careful(Some(offset(40)), None).await,
        (39, 39, lacks(&not_yet))
    );
    assert_eq!(
        careful(Some(offset(60)), None).await,
        (
            39,
            39,
            lacks("offset 60 lies beyond the end of the log (50)")
        )
    );
    assert_eq!(
        careful(None, Some(offset(45))).await,
        (20, 39, lacks(SERVED))
    );
}

#[tokio::test]
async fn named_offsets_are_meant_alone_and_all_of_them() {
    let request = RecordsRequest {
        scope: vec![named(0, Some(25)), named(0, Some(22)), named(1, Some(3))],
        ..RecordsRequest::default()
    };
    let ranges = resolved(&request).await.ranges;
    let places: Vec<(i64, i64)> = ranges
        .iter()
        .map(|range| (range.from.0, range.to.0))
        .collect();
    assert_eq!(places, [(22, 26), (3, 4)]);
    let meant: Vec<i64> = (20..30)
        .filter(|offset| ranges[0].names(Offset(*offset)))
        .collect();
    assert_eq!(meant, [22, 25]);
}

#[tokio::test]
async fn a_whole_partition_holds_what_is_named_of_it_besides() {
    for scope in [
        [named(0, Some(25)), named(0, None)],
        [named(0, None), named(0, Some(25))],
    ] {
        let request = RecordsRequest {
            scope: scope.to_vec(),
            ..RecordsRequest::default()
        };
        assert_eq!(range(request).await, (20, 50, String::new()));
    }
}

#[tokio::test]
async fn a_named_offset_that_is_not_in_the_log_says_why() {
    let one = async |offset, isolation| {
        let (from, to, lacking) = range(RecordsRequest {
            scope: vec![named(0, Some(offset))],
            isolation,
            ..RecordsRequest::default()
        })
        .await;
        assert_eq!(from, to);
        lacking
    };
    let all = Isolation::ReadUncommitted;
    let deleted = "offset 5 is deleted: the log starts at 20";
    assert_eq!(one(5, all).await, lacks(deleted));
    let unwritten = "offset 50 is not written yet: the log ends at 50";
    assert_eq!(one(50, all).await, lacks(unwritten));
    let beyond = "offset 500 is not written yet: the log ends at 50";
    assert_eq!(one(500, all).await, lacks(beyond));
    let open = format!("offset 40 is not served yet: {SERVED}");
    assert_eq!(one(40, Isolation::ReadCommitted).await, lacks(&open));
}

#[tokio::test]
async fn many_named_offsets_that_are_lacking_are_counted() {
    let mut scope: Vec<RecordScope> = (0..8).map(|offset| named(0, Some(offset))).collect();
    scope.push(named(0, Some(30)));
    let (from, to, lacking) = range(RecordsRequest {
        scope,
        ..RecordsRequest::default()
    })
    .await;
    assert_eq!((from, to), (30, 31));
    assert!(lacking.contains("offset 4 is deleted"), "{lacking}");
    assert!(lacking.ends_with("; and so for 3 more"), "{lacking}");
}

#[tokio::test]
async fn a_named_offset_outside_the_edges_is_not_meant() {
    let request = RecordsRequest {
        scope: vec![named(0, Some(22)), named(0, Some(32))],
        from: Some(offset(30)),
        to: Some(offset(40)),
        ..RecordsRequest::default()
    };
    assert_eq!(range(request).await, (32, 33, String::new()));
}

#[tokio::test]
async fn a_log_start_that_overtook_the_end_is_an_empty_partition() {
    let bus = ByHand::new([Log {
        start: 70,
        ..log(0..50)
    }]);
    for isolation in [Isolation::ReadUncommitted, Isolation::ReadCommitted] {
        let request = RecordsRequest {
            isolation,
            from: Some(Edge::Time(TimestampMs(1))),
            ..whole()
        };
        let range = resolve(&bus, &request).await.unwrap().ranges.remove(0);
        assert_eq!((range.from, range.to), (Offset(70), Offset(70)));
    }
}

#[tokio::test]
async fn what_is_named_twice_and_is_not_there_is_told_once() {
    let request = RecordsRequest {
        scope: vec![named(9, None), named(9, Some(1)), named(9, Some(2))],
        ..RecordsRequest::default()
    };
    assert_eq!(resolved(&request).await.failed.len(), 1);
}

fn group(kind: GroupType) -> GroupListing {
    GroupListing {
        name: Text::from("g"),
        kind,
        protocol_type: None,
        state: None,
        coordinator: None,
    }
}

async fn from_position(groups: GroupList, commits: Vec<Commit>) -> Known<Resolved> {
    let bus = ByHand {
        groups,
        commits,
        ..ByHand::new([tail(), log(0..5)])
    };
    let request = RecordsRequest {
        scope: vec![named(0, None), named(1, None)],
        group_position: Some(Text::from("g")),
        ..RecordsRequest::default()
    };
    resolve(&bus, &request).await
}

#[tokio::test]
async fn a_groups_position_is_its_committed_offset_and_none_where_it_never_committed() {
    let list = GroupList {
        groups: vec![group(GroupType::Classic)],
        missing: Vec::new(),
    };
    let commit = Commit {
        at: TopicPartition::new("t", 0),
        offset: Ok(Some(Offset(33))),
        leader_epoch: None,
        metadata: Text::from(""),
    };
    let resolved = from_position(list, vec![commit]).await.unwrap();
    assert_eq!(resolved.ranges[0].from, Offset(33));
    let never = resolved.failed[0].error.as_ref().unwrap();
    assert_eq!(&*never.message, "the group never committed an offset here");
}

#[tokio::test]
async fn a_share_group_has_no_position() {
    let list = GroupList {
        groups: vec![group(GroupType::Share)],
        missing: Vec::new(),
    };
    let problem = from_position(list, Vec::new()).await.unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Unsupported);
    assert!(
        problem
            .message
            .contains("share groups keep no committed offset")
    );
}

#[tokio::test]
async fn a_group_is_absent_only_as_far_as_groups_could_be_listed() {
    let gone = from_position(GroupList::default(), Vec::new())
        .await
        .unwrap_err();
    assert_eq!(&*gone.message, "there is no group g");
    let list = GroupList {
        groups: Vec::new(),
        missing: vec![Problem::new(
            ProblemKind::Unreachable,
            "broker 2 did not answer",
        )],
    };
    let unknown = from_position(list, Vec::new()).await.unwrap_err();
    assert_eq!(
        &*unknown.message,
        "there is no group g among those that could be listed (broker 2 did not answer)"
    );
}
