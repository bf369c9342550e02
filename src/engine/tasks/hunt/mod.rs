//! Searching ranges of records as fast as the machine allows, and following what comes in.
//!
//! The partitions are shared out among a few threads, each with a client of its own. A sieve looks at the bytes while
//! they still lie in the client's memory; only what passes it is copied out and looked at in full.
//!
//! What careful readers see is found out without reading everything twice: they are the ones who read. Where they
//! are given every offset in a row, nothing is hidden from them. Where offsets are missing (markers, compaction,
//! aborted records), that stretch is read once more with everything in it, see [`worker`].
//!
//! | part | what it is |
//! |---|---|
//! | `look` | whether a record is one that is looked for |
//! | `control` | giving up, pausing, and keeping to a rate |
//! | `worker`, `lane` | one thread's partitions; what of one partition is certain |
//! | `follow` | going on at the ends of the logs |

mod control;
mod follow;
mod lane;
mod look;
mod worker;

pub(in crate::engine) use control::Control;
pub(in crate::engine) use look::Look;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::bus::{Appetite, Bus, ReadPlan, ReadRange};
use crate::inspect::filter;
use crate::model::{Isolation, Known, Problem, ProblemKind};

use super::ranges::PartitionRange;
use super::scan::{Flow, Scanned};
use worker::Worker;

/// More threads than this bring nothing: the broker serves no faster.
const MOST_WORKERS: usize = 4;
/// How many portions may wait for whoever takes them.
const WAITING: usize = 2;

/// A search, ready to run.
pub(in crate::engine) struct Hunt<'a> {
    pub(in crate::engine) bus: &'a dyn Bus,
    pub(in crate::engine) isolation: Isolation,
    pub(in crate::engine) look: &'a Look,
    pub(in crate::engine) control: &'a Control,
    /// Whether what is found is held, so that the clients had better hold less.
    pub(in crate::engine) is_held: bool,
}

impl Hunt<'_> {
    /// Reads `ranges`, each of another partition, and hands what is found to `sink` until it says stop, everything is
    /// read, or it is given up. Blocks. Records come in offset order within each partition.
    ///
    /// # Errors
    /// Reading cannot be started or go on at all.
    pub(in crate::engine) fn run(
        &self,
        ranges: &[PartitionRange],
        sink: &mut dyn FnMut(Scanned) -> Flow,
    ) -> Known<()> {
        let shares = share_out(ranges, self.workers());
        let (sender, receiver) = sync_channel(WAITING);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let mut threads = Vec::new();
            let mut ended = Ok(());
            for share in shares {
                let (sender, stop) = (sender.clone(), &stop);
                let spawned = filter::worker(scope, "search", move || {
                    Worker::new(self, share, sender, stop).run()
                });
                match spawned {
                    Ok(thread) => threads.push(thread),
                    Err(error) => ended = Err(cannot(&error.to_string())),
                }
            }
            drop(sender);
            for batch in receiver {
                for scanned in batch {
                    // What comes after is taken and dropped, so that no thread waits for ever.
                    if !stop.load(Ordering::Relaxed) && sink(scanned) == Flow::Stop {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            for thread in threads {
                let result = thread
                    .join()
                    .unwrap_or_else(|_| Err(cannot("its thread broke off")));
                ended = ended.and(result);
            }
            ended
        })
    }

    /// One thread keeps to a rate; without one, as many as there are cores, and two at least.
    fn workers(&self) -> usize {
        if self.control.pace.is_bound() {
            return 1;
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        cores.clamp(2, MOST_WORKERS)
    }

    /// How a reader of these ranges is to go about it.
    fn plan(&self, ranges: Vec<ReadRange>, isolation: Isolation) -> ReadPlan {
        ReadPlan {
            ranges,
            isolation,
            appetite: match (self.control.pace.is_bound(), self.is_held) {
                (true, _) => Appetite::Little,
                (false, true) => Appetite::Many,
                (false, false) => Appetite::All,
            },
            sieve: Some(Arc::clone(&self.look.filters) as Arc<_>),
        }
    }
}

fn cannot(why: &str) -> Problem {
    Problem::new(ProblemKind::Other, format!("searching failed ({why})"))
}

/// Shares `ranges` out so that each of at most `count` has about as much to read.
fn share_out(ranges: &[PartitionRange], count: usize) -> Vec<Vec<PartitionRange>> {
    let size = |range: &PartitionRange| range.to.since(range.from).unwrap_or_default();
    let mut sorted: Vec<&PartitionRange> = ranges.iter().collect();
    sorted.sort_by_key(|range| std::cmp::Reverse(size(range)));
    let mut shares: Vec<(u64, Vec<PartitionRange>)> =
        vec![(0, Vec::new()); count.clamp(1, ranges.len().max(1))];
    for range in sorted {
        if let Some((weight, share)) = shares.iter_mut().min_by_key(|share| share.0) {
            // Even an empty partition costs something.
            *weight = weight.saturating_add(size(range)).saturating_add(1);
            share.push(range.clone());
        }
    }
    let shares = shares.into_iter().map(|(_, share)| share);
    shares.filter(|share| !share.is_empty()).collect()
}

#[cfg(test)]
mod tests;
