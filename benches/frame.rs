//! What a frame of the window costs on a large cluster (10,000 partitions, 1,000 groups) and with a large record.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use egui::{Context, Event, Modifiers, PointerButton, RawInput, Rect, pos2, vec2};
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use tideline::engine::{Command, Link, Snapshot, Table};
use tideline::model::time::Clock;
use tideline::model::{Offset, PartitionId, Record, TimestampMs, Visibility};
use tideline::ui::{App, Start};

#[path = "../tests/window/large.rs"]
mod large;

/// An engine that answers with the same snapshot, and with the same records to whatever table is asked for.
#[derive(Clone)]
struct Still {
    snapshot: Arc<Mutex<Arc<Snapshot>>>,
    rows: Vec<Arc<Record>>,
}

impl Link for Still {
    fn send(&self, command: Command) -> bool {
        if let (Command::Table(request), false) = (command, self.rows.is_empty()) {
            let mut snapshot = self.snapshot.lock();
            let snapshot = Arc::make_mut(&mut *snapshot);
            snapshot.generation += 1;
            snapshot.table = Arc::new(Table {
                request,
                rows: self.rows.clone(),
                up_to: Some(1),
                at_start: true,
                at_end: true,
                ..Table::default()
            });
        }
        true
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.lock())
    }
}

struct Drawn {
    meshes: usize,
    /// Whether it asks for another frame at once.
    is_unfinished: bool,
}

struct Window {
    ctx: Context,
    app: App,
    time: f64,
}

impl Window {
    /// A window that has drawn all there is to draw.
    fn open(topics: i32, partitions: i32, groups: i32) -> Self {
        Self::with_rows(topics, partitions, groups, Vec::new())
    }

    fn with_rows(topics: i32, partitions: i32, groups: i32, rows: Vec<Arc<Record>>) -> Self {
        let snapshot = Arc::new(large::snapshot(topics, partitions, groups));
        let link = Still {
            snapshot: Arc::new(Mutex::new(snapshot)),
            rows,
        };
        let ctx = Context::default();
        let start = Start {
            connect: None,
            bootstrap_env: None,
            link: None,
            said: None,
            clock: Clock::System,
            zone: TimeZone::UTC,
            memory: None,
            folders: tideline::engine::Folders::default(),
        };
        let app = App::new(&ctx, |_| Box::new(link), start);
        let mut window = Self {
            ctx,
            app,
            time: 0.0,
        };
        // Counting what is on screen is spread over frames; each asks for the next until it is done.
        while window.frame(Vec::new()).is_unfinished {}
        window
    }

    /// One frame, down to the triangles.
    fn frame(&mut self, events: Vec<Event>) -> Drawn {
        self.time += 1.0 / 60.0;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(1_600.0, 1_000.0))),
            time: Some(self.time),
            events,
            ..RawInput::default()
        };
        self.app.update(&self.ctx);
        let app = &mut self.app;
        let mut output = self.ctx.run_ui(input, |ui| app.draw(ui));
        let (shapes, pixels) = (std::mem::take(&mut output.shapes), output.pixels_per_point);
        let is_unfinished = output
            .viewport_output
            .values()
            .any(|output| output.repaint_delay.is_zero());
        output.drop_without_applying_deltas();
        Drawn {
            meshes: self.ctx.tessellate(shapes, pixels).len(),
            is_unfinished,
        }
    }
}

/// A JSON value of so many bytes, in a record of the first topic.
fn record(bytes: usize) -> Record {
    let item = br#"{"orderId":"o-4711","customer":12345678901234567890,"amount":19.20,"status":"PLACED"},"#;
    let mut value = b"[".to_vec();
    while value.len() < bytes {
        value.extend_from_slice(item);
    }
    value.extend_from_slice(b"null]");
    Record {
        topic: "topic-00000".into(),
        partition: PartitionId(0),
        offset: Offset(1),
        timestamp: Some(TimestampMs(1_796_043_600_000)),
        timestamp_type: None,
        key: None,
        value: Some(Bytes::from(value)),
        headers: vec![],
        leader_epoch: None,
        visibility: Visibility::Committed,
    }
}

