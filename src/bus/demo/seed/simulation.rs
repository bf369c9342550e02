//! What goes on while the bus runs: orders come in, consumers get on.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::super::broker::State;
use super::super::group::Phase;
use super::super::log::PartitionLog;
use super::super::transaction::Moment;
use super::dead_letters::{self, DeadLetter};
use super::extra::Extra;
use super::rhythm::{self, MINUTE};
use super::shop::{self, Opened};
use super::staff::{self, Pace, Staff};
use super::story::{Event, Teller, Topic};
use super::writer;

/// How often a consumer commits.
const COMMIT_MS: i64 = 5_000;
/// How long a member that was sent away stays away.
const AWAY: Duration = Duration::from_secs(90);
/// When, after the start, somebody moves `reports` forward, in milliseconds.
const SKIP_AFTER: i64 = 60_000;
/// How many events may wait to happen; more come only when a machine slept.
const WAITING: usize = 20_000;

/// The demo's own life.
#[derive(Debug)]
pub(in super::super) struct Simulation {
    rng: Rng,
    seed: u64,
    began: i64,
    started: i64,
    last: i64,
    next_commit: i64,
    next_order: u32,
    /// The minute of the history up to which orders were drawn.
    drawn: i64,
    skipped: bool,
    coming: BinaryHeap<Reverse<Coming>>,
    sequence: u64,
    staff: Staff,
    away: HashMap<String, Instant>,
    /// Thousandths of a record that a creeping group has read beyond its position.
    crept: HashMap<(&'static str, i32), i64>,
    extra: Extra,
}

#[derive(Debug)]
struct Coming {
    at: i64,
    sequence: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    Event(Box<Event>),
    DeadLetter(Box<DeadLetter>),
}

impl PartialEq for Coming {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Coming {}

impl PartialOrd for Coming {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Coming {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

impl Simulation {
    /// What goes on after `now`, once the shop is open.
    pub(super) fn new(
        rng: Rng,
        seed: u64,
        now: i64,
        opened: Opened,
        staff: Staff,
        extra: Extra,
    ) -> Self {
        let mut simulation = Self {
            rng,
            seed,
            began: opened.began,
            started: now,
            last: now,
            next_commit: now.saturating_add(COMMIT_MS),
            next_order: opened.next_order,
            drawn: rhythm::HISTORY_MINUTES,
            skipped: false,
            coming: BinaryHeap::new(),
            sequence: 0,
            staff,
            away: HashMap::new(),
            crept: HashMap::new(),
            extra,
        };
        for event in opened.coming {
            simulation.expect(event.at, What::Event(Box::new(event)));
        }
        simulation
    }

    fn expect(&mut self, at: i64, what: What) {
        if self.coming.len() < WAITING {
            self.sequence = self.sequence.wrapping_add(1);
            self.coming.push(Reverse(Coming {
                at,
                sequence: self.sequence,
                what,
            }));
        }
    }

    /// Lets everything happen that is due; answers whether anything did.
    pub(in super::super) fn turn(&mut self, state: &mut State, now: Moment) -> bool {
        let elapsed = now.ms.saturating_sub(self.last).clamp(0, MINUTE);
        self.last = now.ms;
        self.draw_orders(now.ms);
        let mut changed = self.happen(state, now.ms);
        changed |= self.extra.turn(state, now.ms, elapsed);
        self.come_back(state, now.at);
        if now.ms >= self.next_commit {
            self.next_commit = now.ms.saturating_add(COMMIT_MS);
            self.commit(state);
            self.skip(state, now.ms);
            changed = true;
        }
        changed
    }

    /// Draws the orders of the present minute, and of those before it that were not drawn yet.
    fn draw_orders(&mut self, now: i64) {
        let minute = now.saturating_sub(self.began) / MINUTE;
        // After a long sleep the shop was closed.
        self.drawn = self.drawn.max(minute.saturating_sub(5));
        while self.drawn <= minute {
            let from = self.began.saturating_add(self.drawn.saturating_mul(MINUTE));
            // Live, the shop is busier than in its history, so that there is something to see.
            let count = rhythm::orders(self.seed, self.drawn).saturating_mul(2);
            for _ in 0..count {
                let at = from.saturating_add(self.rng.i64(0..MINUTE));
                let failure = shop::given_up(&mut self.rng);
                let events = Teller::tell(&mut self.rng, self.next_order, at, failure);
                self.next_order = self.next_order.wrapping_add(1);
                for event in events {
                    self.expect(event.at, What::Event(Box::new(event)));
                }
            }
            self.drawn = self.drawn.saturating_add(1);
        }
    }

