//! Partitions' logs as brokers keep them, and where leader epochs ended.

use std::time::Duration;

use tokio::time::Instant;

use crate::bus::ReadRange;
use crate::bus::wire::{EpochEnd, EpochEnds, Fetch, Fetched, FetchedPart, Walked, walk};
use crate::model::{Isolation, Known, LogPortion, Offset, Problem, ProblemKind, TopicPartition};

use super::KafkaBus;
use super::leaders::{Told, no_raw, unanswered};
use super::lines::LONGEST_PAUSE;

/// The most bytes of one portion; a batch that is larger comes whole.
const MOST_BYTES: i32 = 4 * 1024 * 1024;
/// The fewest bytes that are asked for.
const LEAST_BYTES: i32 = 64 * 1024;
/// How many bytes are asked for, for each offset of a range with an end.
const BYTES_EACH: i64 = 1024;
/// How long one portion is asked for again and again where we read more than the broker allows.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long the broker may take to find something where it first answered with nothing.
const SECOND_LOOK: Duration = Duration::from_millis(500);

impl KafkaBus {
    /// As [`Bus::log`](crate::bus::Bus::log).
    pub(super) async fn read_log(&self, range: ReadRange) -> Known<LogPortion> {
        if !self.plaintext {
            return Err(no_raw("how a log is kept"));
        }
        if range.from.0 < 0 || range.to.is_some_and(|to| to <= range.from) {
            return Err(Problem::new(
                ProblemKind::Invalid,
                "there are no offsets in this range",
            ));
        }
        // A careful reader is told of aborted transactions, and is served up to the first open one.
        let careful = self
            .fetch(&range, Isolation::ReadCommitted, Duration::ZERO)
            .await?;
        let ends = [
            careful.high_watermark,
            careful.last_stable,
            careful.log_start,
        ];
        if ends.iter().any(|end| *end < 0) {
            return Err(Problem::new(
                ProblemKind::Malformed,
                "the broker does not tell where the log ends",
            ));
        }
        let mut portion = LogPortion {
            at: range.at.clone(),
            from: range.from,
            next: range.from,
            log_start: Offset(careful.log_start),
            last_stable: Offset(careful.last_stable),
            high_watermark: Offset(careful.high_watermark),
            batches: Vec::new(),
            aborted: careful.aborted.clone(),
        };
        let walked = taken_apart(careful, &range).await?;
        if let Some(next) = walked.next {
            portion.batches = walked.batches;
            portion.next = next;
            return Ok(portion);
        }
        portion.aborted.clear();
        if range.from >= portion.high_watermark {
            return Ok(portion);
        }
        // Nothing for careful readers, but not the end: the rest belongs to open transactions or stands behind one.
        // What came to an end since the first answer is not known, so its last stable offset holds.
        let bold = self
            .fetch(&range, Isolation::ReadUncommitted, SECOND_LOOK)
            .await?;
        let end = Offset(bold.high_watermark);
        portion.high_watermark = portion.high_watermark.max(end);
        let walked = taken_apart(bold, &range).await?;
        portion.next = if let Some(next) = walked.next {
            next
        } else {
            self.may_be_empty(&range).await?;
            range.to.map_or(end, |to| to.min(end)).max(range.from)
        };
        portion.batches = walked.batches;
        Ok(portion)
    }

    /// Whether a log may have nothing at all from an offset before its end on. Compaction can take everything; where
    /// there is none, a broker that sends nothing has not found it yet, for example in remote storage.
    async fn may_be_empty(&self, range: &ReadRange) -> Known<()> {
        let configs = self.describe_configs(vec![range.at.topic.clone()]).await;
        let policy = configs.into_iter().next().and_then(Result::ok);
        let policy = policy.and_then(|config| config.cleanup_policy);
        if policy.is_some_and(|policy| policy.contains("compact")) {
            return Ok(());
        }
        Err(Problem::new(
            ProblemKind::TimedOut,
            format!(
                "the broker did not send what it keeps from offset {} on",
                range.from
            ),
        ))
    }

