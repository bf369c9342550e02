//! What a list offers, and what of it answers the query. Kept until query or data change.

use std::sync::Arc;

use crate::engine::{AccessView, Inventory, Snapshot};
use crate::model::{Text, TopicName};

use super::super::commands::Action;
use super::super::format;
use super::super::state::Dialog;
use super::fuzzy;

/// Something that can be chosen in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A command.
    Command(Action),
    /// A topic, and whether it is one of the bus's own.
    Topic(TopicName, bool),
    /// A group, and its place among the groups.
    Group(Text, u64),
    /// A plan for a group.
    Rewind(Text),
    /// Connecting with a profile, by its name.
    Profile(String),
}

impl Item {
    /// What is searched and shown.
    pub fn name(&self) -> String {
        match self {
            Self::Command(action) => action.name().to_owned(),
            Self::Topic(name, _) => name.to_string(),
            Self::Group(name, _) => format::group_name(name, 200),
            Self::Rewind(name) => format!("Rewind {}…", format::group_name(name, 200)),
            Self::Profile(name) => format!("Connect to {name}"),
        }
    }
}

/// An item that answers the query.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The item.
    pub item: Item,
    /// Its name.
    pub name: String,
    /// Which characters of the name answer.
    pub letters: Vec<usize>,
}

/// The hits of the open list.
#[derive(Default)]
pub struct Hits {
    of: Option<(bool, String, Arc<Inventory>, Arc<AccessView>)>,
    list: Vec<Hit>,
}

impl Hits {
    /// The hits for `dialog`, the best first.
    pub fn of(&mut self, dialog: &Dialog, snapshot: &Snapshot) -> &[Hit] {
        let Snapshot {
            inventory, access, ..
        } = snapshot;
        let (is_commands, text) = match dialog {
            Dialog::Commands(query) => (true, &query.text),
            Dialog::Find(query) => (false, &query.text),
            _ => return &[],
        };
        let is_known = self
            .of
            .as_ref()
            .is_some_and(|(commands, known, data, access_of)| {
                let is_same = Arc::ptr_eq(data, inventory)
                    && (!is_commands || Arc::ptr_eq(access_of, access));
                *commands == is_commands && known == text && is_same
            });
        if !is_known {
            let items = if is_commands {
                let profiles = access.profiles.iter().flatten();
                let profiles = profiles.map(|profile| Item::Profile(profile.name.clone()));
                let groups = inventory.groups().iter().filter(|_| !text.is_empty());
                let groups = groups.map(|group| Item::Rewind(group.group.listing.name.clone()));
                Action::all()
                    .map(Item::Command)
                    .chain(profiles)
                    .chain(groups)
                    .collect()
            } else {
                places(inventory)
            };
            self.list = answering(items, text);
            let (inventory, access) = (Arc::clone(inventory), Arc::clone(access));
            self.of = Some((is_commands, text.clone(), inventory, access));
        }
        &self.list
    }
}

/// All topics and groups, those of the bus's own last.
fn places(inventory: &Inventory) -> Vec<Item> {
    let topics = |internal: bool| {
        inventory
            .topics()
            .iter()
            .filter(move |topic| topic.internal == internal)
            .map(move |topic| Item::Topic(Arc::clone(&topic.name), internal))
    };
    let groups = (0..)
        .zip(inventory.groups())
        .map(|(index, group)| Item::Group(group.group.listing.name.clone(), index));
    topics(false).chain(groups).chain(topics(true)).collect()
}

fn answering(items: Vec<Item>, query: &str) -> Vec<Hit> {
    let mut hits: Vec<(i32, Hit)> = items
        .into_iter()
        .filter_map(|item| {
            let name = item.name();
            let found = fuzzy::find(query, &name)?;
            let letters = found.letters;
            // Without a query the order is the list's own.
            let score = if letters.is_empty() { 0 } else { found.score };
            Some((
                score,
                Hit {
                    item,
                    name,
                    letters,
                },
            ))
        })
        .collect();
    hits.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    hits.into_iter().map(|(_, hit)| hit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::state::Query;

    fn query(text: &str) -> Query {
        Query {
            text: text.into(),
            chosen: 0,
        }
    }

    #[test]
    fn without_a_query_every_command_is_there_in_its_order() {
        let mut hits = Hits::default();
        let snapshot = Snapshot::default();
        let all: Vec<Item> = hits
            .of(&Dialog::Commands(query("")), &snapshot)
            .iter()
            .map(|hit| hit.item.clone())
            .collect();
        let expected: Vec<Item> = Action::all().map(Item::Command).collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn the_best_answer_comes_first() {
        let mut hits = Hits::default();
        let snapshot = Snapshot::default();
        let first = |hits: &mut Hits, text: &str| {
            hits.of(&Dialog::Commands(query(text)), &snapshot)[0]
                .item
                .clone()
        };
        assert_eq!(first(&mut hits, "dark"), Item::Command(Action::DarkTheme));
        assert_eq!(first(&mut hits, "undo"), Item::Command(Action::Undo));
        assert!(
            hits.of(&Dialog::Commands(query("no such thing")), &snapshot)
                .is_empty()
        );
    }
}
