//! Going through the batches of logs.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use futures_util::stream;

use crate::bus::{Bus, ReadRange};
use crate::engine::cancel::Cancel;
use crate::model::TopicPartition;

use super::Lane;

/// How many partitions are gone through at once.
const AT_ONCE: usize = 4;

/// Reads the batches of each lane up to its end; a lane whose batches cannot be had says why.
pub(super) async fn read(
    bus: &dyn Bus,
    lanes: &mut BTreeMap<TopicPartition, Lane>,
    cancel: &Cancel,
) {
    let open = lanes
        .iter_mut()
        .filter(|(_, lane)| lane.inferred.is_none() && lane.holes.next() < lane.to);
    stream::iter(open)
        .for_each_concurrent(AT_ONCE, |(at, lane)| read_lane(bus, at, lane, cancel))
        .await;
}

async fn read_lane(bus: &dyn Bus, at: &TopicPartition, lane: &mut Lane, cancel: &Cancel) {
    while lane.holes.next() < lane.to && cancel.reason().is_none() {
        let from = lane.holes.next();
        let range = ReadRange {
            at: at.clone(),
            from,
            to: Some(lane.to),
        };
        match bus.log(range).await {
            Ok(portion) => {
                lane.holes.add(&portion);
                if lane.holes.next() <= from {
                    return;
                }
            }
            Err(problem) => {
                lane.inferred = Some(problem);
                return;
            }
        }
    }
}
