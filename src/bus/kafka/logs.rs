//! What only the raw protocol tells of partitions: their batches, open transactions, leader epochs.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;

use crate::bus::{ReadRange, wire};
use crate::model::{
    Broker, BrokerId, Isolation, Known, LogPortion, Offset, OpenTransaction, Problem, ProblemKind,
    TopicName, TopicPartition, TransactionState,
};

use super::KafkaBus;

/// How long one question may take.
const DEADLINE: Duration = Duration::from_secs(5);
/// Connections to one broker that are kept for the next question.
const KEPT: usize = 4;

/// Connections that are not in use, by address.
pub(super) type Idle = Mutex<BTreeMap<String, Vec<wire::Connection>>>;

/// Why this cannot be asked over a secured connection.
fn no_raw() -> Problem {
    Problem::new(
        ProblemKind::Unsupported,
        "how logs are kept, open transactions and leader epochs cannot be asked for over TLS or SASL yet",
    )
}

fn too_late() -> Problem {
    Problem::new(
        ProblemKind::TimedOut,
        format!("no answer within {} s", DEADLINE.as_secs()),
    )
}

/// `host:port` as a socket takes it.
pub(super) fn address(broker: &Broker) -> String {
    if broker.host.contains(':') {
        format!("[{}]:{}", broker.host, broker.port)
    } else {
        format!("{}:{}", broker.host, broker.port)
    }
}

impl KafkaBus {
    /// One portion of a partition's log.
    pub(super) async fn portion(&self, range: ReadRange) -> Known<LogPortion> {
        let broker = self.leader(&range.at).await?;
        // Careful readers are told which transactions were aborted, and get nothing beyond the last stable offset.
        let careful = self
            .with(&broker, async |connection| {
                connection
                    .log(&range.at, range.from, Isolation::ReadCommitted)
                    .await
            })
            .await?;
        if range.from < careful.last_stable || careful.last_stable >= careful.high_watermark {
            return Ok(careful);
        }
        self.with(&broker, async |connection| {
            connection
                .log(&range.at, range.from, Isolation::ReadUncommitted)
                .await
        })
        .await
    }

    pub(super) async fn ends_of_epochs(
        &self,
        of: Vec<(TopicPartition, i32)>,
    ) -> Vec<Known<Option<Offset>>> {
        let mut results: Vec<Known<Option<Offset>>> =
            of.iter().map(|_| Err(unanswered())).collect();
        let partitions: Vec<TopicPartition> = of.iter().map(|(at, _)| at.clone()).collect();
        let (by_broker, failed) = self.by_leader(&partitions).await;
        for (index, problem) in failed {
            if let Some(slot) = results.get_mut(index) {
                *slot = Err(problem);
            }
        }
        for (broker, indices) in by_broker {
            // A partition may be in a question once only; its other epochs go into further ones.
            for turn in turns(&indices, &partitions) {
                let asked: Vec<(TopicPartition, i32)> = turn
                    .iter()
                    .filter_map(|index| of.get(*index).cloned())
                    .collect();
                let answer = self
                    .with(&broker, async |connection| {
                        connection.epoch_ends(&asked).await
                    })
                    .await;
                for index in turn {
                    let (Some(slot), Some(at)) = (results.get_mut(index), partitions.get(index))
                    else {
                        continue;
                    };
                    *slot = match &answer {
                        Ok(found) => found
                            .iter()
                            .find(|(found, _)| found == at)
                            .map_or_else(|| Err(unanswered()), |(_, end)| end.clone()),
                        Err(problem) => Err(problem.clone()),
                    };
                }
            }
        }
        results
    }

