//! Going on at the ends of the logs, for ever.

use std::time::Duration;

use crate::bus::{Passed, ReadEvent, ReadRange};
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::{Flow, Judge, Scanned, TURN, plainly};
use crate::model::{Isolation, Known};

use super::{Control, Hunt};

/// How long a record may wait for the careful reader before it is taken for one of an open transaction.
const OPEN_AFTER: Duration = Duration::from_millis(700);

impl Hunt<'_> {
    /// Reads each of `ranges` from its beginning and goes on beyond its end, until `sink` says stop or it is given up.
    /// Blocks. A record that careful readers are not given in time is told as one of an open transaction, whatever
    /// becomes of it later.
    ///
    /// # Errors
    /// Reading cannot be started or go on at all.
    pub(in crate::engine) fn follow(
        &self,
        ranges: &[PartitionRange],
        sink: &mut dyn FnMut(Scanned) -> Flow,
    ) -> Known<()> {
        let open_ended = || {
            let range = |range: &PartitionRange| ReadRange {
                at: range.at.clone(),
                from: range.from,
                to: None,
            };
            ranges.iter().map(range).collect()
        };
        let mut reader = self.bus.read(&self.plan(open_ended(), self.isolation))?;
        let mut judge = match self.isolation {
            Isolation::ReadCommitted => None,
            Isolation::ReadUncommitted => {
                let careful = self.plan(open_ended(), Isolation::ReadCommitted);
                let careful = self.bus.read(&careful)?;
                Some(Judge::following(ranges, careful, OPEN_AFTER))
            }
        };
        let mut events = Vec::new();
        let mut found = Vec::new();
        while self.control.cancel.reason().is_none() {
            if self.control.is_paused() {
                Control::nap();
                continue;
            }
            reader.poll(TURN, &mut events)?;
            let mut bytes: u64 = 0;
            for event in events.drain(..) {
                let event = self.looked_at(event, &mut bytes);
                match &mut judge {
                    Some(judge) => judge.hold(event),
                    None => found.push(plainly(event)),
                }
            }
            if let Some(judge) = &mut judge {
                judge.turn(&mut found)?;
            }
            for scanned in found.drain(..) {
                if sink(scanned) == Flow::Stop {
                    return Ok(());
                }
            }
            self.control.rest(bytes, reader.throttled());
        }
        Ok(())
    }

    /// The event, a record that is not looked for as a stretch of its own.
    fn looked_at(&self, event: ReadEvent, bytes: &mut u64) -> ReadEvent {
        match event {
            ReadEvent::Record(record) => {
                *bytes = bytes.saturating_add(record.size());
                if self.look.keeps(&record) {
                    return ReadEvent::Record(record);
                }
                ReadEvent::Passed(Passed::over(&record))
            }
            ReadEvent::Passed(passed) => {
                *bytes = bytes.saturating_add(passed.bytes);
                ReadEvent::Passed(passed)
            }
            other => other,
        }
    }
}
