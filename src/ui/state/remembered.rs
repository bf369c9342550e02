//! What the window remembers from one run to the next: looks and sizes, nothing of a bus but its address,
//! and nothing that may be secret.
//!
//! Each field is a setting of its own, its value written as JSON. So two windows that run at the same time
//! overwrite only what each has changed, and what another version has written is left alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decode::value::{Decoders, Format, Part};

use super::search::MOST_RECENT;
use super::{TableColumns, UiState};

/// The least and the most that the window is scaled to.
pub const SCALES: (f32, f32) = (0.5, 3.0);

/// Which colours the window has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// Those that the system asks for; dark when it asks for none.
    #[default]
    System,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}

/// How large the window is, in points of the system.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowSize {
    /// Its width without frame.
    pub width: f32,
    /// Its height without frame.
    pub height: f32,
    /// Whether it fills the screen; width and height are then those it goes back to.
    pub maximized: bool,
}

/// As what a part of a topic's records is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadAs {
    /// The topic.
    pub topic: String,
    /// Whether its keys are meant rather than its values.
    pub key: bool,
    /// The format, by its name. One that is not known here stays in the list and counts as not chosen.
    pub format: String,
}

impl ReadAs {
    fn all(decoders: &Decoders) -> Vec<Self> {
        let each = decoders.iter().map(|(topic, part, format)| Self {
            topic: topic.to_owned(),
            key: part == Part::Key,
            format: format.name().to_owned(),
        });
        each.collect()
    }

    fn part(&self) -> Part {
        if self.key { Part::Key } else { Part::Value }
    }

    fn is_of(&self, other: &Self) -> bool {
        self.topic == other.topic && self.key == other.key
    }
}

/// What is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// The colours.
    pub theme: ThemeChoice,
    /// How much everything is enlarged; 1 is the system's own size.
    pub scale: f32,
    /// Whether times are written in UTC rather than in the system's zone.
    pub utc: bool,
    /// The address last connected to: hosts and ports, nothing else.
    pub address: String,
    /// Width of the column of labels, in points.
    pub label_width: f32,
    /// Height of the area with the records, as a part of the room that there is.
    pub records_share: f32,
    /// Width of a record's detail, as a part of the room that there is.
    pub detail_share: f32,
    /// The columns of the table of records.
    pub columns: TableColumns,
    /// The filters of the last searches, the newest first.
    pub searches: Vec<Vec<String>>,
    /// How parts of topics' records are read where a person chose.
    pub decoders: Vec<ReadAs>,
    /// The folder to which records were written last.
    pub export_folder: String,
    /// The window's size, once it is known.
    pub window: Option<WindowSize>,
}

impl Default for Remembered {
    fn default() -> Self {
        let state = UiState::default();
        Self {
            theme: ThemeChoice::default(),
            scale: 1.0,
            utc: false,
            address: String::new(),
            label_width: state.label_width,
            records_share: state.records_share,
            detail_share: state.detail_share,
            columns: TableColumns::default(),
            searches: Vec::new(),
            decoders: Vec::new(),
            export_folder: String::new(),
            window: None,
        }
    }
}

impl Remembered {
    /// What `stored` says, by the fields' names. What cannot be understood counts as never said.
    pub fn from_stored(stored: &BTreeMap<String, String>) -> Self {
        let mut known = Map::new();
        for (name, text) in stored {
            let Ok(value) = serde_json::from_str::<Value>(text) else {
                continue;
            };
            let alone = Map::from_iter([(name.clone(), value.clone())]);
            if serde_json::from_value::<Self>(Value::Object(alone)).is_ok() {
                known.insert(name.clone(), value);
            }
        }
        let mut remembered: Self = serde_json::from_value(Value::Object(known)).unwrap_or_default();
        remembered.scale = bounded_scale(remembered.scale);
        remembered
    }

    /// The settings in which this differs from `before`, by the fields' names.
    pub fn changes_since(&self, before: &Self) -> Vec<(String, String)> {
        let (Ok(Value::Object(now)), Ok(Value::Object(before))) =
            (serde_json::to_value(self), serde_json::to_value(before))
        else {
            return Vec::new();
        };
        now.into_iter()
            .filter(|(name, value)| before.get(name) != Some(value))
            .map(|(name, value)| (name, value.to_string()))
            .collect()
    }

    /// Takes over what of it the panels' own state holds.
    pub fn take_from(&mut self, state: &UiState) {
        self.label_width = state.label_width;
        self.records_share = state.records_share;
        self.detail_share = state.detail_share;
        if self.columns != state.table.columns {
            self.columns.clone_from(&state.table.columns);
        }
        if self.searches != state.search.recent {
            self.searches.clone_from(&state.search.recent);
        }
        self.take_decoders(&state.decoders);
    }

    /// Takes over the choices that are made now; those that are not understood here stay.
    fn take_decoders(&mut self, decoders: &Decoders) {
        let now = ReadAs::all(decoders);
        let before = &self.decoders;
        let is_unknown = |read: &&ReadAs| {
            Format::from_name(&read.format).is_none() && !now.iter().any(|known| known.is_of(read))
        };
        let unknown = before.iter().filter(is_unknown).cloned();
        let all: Vec<ReadAs> = now.iter().cloned().chain(unknown).collect();
        if self.decoders != all {
            self.decoders = all;
        }
    }

