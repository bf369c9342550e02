//! Moving bookmarks of groups: `OffsetCommit` and `OffsetDelete`, as nobody's member.
//!
//! What cannot be written is refused here, for its row alone, before anything is sent: the protocol's strings are
//! UTF-8 (Kafka would keep other bytes as U+FFFD, stricter brokers close the connection), librdkafka takes names
//! without a NUL byte only, and refuses a request as a whole for an offset below 0 or a partition that is in it
//! twice. The text beside an offset goes with its length, so it may hold NUL bytes.

use std::collections::{HashMap, HashSet};
use std::ffi::CString;

use crate::bus::{Answer as Promise, Positions};
use crate::model::{Bookmark, Known, Problem, ProblemKind, Text, TopicPartition};

use super::control::NoAnswer;
use super::ffi::Code;
use super::ffi::admin::{Answer, NewCommit, Question};
use super::{KafkaBus, c_string, errors, unexpected};

impl Positions for KafkaBus {
    fn set(
        &self,
        group: Text,
        to: Vec<(TopicPartition, Bookmark)>,
    ) -> Promise<'_, Known<Vec<Known<()>>>> {
        Box::pin(async move {
            let places = to.iter().map(|(at, _)| at.clone()).collect();
            let rows = distinct(&to, |(at, bookmark)| new_commit(at, bookmark), |(at, _)| at);
            self.change(&group, places, rows, Question::SetCommits)
                .await
        })
    }

    fn delete(&self, group: Text, at: Vec<TopicPartition>) -> Promise<'_, Known<Vec<Known<()>>>> {
        Box::pin(async move {
            let row = |at: &TopicPartition| Ok((topic_name(at)?, partition(at)?));
            let rows = distinct(&at, row, |at| at);
            self.change(&group, at, rows, Question::DeleteCommits).await
        })
    }
}

impl KafkaBus {
    /// Sends the rows that can be sent and tells what became of each of `places`.
    async fn change<T>(
        &self,
        group: &Text,
        places: Vec<TopicPartition>,
        rows: Vec<Known<T>>,
        question: fn(CString, Vec<T>) -> Question,
    ) -> Known<Vec<Known<()>>> {
        let group = match group_name(group) {
            Ok(group) => group,
            Err(problem) => return Ok(vec![Err(problem); places.len()]),
        };
        let mut refused = Vec::with_capacity(rows.len());
        let mut sent = Vec::with_capacity(rows.len());
        for row in rows {
            match row {
                Ok(row) => {
                    sent.push(row);
                    refused.push(None);
                }
                Err(problem) => refused.push(Some(problem)),
            }
        }
        if sent.is_empty() {
            let rows = refused.into_iter();
            return Ok(rows.map(|row| row.map_or(Ok(()), Err)).collect());
        }
        let outcomes = match self
            .control
            .change(&group, question(group.clone(), sent))
            .await
        {
            Err(NoAnswer::NotKnown(problem)) => return Err(problem),
            Err(NoAnswer::NotSent(problem)) => Err(problem),
            Ok(Answer::Changed(Ok(outcomes))) => Ok(outcomes),
            Ok(Answer::Changed(Err(failure)) | Answer::Failed(failure)) => {
                Err(errors::change_problem(failure.code))
            }
            Ok(_) => return Err(unexpected()),
        };
        let codes: Known<HashMap<(String, i32), Code>> = outcomes.map(|outcomes| {
            let codes = outcomes.into_iter();
            codes
                .map(|outcome| {
                    let topic = outcome.topic.lossy().into_owned();
                    ((topic, outcome.partition), outcome.code)
                })
                .collect()
        });
        let rows = places.iter().zip(refused).map(|(at, refused)| {
            if let Some(problem) = refused {
                return Err(problem);
            }
            let codes = codes.as_ref().map_err(Clone::clone)?;
            let key = (at.topic.to_string(), at.partition.0);
            let code = codes.get(&key).copied().unwrap_or(Code::NOT_NAMED);
            if code.is_ok() {
                Ok(())
            } else {
                Err(errors::change_problem(code))
            }
        });
        Ok(rows.collect())
    }
}

/// Each row as it is sent, or why it cannot be; one whose partition came before is refused.
fn distinct<R, T>(
    rows: &[R],
    convert: impl Fn(&R) -> Known<T>,
    place: impl Fn(&R) -> &TopicPartition,
) -> Vec<Known<T>> {
    let mut seen = HashSet::new();
    rows.iter()
        .map(|row| {
            if !seen.insert(place(row)) {
                return Err(invalid("the partition is named twice"));
            }
            convert(row)
        })
        .collect()
}

fn new_commit(at: &TopicPartition, bookmark: &Bookmark) -> Known<NewCommit> {
    if bookmark.offset.0 < 0 {
        return Err(invalid("an offset below 0 cannot be committed"));
    }
    if bookmark.metadata.as_str().is_none() {
        return Err(Problem::new(
            ProblemKind::Unsupported,
            "the text beside the offset is not UTF-8, which the protocol cannot carry",
        ));
    }
    Ok(NewCommit {
        topic: topic_name(at)?,
        partition: partition(at)?,
        offset: bookmark.offset.0,
        leader_epoch: bookmark.leader_epoch.unwrap_or(-1),
        metadata: bookmark.metadata.clone(),
    })
}

fn group_name(group: &Text) -> Known<CString> {
    if group.as_str().is_none() {
        return Err(Problem::new(
            ProblemKind::Unsupported,
            "the group's name is not UTF-8, which the protocol cannot carry",
        ));
    }
    c_string(group.as_bytes(), "group")
}

fn topic_name(at: &TopicPartition) -> Known<CString> {
    c_string(at.topic.as_bytes(), "topic")
}

fn partition(at: &TopicPartition) -> Known<i32> {
    let number = at.partition.0;
    (number >= 0)
        .then_some(number)
        .ok_or_else(|| invalid("there is no partition below 0"))
}

fn invalid(words: &str) -> Problem {
    Problem::new(ProblemKind::Invalid, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Offset;

    fn kinds(rows: &[(TopicPartition, Bookmark)]) -> Vec<Option<ProblemKind>> {
        distinct(
            rows,
            |(at, bookmark)| new_commit(at, bookmark),
            |(at, _)| at,
        )
        .into_iter()
        .map(|row| row.err().map(|problem| problem.kind))
        .collect()
    }

    #[test]
    fn what_cannot_be_written_is_refused_for_its_row_alone() {
        let plain = |topic: &str, partition: i32, offset: i64| {
            (
                TopicPartition::new(topic, partition),
                Bookmark::plain(Offset(offset)),
            )
        };
        let noted = |partition: i32, metadata: &[u8]| {
            let mut row = plain("t", partition, 1);
            row.1.metadata = Text::from_bytes(metadata);
            row
        };
        let rows = [
            plain("t", 0, 0),
            plain("t", 0, 5),
            plain("t", 1, -1),
            plain("t", -1, 1),
            plain("a\0b", 0, 1),
            noted(2, b"with a \0 in it"),
            noted(3, b"\xff"),
        ];
        let expected = [
            None,
            Some(ProblemKind::Invalid),
            Some(ProblemKind::Invalid),
            Some(ProblemKind::Invalid),
            Some(ProblemKind::Unsupported),
            None,
            Some(ProblemKind::Unsupported),
        ];
        assert_eq!(kinds(&rows), expected);
    }
}
