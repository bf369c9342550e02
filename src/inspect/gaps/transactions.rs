//! G16b: transactions that hold everything behind them back.

use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, Offset, OpenTransaction, TimestampMs,
    TopicPartition, shell_word,
};

use super::Questions;
use super::finding::Draft;
use super::view::View;
use super::words::{duration, events, place};

/// The longest that brokers allow a transaction unless told otherwise (`transaction.max.timeout.ms`).
const LONGEST_MS: i64 = 900_000;
/// Transactions younger than this are everyday life.
const YOUNG_MS: i64 = 3_000;
/// Two readings of the last stable offset must be this far apart to say that it stands still.
const APART_MS: i64 = 1_000;

/// Where careful readers' part ends before the log does: from there, to the last offset.
fn held_back(view: &View<'_>) -> Vec<(TopicPartition, Offset, Offset)> {
    let mut found = Vec::new();
    for topic in view.topics().filter(|topic| topic.error.is_none()) {
        for partition in &topic.partitions {
            if let Some((stable, end)) = partition.held_back()
                && let Some(last) = end.moved(-1)
            {
                found.push((topic.at(partition.id), stable, last));
            }
        }
    }
    found
}

pub(super) fn questions(view: &View<'_>, questions: &mut Questions) {
    for (at, ..) in held_back(view) {
        if !view.facts.transactions.contains_key(&at) {
            questions.transactions.insert(at);
        }
    }
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let held_back = held_back(view).into_iter();
    held_back
        .filter_map(|(at, stable, last)| open(view, &at, stable, last))
        .collect()
}

fn open(view: &View<'_>, at: &TopicPartition, stable: Offset, last: Offset) -> Option<Finding> {
    let now = view.facts.now;
    let earlier = view.facts.earlier_stable.get(at);
    let stands_still = earlier.is_some_and(|(then, then_stable)| {
        *then_stable == stable && now.since_ms(*then) >= APART_MS
    });
    let answer = view.facts.transactions.get(at);
    let transactions = answer.and_then(|answer| answer.as_ref().ok());
    let oldest = transactions
        .into_iter()
        .flatten()
        .min_by_key(|transaction| transaction.first);
    let Some(oldest) = oldest else {
        // It was over by the time that it was asked for, or nothing is told of it.
        let is_over = transactions.is_some();
        return (stands_still && !is_over).then(|| unnamed(view, at, stable, last));
    };
    let age_ms = age(oldest, now);
    let known = oldest.coordinator.as_ref().ok();
    let is_forgotten = known.is_some_and(|state| {
        state.as_ref().is_none_or(|state| {
            ["Complete", "Dead", "Empty"]
                .iter()
                .any(|ended| state.state.starts_with(ended))
        })
    });
    let state = known.and_then(Option::as_ref);
    let allowed = state.map_or(LONGEST_MS, |state| state.timeout_ms);
    let is_old = age_ms.is_some_and(|age| age > allowed);
    // What careful readers are given grew meanwhile: another transaction is open each time, as it should be.
    let goes_on = earlier.is_some() && !stands_still || oldest.first > stable;
    if age_ms.is_some_and(|age| age < YOUNG_MS)
        || !stands_still && (age_ms.is_none() || is_forgotten)
        || goes_on && !is_old
    {
        return None;
    }
    let behind = last.next().since(stable).unwrap_or_default();
    let since = age_ms.map_or_else(String::new, |age| format!(" for {}", duration(age)));
    let who = state.map_or_else(
        || format!("Producer {}", oldest.producer),
        |state| format!("The producer {}", state.transactional_id),
    );
    let standing = match (is_forgotten, is_old) {
        (true, _) => Standing::Forgotten,
        (false, true) => Standing::Overdue,
        (false, false) => Standing::InTime,
    };
    let (certainty, why, next) = graded(at, oldest, standing);
    let sentence = format!(
        "{who} has had a transaction open in {}{since}, and careful consumers are not given the {} from there on; {why}.",
        place(at),
        events(behind)
    );
    let open_count = transactions.map_or(0, Vec::len);
    let finding = draft(at, oldest.first.min(stable), stable, last)
        .certainty(certainty)
        .because("producer_id", Fact::Number(oldest.producer))
        .because("producer_epoch", Fact::Number(i64::from(oldest.epoch)))
        .because(
            "transactional_id",
            state.map_or(Fact::Unknown, |state| {
                Fact::Text(state.transactional_id.clone())
            }),
        )
        .because(
            "state",
            state.map_or(Fact::Unknown, |state| Fact::Text(state.state.clone())),
        )
        .because(
            "known_to_coordinator",
            known.map_or(Fact::Unknown, |state| Fact::Flag(state.is_some())),
        )
        .because("age_ms", age_ms.map_or(Fact::Unknown, Fact::Number))
        .because(
            "timeout_ms",
            state.map_or(Fact::Unknown, |state| Fact::Number(state.timeout_ms)),
        )
        .because(
            "open_transactions",
            Fact::Number(i64::try_from(open_count).unwrap_or(i64::MAX)),
        )
        .with(|finding| finding.from_time = started(oldest));
    Some(finding.say(
        &format!("{} {}", oldest.producer, oldest.first),
        sentence,
        &next,
    ))
}