    pub(super) async fn transactions_open(
        &self,
        at: Vec<TopicPartition>,
    ) -> Vec<Known<Vec<OpenTransaction>>> {
        let mut producers: Vec<Known<Vec<wire::ActiveProducer>>> =
            at.iter().map(|_| Err(unanswered())).collect();
        let (by_broker, failed) = self.by_leader(&at).await;
        for (index, problem) in failed {
            if let Some(slot) = producers.get_mut(index) {
                *slot = Err(problem);
            }
        }
        for (broker, indices) in by_broker {
            let asked: Vec<TopicPartition> = indices
                .iter()
                .filter_map(|index| at.get(*index).cloned())
                .collect();
            let answer = self
                .with(&broker, async |connection| {
                    connection.producers(&asked).await
                })
                .await;
            for index in indices {
                let (Some(slot), Some(at)) = (producers.get_mut(index), at.get(index)) else {
                    continue;
                };
                *slot = match &answer {
                    Ok(found) => found.get(at).cloned().unwrap_or_else(|| Err(unanswered())),
                    Err(problem) => Err(problem.clone()),
                };
            }
        }
        let any_open = producers
            .iter()
            .flatten()
            .flatten()
            .any(|producer| producer.open_from.is_some());
        let coordinated = if any_open {
            self.coordinated().await
        } else {
            Coordinated::default()
        };
        let mut open = Vec::new();
        for producers in producers {
            open.push(match producers {
                Err(problem) => Err(problem),
                Ok(producers) => Ok(self.opened(producers, &coordinated).await),
            });
        }
        open
    }

    async fn opened(
        &self,
        producers: Vec<wire::ActiveProducer>,
        coordinated: &Coordinated,
    ) -> Vec<OpenTransaction> {
        let mut open = Vec::new();
        for producer in producers {
            let Some(first) = producer.open_from else {
                continue;
            };
            open.push(OpenTransaction {
                producer: producer.id,
                epoch: producer.epoch,
                first,
                last_write: producer.last_write,
                coordinator: self.coordinator_of(producer.id, coordinated).await,
            });
        }
        open
    }

    /// What the coordinator of a producer's transaction says of it.
    async fn coordinator_of(
        &self,
        producer: i64,
        coordinated: &Coordinated,
    ) -> Known<Option<TransactionState>> {
        let Some((broker, name)) = coordinated.by_producer.get(&producer) else {
            return match &coordinated.problem {
                Some(problem) => Err(problem.clone()),
                None => Ok(None),
            };
        };
        self.with(broker, async |connection| {
            connection.transaction(name).await
        })
        .await
    }

    /// The transactions of all coordinators.
    async fn coordinated(&self) -> Coordinated {
        let mut all = Coordinated::default();
        let brokers = match self.describe_cluster().await {
            Ok(cluster) => cluster.brokers,
            Err(problem) => {
                all.problem = Some(problem);
                return all;
            }
        };
        let answers =
            join_all(brokers.iter().map(|broker| {
                self.with(broker, async |connection| connection.transactions().await)
            }))
            .await;
        for (broker, answer) in brokers.iter().zip(answers) {
            match answer {
                Ok(found) => all.by_producer.extend(
                    found
                        .into_iter()
                        .map(|(producer, name)| (producer, (broker.clone(), name))),
                ),
                Err(problem) => all.problem = Some(problem),
            }
        }
        all
    }

    /// The broker that leads a partition, as last heard; asked for when it is not known.
    async fn leader(&self, at: &TopicPartition) -> Known<Broker> {
        let (mut found, failed) = self.by_leader(std::slice::from_ref(at)).await;
        match (found.pop(), failed.into_iter().next()) {
            (Some((broker, _)), _) => Ok(broker),
            (None, Some((_, problem))) => Err(problem),
            (None, None) => Err(unanswered()),
        }
    }

