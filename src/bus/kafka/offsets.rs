//! Looking up offsets: ends, and the first offset at or after a time.

use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use crate::bus::{Found, Lookup, Seek};
use crate::model::{
    BrokerId, Isolation, Known, Offset, Problem, ProblemKind, TimestampMs, TopicPartition,
};

use super::ffi::admin::{Answer, FoundOffset, Question};
use super::patience::{RESTS, may_pass};
use super::{KafkaBus, c_string, errors, unexpected};

/// librdkafka merges answers in quadratic time, so a call is kept to this many partitions.
const AT_ONCE: usize = 500;
/// How long one call may take; a broker that is gone must not hold the rest up.
const DEADLINE: Duration = Duration::from_secs(4);
/// A broker that did not answer is not asked again for this long.
const SUSPECT: Duration = Duration::from_secs(5);
/// What librdkafka writes in the place of an offset that it has no answer for.
const NO_ANSWER: i64 = -1001;

/// Look-ups that can share one call: of one leader and isolation, each partition at most once.
struct Call {
    leader: Option<BrokerId>,
    isolation: Isolation,
    places: Vec<(CString, i32, i64)>,
    /// For each place, which look-up it answers.
    indices: Vec<usize>,
}

impl KafkaBus {
    /// One answer for each look-up, in their order; what is refused for the moment only is looked up again.
    pub(super) async fn find_offsets(&self, lookups: Vec<Lookup>) -> Vec<Known<Found>> {
        let mut results = self.look_up(&lookups).await;
        for rest in RESTS {
            let refused = results.iter().enumerate();
            let (again, asked): (Vec<usize>, Vec<Lookup>) = refused
                .filter(|(_, result)| result.as_ref().err().is_some_and(may_pass))
                .filter_map(|(index, _)| Some((index, lookups.get(index)?.clone())))
                .unzip();
            if again.is_empty() {
                break;
            }
            tokio::time::sleep(rest).await;
            for (index, answer) in again.into_iter().zip(self.look_up(&asked).await) {
                if let Some(slot) = results.get_mut(index) {
                    *slot = answer;
                }
            }
        }
        results
    }

    async fn look_up(&self, lookups: &[Lookup]) -> Vec<Known<Found>> {
        let mut results: Vec<Known<Found>> = vec![Err(unanswered()); lookups.len()];
        let calls = self.calls(lookups, &mut results);
        let answers = join_all(calls.iter().map(|call| self.one_call(call))).await;
        for (call, answers) in calls.iter().zip(answers) {
            for (index, answer) in call.indices.iter().zip(answers) {
                if let (Some(slot), Some(lookup)) = (results.get_mut(*index), lookups.get(*index)) {
                    *slot = answer.map(|found| meaning(lookup.seek, &found));
                }
            }
        }
        results
    }

    /// Sorts look-ups into calls. One call asks one leader only: librdkafka fails a call as a whole when a
    /// leader is not there, and answers when the slowest has. What cannot be asked gets its result at once.
    fn calls(&self, lookups: &[Lookup], results: &mut [Known<Found>]) -> Vec<Call> {
        let leaders = self.leaders.lock();
        let mut open: BTreeMap<(Option<BrokerId>, bool, usize), Call> = BTreeMap::new();
        // A partition may be in a call once only, so its second look-up goes to a second call, and so on.
        let mut turns: HashMap<(&TopicPartition, bool), usize> = HashMap::new();
        for (index, lookup) in lookups.iter().enumerate() {
            let leader = leaders.get(&lookup.at).copied();
            let Some(slot) = results.get_mut(index) else {
                continue;
            };
            if leader == Some(None) {
                *slot = Err(Problem::new(
                    ProblemKind::NoLeader,
                    "the partition has no leader at the moment",
                ));
                continue;
            }
            let topic = match c_string(lookup.at.topic.as_bytes(), "topic") {
                Ok(topic) => topic,
                Err(problem) => {
                    *slot = Err(problem);
                    continue;
                }
            };
            let careful = lookup.seek == Seek::LastStable;
            let turn = turns.entry((&lookup.at, careful)).or_default();
            let call = open
                .entry((leader.flatten(), careful, *turn))
                .or_insert_with(|| Call {
                    leader: leader.flatten(),
                    isolation: if careful {
                        Isolation::ReadCommitted
                    } else {
                        Isolation::ReadUncommitted
                    },
                    places: Vec::new(),
                    indices: Vec::new(),
                });
            *turn = turn.saturating_add(1);
            call.places
                .push((topic, lookup.at.partition.0, protocol_time(lookup.seek)));
            call.indices.push(index);
        }
        open.into_values().flat_map(Call::split).collect()
    }

