//! Where groups never committed, stand still, are held back, or lost their place.

use super::*;

#[test]
fn partitions_without_a_bookmark_are_named_unless_they_are_empty_or_brand_new() {
    let world_of = |oldest: i64| {
        world(&[(0, 10), (0, 7), (0, 0)])
            .group("partly", &[(0, Some(10)), (1, None)], &[&[0, 1, 2]])
            .moves("partly", 0, &[(1_000, Some(10), None, Some(true))])
            .head(1, 0, (0, oldest))
    };
    assert_eq!(
        world_of(5 * MINUTE).told(),
        [told("G8", "partly", (1, 0, 6), "proof")]
    );
    assert_eq!(world_of(5_000).told(), []);
    // Nobody is assigned it.
    let unassigned = world(&[(0, 10), (0, 7)]).group("off", &[(0, Some(10))], &[]);
    assert_eq!(unassigned.told(), [told("G8", "off", (1, 0, 6), "proof")]);
}

#[test]
fn share_groups_and_groups_whose_commits_are_unknown_are_left_alone() {
    let mut world = world(&[(0, 10), (0, 7)])
        .group("share", &[(0, None)], &[&[0]])
        .group("unknown", &[(0, Some(3))], &[]);
    world.groups[0].0.listing.kind = GroupType::Share;
    world.groups[1].0.commits = Err(Problem::new(ProblemKind::Forbidden, "no"));
    world.groups[1].1.clear();
    assert_eq!(world.told(), []);
}

#[test]
fn a_partition_that_was_added_is_a_question_to_who_began_at_its_end() {
    let grown = |first: i64| {
        world(&[(0, 10), (0, 8)])
            .group("g", &[(0, Some(10)), (1, Some(8))], &[])
            .moves("g", 1, &[(MINUTE, Some(first), None, Some(true))])
            .remember("now", 9 * DAY, MINUTE, &[10, 8], &[(60 * MINUTE, 1)])
            .with(|world| world.ends_at.push((1, ago(MINUTE), None)))
    };
    let found = grown(8).told();
    assert_eq!(found[0], told("G9", "g", (1, 0, 7), "hint"));
    assert_eq!(found[1].0, "G23");
    assert!(found[1].6, "explained");
    assert_eq!(found.len(), 2);
    // It began in the middle: it reads from the start.
    assert_eq!(grown(5).told().len(), 1);
}

#[test]
fn who_stands_still_while_records_wait_is_stuck_and_who_waits_for_a_transaction_is_not() {
    let still = |moved: i64, waits: i64| {
        world(&[(0, 100)])
            .group("g", &[(0, Some(40))], &[&[0]])
            .moves("g", 0, &[(moved, Some(40), None, Some(true))])
            .head(0, 40, (41, waits))
    };
    assert_eq!(
        still(12 * MINUTE, 11 * MINUTE).told(),
        [told("G16", "g", (0, 41, 99), "strong")]
    );
    assert_eq!(still(MINUTE, 11 * MINUTE).told(), []);
    assert_eq!(still(12 * MINUTE, MINUTE).told(), []);
    let behind_transaction = still(12 * MINUTE, 11 * MINUTE)
        .with(|world| world.topics[0].partitions[0].last_stable = Ok(Offset(40)));
    assert!(
        behind_transaction
            .found()
            .iter()
            .all(|finding| finding.kind != FindingKind::Stuck)
    );
    let nobody = world(&[(0, 100)])
        .group("g", &[(0, Some(40))], &[])
        .moves("g", 0, &[(12 * MINUTE, Some(40), None, Some(true))])
        .head(0, 40, (41, 11 * MINUTE));
    assert_eq!(nobody.told(), [told("G16", "g", (0, 41, 99), "hint")]);
    let unknown = || {
        world(&[(0, 100)])
            .group("g", &[(0, Some(40))], &[&[0]])
            .head(0, 40, (41, 11 * MINUTE))
    };
    // Whoever looks again will know.
    assert_eq!(unknown().told(), []);
    let once = unknown().with(|world| world.once = true);
    assert_eq!(once.told(), [told("G16", "g", (0, 41, 99), "hint")]);
}

