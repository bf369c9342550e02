//! Answers to what the rules ask, kept from look to look where they cannot change.

use std::collections::BTreeMap;

use crate::bus::{Bus, Lookup, ReadRange, Seek};
use crate::engine::tasks::lookups::Rate;
use crate::inspect::gaps::{Facts, Questions, first_for_careful};
use crate::model::{
    Known, Offset, Problem, ProblemKind, RecordHead, TimestampMs, Topic, TopicPartition,
};

use std::sync::Arc;

use tokio::time::Instant;

/// How many answers of a kind are kept.
const KEPT: usize = 100_000;
/// How many places are read, and times looked up, in one look; what is beyond is asked in the next.
const AT_ONCE: usize = 2_000;
/// In how many places a log is looked into in one look for what careful readers are given next, and how many portions of
/// it each time.
const CAREFUL: usize = 200;
const PORTIONS: usize = 8;

/// What was answered before.
#[derive(Debug, Default)]
pub(super) struct Answers {
    heads: BTreeMap<(TopicPartition, Offset), Known<Option<RecordHead>>>,
    careful: BTreeMap<(TopicPartition, Offset), Known<Option<Offset>>>,
    ends_at: BTreeMap<(TopicPartition, TimestampMs), Known<Option<Offset>>>,
}

impl Answers {
    /// Gives `facts` what is known already.
    pub(super) fn recall(&self, facts: &mut Facts<'_>) {
        facts.heads.clone_from(&self.heads);
        facts.careful.clone_from(&self.careful);
        facts.ends_at.clone_from(&self.ends_at);
    }

    /// Asks `questions` and adds the answers to `facts`. Says whether anything was asked.
    pub(super) async fn ask(
        &mut self,
        bus: &dyn Bus,
        rate: Rate,
        questions: Questions,
        facts: &mut Facts<'_>,
    ) -> bool {
        let is_nothing = questions == Questions::default();
        let (heads, careful, ends) = tokio::join!(
            heads(bus, facts.topics, questions.heads),
            careful(bus, facts.topics, questions.careful),
            ends_at(bus, rate, questions.ends_at)
        );
        keep(&mut self.heads, &heads);
        keep(&mut self.careful, &careful);
        keep(&mut self.ends_at, &ends);
        facts.heads.extend(heads);
        facts.careful.extend(careful);
        facts.ends_at.extend(ends);

        let epochs: Vec<_> = questions.epochs.into_iter().collect();
        let transactions: Vec<_> = questions.transactions.into_iter().collect();
        let (epoch_ends, open) = tokio::join!(
            bus.epoch_ends(epochs.clone()),
            bus.open_transactions(transactions.clone())
        );
        facts.epoch_ends.extend(epochs.into_iter().zip(epoch_ends));
        facts
            .transactions
            .extend(transactions.into_iter().zip(open));
        !is_nothing
    }
}

/// Keeps what was answered, unless there is no room for more; what failed is asked again.
fn keep<K: Ord + Clone, V: Clone>(
    kept: &mut BTreeMap<K, Known<Option<V>>>,
    answers: &BTreeMap<K, Known<Option<V>>>,
) {
    let found = answers
        .iter()
        .filter(|(_, answer)| matches!(answer, Ok(Some(_))));
    let room = KEPT.saturating_sub(kept.len());
    if room == 0 {
        kept.clear();
    }
    kept.extend(
        found
            .take(room)
            .map(|(key, answer)| (key.clone(), answer.clone())),
    );
}

/// The end of a partition as it was read.
fn end_of(topics: &[Arc<Topic>], at: &TopicPartition) -> Option<Offset> {
    let topic = topics.iter().find(|topic| topic.name == at.topic)?;
    let mut partitions = topic.partitions.iter();
    let partition = partitions.find(|partition| partition.id == at.partition)?;
    partition.high_watermark.as_ref().ok().copied()
}

async fn careful(
    bus: &dyn Bus,
    topics: &[Arc<Topic>],
    wanted: impl IntoIterator<Item = (TopicPartition, Offset)>,
) -> BTreeMap<(TopicPartition, Offset), Known<Option<Offset>>> {
    let mut found = BTreeMap::new();
    for (at, from) in wanted.into_iter().take(CAREFUL) {
        let answer = careful_at(bus, &at, from, end_of(topics, &at)).await;
        found.insert((at, from), answer);
    }
    found
}

/// The first offset at or after `from` that careful readers are given, as the log itself tells.
async fn careful_at(
    bus: &dyn Bus,
    at: &TopicPartition,
    from: Offset,
    to: Option<Offset>,
) -> Known<Option<Offset>> {
    let mut next = from;
    for _ in 0..PORTIONS {
        let range = ReadRange {
            at: at.clone(),
            from: next,
            to,
        };
        let portion = bus.log(range).await?;
        let found = first_for_careful(&portion, from);
        let is_over = portion.next <= next
            || portion.next >= portion.last_stable
            || to.is_some_and(|to| portion.next >= to);
        if found.is_some() || is_over {
            return Ok(found);
        }
        next = portion.next;
    }
    Err(Problem::new(
        ProblemKind::Other,
        "too much that was withdrawn lies there to look through all of it",
    ))
}

async fn heads(
    bus: &dyn Bus,
    topics: &[Arc<Topic>],
    wanted: impl IntoIterator<Item = (TopicPartition, Offset)>,
) -> BTreeMap<(TopicPartition, Offset), Known<Option<RecordHead>>> {
    let places: Vec<(TopicPartition, Offset)> = wanted.into_iter().take(AT_ONCE).collect();
    let ranges: Vec<ReadRange> = places
        .iter()
        .map(|(at, from)| ReadRange {
            at: at.clone(),
            from: *from,
            to: end_of(topics, at),
        })
        .collect();
    if ranges.is_empty() {
        return BTreeMap::new();
    }
    let found = bus.first_records(ranges).await;
    places.into_iter().zip(found).collect()
}

async fn ends_at(
    bus: &dyn Bus,
    rate: Rate,
    wanted: impl IntoIterator<Item = (TopicPartition, TimestampMs)>,
) -> BTreeMap<(TopicPartition, TimestampMs), Known<Option<Offset>>> {
    let wanted: Vec<(TopicPartition, TimestampMs)> = wanted.into_iter().take(AT_ONCE).collect();
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    let lookups = wanted
        .iter()
        .map(|(at, time)| Lookup {
            at: at.clone(),
            seek: Seek::AtOrAfter(*time),
        })
        .collect();
    let started = Instant::now();
    let found = bus.look_up(lookups).await;
    tokio::time::sleep_until(started + rate.time_for(wanted.len())).await;
    wanted
        .into_iter()
        .zip(
            found
                .into_iter()
                .map(|found| found.map(|found| found.offset)),
        )
        .collect()
}
