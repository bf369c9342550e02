//! The answers as tables for people, made of what the JSON is made of.

mod cluster;
mod gaps;
mod groups;
mod kept;
mod records;
mod rewind;
mod timeline;
mod topics;

use std::io::{self, Write};

use jiff::tz::TimeZone;

use super::json::Reason;
use super::text::{UNKNOWN, visible};

pub(super) use gaps::change;
pub(super) use kept::{JournalTable, ProfileTable};
pub(super) use records::RecordTable;

/// Something that is not known, or does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Notice {
    /// What it concerns, ready to be shown.
    pub(super) about: String,
    /// Why.
    pub(super) reason: Reason,
    /// Whether the answer counts as partial because of it.
    pub(super) counts: bool,
}

impl Notice {
    /// An `error`: it makes the answer partial.
    fn error(about: String, reason: &Reason) -> Self {
        Self {
            about,
            reason: reason.clone(),
            counts: true,
        }
    }

    /// A reason why something beside the point is not known.
    fn aside(about: String, reason: &Reason) -> Self {
        Self {
            about,
            reason: reason.clone(),
            counts: false,
        }
    }

    /// Why there may be more groups; types that the bus cannot list do not make the answer partial.
    fn missing(reason: &Reason) -> Self {
        Self {
            about: "there may be more groups".to_owned(),
            reason: reason.clone(),
            counts: !reason.is_unsupported(),
        }
    }
}

/// The notice as one line.
pub(super) fn sentence(notice: &Notice) -> String {
    format!("{}: {}", notice.about, visible(&notice.reason.0.message))
}

/// An answer that can be shown as tables.
pub(super) trait Shown {
    /// Everything that is not known, in the order of the answer.
    fn notices(&self) -> Vec<Notice>;

    /// Writes the tables.
    ///
    /// # Errors
    /// `out` cannot be written.
    fn tables(&self, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()>;
}

/// Writes the reasons of what the tables show as unknown.
pub(super) fn reasons(notices: &[Notice], out: &mut dyn Write) -> io::Result<()> {
    if notices.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nNot known ({UNKNOWN}):")?;
    for notice in notices {
        writeln!(out, "  {}", sentence(notice))?;
    }
    Ok(())
}
