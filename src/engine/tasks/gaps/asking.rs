//! Answers to what the rules ask, kept from look to look where they cannot change.

use std::collections::BTreeMap;

use crate::bus::{Bus, Lookup, ReadRange, Seek};
use crate::engine::tasks::lookups::Rate;
use crate::inspect::gaps::{Facts, Questions};
use crate::model::{Known, Offset, RecordHead, TimestampMs, Topic, TopicPartition};

use std::sync::Arc;

use tokio::time::Instant;

/// How many answers of a kind are kept.
const KEPT: usize = 100_000;
/// How many places are read, and times looked up, in one look; what is beyond is asked in the next.
const AT_ONCE: usize = 2_000;

/// What was answered before.
#[derive(Debug, Default)]
pub(super) struct Answers {
    heads: BTreeMap<(TopicPartition, Offset), Known<Option<RecordHead>>>,
    ends_at: BTreeMap<(TopicPartition, TimestampMs), Known<Option<Offset>>>,
}

impl Answers {
    /// Gives `facts` what is known already.
    pub(super) fn recall(&self, facts: &mut Facts<'_>) {
        facts.heads.clone_from(&self.heads);
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
        let (heads, ends) = tokio::join!(
            heads(bus, facts.topics, questions.heads),
            ends_at(bus, rate, questions.ends_at)
        );
        keep(&mut self.heads, &heads);
        keep(&mut self.ends_at, &ends);
        facts.heads.extend(heads);
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

async fn heads(
    bus: &dyn Bus,
    topics: &[Arc<Topic>],
    wanted: impl IntoIterator<Item = (TopicPartition, Offset)>,
) -> BTreeMap<(TopicPartition, Offset), Known<Option<RecordHead>>> {
    let end = |at: &TopicPartition| {
        let topic = topics.iter().find(|topic| topic.name == at.topic)?;
        let mut partitions = topic.partitions.iter();
        let partition = partitions.find(|partition| partition.id == at.partition)?;
        partition.high_watermark.as_ref().ok().copied()
    };
    let places: Vec<(TopicPartition, Offset)> = wanted.into_iter().take(AT_ONCE).collect();
    let ranges: Vec<ReadRange> = places
        .iter()
        .map(|(at, from)| ReadRange {
            at: at.clone(),
            from: *from,
            to: end(at),
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
