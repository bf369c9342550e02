//! Asking the leaders of partitions over raw connections.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;

use crate::bus::wire::Question;
use crate::model::{Broker, BrokerId, Known, Problem, ProblemKind, TopicName, TopicPartition};

use super::ffi::Code;
use super::lines::DEADLINE;
use super::{KafkaBus, errors};

/// How many partitions one question is about at most.
const AT_ONCE: usize = 500;

/// Why something cannot be asked over a secured connection.
pub(super) fn no_raw(what: &str) -> Problem {
    Problem::new(
        ProblemKind::Unsupported,
        format!("{what} cannot be read over TLS or SASL yet"),
    )
}

/// The problem that a broker's error code stands for, 0 being none.
pub(super) fn refusal(code: i16) -> Option<Problem> {
    (code != 0).then(|| errors::problem(Code(i32::from(code))))
}

/// Whether a broker refuses because it is not the leader any more, or not yet: another one may be (Kafka's `Errors`:
/// no such partition here, no leader, not the leader, replica not there).
pub(super) fn has_moved(code: i16) -> bool {
    matches!(code, 3 | 5 | 6 | 9)
}

/// What one place of a question got.
pub(super) struct Told<A> {
    /// The broker's error code; 0 for none.
    pub(super) code: i16,
    /// The answer, of no meaning with an error.
    pub(super) answer: A,
}

impl KafkaBus {
    /// The brokers, as last heard; asked for when nothing was heard yet or `anew`.
    pub(super) async fn brokers(&self, anew: bool) -> Known<Vec<Broker>> {
        let known = self.brokers.lock().clone();
        if !anew && !known.is_empty() {
            return Ok(known);
        }
        let found = self.describe_cluster().await?.brokers;
        self.brokers.lock().clone_from(&found);
        Ok(found)
    }

    /// Who leads each of these partitions, in the order given; asked for where nothing was heard yet, or of all
    /// `anew`.
    pub(super) async fn leaders_of(&self, at: &[TopicPartition], anew: bool) -> Vec<Known<Broker>> {
        let unheard: BTreeSet<TopicName> = {
            let leaders = self.leaders.lock();
            at.iter()
                .filter(|at| anew || !matches!(leaders.get(*at), Some(Some(_))))
                .map(|at| at.topic.clone())
                .collect()
        };
        let unheard: Vec<TopicName> = unheard.into_iter().collect();
        let mut failed: BTreeMap<TopicName, Problem> = BTreeMap::new();
        if !unheard.is_empty() {
            for topic in self.describe_topics(unheard).await {
                if let Some(problem) = topic.error {
                    failed.insert(topic.name, problem);
                }
            }
        }
        let leaders: Vec<Known<BrokerId>> = {
            let leaders = self.leaders.lock();
            at.iter()
                .map(|at| match (failed.get(&at.topic), leaders.get(at)) {
                    (Some(problem), _) => Err(problem.clone()),
                    (None, Some(Some(leader))) => Ok(*leader),
                    (None, Some(None)) => Err(no_leader()),
                    (None, None) => Err(Problem::new(
                        ProblemKind::NotFound,
                        "there is no such partition",
                    )),
                })
                .collect()
        };
        let missing = |brokers: &[Broker]| {
            leaders
                .iter()
                .flatten()
                .any(|leader| !brokers.iter().any(|broker| broker.id == *leader))
        };
        let mut brokers = self.brokers(anew).await;
        if !anew && brokers.as_ref().is_ok_and(|brokers| missing(brokers)) {
            brokers = self.brokers(true).await;
        }
        leaders
            .into_iter()
            .map(|leader| {
                let leader = leader?;
                let brokers = brokers.as_ref().map_err(Problem::clone)?;
                let found = brokers.iter().find(|broker| broker.id == leader);
                found.cloned().ok_or_else(|| {
                    Problem::new(
                        ProblemKind::Unreachable,
                        format!("the partition's leader, broker {}, is not there", leader.0),
                    )
                })
            })
            .collect()
    }

