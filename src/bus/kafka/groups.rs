//! Groups, their members and their commits.

use futures_util::future::join_all;

use crate::bus::wire;
use crate::model::{
    Commit, GroupList, GroupListing, GroupMembers, GroupType, Known, Offset, Problem, ProblemKind,
    Text, TopicPartition,
};

use std::collections::BTreeMap;
use std::time::Duration;

use super::ffi::admin::{Answer, FoundCommit, Question};
use super::patience::patiently;
use super::{KafkaBus, c_string, errors, unexpected};

/// How long one broker may take to list its groups.
const LISTING: Duration = Duration::from_secs(3);
/// Where Kafka keeps committed offsets.
const OFFSETS_TOPIC: &str = "__consumer_offsets";

/// Why groups cannot be listed with all their types over a secured connection.
pub(super) fn no_types() -> Problem {
    Problem::new(
        ProblemKind::Unsupported,
        "share and streams groups cannot be listed over TLS or SASL yet: there may be more groups than these",
    )
}

impl KafkaBus {
    pub(super) async fn list_groups(&self) -> Known<GroupList> {
        if self.plaintext {
            self.list_by_broker().await
        } else {
            self.list_by_librdkafka().await
        }
    }

    /// Asks each broker for the groups it coordinates.
    async fn list_by_broker(&self) -> Known<GroupList> {
        let brokers = self.describe_cluster().await?.brokers;
        let asked = brokers
            .iter()
            .map(|broker| patiently(|| self.lines.ask(broker, &wire::ListGroups, LISTING)));
        let answers = join_all(asked).await;
        let mut missing = Vec::new();
        let mut listings = Vec::new();
        for (broker, answer) in brokers.iter().zip(answers) {
            match answer {
                Ok(groups) => listings.extend(groups.into_iter().map(|group| GroupListing {
                    coordinator: Some(broker.id),
                    ..group
                })),
                Err(problem) => missing.push(problem.within(&format!(
                    "the groups that broker {} coordinates are not known",
                    broker.id.0
                ))),
            }
        }
        if !brokers.is_empty() && missing.len() == brokers.len() {
            return Err(missing.swap_remove(0));
        }
        missing.extend(self.uncoordinated().await);
        Ok(GroupList {
            groups: by_name(listings),
            missing,
        })
    }

    /// The groups that nobody lists because nobody coordinates them: a group is coordinated by the leader of one
    /// partition of the topic that keeps the committed offsets (Kafka, `GroupCoordinatorService.partitionFor`).
    async fn uncoordinated(&self) -> Option<Problem> {
        let topics = self.describe_topics(vec![OFFSETS_TOPIC.into()]).await;
        let partitions = topics.into_iter().flat_map(|topic| topic.partitions);
        let leaderless: Vec<String> = partitions
            .filter(|partition| partition.leader.is_none())
            .map(|partition| partition.id.to_string())
            .collect();
        (!leaderless.is_empty()).then(|| {
            Problem::new(
                ProblemKind::NoLeader,
                format!(
                    "the groups kept in partition {} of {OFFSETS_TOPIC} are not known: nobody leads it at the moment",
                    leaderless.join(", ")
                ),
            )
        })
    }

    async fn list_by_librdkafka(&self) -> Known<GroupList> {
        match self
            .control
            .ask_within(&Question::Groups, LISTING, None)
            .await?
        {
            Answer::Groups(groups, failures) => {
                let mut missing: Vec<Problem> = failures.iter().map(errors::problem_of).collect();
                if groups.is_empty()
                    && let Some(problem) = missing.first()
                {
                    return Err(problem.clone());
                }
                missing.extend(self.uncoordinated().await);
                missing.push(no_types());
                Ok(GroupList {
                    groups: by_name(groups),
                    missing,
                })
            }
            Answer::Failed(failure) => Err(errors::problem_of(&failure)),
            _ => Err(unexpected()),
        }
    }

    pub(super) async fn describe_groups(
        &self,
        groups: Vec<GroupListing>,
    ) -> Vec<Known<GroupMembers>> {
        join_all(groups.iter().map(|group| self.describe_group(group))).await
    }

