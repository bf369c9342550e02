//! Sharpening what the window's timeline shows: coarse first, then finer where it matters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Duration, Instant};

use crate::bus::Bus;
use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::command::View;
use crate::engine::event::Progress;
use crate::engine::publish::Publisher;
use crate::engine::snapshot::Inventory;
use crate::inspect::density::TimeIndex;
use crate::model::{Clock, Offset, Partition, Problem, TopicPartition};

use super::lookups::{Rate, Window, blind_from, sharpen};
use super::overview;
use super::tails::{misleading_from, read_tail};

/// Up to this many lanes are sharpened until every column is exact.
const FEW_LANES: usize = 200;
/// With more lanes, a stretch with this many offsets or fewer is drawn as a straight line.
const CLOSE: u64 = 2;
/// How many records of a lane are sampled for disorder.
const SAMPLES: u64 = 8;
/// Times out of order by less than this do not mislead the eye.
const TOLERANCE_MS: i64 = 60_000;
/// How many look-ups one round sends, so that the picture sharpens in steps that can be seen.
const ROUND: usize = 500;
/// About how many look-ups the overview may cost.
const OVERVIEW_LOOKUPS: usize = 20_000;
/// How many indices of lanes that are not in view are kept.
const KEPT: usize = 20_000;

/// What following views needs besides the views.
pub(in crate::engine) struct Following {
    pub(in crate::engine) bus: Arc<dyn Bus>,
    pub(in crate::engine) publisher: Arc<Publisher>,
    pub(in crate::engine) session: SessionId,
    pub(in crate::engine) clock: Clock,
    pub(in crate::engine) rate: Rate,
}

