//! What stands beside a lane's label, in short, and what it means. Pure.

use crate::model::{Problem, ProblemKind};

use super::super::format;
use super::model::Lane;

/// A short note beside a label, and what it means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The note.
    pub text: String,
    /// What it means, in full.
    pub hint: String,
    /// Whether something is not known.
    pub is_problem: bool,
}

impl Note {
    /// Something is not known, for this reason.
    fn unknown(problem: &Problem) -> Self {
        let text = match problem.kind {
            ProblemKind::NoLeader => "no leader",
            ProblemKind::Forbidden => "forbidden",
            _ => "—",
        };
        Self {
            text: text.to_owned(),
            hint: problem.to_string(),
            is_problem: true,
        }
    }
}

/// The note beside the label of `lane`.
pub fn of(lane: &Lane) -> Note {
    if let Some(problem) = &lane.topic.error {
        return Note::unknown(problem);
    }
    if let Some(partition) = lane.partition() {
        return partition
            .first_problem()
            .map_or_else(Note::default, Note::unknown);
    }
    let mut records: u64 = 0;
    let mut unknown = None;
    for partition in &lane.topic.partitions {
        match partition.ends() {
            Some((start, end)) => {
                records = records.saturating_add(end.since(start).unwrap_or(0));
            }
            None => unknown = partition.first_problem().or(unknown),
        }
    }
    let compacted = matches!(&lane.topic.config, Ok(config) if config.is_compacted());
    let count = format!("up to {}", format::counted(records, "record", "records"));
    let kept = if compacted {
        ", compacted: of the records with one key the last is kept"
    } else {
        ""
    };
    match unknown {
        Some(problem) => Note {
            text: format!("{}+", format::short_count(records)),
            hint: format!(
                "at least {}; part of it is not known: {problem}",
                format::counted(records, "record", "records")
            ),
            is_problem: true,
        },
        None => Note {
            text: if compacted {
                "compacted".to_owned()
            } else {
                format::short_count(records)
            },
            hint: format!(
                "{count} in {}{kept}",
                format::counted(
                    u64::try_from(lane.topic.partitions.len()).unwrap_or(u64::MAX),
                    "partition",
                    "partitions"
                )
            ),
            is_problem: false,
        },
    }
}