#[test]
fn one_record_that_stops_one_partition_of_a_member_is_poison() {
    let poison = |sibling: i64| {
        world(&[(0, 100), (0, 100)])
            .group("g", &[(0, Some(40)), (1, Some(90))], &[&[0, 1]])
            .moves("g", 0, &[(12 * MINUTE, Some(40), None, Some(true))])
            .moves("g", 1, &[(sibling, Some(90), None, Some(true))])
            .head(0, 40, (42, 30 * MINUTE))
            .head(1, 90, (90, 20 * MINUTE))
    };
    assert_eq!(
        poison(MINUTE).told(),
        [told("G17", "g", (0, 42, 42), "strong")]
    );
    let both: Vec<&str> = poison(20 * MINUTE)
        .told()
        .iter()
        .map(|told| told.0)
        .collect();
    assert_eq!(both, ["G16", "G16"]);
}

fn open(first: i64, age: i64, coordinator: Known<Option<TransactionState>>) -> OpenTransaction {
    OpenTransaction {
        producer: 77,
        epoch: 0,
        first: Offset(first),
        last_write: Some(ago(age)),
        coordinator,
    }
}

fn ongoing(started: i64) -> TransactionState {
    TransactionState {
        transactional_id: "pay".to_owned(),
        state: "Ongoing".to_owned(),
        started: Some(ago(started)),
        timeout_ms: 60_000,
    }
}

#[test]
fn open_transactions_are_graded_by_their_age_and_by_who_knows_of_them() {
    let held = |answer: Known<Vec<OpenTransaction>>| {
        world(&[(0, 50)]).with(|world| {
            world.topics[0].partitions[0].last_stable = Ok(Offset(40));
            world.stable.push((0, 5_000, 40));
            world.transactions.push((0, answer));
        })
    };
    let how = |world: &World| {
        let told = world.told();
        assert!(told.len() <= 1);
        told.first().map(|told| (told.0, told.3, told.4, told.5))
    };
    let of = |open: OpenTransaction| how(&held(Ok(vec![open])));
    assert_eq!(of(open(40, 1_000, Ok(Some(ongoing(1_000))))), None);
    assert_eq!(
        of(open(40, 1_000, Ok(Some(ongoing(20_000))))),
        Some(("G16b", 40, 49, "hint"))
    );
    assert_eq!(
        of(open(40, 1_000, Ok(Some(ongoing(90_000))))),
        Some(("G16b", 40, 49, "strong"))
    );
    assert_eq!(
        of(open(40, 5_000, Ok(None))),
        Some(("G16b", 40, 49, "strong"))
    );
    let unknown = Err(Problem::new(ProblemKind::Forbidden, "no"));
    assert_eq!(
        of(open(40, 5_000, unknown.clone())),
        Some(("G16b", 40, 49, "hint"))
    );
    // It ended before it was asked for.
    assert_eq!(how(&held(Ok(vec![]))), None);
    // Nothing is told of transactions.
    let untold = Err(Problem::new(ProblemKind::Unsupported, "over TLS"));
    assert_eq!(how(&held(untold.clone())), Some(("G16b", 40, 49, "hint")));
    let moving = held(untold).with(|world| world.stable = vec![(0, 5_000, 35)]);
    assert_eq!(how(&moving), None);
}

#[test]
fn a_bookmark_that_is_gone_expired_or_was_deleted() {
    let gone = |last: i64, removed: i64| {
        world(&[(0, 50)])
            .group("g", &[(0, None)], &[])
            .with(|world| world.groups[0].1.clear())
            .moves(
                "g",
                0,
                &[
                    (last, Some(30), None, Some(true)),
                    (removed, None, None, Some(false)),
                ],
            )
    };
    let kinds = |world: &World| -> Vec<(&'static str, &'static str)> {
        let told = world.told();
        told.iter().map(|told| (told.0, told.5)).collect()
    };
    assert_eq!(kinds(&gone(9 * DAY, DAY)), [("G19", "strong")]);
    assert_eq!(kinds(&gone(3 * DAY, DAY)), [("G19", "hint")]);
    let anew = gone(3 * DAY, DAY).remember("before", 9 * DAY, DAY, &[50], &[]);
    assert_eq!(kinds(&anew), []);
    let back = world(&[(0, 50)]).group("g", &[(0, Some(50))], &[]).moves(
        "g",
        0,
        &[
            (DAY, Some(30), None, None),
            (MINUTE, None, None, None),
            (1_000, Some(50), None, None),
        ],
    );
    assert_eq!(kinds(&back), []);
}
