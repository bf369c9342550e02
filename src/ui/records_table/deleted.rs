//! Whether a list holds nothing because what was there is deleted. Pure.

use jiff::tz::TimeZone;

use crate::engine::{Density, Inventory, TableRequest, TableSpan};
use crate::model::time::format_zone;
use crate::model::{Offset, Partition, TimestampMs, Topic, TopicPartition};

use super::super::format;
use super::super::num::u64_from_usize;
use super::super::timeline::first_time;

/// A partition whose part of the list lies before its log start.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Gone {
    at: TopicPartition,
    log_start: Offset,
    /// The time of the first record that is left.
    time: Option<TimestampMs>,
    /// Whether nothing is left at all.
    is_empty: bool,
}

/// What of an empty list is deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Deleted {
    /// How many partitions the list has.
    partitions: usize,
    /// How many of them have their part of it before the log start.
    gone: usize,
    /// The one of these whose log starts first.
    first: Option<Gone>,
}

impl Deleted {
    /// What of the list of `request` is deleted.
    pub(super) fn of(request: &TableRequest, inventory: &Inventory, density: &Density) -> Self {
        let mut deleted = Self {
            partitions: request.partitions.len(),
            ..Self::default()
        };
        let mut topic: Option<&Topic> = None;
        let partitions = request.partitions.iter().enumerate();
        let gone = partitions.filter_map(|(index, at)| {
            // They come topic by topic.
            if topic.is_none_or(|topic| topic.name != at.topic) {
                let mut topics = inventory.topics().iter();
                topic = topics
                    .find(|topic| topic.name == at.topic)
                    .map(|topic| &**topic);
            }
            let partitions = &topic?.partitions;
            // Nearly always its number is its place.
            let likely = usize::try_from(at.partition.0).ok();
            let partition = likely
                .and_then(|index| partitions.get(index))
                .filter(|partition| partition.id == at.partition)
                .or_else(|| partitions.iter().find(|other| other.id == at.partition))?;
            gone(at, partition, &request.span, index, density)
        });
        for gone in gone {
            deleted.gone = deleted.gone.saturating_add(1);
            let is_first = deleted.first.as_ref().is_none_or(|known| {
                // One whose time is known says more.
                (gone.time.is_none(), gone.time) < (known.time.is_none(), known.time)
            });
            if is_first {
                deleted.first = Some(gone);
            }
        }
        deleted
    }

    /// It in words; `None` where nothing of the list is known to be deleted.
    pub(super) fn said(&self, zone: &TimeZone) -> Option<String> {
        let first = self.first.as_ref()?;
        let time = first.time.map_or_else(String::new, |time| {
            format!(
                ", {} {}",
                format::date_and_time(time, zone),
                format_zone(time, zone)
            )
        });
        let start = format!("log start at {}{time}", format::offset(first.log_start));
        if self.partitions == 1 {
            return Some(if first.is_empty {
                format!("All records here are deleted ({start})")
            } else {
                format!("The records of this span are deleted ({start})")
            });
        }
        let which = if self.gone == self.partitions {
            "The records of this span are deleted".to_owned()
        } else {
            format!(
                "There are no records in this span; in {} of {} they are deleted",
                format::count(u64_from_usize(self.gone)),
                format::counted(u64_from_usize(self.partitions), "partition", "partitions")
            )
        };
        Some(format!("{which} ({}: {start})", first.at))
    }
}

/// The partition `at`, number `index` of the list, when its part of `span` lies before its log start.
fn gone(
    at: &TopicPartition,
    partition: &Partition,
    span: &TableSpan,
    index: usize,
    density: &Density,
) -> Option<Gone> {
    let (log_start, end) = partition.ends()?;
    if log_start.0 <= 0 {
        return None;
    }
    let is_empty = log_start >= end;
    let time = first_time(at, log_start, density).filter(|_| !is_empty);
    let is_gone = is_empty
        || match span {
            TableSpan::All => false,
            TableSpan::Between(_, to) => time.is_some_and(|time| *to <= time),
            TableSpan::Offsets(ranges) => ranges.get(index).is_some_and(|(_, to)| *to <= log_start),
        };
    is_gone.then(|| Gone {
        at: at.clone(),
        log_start,
        time,
        is_empty,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::{TableOrder, TablePlace};
    use crate::model::{Isolation, RecordHead, by_hand};

    fn at(partition: i32) -> TopicPartition {
        TopicPartition::new("orders", partition)
    }

    fn request(partitions: &[i32], span: TableSpan) -> TableRequest {
        TableRequest {
            partitions: partitions.iter().map(|id| at(*id)).collect(),
            span,
            order: TableOrder::Time,
            place: TablePlace::Start,
            jump: 0,
            isolation: Isolation::ReadUncommitted,
        }
    }

    /// Partition 0 starts at 1,000, written at 14:02:00.007 in Berlin; 1 has lost nothing; 2 lost everything.
    fn said(request: &TableRequest) -> Option<String> {
        let partitions = vec![
            by_hand::partition(0, 1_000, 2_000),
            by_hand::partition(1, 0, 500),
            by_hand::partition(2, 70, 70),
        ];
        let inventory = Inventory {
            topics: Some(Ok(vec![Arc::new(by_hand::topic("orders", partitions))])),
            ..Inventory::default()
        };
        let head = RecordHead {
            offset: Offset(1_000),
            timestamp: Some(TimestampMs(1_796_043_720_007)),
        };
        let density = Density {
            heads: Arc::new([((at(0), Offset(1_000)), Ok(Some(head)))].into()),
            ..Density::default()
        };
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        Deleted::of(request, &inventory, &density).said(&berlin)
    }

    fn until(to: i64) -> TableSpan {
        TableSpan::Between(TimestampMs(to - 60_000), TimestampMs(to))
    }

    #[test]
    fn a_span_before_the_log_start_says_where_it_is() {
        let before = "The records of this span are deleted (log start at 1,000, 30 Nov 2026 14:02:00.007 UTC+01:00)";
        let found = said(&request(&[0], until(1_796_043_720_007)));
        assert_eq!(found.as_deref(), Some(before));
        // A span that reaches the first record that is left.
        assert_eq!(said(&request(&[0], until(1_796_043_720_008))), None);
    }

    #[test]
    fn offsets_before_the_log_start_are_deleted() {
        let offsets = |to| TableSpan::Offsets([(Offset(10), Offset(to))].into());
        assert!(said(&request(&[0], offsets(1_000))).is_some());
        assert_eq!(said(&request(&[0], offsets(1_001))), None);
    }

    #[test]
    fn nothing_is_deleted_where_a_log_starts_at_its_first_offset() {
        assert_eq!(said(&request(&[1], until(1))), None);
        assert_eq!(said(&request(&[0, 1], TableSpan::All)), None);
    }

    #[test]
    fn of_several_partitions_it_is_said_of_how_many() {
        let found = said(&request(&[0, 1], until(9_000))).unwrap();
        assert_eq!(
            found,
            "There are no records in this span; in 1 of 2 partitions they are deleted (orders/0: log start at 1,000, 30 Nov 2026 14:02:00.007 UTC+01:00)"
        );
    }

    #[test]
    fn a_log_that_lost_everything_says_so() {
        assert_eq!(
            said(&request(&[2], TableSpan::All)).as_deref(),
            Some("All records here are deleted (log start at 70)")
        );
    }
}
