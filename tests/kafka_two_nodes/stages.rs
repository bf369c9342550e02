//! The one life of the cluster: healthy, then node 2 dies, then it comes back. Tests look at what was seen at each stage.

use crate::logs::{Read, Reading};
use crate::moving::{Moved, moved};
use crate::support::cli::{self, Run};
use crate::support::cluster::Cluster;
use crate::support::kafka::Kafka;
use crate::support::raw::{self, Record};
use crate::support::tools::{self, GroupOffset, Topic};
use crate::support::wait_for;
use rdkafka::admin::{NewTopic, TopicReplication};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use tideline::engine::{Command, ConnectTarget, Engine, EngineOptions, Link as _};
use tideline::model::time::Clock;
use tideline::model::{ConnectionSettings, Text};

/// 2026-01-01T00:00:00Z.
pub const T0: i64 = 1_767_225_600_000;
pub const MINUTE: i64 = 60_000;

/// Six partitions, in turn on node 1 and node 2 and nowhere else, with 10 records each, one a minute.
pub const SPREAD: &str = "spread";
/// One partition on both nodes, led by node 2 at first, with 5 records.
pub const BOTH: &str = "both";

/// What every command says at one stage.
pub struct Seen {
    pub cluster: Run,
    pub topics: Run,
    pub groups: Run,
    pub timeline: Run,
    pub records: Run,
}

pub struct Healthy {
    kafka: &'static Kafka,
    /// A group that node 1 coordinates; it has committed `spread` 0 and 1.
    pub group_on_1: String,
    /// The same on node 2.
    pub group_on_2: String,
    /// Another one on node 1, which is rewound while node 2 is dead.
    pub rewound: String,
    pub oracle_topics: BTreeMap<String, Topic>,
    pub oracle_ends: BTreeMap<(String, i64), i64>,
    pub oracle_offsets: Vec<GroupOffset>,
    pub seen: Seen,
    /// What was kept of a group that moved.
    pub moved: Moved,
}

pub fn healthy() -> &'static Healthy {
    static HEALTHY: LazyLock<Healthy> = LazyLock::new(|| {
        let kafka = Kafka::two_nodes();
        fill(kafka);
        let cluster = Cluster::at(&kafka.bootstrap());
        // The first commit makes the internal topic, whose leaders tell who coordinates what.
        cluster.commit("first", &[(SPREAD, 0, 1)]);
        let leaders: Vec<i64> = tools::topics(kafka)["__consumer_offsets"]
            .partitions
            .iter()
            .map(|partition| partition.leader.unwrap())
            .collect();
        let named = |prefix: &'static str, node: i64| {
            let mut names = (0..).map(|n| format!("{prefix}-{n}"));
            names
                .find(|name| leaders[partition_of(name, leaders.len())] == node)
                .unwrap()
        };
        let (group_on_1, group_on_2) = (named("group", 1), named("group", 2));
        let rewound = named("rewound", 1);
        for group in [&group_on_1, &group_on_2, &rewound] {
            cluster.commit(group, &[(SPREAD, 0, 4), (SPREAD, 1, 4)]);
        }
        Healthy {
            kafka,
            oracle_topics: tools::topics(kafka),
            oracle_ends: tools::offsets(kafka, "latest"),
            oracle_offsets: tools::group_offsets(kafka),
            seen: look(kafka, &group_on_1, &group_on_2),
            moved: moved(kafka),
            group_on_1,
            group_on_2,
            rewound,
        }
    });
    &HEALTHY
}

pub struct OneDead {
    /// Seen at once, while the living node still believes that the other lives.
    pub at_once: Seen,
    /// Seen when the cluster has noticed.
    pub noticed: Seen,
    /// A group rewound to the beginning then, what the stock tool says of it, and undone.
    pub rewind: (Run, BTreeMap<(String, i64), i64>, Run),
    /// Seen when node 2 has come back.
    pub restarted: Seen,
    /// What an engine that watched all the while said of the group of node 2: whether its commits were known.
    pub watched: Watched,
    /// What was read of logs while both lived, when the cluster had noticed, and when node 2 had come back.
    pub read: [Read; 3],
}

/// Whether a watching engine knew the commits of node 2's group at each stage; `None` when it did not list it.
pub struct Watched {
    pub healthy: Option<bool>,
    pub noticed: Option<bool>,
    pub restarted: Option<bool>,
}

/// The window's engine, connected and watching.
pub fn watching(kafka: &Kafka) -> Engine {
    let engine = Engine::start(EngineOptions {
        waker: Arc::new(|| {}),
        clock: Clock::System,
        tell_events: false,
        listen_for_interrupt: false,
        files: tideline::engine::Files::none(tideline::model::Problem::new(
            tideline::model::ProblemKind::Other,
            "no files",
        )),
    })
    .unwrap();
    let target = ConnectTarget::Bus(ConnectionSettings::to(kafka.bootstrap()));
    assert!(engine.send(Command::Connect(target)));
    assert!(engine.send(Command::Watch));
    engine
}

