//! The answer of `topics`.

use serde::Serialize;

use crate::engine::TopicsReply;
use crate::model::{
    BrokerId, Offset, Partition, PartitionId, Problem, ProblemKind, TimestampType, Topic,
    TopicConfig,
};

use super::{Reason, known};

#[derive(Debug, Serialize)]
pub(crate) struct TopicsView<'a> {
    pub(crate) topics: Vec<TopicView<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TopicView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) topic_id: Option<&'a str>,
    pub(crate) internal: Option<bool>,
    pub(crate) cleanup_policy: Option<&'a str>,
    pub(crate) retention_ms: Option<i64>,
    pub(crate) timestamp_type: Option<TimestampType>,
    pub(crate) error: Option<Reason>,
    pub(crate) config_error: Option<Reason>,
    pub(crate) partitions: Option<Vec<PartitionView<'a>>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PartitionView<'a> {
    pub(crate) partition: PartitionId,
    pub(crate) leader: Option<BrokerId>,
    pub(crate) replicas: &'a [BrokerId],
    pub(crate) isr: &'a [BrokerId],
    pub(crate) log_start_offset: Option<Offset>,
    pub(crate) last_stable_offset: Option<Offset>,
    pub(crate) high_watermark: Option<Offset>,
    pub(crate) error: Option<Reason>,
}

impl<'a> TopicsView<'a> {
    pub(crate) fn of(reply: &'a TopicsReply) -> Self {
        Self {
            topics: reply
                .topics
                .iter()
                .map(|topic| TopicView::of(topic))
                .collect(),
        }
    }
}

impl<'a> TopicView<'a> {
    fn of(topic: &'a Topic) -> Self {
        let config = topic.config.as_ref().ok();
        let unread = topic.error.is_some() && topic.partitions.is_empty();
        Self {
            topic: &topic.name,
            topic_id: topic.topic_id.as_deref(),
            internal: (!unread).then_some(topic.internal),
            cleanup_policy: config.and_then(|config| config.cleanup_policy.as_deref()),
            retention_ms: config.and_then(|config| config.retention_ms),
            timestamp_type: config.and_then(|config| config.timestamp_type),
            error: topic.error.clone().map(Reason),
            config_error: Reason::of(&topic.config).or_else(|| config.and_then(left_out)),
            partitions: (!unread).then(|| topic.partitions.iter().map(PartitionView::of).collect()),
        }
    }
}

/// Why settings are null though the broker answered.
fn left_out(config: &TopicConfig) -> Option<Reason> {
    let settings = [
        ("cleanup.policy", config.cleanup_policy.is_none()),
        ("retention.ms", config.retention_ms.is_none()),
        ("message.timestamp.type", config.timestamp_type.is_none()),
    ];
    let missing: Vec<&str> = settings
        .iter()
        .filter(|(_, missing)| *missing)
        .map(|(name, _)| *name)
        .collect();
    (!missing.is_empty()).then(|| {
        let message = format!("the broker did not say {}", missing.join(", "));
        Reason(Problem::new(ProblemKind::Unsupported, message))
    })
}

impl<'a> PartitionView<'a> {
    fn of(partition: &'a Partition) -> Self {
        let leaderless = || {
            partition.leader.is_none().then(|| {
                Problem::new(
                    ProblemKind::NoLeader,
                    "no broker leads this partition at the moment",
                )
            })
        };
        Self {
            partition: partition.id,
            leader: partition.leader,
            replicas: &partition.replicas,
            isr: &partition.isr,
            log_start_offset: known(&partition.log_start),
            last_stable_offset: known(&partition.last_stable),
            high_watermark: known(&partition.high_watermark),
            error: partition
                .first_problem()
                .cloned()
                .or_else(leaderless)
                .map(Reason),
        }
    }
}
