//! Keys and gestures that a part of the window handles by itself, because they mean something only there.

use egui::Key;

use super::Section;

/// What a key or gesture does.
#[derive(Clone, Copy, Debug)]
pub struct Gesture {
    /// What it belongs to.
    pub section: Section,
    /// As it is written in the list of keys.
    pub how: &'static str,
    /// What it does.
    pub does: &'static str,
    /// The keys in it.
    pub keys: &'static [Key],
}

const fn gesture(
    section: Section,
    how: &'static str,
    does: &'static str,
    keys: &'static [Key],
) -> Gesture {
    Gesture {
        section,
        how,
        does,
        keys,
    }
}

/// All of them.
pub const ELSEWHERE: [Gesture; 17] = [
    gesture(
        Section::General,
        "Tab",
        "To the next part, or field",
        &[Key::Tab],
    ),
    gesture(
        Section::General,
        "Enter, Space",
        "Press the button that has the focus; connect from the address field",
        &[Key::Enter, Key::Space],
    ),
    gesture(
        Section::Timeline,
        "W, S",
        "Zoom in and out, at the pointer",
        &[Key::W, Key::S],
    ),
    gesture(
        Section::Timeline,
        "A, D",
        "Move along time",
        &[Key::A, Key::D],
    ),
    gesture(
        Section::Timeline,
        "Esc",
        "Give up a drag; clear the chosen span",
        &[Key::Escape],
    ),
    gesture(
        Section::Timeline,
        "Ctrl + wheel, pinch",
        "Zoom at the pointer",
        &[],
    ),
    gesture(
        Section::Timeline,
        "Shift + wheel, middle button",
        "Move along time",
        &[],
    ),
    gesture(Section::Timeline, "Wheel", "Scroll the lanes", &[]),
    gesture(
        Section::Timeline,
        "Drag over lanes",
        "Choose a span of these lanes",
        &[],
    ),
    gesture(
        Section::Timeline,
        "Drag in the ruler",
        "Choose a span of all lanes",
        &[],
    ),
    gesture(
        Section::Timeline,
        "Click in a lane",
        "Choose one column of one lane",
        &[],
    ),
    gesture(
        Section::Timeline,
        "Double-click",
        "Show all of the data and follow what comes",
        &[],
    ),
    gesture(
        Section::Lists,
        "↑ ↓",
        "To the item before or after",
        &[Key::ArrowUp, Key::ArrowDown],
    ),
    gesture(
        Section::Lists,
        "PgUp, PgDn",
        "A screen up or down",
        &[Key::PageUp, Key::PageDown],
    ),
    gesture(
        Section::Lists,
        "Home, End",
        "To the first or last item",
        &[Key::Home, Key::End],
    ),
    gesture(
        Section::Lists,
        "← →",
        "Close or open a topic",
        &[Key::ArrowLeft, Key::ArrowRight],
    ),
    gesture(
        Section::Lists,
        "Click on a group",
        "Let it decide what is unread",
        &[],
    ),
];
