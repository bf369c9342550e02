//! Where a group stands.

use std::collections::BTreeMap;

use crate::bus::Bus;
use crate::model::{GroupType, Known, Offset, Problem, ProblemKind, Text, TopicPartition};

use super::lost;

/// The committed offsets of one group.
pub(super) struct Positions(BTreeMap<TopicPartition, Known<Option<Offset>>>);

impl Positions {
    /// Where `group` stands in each partition.
    ///
    /// # Errors
    /// The group is not there, keeps no committed offsets, or cannot be asked.
    pub(super) async fn of(bus: &dyn Bus, group: &Text) -> Known<Self> {
        let list = bus.groups().await?;
        let Some(listing) = list.groups.iter().find(|listing| listing.name == *group) else {
            return Err(Problem::new(
                ProblemKind::NotFound,
                match list.missing.first() {
                    None => format!("there is no group {group}"),
                    Some(why) => format!(
                        "there is no group {group} among those that could be listed ({why})"
                    ),
                },
            ));
        };
        if listing.kind == GroupType::Share {
            return Err(Problem::new(
                ProblemKind::Unsupported,
                format!(
                    "{group} is a share group: share groups keep no committed offset, their records are handed out one by one"
                ),
            ));
        }
        let commits = bus.commits(vec![group.clone()]).await;
        let commits = commits.into_iter().next().unwrap_or_else(|| Err(lost()))?;
        Ok(Self(
            commits
                .into_iter()
                .map(|commit| (commit.at, commit.offset))
                .collect(),
        ))
    }

    /// Where the group would read on in the partition `at`.
    ///
    /// # Errors
    /// It never committed there, or what it committed is not known.
    pub(super) fn at(&self, at: &TopicPartition) -> Known<Offset> {
        self.0.get(at).cloned().unwrap_or(Ok(None))?.ok_or_else(|| {
            Problem::new(
                ProblemKind::NotFound,
                "the group never committed an offset here",
            )
        })
    }
}
