//! Each guard, on a plan that moves a group back on one partition.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::model::{Bookmark, ProblemKind, Text};
use crate::rewind::plan::{Contents, Edge, Row, RowFacts, Wanted};
use crate::rewind::target::{PlanRequest, Target};

const HOUR: i64 = 3_600_000;

fn at() -> TopicPartition {
    TopicPartition::new("orders", 0)
}

fn facts_at(committed: Option<i64>) -> RowFacts {
    RowFacts {
        topic_id: Some("id-1".to_owned()),
        log_start: Ok(Offset(10)),
        end: Ok(Offset(100)),
        committed: Ok(committed.map(|offset| Bookmark::plain(Offset(offset)))),
        aim: None,
        retention_ms: Some(10 * HOUR),
    }
}

fn plan_to(target: Target, committed: Option<i64>) -> Plan {
    plan_of(target, facts_at(committed))
}

fn plan_of(target: Target, facts: RowFacts) -> Plan {
    let request = PlanRequest {
        group: Text::from("billing"),
        parts: vec![],
        left_out: BTreeSet::new(),
        new_group: false,
        with_metadata: false,
        undoes: None,
    };
    let wanted = Wanted { at: at(), target };
    let row = Row::new(&wanted, facts, false);
    Plan::new(&request, vec![row], vec![], TimestampMs(0))
}

/// The plan with its first record written at that time.
fn dated(mut plan: Plan, first: Option<i64>) -> Plan {
    plan.rows = plan
        .rows
        .into_iter()
        .map(|row| {
            row.with_contents(Contents {
                records: 5,
                exact: true,
                first: first.map(|at| Edge {
                    at: Some(TimestampMs(at)),
                    key: None,
                }),
                looked_at: true,
                ..Contents::default()
            })
        })
        .collect();
    plan
}

fn listing(kind: GroupType) -> GroupListing {
    GroupListing {
        name: Text::from("billing"),
        kind,
        protocol_type: Some("consumer".to_owned()),
        state: Some("Empty".to_owned()),
        coordinator: None,
    }
}

fn member(client: &str, instance: Option<&str>) -> Member {
    Member {
        member_id: Text::from("m"),
        client_id: Text::from(client),
        host: Text::from("/10.0.0.7"),
        instance_id: instance.map(Text::from),
        assignment: vec![],
    }
}

/// What the guards go by, to be changed by a test.
struct World {
    plan: Plan,
    listing: Known<Option<GroupListing>>,
    types_known: bool,
    members: Known<Vec<Member>>,
    state: Option<&'static str>,
    observation: Observation,
    unchanged: Result<(), String>,
    policy: Policy,
    now: i64,
}

impl World {
    fn new() -> Self {
        Self {
            plan: dated(plan_to(Target::Earliest, Some(80)), Some(0)),
            listing: Ok(Some(listing(GroupType::Classic))),
            types_known: true,
            members: Ok(vec![]),
            state: Some("Empty"),
            observation: Observation {
                quiet_ms: 11_000,
                wanted_ms: 11_000,
                moved: vec![],
            },
            unchanged: Ok(()),
            policy: Policy {
                locked: None,
                production: false,
                unknown_remote: false,
            },
            now: 0,
        }
    }

    fn guards(&self) -> Vec<Guard> {
        guards(&GuardFacts {
            plan: &self.plan,
            listing: self
                .listing
                .as_ref()
                .map(Option::as_ref)
                .map_err(Clone::clone),
            types_known: self.types_known,
            members: self.members.as_deref().map_err(Clone::clone),
            state: self.state,
            observation: &self.observation,
            unchanged: self.unchanged.clone(),
            policy: &self.policy,
            now: TimestampMs(self.now),
        })
    }

    fn guard(&self, kind: GuardKind) -> Guard {
        let guards = self.guards();
        guards.into_iter().find(|guard| guard.kind == kind).unwrap()
    }

    fn outcome(&self, kind: GuardKind) -> Outcome {
        self.guard(kind).outcome
    }
}

fn unknown() -> Problem {
    Problem::new(ProblemKind::TimedOut, "no answer")
}

#[test]
fn all_pass_and_stand_in_their_order() {
    let guards = World::new().guards();
    let kinds: Vec<_> = guards.iter().map(|guard| guard.kind.name()).collect();
    assert_eq!(
        kinds,
        [
            "exists",
            "kind",
            "no_members",
            "no_hidden_reader",
            "unchanged",
            "retention",
            "writable",
            "production"
        ]
    );
    for guard in &guards {
        assert_eq!(guard.outcome, Outcome::Passed, "{guard:?}");
    }
    assert_eq!(blocking(&guards, &Confirmed::new()), Vec::<&Guard>::new());
}

