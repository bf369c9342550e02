//! G12: sequences of a source that are out of order or have holes.
//!
//! `CloudEvents` compares sequences as text, within one source; that they have no holes it only recommends (extension
//! `sequence`). Order is looked at within a partition, as there is none between partitions. Holes are a question, and only
//! where a source counts: all its sequences are whole numbers of one width.

use crate::model::{Certainty, Concerns, Fact, Finding, FindingKind, Offset, TimestampMs};

use super::super::finding::Draft;
use super::super::words::{count, place};
use super::identity::Sequenced;
use super::runs::{Gap, Packed, Runs, Spot};
use super::table::{Name, Room, Table};
use super::{Names, ONE_BY_ONE, PerTopic, amount, shown};

/// More of a sequence than this does not count.
const LONGEST: usize = 40;

/// A sequence, kept without a place of its own in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Text {
    letters: [u8; LONGEST],
    len: u8,
}

impl Text {
    fn new(bytes: &[u8]) -> Self {
        let mut letters = [0; LONGEST];
        let mut len = 0_u8;
        for (to, from) in letters.iter_mut().zip(bytes) {
            *to = *from;
            len = len.saturating_add(1);
        }
        Self { letters, len }
    }

    fn bytes(&self) -> &[u8] {
        self.letters
            .get(..usize::from(self.len))
            .unwrap_or_default()
    }
}

/// The number that a sequence is, where it is a whole one.
fn number_of(sequence: &[u8]) -> Option<i64> {
    let digits = sequence.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(sequence).ok().filter(|_| digits)?;
    text.parse().ok()
}

/// The latest event of a source in one partition.
#[derive(Clone, Copy, Debug)]
struct Latest {
    sequence: Text,
    at: Packed,
}

/// What a source counted, in all partitions.
#[derive(Debug)]
struct Counted {
    runs: Runs,
    width: usize,
    /// Whether all were whole numbers of one width.
    counts: bool,
    /// Where numbers first got longer, so that as text they stand before shorter ones.
    longer: Option<Spot>,
}

#[derive(Clone, Debug)]
struct Broken {
    source: String,
    before: Spot,
    here: Spot,
    sequences: (Text, Text),
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    broken: u64,
    told: usize,
}

/// The sequences of all sources.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    latest: Table<Latest>,
    counted: Table<Counted>,
    broken: Vec<Broken>,
    topics: PerTopic<Tally>,
}

const BROKEN_BYTES: usize = size_of::<Broken>().saturating_mul(2);

impl Sequences {
    pub(super) fn add(
        &mut self,
        sequenced: &Sequenced<'_>,
        (topic, spot): (u32, Spot),
        room: &mut Room,
    ) {
        let Sequenced { source, sequence } = sequenced;
        if sequence.is_empty() {
            return;
        }
        let number = number_of(sequence);
        let source_name = Name::of(&[source]);
        let name = source_name.within(spot.lane);
        let here = Latest {
            sequence: Text::new(sequence),
            at: Packed::new(spot),
        };
        let mut is_longer = false;
        if let Some(latest) = self.latest.get_mut(&name) {
            let before = std::mem::replace(latest, here);
            let grew = number_of(before.sequence.bytes()).zip(number);
            let is_backwards = here.sequence.bytes() < before.sequence.bytes();
            is_longer = is_backwards && grew.is_some_and(|(before, here)| before < here);
            if is_backwards && !is_longer {
                let before_spot = before.at.spot(spot.lane);
                let sequences = (before.sequence, here.sequence);
                self.broke(source, topic, (before_spot, spot), sequences, room);
            }
        } else {
            self.latest.insert(name, here, room);
        }
        if let Some(counted) = self.counted.get_mut(&source_name) {
            counted.counts &= number.is_some() && counted.width == sequence.len();
            if let Some(number) = number.filter(|_| counted.counts) {
                counted.runs.add(number, spot, source, room);
            }
            if is_longer && counted.longer.is_none() {
                counted.longer = Some(spot);
            }
        } else {
            let counted = Counted {
                runs: Runs::new(number.unwrap_or_default(), spot),
                width: sequence.len(),
                counts: number.is_some(),
                longer: None,
            };
            self.counted.insert(source_name, counted, room);
        }
    }

    fn broke(
        &mut self,
        source: &[u8],
        topic: u32,
        (before, here): (Spot, Spot),
        sequences: (Text, Text),
        room: &mut Room,
    ) {
        let Some(tally) = self.topics.at(topic) else {
            return;
        };
        tally.broken = tally.broken.saturating_add(1);
        let source = shown(source);
        if tally.told < ONE_BY_ONE && room.take(BROKEN_BYTES.saturating_add(source.len())) {
            tally.told = tally.told.saturating_add(1);
            self.broken.push(Broken {
                source,
                before,
                here,
                sequences,
            });
        }
    }

