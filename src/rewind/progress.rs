//! How far a group is after it was moved.

use crate::model::{Bookmark, Commit, JournalEntry, JournalRow, RowOutcome};

/// How far a group is past its old bookmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Whether some bookmark is not the one that was written any more: the group reads again.
    pub resumed: bool,
    /// Rows on which it is at or past its old bookmark.
    pub rows_passed: usize,
    /// Rows that were moved back.
    pub rows: usize,
    /// Offsets that are left until then, over all rows.
    pub left: u64,
}

/// How far the group of `entry` is, by what it has committed now.
pub fn progress(entry: &JournalEntry, commits: &[Commit]) -> Progress {
    let mut found = Progress::default();
    for row in &entry.rows {
        let now = commits
            .iter()
            .find(|commit| commit.at == row.at)
            .and_then(Bookmark::of);
        let (Some(before), Some(after)) = (&row.before, &row.after) else {
            continue;
        };
        if row.outcome != RowOutcome::Accepted {
            continue;
        }
        found.resumed |= now.as_ref().map(|now| now.offset) != Some(after.offset);
        if before.offset <= after.offset {
            continue;
        }
        found.rows = found.rows.saturating_add(1);
        if is_behind(row, now.as_ref()) {
            let at = now.map_or(after.offset, |now| now.offset);
            let left = before.offset.since(at).unwrap_or(0);
            found.left = found.left.saturating_add(left);
        } else {
            found.rows_passed = found.rows_passed.saturating_add(1);
        }
    }
    found
}

/// Whether a row that was moved back is not at or past its old bookmark yet. A bookmark that is gone has not
/// passed it.
pub fn is_behind(row: &JournalRow, now: Option<&Bookmark>) -> bool {
    let (Some(before), Some(after)) = (&row.before, &row.after) else {
        return false;
    };
    after.offset < before.offset && now.is_none_or(|now| now.offset < before.offset)
}