/// Waits until the engine says `expected` of `group`, and returns what it says at last.
fn watched(engine: &Engine, group: &str, expected: Option<bool>) -> Option<bool> {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let snapshot = engine.snapshot();
        let known = snapshot
            .inventory
            .groups()
            .iter()
            .find(|placed| placed.group.listing.name == Text::from(group))
            .map(|placed| placed.group.commits.is_ok());
        if known == expected || Instant::now() > deadline {
            return known;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

pub fn one_dead() -> &'static OneDead {
    static ONE_DEAD: LazyLock<OneDead> = LazyLock::new(|| {
        let Healthy {
            kafka,
            group_on_1,
            group_on_2,
            rewound,
            ..
        } = healthy();
        let look = || look(kafka, group_on_1, group_on_2);
        let reading = Reading::begin(kafka);
        let read_healthy = reading.read();
        let engine = watching(kafka);
        let watched_healthy = watched(&engine, group_on_2, Some(true));
        kafka.kill_node(2);
        let at_once = look();
        kafka.wait_for_nodes(1);
        let leader_of = |topic: &str, partition: usize| {
            tools::topics(kafka)[topic].partitions[partition].leader
        };
        wait_for("the partitions without leader", || {
            (leader_of(SPREAD, 1).is_none() && leader_of(BOTH, 0) == Some(1)).then_some(())
        });
        let noticed = look();
        let read_noticed = reading.read();
        let rewind = rewind_and_undo(kafka, rewound);
        let watched_noticed = watched(&engine, group_on_2, Some(false));
        kafka.restart_node(2);
        kafka.wait_for_nodes(2);
        wait_for("the leaders", || {
            (leader_of(SPREAD, 5) == Some(2)).then_some(())
        });
        OneDead {
            at_once,
            noticed,
            rewind,
            restarted: look(),
            watched: Watched {
                healthy: watched_healthy,
                noticed: watched_noticed,
                restarted: watched(&engine, group_on_2, Some(true)),
            },
            read: [read_healthy, read_noticed, reading.read()],
        }
    });
    &ONE_DEAD
}

fn rewind_and_undo(kafka: &Kafka, group: &str) -> (Run, BTreeMap<(String, i64), i64>, Run) {
    let home = tempfile::tempdir().unwrap();
    let bootstrap = kafka.bootstrap();
    let quickly = [
        "--observe",
        "0s",
        "--confirm",
        "no_hidden_reader",
        "--execute",
        "--json",
        "--bootstrap",
        &bootstrap,
    ];
    let words = ["rewind", "--group", group, "--to", "earliest"];
    let rewound = cli::tideline_at(home.path(), &[&words, &quickly[..]].concat());
    let told = tools::committed(kafka, group);
    let id = rewound.json()["journal_id"].as_str().unwrap().to_owned();
    let undone = cli::tideline_at(home.path(), &[&["undo", &id], &quickly[..]].concat());
    (rewound, told, undone)
}

fn fill(kafka: &Kafka) {
    let cluster = Cluster::at(&kafka.bootstrap());
    let keep = |topic: NewTopic<'static>| topic.set("retention.ms", "-1");
    cluster.create_topics(&[
        keep(NewTopic::new(
            SPREAD,
            6,
            TopicReplication::Variable(&[&[1], &[2], &[1], &[2], &[1], &[2]]),
        )),
        keep(NewTopic::new(
            BOTH,
            1,
            TopicReplication::Variable(&[&[2, 1]]),
        )),
    ]);
    let node = |number: i32| format!("127.0.0.1:{}", kafka.port(number, "PLAINTEXT"));
    let minutes = |count: i64| -> Vec<Record> {
        (0..count)
            .map(|n| Record::new(T0 + n * MINUTE, format!("k{n}"), format!("v{n}")))
            .collect()
    };
    for partition in 0..6 {
        raw::produce(&node(1 + partition % 2), SPREAD, partition, &minutes(10));
    }
    raw::produce(&node(2), BOTH, 0, &minutes(5));
}

/// Where a group's commits, or a transaction's state, are kept: the broker takes Java's hash of the name.
pub fn partition_of(name: &str, partitions: usize) -> usize {
    let hash = name.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    });
    usize::try_from(hash & i32::MAX).unwrap() % partitions
}

fn look(kafka: &Kafka, group_on_1: &str, group_on_2: &str) -> Seen {
    let bootstrap = kafka.bootstrap();
    let run = |arguments: &[&str]| {
        cli::tideline(&[arguments, &["--json", "--bootstrap", &bootstrap]].concat())
    };
    let (from, to) = (T0.to_string(), (T0 + 10 * MINUTE).to_string());
    Seen {
        cluster: run(&["cluster"]),
        topics: run(&["topics", "--topic", SPREAD, "--topic", BOTH]),
        groups: run(&["groups", "--group", group_on_1, "--group", group_on_2]),
        timeline: run(&[
            "timeline",
            "--topic",
            SPREAD,
            "--group",
            group_on_1,
            "--from",
            &from,
            "--to",
            &to,
            "--buckets",
            "10",
        ]),
        records: run(&["records", "--topic", SPREAD, "--order", "offset"]),
    }
}
