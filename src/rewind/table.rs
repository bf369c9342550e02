//! Plans as the stock tool's tables, and as commands to paste.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::model::{Offset, TopicPartition};

use super::plan::Plan;

/// Reads a table as `kafka-consumer-groups.sh --export` writes it: topic, partition and offset in each line, or
/// the group before them.
///
/// # Errors
/// What is wrong, and in which line.
pub fn parse(text: &str) -> Result<Vec<(TopicPartition, Offset)>, String> {
    let mut rows = Vec::new();
    let mut seen = BTreeSet::new();
    for (number, line) in (1_usize..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("line {number}: {what}; write topic,partition,offset");
        let cells: Vec<&str> = line
            .split(',')
            .map(|cell| cell.trim().trim_matches('"'))
            .collect();
        let [topic, partition, offset] = cells
            .last_chunk::<3>()
            .filter(|_| cells.len() <= 4)
            .ok_or_else(|| wrong("it has not three or four columns"))?;
        let partition = partition
            .parse::<i32>()
            .ok()
            .filter(|number| *number >= 0)
            .ok_or_else(|| wrong("the partition is no number"))?;
        let offset = offset
            .parse::<i64>()
            .ok()
            .filter(|offset| *offset >= 0)
            .ok_or_else(|| wrong("the offset is no number from 0 on"))?;
        if topic.is_empty() {
            return Err(wrong("the topic is missing"));
        }
        let at = TopicPartition::new(*topic, partition);
        if !seen.insert(at.clone()) {
            return Err(format!("line {number}: {at} stands in it twice"));
        }
        rows.push((at, Offset(offset)));
    }
    if rows.is_empty() {
        return Err("it names no partition".to_owned());
    }
    Ok(rows)
}

/// The places of every row that has one, as the stock tool's `--from-file` reads them.
pub fn write(plan: &Plan) -> String {
    let mut text = String::new();
    for row in &plan.rows {
        if let Ok(Some(to)) = &row.to {
            // Writing to a string does not fail.
            let _written = writeln!(
                text,
                "\"{}\",{},{}",
                row.at.topic, row.at.partition, to.offset
            );
        }
    }
    text
}

/// What would do the same with the stock tool, a line for each partition that changes.
pub fn commands(plan: &Plan, bootstrap: &str) -> String {
    let mut text = String::new();
    for wanted in plan.moves() {
        let tool = format!(
            "kafka-consumer-groups.sh --bootstrap-server {} --group {}",
            quoted(bootstrap),
            quoted(&plan.group.lossy())
        );
        let topic = quoted(&format!("{}:{}", wanted.at.topic, wanted.at.partition));
        let _written = match wanted.to {
            Some(to) => writeln!(
                text,
                "{tool} --topic {topic} --reset-offsets --to-offset {} --execute",
                to.offset
            ),
            None => writeln!(text, "{tool} --topic {topic} --delete-offsets"),
        };
    }
    text
}

/// `word` as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:,/".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
