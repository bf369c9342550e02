//! What the line under the pointer says: the exact numbers of a place on the timeline. Pure.

use jiff::tz::TimeZone;

use crate::engine::Density;
use crate::model::time::{format_duration, format_zone};
use crate::model::{TimestampMs, TopicPartition};

use super::super::format::{self, Precision};
use super::super::num::i64_from_f64;
use super::super::state::AxisKind;
use super::axis::{Axis, Columns};
use super::model::Lane;
use super::offsets;

/// What there is to say, in the order in which it is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HoverText {
    /// The time, with its zone.
    pub time: String,
    /// The lane.
    pub place: String,
    /// The offset at that time, when it is one partition.
    pub offset: String,
    /// What the column holds.
    pub count: String,
}

/// What to say of `value` in `lane`.
pub fn describe(
    lane: Option<&Lane>,
    value: f64,
    axis: &Axis,
    columns: &Columns,
    density: &Density,
    zone: &TimeZone,
) -> HoverText {
    if axis.kind() != AxisKind::Time {
        return describe_offset(lane, value, axis.kind());
    }
    let at = TimestampMs(i64_from_f64(value.floor()));
    let precision = if axis.span_from_points(1.0) < 500.0 {
        Precision::Millis
    } else {
        Precision::Seconds
    };
    let mut text = HoverText {
        time: format!(
            "{} {}",
            format::time_of_day(at, zone, precision),
            format_zone(at, zone)
        ),
        ..HoverText::default()
    };
    let Some(lane) = lane else { return text };
    text.place = lane.key.title();
    if let [only] = lane.partitions() {
        text.offset = offset_text(only, at, density);
    }
    let edges = columns.times(columns.column_of(value));
    text.count = count_text(lane.partitions(), edges, density);
    text
}

fn describe_offset(lane: Option<&Lane>, value: f64, kind: AxisKind) -> HoverText {
    let only = lane.and_then(|lane| match (lane.partitions(), lane.described()) {
        ([at], [partition]) => Some((at, partition)),
        _ => None,
    });
    HoverText {
        time: offsets::place_text(kind, value, only),
        place: lane.map(|lane| lane.key.title()).unwrap_or_default(),
        ..HoverText::default()
    }
}

fn offset_text(at: &TopicPartition, time: TimestampMs, density: &Density) -> String {
    if let Some(problem) = density.problems.get(at) {
        return format!("offset unknown: {problem}");
    }
    let Some(index) = density.partitions.get(at) else {
        return "offset not known yet".to_owned();
    };
    let (low, high) = index.offsets_around(time);
    if low == high && low >= index.end() {
        format!("offset {}, the end", format::offset(low))
    } else if low == high {
        format!("offset {}", format::offset(low))
    } else {
        format!(
            "offset between {} and {}",
            format::offset(low),
            format::offset(high)
        )
    }
}

