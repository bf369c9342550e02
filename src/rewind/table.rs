//! The stock tool's CSV, and the commands that would do the same.
//!
//! `kafka-consumer-groups.sh --export` writes a line for each partition, `topic,partition,offset`, long names in
//! quotes, and with several groups the group before it; `--from-file` reads it back, quotes or not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::model::{Offset, Text, TopicName, TopicPartition, shell_word};

use super::plan::Plan;

/// Reads a table of one group's offsets.
///
/// # Errors
/// The line that is wrong, by its number, and why; or that the table speaks of several groups.
pub fn parse(text: &str) -> Result<Vec<(TopicPartition, Offset)>, String> {
    parse_for(text, None)
}

/// Reads a table of offsets; where it names groups, the lines of `group`.
///
/// # Errors
/// The line that is wrong, by its number, and why; or that the table says nothing of `group`.
pub fn parse_for(
    text: &str,
    group: Option<&Text>,
) -> Result<Vec<(TopicPartition, Offset)>, String> {
    let mut rows: Vec<(TopicPartition, Offset)> = Vec::new();
    let mut seen: BTreeMap<(Option<String>, TopicPartition), usize> = BTreeMap::new();
    let mut groups: BTreeSet<String> = BTreeSet::new();
    for (line, fields) in lines(text.strip_prefix('\u{feff}').unwrap_or(text))? {
        let row = row(&fields).map_err(|why| format!("line {line}: {why}"))?;
        if let Some(before) = seen.insert((row.group.clone(), row.at.clone()), line) {
            return Err(format!(
                "line {line}: {} is there already, in line {before}",
                row.at
            ));
        }
        let meant = match (&row.group, group) {
            (Some(named), Some(group)) => named.as_bytes() == group.as_bytes(),
            _ => true,
        };
        groups.extend(row.group);
        if meant {
            rows.push((row.at, row.offset));
        }
    }
    let names = || groups.iter().cloned().collect::<Vec<_>>().join(", ");
    match group {
        _ if seen.is_empty() => Err("there is no line in it".to_owned()),
        None if groups.len() > 1 => Err(format!("it speaks of several groups: {}", names())),
        Some(group) if rows.is_empty() => Err(format!(
            "it says nothing of the group {group}, but of {}",
            names()
        )),
        _ => Ok(rows),
    }
}

struct Line {
    group: Option<String>,
    at: TopicPartition,
    offset: Offset,
}

fn row(fields: &[String]) -> Result<Line, String> {
    let (group, topic, partition, offset) = match fields {
        [topic, partition, offset] => (None, topic, partition, offset),
        [group, topic, partition, offset] => (Some(group.clone()), topic, partition, offset),
        _ => {
            return Err(format!(
                "it has {} fields; write topic,partition,offset or group,topic,partition,offset",
                fields.len()
            ));
        }
    };
    if topic.is_empty() {
        return Err("the topic is empty".to_owned());
    }
    let partition: i32 = number(partition)
        .ok_or_else(|| format!("“{partition}” is not the number of a partition"))?;
    let offset: i64 =
        number(offset).ok_or_else(|| format!("“{offset}” is not an offset of 0 or more"))?;
    Ok(Line {
        group,
        at: TopicPartition::new(&**topic, partition),
        offset: Offset(offset),
    })
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let text = text.trim();
    if text.is_empty() || !text.chars().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// The lines that are not empty, each with its number and its fields, quotes taken off.
fn lines(text: &str) -> Result<Vec<(usize, Vec<String>)>, String> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    let mut line = 1_usize;
    while chars.peek().is_some() {
        let first = line;
        let mut fields = vec![String::new()];
        let mut quoted = false;
        let mut blank = true;
        loop {
            let next = chars.next();
            let Some(field) = fields.last_mut() else {
                break;
            };
            match next {
                None if quoted => {
                    return Err(format!("line {first}: a quotation mark is not closed"));
                }
                None => break,
                Some('"') if quoted && chars.peek() == Some(&'"') => {
                    chars.next();
                    field.push('"');
                }
                Some('"') if quoted => quoted = false,
                Some('"') if field.trim().is_empty() => {
                    field.clear();
                    quoted = true;
                    blank = false;
                }
                Some('\n') if !quoted => {
                    line = line.saturating_add(1);
                    break;
                }
                Some('\r') if !quoted && matches!(chars.peek(), Some('\n') | None) => {}
                Some(',') if !quoted => {
                    blank = false;
                    fields.push(String::new());
                }
                Some(other) => {
                    line = line.saturating_add(usize::from(other == '\n'));
                    blank &= other.is_whitespace();
                    field.push(other);
                }
            }
        }
        if !blank {
            found.push((first, fields));
        }
    }
    Ok(found)
}