#[test]
fn a_group_exists_unless_it_is_to_come_into_being() {
    let mut world = World::new();
    world.listing = Ok(None);
    let guard = world.guard(GuardKind::Exists);
    assert_eq!(guard.outcome, Outcome::Failed);
    assert!(
        guard.detail.contains("no group billing"),
        "{}",
        guard.detail
    );
    world.plan.new_group = true;
    assert_eq!(world.outcome(GuardKind::Exists), Outcome::Passed);
    assert_eq!(world.outcome(GuardKind::NoHiddenReader), Outcome::Passed);
    world.listing = Ok(Some(listing(GroupType::Classic)));
    assert_eq!(world.outcome(GuardKind::Exists), Outcome::Failed);
    world.listing = Err(unknown());
    assert_eq!(world.outcome(GuardKind::Exists), Outcome::Unknown);
}

#[test]
fn a_group_that_is_gone_is_made_anew_by_undoing_when_that_is_confirmed() {
    let mut world = World::new();
    world.listing = Ok(None);
    world.observation = Observation::default();
    world.plan.undoes = Some("1".to_owned());
    let guards = world.guards();
    let open: Vec<_> = blocking(&guards, &Confirmed::new())
        .iter()
        .map(|guard| (guard.kind, guard.confirm_with.as_deref()))
        .collect();
    assert_eq!(open, [(GuardKind::Exists, Some("exists"))]);
}

#[test]
fn groups_that_are_moved_otherwise_fail_with_the_way_to_do_it() {
    let mut world = World::new();
    for (kind, protocol, way) in [
        (GroupType::Share, "share", "kafka-share-groups.sh"),
        (GroupType::Unknown, "share", "kafka-share-groups.sh"),
        (
            GroupType::Streams,
            "streams",
            "kafka-streams-application-reset.sh",
        ),
        (GroupType::Classic, "connect", "PUT /connectors/NAME/stop"),
    ] {
        world.listing = Ok(Some(GroupListing {
            protocol_type: Some(protocol.to_owned()),
            ..listing(kind)
        }));
        let guard = world.guard(GuardKind::Kind);
        assert_eq!(guard.outcome, Outcome::Failed, "{protocol}");
        assert!(guard.detail.contains(way), "{}", guard.detail);
    }
    world.listing = Ok(Some(listing(GroupType::Classic)));
    world.members = Ok(vec![member("app-1-StreamThread-2-consumer", None)]);
    assert_eq!(world.outcome(GuardKind::Kind), Outcome::Failed);
}

#[test]
fn a_group_that_is_only_named_like_a_connector_is_confirmed() {
    let mut world = World::new();
    world.plan.group = Text::from("connect-jdbc");
    let guard = world.guard(GuardKind::Kind);
    assert_eq!(guard.outcome, Outcome::Confirm);
    assert_eq!(guard.confirm_with.as_deref(), Some("kind"));
    assert!(
        guard.detail.contains("PUT /connectors/jdbc/stop"),
        "{}",
        guard.detail
    );
}

#[test]
fn bookmarks_of_kafka_streams_are_confirmed() {
    let mut world = World::new();
    for (metadata, outcome) in [
        // Version 1 with a time; version 2 with a time and an empty list.
        ("AQAAAZMAAAAA", Outcome::Confirm),
        ("AgAAAZMAAAAAAAAAAA==", Outcome::Confirm),
        ("AQAA", Outcome::Passed),
        ("deployed by hand", Outcome::Passed),
        ("", Outcome::Passed),
    ] {
        let bookmark = Bookmark {
            metadata: Text::from(metadata),
            ..Bookmark::plain(Offset(80))
        };
        let facts = RowFacts {
            committed: Ok(Some(bookmark)),
            ..facts_at(None)
        };
        world.plan = plan_of(Target::Earliest, facts);
        assert_eq!(world.outcome(GuardKind::Kind), outcome, "{metadata}");
    }
}

#[test]
fn members_are_named_and_static_ones_linger() {
    let mut world = World::new();
    world.members = Ok((0..7)
        .map(|number| member(&format!("app-{number}"), (number == 0).then_some("i-0")))
        .collect());
    let guard = world.guard(GuardKind::NoMembers);
    assert_eq!(guard.outcome, Outcome::Failed);
    for part in ["7 members", "app-0 on 10.0.0.7", "i-0", "2 more", "45 s"] {
        assert!(guard.detail.contains(part), "{part}: {}", guard.detail);
    }
    // Who commits beside them cannot be seen.
    assert_eq!(world.outcome(GuardKind::NoHiddenReader), Outcome::Unknown);
    world.members = Err(unknown());
    assert_eq!(world.outcome(GuardKind::NoMembers), Outcome::Unknown);
    world.members = Ok(vec![]);
    world.state = Some("PreparingRebalance");
    assert_eq!(world.outcome(GuardKind::NoMembers), Outcome::Failed);
}