    /// Gives `state` what of it the panels' own state holds.
    pub fn give_to(&self, state: &mut UiState) {
        state.label_width = super::label_width(self.label_width);
        state.records_share = super::part(self.records_share);
        state.detail_share = super::part(self.detail_share);
        state.address.clone_from(&self.address);
        state.table.columns = self.columns.clone().sound();
        state.search.recent.clone_from(&self.searches);
        state.search.recent.truncate(MOST_RECENT);
        let mut decoders = Decoders::default();
        for read in &self.decoders {
            if let Some(format) = Format::from_name(&read.format) {
                decoders.choose(&read.topic, read.part(), Some(format));
            }
        }
        state.decoders = Arc::new(decoders);
    }
}

/// `scale` within [`SCALES`], in whole percents.
pub fn bounded_scale(scale: f32) -> f32 {
    if scale.is_finite() {
        ((scale * 100.0).round() / 100.0).clamp(SCALES.0, SCALES.1)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::state::ColumnKind;

    fn stored(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn what_changed_comes_back() {
        let before = Remembered::default();
        let mut now = before.clone();
        now.theme = ThemeChoice::Light;
        now.scale = 1.3;
        now.records_share = 0.6;
        now.address = "kafka-1:9092,kafka-2:9092".into();
        now.window = Some(WindowSize {
            width: 1_200.0,
            height: 800.5,
            maximized: true,
        });
        let changes = now.changes_since(&before);
        let names: Vec<&str> = changes.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["address", "records_share", "scale", "theme", "window"]
        );
        assert_eq!(
            changes.iter().find(|(name, _)| name == "theme").unwrap().1,
            "\"light\""
        );
        assert_eq!(Remembered::from_stored(&changes.into_iter().collect()), now);
        assert!(now.changes_since(&now).is_empty());
    }

    #[test]
    fn what_cannot_be_understood_takes_nothing_else_with_it() {
        let stored = stored(&[
            ("theme", "\"sepia\""),
            ("utc", "true"),
            ("scale", "not json"),
            ("label_width", "\"wide\""),
            ("of a later version", "[1, 2]"),
        ]);
        let expected = Remembered {
            utc: true,
            ..Remembered::default()
        };
        assert_eq!(Remembered::from_stored(&stored), expected);
    }

    #[test]
    fn sizes_stay_within_their_bounds() {
        let scale = |text: &str| Remembered::from_stored(&stored(&[("scale", text)])).scale;
        assert!((scale("900") - 3.0).abs() < 1e-6);
        assert!((scale("0.01") - 0.5).abs() < 1e-6);
        assert!((scale("1.24999") - 1.25).abs() < 1e-6);
        assert!((bounded_scale(f32::NAN) - 1.0).abs() < 1e-6);
        let remembered =
            Remembered::from_stored(&stored(&[("label_width", "99999"), ("detail_share", "-4")]));
        let mut state = UiState::default();
        remembered.give_to(&mut state);
        assert!((state.label_width - 480.0).abs() < 1e-6);
        assert!((state.detail_share - 0.15).abs() < 1e-6);
    }

    #[test]
    fn choices_of_formats_come_back_and_what_is_not_understood_stays() {
        let text = r#"[{"topic":"orders","key":true,"format":"hex"},{"topic":"later","key":false,"format":"of a later version"}]"#;
        let mut remembered = Remembered::from_stored(&stored(&[("decoders", text)]));
        let mut state = UiState::default();
        remembered.give_to(&mut state);
        let chosen = |state: &UiState, topic| state.decoders.chosen(topic, Part::Key);
        assert_eq!(chosen(&state, "orders"), Some(Format::Hex));
        assert_eq!(chosen(&state, "later"), None);
        let before = remembered.clone();
        remembered.take_from(&state);
        assert_eq!(remembered, before);
        Arc::make_mut(&mut state.decoders).choose("orders", Part::Key, None);
        remembered.take_from(&state);
        assert_eq!(remembered.decoders, before.decoders[1..]);
    }

    #[test]
    fn columns_come_back_as_they_can_be_shown() {
        let mut columns = TableColumns::default();
        columns.toggle(&ColumnKind::Field(".amount".into()));
        columns.set_width(&ColumnKind::Key, Some(90.0));
        let before = Remembered::default();
        let now = Remembered {
            columns: columns.clone(),
            ..before.clone()
        };
        let kept: BTreeMap<String, String> = now.changes_since(&before).into_iter().collect();
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["columns"]);
        let mut state = UiState::default();
        Remembered::from_stored(&kept).give_to(&mut state);
        assert_eq!(state.table.columns, columns);
        let twice = columns.shown.iter().chain(&columns.shown).cloned();
        let odd = TableColumns {
            shown: twice.collect(),
        };
        assert_eq!(odd.sound(), columns);
        assert_eq!(
            TableColumns { shown: vec![] }.sound(),
            TableColumns::default()
        );
    }
}
