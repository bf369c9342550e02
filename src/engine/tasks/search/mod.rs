//! Searching and following for the window: hits become a table, with what was looked at and how fast.
//!
//! | part | what it is |
//! |---|---|
//! | `found` | what was found so far, within a bound on memory |
//! | `cost` | what a search may read, before it does |
//! | `speed` | how fast it goes, of late |

mod cost;
mod found;
mod speed;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::bus::Bus;
use crate::decode::schema::Schemas;
use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::command::{Edge, RecordScope, RecordsRequest, TableSpan};
use crate::engine::event::StoppedBy;
use crate::engine::publish::Publisher;
use crate::engine::searching::{SearchControl, SearchRequest, SearchStage, SearchView};
use crate::inspect::filter::run_deep;
use crate::model::{Known, Offset, Problem, ProblemKind, Record, TopicPartition};

use super::hunt::{Control, Hunt, Look};
use super::ranges::{PartitionRange, Resolved, resolve};
use super::scan::Flow;
use found::Found;
use speed::Speed;

/// How often what was found is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(200);
/// How many orders may wait; each is a click.
pub(in crate::engine) const WAITING: usize = 16;
/// How many bytes of hits are held.
const HELD_BYTES: u64 = 64 * 1024 * 1024;
/// How many hits are held.
const HELD_HITS: usize = 100_000;
/// How many of the newest records are held while following.
const HELD_FOLLOWED: usize = 10_000;
/// How many records a second may pass a person's eyes; with more, the table is a sample of the moment.
const SEEN_PER_SECOND: u64 = 100;

/// What a search needs beside what is searched for.
pub(in crate::engine) struct Around {
    pub(in crate::engine) bus: Arc<dyn Bus>,
    pub(in crate::engine) publisher: Arc<Publisher>,
    pub(in crate::engine) session: SessionId,
    pub(in crate::engine) schemas: Arc<dyn Schemas>,
    /// How many bytes a second may be read; as many as come when `None`.
    pub(in crate::engine) bytes_per_second: Option<u64>,
    /// Whether this is the search that is on screen.
    pub(in crate::engine) is_present: Box<dyn Fn() -> bool + Send + Sync>,
}

/// Whether a search goes on after an order.
enum Next {
    Run,
    End,
}

/// Runs a search for the window until it is replaced.
pub(in crate::engine) async fn search(
    around: Around,
    request: SearchRequest,
    mut orders: mpsc::Receiver<SearchControl>,
) {
    let request = Arc::new(request);
    let mut search = Search {
        view: SearchView {
            request: Some(Arc::clone(&request)),
            stage: SearchStage::Measuring,
            held_bytes_at_most: HELD_BYTES,
            bytes_per_second_at_most: around.bytes_per_second,
            ..SearchView::default()
        },
        around,
        request,
        elapsed: Duration::ZERO,
    };
    search.show();
    let resolved = match resolved(&*search.around.bus, &search.request).await {
        Ok(resolved) => resolved,
        Err(problem) => {
            search.view.stage = SearchStage::Failed(problem);
            search.show();
            return;
        }
    };
    let cost = cost::of(&search.around.bus, &resolved.ranges).await;
    search.view.cost = Some(cost);
    let asks = !search.request.follow && cost::asks_first(&cost, search.around.bytes_per_second);
    if asks {
        search.view.stage = SearchStage::Asking;
        search.show();
        if matches!(search.wait_for_leave(&mut orders).await, Next::End) {
            return;
        }
    }
    let found = Arc::new(Mutex::new(Found::new(resolved, search.request.follow)));
    loop {
        let ended = search.run(&found, &mut orders).await;
        match ended {
            Ok(()) => search.view.stage = SearchStage::Ended,
            Err(problem) => search.view.stage = SearchStage::Failed(problem),
        }
        search.view.records_per_second = 0;
        search.view.bytes_per_second = 0;
        search.show();
        if found.lock().stopped_by.is_none() || search.request.follow {
            // Nothing is left that could be gone on with.
            return;
        }
        loop {
            match orders.recv().await {
                None => return,
                Some(SearchControl::Resume | SearchControl::Begin) => break,
                Some(SearchControl::FullSpeed) => search.release(),
                Some(SearchControl::Pause | SearchControl::Stop) => {}
            }
        }
        found.lock().stopped_by = None;
    }
}

struct Search {
    around: Around,
    request: Arc<SearchRequest>,
    view: SearchView,
    /// How long it read, before the present run.
    elapsed: Duration,
}

