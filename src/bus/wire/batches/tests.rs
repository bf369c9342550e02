//! Batches as bytes, and what is read out of them.

use std::io::Write as _;

use super::*;

/// The attributes' bits.
const TRANSACTIONAL: i16 = 0x10;
const CONTROL: i16 = 0x20;

/// A batch as a test wants it: sound unless it says otherwise.
#[derive(Clone)]
struct Made {
    first: i64,
    span: i32,
    attributes: i16,
    producer: (i64, i16, i32),
    max_time: i64,
    count: i32,
    records: Vec<u8>,
}

impl Made {
    /// Records at these offsets, counted from `first`, in a batch that once had `span` offsets more than one.
    fn of(first: i64, span: i32, deltas: &[u8]) -> Self {
        // Length 7; attributes, time, offset, no key, one byte, no headers: numbers below 64 are one byte, doubled.
        let record = |delta: &u8| [14, 0, 0, 2 * delta, 1, 2, b'v', 0];
        Self {
            first,
            span,
            attributes: 0,
            producer: (-1, -1, -1),
            max_time: 1_000,
            count: i32::try_from(deltas.len()).unwrap(),
            records: deltas.iter().flat_map(record).collect(),
        }
    }

    /// A mark of this type.
    fn mark(first: i64, kind: [u8; 2]) -> Self {
        // Length 13; attributes, time, offset, key of 4 bytes (version and type), value of 3, no headers.
        let key = [8, 0, 0, kind[0], kind[1]];
        let mut records = vec![26, 0, 0, 0];
        records.extend(key);
        records.extend([6, 9, 9, 9, 0]);
        Self {
            attributes: TRANSACTIONAL | CONTROL,
            producer: (7, 1, -1),
            count: 1,
            records,
            ..Self::of(first, 0, &[])
        }
    }

    fn compressed(mut self, codec: i16) -> Self {
        self.attributes |= codec;
        let plain = std::mem::take(&mut self.records);
        self.records = match codec {
            1 => {
                let level = flate2::Compression::best();
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(&plain).unwrap();
                encoder.finish().unwrap()
            }
            2 => snap::raw::Encoder::new().compress_vec(&plain).unwrap(),
            3 => {
                let mut encoder = lz4::EncoderBuilder::new().build(Vec::new()).unwrap();
                encoder.write_all(&plain).unwrap();
                encoder.finish().0
            }
            _ => zstd::encode_all(&plain[..], 1).unwrap(),
        };
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut covered = Vec::new();
        covered.extend(self.attributes.to_be_bytes());
        covered.extend(self.span.to_be_bytes());
        covered.extend(500_i64.to_be_bytes());
        covered.extend(self.max_time.to_be_bytes());
        covered.extend(self.producer.0.to_be_bytes());
        covered.extend(self.producer.1.to_be_bytes());
        covered.extend(self.producer.2.to_be_bytes());
        covered.extend(self.count.to_be_bytes());
        covered.extend(&self.records);
        let mut bytes = self.first.to_be_bytes().to_vec();
        bytes.extend(i32::try_from(covered.len() + 9).unwrap().to_be_bytes());
        bytes.extend(3_i32.to_be_bytes());
        bytes.push(2);
        bytes.extend(crc32c::crc32c(&covered).to_be_bytes());
        bytes.extend(covered);
        bytes
    }
}

fn log(batches: &[Made]) -> Vec<u8> {
    batches.iter().flat_map(Made::bytes).collect()
}

fn walked(bytes: &[u8]) -> Walked {
    walk(bytes, Offset(0), None).unwrap()
}

fn holes(made: &Made) -> Known<Vec<(i64, i64)>> {
    let bytes = made.bytes();
    let found = walk(&bytes, Offset(made.first), None)?;
    let holes = found.batches[0].holes.clone()?;
    Ok(holes.into_iter().map(|(a, b)| (a.0, b.0)).collect())
}

