//! The window on the real engine and the real demo bus, whose clock and chance are fixed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, HarnessBuilder};
use tideline::bus::demo::{DemoOptions, Server};
use tideline::engine::{Command, ConnectTarget, Connection, Engine, EngineOptions, Link, Snapshot};
use tideline::model::time::Clock;
use tideline::model::{ConnectionSettings, Offset, PartitionId, Record, TimestampMs};
use tideline::ui::{App, Waker};

use crate::data::NOW;
use crate::fake::start;
use crate::images::save;

/// The engine, shown as if it had started the demo bus by itself: the port differs from run to run.
#[derive(Clone)]
struct OnDemo(Arc<Engine>);

impl Link for OnDemo {
    fn send(&self, command: Command) -> bool {
        self.0.send(command)
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        let mut snapshot = Snapshot::clone(&self.0.snapshot());
        if let Connection::Connected { to, demo, .. } = &mut snapshot.connection {
            *to = "demo bus".into();
            *demo = true;
        }
        // How much was found depends on how long the bus has been looked at.
        snapshot.findings = Arc::default();
        Arc::new(snapshot)
    }
}

/// Steps the window until `done` says that it shows what it should.
pub fn until(
    harness: &mut Harness<'static, App>,
    engine: &Engine,
    what: &str,
    done: impl Fn(&Snapshot) -> bool,
) {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        harness.step();
        let snapshot = engine.snapshot();
        if done(&snapshot) {
            break;
        }
        assert!(
            Instant::now() < deadline,
            "never {what}: {:?}, settled {}, {} rows, {:?}",
            snapshot.connection,
            snapshot.density.settled,
            snapshot.table.rows.len(),
            snapshot.activity
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    harness.run();
}

fn is_settled(snapshot: &Snapshot) -> bool {
    let groups = snapshot.inventory.groups();
    let placed = groups
        .iter()
        .flat_map(|group| &group.places)
        .all(|place| place.reads_next().is_none() || matches!(place.next, Some(Ok(Some(_)))));
    groups.len() == 5
        && placed
        && snapshot.inventory.bulk.is_some()
        && snapshot.density.settled
        && snapshot.density.overview.is_some()
        && snapshot.activity.is_empty()
        && snapshot.table.rows.len() == 500
        && !snapshot.table.loading
}

/// A window on the real engine and the demo bus; the bus lives as long as the first value.
fn demo(builder: HarnessBuilder<App>) -> (Server, Harness<'static, App>, Arc<Engine>) {
    let TimestampMs(now_ms) = NOW;
    let server = Server::start(&DemoOptions {
        seed: 7,
        now_ms: Some(now_ms),
        ..DemoOptions::default()
    })
    .unwrap();
    let engine = Engine::start(EngineOptions {
        waker: Arc::new(|| {}),
        clock: Clock::Fixed(NOW),
        tell_events: false,
        listen_for_interrupt: false,
        files: tideline::engine::Files::none(tideline::model::Problem::new(
            tideline::model::ProblemKind::Other,
            "no files",
        )),
    })
    .unwrap();
    let link = OnDemo(Arc::new(engine));
    let engine = Arc::clone(&link.0);
    let target = ConnectTarget::Bus(ConnectionSettings::to(server.addr().to_string()));
    let mut begin = start();
    begin.connect = Some(target);
    let harness = builder
        .with_size(egui::vec2(1_440.0, 900.0))
        .with_max_steps(12)
        .build_eframe(move |creation| {
            let make_link = move |_: Waker| Box::new(link) as Box<dyn Link>;
            App::new(&creation.egui_ctx, make_link, begin)
        });
    (server, harness, engine)
}

/// The same, drawn, with two topics opened and everything known.
pub fn opened() -> (Server, Harness<'static, App>, Arc<Engine>) {
    let (server, mut harness, engine) = demo(Harness::builder().wgpu());
    until(&mut harness, &engine, "settled", is_settled);
    for topic in ["orders", "payments"] {
        harness.get_by_label(topic).click();
        harness.run();
    }
    until(&mut harness, &engine, "opened", |snapshot| {
        snapshot.density.settled && !snapshot.table.loading
    });
    (server, harness, engine)
}

#[test]
fn the_main_screen_on_the_demo_bus() {
    let (_server, mut harness, _engine) = opened();
    save(&mut harness, "demo_bus");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run();
    assert!(harness.query_by_label("State Stable").is_some());
    let lost = harness
        .get_all_by_label_contains("orders / 2, committed ")
        .next()
        .and_then(|node| node.accesskit_node().label());
    let lost = lost.expect("a row of the partition");
    // The log starts at 1,041 + 213 = 1,254 = 2,895 − 1,641.
    assert!(
        lost.contains("committed 1,041, log end 2,895, lag 1,641"),
        "{lost}"
    );
    assert!(lost.ends_with("lost 213 before the log start"), "{lost}");
    // The clock stands, so there is no second reading.
    let waiting = "Two readings are needed; the next comes in about 4 s";
    assert!(harness.query_by_label(waiting).is_some());
}

/// Steps the window until the record that is shown is on screen and `done` says that it is the right one.
fn until_shown(
    harness: &mut Harness<'static, App>,
    engine: &Engine,
    what: &str,
    done: impl Fn(&Record) -> bool,
) -> Arc<Record> {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        harness.run_steps(2);
        let shown = harness.state().state().record.clone();
        if let Some(record) = shown.filter(|record| done(record)) {
            return record;
        }
        let table = &engine.snapshot().table;
        assert!(
            Instant::now() < deadline,
            "never {what}: {:?}, {} rows from {}, {:?}",
            table.request.as_ref().map(|request| &request.place),
            table.rows.len(),
            table.first,
            table.problems
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_table_goes_everywhere_on_the_demo_bus() {
    let (_server, mut harness, engine) = demo(Harness::builder());
    until(&mut harness, &engine, "settled", is_settled);
    // The newest comes first.
    let newest = Arc::clone(engine.snapshot().table.rows.last().unwrap());
    // The head of this partition was deleted; its first record is the oldest one that is left.
    let start = engine
        .snapshot()
        .inventory
        .topics()
        .iter()
        .find(|topic| &*topic.name == "orders")
        .and_then(|topic| topic.partitions[2].log_start.clone().ok())
        .unwrap();
    assert!(start > Offset(0));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::G);
    harness.run();
    let address = format!("orders/2/{start}");
    harness.get_by_label("Go to").type_text(&address);
    harness.run();
    harness.key_press(Key::Enter);
    let found = until_shown(&mut harness, &engine, "went to the record", |record| {
        &*record.topic == "orders" && record.offset == start
    });
    assert_eq!(found.partition, PartitionId(2));
    // Upwards is later here: every step is.
    let mut before = found;
    for step in 0..40 {
        harness.key_press(Key::ArrowUp);
        let place = (before.at(), before.offset);
        let next = until_shown(
            &mut harness,
            &engine,
            &format!("took step {step}"),
            |record| (record.at(), record.offset) != place,
        );
        assert!(next.timestamp >= before.timestamp);
        before = next;
    }
    harness.key_press(Key::End);
    let oldest = until_shown(&mut harness, &engine, "reached the oldest", |record| {
        record.timestamp < before.timestamp
    });
    let table = Arc::clone(&engine.snapshot().table);
    assert!(table.at_start && table.before == 0);
    assert_eq!(table.rows[0], oldest);
    harness.key_press(Key::Home);
    until_shown(&mut harness, &engine, "came back to the newest", |record| {
        *record == *newest
    });
}