impl Search {
    fn show(&self) {
        let view = Arc::new(self.view.clone());
        let around = &self.around;
        around.publisher.update(around.session, |snapshot| {
            if (around.is_present)() {
                snapshot.search = view;
            }
        });
    }

    fn release(&mut self) {
        self.around.bytes_per_second = None;
        self.view.bytes_per_second_at_most = None;
        self.show();
    }

    async fn wait_for_leave(&mut self, orders: &mut mpsc::Receiver<SearchControl>) -> Next {
        loop {
            match orders.recv().await {
                None => return Next::End,
                Some(SearchControl::Begin | SearchControl::Resume) => return Next::Run,
                Some(SearchControl::FullSpeed) => self.release(),
                Some(SearchControl::Stop) => {
                    self.view.stage = SearchStage::Ended;
                    self.show();
                }
                Some(SearchControl::Pause) => {}
            }
        }
    }

    /// Reads what is left until it is read or stopped.
    async fn run(
        &mut self,
        found: &Arc<Mutex<Found>>,
        orders: &mut mpsc::Receiver<SearchControl>,
    ) -> Known<()> {
        let mut run = self.begin(found);
        let mut speed = Speed::default();
        let mut paused = false;
        self.view.stage = SearchStage::Running;
        let mut tick = tokio::time::interval(SHOWN_EVERY);
        let mut last = Instant::now();
        loop {
            tokio::select! {
                ended = &mut run.reading => {
                    self.pass_time(&mut last, paused);
                    self.take_in(found, &run, &mut speed);
                    return ended.unwrap_or_else(|error| {
                        Err(Problem::new(ProblemKind::Other, format!("searching failed ({error})")))
                    });
                }
                _ = tick.tick() => {
                    self.pass_time(&mut last, paused);
                    self.take_in(found, &run, &mut speed);
                    self.show();
                }
                order = orders.recv() => {
                    self.pass_time(&mut last, paused);
                    match order {
                        None => {
                            run.control.cancel.cancel(StoppedBy::Interrupt);
                            return Ok(());
                        }
                        Some(SearchControl::Pause) => paused = true,
                        Some(SearchControl::Resume | SearchControl::Begin) => paused = false,
                        Some(SearchControl::Stop) => {
                            found.lock().stopped_by = Some(StoppedBy::Interrupt);
                            run.control.cancel.cancel(StoppedBy::Interrupt);
                        }
                        Some(SearchControl::FullSpeed) => {
                            self.release();
                            run.control.pace.release();
                        }
                    }
                    run.control.pause(paused);
                    self.view.stage = if paused {
                        SearchStage::Paused
                    } else {
                        SearchStage::Running
                    };
                    self.take_in(found, &run, &mut speed);
                    self.show();
                }
            }
        }
    }

    fn pass_time(&mut self, last: &mut Instant, paused: bool) {
        let now = Instant::now();
        if !paused {
            self.elapsed += now.saturating_duration_since(*last);
        }
        *last = now;
    }

    fn begin(&self, found: &Arc<Mutex<Found>>) -> Run {
        let control = Control::new(Cancel::default(), self.around.bytes_per_second);
        let look = Arc::new(Look::new(
            Arc::clone(&self.request.filters),
            Arc::clone(&self.request.decoders),
            Arc::clone(&self.around.schemas),
        ));
        let (bus, request) = (Arc::clone(&self.around.bus), Arc::clone(&self.request));
        let (found, inside, seen) = (Arc::clone(found), control.clone(), Arc::clone(&look));
        let began = Instant::now();
        let before = self.elapsed;
        let reading = tokio::task::spawn_blocking(move || {
            let hunt = Hunt {
                bus: &*bus,
                isolation: request.isolation,
                look: &seen,
                control: &inside,
                is_held: false,
            };
            let mut sink = |scanned| {
                found.lock().take(scanned, before + began.elapsed());
                Flow::Continue
            };
            if request.follow {
                let ranges = found.lock().open_ends();
                return run_deep(|| hunt.follow(&ranges, &mut sink))
                    .map_err(|why| Problem::new(ProblemKind::Other, why))?;
            }
            let ranges = found.lock().left();
            hunt.run(&ranges, &mut sink)?;
            // Where times are out of order, what is meant may lie beyond its end in time.
            loop {
                let rest = found.lock().read_on();
                if rest.is_empty() || inside.cancel.reason().is_some() {
                    return Ok(());
                }
                hunt.run(&rest, &mut |scanned| {
                    found.lock().take(scanned, before + began.elapsed());
                    Flow::Continue
                })?;
            }
        });
        Run {
            control,
            look,
            reading,
        }
    }

