//! How far a group is after it was moved.

use std::collections::BTreeMap;

use crate::model::{Bookmark, Commit, JournalEntry, JournalRow, RowOutcome, TopicPartition};

/// How far a group is on the way past its old bookmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Whether it reads again: a bookmark that was written has moved on.
    pub resumed: bool,
    /// Rows that were moved back and are at or past their old bookmark.
    pub rows_passed: usize,
    /// Rows that were moved back.
    pub rows: usize,
    /// Offsets that are left until then, over all rows.
    pub left: u64,
}

/// How far the group of `entry` is, by what it has committed now.
pub fn progress(entry: &JournalEntry, commits: &[Commit]) -> Progress {
    let now: BTreeMap<&TopicPartition, Bookmark> = commits
        .iter()
        .filter_map(|commit| Some((&commit.at, Bookmark::of(commit)?)))
        .collect();
    let mut progress = Progress::default();
    for row in &entry.rows {
        if row.outcome != RowOutcome::Accepted {
            continue;
        }
        let found = now.get(&row.at);
        progress.resumed |= matches!(
            (&row.after, found),
            (Some(after), Some(found)) if found.offset > after.offset
        );
        let Some((before, after)) = moved_back(row) else {
            continue;
        };
        progress.rows = progress.rows.saturating_add(1);
        if is_behind(row, found) {
            let here = found.map_or(after.offset, |found| found.offset);
            let left = before.offset.since(here).unwrap_or(0);
            progress.left = progress.left.saturating_add(left);
        } else {
            progress.rows_passed = progress.rows_passed.saturating_add(1);
        }
    }
    progress
}

/// Whether a row that was moved back is not at its old bookmark again, `found` being where the group is.
pub fn is_behind(row: &JournalRow, found: Option<&Bookmark>) -> bool {
    moved_back(row)
        .is_some_and(|(before, _)| found.is_none_or(|found| found.offset < before.offset))
}

/// The old and the new bookmark of a row that was moved back.
fn moved_back(row: &JournalRow) -> Option<(&Bookmark, &Bookmark)> {
    let (before, after) = (row.before.as_ref()?, row.after.as_ref()?);
    (after.offset < before.offset).then_some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::by_hand::commit;
    use crate::model::{JournalState, Offset, Text, TimestampMs};

    fn row(partition: i32, before: Option<i64>, after: Option<i64>) -> JournalRow {
        let bookmark = |offset| Bookmark::plain(Offset(offset));
        JournalRow {
            at: TopicPartition::new("t", partition),
            topic_id: None,
            before: before.map(bookmark),
            after: after.map(bookmark),
            outcome: RowOutcome::Accepted,
            read_back: None,
        }
    }

    fn entry(rows: Vec<JournalRow>) -> JournalEntry {
        JournalEntry {
            id: "1".to_owned(),
            at: TimestampMs(0),
            user: String::new(),
            cluster_id: None,
            bootstrap: String::new(),
            group: Text::from("g"),
            target: String::new(),
            confirmed: vec![],
            state: JournalState::Watching,
            rows,
            undoes: None,
        }
    }

    #[test]
    fn rows_that_were_moved_back_and_accepted_count() {
        let mut refused = row(4, Some(90), Some(10));
        refused.outcome = RowOutcome::Refused("no".to_owned());
        let entry = entry(vec![
            row(0, Some(80), Some(20)),
            row(1, Some(50), Some(20)),
            row(2, Some(10), Some(60)),
            row(3, None, Some(5)),
            refused,
        ]);
        let unmoved = [
            commit("t", 0, Some(20)),
            commit("t", 1, Some(20)),
            commit("t", 2, Some(60)),
            commit("t", 3, Some(5)),
        ];
        let expected = Progress {
            resumed: false,
            rows_passed: 0,
            rows: 2,
            left: 90,
        };
        assert_eq!(progress(&entry, &unmoved), expected);
        let on_its_way = [commit("t", 0, Some(30)), commit("t", 1, Some(50))];
        let expected = Progress {
            resumed: true,
            rows_passed: 1,
            rows: 2,
            left: 50,
        };
        assert_eq!(progress(&entry, &on_its_way), expected);
        let gone = Progress {
            resumed: false,
            rows_passed: 0,
            rows: 2,
            left: 90,
        };
        assert_eq!(progress(&entry, &[]), gone);
    }
}