    /// Which of `at` each broker leads, by their places in it; and those that nobody leads.
    async fn by_leader(
        &self,
        at: &[TopicPartition],
    ) -> (Vec<(Broker, Vec<usize>)>, Vec<(usize, Problem)>) {
        let all = |problem: Problem| {
            let failed = (0..at.len()).map(|index| (index, problem.clone()));
            (Vec::new(), failed.collect())
        };
        if !self.plaintext {
            return all(no_raw());
        }
        let unknown: Vec<TopicName> = {
            let leaders = self.leaders.lock();
            let mut names: Vec<TopicName> = at
                .iter()
                .filter(|at| !leaders.contains_key(*at))
                .map(|at| at.topic.clone())
                .collect();
            names.dedup();
            names
        };
        if !unknown.is_empty() {
            drop(self.describe_topics(unknown).await);
        }
        let brokers = match self.describe_cluster().await {
            Ok(cluster) => cluster.brokers,
            Err(problem) => return all(problem),
        };
        let leaders: Vec<Option<BrokerId>> = {
            let known = self.leaders.lock();
            at.iter()
                .map(|at| known.get(at).copied().flatten())
                .collect()
        };
        let mut found: Vec<(Broker, Vec<usize>)> = Vec::new();
        let mut failed = Vec::new();
        for (index, leader) in leaders.into_iter().enumerate() {
            let broker = leader.and_then(|id| brokers.iter().find(|broker| broker.id == id));
            match broker {
                None => failed.push((
                    index,
                    Problem::new(
                        ProblemKind::NoLeader,
                        "the partition has no leader at the moment",
                    ),
                )),
                Some(broker) => match found.iter_mut().find(|(known, _)| known.id == broker.id) {
                    Some((_, indices)) => indices.push(index),
                    None => found.push((broker.clone(), vec![index])),
                },
            }
        }
        (found, failed)
    }

    /// Asks a broker over a connection that is kept for the next question, unless it fails.
    async fn with<T>(
        &self,
        broker: &Broker,
        ask: impl AsyncFnOnce(&mut wire::Connection) -> Known<T>,
    ) -> Known<T> {
        if !self.plaintext {
            return Err(no_raw());
        }
        let address = address(broker);
        let idle = self.idle.lock().get_mut(&address).and_then(Vec::pop);
        let asking = async {
            let mut connection = match idle {
                Some(connection) => connection,
                None => wire::Connection::open(&address, DEADLINE).await?,
            };
            let answer = ask(&mut connection).await;
            Ok::<_, Problem>((connection, answer))
        };
        let (connection, answer) = tokio::time::timeout(DEADLINE, asking)
            .await
            .map_err(|_elapsed| too_late())??;
        let is_broken = answer.as_ref().is_err_and(|problem| {
            matches!(
                problem.kind,
                ProblemKind::Unreachable | ProblemKind::Malformed
            )
        });
        if let Err(problem) = &answer
            && matches!(problem.kind, ProblemKind::NoLeader | ProblemKind::NotFound)
        {
            // Whoever leads now is looked up anew next time.
            self.leaders.lock().clear();
        }
        if !is_broken {
            let mut idle = self.idle.lock();
            let kept = idle.entry(address).or_default();
            if kept.len() < KEPT {
                kept.push(connection);
            }
        }
        answer
    }
}

/// Which transactions coordinators know.
#[derive(Default)]
struct Coordinated {
    /// By producer, the coordinator and the transaction's name.
    by_producer: BTreeMap<i64, (Broker, String)>,
    /// Why there may be more.
    problem: Option<Problem>,
}

/// Splits places of partitions into questions in which each partition is once.
fn turns(indices: &[usize], partitions: &[TopicPartition]) -> Vec<Vec<usize>> {
    let mut turns: Vec<(Vec<&TopicPartition>, Vec<usize>)> = Vec::new();
    for index in indices {
        let Some(at) = partitions.get(*index) else {
            continue;
        };
        match turns.iter_mut().find(|(has, _)| !has.contains(&at)) {
            Some((has, turn)) => {
                has.push(at);
                turn.push(*index);
            }
            None => turns.push((vec![at], vec![*index])),
        }
    }
    turns.into_iter().map(|(_, turn)| turn).collect()
}

fn unanswered() -> Problem {
    Problem::new(ProblemKind::Other, "the partition was not answered")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_in_a_question_once() {
        let at = |partition| TopicPartition::new("t", partition);
        let partitions = [at(0), at(1), at(0), at(0), at(1)];
        assert_eq!(
            turns(&[0, 1, 2, 3, 4], &partitions),
            [vec![0, 1], vec![2, 4], vec![3]]
        );
    }
}
