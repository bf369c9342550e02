//! Keys and gestures that a part of the window handles by itself, because they mean something only there.

use egui::Key;

use super::Section;

/// How something is done.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// With one of these keys.
    Keys(&'static [Key]),
    /// With the pointer, in words.
    Pointer(&'static str),
}

/// A key or gesture and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Gesture {
    /// What it belongs to.
    pub section: Section,
    /// How it is done.
    pub how: How,
    /// What it does.
    pub does: &'static str,
}

impl Gesture {
    /// How it is done, as it is written in the list of keys.
    pub fn shown(&self) -> String {
        match self.how {
            How::Keys(keys) => {
                let names: Vec<&str> = keys.iter().map(|key| key_name(*key)).collect();
                names.join(", ")
            }
            How::Pointer(words) => words.to_owned(),
        }
    }
}

/// A sign as it is written, any other key by its name.
pub(super) fn key_name(key: Key) -> &'static str {
    let sign = key.symbol_or_name();
    if sign.len() == 1 { sign } else { key.name() }
}

const fn keys(section: Section, keys: &'static [Key], does: &'static str) -> Gesture {
    Gesture {
        section,
        how: How::Keys(keys),
        does,
    }
}

const fn pointer(section: Section, how: &'static str, does: &'static str) -> Gesture {
    Gesture {
        section,
        how: How::Pointer(how),
        does,
    }
}

/// All of them.
pub const ELSEWHERE: [Gesture; 36] = [
    keys(
        Section::General,
        &[Key::Tab],
        "To the next part or field; with Shift to the one before",
    ),
    keys(
        Section::General,
        &[Key::Enter, Key::Space],
        "Press what has the focus",
    ),
    pointer(Section::Ways, "The mouse's own buttons", "Back and forward"),
    keys(
        Section::Timeline,
        &[Key::W, Key::S],
        "Zoom in and out, at the pointer",
    ),
    keys(Section::Timeline, &[Key::A, Key::D], "Move along time"),
    keys(
        Section::Timeline,
        &[Key::F],
        "Zoom to the chosen span, or show all of the data",
    ),
    keys(
        Section::Timeline,
        &[Key::End],
        "Show all of the data and follow what comes",
    ),
    keys(
        Section::Timeline,
        &[Key::M],
        "Mark the time under the pointer, or take the mark away",
    ),
    keys(
        Section::Timeline,
        &[Key::OpenBracket, Key::CloseBracket],
        "To the mark before or after",
    ),
    keys(
        Section::Timeline,
        &[Key::P],
        "Keep the lane on top, or no longer",
    ),
    keys(
        Section::Timeline,
        &[Key::ArrowLeft, Key::ArrowRight],
        "To the record before or after; with Shift to the column",
    ),
    keys(
        Section::Timeline,
        &[Key::ArrowUp, Key::ArrowDown],
        "To the lane above or below",
    ),
    pointer(
        Section::Timeline,
        "Drag over the strip above",
        "Move, widen or narrow what is shown of all the data",
    ),
    keys(
        Section::Timeline,
        &[Key::Escape],
        "Give up a drag; clear the chosen span",
    ),
    pointer(
        Section::Timeline,
        "Ctrl + wheel, pinch",
        "Zoom at the pointer",
    ),
    pointer(
        Section::Timeline,
        "Shift + wheel, Space + drag, middle button",
        "Move along time",
    ),
    pointer(Section::Timeline, "Wheel", "Scroll the lanes"),
    pointer(
        Section::Timeline,
        "Drag over lanes",
        "Choose a span of these lanes",
    ),
    pointer(
        Section::Timeline,
        "Drag in the ruler",
        "Choose a span of all lanes",
    ),
    pointer(
        Section::Timeline,
        "Click in a lane",
        "Choose one column of one lane",
    ),
    pointer(
        Section::Timeline,
        "Right click in a lane or on its label",
        "What can be done with it",
    ),
    pointer(
        Section::Timeline,
        "Shift, Alt",
        "Snap to round times; do not snap",
    ),
    pointer(
        Section::Timeline,
        "Double-click",
        "Show all of the data and follow what comes",
    ),
    keys(
        Section::Lists,
        &[Key::ArrowUp, Key::ArrowDown],
        "To the item before or after",
    ),
    keys(
        Section::Lists,
        &[Key::ArrowUp, Key::ArrowDown, Key::Backspace, Key::Escape],
        "In the search field: what was searched for before; edit the last filter; leave",
    ),
    keys(
        Section::Lists,
        &[Key::PageUp, Key::PageDown],
        "A screen up or down",
    ),
    keys(
        Section::Lists,
        &[Key::Home, Key::End],
        "To the first or last item",
    ),
    keys(
        Section::Lists,
        &[Key::ArrowLeft, Key::ArrowRight],
        "Close or open a topic; move the table's columns; another form of a value",
    ),
    keys(Section::Lists, &[Key::Enter], "On in the record's detail"),
    keys(
        Section::Lists,
        &[Key::Menu, Key::F10],
        "What can be done with a record, a lane or a column (F10 with Shift)",
    ),
    pointer(
        Section::Lists,
        "Ctrl+A, Ctrl+C",
        "Take all; copy what was taken",
    ),
    pointer(
        Section::Lists,
        "Ctrl+V",
        "Go to the record or time that was copied",
    ),
    pointer(
        Section::Timeline,
        "Drag a group's flag",
        "Plan a rewind or skip; Shift moves all partitions, Alt does not snap, Esc puts it back",
    ),
    keys(
        Section::Timeline,
        &[Key::ArrowLeft, Key::ArrowRight, Key::Enter],
        "Move a flag that has the focus by one record; plan it",
    ),
    pointer(
        Section::Lists,
        "Drag the name of a column",
        "Move the column",
    ),
    pointer(
        Section::Lists,
        "Click on a group",
        "Let it decide what is unread",
    ),
];
