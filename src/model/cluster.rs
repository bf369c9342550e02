//! The cluster and its brokers.

use super::BrokerId;

/// A cluster as one of its brokers describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The cluster's own id; `None` when the broker names none.
    pub cluster_id: Option<String>,
    /// The broker that is named as controller; `None` when there is none at the moment.
    pub controller: Option<BrokerId>,
    /// The live brokers, by id.
    pub brokers: Vec<Broker>,
}

/// A broker and the address it advertises to clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broker {
    /// Its id.
    pub id: BrokerId,
    /// The advertised host.
    pub host: String,
    /// The advertised port.
    pub port: u16,
    /// Its rack, when it has one.
    pub rack: Option<String>,
}
