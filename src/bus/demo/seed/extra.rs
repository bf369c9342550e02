//! What lies beside the shop when more is asked for: many partitions, many groups, many records.

use super::super::DemoOptions;
use super::super::batch::Builder;
use super::super::broker::State;
use super::super::config::Settings;
use super::super::consumer_protocol::{assignment, subscription};
use super::super::generated::{Generated, mix};
use super::super::group::Simulated;
use super::super::limits;
use super::super::log::{LEADER_EPOCH, PartitionLog};
use super::super::offsets::Committed;
use super::rhythm::{HISTORY_MINUTES, MINUTE};

/// The extra topics, and how they grow.
#[derive(Debug, Default)]
pub(super) struct Extra {
    topics: Vec<String>,
    partitions: u32,
    rate: u32,
    /// Thousandths of a record that are due.
    due: i64,
    turn: u64,
}

/// Makes what `options` ask for.
pub(super) fn fill(state: &mut State, options: &DemoOptions, now: i64) -> Extra {
    let wanted = options.records > 0 || options.rate > 0 || options.partitions > 0;
    let topics = options.topics.max(u32::from(wanted));
    let partitions = options.partitions.max(1);
    let room = limits::PARTITIONS.saturating_sub(state.partition_count());
    let fitting = room / usize::try_from(partitions).unwrap_or(usize::MAX).max(1);
    let topics = topics.min(u32::try_from(fitting).unwrap_or(u32::MAX));
    let shares = u64::from(topics)
        .saturating_mul(u64::from(partitions))
        .max(1);
    let mut share = 0_u64;
    let names: Vec<String> = (1..=topics)
        .map(|number| format!("load-{number:05}"))
        .collect();
    for name in &names {
        let logs = (0..partitions).map(|_| {
            // Shares differ by one record at most, and sum up to what was asked for.
            let count = options.records / shares + u64::from(share < options.records % shares);
            share += 1;
            if count == 0 {
                return PartitionLog::default();
            }
            PartitionLog::with_history(Generated {
                count: i64::try_from(count).unwrap_or(i64::MAX),
                from_ms: now - HISTORY_MINUTES * MINUTE,
                span_ms: HISTORY_MINUTES * MINUTE,
                salt: mix(options.seed ^ share),
            })
        });
        let logs = logs.collect();
        state.add_topic(name, logs, Settings::default(), options.seed);
    }
    groups(state, options, &names);
    Extra {
        topics: names,
        partitions,
        rate: options.rate,
        due: 0,
        turn: 0,
    }
}

/// Makes the extra groups: each reads one topic and stands somewhere on every partition of it.
fn groups(state: &mut State, options: &DemoOptions, names: &[String]) {
    let now = std::time::Instant::now();
    for (number, topic) in (1..=options.groups).zip(names.iter().cycle()) {
        let positions: Vec<i64> = state.topics.get(topic).map_or_else(Vec::new, |topic| {
            let logs = topic.partitions.iter().zip(0_u64..);
            logs.map(|(log, index)| {
                let behind = mix(options.seed ^ u64::from(number) << 20 ^ index) % 1_000;
                let behind = i64::try_from(behind).unwrap_or(0);
                let records = i128::from(log.end()) * i128::from(behind) / 10_000;
                log.end()
                    .saturating_sub(i64::try_from(records).unwrap_or(0))
            })
            .collect()
        });
        let reads: Vec<i32> = (0..).take(positions.len()).collect();
        let Some(group) = state.groups.obtain(&format!("load-group-{number:05}")) else {
            return;
        };
        if !number.is_multiple_of(4) {
            let client = format!("load-consumer-{number:05}");
            let id = format!("{client}-{:016x}", mix(u64::from(number)));
            let simulated = Simulated {
                client_id: client,
                host: format!("/10.3.{}.{}", number / 250 % 250, number % 250 + 1),
                subscription: subscription(&[topic]),
                assignment: assignment(&[(topic, reads)]),
            };
            group.settle(&id, simulated, now);
        }
        for (offset, index) in positions.into_iter().zip(0..) {
            let committed = Committed {
                offset,
                epoch: LEADER_EPOCH,
                metadata: String::new(),
            };
            group.offsets.commit(topic, index, committed);
        }
    }
}

impl Extra {
    /// Writes what is due after `elapsed_ms`; answers whether it wrote.
    pub(super) fn turn(&mut self, state: &mut State, now: i64, elapsed_ms: i64) -> bool {
        let due = i64::from(self.rate).saturating_mul(elapsed_ms);
        self.due = self.due.saturating_add(due);
        // After a long sleep there is no catching up: a minute's worth at most.
        let cap = i64::from(self.rate).saturating_mul(60);
        let mut left = (self.due / 1_000).min(cap);
        self.due %= 1_000;
        let wrote = left > 0;
        while left > 0 {
            let count = left.min(100);
            left -= count;
            self.turn = self.turn.wrapping_add(1);
            self.write(state, now, count);
        }
        wrote
    }

    fn write(&self, state: &mut State, now: i64, count: i64) {
        let topics = u64::try_from(self.topics.len()).unwrap_or(0).max(1);
        let name = usize::try_from(self.turn % topics).ok();
        let Some(name) = name.and_then(|index| self.topics.get(index)) else {
            return;
        };
        let partitions = u64::from(self.partitions).max(1);
        let index = i32::try_from(self.turn / topics % partitions).unwrap_or(0);
        let Some(log) = state.partition_mut(name, index) else {
            return;
        };
        let mut batch = Builder::new(now);
        for number in 0..count {
            let mixed = mix(self.turn ^ number.cast_unsigned() << 40);
            let key = format!("k-{:05}", mixed % 20_000);
            let value = format!(
                r#"{{"device":"d-{:04}","reading":{}.{:02},"state":"ok"}}"#,
                mixed % 5_000,
                mixed >> 8 & 0x3ff,
                (mixed >> 20) % 100,
            );
            batch.push(now, Some(key.as_bytes()), Some(value.as_bytes()), &[]);
        }
        log.append(&batch.finish(0), None);
    }
}
