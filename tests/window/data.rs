//! A small shop as the engine would publish it, made by hand: one hour of a cluster with the usual troubles.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tideline::engine::{
    Connection, Density, GroupPlaces, Inventory, SessionId, Snapshot, Table, TablePlace,
    TableRequest, TableSpan,
};
use tideline::inspect::density::TimeIndex;
use tideline::inspect::lag::Place;
use tideline::inspect::overview::{Grid, Overview};
use tideline::model::{
    Broker, BrokerId, Cluster, Commit, Group, GroupListing, GroupMembers, GroupType, Header, Known,
    Member, Offset, Partition, Problem, ProblemKind, Record, RecordHead, Text, TimestampMs,
    TimestampType, Topic, TopicConfig, TopicPartition, Visibility,
};

/// 30 November 2026, 14:00 in Berlin.
pub const START: TimestampMs = TimestampMs(1_796_043_600_000);
/// The last read: two seconds before 15:00.
pub const NOW: TimestampMs = TimestampMs(START.0 + 3_598_000);
const MINUTE: i64 = 60_000;

/// The records of one partition: the time of each, from `first` on; what was before 14:00 is only counted.
pub struct Log {
    at: TopicPartition,
    start: i64,
    first: i64,
    times: Vec<i64>,
    /// The leader is away.
    leaderless: bool,
}

impl Log {
    pub fn at(&self) -> &TopicPartition {
        &self.at
    }

    /// The first offset at or after `time`; `None` when there is no later record.
    pub fn first_at(&self, time: i64) -> Option<i64> {
        let offset = self.offset_at(time).max(self.start);
        (offset < self.end()).then_some(offset)
    }

    fn end(&self) -> i64 {
        self.first + i64::try_from(self.times.len()).unwrap()
    }

    pub fn time_of(&self, offset: i64) -> Option<i64> {
        self.times
            .get(usize::try_from(offset - self.first).ok()?)
            .copied()
    }

    fn offset_at(&self, time: i64) -> i64 {
        self.first + i64::try_from(self.times.partition_point(|known| *known < time)).unwrap()
    }

    fn index(&self) -> TimeIndex {
        let mut index = TimeIndex::new(Offset(self.start), Offset(self.end()));
        if self.start < self.first {
            index.insert(
                TimestampMs(START.0 - 360 * MINUTE),
                Some(Offset(self.start)),
            );
        }
        for step in 0..=720 {
            let time = START.0 + step * 5_000;
            let offset = self.offset_at(time).max(self.start);
            index.insert(
                TimestampMs(time),
                (offset < self.end()).then_some(Offset(offset)),
            );
        }
        index
    }

    fn partition(&self) -> Partition {
        let lost = || {
            Problem::new(
                ProblemKind::NoLeader,
                "nobody leads this partition at the moment",
            )
        };
        let known = |offset: i64| {
            if self.leaderless {
                Err(lost())
            } else {
                Ok(Offset(offset))
            }
        };
        Partition {
            id: self.at.partition,
            leader: (!self.leaderless).then_some(BrokerId(1)),
            replicas: vec![BrokerId(1), BrokerId(2)],
            isr: vec![BrokerId(1)],
            log_start: known(self.start),
            high_watermark: known(self.end()),
            last_stable: known(self.end()),
            error: None,
        }
    }
}

/// A rhythm of a few minutes with some noise, always the same for the same `seed`.
fn times(seed: u64, per_minute: f64) -> Vec<i64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from(u32::try_from(state >> 40).unwrap()) / f64::from(1_u32 << 24)
    };
    let phase = random() * 6.0;
    let mut times = Vec::new();
    let mut minutes = 0.0_f64;
    while minutes < 60.0 {
        let wave = 0.46
            + 0.38 * (minutes / 1.7 + phase).sin()
            + 0.16 * (minutes / 4.3 + phase * 2.0).sin();
        minutes += (0.4 + 1.2 * random()) / (per_minute * wave.max(0.12));
        let since_start = Duration::from_secs_f64(minutes * 60.0).as_millis();
        times.push(START.0 + i64::try_from(since_start).unwrap());
    }
    times.retain(|time| *time < NOW.0);
    times
}