/// The plan as a table: where each partition is to be. Rows that stay have where they are; those that cannot be
/// resolved, and those that lose their bookmark, are left out, as the stock tool has no way to write them.
pub fn write(plan: &Plan) -> String {
    let mut table = String::new();
    for row in &plan.rows {
        if let Ok(Some(to)) = &row.to {
            let topic = row.at.topic.replace('"', "\"\"");
            // Writing to a string does not fail.
            let _written = writeln!(table, "\"{topic}\",{},{}", row.at.partition, to.offset);
        }
    }
    table
}

/// The plan as commands of the stock tool, to paste into a shell: a line for each topic and offset, and one for
/// each topic of which bookmarks are deleted. Only rows that change are in them.
pub fn commands(plan: &Plan, bootstrap: &str) -> String {
    let mut to: BTreeMap<(TopicName, Option<Offset>), Vec<String>> = BTreeMap::new();
    for wanted in plan.moves() {
        let offset = wanted.to.as_ref().map(|to| to.offset);
        to.entry((wanted.at.topic, offset))
            .or_default()
            .push(wanted.at.partition.to_string());
    }
    let group = shell_word(&plan.group.lossy());
    let bootstrap = shell_word(bootstrap);
    let mut commands = String::new();
    for ((topic, offset), partitions) in to {
        let topic = shell_word(&format!("{topic}:{}", partitions.join(",")));
        let act = offset.map_or_else(
            || format!("--delete-offsets --topic {topic}"),
            |offset| format!("--reset-offsets --topic {topic} --to-offset {offset} --execute"),
        );
        let _written = writeln!(
            commands,
            "kafka-consumer-groups.sh --bootstrap-server {bootstrap} --group {group} {act}"
        );
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(topic: &str, partition: i32) -> TopicPartition {
        TopicPartition::new(topic, partition)
    }

    #[test]
    fn lines_are_read_with_and_without_quotes_and_groups() {
        let expected = vec![(at("orders", 0), Offset(5)), (at("a.b", 11), Offset(0))];
        for text in [
            "\"orders\",0,5\n\"a.b\",11,0\n",
            "orders,0,5\r\na.b,11,0",
            "\u{feff}orders, 0, 5\n\na.b,11,0\n\n",
            "\"g\",\"orders\",0,5\n\"g\",\"a.b\",11,0\n",
        ] {
            assert_eq!(parse(text).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_table_of_several_groups_is_read_for_one() {
        let text = "\"g,1\",t,0,5\n\"g\"\"2\",t,0,7\n";
        assert!(parse(text).unwrap_err().contains("several groups"));
        let of = |group| parse_for(text, Some(&Text::from(group)));
        assert_eq!(of("g,1").unwrap(), [(at("t", 0), Offset(5))]);
        assert_eq!(of("g\"2").unwrap(), [(at("t", 0), Offset(7))]);
        assert!(of("g3").unwrap_err().contains("nothing of the group g3"));
    }

    #[test]
    fn wrong_lines_are_told_by_number() {
        for (text, says) in [
            ("", "no line"),
            ("t,0,5\nt,0\n", "line 2: it has 2 fields"),
            (
                "t,0,5\n\nt,0,6\n",
                "line 3: t/0 is there already, in line 1",
            ),
            ("topic,partition,offset\n", "line 1: “partition”"),
            ("t,0,-1\n", "line 1: “-1” is not an offset"),
            ("t,-1,0\n", "line 1: “-1” is not the number"),
            ("t,0,1.5\n", "“1.5”"),
            ("t,0,99999999999999999999\n", "is not an offset"),
            ("t,0,\n", "“”"),
            ("\"t,0,5\n", "not closed"),
            (",0,5\n", "topic is empty"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }
}
