//! Groups that stand still, and all that looks like it and is none.

use super::*;
use crate::model::Membership;

fn kinds(world: &World) -> Vec<(&'static str, &'static str)> {
    let told = world.told();
    told.iter().map(|told| (told.0, told.5)).collect()
}

/// A group that moved to 40 twelve minutes ago; the next record, 41, is eleven minutes old.
fn still() -> World {
    world(&[(0, 100)])
        .group("g", &[(0, Some(40))], &[&[0]])
        .moves(
            "g",
            0,
            &[
                (13 * MINUTE, Some(30), Some(1), Some(true)),
                (12 * MINUTE, Some(40), Some(1), Some(true)),
            ],
        )
        .head(0, 40, (41, 11 * MINUTE))
}

fn place_of<'w>(world: &'w mut World, group: &str) -> &'w mut PlaceHistory {
    let group = world.history.groups.get_mut(&Text::from(group)).unwrap();
    Arc::make_mut(group).places.get_mut(&at(0)).unwrap()
}

#[test]
fn who_commits_the_same_offset_again_stalls_and_who_commits_nothing_stopped() {
    let stopped = only(&still());
    assert_eq!(evidence(&stopped, "burrow"), Some(&text("STOP")));
    assert_eq!(evidence(&stopped, "member"), Some(&text("c")));
    assert_eq!(
        stopped.sentence,
        "60 events wait for g in t/0, but it has not moved for 12 minutes."
    );
    let mut stalls = still();
    place_of(&mut stalls, "g").last_commit = Some(ago(5_000));
    assert_eq!(evidence(&only(&stalls), "burrow"), Some(&text("STALL")));
    assert_eq!(stopped.id, only(&stalls).id);
}

#[test]
fn a_history_that_is_older_than_the_bookmark_tells_nothing_of_it() {
    let mut moved = still();
    moved.groups[0].1 = vec![(0, Some(45))];
    let moved = moved.head(0, 45, (45, 11 * MINUTE));
    assert_eq!(kinds(&moved), []);
}

#[test]
fn a_record_that_is_dated_back_has_not_waited() {
    let just_came = still().remember("now", 9 * DAY, MINUTE, &[40], &[]);
    assert_eq!(kinds(&just_came), []);
    let was_there = still().remember("now", 9 * DAY, MINUTE, &[42], &[]);
    assert_eq!(kinds(&was_there), [("G16", "strong")]);
}

#[test]
fn a_record_that_is_dated_ahead_has_waited_since_the_last_move() {
    let ahead = |end: i64| {
        let mut world = still();
        world.heads = vec![(0, 40, (41, -DAY))];
        place_of(&mut world, "g").moves[1].end = Some(Offset(end));
        world
    };
    assert_eq!(kinds(&ahead(42)), [("G16", "strong")]);
    assert_eq!(kinds(&ahead(41)), []);
}

#[test]
fn nobody_waits_for_what_was_withdrawn() {
    let asked = still().look(questions);
    assert_eq!(asked.careful, BTreeSet::from([(at(0), Offset(40))]));
    let withdrawn = still().with(|world| world.careful.push((0, 40, None)));
    assert_eq!(kinds(&withdrawn), []);
    let later = still().with(|world| world.careful.push((0, 40, Some(77))));
    assert_eq!(later.told(), [told("G16", "g", (0, 77, 99), "strong")]);
}

#[test]
fn a_partition_that_no_member_is_given_is_a_question() {
    let left_out = world(&[(0, 100), (0, 5)])
        .group("g", &[(0, Some(40)), (1, Some(5))], &[&[1]])
        .moves("g", 0, &[(12 * MINUTE, Some(40), Some(1), Some(true))])
        .moves("g", 1, &[(MINUTE, Some(5), Some(1), Some(true))])
        .head(0, 40, (41, 11 * MINUTE));
    assert_eq!(left_out.told(), [told("G16", "g", (0, 41, 99), "hint")]);
    let finding = only(&left_out);
    assert_eq!(
        evidence(&finding, "assigned_to_nobody"),
        Some(&Fact::Flag(true))
    );
    // In the middle of sharing out anew nobody is given anything.
    let sharing = still().with(|world| {
        if let Ok(members) = &mut world.groups[0].0.members {
            members.members.as_mut().unwrap()[0].assignment.clear();
        }
    });
    assert_eq!(kinds(&sharing), [("G16", "strong")]);
}