fn log(topic: &str, partition: i32, first: i64, start: i64, per_minute: f64) -> Log {
    let seed = topic.bytes().map(u64::from).sum::<u64>() * 31 + u64::try_from(partition).unwrap();
    Log {
        at: TopicPartition::new(topic, partition),
        start,
        first,
        times: times(seed, per_minute),
        leaderless: false,
    }
}

/// All partitions of the shop.
pub fn logs() -> Vec<Log> {
    let mut logs = vec![
        log("connect-dlq", 0, 0, 0, 1.4),
        log("customers", 0, 3_402, 0, 28.0),
        log("notifications", 0, 41_200, 0, 60.0),
        log("notifications", 1, 40_950, 0, 55.0),
    ];
    for partition in 0..4 {
        logs.push(log(
            "orders",
            partition,
            82_000 + i64::from(partition) * 311,
            0,
            110.0,
        ));
    }
    logs.push(log("orders-dlt", 0, 0, 0, 2.5));
    logs.push(log("payments", 0, 50_310, 0, 75.0));
    logs.push(log("payments", 1, 49_877, 0, 70.0));
    logs.push(log("shipments", 0, 22_100, 0, 40.0));
    logs.push(log("shipments", 1, 21_870, 0, 42.0));
    // The head of orders / 2 was deleted up to 14:12.
    let head = logs
        .iter_mut()
        .find(|log| log.at == TopicPartition::new("orders", 2))
        .unwrap();
    head.start = head.offset_at(START.0 + 12 * MINUTE);
    let lost = logs
        .iter_mut()
        .find(|log| log.at == TopicPartition::new("shipments", 1))
        .unwrap();
    lost.leaderless = true;
    logs
}

fn topics(logs: &[Log]) -> Vec<Arc<Topic>> {
    let mut by_name: BTreeMap<Arc<str>, Vec<Partition>> = BTreeMap::new();
    for log in logs {
        by_name
            .entry(Arc::clone(&log.at.topic))
            .or_default()
            .push(log.partition());
    }
    let own = log("__consumer_offsets", 0, 0, 0, 10.0);
    by_name
        .entry("__consumer_offsets".into())
        .or_default()
        .push(own.partition());
    by_name
        .into_iter()
        .map(|(name, partitions)| {
            let policy = if &*name == "customers" {
                "compact"
            } else {
                "delete"
            };
            Arc::new(Topic {
                internal: name.starts_with("__"),
                name,
                topic_id: None,
                config: Ok(TopicConfig {
                    cleanup_policy: Some(policy.into()),
                    ..TopicConfig::default()
                }),
                partitions,
                error: None,
            })
        })
        .collect()
}

/// A group that stands in `places`, with so many members.
pub fn group(
    name: &str,
    members: usize,
    logs: &[Log],
    places: &[(&str, i32, Option<i64>)],
) -> GroupPlaces {
    let mut commits: Vec<Commit> = places
        .iter()
        .map(|(topic, partition, offset)| Commit {
            at: TopicPartition::new(*topic, *partition),
            offset: Ok(offset.map(Offset)),
            leader_epoch: None,
            metadata: Text::from(""),
        })
        .collect();
    commits.sort_by(|a, b| a.at.cmp(&b.at));
    let places = commits
        .iter()
        .map(|commit| {
            let log = logs.iter().find(|log| log.at == commit.at);
            Place::in_partition(commit, log.map(Log::partition).as_ref())
        })
        .collect();
    let member = |number: usize| Member {
        member_id: Text::from(format!("{name}-{number}").as_str()),
        client_id: Text::from(name),
        host: Text::from("/10.0.0.7"),
        instance_id: None,
        assignment: vec![],
    };
    GroupPlaces {
        group: Arc::new(Group {
            listing: GroupListing {
                name: Text::from(name),
                kind: GroupType::Classic,
                protocol_type: Some("consumer".into()),
                state: Some(if members == 0 { "Empty" } else { "Stable" }.into()),
                coordinator: None,
            },
            members: Ok(GroupMembers {
                assignor: Some("range".into()),
                coordinator: Some(BrokerId(1)),
                state: None,
                members: Ok((0..members).map(member).collect()),
            }),
            commits: Ok(commits),
        }),
        places,
    }
}

