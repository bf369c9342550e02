//! What the head of a group's view says of it. Pure.

use crate::decode::visible::one_line;
use crate::model::{Assignment, Group, GroupType, PartitionId};

use super::super::format;
use super::super::num::u64_from_usize;
use super::words::{Cell, Tone};

/// A named fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its name.
    pub name: &'static str,
    /// What it is, or why that is not known.
    pub cell: Cell,
}

const NOT_SAID: &str = "The bus does not say";

/// State, type, protocol, assignor, coordinator and members of `group`.
pub fn facts(group: &Group) -> Vec<Fact> {
    let listing = &group.listing;
    let known = |text: String| Cell {
        text,
        ..Cell::default()
    };
    let of_members = group.members.as_ref();
    let state = of_members
        .ok()
        .and_then(|members| members.state.clone())
        .or_else(|| listing.state.clone());
    let kind = match listing.kind {
        GroupType::Unknown => Cell::unknown(NOT_SAID),
        kind => known(kind.to_string()),
    };
    let protocol = match listing.protocol_type.as_deref() {
        None => Cell::unknown(NOT_SAID),
        Some("") => Cell {
            text: "none".to_owned(),
            hint: "No member ever joined: an administrator made the commits".to_owned(),
            tone: Tone::Dim,
            ..Cell::default()
        },
        Some(protocol) => known(one_line(protocol.as_bytes(), 40)),
    };
    let assignor = match of_members {
        Err(problem) => Cell::unknown(problem),
        Ok(members) => match (&members.assignor, &members.members) {
            (Some(assignor), _) if !assignor.is_empty() => known(one_line(assignor.as_bytes(), 40)),
            (_, Ok(members)) if members.is_empty() => Cell::unknown("There are no members"),
            (_, Err(problem)) => Cell::unknown(problem),
            _ => Cell::unknown(NOT_SAID),
        },
    };
    let coordinator = of_members
        .ok()
        .and_then(|members| members.coordinator)
        .or(listing.coordinator)
        .map_or_else(
            || Cell::unknown(NOT_SAID),
            |broker| known(format!("broker {}", broker.0)),
        );
    vec![
        Fact {
            name: "State",
            cell: state.map_or_else(|| Cell::unknown(NOT_SAID), known),
        },
        Fact {
            name: "Type",
            cell: kind,
        },
        Fact {
            name: "Protocol",
            cell: protocol,
        },
        Fact {
            name: "Assignor",
            cell: assignor,
        },
        Fact {
            name: "Coordinator",
            cell: coordinator,
        },
    ]
}

/// How many members there are, or why that is not known.
pub fn member_count(group: &Group) -> Result<usize, &str> {
    match &group.members {
        Err(problem) => Err(&problem.message),
        Ok(members) => match &members.members {
            Ok(members) => Ok(members.len()),
            Err(problem) => Err(&problem.message),
        },
    }
}

/// What a member is to read, in short: `orders 0–3, 7; payments 1`.
pub fn assigned(assignment: &[Assignment]) -> String {
    let topics = assignment.iter().filter(|of| !of.partitions.is_empty());
    let topics: Vec<String> = topics
        .map(|of| {
            format!(
                "{} {}",
                one_line(of.topic.as_bytes(), 80),
                ranges(&of.partitions)
            )
        })
        .collect();
    if topics.is_empty() {
        "nothing".to_owned()
    } else {
        topics.join("; ")
    }
}

/// How many partitions a member is to read.
pub fn assigned_count(assignment: &[Assignment]) -> String {
    let count = assignment.iter().map(|of| of.partitions.len()).sum();
    format::count(u64_from_usize(count))
}

/// Numbers with their neighbours joined: `0–3, 7`.
fn ranges(partitions: &[PartitionId]) -> String {
    let mut sorted: Vec<i32> = partitions.iter().map(|partition| partition.0).collect();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a.saturating_add(1) == *b);
    let parts: Vec<String> = runs
        .filter_map(|run| match run {
            [] => None,
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first}–{last}")),
        })
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BrokerId, GroupListing, GroupMembers, Known, Problem, ProblemKind, Text};

    fn group(kind: GroupType, members: Known<GroupMembers>) -> Group {
        Group {
            listing: GroupListing {
                name: Text::from("g"),
                kind,
                protocol_type: Some("consumer".into()),
                state: Some("Stable".into()),
                coordinator: Some(BrokerId(2)),
            },
            members,
            commits: Ok(vec![]),
        }
    }

    fn said(group: &Group) -> Vec<String> {
        facts(group)
            .into_iter()
            .map(|fact| format!("{} {}", fact.name, fact.cell.spoken()))
            .collect()
    }

    fn unsupported() -> Problem {
        Problem::new(
            ProblemKind::Unsupported,
            "the members of share groups cannot be read yet",
        )
    }

    #[test]
    fn a_group_says_what_the_bus_says_of_it() {
        let members = GroupMembers {
            assignor: Some("range".into()),
            coordinator: Some(BrokerId(1)),
            state: None,
            members: Ok(vec![]),
        };
        assert_eq!(
            said(&group(GroupType::Classic, Ok(members))),
            [
                "State Stable",
                "Type classic",
                "Protocol consumer",
                "Assignor range",
                "Coordinator broker 1"
            ]
        );
    }

    #[test]
    fn what_a_type_does_not_tell_has_its_reason() {
        let members = GroupMembers {
            assignor: None,
            coordinator: None,
            state: None,
            members: Err(unsupported()),
        };
        let share = group(GroupType::Share, Ok(members));
        assert_eq!(
            said(&share)[3],
            "Assignor not known: the members of share groups cannot be read yet"
        );
        assert_eq!(said(&share)[4], "Coordinator broker 2");
        assert_eq!(
            member_count(&share),
            Err("the members of share groups cannot be read yet")
        );
        let mut unknown = group(GroupType::Unknown, Err(unsupported()));
        unknown.listing.state = None;
        unknown.listing.protocol_type = None;
        unknown.listing.coordinator = None;
        let said = said(&unknown);
        for fact in [&said[0], &said[1], &said[2], &said[4]] {
            assert!(fact.ends_with("not known: The bus does not say"), "{fact}");
        }
    }

    #[test]
    fn assignments_join_neighbours() {
        let of = |topic: &str, partitions: &[i32]| Assignment {
            topic: topic.into(),
            partitions: partitions.iter().map(|id| PartitionId(*id)).collect(),
        };
        let assignment = [
            of("orders", &[3, 0, 1, 2, 7]),
            of("payments", &[1]),
            of("none", &[]),
        ];
        assert_eq!(assigned(&assignment), "orders 0–3, 7; payments 1");
        assert_eq!(assigned_count(&assignment), "6");
        assert_eq!(assigned(&[]), "nothing");
    }
}
