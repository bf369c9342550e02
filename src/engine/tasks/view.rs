//! Sharpening what the window's timeline shows: coarse first, then finer where it matters.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use crate::bus::Bus;
use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::command::View;
use crate::engine::event::{Progress, StoppedBy};
use crate::engine::publish::Publisher;
use crate::inspect::density::TimeIndex;
use crate::model::{Clock, Offset, Problem, TopicPartition};

use super::lookups::{Rate, Window, blind_from, sharpen};
use super::tails::read_tail;

/// A stretch with this many offsets or fewer is drawn as a straight line.
const CLOSE: u64 = 2;
/// How many look-ups one round sends, so that the picture sharpens in steps that can be seen.
const ROUND: usize = 500;
/// How many indices of lanes that are not in view are kept.
const KEPT: usize = 20_000;

/// Follows the views that come in; each new one makes the look-ups of the old one stop.
pub(in crate::engine) async fn follow(
    bus: Arc<dyn Bus>,
    publisher: Arc<Publisher>,
    session: SessionId,
    clock: Clock,
    rate: Rate,
    mut views: watch::Receiver<Option<View>>,
    mut refreshed: watch::Receiver<u64>,
) {
    let mut known = Known::default();
    loop {
        let view = views.borrow_and_update().clone();
        if let Some(view) = view {
            let cancel = Cancel::default();
            let _given_up_with_this_task = cancel.guard();
            let settle = known.settle(&bus, &publisher, session, clock, rate, &view, &cancel);
            tokio::select! {
                () = settle => {}
                changed = views.changed() => {
                    cancel.cancel(StoppedBy::Interrupt);
                    if changed.is_err() {
                        return;
                    }
                    continue;
                }
            }
        }
        tokio::select! {
            changed = views.changed() => if changed.is_err() {
                return;
            },
            // The ends have moved: the same view has more to show.
            _ = refreshed.changed() => {}
        }
    }
}

/// What is known of the times of partitions, kept from view to view.
#[derive(Default)]
struct Known {
    indices: BTreeMap<TopicPartition, TimeIndex>,
}

impl Known {
    #[expect(
        clippy::too_many_arguments,
        reason = "what one view needs, each of its own kind"
    )]
    async fn settle(
        &mut self,
        bus: &Arc<dyn Bus>,
        publisher: &Publisher,
        session: SessionId,
        clock: Clock,
        rate: Rate,
        view: &View,
        cancel: &Cancel,
    ) {
        let mut lanes = self.take_lanes(publisher, view);
        let mut problems = BTreeMap::new();
        self.find_tails(bus, &mut lanes, &mut problems, clock, cancel)
            .await;
        // Coarse first: a wide view gets a sixteenth of its columns before it gets them all.
        let window = |columns| Window {
            from: view.from,
            to: view.to,
            columns,
            close: CLOSE,
        };
        let mut made: u64 = 0;
        for columns in [view.columns.div_ceil(16).max(1), view.columns.max(1)] {
            loop {
                let sent = sharpen(
                    &**bus,
                    &mut lanes,
                    &mut problems,
                    window(columns),
                    rate,
                    ROUND,
                )
                .await;
                made = made.saturating_add(u64::try_from(sent).unwrap_or(0));
                let settled = sent == 0 && columns == view.columns.max(1);
                self.keep(&lanes);
                publish(publisher, session, &lanes, &problems, settled);
                if sent == 0 {
                    break;
                }
                let progress = Progress {
                    what: "density",
                    done: made,
                    total: None,
                };
                publisher.activity(session, "density", Some(progress));
            }
        }
        publisher.activity(session, "density", None);
    }

    /// The indices of the view's lanes, brought up to the ends last read.
    fn take_lanes(
        &self,
        publisher: &Publisher,
        view: &View,
    ) -> BTreeMap<TopicPartition, TimeIndex> {
        let inventory = Arc::clone(&publisher.snapshot().inventory);
        let mut lanes = BTreeMap::new();
        for at in &view.lanes {
            let topics = inventory.topics();
            let ends = topics
                .binary_search_by(|topic| topic.name.cmp(&at.topic))
                .ok()
                .and_then(|index| topics.get(index))
                .and_then(|topic| {
                    topic
                        .partitions
                        .iter()
                        .find(|partition| partition.id == at.partition)
                })
                .and_then(crate::model::Partition::ends);
            let Some((start, end)) = ends else { continue };
            let mut index = self
                .indices
                .get(at)
                .cloned()
                .unwrap_or_else(|| TimeIndex::new(start, end));
            index.set_ends(start, end);
            lanes.insert(at.clone(), index);
        }
        lanes
    }

    async fn find_tails(
        &self,
        bus: &Arc<dyn Bus>,
        lanes: &mut BTreeMap<TopicPartition, TimeIndex>,
        problems: &mut BTreeMap<TopicPartition, Problem>,
        clock: Clock,
        cancel: &Cancel,
    ) {
        let fresh: Vec<TopicPartition> = lanes
            .iter()
            .filter(|(_, index)| index.tail().is_none() && index.end() > index.start())
            .filter(|(at, index)| {
                self.indices
                    .get(*at)
                    .is_none_or(|known| known.end() != index.end())
            })
            .map(|(at, _)| at.clone())
            .collect();
        for (at, from) in blind_from(&**bus, &fresh, clock.now()).await {
            let Some(index) = lanes.get_mut(&at) else {
                continue;
            };
            let end: Offset = index.end();
            let tail = match from {
                Ok(from) if from < end => read_tail(bus, &at, from, end, cancel).await,
                Ok(_) => continue,
                Err(problem) => Err(problem),
            };
            match tail {
                Ok(tail) => index.set_tail(tail),
                Err(problem) => {
                    problems.insert(at, problem);
                }
            }
        }
    }

    fn keep(&mut self, lanes: &BTreeMap<TopicPartition, TimeIndex>) {
        if self.indices.len() > KEPT {
            self.indices.retain(|at, _| lanes.contains_key(at));
        }
        self.indices
            .extend(lanes.iter().map(|(at, index)| (at.clone(), index.clone())));
    }
}

fn publish(
    publisher: &Publisher,
    session: SessionId,
    lanes: &BTreeMap<TopicPartition, TimeIndex>,
    problems: &BTreeMap<TopicPartition, Problem>,
    settled: bool,
) {
    publisher.update(session, |snapshot| {
        let density = Arc::make_mut(&mut snapshot.density);
        density.partitions.retain(|at, _| lanes.contains_key(at));
        for (at, index) in lanes {
            let same = density
                .partitions
                .get(at)
                .is_some_and(|known| **known == *index);
            if !same {
                density
                    .partitions
                    .insert(at.clone(), Arc::new(index.clone()));
            }
        }
        density.problems = problems
            .iter()
            .map(|(at, problem)| (at.clone(), problem.clone()))
            .collect();
        density.settled = settled;
    });
}
