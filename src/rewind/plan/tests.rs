//! Each rule of a row, on a partition that holds the offsets 10 to 99 and whose group stands at 80.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::model::{Commit, ProblemKind};
use crate::rewind::guard::GuardKind;
use crate::rewind::target::{Part, Scope, UndoRow};

fn at() -> TopicPartition {
    TopicPartition::new("orders", 0)
}

fn facts(committed: Option<i64>) -> RowFacts {
    RowFacts {
        topic_id: Some("id-1".to_owned()),
        log_start: Ok(Offset(10)),
        end: Ok(Offset(100)),
        committed: Ok(committed.map(|offset| Bookmark::plain(Offset(offset)))),
        aim: None,
        retention_ms: Some(-1),
    }
}

fn aimed(committed: Option<i64>, aim: Aim) -> RowFacts {
    RowFacts {
        aim: Some(Ok(aim)),
        ..facts(committed)
    }
}

fn row(target: Target, facts: RowFacts) -> Row {
    let wanted = Wanted { at: at(), target };
    Row::new(&wanted, facts, false)
}

fn to(row: &Row) -> i64 {
    row.to.clone().unwrap().unwrap().offset.0
}

fn why(row: &Row) -> String {
    row.to.clone().unwrap_err().message.to_string()
}

fn kinds(row: &Row) -> Vec<WarningKind> {
    row.warnings.iter().map(|warning| warning.kind).collect()
}

#[test]
fn earliest_is_the_log_start_and_latest_the_end() {
    let earliest = row(Target::Earliest, facts(Some(80)));
    assert_eq!((to(&earliest), earliest.contents.records), (10, 70));
    assert_eq!(earliest.direction(), Direction::Back);
    let latest = row(Target::Latest, facts(Some(80)));
    assert_eq!((to(&latest), latest.contents.records), (100, 20));
    assert_eq!(kinds(&latest), [WarningKind::Skip]);
}

#[test]
fn a_time_is_the_first_record_at_or_after_it_and_the_end_where_none_is() {
    let time = Target::Time(TimestampMs(5));
    let found = row(time.clone(), aimed(Some(80), Aim::Found(Offset(40))));
    assert_eq!((to(&found), kinds(&found)), (40, vec![]));
    let none = row(time.clone(), aimed(Some(80), Aim::NoLaterRecord));
    assert_eq!(to(&none), 100);
    assert_eq!(
        kinds(&none),
        [WarningKind::NoLaterRecord, WarningKind::Skip]
    );
    // What lies before the log start is gone, and that is said.
    let oldest = row(time.clone(), aimed(Some(80), Aim::Found(Offset(10))));
    assert_eq!(kinds(&oldest), [WarningKind::BelowLogStart]);
    let silent = RowFacts {
        aim: Some(Err(Problem::new(ProblemKind::TimedOut, "no answer"))),
        ..facts(Some(80))
    };
    assert_eq!(why(&row(time, silent)), "no answer");
}

#[test]
fn an_offset_out_of_range_is_refused_with_the_range_and_never_put_into_it() {
    for (target, named) in [
        (Target::Offset(Offset(9)), "9"),
        (Target::Offset(Offset(101)), "101"),
        (Target::Shift(-71), "9"),
        (Target::Shift(21), "101"),
        (Target::Table(Arc::from([(at(), Offset(101))])), "101"),
    ] {
        let row = row(target, facts(Some(80)));
        assert_eq!(
            why(&row),
            format!("offset {named} is out of range: this partition holds 10 to 100")
        );
        assert!(!row.changes());
        assert_eq!(row.direction(), Direction::Stay);
    }
    for (target, place) in [
        (Target::Offset(Offset(10)), 10),
        (Target::Offset(Offset(100)), 100),
        (Target::Shift(-70), 10),
        (Target::Shift(20), 100),
    ] {
        assert_eq!(to(&row(target, facts(Some(80)))), place);
    }
    assert!(row(Target::Shift(i64::MIN), facts(Some(80))).to.is_err());
}

#[test]
fn a_number_that_is_no_offset_never_becomes_one() {
    for sentinel in [-1, -2, -1001] {
        let start = RowFacts {
            log_start: Ok(Offset(sentinel)),
            ..facts(Some(80))
        };
        assert!(row(Target::Earliest, start).to.is_err());
        let end = RowFacts {
            end: Ok(Offset(sentinel)),
            ..facts(Some(80))
        };
        assert!(row(Target::Latest, end).to.is_err());
        let found = aimed(Some(80), Aim::Found(Offset(sentinel)));
        assert!(row(Target::Time(TimestampMs(5)), found).to.is_err());
    }
    let timestamp = aimed(Some(80), Aim::Found(Offset(1_796_000_000_000)));
    assert!(row(Target::Time(TimestampMs(5)), timestamp).to.is_err());
}

