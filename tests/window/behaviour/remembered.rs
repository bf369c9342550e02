//! What outlasts a run of the window, and what never does.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tideline::engine::{Memory, Settings};
use tideline::ui::Start;

use super::around::{press, type_text};
use super::*;
use crate::fake::{start, window_of};

/// A memory that a test holds.
#[derive(Clone, Debug, Default)]
struct Notebook {
    loaded: Settings,
    kept: Arc<Mutex<Settings>>,
    problem: Arc<Mutex<Option<Problem>>>,
}

impl Notebook {
    fn with(pairs: &[(&str, &str)]) -> Self {
        let loaded: BTreeMap<String, String> = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        Self {
            loaded,
            ..Self::default()
        }
    }

    fn kept(&self, name: &str) -> Option<String> {
        self.kept.lock().get(name).cloned()
    }
}

impl Memory for Notebook {
    fn loaded(&self) -> Settings {
        self.loaded.clone()
    }

    fn keep(&self, settings: Settings) -> bool {
        self.kept.lock().extend(settings);
        true
    }

    fn problem(&self) -> Option<Problem> {
        self.problem.lock().take()
    }
}

fn remembering(snapshot: Snapshot, notebook: &Notebook) -> (Window, Fake) {
    let begin = Start {
        memory: Some(Arc::new(notebook.clone())),
        ..start()
    };
    let (mut harness, fake) = window_of(Harness::builder(), (1_440.0, 900.0), snapshot, begin);
    harness.run();
    (harness, fake)
}

#[test]
fn everything_gets_larger_within_bounds_and_says_so() {
    let notebook = Notebook::default();
    let (mut harness, _) = remembering(data::shop(), &notebook);
    press(&mut harness, Modifiers::COMMAND, Key::Plus);
    press(&mut harness, Modifiers::COMMAND, Key::Equals);
    assert!((harness.ctx.zoom_factor() - 1.2).abs() < 1e-6);
    assert!(shows(&harness, "Size 120 %"));
    for _ in 0..30 {
        press(&mut harness, Modifiers::COMMAND, Key::Minus);
    }
    assert!((harness.ctx.zoom_factor() - 0.5).abs() < 1e-6);
    press(&mut harness, Modifiers::COMMAND, Key::Num0);
    assert!((harness.ctx.zoom_factor() - 1.0).abs() < 1e-6);
    press(&mut harness, Modifiers::COMMAND, Key::Plus);
    harness.run_steps(8);
    assert_eq!(notebook.kept("scale").as_deref(), Some("1.100000023841858"));
}

#[test]
fn times_are_written_in_utc_when_the_zone_is_clicked() {
    let notebook = Notebook::default();
    let (mut harness, _) = remembering(data::shop(), &notebook);
    assert!(shows(&harness, "30 Nov 2026  14:00 – 15:01"));
    click(&mut harness, "UTC+01:00");
    assert!(shows(&harness, "30 Nov 2026  13:00 – 14:01"));
    assert!(shows(&harness, "UTC"));
    harness.run_steps(8);
    assert_eq!(notebook.kept("utc").as_deref(), Some("true"));
}

#[test]
fn what_was_remembered_is_there_again() {
    let notebook = Notebook::with(&[
        ("theme", "\"light\""),
        ("scale", "1.5"),
        ("utc", "true"),
        ("address", "\"kafka-7:9092\""),
        ("label_width", "300.0"),
    ]);
    let (harness, _) = remembering(Snapshot::default(), &notebook);
    assert_eq!(harness.ctx.theme(), egui::Theme::Light);
    assert!((harness.ctx.zoom_factor() - 1.5).abs() < 1e-6);
    assert_eq!(harness.state().state().address, "kafka-7:9092");
    assert!((harness.state().state().label_width - 300.0).abs() < 1e-6);
}

#[test]
fn the_environment_fills_the_address_before_memory_does() {
    let notebook = Notebook::with(&[("address", "\"kafka-7:9092\"")]);
    let begin = Start {
        memory: Some(Arc::new(notebook)),
        bootstrap_env: Some("kafka-8:9092".into()),
        ..start()
    };
    let (harness, _) = window_of(
        Harness::builder(),
        (1_024.0, 640.0),
        Snapshot::default(),
        begin,
    );
    assert_eq!(harness.state().state().address, "kafka-8:9092");
}

