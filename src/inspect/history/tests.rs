use super::*;
use crate::decode::group_log::GroupLogEntry;
use crate::model::{
    CommitMove, Committed, HistoryCoverage, Offset, PartitionId, Problem, ProblemKind, Text,
    TimestampMs, TopicPartition,
};

const LOG: PartitionId = PartitionId(0);

fn at() -> TopicPartition {
    TopicPartition::new("t", 0)
}

fn commit(group: &str, offset: Option<i64>, seconds: i64) -> GroupLogEntry {
    GroupLogEntry::Commit {
        group: Text::from(group),
        at: at(),
        to: offset.map(|offset| {
            let to = Committed {
                offset: Offset(offset),
                leader_epoch: None,
                metadata: Text::from(""),
            };
            (to, Some(TimestampMs(seconds * 1_000)))
        }),
    }
}

fn members(group: &str, members: u32) -> GroupLogEntry {
    GroupLogEntry::Classic {
        group: Text::from(group),
        to: Some((1, members)),
    }
}

fn member(group: &str, member: &str, joined: bool) -> GroupLogEntry {
    GroupLogEntry::Member {
        group: Text::from(group),
        member: Text::from(member),
        joined,
    }
}

/// A log whose record at each offset was written at as many seconds.
fn log(from: i64, from_start: bool, entries: Vec<GroupLogEntry>) -> CommitLog {
    let mut log = CommitLog::default();
    log.begin(LOG, Offset(from), from_start);
    for (entry, offset) in entries.into_iter().zip(from..) {
        log.add(
            LOG,
            Offset(offset),
            Some(TimestampMs(offset * 1_000)),
            Some(entry),
        );
    }
    log
}

fn moves(history: &History, group: &str) -> Vec<(Option<i64>, Option<bool>)> {
    let place = history.place(&Text::from(group), &at()).unwrap();
    let moves = place.moves.iter();
    moves
        .map(|step| (step.to.as_ref().map(|to| to.offset.0), step.had_members))
        .collect()
}

#[test]
fn each_commit_knows_whether_the_group_had_members() {
    let log = log(
        0,
        true,
        vec![
            members("g", 2),
            commit("g", Some(5), 1),
            commit("g", Some(9), 2),
            members("g", 0),
            commit("g", Some(50), 4),
            members("g", 1),
            commit("g", Some(60), 6),
        ],
    );
    assert_eq!(
        moves(&log.history(), "g"),
        [
            (Some(5), Some(true)),
            (Some(9), Some(true)),
            (Some(50), Some(false)),
            (Some(60), Some(true)),
        ]
    );
}

#[test]
fn members_of_the_newer_protocol_count_one_by_one() {
    let log = log(
        0,
        true,
        vec![
            member("g", "a", true),
            member("g", "b", true),
            commit("g", Some(1), 1),
            member("g", "a", false),
            commit("g", Some(2), 2),
            member("g", "b", false),
            commit("g", Some(3), 3),
        ],
    );
    assert_eq!(
        moves(&log.history(), "g"),
        [
            (Some(1), Some(true)),
            (Some(2), Some(true)),
            (Some(3), Some(false)),
        ]
    );
}

#[test]
fn who_was_there_before_the_log_begins_is_not_known() {
    let commits = || vec![commit("g", Some(1), 1), commit("g", Some(2), 2)];
    let whole = log(0, true, commits()).history();
    assert_eq!(
        moves(&whole, "g"),
        [(Some(1), Some(false)), (Some(2), Some(false))]
    );
    let cut = log(70, false, commits()).history();
    assert_eq!(moves(&cut, "g"), [(Some(1), None), (Some(2), None)]);
}

#[test]
fn the_same_offset_again_is_no_move_but_a_sign_of_life() {
    let history = log(
        0,
        true,
        vec![
            commit("g", Some(5), 1),
            commit("g", Some(5), 7),
            commit("g", None, 0),
        ],
    )
    .history();
    let place = history.place(&Text::from("g"), &at()).unwrap();
    assert_eq!(place.moves.len(), 2);
    assert_eq!(place.moves[1].to, None);
    assert_eq!(place.last_commit, Some(TimestampMs(7_000)));
}

