//! Open transactions: who has one open in a partition, and what its coordinator knows of it.
//!
//! A partition's leader knows from which offset on a producer has a transaction open (`DescribeProducers`). The
//! coordinator knows its name, state and time-out; which broker that is follows from the name alone, so all are
//! asked. What no coordinator knows will never be ended by anybody. That is said only when nothing else can be the
//! reason: a coordinator that did not answer or is moving, a transaction that ended in between, a listing that
//! leaves out what we may not see.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;

use crate::bus::wire::{
    ActiveProducer, DescribeTransactions, DescribedTransaction, ListTransactions, Producers,
    ProducersOf,
};
use crate::model::{
    Broker, Known, Offset, OpenTransaction, Problem, ProblemKind, TimestampMs, TopicPartition,
    TransactionState,
};

use super::KafkaBus;
use super::leaders::{Told, no_raw, refusal};
use super::lines::DEADLINE;

/// Where Kafka keeps transactions; the leader of one of its partitions coordinates those that are kept there.
const TRANSACTIONS_TOPIC: &str = "__transaction_state";
/// A name that no transaction has. Whether it is refused tells whether we may see transactions by any name.
const ANY_NAME: &str = "tideline-any-name";
/// `TRANSACTIONAL_ID_AUTHORIZATION_FAILED` (Kafka, `Errors`).
const MAY_NOT_SEE: i16 = 53;
/// `TRANSACTIONAL_ID_NOT_FOUND` (Kafka, `Errors`).
const NO_SUCH_NAME: i16 = 105;

/// What all coordinators together know of some producers.
struct Coordinators {
    /// Transactions by their producer's id.
    by_producer: BTreeMap<i64, Known<DescribedTransaction>>,
    /// Why a transaction that is not among them may be known to a coordinator all the same.
    gap: Option<Problem>,
}

impl KafkaBus {
    /// As [`Bus::open_transactions`](crate::bus::Bus::open_transactions).
    pub(super) async fn transactions_in(
        &self,
        at: Vec<TopicPartition>,
    ) -> Vec<Known<Vec<OpenTransaction>>> {
        if !self.plaintext {
            return at
                .iter()
                .map(|_| Err(no_raw("who has transactions open")))
                .collect();
        }
        let open = self.open_in(&at).await;
        let ids: BTreeSet<i64> = open.iter().flatten().flatten().map(|one| one.id).collect();
        if ids.is_empty() {
            return open
                .into_iter()
                .map(|open| open.map(|_| Vec::new()))
                .collect();
        }
        let coordinators = self.coordinators(ids.into_iter().collect()).await;
        let orphans: Vec<TopicPartition> = at
            .iter()
            .zip(&open)
            .filter(|(at, open)| {
                let mut open = open.iter().flatten();
                open.any(|one| matches!(coordinators.of(at, one), Ok(None)))
            })
            .map(|(at, _)| at.clone())
            .collect();
        // One that nobody knows may just have ended.
        let still = self.open_in(&orphans).await;
        let still: BTreeMap<&TopicPartition, &Known<Vec<ActiveProducer>>> =
            orphans.iter().zip(&still).collect();
        at.iter()
            .zip(open)
            .map(|(at, open)| {
                let open = open?.into_iter();
                let told = open.filter_map(|one| {
                    let coordinator = match (coordinators.of(at, &one), still.get(at)) {
                        (Ok(None), Some(Ok(still))) if !is_among(&one, still) => return None,
                        (Ok(None), Some(Err(problem))) => Err(problem.clone()),
                        (known, _) => known,
                    };
                    Some(described(&one, coordinator))
                });
                Ok(told.collect())
            })
            .collect()
    }

    /// The producers with an open transaction, of each partition.
    async fn open_in(&self, at: &[TopicPartition]) -> Vec<Known<Vec<ActiveProducer>>> {
        let question = |at: Vec<&TopicPartition>| Producers(at.into_iter().cloned().collect());
        let answers = |told: Vec<ProducersOf>| {
            let told = told.into_iter().map(|of| {
                let code = of.code;
                let open = of.producers.into_iter();
                let answer = open.filter(|one| one.open_from >= 0).collect();
                (of.at, Told { code, answer })
            });
            told.collect()
        };
        self.ask_leaders(at, |at| at, question, answers).await
    }

    /// What the coordinators know of these producers.
    async fn coordinators(&self, producers: Vec<i64>) -> Coordinators {
        let mut found = Coordinators {
            by_producer: BTreeMap::new(),
            gap: None,
        };
        let brokers = match self.brokers(true).await {
            Ok(brokers) => brokers,
            Err(problem) => {
                found.gap = Some(problem);
                return found;
            }
        };
        let question = ListTransactions(producers);
        let listings = brokers
            .iter()
            .map(|broker| self.lines.ask(broker, &question, DEADLINE));
        let mut asked = Vec::new();
        for (broker, listing) in brokers.iter().zip(join_all(listings).await) {
            let listing = listing.and_then(|listing| match refusal(listing.code) {
                Some(problem) => Err(problem),
                None => Ok(listing.listed),
            });
            match listing {
                Ok(listed) => {
                    if !listed.is_empty() {
                        asked.push(self.describe_at(broker, listed));
                    }
                }
                Err(problem) => found.miss(broker, &problem),
            }
        }
        for described in join_all(asked).await {
            for (producer, transaction) in described {
                // Two brokers may both list a transaction whose coordinator is moving.
                let known = found.by_producer.get(&producer);
                if known.is_none_or(Result::is_err) {
                    found.by_producer.insert(producer, transaction);
                }
            }
        }
        if found.gap.is_none() {
            found.gap = match self.uncoordinated_transactions().await {
                Some(problem) => Some(problem),
                None => self.hidden_transactions(&brokers).await,
            };
        }
        found
    }

