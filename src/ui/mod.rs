//! The window: draws an immutable [`crate::engine::Snapshot`] and sends [`crate::engine::Command`]s.
//!
//! | part | what it is |
//! |---|---|
//! | [`run`] | opens the window, or says why it cannot |
//! | `app` | the frame: newest snapshot in, panels drawn, messages taken, commands out |
//! | `state` | what the person has chosen, and how each message changes it. Pure |
//! | `outbox` | what is to be sent to the engine, each wish once. Pure |
//! | `top_bar`, `status_bar`, `groups_panel`, `bottom_tabs`, `records_table`, `record_detail`, `group_view`, `rewind_panel`, `journal_panel`, `welcome` | a panel each; none knows another |
//! | `search` | the bar above the table: searching, and following what comes in |
//! | `locks`, `profiles`, `export`, `opener` | what may be done with the bus; named connections; records written to a file; links that the system opens |
//! | [`timeline`] | the lanes and their labels: `model`, `layout`, `paint`, `input` |
//! | `around` | global keys, dialogs, notices, looks and what is remembered, in each frame |
//! | `commands` | every command with its keys, once |
//! | `palette`, `dialogs` | what lies over the window: lists to type into, all keys, past notices |
//! | `glossary` | what the field's words mean |
//! | `tokens`, `theme`, `fonts` | every colour, size and typeface |
//! | `links` | a view as a link, to be copied; a link that was opened or pasted, followed |
//! | `decoding`, `taking` | records' parts decoded as the person wants; records as text to be taken elsewhere. Pure |
//! | `draw`, `format`, `scroll`, `num`, `group_marks` | small things that several panels share |
//!
//! What holds here: no panel changes state, it pushes a message; nothing blocks, and nothing touches the bus
//! or the async runtime; work is proportional to what is on screen; an unchanged window is not repainted.

mod app;
mod around;
mod bottom_tabs;
mod commands;
mod context;
mod decoding;
mod dialogs;
mod draw;
mod export;
mod findings_panel;
mod fonts;
mod format;
mod glossary;
mod group_marks;
mod group_view;
mod groups_panel;
mod journal_panel;
mod links;
mod locks;
mod num;
mod opener;
mod outbox;
mod palette;
mod profiles;
mod reading;
pub mod record_detail;
mod records_table;
mod rewind_panel;
mod run;
mod scroll;
mod search;
mod state;
mod status_bar;
mod taking;
mod theme;
pub mod timeline;
mod tokens;
mod top_bar;
mod welcome;

pub use app::{App, Start, Waker};
pub use run::{WindowError, run};
pub use state::{
    AxisKind, BottomTab, LaneKey, Remembered, Selection, UiState, ViewRange, WindowState,
};
