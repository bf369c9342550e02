//! What goes on by itself, turn by turn, with a clock that the test moves.

use std::time::{Duration, Instant};

use super::NOON;
use crate::bus::demo::DemoOptions;
use crate::bus::demo::broker::State;
use crate::bus::demo::group::Phase;
use crate::bus::demo::seed::{Simulation, fill};
use crate::bus::demo::transaction::Moment;

struct Life {
    state: State,
    simulation: Simulation,
    began: Instant,
    seconds: u32,
}

impl Life {
    fn new(options: &DemoOptions) -> Self {
        let (state, simulation) = fill(options, NOON);
        Self {
            state,
            simulation,
            began: Instant::now(),
            seconds: 0,
        }
    }

    fn seconds(&mut self, seconds: u32) {
        for _ in 0..seconds {
            self.seconds += 1;
            let now = Moment {
                ms: NOON + i64::from(self.seconds) * 1_000,
                at: self.began + Duration::from_secs(self.seconds.into()),
            };
            self.simulation.turn(&mut self.state, now);
        }
    }

    fn end(&self, topic: &str, partition: i32) -> i64 {
        self.state.partition(topic, partition).unwrap().end()
    }

    fn at(&self, group: &str, topic: &str, partition: i32) -> Option<i64> {
        let group = self.state.groups.get(group)?;
        let committed = group.offsets.get(topic, partition)?;
        Some(committed.offset)
    }
}

#[test]
fn orders_come_in_and_the_groups_do_what_their_stories_say() {
    let mut life = Life::new(&DemoOptions::default());
    let ends: Vec<i64> = (0..4)
        .map(|partition| life.end("orders", partition))
        .collect();
    let lost = life.at("billing", "orders", 2);
    let stuck = life.at("fraud-check", "payments", 1);
    let behind = life.at("billing", "orders", 0).unwrap();
    let reports = life.at("reports", "orders", 0).unwrap();
    life.seconds(55);
    assert_eq!(life.at("reports", "orders", 0), Some(reports));
    life.seconds(5);
    // Moved to the end of that moment, over all that it had not read.
    assert_eq!(life.at("reports", "orders", 0), Some(life.end("orders", 0)));
    life.seconds(240);
    for (partition, end) in (0..4).zip(ends) {
        assert!(life.end("orders", partition) > end);
        let followed = life.at("shipping", "orders", partition);
        assert_eq!(followed, Some(life.end("orders", partition)));
        assert_eq!(life.at("audit", "orders", partition), None);
    }
    // 0.08 records a second for 300 seconds.
    assert_eq!(life.at("billing", "orders", 0), Some(behind + 24));
    assert_eq!(life.at("billing", "orders", 2), lost);
    assert_eq!(life.at("fraud-check", "payments", 1), stuck);
    let followed = life.at("fraud-check", "payments", 0);
    assert_eq!(followed, Some(life.end("payments", 0)));
}

#[test]
fn a_group_that_was_moved_goes_on_from_where_it_was_moved_to() {
    use crate::bus::demo::offsets::Committed;

    let mut life = Life::new(&DemoOptions::default());
    let group = life.state.groups.get_mut("billing").unwrap();
    let members: Vec<String> = group.members.keys().cloned().collect();
    for id in &members {
        group.leave(id, life.began).unwrap();
    }
    assert_eq!(group.phase, Phase::Empty);
    let moved = Committed {
        offset: 100,
        epoch: -1,
        metadata: String::new(),
    };
    group.offsets.commit("orders", 0, moved);
    life.seconds(80);
    // Nobody is there to go on.
    assert_eq!(life.at("billing", "orders", 0), Some(100));
    life.seconds(20);
    let group = life.state.groups.get("billing").unwrap();
    assert_eq!((group.phase, group.members.len()), (Phase::Stable, 2));
    assert!(members.iter().all(|id| group.members.contains_key(id)));
    life.seconds(60);
    let now = life.at("billing", "orders", 0).unwrap();
    assert!((103..=106).contains(&now), "{now}");
}

#[test]
fn the_rate_that_was_asked_for_is_kept() {
    let mut life = Life::new(&DemoOptions {
        topics: 3,
        partitions: 4,
        rate: 250,
        ..DemoOptions::default()
    });
    life.seconds(10);
    let topics = ["load-00001", "load-00002", "load-00003"];
    let written: i64 = topics
        .iter()
        .flat_map(|topic| (0..4).map(|partition| life.end(topic, partition)))
        .sum();
    assert_eq!(written, 2_500);
}

#[test]
fn after_a_long_sleep_there_is_no_catching_up() {
    let mut life = Life::new(&DemoOptions::default());
    let before: i64 = (0..4).map(|partition| life.end("orders", partition)).sum();
    // Ten hours later.
    life.seconds += 36_000;
    life.seconds(1);
    let after: i64 = (0..4).map(|partition| life.end("orders", partition)).sum();
    // What was already on its way, and at most six minutes' orders.
    assert!(after - before < 1_500, "{}", after - before);
}
