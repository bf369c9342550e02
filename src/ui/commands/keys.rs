//! Which commands a frame's key presses mean.

use egui::{Context, Event, Key, KeyboardShortcut, Modifiers};

use super::elsewhere::key_name;
use super::{Action, Situation};

/// Takes the key presses that mean a command which can be used now out of `events`. While a text field has
/// the focus, what it has a use for itself is left to it.
pub fn take(events: &mut Vec<Event>, in_text: bool, situation: Situation<'_>) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut typed = false;
    // Which key types this sign differs from keyboard to keyboard; what was typed does not.
    let asks_for_keys = !in_text
        && events
            .iter()
            .any(|event| matches!(event, Event::Text(text) if text == "?"))
        && Action::Keys.why_not(situation).is_none();
    if asks_for_keys {
        actions.push(Action::Keys);
        typed = true;
    }
    events.retain(|event| {
        if asks_for_keys && is_press_of(event, [Key::Questionmark, Key::Slash]) {
            return false;
        }
        let Event::Key {
            key,
            pressed: true,
            repeat,
            modifiers,
            ..
        } = event
        else {
            return true;
        };
        let Some(action) = meant(*key, *modifiers, in_text) else {
            return true;
        };
        if action.why_not(situation).is_some() {
            return true;
        }
        typed |= !modifiers.command && !modifiers.alt;
        // A list that a held key opens and closes in turn would only flicker.
        if !repeat || action.repeats() {
            actions.push(action);
        }
        false
    });
    if typed {
        // The letter of the key must not be written into the field that the command leads to.
        events.retain(|event| !matches!(event, Event::Text(_)));
    }
    actions
}

fn is_press_of(event: &Event, keys: [Key; 2]) -> bool {
    matches!(event, Event::Key { key, pressed: true, .. } if keys.contains(key))
}

fn meant(key: Key, modifiers: Modifiers, in_text: bool) -> Option<Action> {
    Action::all().find(|action| {
        action.keys().iter().any(|shortcut| {
            shortcut.logical_key == key
                && fits(modifiers, shortcut.modifiers, key)
                && !(in_text && belongs_to_text(*shortcut))
        })
    })
}

/// Whether exactly these modifiers are held. Where the key is a sign, Shift may be needed to write it.
fn fits(held: Modifiers, wanted: Modifiers, key: Key) -> bool {
    let is_sign = matches!(
        key,
        Key::Plus | Key::Equals | Key::Minus | Key::Slash | Key::Questionmark
    );
    held.command == wanted.command
        && held.alt == wanted.alt
        && (is_sign || held.shift == wanted.shift)
}

/// Whether a text field has a use for it.
fn belongs_to_text(shortcut: KeyboardShortcut) -> bool {
    shortcut.conflicts_with_text_editing() || matches!(shortcut.logical_key, Key::Z | Key::Y)
}

/// A key as it is written, by the platform's habit.
pub fn shown(ctx: &Context, shortcut: KeyboardShortcut) -> String {
    if shortcut.modifiers.is_none() {
        key_name(shortcut.logical_key).to_owned()
    } else {
        ctx.format_shortcut(&shortcut)
    }
}