#[test]
fn a_partition_without_a_leader_stays_and_says_why() {
    let leaderless = RowFacts {
        end: Err(Problem::new(ProblemKind::NoLeader, "nobody leads it")),
        ..facts(Some(80))
    };
    let stays = row(Target::Earliest, leaderless);
    assert_eq!(why(&stays), "nobody leads it");
    assert!(!stays.changes());
    let unread = RowFacts {
        committed: Err(Problem::new(ProblemKind::TimedOut, "no answer")),
        ..facts(None)
    };
    assert_eq!(why(&row(Target::Earliest, unread)), "no answer");
}

#[test]
fn bookmarks_outside_the_log_and_none_at_all_are_said() {
    let below = row(Target::Earliest, facts(Some(4)));
    assert_eq!(
        (to(&below), kinds(&below)),
        (10, vec![WarningKind::BelowLogStart])
    );
    // Nothing that can be read lies between the two.
    assert_eq!((below.stretch(), below.contents.records), (None, 0));
    let beyond = row(Target::Offset(Offset(95)), facts(Some(120)));
    assert_eq!(kinds(&beyond), [WarningKind::BeyondEnd]);
    assert_eq!(beyond.stretch(), Some((Offset(95), Offset(100))));
    let never = row(Target::Offset(Offset(50)), facts(None));
    assert_eq!(
        (to(&never), kinds(&never)),
        (50, vec![WarningKind::NoBookmark])
    );
    assert_eq!(
        (never.direction(), never.changes()),
        (Direction::Begin, true)
    );
    assert!(row(Target::Shift(-1), facts(None)).to.is_err());
}

#[test]
fn an_empty_partition_has_one_place() {
    let empty = || RowFacts {
        log_start: Ok(Offset(0)),
        end: Ok(Offset(0)),
        ..facts(None)
    };
    assert_eq!(to(&row(Target::Earliest, empty())), 0);
    assert_eq!(to(&row(Target::Latest, empty())), 0);
    let timed = RowFacts {
        aim: Some(Ok(Aim::NoLaterRecord)),
        ..empty()
    };
    assert_eq!(to(&row(Target::Time(TimestampMs(5)), timed)), 0);
}

#[test]
fn what_lies_beside_an_offset_is_kept_only_when_that_is_asked_for_or_nothing_moves() {
    let text = Bookmark {
        offset: Offset(80),
        leader_epoch: Some(3),
        metadata: Text::from("state"),
    };
    let stands = RowFacts {
        committed: Ok(Some(text.clone())),
        ..facts(None)
    };
    assert!(!row(Target::Offset(Offset(80)), stands.clone()).changes());
    let moved = row(Target::Offset(Offset(70)), stands);
    assert_eq!(moved.to, Ok(Some(Bookmark::plain(Offset(70)))));
    let theirs = || aimed(None, Aim::Bookmark(Some(text.clone())));
    let wanted = Wanted {
        at: at(),
        target: Target::Group(Text::from("other")),
    };
    let plain = Row::new(&wanted, theirs(), false);
    assert_eq!(plain.to, Ok(Some(Bookmark::plain(Offset(80)))));
    assert_eq!(Row::new(&wanted, theirs(), true).to, Ok(Some(text.clone())));
    let nowhere = row(wanted.target, aimed(Some(80), Aim::Bookmark(None)));
    assert_eq!(why(&nowhere), "other never committed here");
}

fn undo(before: Option<i64>, after: Option<i64>, present: Option<i64>) -> Row {
    let mark = |offset: Option<i64>| {
        offset.map(|offset| Bookmark {
            offset: Offset(offset),
            leader_epoch: None,
            metadata: Text::from(if Some(offset) == before { "old" } else { "" }),
        })
    };
    let rows = [UndoRow {
        at: at(),
        topic_id: Some("id-1".to_owned()),
        before: mark(before),
        after: mark(after),
    }];
    let target = Target::Before {
        id: "1".to_owned(),
        rows: Arc::from(rows),
    };
    row(
        target,
        RowFacts {
            committed: Ok(mark(present)),
            ..facts(None)
        },
    )
}

