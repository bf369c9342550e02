//! From a place in a list to the cut at it.

mod misled;
mod rank;

pub(super) use misled::lead_back;

use crate::bus::{Bus, Found, ReadRange, Seek};
use crate::engine::command::{TableOrder, TablePlace};
use crate::model::{Known, Offset, Problem, ProblemKind, RecordHead, TimestampMs, TopicPartition};

use super::cuts::{Cut, Key};
use super::hints::hints_at;
use super::lanes::Lanes;
use super::piece::Hint;

/// What a place comes to.
#[derive(Debug)]
pub(super) struct Sought {
    pub(super) cut: Cut,
    /// What is known of the times above and below the cut, of each lane.
    pub(super) above: Vec<Hint>,
    pub(super) below: Vec<Hint>,
    pub(super) anchor: Anchor,
    /// Why it is not the place that was named.
    pub(super) problems: Vec<Problem>,
}

/// Which row a place names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// The first of all.
    Start,
    /// One past the last.
    End,
    /// The first below the cut.
    Cut,
    /// The first at or after this.
    Key(Key),
}

impl Sought {
    fn at(cut: Cut, anchor: Anchor, lanes: &Lanes) -> Self {
        Self {
            cut,
            above: vec![Hint::Unknown; lanes.len()],
            below: vec![Hint::Unknown; lanes.len()],
            anchor,
            problems: Vec::new(),
        }
    }

    fn start(lanes: &Lanes) -> Self {
        Self::at(Cut::start(lanes), Anchor::Start, lanes)
    }

    fn end(lanes: &Lanes) -> Self {
        Self::at(Cut::end(lanes), Anchor::End, lanes)
    }
}

/// Finds `place`. Lanes that cannot be looked up where that is needed are closed.
pub(super) async fn seek(bus: &dyn Bus, lanes: &mut Lanes, place: &TablePlace) -> Sought {
    match place {
        TablePlace::Start => Sought::start(lanes),
        TablePlace::End => Sought::end(lanes),
        TablePlace::Rank(rank) if *rank == 0 => Sought::start(lanes),
        TablePlace::Rank(rank) if *rank >= lanes.total() => Sought::end(lanes),
        TablePlace::Rank(rank) => match lanes.order() {
            TableOrder::Time => rank::by_time(bus, lanes, *rank).await,
            TableOrder::Offset => by_offset(lanes, *rank),
        },
        TablePlace::Time(time) => at_time(bus, lanes, *time).await,
        TablePlace::Record(at, offset) => record(bus, lanes, at, *offset).await,
    }
}

/// The cut with `rank` offsets before it in the order of offsets, which takes no look-up.
fn by_offset(lanes: &Lanes, rank: u64) -> Sought {
    let mut left = rank;
    let offsets = lanes.all().map(|(lane, known)| {
        let (from, to) = (known.range.from, known.range.to);
        if lanes.problem(lane).is_some() {
            return from;
        }
        let count = known.after(from);
        if left >= count {
            left = left.saturating_sub(count);
            to
        } else {
            let at = from.moved(i64::try_from(left).unwrap_or(i64::MAX));
            left = 0;
            at.unwrap_or(to)
        }
    });
    Sought::at(Cut::at_each(offsets), Anchor::Cut, lanes)
}

/// The cut before `lane` and, in it, at `offset`, in the order of offsets.
fn in_lane(lanes: &Lanes, lane: usize, offset: Offset) -> Sought {
    let offsets = lanes.all().map(|(other, known)| match other.cmp(&lane) {
        std::cmp::Ordering::Less => known.range.to,
        std::cmp::Ordering::Equal => offset,
        std::cmp::Ordering::Greater => known.range.from,
    });
    let key = Key {
        time: None,
        lane,
        offset,
    };
    Sought::at(Cut::at_each(offsets), Anchor::Key(key), lanes)
}

/// A cut made of look-ups of a time.
pub(super) struct TimeCut {
    pub(super) cut: Cut,
    pub(super) above: Vec<Hint>,
    pub(super) below: Vec<Hint>,
}

/// The cut at `time`: before it lies what the bus knows to be earlier. Lanes that cannot be looked up are closed.
pub(super) async fn cut_at(bus: &dyn Bus, lanes: &mut Lanes, time: TimestampMs) -> TimeCut {
    let mut made = TimeCut {
        cut: Cut::start(lanes),
        above: vec![Hint::Unknown; lanes.len()],
        below: vec![Hint::Unknown; lanes.len()],
    };
    let open: Vec<usize> = lanes.open().map(|(lane, _)| lane).collect();
    for (lane, found) in lanes.look_up(bus, open, Seek::AtOrAfter(time)).await {
        made.take(lanes, lane, found, time);
    }
    made
}

impl TimeCut {
    fn take(&mut self, lanes: &mut Lanes, lane: usize, found: Known<Found>, time: TimestampMs) {
        let found = match found {
            Ok(found) => found,
            Err(problem) => {
                lanes.close(lane, problem);
                return;
            }
        };
        let Some(known) = lanes.get(lane) else {
            return;
        };
        let (from, to) = (known.range.from, known.range.to);
        let offset = found.offset.unwrap_or(to).clamp(from, to);
        self.cut.set(lane, offset);
        let (above, below) = hints_at(&found, offset, time);
        if let (Some(known_above), Some(known_below)) =
            (self.above.get_mut(lane), self.below.get_mut(lane))
        {
            *known_above = above;
            *known_below = below;
        }
    }