/// How many records lie between two times: exactly, or at most.
fn count_text(
    partitions: &[TopicPartition],
    edges: (TimestampMs, TimestampMs),
    density: &Density,
) -> String {
    let mut most: u64 = 0;
    let mut least: u64 = 0;
    let mut unknown: usize = 0;
    for at in partitions {
        let Some(index) = density.partitions.get(at) else {
            unknown = unknown.saturating_add(1);
            continue;
        };
        let (from, to) = (index.offsets_around(edges.0), index.offsets_around(edges.1));
        let blind = index.tail().is_some();
        let at_most = to.1.since(from.0).unwrap_or(0);
        // Where look-ups are blind the bounds say nothing of the times of single records.
        let at_least = if blind {
            0
        } else {
            to.0.since(from.1).unwrap_or(0)
        };
        let at_most = if blind {
            let column = index
                .spread(edges.0, edges.1, 1)
                .columns
                .first()
                .map_or(0.0, |column| column.count);
            at_most.max(super::super::num::u64_from_f64(column.ceil()))
        } else {
            at_most
        };
        most = most.saturating_add(at_most);
        least = least.saturating_add(at_least);
    }
    let span = format_duration(edges.1.since_ms(edges.0));
    if unknown > 0 && unknown == partitions.len() {
        return "count not known yet".to_owned();
    }
    let count = if most == least {
        format::count(most)
    } else {
        format!("up to {}", format::count(most))
    };
    if unknown > 0 {
        format!(
            "{count} in {span}, {} not known yet",
            format::counted(
                u64::try_from(unknown).unwrap_or(u64::MAX),
                "partition",
                "partitions"
            )
        )
    } else {
        format!("{count} in {span}")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::by_hand;
    use super::*;
    use crate::inspect::density::TimeIndex;
    use crate::model::Offset;
    use crate::ui::state::ViewRange;
    use crate::ui::timeline::model::Lanes;
    use egui::Rangef;

    fn lanes() -> Lanes {
        let topic = by_hand::topic("orders", &[(0, 200); 2]);
        by_hand::lanes(&by_hand::inventory(vec![topic], vec![]), &["orders"])
    }

    /// 200 records; look-ups at 0, 10 s and 20 s answered 0, 100 and the end.
    fn density(partitions: &[i32]) -> Density {
        let mut index = TimeIndex::new(Offset(0), Offset(200));
        index.insert(TimestampMs(0), Some(Offset(0)));
        index.insert(TimestampMs(10_000), Some(Offset(100)));
        index.insert(TimestampMs(20_000), None);
        let mut density = Density::default();
        for partition in partitions {
            density.partitions.insert(
                TopicPartition::new("orders", *partition),
                Arc::new(index.clone()),
            );
        }
        density
    }

    fn said(lane: usize, x: f32, density: &Density) -> HoverText {
        let axis = Axis::new(Rangef::new(0.0, 40.0), ViewRange::new(0.0, 40_000.0));
        let columns = Columns::new(0, 40_000, 10_000);
        describe(
            lanes().get(lane),
            axis.value_from_x(x),
            &axis,
            &columns,
            density,
            &TimeZone::UTC,
        )
    }

    #[test]
    fn an_exact_place_is_said_exactly() {
        let wanted = HoverText {
            time: "00:00:10 UTC".into(),
            place: "orders / 0".into(),
            offset: "offset 100".into(),
            count: "100 in 10 s".into(),
        };
        assert_eq!(said(1, 10.0, &density(&[0, 1])), wanted);
    }

    #[test]
    fn between_look_ups_the_bounds_are_said() {
        let text = said(1, 15.0, &density(&[0, 1]));
        assert_eq!(text.offset, "offset between 100 and 200");
        assert_eq!(text.count, "100 in 10 s");
    }

    #[test]
    fn the_end_is_named() {
        assert_eq!(said(1, 30.0, &density(&[0])).offset, "offset 200, the end");
    }

    #[test]
    fn a_topic_has_a_count_and_no_offset() {
        let text = said(0, 5.0, &density(&[0, 1]));
        assert_eq!(
            (
                text.place.as_str(),
                text.offset.as_str(),
                text.count.as_str()
            ),
            ("orders", "", "200 in 10 s")
        );
        assert_eq!(
            said(0, 5.0, &density(&[0])).count,
            "100 in 10 s, 1 partition not known yet"
        );
        assert_eq!(
            said(0, 5.0, &Density::default()).count,
            "count not known yet"
        );
    }

    #[test]
    fn what_cannot_be_looked_up_says_why() {
        let mut density = density(&[]);
        let problem =
            crate::model::Problem::new(crate::model::ProblemKind::NoLeader, "nobody leads it");
        density
            .problems
            .insert(TopicPartition::new("orders", 0), problem);
        assert_eq!(
            said(1, 5.0, &density).offset,
            "offset unknown: nobody leads it"
        );
    }
}
