use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use egui::{Context, Event};

use super::elsewhere::{Gesture, How};
use super::*;
use crate::ui::state::Selection;
use egui::{Key, Modifiers};

const COMMAND_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

fn press(key: Key, modifiers: Modifiers) -> Vec<Event> {
    vec![Event::Key {
        key,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers,
    }]
}

fn connected<'a>(state: &'a UiState, window: &'a WindowState) -> Situation<'a> {
    static SNAPSHOT: LazyLock<Snapshot> = LazyLock::new(Snapshot::default);
    Situation {
        state,
        window,
        snapshot: &SNAPSHOT,
        clock: TimestampMs(0),
        is_connected: true,
    }
}

fn meant(key: Key, modifiers: Modifiers, in_text: bool) -> Vec<Action> {
    let (state, window) = (UiState::default(), WindowState::default());
    let mut events = press(key, modifiers);
    let actions = take(&mut events, in_text, connected(&state, &window));
    assert_eq!(events.is_empty(), !actions.is_empty());
    actions
}

#[test]
fn keys_mean_what_the_list_says() {
    let none = Modifiers::NONE;
    assert_eq!(meant(Key::K, Modifiers::COMMAND, false), [Action::Commands]);
    assert_eq!(meant(Key::P, COMMAND_SHIFT, false), [Action::Commands]);
    assert_eq!(meant(Key::P, Modifiers::COMMAND, false), [Action::Find]);
    assert_eq!(meant(Key::Slash, none, false), [Action::Search]);
    assert_eq!(meant(Key::F, Modifiers::COMMAND, false), [Action::Search]);
    assert_eq!(meant(Key::F, COMMAND_SHIFT, false), [Action::Filter]);
    // Where they stand on another key's upper half.
    assert_eq!(meant(Key::Slash, Modifiers::SHIFT, false), [Action::Search]);
    assert_eq!(
        meant(Key::Questionmark, Modifiers::SHIFT, false),
        [Action::Keys]
    );
    assert_eq!(meant(Key::Plus, COMMAND_SHIFT, false), [Action::Larger]);
    assert_eq!(meant(Key::K, none, false), []);
    assert_eq!(
        meant(Key::K, Modifiers::COMMAND.plus(Modifiers::ALT), false),
        []
    );
}

#[test]
fn a_text_field_keeps_what_it_has_a_use_for() {
    assert_eq!(meant(Key::Slash, Modifiers::NONE, true), []);
    assert_eq!(meant(Key::Questionmark, Modifiers::SHIFT, true), []);
    assert_eq!(meant(Key::ArrowLeft, Modifiers::ALT, true), []);
    assert_eq!(meant(Key::Z, Modifiers::COMMAND, true), []);
    assert_eq!(meant(Key::K, Modifiers::COMMAND, true), [Action::Commands]);
    assert_eq!(
        meant(Key::Minus, Modifiers::COMMAND, true),
        [Action::Smaller]
    );
}

#[test]
fn the_sign_of_a_key_is_not_typed_as_well() {
    let (state, window) = (UiState::default(), WindowState::default());
    let mut events = press(Key::Slash, Modifiers::NONE);
    events.push(Event::Text("/".into()));
    take(&mut events, false, connected(&state, &window));
    assert!(events.is_empty());
}

#[test]
fn a_held_key_opens_a_list_once_and_goes_on_undoing() {
    let (state, mut window) = (UiState::default(), WindowState::default());
    window.remembered.scale = 1.0;
    let held = |key: Key| {
        let mut events = press(key, Modifiers::COMMAND);
        if let Some(Event::Key { repeat, .. }) = events.first_mut() {
            *repeat = true;
        }
        take(&mut events, false, connected(&state, &window))
    };
    assert_eq!(held(Key::K), []);
    assert_eq!(held(Key::Minus), [Action::Smaller]);
}