    fn happen(&mut self, state: &mut State, now: i64) -> bool {
        let mut happened = false;
        while self.coming.peek().is_some_and(|next| next.0.at <= now) {
            let Some(Reverse(coming)) = self.coming.pop() else {
                break;
            };
            happened = true;
            match coming.what {
                What::DeadLetter(letter) => {
                    if let Some(log) = state.partition_mut(letter.topic, letter.partition) {
                        letter.write(log);
                    }
                }
                What::Event(event) => {
                    let placed = writer::write_now(state, *event);
                    let letter = placed.and_then(|placed| dead_letters::of(&mut self.rng, &placed));
                    if let Some(letter) = letter {
                        self.expect(letter.at, What::DeadLetter(Box::new(letter)));
                    }
                }
            }
        }
        happened
    }

    /// Commits what the groups have read since they last did.
    fn commit(&mut self, state: &mut State) {
        for progress in &self.staff.progress {
            let own = state.groups.get(progress.group).is_some_and(|group| {
                group.phase == Phase::Stable
                    && group.members.values().all(|member| member.simulated)
            });
            let topic = progress.topic.name();
            let position = state.groups.get(progress.group).and_then(|group| {
                let committed = group.offsets.get(topic, progress.partition);
                committed.map(|committed| committed.offset)
            });
            let (Some(position), true) = (position, own) else {
                continue;
            };
            let Some(log) = state.partition(topic, progress.partition) else {
                continue;
            };
            // A consumer without a reset policy stops at a position that is no more.
            if !(log.start()..=log.end()).contains(&position) {
                continue;
            }
            let reached = match progress.pace {
                Pace::Follows => log.end(),
                Pace::Creeps(thousandths) => {
                    let key = (progress.group, progress.partition);
                    let crept = self.crept.entry(key).or_default();
                    *crept += thousandths * COMMIT_MS / 1_000;
                    let records = *crept / 1_000;
                    *crept %= 1_000;
                    position.saturating_add(records).min(log.end())
                }
            };
            if reached != position {
                let (topic, partition) = (progress.topic, progress.partition);
                staff::commit(state, progress.group, topic, partition, reached);
            }
        }
    }

    /// Once, somebody moves `reports` to the end, over all that it has not read.
    fn skip(&mut self, state: &mut State, now: i64) {
        if self.skipped || now.saturating_sub(self.started) < SKIP_AFTER {
            return;
        }
        self.skipped = true;
        let Some(group) = state.groups.get("reports") else {
            return;
        };
        if group.phase != Phase::Empty {
            return;
        }
        let positions = group.offsets.all().clone();
        for topic in [Topic::Orders, Topic::Payments] {
            for &partition in positions
                .get(topic.name())
                .into_iter()
                .flat_map(BTreeMap::keys)
            {
                let end = state
                    .partition(topic.name(), partition)
                    .map(PartitionLog::end);
                if let Some(end) = end {
                    staff::commit(state, "reports", topic, partition, end);
                }
            }
        }
    }

    /// Members that were sent away come back after a while, unless somebody else took their place.
    fn come_back(&mut self, state: &mut State, now: Instant) {
        for member in &self.staff.members {
            let group = state.groups.get(member.group);
            if group.is_some_and(|group| group.members.contains_key(&member.id)) {
                self.away.remove(&member.id);
                continue;
            }
            let since = *self.away.entry(member.id.clone()).or_insert(now);
            let taken =
                group.is_some_and(|group| group.members.values().any(|member| !member.simulated));
            if !taken && now.saturating_duration_since(since) >= AWAY {
                staff::settle(state, member, now);
            }
        }
    }
}
