//! Who has read a record. Pure.

use std::collections::BTreeSet;

use crate::engine::{GroupPlaces, Inventory};
use crate::model::{Record, Text};

use super::super::format;
use super::super::num::u64_from_usize;
use super::super::reading::{Reading, standing};
use super::super::state::detail::Fold;

/// Groups of one sort that are named before the rest is folded.
const NAMED: usize = 8;
/// Groups without a committed offset that are named before all of them are folded.
const NAMED_NEVER: usize = 3;

fn sort_of(reading: &Reading) -> Fold {
    match reading {
        Reading::NotYet(_) | Reading::Missed => Fold::NotYet,
        Reading::Beyond { .. } | Reading::Unknown(_) => Fold::Unknown,
        Reading::Read => Fold::Read,
        Reading::NeverCommitted => Fold::Never,
    }
}

/// One line about who has read the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReaderLine {
    /// A group.
    Group(Text, Reading),
    /// Groups of one sort that are all named, or not: how many these are, and whether they follow.
    Fold {
        /// The sort.
        fold: Fold,
        /// How many they are.
        count: usize,
        /// Whether they are named below.
        is_open: bool,
    },
    /// A sentence; whether it is something to mind.
    Note(String, bool),
}

/// What is said on a line that folds `count` groups.
pub(super) fn fold_sentence(fold: Fold, count: usize) -> String {
    let count = u64_from_usize(count);
    let groups = format::counted(count, "group", "groups");
    match fold {
        Fold::NotYet => format!("{} more have not read it", format::count(count)),
        Fold::Unknown => format!("{} more of which it is not known", format::count(count)),
        Fold::Read => format!("{} more have read it", format::count(count)),
        Fold::Never => format!("{groups} never committed here"),
    }
}

/// Who has read `record`: the `chosen` group first, then those that have not, those of which it is not
/// known, those that have, and those that never committed; of many only the first, unless `unfolded`.
pub(super) fn readers(
    inventory: &Inventory,
    record: &Record,
    chosen: Option<&Text>,
    unfolded: &BTreeSet<Fold>,
) -> Vec<ReaderLine> {
    let mut lines = Vec::new();
    match &inventory.groups {
        None => lines.push(ReaderLine::Note("Reading groups…".to_owned(), false)),
        Some(Err(problem)) => {
            let said = format!("— who has read it is not known: {problem}");
            lines.push(ReaderLine::Note(said, true));
        }
        Some(Ok(groups)) => lines.extend(of_groups(groups, record, chosen, unfolded)),
    }
    for problem in &inventory.groups_missing {
        let said = format!("There may be more groups: {problem}");
        lines.push(ReaderLine::Note(said, true));
    }
    lines
}

