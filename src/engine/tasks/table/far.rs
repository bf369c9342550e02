//! Records dated far ahead: at the end of a list the latest ones may lie anywhere before the newest offsets.
//!
//! The bus knows the record with the latest time of each partition. Where that is later than what was read at
//! the end, it is read by itself. Others like it are come upon where they lie.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::bus::{Found, Seek};
use crate::engine::command::TableOrder;
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::{Flow, Scanned, scan};
use crate::model::{Known, Offset};

use super::cuts::Moment;
use super::gather::Gathering;
use super::piece::Row;

impl Gathering<'_> {
    /// At the end of a list by time, adds the latest record of each lane where that lies before what was read of
    /// it and belongs to what is wanted; says which they are.
    ///
    /// # Errors
    /// Reading cannot go on at all, or it was given up.
    pub(super) fn add_far(&mut self) -> Known<BTreeSet<(usize, Offset)>> {
        if !self.is_at_end || self.lanes.order() != TableOrder::Time {
            return Ok(BTreeSet::new());
        }
        let unread = |lane: &usize| {
            self.stretches
                .get(lane)
                .is_some_and(|stretch| stretch.width() > 0)
        };
        let lanes: Vec<usize> = self.stretches.keys().copied().filter(unread).collect();
        let not_asked: Vec<usize> = lanes
            .iter()
            .copied()
            .filter(|lane| {
                self.stretches
                    .get(lane)
                    .is_some_and(|stretch| !stretch.asked)
            })
            .collect();
        for (lane, found) in self.look_up(&not_asked, Seek::MaxTimestamp)? {
            if let Ok(Found {
                offset: Some(offset),
                timestamp: Some(time),
            }) = found
                && let Some(stretch) = self.stretches.get_mut(&lane)
            {
                stretch.latest = Some((offset, time));
            }
        }
        self.sort();
        let edge = self.edge();
        let parts: Vec<PartitionRange> = lanes
            .into_iter()
            .filter_map(|lane| {
                let stretch = self.stretches.get(&lane)?;
                let (offset, time) = stretch.latest?;
                let belongs = edge.is_none_or(|edge| (Moment(Some(time)), lane) > edge);
                let is_unread = (stretch.rest.0..stretch.rest.1).contains(&offset);
                (belongs && is_unread && self.lanes.is_meant(Some(time))).then_some(())?;
                Some(PartitionRange {
                    from: offset,
                    to: offset.next(),
                    ..self.lanes.get(lane)?.range.clone()
                })
            })
            .take(self.wanted)
            .collect();
        let mut far = BTreeSet::new();
        if parts.is_empty() {
            return Ok(far);
        }
        let (lanes, held) = (&self.lanes, &mut self.held);
        scan(
            self.bus,
            &parts,
            lanes.isolation(),
            self.cancel,
            &mut |scanned| {
                if let Scanned::Record(record) = scanned
                    && let Some(key) = lanes.key(&record)
                {
                    far.insert((key.lane, key.offset));
                    held.push(Row {
                        key,
                        record: Arc::new(record),
                    });
                }
                Flow::Continue
            },
        )?;
        self.sort();
        Ok(far)
    }
}