#[test]
fn a_hole_in_the_log_moves_the_time_from_which_on_it_is_whole() {
    let mut log = CommitLog::default();
    log.begin(LOG, Offset(0), true);
    let time = |seconds: i64| Some(TimestampMs(seconds * 1_000));
    log.add(LOG, Offset(0), time(10), Some(commit("g", Some(1), 10)));
    log.add(LOG, Offset(1), time(11), Some(commit("g", Some(2), 11)));
    assert_eq!(log.history().coverage.since, time(10));
    log.add(LOG, Offset(5), time(20), Some(commit("h", Some(1), 20)));
    log.add(LOG, Offset(6), time(21), Some(commit("h", Some(2), 21)));
    assert_eq!(log.history().coverage.since, time(20));
    // After a hole it is not known that a group never had members.
    assert_eq!(
        moves(&log.history(), "h"),
        [(Some(1), None), (Some(2), None)]
    );
    assert_eq!(log.history().coverage.commits, 4);
}

#[test]
fn what_is_kept_is_bounded_and_says_so() {
    let mut log = CommitLog::new(Limits { moves: 10, all: 15 });
    log.begin(LOG, Offset(0), true);
    for offset in 0..100 {
        let group = if offset % 2 == 0 { "a" } else { "b" };
        let entry = commit(group, Some(offset), offset);
        log.add(LOG, Offset(offset), Some(TimestampMs(offset)), Some(entry));
    }
    let history = log.history();
    let all: usize = ["a", "b"]
        .map(|group| moves(&history, group).len())
        .iter()
        .sum();
    assert!(all <= 15, "{all}");
    let place = history.place(&Text::from("a"), &at()).unwrap();
    assert!(place.shortened);
    assert_eq!(moves(&history, "a").last(), Some(&(Some(98), Some(false))));
}

fn read(moves: &[(i64, i64)]) -> History {
    let mut history = History::default();
    history.coverage.source = HistorySource::Readings;
    let place = PlaceHistory {
        moves: moves
            .iter()
            .map(|(seconds, offset)| CommitMove {
                at: TimestampMs(seconds * 1_000),
                to: Some(Committed {
                    offset: Offset(*offset),
                    leader_epoch: None,
                    metadata: Text::from(""),
                }),
                had_members: None,
                end: None,
            })
            .collect(),
        ..PlaceHistory::default()
    };
    let mut group = GroupHistory::default();
    group.places.insert(at(), place);
    history.groups.insert(Text::from("g"), Arc::new(group));
    history
}

#[test]
fn readings_add_what_came_before_the_log() {
    let log = log(
        100,
        false,
        vec![commit("g", Some(8), 100), commit("g", Some(9), 101)],
    );
    let merged = merge(&read(&[(50, 1), (60, 8), (100, 9)]), &log.history());
    let offsets: Vec<_> = moves(&merged, "g").into_iter().map(|(to, _)| to).collect();
    assert_eq!(offsets, [Some(1), Some(8), Some(9)]);
    assert_eq!(merged.coverage.source, HistorySource::CommitLog);
}

#[test]
fn without_the_log_readings_are_all_there_is_and_it_says_why() {
    let why = Problem::new(ProblemKind::Forbidden, "not allowed");
    let no_log = History {
        coverage: HistoryCoverage {
            problem: Some(why.clone()),
            ..HistoryCoverage::default()
        },
        ..History::default()
    };
    let merged = merge(&read(&[(50, 1)]), &no_log);
    assert_eq!(merged.coverage.source, HistorySource::Readings);
    assert_eq!(merged.coverage.problem, Some(why));
    assert_eq!(moves(&merged, "g"), [(Some(1), None)]);
}
