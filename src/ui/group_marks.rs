//! The letters that stand for groups in chips: one where it is the group's alone, two where several groups begin
//! with the same. Pure.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::engine::Inventory;
use crate::model::Text;

/// Which initials several groups share.
#[derive(Debug, Default)]
pub struct GroupMarks {
    inventory: Option<Arc<Inventory>>,
    shared: HashSet<String>,
    /// The groups whose two letters would be those of another one.
    apart: HashMap<Text, String>,
}

impl GroupMarks {
    /// For the groups of `inventory`.
    pub fn new(inventory: &Arc<Inventory>) -> Self {
        let (mut seen, mut shared) = (HashSet::new(), HashSet::new());
        for group in inventory.groups() {
            let letter = initial(&group.group.listing.name);
            if !seen.insert(letter.clone()) {
                shared.insert(letter);
            }
        }
        let mut used: HashSet<String> = HashSet::new();
        let mut apart = HashMap::new();
        for group in inventory.groups() {
            let name = &group.group.listing.name;
            if !shared.contains(&initial(name)) {
                continue;
            }
            let wanted = two_letters(name);
            if !used.insert(wanted.clone()) {
                let free = others(name).find(|mark| !used.contains(mark));
                let mark = free.unwrap_or(wanted);
                used.insert(mark.clone());
                apart.insert(name.clone(), mark);
            }
        }
        Self {
            inventory: Some(Arc::clone(inventory)),
            shared,
            apart,
        }
    }

    /// Whether they are for the groups of `inventory`.
    pub fn is_of(&self, inventory: &Arc<Inventory>) -> bool {
        self.inventory
            .as_ref()
            .is_some_and(|of| Arc::ptr_eq(of, inventory))
    }

    /// What stands for the group named `name`.
    pub fn of(&self, name: &Text) -> String {
        if let Some(mark) = self.apart.get(name) {
            return mark.clone();
        }
        let letter = initial(name);
        if self.shared.contains(&letter) {
            two_letters(name)
        } else {
            letter
        }
    }
}

/// The letter that stands for a group in its flag; `?` for a name without one.
fn initial(name: &Text) -> String {
    name.lossy()
        .chars()
        .find(|c| c.is_alphanumeric())
        .map_or_else(|| "?".to_owned(), |c| c.to_uppercase().collect())
}

/// Other marks for a group: its initial with any other sign of its name, then with any letter or digit.
fn others(name: &Text) -> impl Iterator<Item = String> {
    let first = initial(name);
    let own: Vec<char> = name
        .lossy()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    own.into_iter()
        .chain('a'..='z')
        .chain('0'..='9')
        .map(move |second| format!("{first}{second}"))
}

/// Two letters that follow from the name alone: its first, and of the last word the number's last digit or the
/// first letter; of a single word the second letter.
fn two_letters(name: &Text) -> String {
    let text = name.lossy();
    let letters =
        |word: &str| -> Vec<char> { word.chars().filter(|c| c.is_alphanumeric()).collect() };
    let words: Vec<Vec<char>> = text
        .split(|c: char| !c.is_alphanumeric())
        .map(letters)
        .filter(|word| !word.is_empty())
        .collect();
    let last = words.last().and_then(|word| word.last());
    let number = last.filter(|last| last.is_numeric());
    let second = match words.as_slice() {
        [word] => number.or_else(|| word.get(1)),
        [_, .., word] => number.or_else(|| word.first()),
        [] => None,
    };
    let second: String = second.into_iter().flat_map(|c| c.to_lowercase()).collect();
    format!("{}{second}", initial(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::GroupPlaces;
    use crate::model::by_hand;

    fn marks(names: &[&str]) -> Vec<String> {
        let group = |name: &&str| GroupPlaces {
            group: Arc::new(by_hand::group(name)),
            places: vec![],
        };
        let inventory = Arc::new(Inventory {
            groups: Some(Ok(names.iter().map(group).collect())),
            ..Inventory::default()
        });
        let marks = GroupMarks::new(&inventory);
        assert!(marks.is_of(&inventory) && !marks.is_of(&Arc::default()));
        names
            .iter()
            .map(|name| marks.of(&Text::from(*name)))
            .collect()
    }

    #[test]
    fn an_initial_that_is_a_groups_alone_stands_alone() {
        assert_eq!(marks(&["billing", "shipping"]), ["B", "S"]);
    }

    #[test]
    fn groups_that_begin_alike_have_two_letters() {
        assert_eq!(
            marks(&[
                "audit",
                "group-1",
                "group-2",
                "payments",
                "pricing",
                "order-service",
                "order-worker"
            ]),
            ["A", "G1", "G2", "Pa", "Pr", "Os", "Ow"]
        );
    }

    #[test]
    fn names_without_letters_do_no_harm() {
        assert_eq!(
            marks(&["--", "..", "群组-1", "群组-2"]),
            ["?", "?", "群1", "群2"]
        );
    }

    #[test]
    fn initials_are_letters_or_digits() {
        assert_eq!(initial(&Text::from("billing")), "B");
        assert_eq!(initial(&Text::from("群组-1")), "群");
        assert_eq!(initial(&Text::from("--")), "?");
    }
}