    /// Brings the view up to what was found.
    fn take_in(&mut self, found: &Mutex<Found>, run: &Run, speed: &mut Speed) {
        let mut found = found.lock();
        let coverage = found.coverage(run.look.failures());
        let (records, bytes) = speed.of(
            Instant::now(),
            coverage.records_scanned,
            coverage.bytes_scanned,
        );
        self.view
            .expression_failures
            .clone_from(&coverage.expression_failures);
        self.view.coverage = Arc::new(coverage);
        if let Some(table) = found.table() {
            self.view.table = Arc::new(table);
        }
        self.view.hits = found.hits;
        self.view.not_held = found.not_held();
        self.view.times = found.times;
        self.view.first_hit_ms = found.first_hit.map(millis);
        self.view.elapsed_ms = millis(self.elapsed);
        (self.view.records_per_second, self.view.bytes_per_second) = (records, bytes);
        self.view.throttled_ms = run.control.throttled_ms();
        self.view.is_sampled = self.request.follow && found.hits_per_second() > SEEN_PER_SECOND;
    }
}

/// One stretch of reading. Given up when dropped.
struct Run {
    control: Control,
    look: Arc<Look>,
    reading: JoinHandle<Known<()>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.control.cancel.cancel(StoppedBy::Interrupt);
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Which offsets `request` means.
async fn resolved(bus: &dyn Bus, request: &SearchRequest) -> Known<Resolved> {
    let scope = request.partitions.iter().map(|at| RecordScope {
        topic: Arc::clone(&at.topic),
        partition: Some(at.partition),
        offset: None,
    });
    let (from, to) = match &request.span {
        TableSpan::Between(from, to) => (Some(Edge::Time(*from)), Some(Edge::Time(*to))),
        TableSpan::All | TableSpan::Offsets(_) => (None, None),
    };
    let asked = RecordsRequest {
        scope: scope.collect(),
        from,
        to: to.filter(|_| !request.follow),
        isolation: request.isolation,
        ..RecordsRequest::default()
    };
    let mut resolved = resolve(bus, &asked).await?;
    if let TableSpan::Offsets(spans) = &request.span {
        let spans: BTreeMap<&TopicPartition, &(Offset, Offset)> =
            request.partitions.iter().zip(spans.iter()).collect();
        for range in &mut resolved.ranges {
            if let Some((from, to)) = spans.get(&range.at) {
                range.narrow(*from, *to);
            }
        }
    } else if request.follow && request.span == TableSpan::All {
        for range in &mut resolved.ranges {
            range.from = range.to;
        }
    }
    Ok(resolved)
}

/// Searches once more from the beginning, and hands every hit to `each` in portions until it says that nobody wants
/// more; returns what was looked at. Holds nothing. Blocks.
///
/// # Errors
/// The bus cannot be asked, or reading cannot go on at all.
pub(in crate::engine) fn each(
    around: &Around,
    request: &SearchRequest,
    cancel: &Cancel,
    each: &mut dyn FnMut(Vec<Record>) -> bool,
) -> Known<crate::engine::event::Coverage> {
    let resolved = cancel.wait(resolved(&*around.bus, request))??;
    let look = Look::new(
        Arc::clone(&request.filters),
        Arc::clone(&request.decoders),
        Arc::clone(&around.schemas),
    );
    let control = Control::new(cancel.clone(), around.bytes_per_second);
    let hunt = Hunt {
        bus: &*around.bus,
        isolation: request.isolation,
        look: &look,
        control: &control,
        is_held: false,
    };
    let mut found = Found::new(resolved, false);
    let mut ranges = found.left();
    while !ranges.is_empty() && cancel.reason().is_none() {
        let mut batch = Vec::new();
        hunt.run(&ranges, &mut |scanned| {
            batch.extend(found.count(scanned));
            if batch.len() >= PORTION && !each(std::mem::take(&mut batch)) {
                found.stopped_by = Some(StoppedBy::Interrupt);
                return Flow::Stop;
            }
            Flow::Continue
        })?;
        if found.stopped_by.is_none() && !batch.is_empty() && !each(batch) {
            found.stopped_by = Some(StoppedBy::Interrupt);
        }
        if found.stopped_by.is_some() {
            break;
        }
        ranges = found.read_on();
    }
    found.stopped_by = found.stopped_by.or_else(|| cancel.reason());
    Ok(found.coverage(look.failures()))
}

/// How many records are handed on at once.
const PORTION: usize = 500;

/// The part of `ranges` that is read, for whoever sums it up.
fn offsets_in(ranges: &[PartitionRange]) -> u64 {
    ranges
        .iter()
        .filter_map(|range| range.to.since(range.from))
        .fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests;
