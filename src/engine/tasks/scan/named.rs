//! Reading only the offsets that were named of a partition.

use std::collections::{BTreeMap, VecDeque};

use crate::bus::Bus;
use crate::engine::cancel::Cancel;
use crate::engine::tasks::ranges::PartitionRange;
use crate::model::{Isolation, Known, Offset, TopicPartition};

use super::{Flow, Scanned, read_whole};

/// Named offsets this near to one another are read in one go.
const NEAR: u64 = 100;

/// What is left to read of one partition: from an offset, included, to one, not included.
struct Rest {
    range: PartitionRange,
    runs: VecDeque<(Offset, Offset)>,
}

/// Reads `ranges`, each of another partition, and hands what is found to `sink` until it says stop, everything
/// is read, or `cancel` says so; of a partition of which offsets are named, these alone. Blocks.
///
/// # Errors
/// Reading cannot be started or go on at all.
pub(in crate::engine) fn scan(
    bus: &dyn Bus,
    ranges: &[PartitionRange],
    isolation: Isolation,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Scanned) -> Flow,
) -> Known<()> {
    let mut rests: BTreeMap<TopicPartition, Rest> = BTreeMap::new();
    for range in ranges {
        let runs = runs(range);
        if runs.is_empty() {
            if sink(Scanned::Complete(range.at.clone())) == Flow::Stop {
                return Ok(());
            }
            continue;
        }
        let range = range.clone();
        rests.insert(range.at.clone(), Rest { range, runs });
    }
    let mut stopped = false;
    while !stopped && cancel.reason().is_none() {
        let round: Vec<PartitionRange> = rests.values_mut().filter_map(Rest::next).collect();
        if round.is_empty() {
            break;
        }
        read_whole(bus, &round, isolation, cancel, &mut |scanned| {
            let flow = match scanned {
                Scanned::Record(record) => {
                    let at = record.at();
                    if rests
                        .get(&at)
                        .is_none_or(|rest| rest.range.names(record.offset))
                    {
                        sink(Scanned::Record(record))
                    } else {
                        Flow::Continue
                    }
                }
                Scanned::Passed(passed) => sink(Scanned::Passed(passed)),
                Scanned::Complete(at) => match rests.get(&at) {
                    Some(rest) if !rest.runs.is_empty() => Flow::Continue,
                    _ => sink(Scanned::Complete(at)),
                },
                Scanned::Failed(at, problem) => {
                    if let Some(rest) = rests.get_mut(&at) {
                        rest.runs.clear();
                    }
                    sink(Scanned::Failed(at, problem))
                }
            };
            stopped |= flow == Flow::Stop;
            flow
        })?;
    }
    Ok(())
}

impl Rest {
    fn next(&mut self) -> Option<PartitionRange> {
        let (from, to) = self.runs.pop_front()?;
        Some(PartitionRange {
            from,
            to,
            ..self.range.clone()
        })
    }
}

/// What is to be read of `range`, in the order of offsets: all of it, or stretches that hold what is named.
fn runs(range: &PartitionRange) -> VecDeque<(Offset, Offset)> {
    let mut runs: VecDeque<(Offset, Offset)> = VecDeque::new();
    let Some(named) = &range.named else {
        if range.from < range.to {
            runs.push_back((range.from, range.to));
        }
        return runs;
    };
    for offset in named.iter() {
        if *offset < range.from || *offset >= range.to {
            continue;
        }
        match runs.back_mut() {
            Some((_, to)) if offset.since(*to).is_some_and(|gap| gap <= NEAR) => {
                *to = offset.next();
            }
            _ => runs.push_back((*offset, offset.next())),
        }
    }
    runs
}
