//! Groups: joining, syncing, leaving, and who may commit.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::shop;
use crate::bus::demo::codes;
use crate::bus::demo::consumer_protocol::subscription;
use crate::bus::demo::group::{Group, Join, Phase};

fn join(id: &str, fresh: &str) -> Join {
    Join {
        member_id: id.to_owned(),
        instance: None,
        client_id: "test".to_owned(),
        host: "/127.0.0.1".to_owned(),
        session: Duration::from_secs(10),
        rebalance: Duration::from_secs(30),
        protocol_type: "consumer".to_owned(),
        protocols: vec![("range".to_owned(), subscription(&["orders"]))],
        needs_id: false,
        fresh_id: fresh.to_owned(),
    }
}

fn assigned(ids: &[&str]) -> Vec<(String, Bytes)> {
    let pairs = ids
        .iter()
        .map(|id| ((*id).to_owned(), Bytes::from((*id).to_owned())));
    pairs.collect()
}

/// A group of `a` (its leader) and `b`, stable in its second generation.
fn pair(now: Instant) -> Group {
    let mut group = Group::default();
    group.begin_join(join("", "a"), now).unwrap();
    assert_eq!(group.poll_join("a", now), Some(Ok(1)));
    group.begin_join(join("", "b"), now).unwrap();
    // It waits for the first member to come back.
    assert_eq!(group.poll_join("b", now), None);
    assert_eq!(
        group.heartbeat("a", 1, now),
        Err(codes::REBALANCE_IN_PROGRESS)
    );
    group.begin_join(join("a", ""), now).unwrap();
    assert_eq!(group.poll_join("a", now), Some(Ok(2)));
    assert_eq!(group.poll_join("b", now), Some(Ok(2)));
    assert_eq!(group.leader, "a");
    group.begin_sync("b", 2, Vec::new(), now).unwrap();
    assert_eq!(group.poll_sync("b", 2, now), None);
    group
        .begin_sync("a", 2, assigned(&["a", "b"]), now)
        .unwrap();
    assert_eq!(
        group.poll_sync("b", 2, now),
        Some(Ok(Bytes::from_static(b"b")))
    );
    assert_eq!(group.phase, Phase::Stable);
    group
}

#[test]
fn two_members_come_to_their_assignments_through_a_rebalance() {
    let now = Instant::now();
    let mut group = pair(now);
    assert_eq!(group.heartbeat("a", 2, now), Ok(()));
    assert_eq!(group.heartbeat("a", 1, now), Err(codes::ILLEGAL_GENERATION));
    assert_eq!(group.heartbeat("x", 2, now), Err(codes::UNKNOWN_MEMBER_ID));
}

#[test]
fn when_a_member_leaves_the_others_must_join_again() {
    let now = Instant::now();
    let mut group = pair(now);
    assert_eq!(group.leave("b", now), Ok(()));
    assert_eq!(group.leave("b", now), Err(codes::UNKNOWN_MEMBER_ID));
    assert_eq!(
        group.heartbeat("a", 2, now),
        Err(codes::REBALANCE_IN_PROGRESS)
    );
    group.begin_join(join("a", ""), now).unwrap();
    assert_eq!(group.poll_join("a", now), Some(Ok(3)));
    assert_eq!(group.leave("a", now), Ok(()));
    assert_eq!(group.phase, Phase::Empty);
}

#[test]
fn a_member_that_goes_silent_is_removed() {
    let now = Instant::now();
    let mut group = pair(now);
    let later = now + Duration::from_secs(9);
    assert_eq!(group.heartbeat("a", 2, later), Ok(()));
    let later = now + Duration::from_secs(11);
    assert_eq!(
        group.heartbeat("a", 2, later),
        Err(codes::REBALANCE_IN_PROGRESS)
    );
    assert!(!group.members.contains_key("b"));
}

#[test]
fn whoever_does_not_come_back_within_the_rebalance_is_left_behind() {
    let now = Instant::now();
    let mut group = pair(now);
    group.begin_join(join("", "c"), now).unwrap();
    for second in (5..30).step_by(5) {
        // Both live, and neither joins again.
        let then = now + Duration::from_secs(second);
        for id in ["a", "b"] {
            assert_eq!(
                group.heartbeat(id, 2, then),
                Err(codes::REBALANCE_IN_PROGRESS)
            );
        }
        assert_eq!(group.poll_join("c", then), None);
    }
    let late = now + Duration::from_secs(31);
    assert_eq!(group.poll_join("c", late), Some(Ok(3)));
    assert_eq!(group.members.keys().collect::<Vec<_>>(), ["c"]);
}

#[test]
fn members_that_share_no_protocol_cannot_share_a_group() {
    let now = Instant::now();
    let mut group = pair(now);
    let mut other = join("", "c");
    other.protocols = vec![("sticky".to_owned(), Bytes::new())];
    let refused = group.begin_join(other, now).unwrap_err();
    assert_eq!(refused.0, codes::INCONSISTENT_GROUP_PROTOCOL);
    let mut connect = join("", "c");
    connect.protocol_type = "connect".to_owned();
    let refused = group.begin_join(connect, now).unwrap_err();
    assert_eq!(refused.0, codes::INCONSISTENT_GROUP_PROTOCOL);
}

#[test]
fn a_static_member_that_comes_back_takes_its_own_place() {
    let now = Instant::now();
    let mut group = Group::default();
    let named = |id: &str, fresh: &str| Join {
        instance: Some("one".to_owned()),
        ..join(id, fresh)
    };
    group.begin_join(named("", "a"), now).unwrap();
    assert_eq!(group.poll_join("a", now), Some(Ok(1)));
    group.begin_join(named("", "b"), now).unwrap();
    assert_eq!(group.members.keys().collect::<Vec<_>>(), ["b"]);
    let fenced = group.begin_join(named("a", ""), now).unwrap_err();
    assert_eq!(fenced.0, codes::FENCED_INSTANCE_ID);
}

#[test]
fn the_demos_own_members_neither_hold_a_rebalance_up_nor_lead_it() {
    let broker = shop();
    let mut state = broker.lock();
    let group = state.groups.get_mut("billing").unwrap();
    let now = Instant::now();
    group.begin_join(join("", "me"), now).unwrap();
    assert_eq!(group.poll_join("me", now), Some(Ok(2)));
    assert_eq!(group.leader, "me");
    assert_eq!(group.members.len(), 3);
    group.begin_sync("me", 2, assigned(&["me"]), now).unwrap();
    assert_eq!(group.phase, Phase::Stable);
    group.leave("me", now).unwrap();
    assert_eq!((group.phase, group.members.len()), (Phase::Stable, 2));
}

#[test]
fn members_that_were_sent_away_leave_an_empty_group_behind() {
    let broker = shop();
    let mut state = broker.lock();
    let group = state.groups.get_mut("billing").unwrap();
    let ids: Vec<String> = group.members.keys().cloned().collect();
    for id in ids {
        group.leave(&id, Instant::now()).unwrap();
    }
    assert_eq!(group.phase, Phase::Empty);
    assert!(!group.offsets.is_empty());
}
