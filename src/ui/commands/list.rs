//! The list itself: a line for each command.

use egui::{Key, KeyboardShortcut, Modifiers};

use super::{Action, Section};

/// A command and how one comes to it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The command.
    pub action: Action,
    /// What it belongs to.
    pub section: Section,
    /// Its name.
    pub name: &'static str,
    /// Its keys, the one to show first.
    pub keys: &'static [KeyboardShortcut],
}

const fn entry(
    action: Action,
    section: Section,
    name: &'static str,
    keys: &'static [KeyboardShortcut],
) -> Entry {
    Entry {
        action,
        section,
        name,
        keys,
    }
}

const fn with(modifiers: Modifiers, key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(modifiers, key)
}

const COMMAND_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// Every command, in the order in which they are shown.
pub const LIST: [Entry; 46] = [
    entry(
        Action::Commands,
        Section::General,
        "Show all commands…",
        &[
            with(Modifiers::COMMAND, Key::K),
            with(COMMAND_SHIFT, Key::P),
        ],
    ),
    entry(
        Action::Find,
        Section::General,
        "Go to a topic or group…",
        &[with(Modifiers::COMMAND, Key::P)],
    ),
    entry(
        Action::Records,
        Section::Lists,
        "Show the records",
        &[with(Modifiers::COMMAND, Key::Num1)],
    ),
    entry(
        Action::Group,
        Section::Lists,
        "Show the chosen group",
        &[with(Modifiers::COMMAND, Key::Num2)],
    ),
    entry(
        Action::Rewind,
        Section::Lists,
        "Rewind the chosen group…",
        &[with(Modifiers::COMMAND, Key::Num3)],
    ),
    entry(
        Action::ClearRewind,
        Section::Lists,
        "Plan nothing any more",
        &[],
    ),
    entry(
        Action::Gaps,
        Section::Lists,
        "Show what is missing",
        &[with(Modifiers::COMMAND, Key::Num5)],
    ),
    entry(
        Action::Journal,
        Section::Lists,
        "Show the journal",
        &[with(Modifiers::COMMAND, Key::Num4)],
    ),
    entry(
        Action::GoTo,
        Section::Lists,
        "Go to a record or time…",
        &[with(Modifiers::COMMAND, Key::G)],
    ),
    entry(
        Action::Search,
        Section::Lists,
        "Search records…",
        &[
            with(Modifiers::COMMAND, Key::F),
            with(Modifiers::NONE, Key::Slash),
        ],
    ),
    entry(
        Action::FollowRecords,
        Section::Lists,
        "Follow records as they come in, or no longer",
        &[with(Modifiers::NONE, Key::L)],
    ),
    entry(
        Action::PauseSearch,
        Section::Lists,
        "Pause or resume the search",
        &[],
    ),
    entry(Action::CloseSearch, Section::Lists, "Close the search", &[]),
    entry(
        Action::Export,
        Section::Lists,
        "Export records…",
        &[with(Modifiers::COMMAND, Key::E)],
    ),
    entry(
        Action::CopyLink,
        Section::General,
        "Copy a link to this view",
        &[],
    ),
    entry(
        Action::Filter,
        Section::Lists,
        "Filter topics",
        &[with(COMMAND_SHIFT, Key::F)],
    ),
    entry(
        Action::Keys,
        Section::General,
        "Show all keys",
        &[with(Modifiers::NONE, Key::Questionmark)],
    ),
    entry(
        Action::Notices,
        Section::General,
        "Show recent notices",
        &[],
    ),
    entry(Action::Demo, Section::General, "Open the demo bus", &[]),
    entry(
        Action::Unlock,
        Section::General,
        "Allow changes for 10 minutes…",
        &[],
    ),
    entry(
        Action::Lock,
        Section::General,
        "Make it read-only again",
        &[],
    ),
    entry(
        Action::SaveProfile,
        Section::General,
        "Save this connection as a profile…",
        &[],
    ),
    entry(
        Action::OpenLinks,
        Section::General,
        "Open links with Tideline…",
        &[],
    ),
    entry(Action::Disconnect, Section::General, "Disconnect", &[]),
    entry(
        Action::Undo,
        Section::Ways,
        "Undo",
        &[with(Modifiers::COMMAND, Key::Z)],
    ),
    entry(
        Action::Redo,
        Section::Ways,
        "Redo",
        &[
            with(COMMAND_SHIFT, Key::Z),
            with(Modifiers::COMMAND, Key::Y),
        ],
    ),
    entry(
        Action::Back,
        Section::Ways,
        "Back",
        &[with(Modifiers::ALT, Key::ArrowLeft)],
    ),
    entry(
        Action::Forward,
        Section::Ways,
        "Forward",
        &[with(Modifiers::ALT, Key::ArrowRight)],
    ),
    entry(Action::Follow, Section::Timeline, "Resume live", &[]),
    entry(
        Action::FitSelection,
        Section::Timeline,
        "Zoom to the chosen span",
        &[],
    ),
    entry(
        Action::ClearSelection,
        Section::Timeline,
        "Clear the chosen span",
        &[],
    ),
    entry(
        Action::Axis,
        Section::Timeline,
        "Switch the axis: time, offset from the end, offset",
        &[with(Modifiers::NONE, Key::X)],
    ),
    entry(
        Action::FoldIdle,
        Section::Timeline,
        "Fold or show idle stretches",
        &[],
    ),
    entry(
        Action::ClearMarks,
        Section::Timeline,
        "Take all marks away",
        &[],
    ),
    entry(
        Action::ClearGroup,
        Section::Timeline,
        "Choose no group",
        &[],
    ),
    entry(
        Action::ClearFilter,
        Section::Lists,
        "Clear the filter of topics",
        &[],
    ),
    entry(
        Action::Internal,
        Section::Lists,
        "Show or hide the bus's own topics",
        &[],
    ),
    entry(
        Action::Isolation,
        Section::Lists,
        "Show or hide what careful readers do not see",
        &[],
    ),
    entry(Action::CloseTopics, Section::Lists, "Close all topics", &[]),
    entry(
        Action::Zone,
        Section::Looks,
        "Switch times between UTC and the system's zone",
        &[],
    ),
    entry(
        Action::SystemTheme,
        Section::Looks,
        "Theme: as the system",
        &[],
    ),
    entry(Action::DarkTheme, Section::Looks, "Theme: dark", &[]),
    entry(Action::LightTheme, Section::Looks, "Theme: light", &[]),
    entry(
        Action::Larger,
        Section::Looks,
        "Make everything larger",
        &[
            with(Modifiers::COMMAND, Key::Plus),
            with(Modifiers::COMMAND, Key::Equals),
        ],
    ),
    entry(
        Action::Smaller,
        Section::Looks,
        "Make everything smaller",
        &[with(Modifiers::COMMAND, Key::Minus)],
    ),
    entry(
        Action::NormalSize,
        Section::Looks,
        "Back to normal size",
        &[with(Modifiers::COMMAND, Key::Num0)],
    ),
];
