//! Which record careful (`read_committed`) readers are given next: what is withdrawn and the marks of transactions take
//! offsets too, and nobody waits for them.

use std::collections::BTreeSet;

use crate::model::{Batch, BatchKind, LogPortion, Offset};

/// The first offset at or after `from` in `portion` that careful readers are given; `None` when this portion holds none.
pub fn first_for_careful(portion: &LogPortion, from: Offset) -> Option<Offset> {
    let mut aborted = portion.aborted.clone();
    aborted.sort_by_key(|aborted| aborted.first);
    let mut coming = aborted.into_iter().peekable();
    let mut withdrawn: BTreeSet<i64> = BTreeSet::new();
    for batch in &portion.batches {
        if batch.first >= portion.last_stable {
            return None;
        }
        while let Some(next) = coming.next_if(|next| next.first <= batch.last) {
            withdrawn.insert(next.producer);
        }
        let producer = batch.producer.map(|producer| producer.id);
        let is_withdrawn =
            batch.transactional && producer.is_some_and(|producer| withdrawn.contains(&producer));
        match batch.kind {
            BatchKind::Data if !is_withdrawn => {
                let found = first_left(batch, from);
                if found.is_some_and(|found| found < portion.last_stable) {
                    return found;
                }
            }
            BatchKind::Abort => {
                if let Some(producer) = producer {
                    withdrawn.remove(&producer);
                }
            }
            _ => {}
        }
    }
    None
}

/// The first offset of a batch at or after `from` at which a record is left.
fn first_left(batch: &Batch, from: Offset) -> Option<Offset> {
    let mut first = batch.first.max(from);
    if batch.records == 0 {
        return None;
    }
    if let Ok(holes) = &batch.holes {
        for (hole_first, hole_last) in holes {
            if (*hole_first..=*hole_last).contains(&first) {
                first = hole_last.next();
            }
        }
    }
    (first <= batch.last).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Aborted, Producer, TopicPartition};

    fn batch(first: i64, last: i64, kind: BatchKind, producer: Option<i64>) -> Batch {
        Batch {
            first: Offset(first),
            last: Offset(last),
            records: u32::try_from(last - first + 1).unwrap(),
            kind,
            transactional: producer.is_some(),
            producer: producer.map(|id| Producer {
                id,
                epoch: 0,
                sequence: 0,
            }),
            leader_epoch: 0,
            max_time: None,
            holes: Ok(vec![]),
        }
    }

    fn portion(last_stable: i64, batches: Vec<Batch>, aborted: &[(i64, i64)]) -> LogPortion {
        let next = batches.last().map_or(Offset(0), |last| last.last.next());
        LogPortion {
            at: TopicPartition::new("t", 0),
            from: Offset(0),
            next,
            log_start: Offset(0),
            last_stable: Offset(last_stable),
            high_watermark: next,
            batches,
            aborted: aborted
                .iter()
                .map(|(producer, first)| Aborted {
                    producer: *producer,
                    first: Offset(*first),
                })
                .collect(),
        }
    }

    fn next(portion: &LogPortion, from: i64) -> Option<i64> {
        first_for_careful(portion, Offset(from)).map(|offset| offset.0)
    }

    #[test]
    fn what_is_withdrawn_and_marks_are_passed_over() {
        let portion = portion(
            20,
            vec![
                batch(0, 4, BatchKind::Data, Some(7)),
                batch(5, 5, BatchKind::Abort, Some(7)),
                batch(6, 8, BatchKind::Data, Some(7)),
                batch(9, 9, BatchKind::Commit, Some(7)),
                batch(10, 19, BatchKind::Data, None),
            ],
            &[(7, 0)],
        );
        assert_eq!(next(&portion, 0), Some(6));
        assert_eq!(next(&portion, 7), Some(7));
        assert_eq!(next(&portion, 9), Some(10));
        assert_eq!(next(&portion, 13), Some(13));
        assert_eq!(next(&portion, 20), None);
    }

    #[test]
    fn a_tail_of_withdrawn_records_holds_nothing() {
        // The transaction began before the portion.
        let portion = portion(
            9,
            vec![
                batch(4, 7, BatchKind::Data, Some(7)),
                batch(8, 8, BatchKind::Abort, Some(7)),
            ],
            &[(7, 2)],
        );
        assert_eq!(next(&portion, 4), None);
    }

    #[test]
    fn another_producer_among_withdrawn_records_is_found_and_compaction_is_passed_over() {
        let mut kept = batch(4, 7, BatchKind::Data, Some(8));
        kept.holes = Ok(vec![(Offset(4), Offset(5))]);
        let mut emptied = batch(2, 3, BatchKind::Data, None);
        emptied.records = 0;
        let portion = portion(
            9,
            vec![batch(0, 1, BatchKind::Data, Some(7)), emptied, kept],
            &[(7, 0)],
        );
        assert_eq!(next(&portion, 0), Some(6));
    }

    #[test]
    fn nothing_is_given_from_the_last_stable_offset_on() {
        let portion = portion(5, vec![batch(3, 9, BatchKind::Data, Some(7))], &[]);
        assert_eq!(next(&portion, 3), Some(3));
        assert_eq!(next(&portion, 5), None);
    }
}
