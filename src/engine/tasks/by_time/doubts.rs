//! Newer records further back than a partition was read.
//!
//! A record dated far ahead may lie anywhere before the windows. The bus knows the first offset with a time
//! later than the answer's edge: nothing before it belongs to the answer, so what lies from there to the window
//! is read too. Where that is too much, the newest record of the partition is, and the partition's row says
//! that others may hide.

use std::collections::BTreeSet;

use crate::bus::{Found, Lookup, Seek};
use crate::engine::tasks::records::Tally;
use crate::model::{Known, TopicPartition};

use super::{Direction, Edge, PartitionRange, Search};

/// How many offsets are read in all to settle doubts; each refresh of a live table may come to it.
const FAR: u64 = 100_000;

impl Search<'_> {
    /// Finds the newer records that lie before the windows, or says that there may be some.
    pub(super) fn follow_doubts(&mut self, tally: &mut Tally) -> Known<()> {
        let mut left = FAR;
        let mut settled: BTreeSet<TopicPartition> = BTreeSet::new();
        let mut newest_read: BTreeSet<TopicPartition> = BTreeSet::new();
        while let Some(Edge(Some(edge))) = self.edge
            && self.stopped_by.is_none()
        {
            let later = Seek::AtOrAfter(edge.moved_ms(1));
            let doubtful: Vec<TopicPartition> = self
                .open
                .iter()
                .filter(|(at, window)| !window.is_exhausted() && !settled.contains(*at))
                .map(|(at, _)| at.clone())
                .collect();
            if doubtful.is_empty() {
                return Ok(());
            }
            let (mut parts, mut singles) = (Vec::new(), Vec::new());
            for (at, found) in self.look_up(doubtful, later) {
                let Some(window) = self.open.get(&at) else {
                    continue;
                };
                let (low, high) = window.rest;
                let first = match found {
                    Ok(found) => found.offset.filter(|first| *first < high),
                    Err(problem) => {
                        tally.doubt(
                            &at,
                            &format!(
                                "whether records before offset {high} carry later times is not known: {problem}"
                            ),
                        );
                        settled.insert(at);
                        continue;
                    }
                };
                let Some(first) = first else {
                    settled.insert(at);
                    continue;
                };
                let from = first.max(low);
                if let Some(rest) = high.since(from).and_then(|size| left.checked_sub(size)) {
                    left = rest;
                    parts.push(window.part(from, high));
                    settled.insert(at);
                } else if newest_read.insert(at.clone()) {
                    singles.push(at);
                } else {
                    tally.doubt(
                        &at,
                        &format!(
                            "records from offset {from} to {} may carry later times: only the newest of them was looked for",
                            high.0.saturating_sub(1)
                        ),
                    );
                    settled.insert(at);
                }
            }
            for part in self.read(tally, parts)? {
                if let Some(window) = self.open.get_mut(&part.at) {
                    window.looked_at(&part, Direction::NewestFirst);
                }
            }
            let newest = self.newest_of(singles);
            self.read(tally, newest)?;
        }
        Ok(())
    }

    /// The newest record of each of `partitions`, where it was not looked at yet.
    fn newest_of(&self, partitions: Vec<TopicPartition>) -> Vec<PartitionRange> {
        self.look_up(partitions, Seek::MaxTimestamp)
            .into_iter()
            .filter_map(|(at, found)| {
                let offset = found.ok()?.offset?;
                let window = self.open.get(&at)?;
                let (low, high) = window.rest;
                (low..high)
                    .contains(&offset)
                    .then(|| window.part(offset, offset.next()))
            })
            .collect()
    }

    /// What the bus finds in each of `partitions`.
    fn look_up(
        &self,
        partitions: Vec<TopicPartition>,
        seek: Seek,
    ) -> Vec<(TopicPartition, Known<Found>)> {
        if partitions.is_empty() {
            return Vec::new();
        }
        let lookups = partitions
            .iter()
            .map(|at| Lookup {
                at: at.clone(),
                seek,
            })
            .collect();
        match self.terms.control.cancel.wait(self.bus.look_up(lookups)) {
            Ok(found) => partitions.into_iter().zip(found).collect(),
            Err(problem) => partitions
                .into_iter()
                .map(|at| (at, Err(problem.clone())))
                .collect(),
        }
    }
}