#[test]
fn dead_is_empty_for_groups_of_consumers_only() {
    let mut world = World::new();
    world.state = Some("Dead");
    assert_eq!(world.outcome(GuardKind::NoMembers), Outcome::Passed);
    world.listing = Ok(Some(listing(GroupType::Unknown)));
    assert_eq!(world.outcome(GuardKind::NoMembers), Outcome::Failed);
    // A bus without group types says it of every group whose members have left.
    world.types_known = false;
    let guard = world.guard(GuardKind::NoMembers);
    assert_eq!(guard.outcome, Outcome::Confirm);
    assert_eq!(guard.confirm_with.as_deref(), Some("billing"));
}

#[test]
fn watching_that_was_left_out_is_confirmed_and_never_passed() {
    let mut world = World::new();
    world.observation = Observation::default();
    let guard = world.guard(GuardKind::NoHiddenReader);
    assert_eq!(guard.outcome, Outcome::Confirm);
    assert_eq!(guard.confirm_with.as_deref(), Some("no_hidden_reader"));
    world.observation.wanted_ms = 11_000;
    world.observation.quiet_ms = 10_999;
    assert_eq!(world.outcome(GuardKind::NoHiddenReader), Outcome::Unknown);
    world.observation.quiet_ms = 11_000;
    assert_eq!(world.outcome(GuardKind::NoHiddenReader), Outcome::Passed);
    world.observation.moved = vec![Moved {
        at: at(),
        from: Some(Offset(80)),
        to: Some(Offset(85)),
    }];
    let guard = world.guard(GuardKind::NoHiddenReader);
    assert_eq!(guard.outcome, Outcome::Failed);
    assert!(guard.detail.contains("from 80 to 85"), "{}", guard.detail);
}

#[test]
fn records_that_are_about_to_be_deleted_are_confirmed() {
    let mut world = World::new();
    // Written at 0 and kept for ten hours.
    for (now, outcome, says) in [
        (0, Outcome::Passed, "10 h"),
        (9 * HOUR, Outcome::Passed, "1 h"),
        (9 * HOUR + 1, Outcome::Confirm, "59 min"),
        (11 * HOUR, Outcome::Confirm, "passed their retention"),
    ] {
        world.now = now;
        let guard = world.guard(GuardKind::Retention);
        assert_eq!(guard.outcome, outcome, "{now}");
        assert!(guard.detail.contains(says), "{now}: {}", guard.detail);
    }
    world.plan = dated(plan_to(Target::Earliest, Some(80)), None);
    assert_eq!(world.outcome(GuardKind::Retention), Outcome::Confirm);
    // Nothing is said of records that nobody has looked at yet.
    world.plan = plan_to(Target::Earliest, Some(80));
    assert_eq!(world.outcome(GuardKind::Retention), Outcome::Unknown);
    // What is skipped may be deleted as it likes.
    world.plan = dated(plan_to(Target::Latest, Some(80)), Some(0));
    assert_eq!(world.outcome(GuardKind::Retention), Outcome::Passed);
    let forever = RowFacts {
        retention_ms: Some(-1),
        ..facts_at(Some(80))
    };
    world.plan = dated(plan_of(Target::Earliest, forever), Some(0));
    assert_eq!(world.outcome(GuardKind::Retention), Outcome::Passed);
}

#[test]
fn locks_and_production() {
    let mut world = World::new();
    world.policy.locked = Some("the profile prod is read-only".to_owned());
    let guard = world.guard(GuardKind::Writable);
    assert_eq!(guard.outcome, Outcome::Failed);
    assert!(guard.detail.contains("prod"));
    world.policy.unknown_remote = true;
    let guard = world.guard(GuardKind::Production);
    assert_eq!(guard.outcome, Outcome::Confirm);
    assert_eq!(guard.confirm_with.as_deref(), Some("billing"));
    world.policy.production = true;
    assert!(
        world
            .guard(GuardKind::Production)
            .detail
            .contains("production")
    );
}

