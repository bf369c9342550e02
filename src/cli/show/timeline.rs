//! The tables of `timeline`, with a small sketch of how records spread.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::cli::json::{CursorView, TimelinePartitionView, TimelineView};
use crate::cli::table::{Side, Table};
use crate::cli::text::{UNKNOWN, known, known_number, name, number, time, visible};
use crate::model::time::format_duration;

use super::{Notice, Shown};

/// A sketch is at most so many characters wide.
const SKETCH: usize = 60;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// An unresolved bucket in a sketch.
const UNRESOLVED: char = '?';

impl Shown for TimelineView<'_> {
    fn notices(&self) -> Vec<Notice> {
        let mut notices: Vec<Notice> = self.missing.iter().map(Notice::missing).collect();
        for group in &self.groups {
            if let Some(reason) = &group.error {
                notices.push(Notice::error(
                    format!("group {}", name(group.group)),
                    reason,
                ));
            }
        }
        for topic in &self.topics {
            let shown = visible(topic.topic);
            if let Some(reason) = &topic.error {
                notices.push(Notice::error(format!("topic {shown}"), reason));
            }
            for partition in topic.partitions.iter().flatten() {
                if let Some(reason) = &partition.error {
                    notices.push(Notice::error(
                        format!("{shown}/{}", partition.partition),
                        reason,
                    ));
                }
                for cursor in &partition.cursors {
                    if let Some(reason) = &cursor.error {
                        let group = name(cursor.group);
                        let about = format!("group {group} in {shown}/{}", partition.partition);
                        notices.push(Notice::error(about, reason));
                    }
                }
            }
        }
        notices
    }

    fn tables(&self, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        let (Some(from), Some(to), Some(bucket_ms)) = (self.from_ms, self.to_ms, self.bucket_ms)
        else {
            writeln!(out, "No records: there is no time to begin at.")?;
            return self.partitions(1, zone, out);
        };
        let buckets = self.buckets();
        let each = buckets.div_ceil(SKETCH).max(1);
        writeln!(out, "From {} to {}", time(from, zone), time(to, zone))?;
        write!(
            out,
            "{buckets} buckets of {} ({} ms)",
            format_duration(bucket_ms),
            number(bucket_ms)
        )?;
        if each > 1 {
            write!(out, "; one character stands for {each} of them")?;
        }
        writeln!(out, "\n")?;
        self.partitions(each, zone, out)
    }
}

impl TimelineView<'_> {
    fn buckets(&self) -> usize {
        let partitions = self
            .topics
            .iter()
            .flat_map(|topic| topic.partitions.iter().flatten());
        partitions
            .map(|partition| partition.counts.len())
            .max()
            .unwrap_or(0)
    }

    fn partitions(&self, each: usize, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(&[
            ("TOPIC", Side::Left),
            ("PARTITION", Side::Right),
            ("LOG START", Side::Right),
            ("LAST STABLE", Side::Right),
            ("HIGH WATERMARK", Side::Right),
            ("BEFORE", Side::Right),
            ("WITHIN", Side::Right),
            ("AFTER", Side::Right),
            ("TOLD APART", Side::Right),
            ("RECORDS OVER TIME", Side::Left),
        ]);
        for topic in &self.topics {
            let partitions = || topic.partitions.iter().flatten();
            let highest = partitions()
                .flat_map(|partition| columns(partition.counts, each))
                .flatten()
                .max()
                .unwrap_or(0);
            for partition in partitions() {
                table.row(row(topic.topic, partition, each, highest));
                for cursor in &partition.cursors {
                    table.line(cursor_line(cursor, zone));
                }
            }
        }
        table.write(out)
    }
}

fn row(
    topic: &str,
    partition: &TimelinePartitionView<'_>,
    each: usize,
    highest: u64,
) -> [String; 10] {
    [
        visible(topic),
        partition.partition.to_string(),
        known_number(partition.log_start_offset.map(|offset| offset.0)),
        known_number(partition.last_stable_offset.map(|offset| offset.0)),
        known_number(partition.high_watermark.map(|offset| offset.0)),
        known_number(partition.before),
        within(partition.counts),
        known_number(partition.after),
        known(partition.resolution_ms, format_duration),
        sketch(partition.counts, each, highest),
    ]
}

fn cursor_line(cursor: &CursorView<'_>, zone: &TimeZone) -> String {
    let next = match cursor.at_ms {
        Some(at) => format!("next record of {}", time(at, zone)),
        None if cursor.error.is_some() => format!("next record {UNKNOWN}"),
        None if cursor.timeless => "next record carries no time".to_owned(),
        None => "no later record".to_owned(),
    };
    let offset = number(cursor.committed_offset.0);
    format!("{} at {offset}, {next}", name(cursor.group))
}

/// Offsets in all buckets; with a sign for "at least" when some are not resolved.
fn within(counts: &[Option<u64>]) -> String {
    let sum = counts
        .iter()
        .flatten()
        .fold(0_u64, |sum, count| sum.saturating_add(*count));
    if counts.iter().all(Option::is_some) {
        number(sum)
    } else if counts.iter().all(Option::is_none) {
        UNKNOWN.to_owned()
    } else {
        format!("≥ {}", number(sum))
    }
}

/// `each` buckets as one; unresolved when one of them is.
fn columns(counts: &[Option<u64>], each: usize) -> impl Iterator<Item = Option<u64>> {
    counts.chunks(each.max(1)).map(|chunk| {
        chunk.iter().try_fold(0_u64, |sum, count| {
            count.map(|count| sum.saturating_add(count))
        })
    })
}

/// Bars between two lines; an empty bucket is a blank, an unresolved one a question mark.
pub(super) fn sketch(counts: &[Option<u64>], each: usize, highest: u64) -> String {
    let bar = |count: Option<u64>| match count {
        None => UNRESOLVED,
        Some(0) => ' ',
        Some(count) => {
            let eighths = u128::from(count)
                .saturating_mul(8)
                .div_ceil(u128::from(highest.max(1)));
            let index = usize::try_from(eighths).unwrap_or(8).clamp(1, 8);
            BARS.get(index.saturating_sub(1)).copied().unwrap_or('█')
        }
    };
    let bars: String = columns(counts, each).map(bar).collect();
    format!("│{bars}│")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_count_and_the_smallest_is_still_seen() {
        let counts = [Some(0), Some(1), Some(50), Some(100), None];
        assert_eq!(sketch(&counts, 1, 100), "│ ▁▄█?│");
    }

    #[test]
    fn buckets_are_drawn_together_and_an_unresolved_one_spoils_only_its_own() {
        let counts = [Some(1), Some(3), Some(2), None, Some(0), Some(0)];
        assert_eq!(sketch(&counts, 2, 4), "│█? │");
    }

    #[test]
    fn a_sum_with_unresolved_buckets_is_a_lower_bound() {
        assert_eq!(within(&[Some(1_000), Some(1)]), "1,001");
        assert_eq!(within(&[Some(1_000), None]), "≥ 1,000");
        assert_eq!(within(&[None, None]), "—");
    }
}
