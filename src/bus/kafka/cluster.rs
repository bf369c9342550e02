//! The cluster, its topics and their settings.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use crate::model::{
    Cluster, Known, Problem, ProblemKind, TimestampType, Topic, TopicConfig, TopicName,
};

use super::ffi::admin::{Answer, Failure, Question};
use super::ffi::metadata;
use super::{KafkaBus, c_string, errors, unexpected};

/// How many topics are asked for at once.
const TOPICS_AT_ONCE: usize = 500;
/// How many topics' settings are asked for at once.
const CONFIGS_AT_ONCE: usize = 200;
/// How long listing all topics may take.
const LISTING: Duration = Duration::from_secs(10);

impl KafkaBus {
    pub(super) async fn describe_cluster(&self) -> Known<Cluster> {
        match self.control.ask(Question::Cluster).await? {
            Answer::Cluster(cluster) => {
                let ids = cluster.brokers.iter().map(|broker| broker.id);
                if self.control.learn_brokers(ids) {
                    self.pool.renew();
                }
                Ok(cluster)
            }
            Answer::Failed(failure) => Err(errors::problem_of(&failure)),
            _ => Err(unexpected()),
        }
    }

    pub(super) async fn list_topics(&self) -> Known<Vec<TopicName>> {
        let client = self.control.client()?;
        let listing = tokio::task::spawn_blocking(move || metadata::topic_names(&client, LISTING));
        let names = listing
            .await
            .map_err(|error| {
                Problem::new(
                    ProblemKind::Other,
                    format!("listing topics failed ({error})"),
                )
            })?
            .map_err(errors::problem)?;
        let mut names: Vec<TopicName> = names.iter().map(|name| name.lossy().into()).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    pub(super) async fn describe_topics(&self, names: Vec<TopicName>) -> Vec<Topic> {
        let chunks = names
            .chunks(TOPICS_AT_ONCE)
            .map(|chunk| self.describe_chunk(chunk));
        let topics: Vec<Topic> = join_all(chunks).await.into_iter().flatten().collect();
        let mut leaders = self.leaders.lock();
        for topic in &topics {
            for partition in &topic.partitions {
                let at = topic.at(partition.id);
                leaders.insert(at, partition.leader);
            }
        }
        topics
    }

    async fn describe_chunk(&self, names: &[TopicName]) -> Vec<Topic> {
        let asked: Vec<_> = names
            .iter()
            .filter_map(|name| c_string(name.as_bytes(), "topic").ok())
            .collect();
        let mut found: HashMap<TopicName, Result<Topic, Failure>> = HashMap::new();
        let mut whole = Problem::new(ProblemKind::NotFound, "there is no such topic");
        match self.control.ask(Question::Topics(asked)).await {
            Ok(Answer::Topics(topics)) => found.extend(topics),
            Ok(Answer::Failed(failure)) => whole = errors::problem_of(&failure),
            Ok(_) => whole = unexpected(),
            Err(problem) => whole = problem,
        }
        names
            .iter()
            .map(|name| match found.remove(name) {
                Some(Ok(topic)) => with_partition_errors(topic),
                Some(Err(failure)) => topic_in_error(name, topic_problem(&failure)),
                None => topic_in_error(name, whole.clone()),
            })
            .collect()
    }

    pub(super) async fn describe_configs(&self, names: Vec<TopicName>) -> Vec<Known<TopicConfig>> {
        let chunks = names
            .chunks(CONFIGS_AT_ONCE)
            .map(|chunk| self.configs_chunk(chunk));
        join_all(chunks).await.into_iter().flatten().collect()
    }

    async fn configs_chunk(&self, names: &[TopicName]) -> Vec<Known<TopicConfig>> {
        let asked: Vec<_> = names
            .iter()
            .filter_map(|name| c_string(name.as_bytes(), "topic").ok())
            .collect();
        let mut found = HashMap::new();
        let mut whole = Problem::new(ProblemKind::NotFound, "there is no such topic");
        match self.control.ask(Question::TopicConfigs(asked)).await {
            Ok(Answer::TopicConfigs(configs)) => found.extend(configs),
            Ok(Answer::Failed(failure)) => whole = errors::problem_of(&failure),
            Ok(_) => whole = unexpected(),
            Err(problem) => whole = problem,
        }
        names
            .iter()
            .map(|name| match found.remove(&(&**name).into()) {
                Some(Ok(entries)) => Ok(topic_config(&entries)),
                Some(Err(failure)) => Err(config_problem(&failure)),
                None => Err(whole.clone()),
            })
            .collect()
    }
}

fn topic_problem(failure: &Failure) -> Problem {
    if failure.code.0 == 3 {
        return Problem::new(ProblemKind::NotFound, "there is no such topic");
    }
    errors::problem(failure.code)
}

fn config_problem(failure: &Failure) -> Problem {
    if failure.code.0 == 29 {
        return Problem::new(
            ProblemKind::Forbidden,
            "this user is not allowed to read the topic's settings",
        );
    }
    errors::problem(failure.code)
}

/// A topic of which nothing but its name is known.
fn topic_in_error(name: &TopicName, problem: Problem) -> Topic {
    Topic {
        name: Arc::clone(name),
        topic_id: None,
        internal: name.starts_with("__"),
        config: Err(problem.clone()),
        partitions: Vec::new(),
        error: Some(problem),
    }
}

/// Says of each partition that nobody leads why its offsets are not known.
fn with_partition_errors(mut topic: Topic) -> Topic {
    for partition in &mut topic.partitions {
        if partition.leader.is_none() {
            let problem = Problem::new(
                ProblemKind::NoLeader,
                "the partition has no leader at the moment",
            );
            partition.log_start = Err(problem.clone());
            partition.high_watermark = Err(problem.clone());
            partition.last_stable = Err(problem.clone());
            partition.error = Some(problem);
        }
    }
    topic
}

fn topic_config(entries: &[(String, Option<String>)]) -> TopicConfig {
    let value = |name: &str| {
        entries
            .iter()
            .find(|(entry, _)| entry == name)
            .and_then(|(_, value)| value.as_deref())
    };
    let number = |name: &str| value(name).and_then(|value| value.trim().parse::<i64>().ok());
    TopicConfig {
        cleanup_policy: value("cleanup.policy").map(str::to_owned),
        retention_ms: number("retention.ms"),
        retention_bytes: number("retention.bytes"),
        delete_retention_ms: number("delete.retention.ms"),
        timestamp_type: match value("message.timestamp.type") {
            Some("CreateTime") => Some(TimestampType::CreateTime),
            Some("LogAppendTime") => Some(TimestampType::LogAppendTime),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_picked_by_name_and_nonsense_is_unknown() {
        let entries = [
            ("cleanup.policy", Some("compact")),
            ("retention.ms", Some("-1")),
            ("retention.bytes", Some("many")),
            ("delete.retention.ms", None),
            ("message.timestamp.type", Some("LogAppendTime")),
        ]
        .map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
        let expected = TopicConfig {
            cleanup_policy: Some("compact".into()),
            retention_ms: Some(-1),
            retention_bytes: None,
            delete_retention_ms: None,
            timestamp_type: Some(TimestampType::LogAppendTime),
        };
        assert_eq!(topic_config(&entries), expected);
    }
}