#[test]
fn what_changed_is_remembered_and_only_that() {
    let notebook = Notebook::default();
    let (mut harness, _) = remembering(data::shop(), &notebook);
    harness.run_steps(8);
    let address = notebook.kept("address");
    assert_eq!(address.as_deref(), Some("\"kafka-1:9092\""));
    notebook.kept.lock().clear();
    let splitter = harness.get_by_label("Width of the labels").rect();
    harness.drag_at(splitter.center());
    harness.run();
    harness.hover_at(splitter.center() + egui::vec2(40.0, 0.0));
    harness.run();
    harness.drop_at(splitter.center() + egui::vec2(40.0, 0.0));
    harness.run_steps(8);
    let kept: Vec<String> = notebook.kept.lock().keys().cloned().collect();
    assert_eq!(kept, ["label_width"]);
}

#[test]
fn what_changed_at_the_very_end_is_remembered_too() {
    use eframe::App as _;

    let notebook = Notebook::default();
    let (mut harness, _) = remembering(Snapshot::default(), &notebook);
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "dark");
    harness.key_press(Key::Enter);
    harness.step();
    harness.step();
    assert_eq!(notebook.kept("theme"), None);
    harness.state_mut().on_exit(None);
    assert_eq!(notebook.kept("theme").as_deref(), Some("\"dark\""));
}

#[test]
fn an_idle_window_with_a_memory_asks_for_no_repaint() {
    let notebook = Notebook::default();
    let (mut harness, _) = remembering(data::shop(), &notebook);
    harness.run_steps(12);
    let outputs = harness.output().viewport_output.values();
    let delay = outputs.map(|output| output.repaint_delay).min().unwrap();
    assert!(delay > std::time::Duration::from_hours(1), "{delay:?}");
}

#[test]
fn a_memory_that_fails_is_told_once_and_the_window_goes_on() {
    let notebook = Notebook::default();
    *notebook.problem.lock() = Some(Problem::new(
        ProblemKind::Malformed,
        "nothing is remembered: the file is damaged",
    ));
    let (mut harness, _) = remembering(data::shop(), &notebook);
    let told = "Nothing is remembered: the file is damaged";
    assert!(shows(&harness, told));
    harness.run_steps(60);
    assert!(shows(&harness, told));
    click(&mut harness, "Close notice");
    assert!(!shows(&harness, told));
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "notices");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(shows(&harness, told));
    click(&mut harness, "Close");
    assert!(!shows(&harness, told));
}

#[test]
fn settings_for_tls_go_with_the_address_and_nowhere_else() {
    let notebook = Notebook::default();
    let (mut harness, fake) = remembering(Snapshot::default(), &notebook);
    fake.take();
    click(&mut harness, "Settings for TLS, user and password…");
    harness.get_by_label("Settings").focus();
    harness.run();
    type_text(&mut harness, "Settings", "sasl.password=hunter2");
    harness.get_by_label("Address").focus();
    harness.run();
    type_text(&mut harness, "Address", "kafka:9093");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    match fake.take().as_slice() {
        [Command::Connect(ConnectTarget::Bus(settings))] => {
            assert_eq!(settings.bootstrap, "kafka:9093");
            assert_eq!(
                settings.config_text.as_deref(),
                Some("sasl.password=hunter2")
            );
        }
        other => panic!("{other:?}"),
    }
    harness.run_steps(8);
    assert!(!format!("{:?}", notebook.kept.lock()).contains("hunter2"));
    assert!(!format!("{:?}", harness.state().window()).contains("hunter2"));
}

#[test]
fn searches_come_back_in_another_run() {
    let notebook = Notebook::default();
    let (mut harness, fake) = remembering(data::shop(), &notebook);
    crate::searching::search_for(&mut harness, &fake, "key:o-4711");
    harness.run_steps(8);
    let kept = notebook.kept("searches");
    assert_eq!(kept.as_deref(), Some("[[\"key:o-4711\"]]"));
    let again = Notebook::with(&[("searches", &kept.unwrap())]);
    let (mut harness, _) = remembering(data::shop(), &again);
    press(&mut harness, Modifiers::COMMAND, Key::F);
    press(&mut harness, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(harness.state().state().search.text, "key:o-4711");
}