    /// One result for each place of `call`, in its order.
    async fn one_call(&self, call: &Call) -> Vec<Known<FoundOffset>> {
        let failed = |problem: Problem| call.places.iter().map(|_| Err(problem.clone())).collect();
        let Ok(_turn) = self.lookups.acquire().await else {
            return failed(unanswered());
        };
        if let Some(problem) = self.suspicion(call.leader) {
            return failed(problem);
        }
        let question = Question::Offsets(call.places.clone(), call.isolation);
        let found = match self.control.ask_within(&question, DEADLINE, None).await {
            Ok(Answer::Offsets(found)) => found,
            Ok(Answer::Failed(failure)) => return failed(errors::problem_of(&failure)),
            Ok(_) => return failed(unexpected()),
            Err(problem) => return failed(self.suspect(call.leader, problem)),
        };
        if found
            .iter()
            .all(|found| found.code.is_ok() && found.offset == NO_ANSWER)
        {
            let problem = no_answer_from(call.leader);
            return failed(self.suspect(call.leader, problem));
        }
        self.suspects.lock().remove(&call.leader);
        let mut by_place: HashMap<(Vec<u8>, i32), FoundOffset> = found
            .into_iter()
            .map(|found| ((found.topic.as_bytes().to_vec(), found.partition), found))
            .collect();
        call.places
            .iter()
            .map(|(topic, partition, _)| {
                let found = by_place
                    .remove(&(topic.as_bytes().to_vec(), *partition))
                    .ok_or_else(unanswered)?;
                if !found.code.is_ok() {
                    return Err(errors::problem(found.code));
                }
                if found.offset == NO_ANSWER {
                    return Err(no_answer_from(call.leader));
                }
                Ok(found)
            })
            .collect()
    }
}

impl KafkaBus {
    /// Why `leader` is not asked at the moment, if it did not answer a moment ago: everything that waits for it
    /// would wait in vain, one after another.
    fn suspicion(&self, leader: Option<BrokerId>) -> Option<Problem> {
        let suspects = self.suspects.lock();
        let (since, problem) = suspects.get(&leader)?;
        (since.elapsed() < SUSPECT).then(|| problem.clone())
    }

    fn suspect(&self, leader: Option<BrokerId>, problem: Problem) -> Problem {
        if leader.is_some() && problem.kind == ProblemKind::TimedOut {
            let noted = (Instant::now(), problem.clone());
            self.suspects.lock().insert(leader, noted);
        }
        problem
    }
}

impl Call {
    /// The same look-ups in calls that are small enough.
    fn split(self) -> Vec<Self> {
        let Self {
            leader,
            isolation,
            places,
            indices,
        } = self;
        places
            .chunks(AT_ONCE)
            .zip(indices.chunks(AT_ONCE))
            .map(|(places, indices)| Self {
                leader,
                isolation,
                places: places.to_vec(),
                indices: indices.to_vec(),
            })
            .collect()
    }
}

/// What the protocol writes for a look-up (`ListOffsetsRequest`: −1 latest, −2 earliest, −3 largest time). A time
/// before 1970 would be taken for one of these, and no earlier record can be told from the first one.
fn protocol_time(seek: Seek) -> i64 {
    match seek {
        Seek::HighWatermark | Seek::LastStable => -1,
        Seek::LogStart => -2,
        Seek::MaxTimestamp => -3,
        Seek::AtOrAfter(time) => time.0.max(0),
    }
}

fn meaning(seek: Seek, found: &FoundOffset) -> Found {
    let offset = (found.offset >= 0).then_some(Offset(found.offset));
    let timestamp = match seek {
        Seek::AtOrAfter(_) | Seek::MaxTimestamp if found.offset >= 0 && found.timestamp != -1 => {
            Some(TimestampMs(found.timestamp))
        }
        _ => None,
    };
    Found { offset, timestamp }
}

fn no_answer_from(leader: Option<BrokerId>) -> Problem {
    let words = match leader {
        Some(broker) => format!(
            "the partition's leader, broker {}, does not answer",
            broker.0
        ),
        None => "the partition's leader does not answer".to_owned(),
    };
    Problem::new(ProblemKind::TimedOut, words)
}

fn unanswered() -> Problem {
    Problem::new(ProblemKind::TimedOut, "no answer for this partition")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::kafka::ffi::Code;
    use crate::model::Text;

    fn found(offset: i64, timestamp: i64) -> FoundOffset {
        FoundOffset {
            topic: Text::from("t"),
            partition: 0,
            offset,
            timestamp,
            code: Code::NONE,
        }
    }

    #[test]
    fn no_record_is_nothing_and_never_a_sentinel() {
        let none = Found {
            offset: None,
            timestamp: None,
        };
        assert_eq!(
            meaning(Seek::AtOrAfter(TimestampMs(5)), &found(-1, -1)),
            none
        );
        assert_eq!(meaning(Seek::MaxTimestamp, &found(-1, -1)), none);
        assert_eq!(
            meaning(Seek::AtOrAfter(TimestampMs(5)), &found(7, 9)),
            Found {
                offset: Some(Offset(7)),
                timestamp: Some(TimestampMs(9))
            }
        );
        assert_eq!(
            meaning(Seek::LogStart, &found(0, -1)),
            Found {
                offset: Some(Offset(0)),
                timestamp: None
            }
        );
    }

    #[test]
    fn a_time_before_1970_is_never_sent_as_a_sentinel() {
        assert_eq!(protocol_time(Seek::AtOrAfter(TimestampMs(-2))), 0);
        assert_eq!(protocol_time(Seek::AtOrAfter(TimestampMs(i64::MIN))), 0);
        assert_eq!(protocol_time(Seek::HighWatermark), -1);
    }
}