/// What is to be expected of an open transaction.
#[derive(Clone, Copy)]
enum Standing {
    /// Nobody will end it.
    Forgotten,
    /// It should be over.
    Overdue,
    /// It may still end by itself.
    InTime,
}

/// How sure it is that something is wrong, why, and what to do.
fn graded(
    at: &TopicPartition,
    oldest: &OpenTransaction,
    standing: Standing,
) -> (Certainty, &'static str, String) {
    let abort = format!(
        "kafka-transactions.sh --bootstrap-server HOST:PORT abort --topic {} --partition {} --start-offset {}",
        shell_word(&at.topic),
        at.partition,
        oldest.first
    );
    match standing {
        Standing::Forgotten => (
            Certainty::Strong,
            "no coordinator knows of it any more, so nobody will ever end it",
            format!("Ask the cluster's owner to abort it: {abort}"),
        ),
        Standing::Overdue => (
            Certainty::Strong,
            "longer than it may",
            format!("Look whether the producer still runs; this ends it: {abort}"),
        ),
        Standing::InTime => (
            Certainty::Hint,
            "it may still end by itself",
            "Look again in a minute; if it stays, look whether the producer still runs.".to_owned(),
        ),
    }
}

fn draft(at: &TopicPartition, from: Offset, stable: Offset, last: Offset) -> Draft {
    let behind = last.next().since(stable).unwrap_or_default();
    Draft::new(FindingKind::OpenTransaction, Concerns::Everyone)
        .at(at)
        .offsets(from, last)
        .because("last_stable_offset", Fact::Number(stable.0))
        .with(|finding| finding.records = Some(behind))
}

fn started(transaction: &OpenTransaction) -> Option<TimestampMs> {
    let state = transaction.coordinator.as_ref().ok();
    let started = state.and_then(|state| state.as_ref()?.started);
    started.or(transaction.last_write)
}

fn age(transaction: &OpenTransaction, now: TimestampMs) -> Option<i64> {
    started(transaction).map(|started| now.since_ms(started))
}

/// What can be said without being told of transactions.
fn unnamed(view: &View<'_>, at: &TopicPartition, stable: Offset, last: Offset) -> Finding {
    let behind = last.next().since(stable).unwrap_or_default();
    let reason = match view.facts.transactions.get(at) {
        Some(Err(problem)) => problem.message.to_string(),
        _ => "it was not asked for".to_owned(),
    };
    let sentence = format!(
        "A sender has a transaction open in {}, and careful consumers are not given the {} from there on; whose it is, is not known.",
        place(at),
        events(behind)
    );
    draft(at, stable, stable, last)
        .because("not_told", Fact::Text(reason))
        .say(
            &stable.to_string(),
            sentence,
            "kafka-transactions.sh find-hanging tells whose it is.",
        )
}
