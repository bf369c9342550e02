//! What a group's row says: how far behind it is, or why that is not said. Pure.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::{GroupPlaces, Inventory};
use crate::inspect::lag::total;

use super::super::format;
use super::super::num::u64_from_usize;

/// How a group's row is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing to do.
    Calm,
    /// Behind.
    Behind,
    /// Something is not known.
    Unknown,
}

/// What a group's row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How far behind it is, or why that is not said.
    pub text: String,
    /// The same when there is little room.
    pub short: String,
    /// The whole of it, in words.
    pub hint: String,
    /// How it is meant.
    pub tone: Tone,
    /// Whether it has committed anything.
    pub has_committed: bool,
}

/// What to say of `group`.
pub fn summary(group: &GroupPlaces) -> Summary {
    let listing = &group.group.listing;
    let state = listing.state.as_deref().unwrap_or("state not known");
    let about = format!("{} group, {state}", listing.kind);
    let unknown = |reason: &dyn std::fmt::Display| Summary {
        text: "—".to_owned(),
        short: "—".to_owned(),
        hint: format!("{about}\nLag not known: {reason}"),
        tone: Tone::Unknown,
        has_committed: true,
    };
    if let Err(problem) = &group.group.commits {
        return unknown(problem);
    }
    let lag = total(&group.places);
    let reason = group.places.iter().find_map(|place| place.lag().err());
    let members = match &group.group.members {
        Ok(known) => known.members.as_ref().ok().map(Vec::len),
        Err(_) => None,
    };
    let no_members = members == Some(0);
    let members_said = members.map_or_else(
        || "members not known".to_owned(),
        |count| format::counted(u64_from_usize(count), "member", "members"),
    );
    let Some(records) = lag.records else {
        if let Some(reason) = reason {
            return unknown(&reason);
        }
        return Summary {
            text: "never committed".to_owned(),
            short: "never committed".to_owned(),
            hint: format!("{about}, {members_said}\nIt has no committed offset in any partition"),
            tone: Tone::Calm,
            has_committed: false,
        };
    };
    let number = format::count(records);
    let amount = match (records, lag.incomplete) {
        (0, false) => "0".to_owned(),
        (_, false) => format!("{number} behind"),
        (_, true) => format!("≥ {number} behind"),
    };
    let bound = if lag.incomplete { "≥ " } else { "" };
    let short = format!("{bound}{}", format::short_count(records));
    let known = match reason {
        Some(reason) => {
            format!("At least {number} behind: in some partitions it is not known ({reason})")
        }
        None => format!(
            "{number} behind in {}",
            format::counted(
                u64_from_usize(group.places.len()),
                "partition",
                "partitions"
            )
        ),
    };
    Summary {
        text: if no_members {
            format!("{amount} · no members")
        } else {
            amount
        },
        short: if no_members {
            format!("{short} · no members")
        } else {
            short
        },
        hint: format!("{about}, {members_said}\n{known}"),
        tone: match (records, lag.incomplete) {
            (_, true) => Tone::Unknown,
            (0, false) => Tone::Calm,
            _ => Tone::Behind,
        },
        has_committed: true,
    }
}

/// Summaries of groups that were on screen, kept while the inventory is the same.
#[derive(Debug, Default)]
pub struct Summaries {
    inventory: Arc<Inventory>,
    known: HashMap<usize, Arc<Summary>>,
}

impl Summaries {
    /// What to say of group number `index` of `inventory`.
    pub fn of(&mut self, inventory: &Arc<Inventory>, index: usize) -> Option<Arc<Summary>> {
        if !Arc::ptr_eq(&self.inventory, inventory) {
            self.inventory = Arc::clone(inventory);
            self.known.clear();
        }
        if let Some(known) = self.known.get(&index) {
            return Some(Arc::clone(known));
        }
        let made = Arc::new(summary(inventory.groups().get(index)?));
        self.known.insert(index, Arc::clone(&made));
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::lag::Place;
    use crate::model::{
        Commit, Group, GroupListing, GroupMembers, GroupType, Member, Offset, Problem, ProblemKind,
        Text, by_hand,
    };

    fn group(commits: &[Option<i64>], members: Vec<Member>) -> GroupPlaces {
        let commits: Vec<Commit> = commits
            .iter()
            .zip(0..)
            .map(|(offset, partition)| by_hand::commit("orders", partition, *offset))
            .collect();
        let places = commits
            .iter()
            .map(|commit| Place::new(commit, Ok(Offset(0)), Ok(Offset(13_000))))
            .collect();
        GroupPlaces {
            group: Arc::new(Group {
                listing: GroupListing {
                    name: Text::from("billing"),
                    kind: GroupType::Classic,
                    protocol_type: None,
                    state: Some("Stable".into()),
                    coordinator: None,
                },
                members: Ok(GroupMembers {
                    assignor: None,
                    coordinator: None,
                    state: None,
                    members: Ok(members),
                }),
                commits: Ok(commits),
            }),
            places,
        }
    }

    fn one_member() -> Vec<Member> {
        vec![Member {
            member_id: Text::from("m"),
            client_id: Text::from("c"),
            host: Text::from("h"),
            instance_id: None,
            assignment: vec![],
        }]
    }

    fn problem() -> Problem {
        Problem::new(ProblemKind::NoLeader, "nobody leads it")
    }

    #[test]
    fn lag_is_said_in_records() {
        assert_eq!(
            summary(&group(&[Some(592)], one_member())).text,
            "12,408 behind"
        );
        assert_eq!(summary(&group(&[Some(13_000)], one_member())).text, "0");
    }

    #[test]
    fn a_group_without_members_says_so() {
        let summary = summary(&group(&[Some(592)], vec![]));
        assert_eq!(
            (summary.text.as_str(), summary.short.as_str()),
            ("12,408 behind · no members", "12 k · no members")
        );
    }

    #[test]
    fn a_group_that_never_committed_is_not_behind() {
        let summary = summary(&group(&[None], one_member()));
        assert_eq!(
            (summary.text.as_str(), summary.has_committed),
            ("never committed", false)
        );
    }

    #[test]
    fn an_unknown_part_makes_a_lower_bound() {
        let mut partly = group(&[Some(592), Some(0)], one_member());
        partly.places[1].high_watermark = Err(problem());
        let summary = summary(&partly);
        assert_eq!(
            (summary.text.as_str(), summary.tone),
            ("≥ 12,408 behind", Tone::Unknown)
        );
        assert!(
            summary.hint.contains("At least") && summary.hint.contains("nobody leads it"),
            "{}",
            summary.hint
        );
    }

    #[test]
    fn what_is_not_known_is_a_dash_with_its_reason() {
        let mut lost = group(&[Some(592)], one_member());
        lost.places[0].high_watermark = Err(problem());
        assert_eq!(summary(&lost).text, "—");
        let mut forbidden = group(&[], one_member());
        let inner = Group {
            commits: Err(problem()),
            ..(*forbidden.group).clone()
        };
        forbidden.group = Arc::new(inner);
        let summary = summary(&forbidden);
        assert_eq!(summary.text, "—");
        assert!(summary.hint.contains("nobody leads it"), "{}", summary.hint);
    }
}