fn of_groups(
    groups: &[GroupPlaces],
    record: &Record,
    chosen: Option<&Text>,
    unfolded: &BTreeSet<Fold>,
) -> Vec<ReaderLine> {
    let at = record.at();
    let mut lines = Vec::new();
    let mut sorts: [Vec<ReaderLine>; 4] = Default::default();
    for group in groups {
        let name = &group.group.listing.name;
        let Some(reading) = standing(group, &at).map(|standing| standing.reading(record.offset))
        else {
            continue;
        };
        let [not_yet, unknown, read, never] = &mut sorts;
        let of_its_sort = match sort_of(&reading) {
            _ if chosen == Some(name) => &mut lines,
            Fold::NotYet => not_yet,
            Fold::Unknown => unknown,
            Fold::Read => read,
            Fold::Never => never,
        };
        of_its_sort.push(ReaderLine::Group(name.clone(), reading));
    }
    let folds = [Fold::NotYet, Fold::Unknown, Fold::Read, Fold::Never];
    for (fold, mut sort) in folds.into_iter().zip(sorts) {
        let named = match fold {
            Fold::Never if sort.len() <= NAMED_NEVER => sort.len(),
            Fold::Never => 0,
            // A line that stands for a single one would save nothing.
            _ if sort.len() <= NAMED.saturating_add(1) => sort.len(),
            _ => NAMED,
        };
        let rest = sort.split_off(named.min(sort.len()));
        lines.append(&mut sort);
        if !rest.is_empty() {
            let is_open = unfolded.contains(&fold);
            lines.push(ReaderLine::Fold {
                fold,
                count: rest.len(),
                is_open,
            });
            if is_open {
                lines.extend(rest);
            }
        }
    }
    if lines.is_empty() {
        let said = "No group has a place in this partition".to_owned();
        lines.push(ReaderLine::Note(said, false));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::inspect::lag::Place;
    use crate::model::{Group, Offset, by_hand};

    fn place(committed: Option<i64>, start: i64) -> Place {
        let commit = by_hand::commit("t", 0, committed);
        Place::new(&commit, Ok(Offset(start)), Ok(Offset(100)))
    }

    fn group(name: &str, places: Vec<Place>) -> GroupPlaces {
        GroupPlaces {
            group: Arc::new(Group {
                commits: Ok(vec![]),
                ..by_hand::group(name)
            }),
            places,
        }
    }

    fn record() -> Record {
        by_hand::record("t", 0, 40)
    }

    fn said(groups: Vec<GroupPlaces>, chosen: Option<&str>, open: &[Fold]) -> Vec<String> {
        let inventory = Inventory {
            groups: Some(Ok(groups)),
            ..Inventory::default()
        };
        let chosen = chosen.map(Text::from);
        let unfolded = open.iter().copied().collect();
        readers(&inventory, &record(), chosen.as_ref(), &unfolded)
            .into_iter()
            .map(|line| match line {
                ReaderLine::Group(name, reading) => format!("{name} {}", reading.sentence()),
                ReaderLine::Fold { fold, count, .. } => fold_sentence(fold, count),
                ReaderLine::Note(text, _) => text,
            })
            .collect()
    }

    #[test]
    fn the_chosen_group_is_first_and_those_that_still_have_to_read_it_follow() {
        let groups = vec![
            group("a-read", vec![place(Some(50), 0)]),
            group("b-never", vec![place(None, 0)]),
            group("c-behind", vec![place(Some(10), 0)]),
            group("d-elsewhere", vec![]),
            group("e-chosen", vec![place(Some(90), 0)]),
            group("f-beyond", vec![place(Some(200), 0)]),
        ];
        assert_eq!(
            said(groups, Some("e-chosen"), &[]),
            [
                "e-chosen has read it",
                "c-behind has not: 30 behind",
                "f-beyond — not known: it stands at 200, beyond the end (100)",
                "a-read has read it",
                "b-never never committed",
            ]
        );
    }

    #[test]
    fn of_hundreds_the_first_are_named_and_the_rest_is_counted() {
        let mut groups = Vec::new();
        for number in 0..300 {
            let committed = match number % 3 {
                0 => Some(50),
                1 => Some(10),
                _ => None,
            };
            groups.push(group(&format!("g{number:03}"), vec![place(committed, 0)]));
        }
        let folded = said(groups.clone(), None, &[]);
        assert_eq!(folded.len(), 8 + 1 + 8 + 1 + 1);
        assert_eq!(folded[8], "92 more have not read it");
        assert_eq!(folded[17], "92 more have read it");
        assert_eq!(folded[18], "100 groups never committed here");
        let open = said(groups, None, &[Fold::Never]);
        assert_eq!(open.len(), folded.len() + 100);
        assert_eq!(open[19], "g002 never committed");
    }

    #[test]
    fn nobody_and_not_known_are_told_apart() {
        assert_eq!(
            said(vec![], None, &[]),
            ["No group has a place in this partition"]
        );
        let unread = Inventory::default();
        let lines = readers(&unread, &record(), None, &BTreeSet::new());
        assert_eq!(
            lines,
            [ReaderLine::Note("Reading groups…".to_owned(), false)]
        );
    }
}