#[test]
fn undoing_compares_with_where_the_group_stands() {
    // Unmoved: restored as it was, with its text.
    let restored = undo(Some(80), Some(40), Some(40));
    assert_eq!(restored.to.unwrap().unwrap().metadata, Text::from("old"));
    // Between the two: what it has not read again is passed over.
    let between = undo(Some(80), Some(40), Some(55));
    assert_eq!((to(&between), between.contents.records), (80, 25));
    assert_eq!(kinds(&between), [WarningKind::Skip]);
    // Past its old place: that would be a rewind.
    let past = undo(Some(80), Some(40), Some(90));
    assert!(
        why(&past).contains("would run 10 records again"),
        "{past:?}"
    );
    // A skip that it went on from.
    assert!(undo(Some(40), Some(80), Some(85)).to.is_err());
    assert_eq!(to(&undo(Some(40), Some(80), Some(80))), 40);
    // Nothing was there before: deleted again, unless the group went on.
    let deleted = undo(None, Some(40), Some(40));
    assert_eq!(
        (deleted.to.clone(), deleted.direction()),
        (Ok(None), Direction::Delete)
    );
    assert!(undo(None, Some(40), Some(41)).to.is_err());
    // Undone already.
    assert!(!undo(Some(80), Some(40), Some(80)).changes());
}

#[test]
fn undoing_on_a_topic_that_was_made_anew_is_refused() {
    let rows = [UndoRow {
        at: at(),
        topic_id: Some("id-0".to_owned()),
        before: Some(Bookmark::plain(Offset(20))),
        after: Some(Bookmark::plain(Offset(80))),
    }];
    let target = Target::Before {
        id: "1".to_owned(),
        rows: Arc::from(rows),
    };
    assert!(why(&row(target, facts(Some(80)))).contains("made anew"));
}

#[test]
fn counting_knows_holes_and_what_was_withdrawn() {
    let back = row(Target::Offset(Offset(60)), facts(Some(80)));
    assert_eq!((back.contents.records, back.contents.exact), (20, false));
    let counted = |records, withdrawn| Contents {
        records,
        exact: true,
        withdrawn,
        out_of_order: Some(false),
        ..Contents::default()
    };
    let whole = back.clone().with_contents(counted(20, 0));
    assert_eq!((kinds(&whole), whole.contents.exact), (vec![], true));
    let holes = back.clone().with_contents(counted(17, 0));
    assert_eq!(kinds(&holes), [WarningKind::Holes]);
    assert_eq!((holes.contents.records, holes.contents.exact), (17, true));
    // Whether its readers are careful is not known.
    let withdrawn = back.with_contents(counted(19, 5));
    assert_eq!(kinds(&withdrawn), [WarningKind::Holes, WarningKind::Holes]);
    assert_eq!(
        (withdrawn.contents.records, withdrawn.contents.exact),
        (19, false)
    );
}

#[test]
fn going_on_meanwhile_recounts_the_row_and_leaves_its_place() {
    let back = row(Target::Offset(Offset(60)), facts(Some(80)));
    let first = Edge {
        at: Some(TimestampMs(5)),
        key: None,
    };
    let back = back.with_contents(Contents {
        records: 20,
        exact: true,
        first: Some(first.clone()),
        last: Some(first.clone()),
        looked_at: true,
        ..Contents::default()
    });
    let later = back.from_now(&facts(Some(95)));
    assert_eq!((to(&later), later.contents.records), (60, 35));
    // It begins where it began; where it ends is another record, and how many lie between is not counted.
    assert_eq!(later.contents.first, Some(first));
    assert_eq!((later.contents.last, later.contents.exact), (None, false));
}

fn request(target: Target) -> PlanRequest {
    PlanRequest {
        group: Text::from("billing"),
        parts: vec![Part {
            scope: Scope::Committed,
            target,
        }],
        left_out: BTreeSet::new(),
        new_group: false,
        with_metadata: false,
        undoes: None,
    }
}

fn id(target: &Target, facts: RowFacts, guards: &[Guard]) -> String {
    let rows = vec![row(target.clone(), facts)];
    Plan::new(&request(target.clone()), rows, vec![], TimestampMs(0)).id(guards)
}

#[test]
fn a_digest_says_what_is_wanted_and_not_where_the_group_stands() {
    let back = Target::Offset(Offset(60));
    let known = id(&back, facts(Some(80)), &[]);
    assert_eq!(id(&back, facts(Some(95)), &[]), known);
    assert_ne!(id(&Target::Offset(Offset(61)), facts(Some(80)), &[]), known);
    let confirm = Guard {
        kind: GuardKind::NoHiddenReader,
        outcome: Outcome::Confirm,
        detail: String::new(),
        confirm_with: None,
    };
    assert_ne!(id(&back, facts(Some(80)), &[confirm]), known);
    // Records that come meanwhile do not change a plan that goes to the end.
    let longer = RowFacts {
        end: Ok(Offset(120)),
        ..facts(Some(80))
    };
    let latest = id(&Target::Latest, facts(Some(80)), &[]);
    assert_eq!(id(&Target::Latest, longer, &[]), latest);
    // A time that is counted back from now is another one each time; its place counts.
    let found = |time, offset| {
        let target = Target::Time(TimestampMs(time));
        id(&target, aimed(Some(80), Aim::Found(Offset(offset))), &[])
    };
    assert_eq!(found(1_000, 40), found(61_000, 40));
    assert_ne!(found(1_000, 40), found(1_000, 41));
    // An offset that happens to be the end is that offset.
    let at_end = |end| RowFacts {
        end: Ok(Offset(end)),
        ..facts(Some(80))
    };
    let offset = Target::Offset(Offset(100));
    assert_eq!(id(&offset, at_end(100), &[]), id(&offset, at_end(120), &[]));
    // The same on every machine.
    assert_eq!(known.len(), 36);
}

