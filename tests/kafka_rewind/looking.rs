//! Looking, planning and being refused send only what README lists.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jiff::tz::TimeZone;
use tideline::bus::kafka::LOOKING;
use tideline::engine::{
    Command, ConnectTarget, Ended, Engine, EngineOptions, EventKind, Files, Link, Reply, Request,
    RewindReply, RewindRequest, Snapshot, TaskId,
};
use tideline::model::{Clock, ConnectionSettings, Offset, PartitionId, Profile, Text, TimestampMs};
use tideline::rewind::target::{Part, PlanRequest, Scope, Target};
use tideline::ui::{App, Start, Waker};

use crate::proxy::Proxy;
use crate::support::raw::{self, Record};
use crate::support::{cli, wait_for};
use crate::{Lab, at};

/// A day ago, so that nothing is ahead of any clock.
fn start_ms() -> i64 {
    let TimestampMs(now) = Clock::System.now();
    now - 86_400_000
}

fn fill(lab: &Lab) {
    lab.topic("watched", 3);
    let to = lab.kafka.bootstrap();
    for partition in 0..3 {
        let records: Vec<Record> = (0..500)
            .map(|n| {
                Record::new(
                    start_ms() + n * 60_000,
                    format!("k{n}"),
                    format!("{{\"n\":{n}}}"),
                )
            })
            .collect();
        raw::produce(&to, "watched", partition, &records);
    }
    let committed = [("watched", 0, 100), ("watched", 1, 0)];
    for protocol in ["classic", "consumer"] {
        let group = format!("idle-{protocol}-watched");
        lab.cluster
            .idle_group(&group, protocol, "watched", &committed);
    }
}

/// The engine that a window holds, for the test as well.
#[derive(Clone)]
struct Shared(Arc<Engine>);

impl Link for Shared {
    fn send(&self, command: Command) -> bool {
        self.0.send(command)
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.0.snapshot()
    }
}

fn engine(tell_events: bool, files: Files) -> Engine {
    Engine::start(EngineOptions {
        waker: Arc::new(|| {}),
        clock: Clock::System,
        tell_events,
        listen_for_interrupt: false,
        files,
    })
    .unwrap()
}

fn target(profile: Option<&str>) -> ConnectTarget {
    let mut settings = ConnectionSettings::to(Proxy::address());
    settings.profile = profile.map(str::to_owned);
    ConnectTarget::Bus(settings)
}

fn request(group: &str, parts: Vec<Part>) -> PlanRequest {
    PlanRequest {
        group: Text::from(group),
        parts,
        left_out: BTreeSet::new(),
        new_group: false,
        with_metadata: false,
        undoes: None,
    }
}

fn to(scope: Scope, target: Target) -> Part {
    Part { scope, target }
}

/// Every sort of target, one after the other.
fn plans() -> Vec<PlanRequest> {
    let half = TimestampMs(start_ms() + 250 * 60_000);
    let topic = || Scope::Topic("watched".into());
    let group = "idle-classic-watched";
    vec![
        request(group, vec![to(Scope::Committed, Target::Earliest)]),
        request(group, vec![to(topic(), Target::Time(half))]),
        request(group, vec![to(topic(), Target::Shift(-10))]),
        request(
            group,
            vec![
                to(topic(), Target::Latest),
                to(
                    Scope::Partition("watched".into(), PartitionId(2)),
                    Target::Offset(Offset(7)),
                ),
            ],
        ),
        request(
            group,
            vec![to(
                topic(),
                Target::Group(Text::from("idle-consumer-watched")),
            )],
        ),
        request(
            group,
            vec![to(
                Scope::Committed,
                Target::Table([(at("watched", 0), Offset(50))].into()),
            )],
        ),
        request("busy-classic-watched", vec![to(topic(), Target::Earliest)]),
        request("busy-consumer-watched", vec![to(topic(), Target::Earliest)]),
        request("misspelt-for-looking", vec![to(topic(), Target::Earliest)]),
    ]
}