#[test]
fn a_group_whose_members_cannot_be_asked_for_is_judged_by_its_state() {
    let with_state = |state: &str| {
        still().with(|world| {
            let group = &mut world.groups[0].0;
            group.members = Err(Problem::new(ProblemKind::Unsupported, "no"));
            group.listing.state = Some(state.to_owned());
        })
    };
    assert_eq!(kinds(&with_state("Stable")), [("G16", "strong")]);
    assert_eq!(kinds(&with_state("Empty")), [("G16", "hint")]);
    assert_eq!(kinds(&with_state("PreparingRebalance")), []);
}

#[test]
fn a_place_that_readings_have_just_met_is_not_said_to_stand_still() {
    // Readings go back for days, but not of this group.
    let met = world(&[(0, 100)])
        .group("g", &[(0, Some(40))], &[&[0]])
        .moves("other", 0, &[(9 * DAY, Some(1), None, None)])
        .head(0, 40, (41, 11 * MINUTE))
        .with(|world| world.history.coverage.source = HistorySource::Readings);
    assert_eq!(kinds(&met), []);
}

#[test]
fn a_group_that_was_never_seen_to_move_is_not_said_to_have_stopped() {
    let off = |moves: &[Moved]| {
        let world = world(&[(0, 100)])
            .group("g", &[(0, Some(40))], &[])
            .moves("g", 0, moves)
            .head(0, 40, (41, 11 * MINUTE))
            .with(|world| world.history.coverage.source = HistorySource::Readings);
        kinds(&world)
    };
    let seen = (12 * MINUTE, Some(40), None, None);
    assert_eq!(off(&[seen]), []);
    assert_eq!(
        off(&[(20 * MINUTE, Some(30), None, None), seen]),
        [("G16", "hint")]
    );
    // Long ago is on purpose.
    let long_ago = (8 * DAY, Some(40), None, None);
    assert_eq!(off(&[(9 * DAY, Some(30), None, None), long_ago]), []);
}

/// Two partitions of one member: 0 stands at 40 for twelve minutes, the other moved a minute ago.
fn siblings(waits: i64) -> World {
    world(&[(0, 100), (0, 100)])
        .group("g", &[(0, Some(40)), (1, Some(100))], &[&[0, 1]])
        .moves("g", 0, &[(12 * MINUTE, Some(40), None, Some(true))])
        .moves("g", 1, &[(MINUTE, Some(100), None, Some(true))])
        .head(0, 40, (42, waits))
}

#[test]
fn a_quiet_partition_beside_a_busy_one_is_not_poisoned() {
    // Its next record has only just come.
    assert_eq!(siblings(1_000).told(), []);
    assert_eq!(
        siblings(6 * MINUTE).told(),
        [told("G17", "g", (0, 42, 42), "strong")]
    );
}

#[test]
fn poison_is_the_next_record_that_is_given_out() {
    let behind = siblings(6 * MINUTE).with(|world| world.careful.push((0, 40, Some(44))));
    assert_eq!(behind.told(), [told("G17", "g", (0, 44, 44), "strong")]);
    assert!(
        only(&behind).next_step.contains("t/0 to 45"),
        "{}",
        only(&behind).next_step
    );
    // Its name does not depend on that.
    assert_eq!(only(&behind).id, only(&siblings(6 * MINUTE)).id);
    let withdrawn = siblings(6 * MINUTE).with(|world| world.careful.push((0, 40, None)));
    assert_eq!(withdrawn.told(), []);
}