fn groups(logs: &[Log]) -> Vec<GroupPlaces> {
    let find = |topic: &str, partition: i32| {
        logs.iter()
            .find(|log| log.at == TopicPartition::new(topic, partition))
            .unwrap()
    };
    let at = |topic, partition, seconds: i64| {
        Some(find(topic, partition).offset_at(START.0 + seconds * 1_000))
    };
    let end = |topic, partition, behind: i64| Some(find(topic, partition).end() - behind);
    let lost = find("orders", 2).start - 1_204;
    vec![
        group(
            "audit",
            1,
            logs,
            &[("orders", 0, None), ("orders", 1, None)],
        ),
        group(
            "billing",
            2,
            logs,
            &[
                ("orders", 0, at("orders", 0, 33 * 60)),
                ("orders", 1, at("orders", 1, 32 * 60)),
                ("orders", 2, Some(lost)),
                ("orders", 3, at("orders", 3, 38 * 60 + 42)),
            ],
        ),
        group(
            "fraud-check",
            1,
            logs,
            &[
                ("payments", 0, end("payments", 0, 12)),
                ("payments", 1, end("payments", 1, 19)),
            ],
        ),
        group(
            "reports",
            0,
            logs,
            &[("customers", 0, at("customers", 0, 25 * 60 + 30))],
        ),
        group(
            "shipping",
            3,
            logs,
            &[
                ("orders", 0, end("orders", 0, 0)),
                ("orders", 1, end("orders", 1, 0)),
                ("orders", 2, end("orders", 2, 0)),
                ("orders", 3, end("orders", 3, 0)),
            ],
        ),
    ]
}

fn density(logs: &[Log], groups: &[GroupPlaces]) -> Density {
    let mut density = Density {
        settled: true,
        ..Density::default()
    };
    let mut heads: BTreeMap<(TopicPartition, Offset), Known<Option<RecordHead>>> = BTreeMap::new();
    for log in logs.iter().filter(|log| !log.leaderless) {
        density
            .partitions
            .insert(log.at.clone(), Arc::new(log.index()));
    }
    for place in groups.iter().flat_map(|group| &group.places) {
        let Some((next, _)) = place.reads_next() else {
            continue;
        };
        let log = logs.iter().find(|log| log.at == place.at).unwrap();
        let head = log.time_of(next.0).map(|time| RecordHead {
            offset: next,
            timestamp: Some(TimestampMs(time)),
        });
        heads.insert((place.at.clone(), next), Ok(head));
    }
    density.heads = Arc::new(heads);
    density.overview = Some(Arc::new(overview(&density)));
    density
}

/// The hour and a half before now in a few columns.
fn overview(density: &Density) -> Overview {
    let grid = Grid::over(START.moved_ms(-30 * MINUTE), NOW);
    let mut counts = vec![0.0; grid.columns()];
    let mut partitions: Vec<_> = density.partitions.iter().collect();
    partitions.sort_unstable_by_key(|(at, _)| *at);
    for (_, index) in partitions {
        for (sum, count) in counts.iter_mut().zip(grid.spread(index)) {
            *sum += count;
        }
    }
    Overview {
        grid,
        counts,
        partitions: density.partitions.len(),
        of: density.partitions.len(),
    }
}

