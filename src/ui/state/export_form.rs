//! Records that are to be written to a file: which, how and where to. Pure.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::engine::{ExportFormat, ExportStage, ExportView, Folders};
use crate::model::time::zoned;
use crate::model::{Record, TimestampMs};

/// What stands in the dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportForm {
    /// Whether everything that the search finds is meant rather than the selected records.
    pub of_search: bool,
    /// How they are written.
    pub format: ExportFormat,
    /// Whether what key and value were decoded to is written too.
    pub decode: bool,
    /// Where to, as it was typed.
    pub path: String,
    /// The number of the request that was sent; `None` until one was.
    pub sent: Option<u64>,
}

/// How far what was sent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent<'a> {
    /// Nothing was sent, or it was given up.
    Nothing,
    /// It is on its way.
    Running,
    /// There is such a file.
    Exists,
    /// It failed.
    Failed(&'a str),
}

impl ExportForm {
    /// A form for `records`, into `folder`.
    pub fn new(
        records: &[Arc<Record>],
        of_search: bool,
        folder: Option<&Path>,
        now: TimestampMs,
        zone: &TimeZone,
    ) -> Self {
        let format = ExportFormat::default();
        let name = format!(
            "{}.{}",
            name_for(records, of_search, now, zone),
            ending(format)
        );
        let path = folder.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name));
        Self {
            of_search,
            format,
            path: path.to_string_lossy().into_owned(),
            ..Self::default()
        }
    }

    /// Writes them otherwise; the file's ending goes with it, where it is the usual one.
    pub fn set_format(&mut self, format: ExportFormat) {
        let before = format!(".{}", ending(self.format));
        if let Some(stem) = self.path.strip_suffix(&before) {
            self.path = format!("{stem}.{}", ending(format));
        }
        self.format = format;
    }

    /// The file that is meant: below the home where it begins with `~/`, below the folder for documents where it
    /// names no folder from the root on.
    ///
    /// # Errors
    /// Why it can be none, as a sentence.
    pub fn file(&self, folders: &Folders) -> Result<PathBuf, String> {
        let text = self.path.trim();
        if text.is_empty() {
            return Err("Write where to".to_owned());
        }
        if text.ends_with(['/', '\\']) || text == "~" {
            return Err("That is a folder: write the name of a file".to_owned());
        }
        if text.contains('\0') {
            return Err("A file cannot have that name".to_owned());
        }
        if let Some(below) = text.strip_prefix("~/") {
            let home = folders.home.as_ref();
            return home
                .map(|home| home.join(below))
                .ok_or_else(|| "No home is known: write the whole path".to_owned());
        }
        let path = Path::new(text);
        if path.is_absolute() {
            return Ok(path.to_owned());
        }
        let documents = folders.documents.as_ref();
        documents
            .map(|documents| documents.join(path))
            .ok_or_else(|| "No folder is known: write the whole path".to_owned())
    }

    /// How far what was sent is, as `view` has it.
    pub fn sent<'v>(&self, view: &'v ExportView) -> Sent<'v> {
        match (self.sent, &view.stage) {
            (None, _) => Sent::Nothing,
            (Some(number), _) if number != view.number => Sent::Running,
            (_, ExportStage::Running | ExportStage::Done) => Sent::Running,
            (_, ExportStage::Exists) => Sent::Exists,
            (_, ExportStage::Failed(problem)) => Sent::Failed(&problem.message),
            (_, ExportStage::Idle | ExportStage::Cancelled) => Sent::Nothing,
        }
    }
}

/// What files in that form end with.
fn ending(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::JsonLines => "jsonl",
        ExportFormat::Csv => "csv",
    }
}

/// A name that says what is in it.
fn name_for(records: &[Arc<Record>], of_search: bool, now: TimestampMs, zone: &TimeZone) -> String {
    let topic = records.first().map(|record| &record.topic);
    let is_one_topic = records.iter().all(|record| Some(&record.topic) == topic);
    let what = match topic {
        _ if of_search => "search".to_owned(),
        Some(topic) if is_one_topic => plain(topic),
        _ => "records".to_owned(),
    };
    if let ([record], false) = (records, of_search) {
        return format!("{what}-{}-{}", record.partition, record.offset);
    }
    let time = zoned(now, zone).map(|at| at.strftime("%Y%m%d-%H%M%S").to_string());
    format!("{what}-{}", time.unwrap_or_default())
}

