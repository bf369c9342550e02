//! From what was written of `rewind` and `undo` to what the engine is asked.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::engine::{Files, RewindRequest};
use crate::model::json::read_entries;
use crate::model::time::parse_duration_ms;
use crate::model::{JournalEntry, Text};
use crate::rewind::table;
use crate::rewind::target::{Part, PlanRequest, Scope, Target, Written, parse};

use super::args::{ChangeArgs, RewindArgs, UndoArgs};
use super::plan::{Times, Usage, scope, text};

/// What `rewind` asks for. Reads the table or the journal that the target names.
pub(super) fn rewind(
    args: &RewindArgs,
    times: &mut Times<'_>,
    files: &Files,
) -> Result<RewindRequest, Usage> {
    let mut only_cluster = None;
    let mut undoes = None;
    let target = match target(args, times)? {
        Written::Target(target) => target,
        Written::File(path) => Target::Table(Arc::from(read_table(&path, &text(&args.group))?)),
        Written::Journal(id) => {
            let entry = entry_of(&id, None, files)?;
            if entry.group != text(&args.group) {
                return Err(Usage(format!(
                    "the entry {id} is of the group {}",
                    entry.group.lossy()
                )));
            }
            only_cluster.clone_from(&entry.cluster_id);
            undoes = Some(entry.id.clone());
            Target::undoing(&entry)
        }
    };
    let plan = PlanRequest {
        group: text(&args.group),
        parts: parts(&args.topics, &target)?,
        left_out: BTreeSet::new(),
        new_group: args.new_group,
        with_metadata: args.with_metadata,
        undoes,
    };
    request(plan, only_cluster, &args.change)
}

/// What `undo` asks for.
pub(super) fn undo(args: &UndoArgs, files: &Files) -> Result<RewindRequest, Usage> {
    let entry = entry_of(&args.id, args.file.as_deref(), files)?;
    let before = Target::undoing(&entry);
    if matches!(&before, Target::Before { rows, .. } if rows.is_empty()) {
        return Err(Usage(format!(
            "the entry {} changed nothing, so there is nothing to undo",
            entry.id
        )));
    }
    let plan = PlanRequest {
        group: entry.group.clone(),
        parts: parts(&args.topics, &before)?,
        left_out: BTreeSet::new(),
        new_group: false,
        with_metadata: false,
        undoes: Some(entry.id.clone()),
    };
    request(plan, entry.cluster_id, &args.change)
}

fn request(
    plan: PlanRequest,
    only_cluster: Option<String>,
    args: &ChangeArgs,
) -> Result<RewindRequest, Usage> {
    if let Some(path) = args.export.as_deref().filter(|path| path.exists()) {
        return Err(Usage(format!(
            "--export: {} is there already, and is not written over",
            path.display()
        )));
    }
    let length = |option: &str, text: &str| {
        parse_duration_ms(text).map_err(|error| Usage(format!("{option}: {error}")))
    };
    Ok(RewindRequest {
        plan,
        only_cluster,
        execute: args.execute,
        plan_id: args.plan.clone(),
        confirmed: args.confirm.iter().cloned().collect(),
        wait_ms: args
            .wait
            .as_deref()
            .map(|wait| length("--wait", wait))
            .transpose()?,
        observe_ms: length("--observe", &args.observe)?,
    })
}

fn target(args: &RewindArgs, times: &mut Times<'_>) -> Result<Written, Usage> {
    // A group's name may be any bytes, everything else is text.
    if let Some(name) = args.to.as_encoded_bytes().strip_prefix(b"group:")
        && !name.is_empty()
    {
        return Ok(Written::Target(Target::Group(Text::from_bytes(name))));
    }
    let written = args
        .to
        .to_str()
        .ok_or_else(|| Usage("--to is no text".to_owned()))?;
    let (target, zone_assumed) =
        parse(written, times.now, times.zone).map_err(|error| Usage(format!("--to: {error}")))?;
    if let (true, Written::Target(Target::Time(at))) = (zone_assumed, &target) {
        times.assume(*at);
    }
    Ok(target)
}

fn parts(topics: &[String], target: &Target) -> Result<Vec<Part>, Usage> {
    let part = |scope| Part {
        scope,
        target: target.clone(),
    };
    if topics.is_empty() {
        return Ok(vec![part(Scope::Committed)]);
    }
    topics
        .iter()
        .map(|written| {
            let named = scope(written)?;
            match (named.partition, named.offset) {
                (None, _) => Ok(part(Scope::Topic(named.topic))),
                (Some(partition), None) => Ok(part(Scope::Partition(named.topic, partition))),
                (Some(_), Some(_)) => Err(Usage(format!(
                    "--topic “{written}”: write TOPIC or TOPIC/PARTITION, and the offset as --to offset:N"
                ))),
            }
        })
        .collect()
}

fn read_table(
    path: &Path,
    group: &Text,
) -> Result<Vec<(crate::model::TopicPartition, crate::model::Offset)>, Usage> {
    let text = read_file(path)?;
    table::parse_for(&text, Some(group)).map_err(|why| Usage(format!("{}: {why}", path.display())))
}

fn read_file(path: &Path) -> Result<String, Usage> {
    std::fs::read_to_string(path)
        .map_err(|error| Usage(format!("{} cannot be read: {error}", path.display())))
}

fn entry_of(id: &str, file: Option<&Path>, files: &Files) -> Result<JournalEntry, Usage> {
    let (entries, place) = if let Some(path) = file {
        let text = read_file(path)?;
        let entries = read_entries(&text)
            .map_err(|why| Usage(format!("{} is no journal: {why}", path.display())))?;
        (entries, path.display().to_string())
    } else {
        let read = files
            .journal
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|journal| journal.entries());
        let entries =
            read.map_err(|problem| Usage(format!("the journal cannot be read: {problem}")))?;
        (entries, "the journal".to_owned())
    };
    entries
        .into_iter()
        .find(|entry| entry.id == id)
        .ok_or_else(|| Usage(format!("there is no entry {id} in {place}")))
}
