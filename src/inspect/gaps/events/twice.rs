//! G14: the same event more than once.

use std::collections::HashMap;

use crate::model::{Certainty, Concerns, Fact, Finding, FindingKind, Offset, Record};

use super::super::finding::Draft;
use super::super::words::{count, duration, number, place};
use super::identity::identity;
use super::{Counts, Names, Room, Spot, digest};

/// What an event takes that is kept in mind.
const BYTES: u64 = 96;
/// Two copies this near to one another were sent by one try that was repeated.
const NEAR_OFFSETS: i64 = 1_000;
const NEAR_MS: i64 = 60_000;

#[derive(Clone, Copy, Debug)]
struct First {
    spot: Spot,
    value: u128,
}

#[derive(Clone, Debug)]
struct Twin {
    id: String,
    first: Spot,
    second: Spot,
    is_same: bool,
}

/// Events by their identity.
#[derive(Debug, Default)]
pub(super) struct Twice {
    seen: HashMap<u128, First>,
    twins: Vec<Twin>,
    counts: Counts,
}

impl Twice {
    pub(super) fn add(&mut self, record: &Record, spot: Spot, room: &mut Room) {
        let Some(identity) = identity(record) else {
            return;
        };
        // The same event may well be written to several topics.
        let name = digest(&(spot.topic, &identity));
        let value = digest(&record.value.as_deref());
        let Some(first) = self.seen.get(&name) else {
            if room.take(BYTES) {
                self.seen.insert(name, First { spot, value });
            }
            return;
        };
        if self.counts.one_more(spot.topic) {
            self.twins.push(Twin {
                id: String::from_utf8_lossy(&identity.id).into_owned(),
                first: first.spot,
                second: spot,
                is_same: first.value == value,
            });
        }
    }

    pub(super) fn findings(&self, names: &Names<'_>) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.twins.iter().map(|twin| tell(names, twin)).collect();
        for (topic, more) in self.counts.more() {
            let name = names.name(topic);
            let more = u64::try_from(more).unwrap_or(u64::MAX);
            let sentence = format!(
                "In {name} {} written more than once; they are not told one by one.",
                count(more, "more event was", "more events were")
            );
            let draft = Draft::new(FindingKind::Duplicate, Concerns::Everyone)
                .topic(&name)
                .certainty(Certainty::Strong)
                .because(
                    "more",
                    Fact::Number(i64::try_from(more).unwrap_or(i64::MAX)),
                );
            findings.push(draft.say(
                "more",
                sentence,
                "Ask the sender's owner whether something is sent again and again.",
            ));
        }
        findings
    }
}

fn tell(names: &Names<'_>, twin: &Twin) -> Finding {
    let (first, second) = (names.at(&twin.first), names.at(&twin.second));
    let is_beside = first == second;
    let apart_ms = match (twin.first.time, twin.second.time) {
        (Some(first), Some(second)) => Some(second.since_ms(first).saturating_abs()),
        _ => None,
    };
    let is_near = is_beside
        && (twin.second.offset.saturating_sub(twin.first.offset) <= NEAR_OFFSETS
            || apart_ms.is_some_and(|ms| ms <= NEAR_MS));
    let apart = apart_ms.map_or_else(String::new, |ms| format!(", {} apart", duration(ms)));
    let head = format!(
        "The event {} was written twice: {} offset {} and {} offset {}{apart}",
        twin.id,
        place(&first),
        number(twin.first.offset),
        place(&second),
        number(twin.second.offset),
    );
    let (certainty, cause, why, next) = if !twin.is_same {
        (
            Certainty::Hint,
            "other_content",
            "but with other content: the id may have been used twice.",
            "Ask the sender's owner what makes its ids unique.",
        )
    } else if is_near {
        (
            Certainty::Strong,
            "producer_retry",
            "a producer that tried again; a careful consumer ignores the second.",
            "Nothing needs to be done where consumers are idempotent; else let the producer be idempotent (enable.idempotence).",
        )
    } else {
        (
            Certainty::Strong,
            "sent_again",
            "a replay or a repeated sending; a careful consumer ignores the second.",
            "Ask who sent it again, and whether the consumers ignore what they have seen.",
        )
    };
    let from = if is_beside {
        twin.first.offset
    } else {
        twin.second.offset
    };
    Draft::new(FindingKind::Duplicate, Concerns::Everyone)
        .at(&second)
        .offsets(Offset(from), Offset(twin.second.offset))
        .certainty(certainty)
        .because("id", Fact::Text(twin.id.clone()))
        .because("cause", Fact::Text(cause.to_owned()))
        .because("first", Fact::Record(first, Offset(twin.first.offset)))
        .because("second", Fact::Record(second, Offset(twin.second.offset)))
        .with(|finding| {
            finding.records = Some(2);
            (finding.from_time, finding.to_time) = (twin.first.time, twin.second.time);
        })
        .say(
            &format!("{} {}", twin.id, twin.second.offset),
            format!("{head}; {why}"),
            next,
        )
}
