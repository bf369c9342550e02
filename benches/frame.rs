//! What a frame of the window costs on a large cluster: 10,000 partitions, 1,000 groups.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use egui::{Context, Event, RawInput, Rect, pos2, vec2};
use jiff::tz::TimeZone;
use tideline::engine::{Command, Link, Snapshot};
use tideline::model::time::Clock;
use tideline::ui::{App, Start};

#[path = "../tests/window/large.rs"]
mod large;

struct Still(Arc<Snapshot>);

impl Link for Still {
    fn send(&self, _command: Command) -> bool {
        true
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0)
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
        let snapshot = Arc::new(large::snapshot(topics, partitions, groups));
        let ctx = Context::default();
        let start = Start {
            connect: None,
            bootstrap_env: None,
            clock: Clock::System,
            zone: TimeZone::UTC,
            memory: None,
        };
        let app = App::new(&ctx, |_| Box::new(Still(snapshot)), start);
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

criterion_group!(benches, frames);
criterion_main!(benches);