/// The window: everything of a topic, each group, records, and plans of every sort.
fn look_through_the_window(files: Files) {
    let link = Shared(Arc::new(engine(false, files)));
    let engine = Arc::clone(&link.0);
    let start = Start {
        connect: Some(target(None)),
        bootstrap_env: None,
        link: None,
        said: None,
        clock: Clock::System,
        zone: TimeZone::UTC,
        memory: None,
        folders: tideline::engine::Folders::default(),
    };
    let mut harness = Harness::builder()
        .with_size(egui::vec2(1_440.0, 900.0))
        .with_max_steps(12)
        // Groups of other tests are in the list, with names in letters that no font here has.
        .allow_missing_glyphs()
        .build_eframe(move |creation| {
            let make_link = move |_: Waker| Box::new(link) as Box<dyn Link>;
            App::new(&creation.egui_ctx, make_link, start)
        });
    until(&mut harness, &engine, "everything", |snapshot| {
        snapshot.inventory.groups().len() >= 4
            && snapshot.density.settled
            && snapshot.density.overview.is_some()
            && !snapshot.table.rows.is_empty()
            && !snapshot.table.loading
    });
    harness.get_by_label("watched").click();
    harness.run_steps(4);
    until(&mut harness, &engine, "partitions", |snapshot| {
        snapshot.density.settled
    });
    for group in ["idle-classic-watched", "busy-consumer-watched"] {
        assert!(engine.send(Command::Group(Some(Text::from(group)))));
    }
    // The newest record, and on through the list to its oldest end.
    harness.key_press(egui::Key::Home);
    harness.run_steps(4);
    harness.key_press(egui::Key::End);
    until(&mut harness, &engine, "the oldest record", |snapshot| {
        !snapshot.table.loading
    });
    for (number, plan) in (1..).zip(plans()) {
        let about = format!("{plan:?}");
        assert!(engine.send(Command::Plan(Some((number, Box::new(plan))))));
        until(&mut harness, &engine, &about, |snapshot| {
            let view = &snapshot.rewind;
            view.plan_number == number && view.plan.is_some() && !view.counting
        });
    }
    assert!(engine.send(Command::Plan(None)));
    harness.run_steps(4);
}