    fn sought(self, anchor: Anchor) -> Sought {
        Sought {
            cut: self.cut,
            above: self.above,
            below: self.below,
            anchor,
            problems: Vec::new(),
        }
    }
}

async fn at_time(bus: &dyn Bus, lanes: &mut Lanes, time: TimestampMs) -> Sought {
    let made = cut_at(bus, lanes, time).await;
    match lanes.order() {
        TableOrder::Time => made.sought(Anchor::Key(Key {
            time: Some(time),
            lane: 0,
            offset: Offset(0),
        })),
        TableOrder::Offset => {
            let first = lanes
                .open()
                .find(|(lane, known)| made.cut.at(*lane) < known.range.to)
                .map(|(lane, _)| lane);
            match first {
                Some(lane) => in_lane(lanes, lane, made.cut.at(lane)),
                None => Sought::end(lanes),
            }
        }
    }
}

async fn record(bus: &dyn Bus, lanes: &mut Lanes, at: &TopicPartition, offset: Offset) -> Sought {
    let Some(lane) = lanes.find(at) else {
        let mut sought = Sought::start(lanes);
        sought.problems.push(Problem::new(
            ProblemKind::NotFound,
            format!("{at} is not among the partitions that are listed or can be read"),
        ));
        return sought;
    };
    let Some(known) = lanes.get(lane) else {
        return Sought::start(lanes);
    };
    let range = known.range.clone();
    let from = offset.clamp(range.from, range.to);
    let place = ReadRange {
        at: at.clone(),
        from,
        to: Some(range.to),
    };
    let head = if from < range.to {
        let heads = bus.first_records(vec![place]).await;
        heads.into_iter().next().unwrap_or(Ok(None))
    } else {
        Ok(None)
    };
    let lacking = |sentence: String| Problem::new(ProblemKind::NotFound, sentence);
    let mut problems = Vec::new();
    if offset < range.log_start {
        problems.push(lacking(format!(
            "offset {offset} of {at} was deleted: the log starts at {}",
            range.log_start
        )));
    } else if offset >= range.high_watermark {
        problems.push(lacking(format!(
            "offset {offset} of {at} is not written yet: the log ends at {}",
            range.high_watermark
        )));
    } else if offset < range.from || offset >= range.to {
        problems.push(lacking(format!(
            "offset {offset} of {at} lies outside the list"
        )));
    }
    let mut sought = match head {
        Ok(Some(head)) => {
            if problems.is_empty() && head.offset != offset {
                problems.push(lacking(format!(
                    "there is no record at offset {offset} of {at}: it was compacted away, or is a marker; the next one is at {}",
                    head.offset
                )));
            } else if problems.is_empty() && !lanes.is_meant(head.timestamp) {
                problems.push(lacking(format!(
                    "the time of offset {offset} of {at} lies outside the span"
                )));
            }
            at_head(bus, lanes, lane, head).await
        }
        Ok(None) => {
            if problems.is_empty() {
                problems.push(lacking(format!(
                    "there is no record at offset {offset} of {at}, and none follows"
                )));
            }
            match lanes.order() {
                TableOrder::Time => Sought::end(lanes),
                TableOrder::Offset => in_lane(lanes, lane, range.to),
            }
        }
        Err(problem) => {
            problems.push(problem);
            match lanes.order() {
                TableOrder::Time => Sought::start(lanes),
                TableOrder::Offset => in_lane(lanes, lane, from),
            }
        }
    };
    sought.problems = problems;
    sought
}

/// The cut just before the record `head` of `lane`.
async fn at_head(bus: &dyn Bus, lanes: &mut Lanes, lane: usize, head: RecordHead) -> Sought {
    if lanes.order() == TableOrder::Offset {
        return in_lane(lanes, lane, head.offset);
    }
    let key = Key {
        time: head.timestamp,
        lane,
        offset: head.offset,
    };
    let Some(time) = head.timestamp else {
        let mut sought = Sought::at(Cut::start(lanes), Anchor::Key(key), lanes);
        sought.cut.set(lane, head.offset);
        return sought;
    };
    // Equal times stand in the order of partitions.
    let (above, below): (Vec<usize>, Vec<usize>) = lanes
        .open()
        .map(|(other, _)| other)
        .filter(|other| *other != lane)
        .partition(|other| *other < lane);
    let mut made = TimeCut {
        cut: Cut::start(lanes),
        above: vec![Hint::Unknown; lanes.len()],
        below: vec![Hint::Unknown; lanes.len()],
    };
    let after = time.moved_ms(1);
    let (in_above, in_below) = (
        lanes.look_up(bus, above, Seek::AtOrAfter(after)).await,
        lanes.look_up(bus, below, Seek::AtOrAfter(time)).await,
    );
    for (other, found) in in_above {
        made.take(lanes, other, found, after);
    }
    for (other, found) in in_below {
        made.take(lanes, other, found, time);
    }
    made.cut.set(lane, head.offset);
    let mut sought = made.sought(Anchor::Key(key));
    if let (Some(above), Some(below)) = (sought.above.get_mut(lane), sought.below.get_mut(lane)) {
        *above = Hint::NotAfter(time);
        *below = Hint::Near(Some(time));
    }
    sought
}