    /// One answer of the leader, waiting as long as it wishes where we read more than it allows.
    async fn fetch(
        &self,
        range: &ReadRange,
        isolation: Isolation,
        wait: Duration,
    ) -> Known<FetchedPart> {
        let question = |_: Vec<&TopicPartition>| Fetch {
            at: range.at.clone(),
            from: range.from,
            isolation,
            most_bytes: most_bytes(range),
            wait,
        };
        let answers = |fetched: Fetched| {
            let code = fetched.part.as_ref().map_or(0, |part| part.code);
            let answer = fetched;
            vec![(range.at.clone(), Told { code, answer })]
        };
        let at = std::slice::from_ref(&range.at);
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let told = self.ask_leaders(at, |at| at, question, answers).await;
            let fetched = told.into_iter().next().transpose()?;
            let Some(Fetched { throttled, part }) = fetched else {
                break;
            };
            match part {
                Some(part) => return Ok(part),
                None if throttled.is_zero() => return Err(unanswered()),
                None => tokio::time::sleep(throttled.min(LONGEST_PAUSE)).await,
            }
        }
        Err(Problem::new(
            ProblemKind::TimedOut,
            "the broker lets us read no more at the moment: a quota is used up",
        ))
    }

    /// As [`Bus::epoch_ends`](crate::bus::Bus::epoch_ends).
    pub(super) async fn ends_of_epochs(
        &self,
        of: Vec<(TopicPartition, i32)>,
    ) -> Vec<Known<Option<Offset>>> {
        if !self.plaintext {
            return of
                .iter()
                .map(|_| Err(no_raw("where leader epochs ended")))
                .collect();
        }
        let question =
            |places: Vec<&(TopicPartition, i32)>| EpochEnds(places.into_iter().cloned().collect());
        let answers = |ends: Vec<_>| {
            let ends = ends.into_iter().map(|end: EpochEnd| {
                let answer = (end.offset >= 0).then_some(Offset(end.offset));
                let code = end.code;
                (end.at, Told { code, answer })
            });
            ends.collect()
        };
        self.ask_leaders(&of, |(at, _)| at, question, answers).await
    }
}

fn most_bytes(range: &ReadRange) -> i32 {
    let offsets = range.to.and_then(|to| to.since(range.from));
    let wanted = offsets
        .and_then(|offsets| i64::try_from(offsets).ok())
        .map(|offsets| offsets.saturating_mul(BYTES_EACH))
        .and_then(|bytes| i32::try_from(bytes).ok());
    wanted.unwrap_or(MOST_BYTES).clamp(LEAST_BYTES, MOST_BYTES)
}

/// The batches in an answer, on a thread where work may take its time.
async fn taken_apart(part: FetchedPart, range: &ReadRange) -> Known<Walked> {
    let (from, to) = (range.from, range.to);
    let work = tokio::task::spawn_blocking(move || {
        let walked = walk(&part.records, from, to)?;
        if walked.next.is_none() && !part.records.is_empty() {
            return Err(Problem::new(
                ProblemKind::Malformed,
                format!("the broker sent no whole batch from offset {from} on"),
            ));
        }
        Ok(walked)
    });
    work.await.unwrap_or_else(|error| {
        let words = format!("a log could not be taken apart ({error})");
        Err(Problem::new(ProblemKind::Other, words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_range_asks_for_less() {
        let range = |to: Option<i64>| ReadRange {
            at: TopicPartition::new("t", 0),
            from: Offset(100),
            to: to.map(Offset),
        };
        assert_eq!(most_bytes(&range(None)), 4_194_304);
        assert_eq!(most_bytes(&range(Some(101))), 65_536);
        assert_eq!(most_bytes(&range(Some(300))), 204_800);
        assert_eq!(most_bytes(&range(Some(i64::MAX))), 4_194_304);
    }
}