    async fn describe_group(&self, group: &GroupListing) -> Known<GroupMembers> {
        if matches!(group.kind, GroupType::Share | GroupType::Streams) {
            return Ok(GroupMembers {
                assignor: None,
                coordinator: group.coordinator,
                state: group.state.clone(),
                members: Err(Problem::new(
                    ProblemKind::Unsupported,
                    format!("the members of {} groups cannot be read yet", group.kind),
                )),
            });
        }
        let name = c_string(group.name.as_bytes(), "group")?;
        let _turn = self.groups.acquire().await;
        match self.control.ask(Question::Members(name)).await? {
            Answer::Members(members) => members.map_err(|failure| errors::problem_of(&failure)),
            Answer::Failed(failure) => Err(errors::problem_of(&failure)),
            _ => Err(unexpected()),
        }
    }

    pub(super) async fn list_commits(&self, groups: Vec<Text>) -> Vec<Known<Vec<Commit>>> {
        join_all(groups.iter().map(|group| self.commits_of(group))).await
    }

    async fn commits_of(&self, group: &Text) -> Known<Vec<Commit>> {
        let name = c_string(group.as_bytes(), "group")?;
        let _turn = self.groups.acquire().await;
        match self.control.ask(Question::Commits(name)).await? {
            Answer::Commits(Ok(commits)) => {
                let mut commits: Vec<Commit> = commits.into_iter().filter_map(commit).collect();
                commits.sort_by(|a, b| a.at.cmp(&b.at));
                Ok(commits)
            }
            Answer::Commits(Err(failure)) | Answer::Failed(failure) => {
                Err(errors::problem_of(&failure))
            }
            _ => Err(unexpected()),
        }
    }
}

/// Sorted by name, each group once: brokers may both list a group whose coordinator is moving.
fn by_name(listings: Vec<GroupListing>) -> Vec<GroupListing> {
    let mut unique: BTreeMap<Text, GroupListing> = BTreeMap::new();
    for listing in listings {
        unique.entry(listing.name.clone()).or_insert(listing);
    }
    unique.into_values().collect()
}

/// A commit in the model's terms; `None` for a partition without one, which an answer about all partitions
/// names only while a transaction's commit is not applied yet.
fn commit(found: FoundCommit) -> Option<Commit> {
    let offset = if !found.code.is_ok() {
        Err(errors::problem(found.code))
    } else if found.offset >= 0 {
        Ok(Some(Offset(found.offset)))
    } else {
        return None;
    };
    Some(Commit {
        at: TopicPartition::new(found.topic.lossy(), found.partition),
        offset,
        leader_epoch: (found.leader_epoch >= 0).then_some(found.leader_epoch),
        metadata: found.metadata,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::kafka::ffi::Code;

    fn found(offset: i64, code: i32) -> FoundCommit {
        FoundCommit {
            topic: Text::from("t"),
            partition: 3,
            offset,
            leader_epoch: -1,
            metadata: Text::from_bytes(&[0xff]),
            code: Code(code),
        }
    }

    #[test]
    fn a_commit_keeps_its_metadata_and_no_sentinel_becomes_an_offset() {
        let kept = commit(found(5, 0)).unwrap();
        assert_eq!(kept.offset, Ok(Some(Offset(5))));
        assert_eq!(kept.leader_epoch, None);
        assert_eq!(kept.metadata.as_bytes(), &[0xff]);
        assert!(commit(found(-1001, 0)).is_none());
        assert_eq!(
            commit(found(-1001, 29)).unwrap().offset.unwrap_err().kind,
            ProblemKind::Forbidden
        );
    }

    #[test]
    fn a_group_listed_by_two_brokers_is_there_once() {
        let group = |name: &str| GroupListing {
            name: Text::from(name),
            kind: GroupType::Classic,
            protocol_type: None,
            state: None,
            coordinator: None,
        };
        let names: Vec<_> = by_name(vec![group("b"), group("a"), group("b")])
            .into_iter()
            .map(|group| group.name)
            .collect();
        assert_eq!(names, vec![Text::from("a"), Text::from("b")]);
    }
}
