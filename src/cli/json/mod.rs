//! The answers as they are written in JSON: names and order of the fields are a promise to scripts.
//!
//! Each type borrows from the engine's reply. The tables for people are made of the same types, so that
//! both say the same. What is not known is `null`, and its reason stands in the nearest `error`.

mod gaps;
mod groups;
mod records;
mod rewind;
mod timeline;
mod topics;

use serde::{Serialize, Serializer};

use crate::model::{BrokerId, Cluster, Known, Problem, ProblemKind};

pub(super) use crate::model::json::{RecordLine, RecordView};
pub(super) use gaps::{ChangeLine, FindingView, GapsView};
pub(super) use groups::{GroupView, GroupsView, OffsetView};
pub(super) use records::{CoverageLine, CoverageView};
pub(super) use rewind::{PlanView, RowView};
pub(super) use timeline::{CursorView, TimelinePartitionView, TimelineView};
pub(super) use topics::{PartitionView, TopicView, TopicsView};

/// A problem, written as its sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason(pub(super) Problem);

impl Reason {
    pub(super) fn of<T>(value: &Known<T>) -> Option<Self> {
        value.as_ref().err().cloned().map(Self)
    }

    pub(super) fn is_missing_name(&self) -> bool {
        self.0.kind == ProblemKind::NotFound
    }

    pub(super) fn is_unsupported(&self) -> bool {
        self.0.kind == ProblemKind::Unsupported
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.message)
    }
}

/// The value when it is known.
pub(super) fn known<T: Copy>(value: &Known<T>) -> Option<T> {
    value.as_ref().ok().copied()
}

/// The answer of `cluster`.
#[derive(Debug, Serialize)]
pub(super) struct ClusterView<'a> {
    pub(super) cluster_id: Option<&'a str>,
    pub(super) controller: Option<BrokerId>,
    pub(super) brokers: Vec<BrokerView<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct BrokerView<'a> {
    pub(super) id: BrokerId,
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) rack: Option<&'a str>,
}

impl<'a> ClusterView<'a> {
    pub(super) fn of(cluster: &'a Cluster) -> Self {
        let broker = |broker: &'a crate::model::Broker| BrokerView {
            id: broker.id,
            host: &broker.host,
            port: broker.port,
            rack: broker.rack.as_deref(),
        };
        Self {
            cluster_id: cluster.cluster_id.as_deref(),
            controller: cluster.controller,
            brokers: cluster.brokers.iter().map(broker).collect(),
        }
    }
}