fn places(offsets: &[(i32, Option<i64>)]) -> Vec<Commit> {
    let commits = offsets
        .iter()
        .map(|(partition, offset)| crate::model::by_hand::commit("t", *partition, *offset));
    commits.collect()
}

/// What is in scope, of a topic with three partitions of which the group has committed in the first.
fn in_scope(request: &PlanRequest) -> (Vec<(i32, Target)>, Vec<Problem>) {
    use crate::model::by_hand::{partition, topic};
    let three = (0..3).map(|id| partition(id, 0, 10)).collect();
    let topics = BTreeMap::from([("t".into(), Arc::new(topic("t", three)))]);
    let others = BTreeMap::from([(Text::from("other"), places(&[(1, Some(3)), (2, None)]))]);
    let ours = places(&[(0, Some(5)), (1, None)]);
    let (wanted, problems) = scope(request, &ours, &topics, &others);
    let wanted = wanted
        .into_iter()
        .map(|want| (want.at.partition.0, want.target));
    (wanted.collect(), problems)
}

fn of(parts: Vec<Part>) -> PlanRequest {
    PlanRequest {
        parts,
        ..request(Target::Earliest)
    }
}

#[test]
fn what_is_committed_or_named_is_in_scope_and_later_parts_win() {
    let part = |scope, target| Part { scope, target };
    let whole = || Scope::Topic("t".into());
    let one = |number| Scope::Partition("t".into(), crate::model::PartitionId(number));
    let earliest = request(Target::Earliest);
    assert_eq!(in_scope(&earliest).0, [(0, Target::Earliest)]);
    let mut mixed = of(vec![
        part(whole(), Target::Earliest),
        part(one(1), Target::Latest),
    ]);
    let expected = [
        (0, Target::Earliest),
        (1, Target::Latest),
        (2, Target::Earliest),
    ];
    assert_eq!(in_scope(&mixed), (expected.to_vec(), vec![]));
    mixed.left_out.insert(TopicPartition::new("t", 2));
    assert_eq!(in_scope(&mixed).0, expected[..2]);
    // A new group gets what the other one has, an old one what it has itself.
    let mut clone = request(Target::Group(Text::from("other")));
    assert_eq!(in_scope(&clone).0[0].0, 0);
    clone.new_group = true;
    let scope: Vec<i32> = in_scope(&clone).0.iter().map(|(id, _)| *id).collect();
    assert_eq!(scope, [1]);
    let table = Target::Table(Arc::from([(TopicPartition::new("t", 2), Offset(4))]));
    let named = of(vec![part(whole(), table.clone())]);
    assert_eq!(in_scope(&named).0, [(2, table.clone())]);
    assert_eq!(in_scope(&request(table.clone())).0, [(2, table)]);
}

#[test]
fn what_is_not_there_is_a_problem_and_never_silence() {
    let part = |scope, target| Part { scope, target };
    let one = |number| Scope::Partition("t".into(), crate::model::PartitionId(number));
    let table = || Target::Table(Arc::from([(TopicPartition::new("t", 2), Offset(4))]));
    let mut nothing = request(Target::Group(Text::from("nobody")));
    nothing.new_group = true;
    for (request, kind, says) in [
        (
            of(vec![part(Scope::Topic("x".into()), Target::Latest)]),
            ProblemKind::NotFound,
            "no topic x",
        ),
        (
            of(vec![part(one(3), Target::Latest)]),
            ProblemKind::NotFound,
            "no partition 3",
        ),
        (
            of(vec![part(one(1), table())]),
            ProblemKind::NotFound,
            "does not name t/1",
        ),
        (
            nothing,
            ProblemKind::Invalid,
            "nobody has no committed offset",
        ),
    ] {
        let (wanted, problems) = in_scope(&request);
        assert_eq!(wanted, vec![]);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].kind, kind);
        assert!(problems[0].message.contains(says), "{}", problems[0]);
    }
}