#[test]
fn a_header_is_read_from_bytes_written_by_hand() {
    let mut bytes = vec![
        0, 0, 0, 0, 0, 0, 0, 42, // base offset
        0, 0, 0, 57, // length: 49 bytes and one record of 8
        0, 0, 0, 5, // leader epoch
        2, // magic
        0, 0, 0, 0, // checksum, below
        0, 0x10, // transactional
        0, 0, 0, 0, // last offset delta
        0, 0, 0, 0, 0, 0, 0, 1, // base time
        0, 0, 0, 0, 0, 0, 1, 0, // largest time
        0, 0, 0, 0, 0, 0, 0, 9, // producer id
        0, 2, // producer epoch
        0, 0, 0, 4, // base sequence
        0, 0, 0, 1, // count
        14, 0, 0, 0, 1, 2, b'v', 0,
    ];
    let sum = crc32c::crc32c(&bytes[21..]);
    bytes[17..21].copy_from_slice(&sum.to_be_bytes());
    let batch = Batch {
        first: Offset(42),
        last: Offset(42),
        records: 1,
        kind: BatchKind::Data,
        transactional: true,
        producer: Some(Producer {
            id: 9,
            epoch: 2,
            sequence: 4,
        }),
        leader_epoch: 5,
        max_time: Some(TimestampMs(256)),
        holes: Ok(Vec::new()),
    };
    assert_eq!(
        walk(&bytes, Offset(42), None),
        Ok(Walked {
            batches: vec![batch],
            next: Some(Offset(43)),
        })
    );
}

#[test]
fn a_producer_that_numbers_nothing_and_a_missing_time_are_unknown() {
    let made = Made {
        max_time: -1,
        ..Made::of(0, 0, &[0])
    };
    let found = walked(&made.bytes());
    assert_eq!(found.batches[0].producer, None);
    assert_eq!(found.batches[0].max_time, None);
    assert_eq!(found.batches[0].leader_epoch, 3);
}

#[test]
fn holes_are_the_offsets_without_a_record_wherever_they_lie() {
    assert_eq!(holes(&Made::of(10, 2, &[0, 1, 2])), Ok(vec![]));
    assert_eq!(holes(&Made::of(10, 4, &[0, 4])), Ok(vec![(11, 13)]));
    assert_eq!(holes(&Made::of(10, 4, &[2])), Ok(vec![(10, 11), (13, 14)]));
    assert_eq!(holes(&Made::of(10, 4, &[0])), Ok(vec![(11, 14)]));
    // Nothing but the batch is left.
    assert_eq!(holes(&Made::of(10, 4, &[])), Ok(vec![(10, 14)]));
}

#[test]
fn holes_are_found_behind_every_codec() {
    for codec in 1..=4 {
        let made = Made::of(10, 9, &[1, 2, 7]).compressed(codec);
        let expected = vec![(10, 10), (13, 16), (18, 19)];
        assert_eq!(holes(&made), Ok(expected), "codec {codec}");
    }
}

#[test]
fn a_full_batch_is_not_taken_apart() {
    // These bytes are no gzip, and nobody looks.
    let made = Made {
        attributes: 1,
        ..Made::of(0, 1, &[0, 1])
    };
    assert_eq!(holes(&made), Ok(vec![]));
}

#[test]
fn records_that_cannot_be_taken_apart_leave_the_holes_unknown_and_the_batch_known() {
    let not_gzip = Made {
        attributes: 1,
        ..Made::of(0, 5, &[0, 1])
    };
    let no_codec = Made {
        attributes: 5,
        ..not_gzip.clone()
    };
    let backwards = Made::of(0, 5, &[3, 1]);
    let beyond = Made::of(0, 5, &[0, 6]);
    let mut fewer = Made::of(0, 5, &[0, 1]);
    fewer.count = 3;
    for made in [not_gzip, no_codec, backwards, beyond, fewer] {
        let found = walked(&made.bytes());
        assert_eq!(found.next, Some(Offset(6)));
        let problem = found.batches[0].holes.clone().unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Malformed);
        assert!(problem.message.contains("offset 0"), "{problem}");
    }
}

