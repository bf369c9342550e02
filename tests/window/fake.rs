//! An engine that does nothing but take commands, and a window of it.

use std::sync::Arc;

use egui_kittest::{Harness, HarnessBuilder};
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use tideline::engine::{Command, Link, SearchRequest, Snapshot, TableRequest, View};
use tideline::model::time::Clock;
use tideline::ui::{App, Start, Waker};

use crate::data;

/// The engine's end that a test holds.
#[derive(Clone, Default)]
pub struct Fake {
    snapshot: Arc<Mutex<Arc<Snapshot>>>,
    commands: Arc<Mutex<Vec<Command>>>,
    waker: Arc<Mutex<Option<Waker>>>,
}

struct FakeLink(Fake);

impl Link for FakeLink {
    fn send(&self, command: Command) -> bool {
        self.0.commands.lock().push(command);
        true
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.snapshot.lock())
    }
}

impl Fake {
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.lock())
    }

    pub fn publish(&self, snapshot: Snapshot) {
        *self.snapshot.lock() = Arc::new(snapshot);
        if let Some(waker) = &*self.waker.lock() {
            waker();
        }
    }

    pub fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        let mut snapshot = Snapshot::clone(&self.snapshot.lock());
        snapshot.generation += 1;
        change(&mut snapshot);
        self.publish(snapshot);
    }

    /// Takes the commands that came since the last time.
    pub fn take(&self) -> Vec<Command> {
        std::mem::take(&mut self.commands.lock())
    }

    pub fn last_view(&self) -> Option<View> {
        self.commands
            .lock()
            .iter()
            .rev()
            .find_map(|command| match command {
                Command::View(view) => Some(view.clone()),
                _ => None,
            })
    }

    /// Jump, first and last of the rows that were last told to be on screen.
    pub fn last_rows(&self) -> Option<(u64, i64, i64)> {
        self.commands
            .lock()
            .iter()
            .rev()
            .find_map(|command| match command {
                Command::TableRows { jump, first, last } => Some((*jump, *first, *last)),
                _ => None,
            })
    }

    /// The search that was last asked for.
    pub fn last_search(&self) -> Option<SearchRequest> {
        self.commands
            .lock()
            .iter()
            .rev()
            .find_map(|command| match command {
                Command::Search(search) => Some(search.as_deref().cloned()),
                _ => None,
            })?
    }

    pub fn last_table(&self) -> Option<TableRequest> {
        self.commands
            .lock()
            .iter()
            .rev()
            .find_map(|command| match command {
                Command::Table(table) => Some(table.clone()),
                _ => None,
            })?
    }
}

pub fn start() -> Start {
    Start {
        connect: None,
        bootstrap_env: None,
        link: None,
        said: None,
        clock: Clock::Fixed(data::NOW),
        zone: TimeZone::get("Europe/Berlin").unwrap(),
        memory: None,
        folders: tideline::engine::Folders {
            home: Some("/home/me".into()),
            documents: Some("/home/me/Documents".into()),
        },
    }
}

/// A window of `snapshot`, as large as asked.
pub fn window(
    builder: HarnessBuilder<App>,
    size: (f32, f32),
    snapshot: Snapshot,
) -> (Harness<'static, App>, Fake) {
    window_of(builder, size, snapshot, start())
}

/// As [`window`], begun as asked.
pub fn window_of(
    builder: HarnessBuilder<App>,
    size: (f32, f32),
    snapshot: Snapshot,
    begin: Start,
) -> (Harness<'static, App>, Fake) {
    let fake = Fake::default();
    fake.publish(snapshot);
    let link = fake.clone();
    let harness = builder
        .with_size(egui::vec2(size.0, size.1))
        .with_max_steps(12)
        .build_eframe(move |creation| {
            let make_link = move |waker: Waker| {
                *link.waker.lock() = Some(waker);
                Box::new(FakeLink(link)) as Box<dyn Link>
            };
            App::new(&creation.egui_ctx, make_link, begin)
        });
    (harness, fake)
}

/// Answers the table that was last asked for, as the engine would.
pub fn answer_table(harness: &mut Harness<'static, App>, fake: &Fake) {
    harness.run();
    let request = fake.last_table().expect("a table was asked for");
    fake.change(|snapshot| snapshot.table = Arc::new(data::answer(&request)));
    harness.run();
}