    /// What follows; a hole whose end is younger than `wait_ms` may still be filled.
    pub(super) fn findings(
        &self,
        names: &Names<'_>,
        now: TimestampMs,
        wait_ms: i64,
    ) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self
            .broken
            .iter()
            .map(|broken| tell_broken(names, broken))
            .collect();
        let mut holes: Vec<(&Runs, Gap)> = self
            .counted
            .unsorted()
            .filter(|(_, source)| source.counts && !source.runs.jump())
            .flat_map(|(_, source)| source.runs.gaps().map(|gap| (&source.runs, gap)))
            .filter(|(_, gap)| {
                let is_young = gap
                    .after
                    .time
                    .is_some_and(|time| now.since_ms(time) < wait_ms);
                !is_young && !names.is_compacted(names.topic_of(&gap.after))
            })
            .collect();
        holes.sort_by_key(|(_, gap)| (names.at(&gap.after), gap.after.offset));
        let holes = holes.into_iter().take(ONE_BY_ONE);
        findings.extend(holes.map(|(runs, gap)| tell_hole(names, runs, &gap)));
        let mut longer: Vec<Spot> = self
            .counted
            .unsorted()
            .filter_map(|(_, source)| source.longer)
            .collect();
        longer.sort_by_key(|spot| (names.at(spot), spot.offset));
        let longer = longer.into_iter().take(ONE_BY_ONE);
        findings.extend(longer.map(|spot| tell_longer(names, &spot)));
        for (topic, tally) in self.topics.each() {
            let told = u64::try_from(tally.told).unwrap_or(u64::MAX);
            let more = tally.broken.saturating_sub(told);
            if more > 0 {
                findings.push(tell_more(names, topic, more));
            }
        }
        findings
    }
}

fn tell_broken(names: &Names<'_>, found: &Broken) -> Finding {
    let at = names.at(&found.here);
    let (before, here) = &found.sequences;
    let (before, here) = (shown(before.bytes()), shown(here.bytes()));
    let sentence = format!(
        "{} in {}: sequence {here} stands behind {before}, out of order.",
        found.source,
        place(&at)
    );
    Draft::new(FindingKind::Sequence, Concerns::Everyone)
        .at(&at)
        .offsets(Offset(found.before.offset), Offset(found.here.offset))
        .certainty(Certainty::Strong)
        .because("source", Fact::Text(found.source.clone()))
        .because("before", Fact::Text(before))
        .because("here", Fact::Text(here))
        .with(|finding| {
            finding.records = Some(1);
            (finding.from_time, finding.to_time) = (found.before.time, found.here.time);
        })
        .say(
            &found.here.offset.to_string(),
            sentence,
            "Let consumers of this source put events in order by their sequence.",
        )
}

fn tell_hole(names: &Names<'_>, runs: &Runs, gap: &Gap) -> Finding {
    let (at, before) = (names.at(&gap.after), names.at(&gap.before));
    let source = shown(runs.whose());
    let sentence = format!(
        "{source} went from sequence {} to {} in {}: {} between them {} not seen.",
        gap.from.saturating_sub(1),
        gap.to.saturating_add(1),
        place(&at),
        count(gap.len(), "number", "numbers"),
        if gap.len() == 1 { "was" } else { "were" },
    );
    let (from, to) = gap.offsets();
    Draft::new(FindingKind::Sequence, Concerns::Everyone)
        .at(&at)
        .offsets(from, to)
        .because("source", Fact::Text(source))
        .because("missing_from", Fact::Number(gap.from))
        .because("missing_to", Fact::Number(gap.to))
        .because("before", Fact::Record(before, Offset(gap.before.offset)))
        .because("after", Fact::Record(at, Offset(gap.after.offset)))
        .with(|finding| {
            finding.records = Some(gap.len());
            (finding.from_time, finding.to_time) = (gap.before.time, gap.after.time);
        })
        .say(
            &format!("{:?} {}", runs.whose(), gap.from),
            sentence,
            "Ask the sender's owner whether its sequences have no holes.",
        )
}

fn tell_longer(names: &Names<'_>, spot: &Spot) -> Finding {
    let at = names.at(spot);
    let sentence = format!(
        "From offset {} in {} on, sequences have more digits than before: compared as text, as they are to be, they stand before the shorter ones.",
        spot.offset,
        place(&at)
    );
    Draft::new(FindingKind::Sequence, Concerns::Everyone)
        .at(&at)
        .offsets(Offset(spot.offset), Offset(spot.offset))
        .with(|finding| (finding.from_time, finding.to_time) = (spot.time, spot.time))
        .say(
            &format!("longer {}", spot.offset),
            sentence,
            "Let the sender fill its sequences up with zeros to one width.",
        )
}

fn tell_more(names: &Names<'_>, topic: u32, more: u64) -> Finding {
    let name = names.name(topic);
    let sentence = format!(
        "In {name} {} out of the order of their sequences; they are not told one by one.",
        count(more, "more event is", "more events are")
    );
    Draft::new(FindingKind::Sequence, Concerns::Everyone)
        .topic(&name)
        .certainty(Certainty::Strong)
        .because("more", Fact::Number(amount(more)))
        .with(|finding| finding.records = Some(more))
        .say(
            "more",
            sentence,
            "Let consumers put events in order by their sequence.",
        )
}
