//! What the detail says of an entry, fact by fact. Its rows are put into words when they are on screen. Pure.

use jiff::tz::TimeZone;

use crate::decode::visible::one_line;
use crate::engine::{Progression, Snapshot};
use crate::model::JournalEntry;

use super::super::format;
use super::super::num::u64_from_usize;
use super::model::JournalPanel;
use super::words::{self, Here, Said, Tone};

/// Confirmed things that are listed one by one.
const MOST_CONFIRMED: usize = 20;

/// A fact of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub name: &'static str,
    /// The fact.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
    /// Whether it is data rather than words.
    pub is_data: bool,
}

fn words(name: &'static str, text: impl Into<String>) -> Fact {
    Fact {
        name,
        text: text.into(),
        tone: Tone::Plain,
        is_data: false,
    }
}

fn data(name: &'static str, text: impl Into<String>) -> Fact {
    Fact {
        is_data: true,
        ..words(name, text)
    }
}

/// What is asked about an entry before it is put into words.
pub struct About<'a> {
    /// The entry.
    pub entry: &'a JournalEntry,
    /// How far its group is.
    pub progress: Option<&'a Progression>,
    /// What else the journal says.
    pub panel: &'a JournalPanel,
    /// What the engine knows.
    pub snapshot: &'a Snapshot,
    /// The zone in which times are written.
    pub zone: &'a TimeZone,
}

impl About<'_> {
    /// Whether it was made on the present cluster.
    pub fn here(&self) -> Here {
        Here::of(self.entry, self.snapshot)
    }

    /// How far it is.
    pub fn state(&self) -> Said {
        let is_on_its_way = words::is_on_its_way(self.entry, self.snapshot);
        words::state(self.entry, self.progress, self.here(), is_on_its_way)
    }

    /// Why it cannot be undone; `None` when a plan for it can be made.
    pub fn why_not_undo(&self) -> Option<String> {
        let undone_by = self.panel.undone_by(&self.entry.id);
        words::why_not_undo(
            self.entry,
            undone_by.map(|by| &**by),
            self.here(),
            self.zone,
        )
    }

    /// Why it cannot be checked or watched from here; `None` when it can.
    pub fn why_not_reach(&self) -> Option<&'static str> {
        match self.here() {
            Here::This => None,
            Here::Other => Some("it was made on another cluster: connect to that first"),
            Here::Unknown => Some("it is not known yet which cluster this is"),
        }
    }

    /// Everything but its rows.
    pub fn facts(&self) -> Vec<Fact> {
        let entry = self.entry;
        let state = self.state();
        let mut facts = vec![Fact {
            tone: state.tone,
            ..words("State", state.text)
        }];
        if let Some(why) = self.why_not_undo() {
            facts.push(Fact {
                tone: Tone::Dim,
                ..words("Undo", format!("Not possible: {why}"))
            });
        }
        facts.push(data("When", words::when(entry.at, self.zone)));
        facts.push(data("Who", one_line(entry.user.as_bytes(), 200)));
        facts.push(data("Cluster", self.cluster()));
        facts.push(data("Asked for", one_line(entry.target.as_bytes(), 2_000)));
        let confirmed = entry.confirmed.iter().take(MOST_CONFIRMED);
        facts.extend(confirmed.map(|text| data("Confirmed", one_line(text.as_bytes(), 2_000))));
        let more = entry.confirmed.len().saturating_sub(MOST_CONFIRMED);
        if more > 0 {
            let text = format!("and {} more", format::count(u64_from_usize(more)));
            facts.push(words("Confirmed", text));
        }
        if let Some(undoes) = &entry.undoes {
            let text = match self.panel.entry(undoes) {
                Some(undone) => format!("the change of {}", words::when(undone.at, self.zone)),
                None => format!("a change that is not in this journal: {undoes}"),
            };
            facts.push(words("Undoes", text));
        }
        if let Some(by) = self.panel.undone_by(&entry.id) {
            let text = format!("the change of {}", words::when(by.at, self.zone));
            facts.push(words("Undone by", text));
        }
        facts.push(data("Id", entry.id.clone()));
        facts
    }

    fn cluster(&self) -> String {
        let name = words::cluster(self.entry, self.snapshot);
        let name = one_line(name.as_bytes(), 200);
        match self.here() {
            Here::This => format!("{name}, this one"),
            Here::Unknown => name,
            Here::Other => format!("{name}, another one, reached at {}", self.entry.bootstrap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::tests::entry;
    use super::*;
    use crate::model::JournalState;

    #[test]
    fn everything_that_was_confirmed_is_there_in_the_persons_words() {
        let mut entry = entry(JournalState::Passed);
        entry.confirmed = vec![
            "no_hidden_reader".into(),
            "invoices may be sent twice, agreed with Ann".into(),
        ];
        let about = About {
            entry: &entry,
            progress: None,
            panel: &JournalPanel::default(),
            snapshot: &Snapshot::default(),
            zone: &TimeZone::get("Europe/Berlin").unwrap(),
        };
        let facts = about.facts();
        let texts = |name: &str| -> Vec<&str> {
            let facts = facts.iter().filter(|fact| fact.name == name);
            facts.map(|fact| fact.text.as_str()).collect()
        };
        assert_eq!(
            texts("Confirmed"),
            [
                "no_hidden_reader",
                "invoices may be sent twice, agreed with Ann"
            ]
        );
        assert_eq!(texts("When"), ["30 Nov 2026 14:02:00 UTC+01:00"]);
        assert_eq!(texts("Asked for"), ["time:2026-11-30T14:02:00+01:00"]);
        assert_eq!(texts("Who"), ["alice"]);
    }
}
