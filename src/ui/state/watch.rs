//! How the connection has stood: what was lost and came back is told once. Pure.

use std::collections::BTreeMap;

use crate::engine::{Connection, SessionId, Snapshot};
use crate::model::BrokerId;

use super::notices::Notice;

/// What was known of the connection up to now.
#[derive(Clone, Debug, Default)]
pub struct ConnectionWatch {
    session: SessionId,
    /// Whether what was read last is old by now.
    is_degraded: bool,
    /// Every broker of this session by its id: where it is, and whether it is gone.
    brokers: BTreeMap<BrokerId, (String, bool)>,
    generation: u64,
}

impl ConnectionWatch {
    /// Takes a new snapshot; what there is to tell about it.
    pub fn take(&mut self, snapshot: &Snapshot) -> Vec<Notice> {
        if self.session != snapshot.session {
            *self = Self {
                session: snapshot.session,
                ..Self::default()
            };
        } else if self.generation == snapshot.generation {
            return Vec::new();
        }
        self.generation = snapshot.generation;
        let mut notices = Vec::new();
        if let Connection::Connected { to, degraded, .. } = &snapshot.connection {
            match degraded {
                Some(problem) if !self.is_degraded => {
                    notices.push(Notice::warning(format!(
                        "{to} does not answer, what is shown is old: {problem}"
                    )));
                }
                None if self.is_degraded => {
                    notices.push(Notice::done(format!("{to} answers again")));
                }
                _ => {}
            }
            self.is_degraded = degraded.is_some();
        }
        if let Some(Ok(cluster)) = &snapshot.inventory.cluster {
            notices.extend(
                self.take_brokers(
                    cluster
                        .brokers
                        .iter()
                        .map(|broker| (broker.id, format!("{}:{}", broker.host, broker.port)))
                        .collect(),
                ),
            );
        }
        notices
    }

    fn take_brokers(&mut self, live: BTreeMap<BrokerId, String>) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (id, (address, is_gone)) in &mut self.brokers {
            let was_gone = std::mem::replace(is_gone, !live.contains_key(id));
            if *is_gone && !was_gone {
                notices.push(Notice::warning(format!(
                    "Broker {} ({address}) has left the cluster",
                    id.0
                )));
            } else if was_gone && !*is_gone {
                notices.push(Notice::done(format!("Broker {} is back", id.0)));
            }
        }
        for (id, address) in live {
            self.brokers.insert(id, (address, false));
        }
        notices
    }

    /// The brokers that were there in this session and are gone, each with its address.
    pub fn gone(&self) -> impl Iterator<Item = (BrokerId, &str)> {
        self.brokers
            .iter()
            .filter(|(_, (_, is_gone))| *is_gone)
            .map(|(id, (address, _))| (*id, address.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::Inventory;
    use crate::model::{Broker, Cluster, Problem, ProblemKind};
    use crate::ui::state::notices::Tone;

    fn snapshot(generation: u64, degraded: bool, brokers: &[i32]) -> Snapshot {
        let broker = |id: &i32| Broker {
            id: BrokerId(*id),
            host: format!("kafka-{id}"),
            port: 9092,
            rack: None,
        };
        Snapshot {
            session: SessionId(1),
            generation,
            connection: Connection::Connected {
                to: "kafka-1:9092".into(),
                demo: false,
                degraded: degraded
                    .then(|| Problem::new(ProblemKind::Unreachable, "no broker answers")),
            },
            inventory: Arc::new(Inventory {
                cluster: Some(Ok(Arc::new(Cluster {
                    cluster_id: None,
                    controller: None,
                    brokers: brokers.iter().map(broker).collect(),
                }))),
                ..Inventory::default()
            }),
            ..Snapshot::default()
        }
    }

    fn told(watch: &mut ConnectionWatch, snapshot: &Snapshot) -> Vec<(Tone, String)> {
        watch
            .take(snapshot)
            .into_iter()
            .map(|notice| (notice.tone, notice.text.to_string()))
            .collect()
    }

    #[test]
    fn what_is_lost_and_comes_back_is_told_once() {
        let mut watch = ConnectionWatch::default();
        assert!(told(&mut watch, &snapshot(1, false, &[1, 2])).is_empty());
        let lost = snapshot(2, true, &[1, 2]);
        assert_eq!(
            told(&mut watch, &lost),
            [(
                Tone::Warning,
                "kafka-1:9092 does not answer, what is shown is old: no broker answers".to_owned()
            )]
        );
        assert!(told(&mut watch, &lost).is_empty());
        assert!(told(&mut watch, &snapshot(3, true, &[1, 2])).is_empty());
        assert_eq!(
            told(&mut watch, &snapshot(4, false, &[1, 2])),
            [(Tone::Done, "kafka-1:9092 answers again".to_owned())]
        );
    }

    #[test]
    fn a_broker_that_leaves_is_named_until_it_is_back() {
        let mut watch = ConnectionWatch::default();
        told(&mut watch, &snapshot(1, false, &[1, 2, 3]));
        assert_eq!(
            told(&mut watch, &snapshot(2, false, &[1, 3])),
            [(
                Tone::Warning,
                "Broker 2 (kafka-2:9092) has left the cluster".to_owned()
            )]
        );
        let gone: Vec<_> = watch.gone().collect();
        assert_eq!(gone, [(BrokerId(2), "kafka-2:9092")]);
        assert_eq!(
            told(&mut watch, &snapshot(3, false, &[1, 2, 3])),
            [(Tone::Done, "Broker 2 is back".to_owned())]
        );
        assert_eq!(watch.gone().count(), 0);
    }

    #[test]
    fn another_bus_has_brokers_of_its_own() {
        let mut watch = ConnectionWatch::default();
        told(&mut watch, &snapshot(1, true, &[1, 2]));
        let mut other = snapshot(1, false, &[7]);
        other.session = SessionId(2);
        assert!(told(&mut watch, &other).is_empty());
        assert_eq!(watch.gone().count(), 0);
    }
}