#[test]
fn marks_are_told_by_their_type_and_one_that_is_gone_by_none() {
    let marks = [
        Made::mark(0, [0, 0]),
        Made::mark(1, [0, 1]),
        Made::mark(2, [0, 2]),
        Made::mark(3, [1, 0]),
        Made {
            count: 0,
            records: Vec::new(),
            ..Made::mark(4, [0, 1])
        },
    ];
    let found = walked(&log(&marks));
    let kinds: Vec<_> = found.batches.iter().map(|batch| batch.kind).collect();
    assert_eq!(
        kinds,
        [
            BatchKind::Abort,
            BatchKind::Commit,
            BatchKind::Control(2),
            BatchKind::Control(256),
            BatchKind::Control(-1),
        ]
    );
    assert!(found.batches.iter().all(|batch| batch.transactional));
    let sequences = found.batches.iter().map(|batch| batch.producer.unwrap());
    assert!(sequences.into_iter().all(|by| by.sequence == -1));
    assert_eq!(found.batches[4].holes, Ok(vec![(Offset(4), Offset(4))]));
}

#[test]
fn a_batch_that_is_cut_off_is_left_for_the_next_portion() {
    let one = Made::of(0, 2, &[0, 1, 2]).bytes();
    let two = log(&[Made::of(0, 2, &[0, 1, 2]), Made::of(3, 0, &[0])]);
    for length in one.len()..two.len() {
        let found = walked(&two[..length]);
        assert_eq!((found.batches.len(), found.next), (1, Some(Offset(3))));
    }
    for length in 0..one.len() {
        let found = walked(&one[..length]);
        assert_eq!((found.batches.len(), found.next), (0, None));
    }
}

#[test]
fn what_lies_before_and_behind_the_range_is_left_out() {
    let bytes = log(&[
        Made::of(0, 2, &[0, 1, 2]),
        Made::of(3, 2, &[0, 1, 2]),
        Made::of(9, 2, &[0, 1, 2]),
    ]);
    let of = |from, to| {
        let found = walk(&bytes, Offset(from), Some(Offset(to))).unwrap();
        let firsts: Vec<i64> = found.batches.iter().map(|batch| batch.first.0).collect();
        (firsts, found.next.map(|next| next.0))
    };
    // A batch that holds an offset of the range is there as a whole.
    assert_eq!(of(4, 5), (vec![3], Some(6)));
    // Nothing is between 6 and 8: that was looked at up to the end of the range.
    assert_eq!(of(6, 8), (vec![], Some(8)));
    assert_eq!(of(6, 10), (vec![9], Some(12)));
    assert_eq!(of(0, 100), (vec![0, 3, 9], Some(12)));
    assert_eq!(of(12, 100), (vec![], None));
}

#[test]
fn older_formats_are_said_to_be_unsupported_and_never_misread() {
    for magic in [0, 1] {
        let mut old = Made::of(5, 0, &[0]).bytes();
        old[16] = magic;
        let problem = walk(&old, Offset(5), None).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Unsupported);
        assert!(problem.message.contains("offset 5"), "{problem}");
        // Behind batches that can be read it is left for the next portion, which says so.
        let mut bytes = Made::of(0, 4, &[0, 1, 2, 3, 4]).bytes();
        bytes.extend(&old);
        assert_eq!(walked(&bytes).next, Some(Offset(5)));
    }
}