#[test]
fn a_partition_of_another_member_does_not_poison_one() {
    let mut apart = siblings(6 * MINUTE);
    let given = |partition: i32| Assignment {
        topic: "t".into(),
        partitions: vec![PartitionId(partition)],
    };
    if let Ok(members) = &mut apart.groups[0].0.members {
        let members = members.members.as_mut().unwrap();
        members[0].assignment = vec![given(0)];
        let mut other = members[0].clone();
        other.assignment = vec![given(1)];
        members.push(other);
    }
    assert_eq!(kinds(&apart), [("G16", "strong")]);
}

/// A transaction of the producer `pay` that began so long ago; the last stable offset is 40, and was `before` five
/// seconds ago.
fn transaction(age: i64, before: i64) -> World {
    let open = OpenTransaction {
        producer: 77,
        epoch: 0,
        first: Offset(40),
        last_write: Some(ago(1_000)),
        coordinator: Ok(Some(TransactionState {
            transactional_id: "pay".to_owned(),
            state: "Ongoing".to_owned(),
            started: Some(ago(age)),
            timeout_ms: 60_000,
        })),
    };
    world(&[(0, 50)]).with(|world| {
        world.topics[0].partitions[0].last_stable = Ok(Offset(40));
        world.stable.push((0, 5_000, before));
        world.transactions.push((0, Ok(vec![open])));
    })
}

#[test]
fn transactions_that_end_one_after_the_other_hold_nobody_up() {
    assert_eq!(kinds(&transaction(20_000, 40)), [("G16b", "hint")]);
    assert_eq!(kinds(&transaction(20_000, 35)), []);
    assert_eq!(kinds(&transaction(90_000, 35)), [("G16b", "strong")]);
    // The one that was read first is over, and another has begun since.
    let another = transaction(20_000, 40).with(|world| {
        world.topics[0].partitions[0].last_stable = Ok(Offset(38));
        world.stable = vec![(0, 5_000, 38)];
    });
    assert_eq!(kinds(&another), []);
}

#[test]
fn a_command_that_ends_a_transaction_is_written_out() {
    let finding = only(&transaction(90_000, 40));
    assert!(
        finding
            .next_step
            .ends_with("abort --topic t --partition 0 --start-offset 40"),
        "{}",
        finding.next_step
    );
    assert_eq!(finding.records, Some(10));
    assert_eq!(finding.from_time, Some(ago(90_000)));
}

#[test]
fn a_group_that_has_just_begun_has_no_bookmark_yet() {
    let begun = |before: i64| {
        world(&[(0, 10)])
            .group("new", &[(0, None)], &[&[0]])
            .head(0, 0, (0, DAY))
            .with(|world| {
                let group = world.history.groups.entry(Text::from("new")).or_default();
                Arc::make_mut(group).membership = vec![
                    Membership {
                        at: ago(DAY),
                        members: 0,
                        generation: None,
                    },
                    Membership {
                        at: ago(before),
                        members: 1,
                        generation: None,
                    },
                ];
            })
    };
    assert_eq!(kinds(&begun(10_000)), []);
    assert_eq!(kinds(&begun(5 * MINUTE)), [("G8", "proof")]);
    assert!(only(&begun(5 * MINUTE)).sentence.contains("Flink"));
}

#[test]
fn a_bookmark_that_was_forgotten_is_told_once() {
    let moves = [
        (9 * DAY, Some(3), None, Some(true)),
        (DAY, None, None, Some(false)),
    ];
    let forgotten = |last_commit: i64| {
        let mut world = world(&[(0, 10), (0, 10)])
            .group("g", &[(0, None), (1, Some(10))], &[])
            .moves("g", 0, &moves);
        place_of(&mut world, "g").last_commit = Some(ago(last_commit));
        world
    };
    assert_eq!(kinds(&forgotten(9 * DAY)), [("G19", "strong")]);
    assert_eq!(kinds(&forgotten(3 * DAY)), [("G19", "hint")]);
    // The removal is no commit.
    assert_eq!(kinds(&forgotten(DAY)), [("G19", "strong")]);
    assert!(
        only(&forgotten(9 * DAY)).next_step.contains("t/0 to 3"),
        "{}",
        only(&forgotten(9 * DAY)).next_step
    );
}
