//! History that is made when somebody reads it: a partition of any number of records that takes no memory.

use std::fmt::Write as _;

use bytes::Bytes;

use super::batch::Builder;

/// How many records one made batch holds.
const PER_BATCH: i64 = 100;
/// What a made batch takes at most, in bytes; used to respect a fetch's limits before making it.
pub(super) const BATCH_BYTES: usize = 16 * 1024;

/// The offsets `0..count` of a partition, spread evenly over a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Generated {
    /// How many records there are.
    pub(super) count: i64,
    /// The first record's timestamp, epoch milliseconds.
    pub(super) from_ms: i64,
    /// The time over which they spread, in milliseconds.
    pub(super) span_ms: i64,
    /// What makes this partition's records differ from another's.
    pub(super) salt: u64,
}

impl Generated {
    /// The timestamp of the record at `offset`.
    pub(super) fn timestamp(&self, offset: i64) -> i64 {
        let count = i128::from(self.count.max(1));
        let along = i128::from(offset) * i128::from(self.span_ms) / count;
        self.from_ms
            .saturating_add(i64::try_from(along).unwrap_or(self.span_ms))
    }

    /// The first offset whose timestamp is at or after `time`, if there is one.
    pub(super) fn offset_at(&self, time: i64) -> Option<i64> {
        let after = i128::from(time) - i128::from(self.from_ms);
        let offset = if after <= 0 {
            0
        } else if self.span_ms <= 0 {
            return None;
        } else {
            let scaled = after * i128::from(self.count);
            let span = i128::from(self.span_ms);
            i64::try_from((scaled + span - 1) / span).ok()?
        };
        (offset < self.count).then_some(offset)
    }

    /// The first offset of the batch that holds `offset`.
    pub(super) fn batch_base(offset: i64) -> i64 {
        offset - offset.rem_euclid(PER_BATCH)
    }

    /// The offset after the batch that starts at `base`.
    pub(super) fn batch_end(&self, base: i64) -> i64 {
        base.saturating_add(PER_BATCH).min(self.count)
    }

    /// The batch that starts at `base`.
    pub(super) fn batch(&self, base: i64) -> Bytes {
        let mut builder = Builder::new(self.timestamp(base));
        let (mut key, mut value) = (String::new(), String::new());
        for offset in base..self.batch_end(base) {
            let mixed = mix(self.salt ^ offset.cast_unsigned());
            key.clear();
            value.clear();
            // Writing to a String cannot fail.
            _ = write!(key, "k-{:05}", mixed % 20_000);
            _ = write!(
                value,
                r#"{{"seq":{offset},"device":"d-{:04}","reading":{}.{:02},"state":"{}"}}"#,
                mixed % 5_000,
                mixed >> 8 & 0x3ff,
                (mixed >> 20) % 100,
                if (mixed >> 32).is_multiple_of(32) {
                    "warn"
                } else {
                    "ok"
                },
            );
            builder.push(
                self.timestamp(offset),
                Some(key.as_bytes()),
                Some(value.as_bytes()),
                &[],
            );
        }
        builder.finish(base)
    }
}

/// A well-mixed number from a counter (splitmix64).
pub(super) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