/// Follows the views that come in; each new one makes the look-ups of the old one stop.
pub(in crate::engine) async fn follow(
    following: Following,
    mut views: watch::Receiver<Option<View>>,
    mut refreshed: watch::Receiver<u64>,
) {
    let mut known = Known::default();
    loop {
        let view = views.borrow_and_update().clone();
        if let Some(view) = view {
            let cancel = Cancel::default();
            let _given_up_with_this_task = cancel.guard();
            tokio::select! {
                () = known.settle(&following, &view, &cancel) => {}
                changed = views.changed() => {
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
    /// The partitions whose times were looked at for disorder.
    checked: BTreeSet<TopicPartition>,
    /// Where look-ups mislead because of it.
    misled: BTreeMap<TopicPartition, Offset>,
    overview: overview::Sum,
}

type Lanes = BTreeMap<TopicPartition, TimeIndex>;
type Problems = BTreeMap<TopicPartition, Problem>;

impl Known {
    async fn settle(&mut self, following: &Following, view: &View, cancel: &Cancel) {
        let Following {
            bus,
            publisher,
            session,
            rate,
            ..
        } = following;
        let mut lanes = self.take_lanes(publisher, view);
        let mut problems = without_ends(publisher, view);
        let whole = lanes.len().saturating_add(problems.len()) >= view.lanes.len();
        let from = self.blind(following, &lanes).await;
        self.read_tails(bus, &mut lanes, &mut problems, from, cancel)
            .await;
        let close = if lanes.len() <= FEW_LANES { 0 } else { CLOSE };
        let unchecked = lanes.keys().any(|at| !self.checked.contains(at));
        let mut made: u64 = 0;
        // Many lanes are shown in larger steps, or counting them anew would take all the window's time.
        let step = if lanes.len() <= FEW_LANES {
            Duration::from_millis(100)
        } else {
            Duration::from_millis(700)
        };
        let mut shown = Instant::now();
        // Coarse first: a wide view gets a sixteenth of its columns before it gets them all.
        for coarser in [16, 1] {
            let windows = windows_of(view, coarser, close);
            let is_last = coarser == 1;
            loop {
                let sent = sharpen(&**bus, &mut lanes, &mut problems, &windows, *rate, ROUND).await;
                made = made.saturating_add(u64::try_from(sent).unwrap_or(0));
                if sent == 0 && !is_last {
                    break;
                }
                if sent > 0 && shown.elapsed() < step {
                    continue;
                }
                shown = Instant::now();
                let settled = sent == 0 && is_last && !unchecked && whole;
                self.keep(&lanes);
                publish(publisher, *session, &lanes, &problems, settled);
                if sent == 0 {
                    break;
                }
                let progress = Progress {
                    what: "density",
                    done: made,
                    total: None,
                };
                publisher.activity(*session, "density", Some(progress));
            }
        }
        if unchecked {
            let from = self.misled_in(&**bus, &lanes).await;
            self.read_tails(bus, &mut lanes, &mut problems, from, cancel)
                .await;
            self.keep(&lanes);
            publish(publisher, *session, &lanes, &problems, whole);
        }
        self.look_over(following, &mut lanes, &mut problems, close)
            .await;
        publisher.activity(*session, "density", None);
    }

    /// Looks at all of the time in a few columns, last of all.
    async fn look_over(
        &mut self,
        following: &Following,
        lanes: &mut Lanes,
        problems: &mut Problems,
        close: u64,
    ) {
        let publisher = &following.publisher;
        let inventory = Arc::clone(&publisher.snapshot().inventory);
        let Some(grid) = overview::grid_of(&inventory) else {
            return;
        };
        let columns = (OVERVIEW_LOOKUPS / lanes.len().max(1)).clamp(8, grid.columns().max(8));
        let window = Window {
            from: grid.from(),
            to: grid.to(),
            columns,
            close,
        };
        let (bus, rate) = (&*following.bus, following.rate);
        while sharpen(bus, lanes, problems, &[window], rate, ROUND).await > 0 {}
        self.keep(lanes);
        let of = overview::with_records(&inventory);
        let made = self.overview.look_over(grid, lanes, &self.indices, &of);
        let shown = publisher.snapshot().density.overview.clone();
        if shown.as_deref() != Some(&made) {
            publisher.update(following.session, |snapshot| {
                Arc::make_mut(&mut snapshot.density).overview = Some(Arc::new(made));
            });
        }
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
            let ends = partition_of(&inventory, at).and_then(Partition::ends);
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

    /// Where look-ups are blind in the lanes whose ends have moved: behind a record of the future, and where
    /// disorder was found before.
    async fn blind(
        &self,
        following: &Following,
        lanes: &Lanes,
    ) -> BTreeMap<TopicPartition, Result<Offset, Problem>> {
        let moved: Vec<TopicPartition> = lanes
            .iter()
            .filter(|(_, index)| index.tail().is_none() && index.end() > index.start())
            .filter(|(at, index)| {
                self.indices
                    .get(*at)
                    .is_none_or(|known| known.end() != index.end())
            })
            .map(|(at, _)| at.clone())
            .collect();
        let mut blind = blind_from(&*following.bus, &moved, following.clock.now()).await;
        for at in moved {
            if let Some(misled) = self.misled.get(&at) {
                let from = blind.entry(at).or_insert(Ok(*misled));
                if let Ok(known) = from {
                    *known = (*misled).min(*known);
                }
            }
        }
        blind
    }

    /// Looks for disorder in the lanes that were not looked at yet.
    async fn misled_in(
        &mut self,
        bus: &dyn Bus,
        lanes: &Lanes,
    ) -> BTreeMap<TopicPartition, Result<Offset, Problem>> {
        let ends: BTreeMap<TopicPartition, (Offset, Offset)> = lanes
            .iter()
            .filter(|(at, _)| !self.checked.contains(*at))
            .map(|(at, index)| (at.clone(), (index.start(), index.end())))
            .collect();
        let found = misleading_from(bus, &ends, TOLERANCE_MS, SAMPLES).await;
        self.checked.extend(ends.into_keys());
        self.misled
            .extend(found.iter().map(|(at, offset)| (at.clone(), *offset)));
        found
            .into_iter()
            .map(|(at, offset)| (at, Ok(offset)))
            .collect()
    }

    /// Reads the tails that begin at `from`; of one that is known already, only what is new.
    async fn read_tails(
        &self,
        bus: &Arc<dyn Bus>,
        lanes: &mut Lanes,
        problems: &mut Problems,
        from: BTreeMap<TopicPartition, Result<Offset, Problem>>,
        cancel: &Cancel,
    ) {
        for (at, from) in from {
            let Some(index) = lanes.get_mut(&at) else {
                continue;
            };
            let end = index.end();
            let before = self.indices.get(&at).filter(|before| before.end() <= end);
            let tail = match from {
                Ok(from) if from < end => {
                    match before.and_then(|before| Some((before.end(), before.tail()?))) {
                        Some((known_to, tail)) if tail.exact && tail.from == from => {
                            read_tail(bus, &at, known_to, end, cancel)
                                .await
                                .map(|news| tail.clone().followed_by(news))
                        }
                        _ => read_tail(bus, &at, from, end, cancel).await,
                    }
                }
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

/// The windows of `view` in columns `coarser` times as wide as those that are drawn.
fn windows_of(view: &View, coarser: usize, close: u64) -> Vec<Window> {
    let stretches = view.stretches().into_iter();
    stretches
        .map(|(from, to, columns)| Window {
            from,
            to,
            columns: columns.div_ceil(coarser).max(1),
            close,
        })
        .collect()
}

/// The partition `at` as it was last read.
fn partition_of<'a>(inventory: &'a Inventory, at: &TopicPartition) -> Option<&'a Partition> {
    let topics = inventory.topics();
    let index = topics
        .binary_search_by(|topic| topic.name.cmp(&at.topic))
        .ok()?;
    let partitions = &topics.get(index)?.partitions;
    partitions
        .iter()
        .find(|partition| partition.id == at.partition)
}

/// The lanes of a view whose ends are not known, and why.
fn without_ends(publisher: &Publisher, view: &View) -> Problems {
    let inventory = Arc::clone(&publisher.snapshot().inventory);
    view.lanes
        .iter()
        .filter_map(|at| {
            let partition = partition_of(&inventory, at)?;
            let problem = partition.first_problem()?;
            partition
                .ends()
                .is_none()
                .then(|| (at.clone(), problem.clone()))
        })
        .collect()
}

fn publish(
    publisher: &Publisher,
    session: SessionId,
    lanes: &BTreeMap<TopicPartition, TimeIndex>,
    problems: &BTreeMap<TopicPartition, Problem>,
    settled: bool,
) {
    publisher.update(session, |snapshot| {
        let shown = &snapshot.density;
        let changed: Vec<(&TopicPartition, &TimeIndex)> = lanes
            .iter()
            .filter(|(at, index)| {
                shown
                    .partitions
                    .get(*at)
                    .is_none_or(|known| **known != **index)
            })
            .collect();
        let same_lanes = shown.partitions.len() == lanes.len();
        let same_problems = shown.problems.len() == problems.len()
            && problems
                .iter()
                .all(|(at, problem)| shown.problems.get(at) == Some(problem));
        if changed.is_empty() && same_lanes && same_problems && shown.settled == settled {
            return;
        }
        let density = Arc::make_mut(&mut snapshot.density);
        density.partitions.retain(|at, _| lanes.contains_key(at));
        for (at, index) in changed {
            density
                .partitions
                .insert(at.clone(), Arc::new(index.clone()));
        }
        density.problems = problems
            .iter()
            .map(|(at, problem)| (at.clone(), problem.clone()))
            .collect();
        density.settled = settled;
    });
}