    /// Asks about partitions at their leaders, once more at the new ones where they have moved: one result for each
    /// place, in the order given. `question` makes one for some of the places, each partition at most once;
    /// `answers` takes an answer apart by partition.
    pub(super) async fn ask_leaders<P, Q, A>(
        &self,
        places: &[P],
        at: impl Fn(&P) -> &TopicPartition + Sync,
        question: impl Fn(Vec<&P>) -> Q + Sync,
        answers: impl Fn(Q::Answer) -> Vec<(TopicPartition, Told<A>)> + Sync,
    ) -> Vec<Known<A>>
    where
        P: Sync,
        Q: Question,
        A: Send,
    {
        let mut results: Vec<Option<Known<A>>> = places.iter().map(|_| None).collect();
        for last in [false, true] {
            let open: Vec<Place<'_, P>> = places
                .iter()
                .enumerate()
                .filter(|(index, _)| matches!(results.get(*index), Some(None)))
                .collect();
            if open.is_empty() {
                break;
            }
            let partitions: Vec<TopicPartition> =
                open.iter().map(|(_, place)| at(place).clone()).collect();
            let leaders = self.leaders_of(&partitions, last).await;
            let mut led = Vec::new();
            for (place, leader) in open.into_iter().zip(leaders) {
                match leader {
                    Ok(broker) => led.push((place, broker)),
                    // The leader that was heard of has gone.
                    Err(problem) if !last && problem.kind == ProblemKind::Unreachable => {}
                    Err(problem) => set(&mut results, place.0, Err(problem)),
                }
            }
            let calls = calls(led, &at);
            let asked = calls.iter().map(|call| {
                let question = question(call.places.iter().map(|(_, place)| *place).collect());
                async move { self.lines.ask(&call.broker, &question, DEADLINE).await }
            });
            let told = join_all(asked).await;
            for (call, told) in calls.iter().zip(told) {
                let told = match told {
                    Ok(told) => answers(told),
                    // It may have gone, and another may lead now.
                    Err(problem) if !last && problem.kind == ProblemKind::Unreachable => continue,
                    Err(problem) => {
                        let broker = call.broker.id.0;
                        let problem = problem.within(&format!("the leader, broker {broker}"));
                        for (index, _) in &call.places {
                            set(&mut results, *index, Err(problem.clone()));
                        }
                        continue;
                    }
                };
                let mut told: BTreeMap<TopicPartition, Told<A>> = told.into_iter().collect();
                for (index, place) in &call.places {
                    let result = match told.remove(at(place)) {
                        None => Err(unanswered()),
                        Some(told) if !last && has_moved(told.code) => continue,
                        Some(told) => match refusal(told.code) {
                            Some(problem) => Err(problem),
                            None => Ok(told.answer),
                        },
                    };
                    set(&mut results, *index, result);
                }
            }
        }
        results
            .into_iter()
            .map(|result| result.unwrap_or_else(|| Err(no_leader())))
            .collect()
    }
}

/// A place with its number.
type Place<'a, P> = (usize, &'a P);

/// One question to one broker.
struct Call<'a, P> {
    broker: Broker,
    places: Vec<Place<'a, P>>,
}

/// Sorts places into questions that are small enough. A partition may be in a question once, so its second place goes
/// into a second one, and so on.
fn calls<'a, P>(
    places: Vec<(Place<'a, P>, Broker)>,
    at: impl Fn(&P) -> &TopicPartition,
) -> Vec<Call<'a, P>> {
    let mut turns: BTreeMap<&TopicPartition, usize> = BTreeMap::new();
    let mut calls: BTreeMap<(BrokerId, usize, usize), Call<'a, P>> = BTreeMap::new();
    let mut counts: BTreeMap<(BrokerId, usize), usize> = BTreeMap::new();
    for (place, broker) in places {
        let turn = turns.entry(at(place.1)).or_default();
        let count = counts.entry((broker.id, *turn)).or_default();
        let chunk = count.checked_div(AT_ONCE).unwrap_or_default();
        let key = (broker.id, *turn, chunk);
        let call = calls.entry(key).or_insert_with(|| Call {
            broker,
            places: Vec::new(),
        });
        call.places.push(place);
        *turn = turn.saturating_add(1);
        *count = count.saturating_add(1);
    }
    calls.into_values().collect()
}

/// An answer that leaves a place out.
pub(super) fn unanswered() -> Problem {
    Problem::new(
        ProblemKind::Malformed,
        "the broker did not answer about the partition",
    )
}

fn set<A>(results: &mut [Option<Known<A>>], index: usize, result: Known<A>) {
    if let Some(slot) = results.get_mut(index) {
        *slot = Some(result);
    }
}

fn no_leader() -> Problem {
    Problem::new(
        ProblemKind::NoLeader,
        "the partition has no leader at the moment",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broker(id: i32) -> Broker {
        Broker {
            id: BrokerId(id),
            host: "h".to_owned(),
            port: 1,
            rack: None,
        }
    }

    #[test]
    fn a_partition_is_in_a_question_once_and_questions_are_small_enough() {
        let places: Vec<TopicPartition> = (0..502)
            .chain([7])
            .map(|partition| TopicPartition::new("t", partition))
            .collect();
        let led = places.iter().enumerate();
        let led = led.map(|(index, at)| ((index, at), broker(i32::from(index == 3))));
        let calls = calls(led.collect(), |at| at);
        let sizes: Vec<(i32, usize)> = calls
            .iter()
            .map(|call| (call.broker.id.0, call.places.len()))
            .collect();
        assert_eq!(sizes, [(0, 500), (0, 1), (0, 1), (1, 1)]);
        assert_eq!(calls[1].places[0].0, 501);
        assert_eq!(calls[2].places[0].0, 502);
        assert_eq!(calls[3].places[0].0, 3);
    }

    #[test]
    fn only_a_leader_that_moved_is_looked_for_again() {
        for code in [3, 5, 6, 9] {
            assert!(has_moved(code), "{code}");
        }
        for code in [0, 1, 29, -1] {
            assert!(!has_moved(code), "{code}");
        }
    }
}