/// The shop, connected, its table empty.
pub fn shop() -> Snapshot {
    let logs = logs();
    let groups = groups(&logs);
    let brokers = (1..=3)
        .map(|id| Broker {
            id: BrokerId(id),
            host: format!("kafka-{id}"),
            port: 9092,
            rack: None,
        })
        .collect();
    Snapshot {
        session: SessionId(1),
        generation: 1,
        connection: Connection::Connected {
            to: "kafka-1:9092".into(),
            demo: false,
            degraded: None,
        },
        density: Arc::new(density(&logs, &groups)),
        inventory: Arc::new(Inventory {
            cluster: Some(Ok(Arc::new(Cluster {
                cluster_id: None,
                controller: Some(BrokerId(1)),
                brokers,
            }))),
            topics: Some(Ok(topics(&logs))),
            groups: Some(Ok(groups)),
            groups_missing: vec![],
            bulk: Some((START, TimestampMs(NOW.0 - 1_000))),
            read_at: Some(NOW),
            ..Inventory::default()
        }),
        ..Snapshot::default()
    }
}

/// How many rows the engine would read at once.
const PIECE: usize = 500;

/// What the engine would answer to `request`.
pub fn answer(request: &TableRequest) -> Table {
    let logs = logs();
    let mut rows: Vec<Arc<Record>> = Vec::new();
    for log in logs
        .iter()
        .filter(|log| request.partitions.contains(&log.at))
    {
        for (time, offset) in log.times.iter().zip(log.first..) {
            let wanted = match &request.span {
                TableSpan::All => *time > NOW.0 - 10 * MINUTE,
                TableSpan::Between(from, to) => (from.0..to.0).contains(time),
                TableSpan::Offsets(ranges) => {
                    let place = request.partitions.iter().position(|at| *at == log.at);
                    let range = place.and_then(|index| ranges.get(index));
                    range.is_some_and(|(from, to)| (from.0..to.0).contains(&offset))
                }
            };
            if wanted && offset >= log.start {
                rows.push(Arc::new(record(&log.at, offset, *time)));
            }
        }
    }
    rows.sort_by_key(|record| (record.timestamp, record.partition, record.offset));
    let all = rows.len();
    let end = request.place == TablePlace::End;
    let left_out = all.saturating_sub(PIECE);
    if end {
        rows.drain(..left_out);
    } else {
        rows.truncate(PIECE);
    }
    let (length, rest) = (
        i64::try_from(rows.len()).unwrap(),
        u64::try_from(left_out).unwrap(),
    );
    Table {
        up_to: Some(u64::try_from(all).unwrap()),
        anchor: Some(if end { length } else { 0 }),
        before: if end { rest } else { 0 },
        after: if end { 0 } else { rest },
        at_start: !end || left_out == 0,
        at_end: end || left_out == 0,
        rows,
        request: Some(request.clone()),
        ..Table::default()
    }
}

/// An event of the shop.
pub fn record(at: &TopicPartition, offset: i64, time: i64) -> Record {
    let number = offset % 9_000 + 1_000;
    let value = format!(
        "{{\"orderId\":\"o-{number}\",\"customer\":12345678901234567890,\"amount\":{}.{:02},\"status\":\"PLACED\",\"lines\":[{{\"sku\":\"tea-{}\",\"count\":{}}}]}}",
        9 + number % 90,
        (number * 7) % 100,
        number % 17,
        1 + number % 4,
    );
    let header = |name: &str, value: Option<&str>| Header {
        name: Text::from(name),
        value: value.map(|value| Bytes::from(value.to_owned())),
    };
    Record {
        topic: Arc::clone(&at.topic),
        partition: at.partition,
        offset: Offset(offset),
        timestamp: Some(TimestampMs(time)),
        timestamp_type: Some(TimestampType::CreateTime),
        key: Some(Bytes::from(format!("o-{number}"))),
        value: (offset % 97 != 3).then(|| Bytes::from(value)),
        headers: vec![
            header("event-id", Some(&format!("e-{}-{offset}", at.partition))),
            header(
                "traceparent",
                Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
            ),
            header("retries", Some("2")),
            header("retries", None),
        ],
        leader_epoch: Some(4),
        visibility: if offset % 41 == 7 {
            Visibility::Aborted
        } else {
            Visibility::Committed
        },
    }
}