#[test]
fn what_cannot_be_used_says_why_and_leaves_its_key_alone() {
    let (state, window) = (UiState::default(), WindowState::default());
    let mut events = press(Key::Z, Modifiers::COMMAND);
    let here = connected(&state, &window);
    assert_eq!(take(&mut events, false, here), []);
    assert_eq!(events.len(), 1);
    assert_eq!(
        Action::FitSelection.why_not(here),
        Some("no span is chosen")
    );
    let nowhere = Situation {
        is_connected: false,
        ..here
    };
    assert_eq!(
        Action::Undo.why_not(nowhere),
        Some("connect to a bus first")
    );
    assert_eq!(Action::Demo.why_not(nowhere), None);
    assert!(Action::Demo.why_not(here).is_some());
}

#[test]
fn zooming_to_the_span_shows_exactly_it() {
    let state = UiState {
        selection: Some(Selection::between(
            TimestampMs(1_000),
            TimestampMs(61_000),
            vec![],
        )),
        ..UiState::default()
    };
    let window = WindowState::default();
    match Action::FitSelection.message(connected(&state, &window)) {
        Msg::View(range) => {
            assert_eq!(
                (range.from(), range.to()),
                (TimestampMs(1_000), TimestampMs(61_000))
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_two_commands_share_a_name_or_a_key() {
    let names: BTreeSet<&str> = Action::all().map(Action::name).collect();
    assert_eq!(names.len(), Action::all().count());
    let all: Vec<&KeyboardShortcut> = Action::all().flat_map(Action::keys).collect();
    for (index, key) in all.iter().enumerate() {
        assert!(!all[index + 1..].contains(key), "{key:?}");
    }
}

#[test]
fn keys_are_written_by_the_platforms_habit() {
    let ctx = Context::default();
    ctx.set_os(egui::os::OperatingSystem::Nix);
    let text = |action: Action| shown(&ctx, action.keys()[0]);
    assert_eq!(text(Action::Commands), "Ctrl+K");
    assert_eq!(text(Action::Keys), "?");
    assert_eq!(text(Action::Filter), "Ctrl+Shift+F");
    assert_eq!(text(Action::Axis), "X");
    let marks = ELSEWHERE
        .iter()
        .find(|gesture| gesture.does.contains("mark before"));
    assert_eq!(marks.map(Gesture::shown).as_deref(), Some("[, ]"));
}

/// Every `Key::…` in the sources outside of tests, with the file that names it.
fn keys_in_sources() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && name != "commands" && name != "tests" {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") && name != "tests.rs" {
                let text = std::fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]").next().unwrap();
                let mut before = ' ';
                for (index, part) in text.split("Key::").enumerate() {
                    let is_key = index > 0 && !before.is_alphanumeric();
                    before = part.chars().last().unwrap_or(' ');
                    if !is_key {
                        continue;
                    }
                    let key: String = part
                        .chars()
                        .take_while(char::is_ascii_alphanumeric)
                        .collect();
                    found.push((key, path.clone()));
                }
            }
        }
    }
    found
}

#[test]
fn every_key_that_is_handled_is_listed() {
    let mut listed: BTreeSet<String> = ELSEWHERE
        .iter()
        .flat_map(|gesture| match gesture.how {
            How::Keys(keys) => keys,
            How::Pointer(_) => &[],
        })
        .map(|key| format!("{key:?}"))
        .collect();
    let commands = Action::all().flat_map(Action::keys);
    listed.extend(commands.map(|shortcut| format!("{:?}", shortcut.logical_key)));
    let found = keys_in_sources();
    assert!(found.len() > 20);
    for (key, file) in found {
        // Other things may be called keys as well.
        if Key::from_name(&key).is_none() {
            continue;
        }
        assert!(
            listed.contains(&key),
            "{key} of {} is not listed",
            file.display()
        );
    }
}

#[test]
fn every_command_has_its_line() {
    let source = include_str!("mod.rs");
    let (_, rest) = source.split_once("pub enum Action {").unwrap();
    let (variants, _) = rest.split_once('}').unwrap();
    let variants: Vec<&str> = variants
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(char::is_uppercase))
        .map(|line| line.trim_end_matches(','))
        .collect();
    let listed: Vec<String> = Action::all().map(|action| format!("{action:?}")).collect();
    assert_eq!(listed.len(), variants.len());
    for variant in variants {
        assert!(listed.iter().any(|name| name == variant), "{variant}");
    }
}