#[test]
fn damage_is_told_where_it_is() {
    let good = Made::of(0, 2, &[0, 2]);
    let mut flipped = good.bytes();
    *flipped.last_mut().unwrap() ^= 1;
    let backwards = Made {
        span: -1,
        ..good.clone()
    };
    let negative = Made {
        count: -1,
        ..good.clone()
    };
    let too_many = Made {
        count: 4,
        ..good.clone()
    };
    let before_all = Made {
        first: -1,
        ..good.clone()
    };
    let beyond_all = Made {
        first: i64::MAX,
        ..good.clone()
    };
    let mut claims = good.bytes();
    claims[8..12].copy_from_slice(&(-1_i32).to_be_bytes());
    let mut short = good.bytes();
    short[8..12].copy_from_slice(&20_i32.to_be_bytes());
    let cases = [
        flipped,
        backwards.bytes(),
        negative.bytes(),
        too_many.bytes(),
        before_all.bytes(),
        beyond_all.bytes(),
        claims,
        short,
    ];
    for (number, bytes) in cases.iter().enumerate() {
        let problem = walk(bytes, Offset(0), None).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Malformed, "{number}");
    }
    // Offsets that run backwards from one batch to the next.
    let bytes = log(&[Made::of(5, 2, &[0, 1, 2]), Made::of(7, 0, &[0])]);
    assert_eq!(walked(&bytes).next, Some(Offset(8)));
}

#[test]
fn taking_apart_is_spread_over_portions() {
    // Records of 40 MiB that are all alike, of which one is gone, as a few kilobytes.
    let value = 40 * 1024 * 1024;
    let mut record = vec![0, 0, 0, 1];
    zigzag(&mut record, value);
    record.resize(record.len() + value, b'v');
    record.push(0);
    let mut records = Vec::new();
    zigzag(&mut records, record.len());
    records.extend(record);
    let large = |first| Made {
        count: 1,
        records: records.clone(),
        ..Made::of(first, 1, &[])
    };
    let bytes = log(&[
        large(0).compressed(4),
        large(2).compressed(4),
        large(4).compressed(4),
    ]);
    let first = walked(&bytes);
    // 80 MiB are more than a portion's share, so the third waits.
    assert_eq!((first.batches.len(), first.next), (2, Some(Offset(4))));
    assert_eq!(first.batches[0].holes, Ok(vec![(Offset(1), Offset(1))]));
    let rest = walk(&bytes, Offset(4), None).unwrap();
    assert_eq!((rest.batches.len(), rest.next), (1, Some(Offset(6))));
}

fn zigzag(out: &mut Vec<u8>, value: usize) {
    let mut rest = value * 2;
    while rest >= 0x80 {
        out.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
        rest >>= 7;
    }
    out.push(u8::try_from(rest).unwrap());
}

#[test]
fn random_and_mutated_bytes_are_survived() {
    let mut random = fastrand::Rng::with_seed(11);
    let real = log(&[
        Made::of(0, 9, &[1, 2, 7]).compressed(1),
        Made::of(10, 9, &[1, 2, 7]).compressed(2),
        Made::of(20, 9, &[1, 2, 7]).compressed(3),
        Made::of(30, 9, &[1, 2, 7]).compressed(4),
        Made::mark(40, [0, 1]),
    ]);
    for round in 0..3_000 {
        let mut bytes = real.clone();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(0..bytes.len());
            bytes[at] = random.u8(..);
        }
        // Half of them with a checksum that fits, so that what is inside is met as well.
        if round % 2 == 0 {
            let sum = |batch: &[u8]| crc32c::crc32c(&batch[21..]).to_be_bytes();
            let claimed = Prefix::read(&bytes).map(|prefix| prefix.size);
            if let Some(size) = claimed.filter(|size| (21..=bytes.len()).contains(size)) {
                let sum = sum(&bytes[..size]);
                bytes[17..21].copy_from_slice(&sum);
            }
        }
        if let Ok(found) = walk(&bytes, Offset(0), None) {
            assert!(found.batches.len() <= bytes.len() / 61);
        }
        let noise: Vec<u8> = (0..random.usize(0..200)).map(|_| random.u8(..)).collect();
        let _whatever = walk(&noise, Offset(0), None);
    }
}