    /// What a coordinator knows of the transactions that it listed: by producer.
    async fn describe_at(
        &self,
        broker: &Broker,
        listed: Vec<(String, i64)>,
    ) -> Vec<(i64, Known<DescribedTransaction>)> {
        let names = listed.iter().map(|(name, _)| name.clone()).collect();
        let answer = self
            .lines
            .ask(broker, &DescribeTransactions(names), DEADLINE)
            .await;
        let mut described: BTreeMap<String, DescribedTransaction> = match answer {
            Ok(described) => described
                .into_iter()
                .map(|one| (one.id.clone(), one))
                .collect(),
            Err(problem) => {
                let problem = problem.within("what its coordinator knows of it is not known");
                return listed
                    .into_iter()
                    .map(|(_, producer)| (producer, Err(problem.clone())))
                    .collect();
            }
        };
        listed
            .into_iter()
            .filter_map(|(name, producer)| {
                let known = match described.remove(&name) {
                    // Forgotten since it was listed.
                    Some(one) if one.code == NO_SUCH_NAME => return None,
                    Some(one) if one.code == MAY_NOT_SEE => Err(may_not_see()),
                    Some(one) => match refusal(one.code) {
                        Some(problem) => Err(problem),
                        None => Ok(one),
                    },
                    None => Err(Problem::new(
                        ProblemKind::Malformed,
                        "the coordinator did not answer about the transaction",
                    )),
                };
                Some((producer, known))
            })
            .collect()
    }

    /// Why transactions may exist that nobody lists because nobody coordinates them.
    async fn uncoordinated_transactions(&self) -> Option<Problem> {
        let topics = self.describe_topics(vec![TRANSACTIONS_TOPIC.into()]).await;
        let topic = topics.into_iter().next()?;
        if let Some(problem) = topic.error {
            // On a bus where nobody ever began one, there is no such topic.
            return (problem.kind != ProblemKind::NotFound).then(|| {
                problem.within("whether every transaction has a coordinator is not known")
            });
        }
        let mut partitions = topic.partitions.into_iter();
        partitions
            .any(|partition| partition.leader.is_none())
            .then(|| {
                Problem::new(
                    ProblemKind::NoLeader,
                    "some transactions have no coordinator at the moment",
                )
            })
    }

    /// Why transactions may exist that are left out because we may not see them.
    async fn hidden_transactions(&self, brokers: &[Broker]) -> Option<Problem> {
        let question = DescribeTransactions(vec![ANY_NAME.to_owned()]);
        let broker = brokers.first()?;
        match self.lines.ask(broker, &question, DEADLINE).await {
            Ok(told) => told
                .iter()
                .any(|one| one.code == MAY_NOT_SEE)
                .then(may_not_see),
            Err(problem) => Some(problem),
        }
    }
}

impl Coordinators {
    fn miss(&mut self, broker: &Broker, problem: &Problem) {
        self.gap.get_or_insert_with(|| {
            problem.within(&format!(
                "the transactions that broker {} coordinates are not known",
                broker.id.0
            ))
        });
    }

    /// What is known of a producer's open transaction in a partition. A coordinator that knows the producer, but not
    /// that it writes there, does not know this transaction: it will end another.
    fn of(&self, at: &TopicPartition, one: &ActiveProducer) -> Known<Option<TransactionState>> {
        let is_this = |known: &DescribedTransaction| {
            known.producer == one.id && known.partitions.contains(at)
        };
        match self.by_producer.get(&one.id) {
            Some(Ok(known)) if is_this(known) => Ok(Some(state(known))),
            Some(Err(problem)) => Err(problem.clone()),
            Some(Ok(_)) | None => match &self.gap {
                Some(problem) => Err(problem.clone()),
                None => Ok(None),
            },
        }
    }
}

/// Whether the same transaction is among these.
fn is_among(one: &ActiveProducer, others: &[ActiveProducer]) -> bool {
    others
        .iter()
        .any(|other| (other.id, other.open_from) == (one.id, one.open_from))
}

fn described(
    one: &ActiveProducer,
    coordinator: Known<Option<TransactionState>>,
) -> OpenTransaction {
    OpenTransaction {
        producer: one.id,
        epoch: one.epoch,
        first: Offset(one.open_from),
        last_write: (one.last_time >= 0).then_some(TimestampMs(one.last_time)),
        coordinator,
    }
}

fn state(known: &DescribedTransaction) -> TransactionState {
    TransactionState {
        transactional_id: known.id.clone(),
        state: known.state.clone(),
        started: (known.started >= 0).then_some(TimestampMs(known.started)),
        timeout_ms: i64::from(known.timeout_ms),
    }
}

fn may_not_see() -> Problem {
    Problem::new(
        ProblemKind::Forbidden,
        "this user is not allowed to see every transaction",
    )
}

#[cfg(test)]
mod tests;