#[test]
fn what_is_not_confirmed_stands_in_the_way() {
    let mut world = World::new();
    world.observation = Observation::default();
    world.policy.production = true;
    let guards = world.guards();
    let names = |confirmed: &[&str]| {
        let confirmed: Confirmed = confirmed.iter().map(|word| (*word).to_owned()).collect();
        let blocking = blocking(&guards, &confirmed);
        blocking
            .iter()
            .map(|guard| guard.kind.name())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["no_hidden_reader", "production"]);
    assert_eq!(names(&["no_hidden_reader", "production"]), ["production"]);
    assert_eq!(names(&["no_hidden_reader", "billing"]), Vec::<&str>::new());
}

fn after(plan: &Plan, change: impl FnOnce(&mut RowFacts)) -> Result<(), String> {
    let committed = plan.rows[0].from.clone();
    let mut facts = RowFacts {
        committed,
        ..facts_at(None)
    };
    change(&mut facts);
    unchanged(plan, &BTreeMap::from([(at(), facts)]))
}

fn stands_at(offset: i64) -> impl FnOnce(&mut RowFacts) {
    move |facts| facts.committed = Ok(Some(Bookmark::plain(Offset(offset))))
}

#[test]
fn what_members_commit_meanwhile_is_expected() {
    let back = plan_to(Target::Offset(Offset(40)), Some(80));
    assert_eq!(after(&back, |_| {}), Ok(()));
    assert_eq!(after(&back, stands_at(95)), Ok(()));
    let skip = plan_to(Target::Offset(Offset(90)), Some(80));
    assert_eq!(after(&skip, stands_at(85)), Ok(()));
    assert_eq!(after(&skip, stands_at(90)), Ok(()));
    // A place without a leader for a moment has not changed.
    let moment = after(&back, |facts| {
        facts.end = Err(Problem::new(ProblemKind::NoLeader, "nobody leads it"));
    });
    assert_eq!(moment, Ok(()));
    // Where the time aimed at had no later record, records that came since are later ones.
    let none = RowFacts {
        aim: Some(Ok(crate::rewind::plan::Aim::NoLaterRecord)),
        ..facts_at(Some(100))
    };
    let stays = plan_of(Target::Time(TimestampMs(5)), none);
    assert_eq!(after(&stays, stands_at(103)), Ok(()));
}

#[test]
fn anything_else_makes_it_another_plan() {
    let back = plan_to(Target::Offset(Offset(40)), Some(80));
    let skip = plan_to(Target::Offset(Offset(90)), Some(80));
    let end = plan_to(Target::Latest, Some(100));
    let begin = plan_to(Target::Offset(Offset(40)), None);
    let why = |result: Result<(), String>| result.unwrap_err();
    assert!(why(after(&back, stands_at(79))).contains("went back"));
    assert!(why(after(&skip, stands_at(91))).contains("passed 90"));
    assert!(why(after(&end, stands_at(103))).contains("passed 100"));
    assert!(why(after(&begin, stands_at(50))).contains("committed 50"));
    assert!(why(after(&back, |facts| facts.committed = Ok(None))).contains("gone"));
    assert!(why(after(&back, |facts| facts.log_start = Ok(Offset(41)))).contains("starts beyond"));
    assert!(why(after(&back, |facts| facts.end = Ok(Offset(39)))).contains("ends before 40"));
    assert!(
        why(after(&back, |facts| facts.topic_id = Some("id-2".to_owned()))).contains("made anew")
    );
    let gone = |facts: &mut RowFacts| {
        facts.end = Err(Problem::new(ProblemKind::NotFound, "no such partition"));
    };
    assert!(why(after(&back, gone)).contains("gone"));
    assert!(why(after(&back, |facts| facts.committed = Err(unknown()))).contains("not known"));
    assert!(why(unchanged(&back, &BTreeMap::new())).contains("gone"));
}

#[test]
fn undoing_ends_where_the_group_goes_on() {
    let mut back = plan_to(Target::Offset(Offset(40)), Some(80));
    back.undoes = Some("1".to_owned());
    assert!(
        after(&back, stands_at(81))
            .unwrap_err()
            .contains("no longer undoes")
    );
    let mut forward = plan_to(Target::Offset(Offset(90)), Some(80));
    forward.undoes = Some("1".to_owned());
    assert_eq!(after(&forward, stands_at(85)), Ok(()));
    // A bookmark that is to be deleted.
    let mut delete = plan_to(Target::Earliest, Some(80));
    delete.undoes = Some("1".to_owned());
    delete.rows[0].to = Ok(None);
    assert_eq!(after(&delete, |_| {}), Ok(()));
    assert!(
        after(&delete, stands_at(81))
            .unwrap_err()
            .contains("no longer undoes")
    );
}