/// `name` with nothing in it that a file's name cannot have or that hides it.
fn plain(name: &str) -> String {
    let kept = name.chars().take(80).map(|c| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
            c
        } else {
            '_'
        }
    });
    let kept: String = kept.collect();
    kept.trim_start_matches(['.', '-']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Problem, ProblemKind, by_hand};

    const NOW: TimestampMs = TimestampMs(1_796_047_198_000);

    fn folders() -> Folders {
        Folders {
            home: Some("/home/me".into()),
            documents: Some("/home/me/Documents".into()),
        }
    }

    fn form(records: &[Arc<Record>]) -> ExportForm {
        ExportForm::new(
            records,
            false,
            Some(Path::new("/home/me/Documents")),
            NOW,
            &TimeZone::UTC,
        )
    }

    #[test]
    fn a_file_is_named_after_what_is_in_it() {
        let record = |topic: &str, offset| Arc::new(by_hand::record(topic, 1, offset));
        let path = |records: &[Arc<Record>]| form(records).path;
        assert_eq!(
            path(&[record("orders", 7)]),
            "/home/me/Documents/orders-1-7.jsonl"
        );
        assert_eq!(
            path(&[record("orders", 7), record("orders", 8)]),
            "/home/me/Documents/orders-20261130-135958.jsonl"
        );
        assert_eq!(
            path(&[record("orders", 7), record("../x", 8)]),
            "/home/me/Documents/records-20261130-135958.jsonl"
        );
        assert_eq!(
            path(&[record("../x y", 7)]),
            "/home/me/Documents/_x_y-1-7.jsonl"
        );
    }

    #[test]
    fn the_ending_goes_with_the_form_where_it_is_the_usual_one() {
        let mut form = form(&[]);
        form.set_format(ExportFormat::Csv);
        assert_eq!(form.path, "/home/me/Documents/records-20261130-135958.csv");
        form.path = "/tmp/mine.txt".into();
        form.set_format(ExportFormat::JsonLines);
        assert_eq!(form.path, "/tmp/mine.txt");
    }

    #[test]
    fn a_path_is_taken_as_a_person_means_it() {
        let file = |path: &str| {
            let form = ExportForm {
                path: path.into(),
                ..ExportForm::default()
            };
            form.file(&folders())
        };
        assert_eq!(file(" /tmp/a b.csv "), Ok("/tmp/a b.csv".into()));
        assert_eq!(file("~/a.csv"), Ok("/home/me/a.csv".into()));
        assert_eq!(file("a.csv"), Ok("/home/me/Documents/a.csv".into()));
        for wrong in ["", "  ", "/tmp/", "~", "a\0b"] {
            assert!(file(wrong).is_err(), "{wrong:?}");
        }
        let form = ExportForm {
            path: "a.csv".into(),
            ..ExportForm::default()
        };
        assert!(form.file(&Folders::default()).is_err());
    }

    #[test]
    fn only_what_was_sent_from_here_counts() {
        let view = |number, stage| ExportView {
            number,
            stage,
            ..ExportView::default()
        };
        let mut form = form(&[]);
        assert_eq!(form.sent(&view(4, ExportStage::Running)), Sent::Nothing);
        form.sent = Some(5);
        assert_eq!(form.sent(&view(4, ExportStage::Exists)), Sent::Running);
        assert_eq!(form.sent(&view(5, ExportStage::Exists)), Sent::Exists);
        assert_eq!(form.sent(&view(5, ExportStage::Cancelled)), Sent::Nothing);
        let full = Problem::new(ProblemKind::Other, "the disk is full");
        assert_eq!(
            form.sent(&view(5, ExportStage::Failed(full))),
            Sent::Failed("the disk is full")
        );
    }
}