fn until(
    harness: &mut Harness<'static, App>,
    engine: &Engine,
    what: &str,
    done: impl Fn(&Snapshot) -> bool,
) {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        harness.run_steps(2);
        let snapshot = engine.snapshot();
        if done(&snapshot) {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "never {what}: {:?}, {:?}, {:?}",
            snapshot.connection,
            snapshot.activity,
            snapshot.rewind
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What `tideline rewind` asks of the engine.
fn rewind(engine: &Engine, target: ConnectTarget, execute: bool) -> RewindReply {
    assert!(engine.send(Command::Connect(target)));
    let plan = plans().swap_remove(0);
    let group = plan.group.to_string();
    let mut asked = Some(RewindRequest {
        only_cluster: None,
        plan,
        execute,
        plan_id: None,
        confirmed: BTreeSet::from([group, "observed".to_owned(), "production".to_owned()]),
        wait_ms: None,
        observe_ms: 2_000,
    });
    wait_for("the reply", || {
        match engine.next_event(Duration::from_secs(1))?.kind {
            EventKind::Connected => {
                let request = Request::Rewind(Box::new(asked.take()?));
                assert!(engine.send(Command::Ask(TaskId(1), request)));
                None
            }
            EventKind::Finished(_, Ok(Reply::Rewind(reply))) => Some(RewindReply::clone(&reply)),
            EventKind::Finished(_, other) => panic!("{other:?}"),
            _ => None,
        }
    })
}

fn run_commands() {
    let proxied = Proxy::address();
    let commands: [&[&str]; 12] = [
        &["cluster"],
        &["topics", "--internal"],
        &["topics", "--topic", "misspelt-for-looking"],
        &["groups"],
        &["groups", "--group", "busy-classic-watched"],
        &["groups", "--group", "misspelt-for-looking", "--no-times"],
        &["timeline"],
        &[
            "timeline",
            "--topic",
            "watched",
            "--group",
            "idle-classic-watched",
        ],
        &[
            "records",
            "--topic",
            "watched",
            "--isolation",
            "read_committed",
        ],
        &["records", "--topic", "watched", "--newest", "5"],
        &["records", "--topic", "watched/1/3", "--order", "time"],
        &[
            "records",
            "--topic",
            "watched",
            "--group-position",
            "idle-consumer-watched",
        ],
    ];
    for command in commands {
        let run = cli::tideline(&[command, &["--json", "--bootstrap", &proxied]].concat());
        assert!(
            matches!(run.code, 0 | 6) && !run.stdout.is_empty(),
            "{command:?}: {run:?}"
        );
    }
    // Without --execute nothing is done, whether or not a guard would stand in the way and every row has an answer.
    for (group, to) in [
        ("idle-classic-watched", "earliest"),
        ("idle-consumer-watched", "shift:-10"),
        ("busy-classic-watched", "time:-90m"),
        ("busy-consumer-watched", "group:idle-classic-watched"),
        ("misspelt-for-looking", "latest"),
    ] {
        let command = ["rewind", "--group", group, "--topic", "watched", "--to", to];
        let how = ["--observe", "2s", "--json", "--bootstrap", &proxied];
        let run = cli::tideline(&[&command[..], &how].concat());
        assert!(matches!(run.code, 0 | 3 | 6), "{command:?}: {run:?}");
        assert_eq!(run.json()["applied"], false, "{command:?}: {run:?}");
    }
}

#[test]
fn a_session_that_changes_nothing_sends_only_what_is_listed() {
    let lab = Lab::get();
    fill(lab);
    let _members = ["classic", "consumer"].map(|protocol| {
        lab.cluster.join(
            &format!("busy-{protocol}-watched"),
            "watched",
            &[("group.protocol", protocol)],
        )
    });
    let proxy = Proxy::to(lab.kafka);
    let folder = tempfile::tempdir().unwrap();
    let files = || Files::at(Ok(folder.path().join("tideline").join("tideline.db")));

    run_commands();
    look_through_the_window(files());
    let reply = rewind(&engine(true, files()), target(None), false);
    assert_eq!(reply.ended, None);
    assert!(!reply.plan.rows.is_empty());

    // Over a locked connection not even what was told to be done is sent.
    let profile = Profile {
        name: "locked".to_owned(),
        bootstrap: Proxy::address(),
        read_only: true,
        ..Profile::default()
    };
    files().profiles.unwrap().put_profile(&profile).unwrap();
    let reply = rewind(&engine(true, files()), target(Some("locked")), true);
    assert!(reply.read_only);
    assert!(matches!(reply.ended, Some(Ended::Refused(_))), "{reply:?}");

    let seen = proxy.seen();
    let listed: BTreeMap<i16, &str> = LOOKING
        .iter()
        .map(|request| (request.key, request.name))
        .collect();
    let others: Vec<_> = seen
        .iter()
        .filter(|(key, _)| !listed.contains_key(key))
        .collect();
    assert!(
        others.is_empty(),
        "request types (and how many): {others:?}"
    );
    // And the list holds none that a session like this one does without.
    let unsent: Vec<_> = LOOKING
        .iter()
        .filter(|request| request.only.is_none() && !seen.contains_key(&request.key))
        .collect();
    assert!(unsent.is_empty(), "never sent: {unsent:?}");

    // The very same, told by somebody whom no lock binds, is sent, and seen: OffsetCommit.
    let elsewhere = tempfile::tempdir().unwrap();
    let files = Files::at(Ok(elsewhere.path().join("tideline.db")));
    let reply = rewind(&engine(true, files), target(None), true);
    assert!(matches!(reply.ended, Some(Ended::Applied(_))), "{reply:?}");
    assert!(proxy.seen().contains_key(&8));
}
