//! Who reads what: the shop's five groups, their members, and where they stand.

use std::time::Instant;

use super::super::broker::State;
use super::super::consumer_protocol::{assignment, subscription};
use super::super::group::Simulated;
use super::super::log::LEADER_EPOCH;
use super::super::offsets::Committed;
use super::rhythm::MINUTE;
use super::shop::Opened;
use super::story::{Topic, uuid};

/// What one member reads: topics and their partitions.
type Reads = &'static [(Topic, &'static [i32])];

/// One of the demo's own consumers.
#[derive(Clone, Copy, Debug)]
struct Person {
    group: &'static str,
    client: &'static str,
    host: &'static str,
    reads: Reads,
}

/// How a group gets on with a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// It follows the end.
    Follows,
    /// It commits about this many thousandths of a record a second.
    Creeps(i64),
}

/// A group's progress on one partition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) group: &'static str,
    pub(super) topic: Topic,
    pub(super) partition: i32,
    pub(super) pace: Pace,
}

/// A member who can come back after having been sent away.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) group: &'static str,
    pub(super) id: String,
    pub(super) simulated: Simulated,
}

/// Everybody who reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Staff {
    pub(super) members: Vec<Member>,
    pub(super) progress: Vec<Progress>,
}

const PEOPLE: &[Person] = &[
    Person {
        group: "shipping",
        client: "shipping-5c4d",
        host: "/10.2.0.11",
        reads: &[(Topic::Orders, &[0, 1]), (Topic::Payments, &[0])],
    },
    Person {
        group: "shipping",
        client: "shipping-91e2",
        host: "/10.2.0.12",
        reads: &[(Topic::Orders, &[2, 3]), (Topic::Payments, &[1])],
    },
    Person {
        group: "billing",
        client: "billing-7f9c",
        host: "/10.2.0.4",
        reads: &[(Topic::Orders, &[0, 1])],
    },
    Person {
        group: "billing",
        client: "billing-b310",
        host: "/10.2.0.5",
        reads: &[(Topic::Orders, &[2, 3])],
    },
    Person {
        group: "fraud-check",
        client: "fraud-check-0aa7",
        host: "/10.2.0.21",
        reads: &[(Topic::Payments, &[0, 1])],
    },
    Person {
        group: "audit",
        client: "audit-3d55",
        host: "/10.2.0.30",
        reads: &[(Topic::Orders, &[0, 1, 2, 3])],
    },
];

/// Groups, topics and partitions of which the group stood at the end some minutes ago.
const POSITIONS: &[(&str, Topic, i32, i64)] = &[
    ("shipping", Topic::Orders, 0, 0),
    ("shipping", Topic::Orders, 1, 0),
    ("shipping", Topic::Orders, 2, 0),
    ("shipping", Topic::Orders, 3, 0),
    ("shipping", Topic::Payments, 0, 0),
    ("shipping", Topic::Payments, 1, 0),
    ("billing", Topic::Orders, 0, 52),
    ("billing", Topic::Orders, 1, 104),
    ("billing", Topic::Orders, 3, 78),
    ("fraud-check", Topic::Payments, 0, 0),
    ("reports", Topic::Orders, 0, 25),
    ("reports", Topic::Orders, 1, 25),
    ("reports", Topic::Orders, 2, 25),
    ("reports", Topic::Orders, 3, 25),
    ("reports", Topic::Payments, 0, 25),
    ("reports", Topic::Payments, 1, 25),
];

/// Groups that get on while the bus runs. Who is not here stands still: `fraud-check` before the poison
/// record, `billing` where its records were deleted, `reports` because nobody runs it.
const PACES: &[(&str, Topic, i32, Pace)] = &[
    ("shipping", Topic::Orders, 0, Pace::Follows),
    ("shipping", Topic::Orders, 1, Pace::Follows),
    ("shipping", Topic::Orders, 2, Pace::Follows),
    ("shipping", Topic::Orders, 3, Pace::Follows),
    ("shipping", Topic::Payments, 0, Pace::Follows),
    ("shipping", Topic::Payments, 1, Pace::Follows),
    ("fraud-check", Topic::Payments, 0, Pace::Follows),
    ("billing", Topic::Orders, 0, Pace::Creeps(80)),
    ("billing", Topic::Orders, 1, Pace::Creeps(40)),
    ("billing", Topic::Orders, 3, Pace::Creeps(60)),
];

/// Sets the groups up as they stand at `now` (epoch milliseconds).
pub(super) fn hire(state: &mut State, opened: &Opened, now: i64, instant: Instant) -> Staff {
    let mut staff = Staff::default();
    for person in PEOPLE {
        let member = member(state, person);
        settle(state, &member, instant);
        staff.members.push(member);
    }
    for (group, topic, partition, minutes) in POSITIONS {
        let offset = state.partition(topic.name(), *partition).map(|log| {
            let end = log.end();
            let then = log.at_time(now - minutes * MINUTE, end);
            then.filter(|_| *minutes > 0)
                .map_or(end, |(offset, _)| offset)
        });
        commit(state, group, *topic, *partition, offset.unwrap_or(0));
    }
    commit(state, "billing", Topic::Orders, 2, opened.lost_from);
    if let Some((partition, offset)) = opened.poison {
        commit(state, "fraud-check", Topic::Payments, partition, offset);
    }
    if let Some(group) = state.groups.get_mut("reports") {
        "consumer".clone_into(&mut group.protocol_type);
        group.generation = 14;
    }
    staff.progress = PACES
        .iter()
        .map(|(group, topic, partition, pace)| Progress {
            group,
            topic: *topic,
            partition: *partition,
            pace: *pace,
        })
        .collect();
    staff
}

/// Lets a member join its group, which is made if need be.
pub(super) fn settle(state: &mut State, member: &Member, now: Instant) {
    if let Some(group) = state.groups.obtain(member.group) {
        group.settle(&member.id, member.simulated.clone(), now);
    }
}

/// Commits a position as a consumer does.
pub(super) fn commit(state: &mut State, group: &str, topic: Topic, partition: i32, offset: i64) {
    let committed = Committed {
        offset,
        epoch: LEADER_EPOCH,
        metadata: String::new(),
    };
    if let Some(group) = state.groups.obtain(group) {
        group.offsets.commit(topic.name(), partition, committed);
    }
}

fn member(state: &mut State, person: &Person) -> Member {
    let topics: Vec<&str> = person.reads.iter().map(|(topic, _)| topic.name()).collect();
    let reads: Vec<(&str, Vec<i32>)> = person
        .reads
        .iter()
        .map(|(topic, partitions)| (topic.name(), partitions.to_vec()))
        .collect();
    let id = format!("{}-{}", person.client, uuid(state.fresh_number(0)));
    Member {
        group: person.group,
        id,
        simulated: Simulated {
            client_id: person.client.to_owned(),
            host: person.host.to_owned(),
            subscription: subscription(&topics),
            assignment: assignment(&reads),
        },
    }
}