/// A value of 50 MB: when it is chosen, while it is laid out, and when that is done.
fn large_values(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a record of 50 MB");
    let large = Arc::new(record(50_000_000));
    let open = || {
        let mut window = Window::with_rows(1, 1, 3, vec![Arc::clone(&large)]);
        for _ in 0..30 {
            window.frame(Vec::new());
        }
        window
    };
    // The one row of the table is looked for from its head on: where it is depends on what stands above.
    let click = |window: &mut Window| {
        let mut y = 640.0;
        while window.app.state().record.is_none() {
            let pos = pos2(420.0, y);
            let button = |pressed| Event::PointerButton {
                pos,
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            };
            window.frame(vec![Event::PointerMoved(pos)]);
            window.frame(vec![button(true)]);
            window.frame(vec![button(false)]);
            y += 12.0;
            assert!(y < 1_000.0, "no row is found");
        }
    };
    group.sample_size(10);
    group.bench_function("the first frame", |bencher| {
        bencher.iter_batched_ref(
            || {
                let mut window = open();
                click(&mut window);
                window
            },
            |window| window.frame(Vec::new()).meshes,
            BatchSize::PerIteration,
        );
    });
    let mut window = open();
    click(&mut window);
    group.bench_function("while it is laid out", |bencher| {
        bencher.iter(|| window.frame(Vec::new()).meshes);
    });
    while window.frame(Vec::new()).is_unfinished {}
    group.bench_function("at rest", |bencher| {
        bencher.iter(|| window.frame(Vec::new()).meshes);
    });
    group.finish();
}

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frame");
    let mut window = Window::open(10_000, 1, 1_000);
    group.bench_function("idle, 10,000 partitions, 1,000 groups", |bencher| {
        bencher.iter(|| black_box(window.frame(Vec::new())).meshes);
    });
    let mut x = 400.0;
    group.bench_function("the pointer moving over the lanes", |bencher| {
        bencher.iter(|| {
            x = if x > 1_500.0 { 400.0 } else { x + 3.0 };
            black_box(
                window
                    .frame(vec![Event::PointerMoved(pos2(x, 300.0))])
                    .meshes,
            )
        });
    });
    group.bench_function("zooming in and out", |bencher| {
        let mut closer = false;
        bencher.iter(|| {
            closer = !closer;
            black_box(
                window
                    .frame(vec![Event::Zoom(if closer { 1.06 } else { 1.0 / 1.06 })])
                    .meshes,
            )
        });
    });
    let mut opened = Window::open(1, 10_000, 3);
    group.bench_function("idle, one topic of 10,000 partitions", |bencher| {
        bencher.iter(|| black_box(opened.frame(Vec::new())).meshes);
    });
    group.finish();
}

/// The slowest of many frames: what a hand notices is not the mean. Moving, panning, zooming and scrolling take
/// turns, as a hand would do them.
#[expect(
    clippy::print_stdout,
    reason = "a measurement is told to whoever asked for it"
)]
fn percentiles(_: &mut Criterion) {
    const FRAMES: usize = 3_000;
    let wheel = |delta, modifiers| Event::MouseWheel {
        source: egui::MouseWheelSource::Wheel,
        unit: egui::MouseWheelUnit::Point,
        delta,
        phase: egui::TouchPhase::Move,
        modifiers,
    };
    let mut window = Window::open(10_000, 1, 1_000);
    let mut x = 400.0;
    let mut times: Vec<Duration> = (0..FRAMES)
        .map(|frame| {
            x = if x > 1_500.0 { 400.0 } else { x + 3.0 };
            let mut events = vec![Event::PointerMoved(pos2(x, 300.0))];
            match (frame / 100) % 4 {
                0 => {}
                1 => events.push(wheel(
                    vec2(if frame % 200 < 100 { 9.0 } else { -9.0 }, 0.0),
                    Modifiers::NONE,
                )),
                2 => events.push(Event::Zoom(if frame % 2 == 0 { 1.02 } else { 1.0 / 1.02 })),
                _ => events.push(wheel(vec2(0.0, -40.0), Modifiers::NONE)),
            }
            let started = Instant::now();
            black_box(window.frame(events).meshes);
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(FRAMES * share / 1_000)
            .copied()
            .unwrap_or_default()
    };
    println!(
        "frames of 10,000 partitions and 1,000 groups: median {:?}, 99th percentile {:?}, 99.9th {:?}",
        at(500),
        at(990),
        at(999)
    );
}

criterion_group!(benches, percentiles, frames, large_values);
criterion_main!(benches);
