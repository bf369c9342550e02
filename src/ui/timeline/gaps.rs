//! Where findings lie that want attention: by lane, and in which column of it. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::FindingsView;
use crate::model::{Certainty, FindingKind, Offset, Partition, TopicName, TopicPartition};

use super::super::num::f64_from_i64;
use super::super::state::AxisKind;
use super::axis::Columns;
use super::model::Lane;
use super::offsets;

/// What a mark tells by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A question, or something odd.
    Question,
    /// Something stands still or is held back.
    Stuck,
    /// Records are lost to somebody.
    Loss,
}

/// The findings in one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// How many.
    pub count: u64,
    /// The worst of them.
    pub class: Class,
    /// How sure the surest of the worst is.
    pub certainty: Certainty,
}

/// One finding.
#[derive(Clone, Copy, Debug)]
struct Mark {
    time: Option<i64>,
    offset: Option<i64>,
    class: Class,
    certainty: Certainty,
}

/// The findings by lane.
#[derive(Debug, Default)]
pub struct Gaps {
    of: Option<Arc<FindingsView>>,
    version: u64,
    partitions: BTreeMap<TopicPartition, Vec<Mark>>,
    /// Those of whole topics, with those of their partitions.
    topics: BTreeMap<TopicName, Vec<Mark>>,
}

impl Gaps {
    /// Takes what was found last.
    pub fn take(&mut self, view: &Arc<FindingsView>) {
        if self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, view)) {
            return;
        }
        self.of = Some(Arc::clone(view));
        self.version = self.version.wrapping_add(1);
        self.partitions.clear();
        self.topics.clear();
        let aside: BTreeSet<&str> = view
            .dismissed
            .iter()
            .map(|dismissal| &*dismissal.finding)
            .collect();
        for finding in view.findings.iter().flat_map(|findings| findings.iter()) {
            let is_shown = finding.wants_attention() && !aside.contains(finding.id.as_str());
            let Some(topic) = finding.topic.as_ref().filter(|_| is_shown) else {
                continue;
            };
            let mark = Mark {
                time: finding.to_time.or(finding.from_time).map(|time| time.0),
                offset: finding.from.map(|offset| offset.0),
                class: class(finding.kind),
                certainty: finding.certainty,
            };
            self.topics.entry(Arc::clone(topic)).or_default().push(mark);
            if let Some(at) = finding.at() {
                self.partitions.entry(at).or_default().push(mark);
            }
        }
    }

    /// Changes with what was found.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What lies in the columns of `lane`, by their numbers.
    pub fn of(&self, lane: &Lane, kind: AxisKind, columns: &Columns) -> BTreeMap<i64, Gap> {
        let mut found = BTreeMap::new();
        let mut add = |value: i64, mark: &Mark| {
            let column = columns.column_of(f64_from_i64(value));
            if column < columns.first() || column >= columns.end() {
                return;
            }
            let gap = found.entry(column).or_insert(Gap {
                count: 0,
                class: mark.class,
                certainty: mark.certainty,
            });
            gap.count = gap.count.saturating_add(1);
            (gap.class, gap.certainty) =
                (gap.class, gap.certainty).max((mark.class, mark.certainty));
        };
        if kind == AxisKind::Time {
            let marks = match lane.key.partition {
                Some(_) => lane
                    .partitions()
                    .first()
                    .and_then(|at| self.partitions.get(at)),
                None => self.topics.get(&lane.key.topic),
            };
            for mark in marks.into_iter().flatten() {
                if let Some(time) = mark.time {
                    add(time, mark);
                }
            }
            return found;
        }
        for (at, partition) in lane.partitions().iter().zip(lane.described()) {
            let Some((_, end)) = Partition::ends(partition) else {
                continue;
            };
            for mark in self.partitions.get(at).into_iter().flatten() {
                if let Some(offset) = mark.offset {
                    add(offsets::place_of(kind, end, Offset(offset)), mark);
                }
            }
        }
        found
    }
}

fn class(kind: FindingKind) -> Class {
    match kind {
        FindingKind::Deleted
        | FindingKind::BeyondEnd
        | FindingKind::Truncated
        | FindingKind::JumpedOver
        | FindingKind::MissingVersion
        | FindingKind::MissedTombstone => Class::Loss,
        FindingKind::Stuck | FindingKind::PoisonPill | FindingKind::OpenTransaction => Class::Stuck,
        _ => Class::Question,
    }
}

#[cfg(test)]
mod tests {
    use super::super::by_hand;
    use super::*;
    use crate::model::{Finding, PartitionId, TimestampMs};

    fn finding(id: &str, partition: i32, time: Option<i64>, offset: i64) -> Finding {
        Finding {
            topic: Some("orders".into()),
            partition: Some(PartitionId(partition)),
            from: Some(Offset(offset)),
            to_time: time.map(TimestampMs),
            ..crate::model::by_hand::finding(id)
        }
    }

    fn gaps(findings: Vec<Finding>) -> Gaps {
        let mut gaps = Gaps::default();
        gaps.take(&Arc::new(FindingsView {
            findings: Some(Arc::new(findings)),
            ..FindingsView::default()
        }));
        gaps
    }

    fn lanes() -> super::super::model::Lanes {
        let topic = by_hand::topic("orders", &[(0, 200), (0, 100)]);
        by_hand::lanes(&by_hand::inventory(vec![topic], vec![]), &["orders"])
    }

    #[test]
    fn findings_merge_in_a_column_and_the_worst_shows() {
        let lost = Finding {
            kind: FindingKind::Deleted,
            certainty: Certainty::Hint,
            ..finding("a", 0, Some(150), 5)
        };
        let normal = Finding {
            normal: true,
            ..finding("d", 0, Some(150), 5)
        };
        let gaps = gaps(vec![
            lost,
            finding("b", 1, Some(160), 7),
            finding("c", 1, None, 50),
            normal,
        ]);
        let (lanes, columns) = (lanes(), Columns::new(0, 1_000, 100));
        let of = |lane: usize| gaps.of(lanes.get(lane).unwrap(), AxisKind::Time, &columns);
        let topic = Gap {
            count: 2,
            class: Class::Loss,
            certainty: Certainty::Hint,
        };
        assert_eq!(of(0), BTreeMap::from([(1, topic)]));
        assert_eq!(of(1)[&1].count, 1);
        assert_eq!(of(2)[&1].class, Class::Stuck);
    }

    #[test]
    fn by_offset_they_stand_where_they_begin() {
        let gaps = gaps(vec![finding("a", 0, None, 150), finding("b", 1, None, 50)]);
        let (lanes, columns) = (lanes(), Columns::new(0, 200, 100));
        let found = gaps.of(lanes.get(0).unwrap(), AxisKind::Offset, &columns);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [0, 1]);
    }
}
