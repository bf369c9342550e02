//! Looking into compressed batches.
//!
//! Producers compress as they like and brokers keep what they sent. A few bytes may claim to be a great
//! many, so whoever looks inside sets a bound.

use std::io::Read;

/// The most that one batch may hold once it is decompressed, in bytes.
pub(super) const MOST: usize = 64 * 1024 * 1024;
/// The most that a byte of snappy may stand for: a copy of 64 bytes takes three (snappy's format description).
const SNAPPY_MOST: usize = 22;
/// What Kafka's snappy begins with (the framing of snappy-java): magic, version, compatible version.
const SNAPPY_MAGIC: &[u8; 16] = b"\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01";

/// The records of a batch whose attributes name this codec; `None` when they cannot be had.
pub(super) fn records(codec: i16, compressed: &[u8]) -> Option<Vec<u8>> {
    match codec {
        1 => read(flate2::read::MultiGzDecoder::new(compressed)),
        2 => snappy(compressed),
        3 => read(lz4::Decoder::new(compressed).ok()?),
        4 => read(zstd::Decoder::new(compressed).ok()?),
        _ => None,
    }
}

fn read(decoder: impl Read) -> Option<Vec<u8>> {
    let mut records = Vec::new();
    let bound = u64::try_from(MOST).ok()?.checked_add(1)?;
    decoder.take(bound).read_to_end(&mut records).ok()?;
    (records.len() <= MOST).then_some(records)
}

fn snappy(compressed: &[u8]) -> Option<Vec<u8>> {
    let Some(mut rest) = compressed.strip_prefix(SNAPPY_MAGIC) else {
        let mut records = Vec::new();
        return snappy_block(compressed, &mut records).then_some(records);
    };
    let mut records = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (block, after) = after.split_at_checked(length)?;
        if !snappy_block(block, &mut records) {
            return None;
        }
        rest = after;
    }
    Some(records)
}

/// Appends a block's content; `false` when it is malformed or there is too much of it.
fn snappy_block(block: &[u8], records: &mut Vec<u8>) -> bool {
    let room = MOST.saturating_sub(records.len());
    // The decoder reserves what a block claims.
    let room = room.min(block.len().saturating_mul(SNAPPY_MOST));
    let fits = snap::raw::decompress_len(block).is_ok_and(|length| length <= room);
    if !fits {
        return false;
    }
    let content = snap::raw::Decoder::new().decompress_vec(block);
    content.is_ok_and(|content| {
        records.extend_from_slice(&content);
        true
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const TEXT: &[u8] = b"records that are all alike, records that are all alike";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn framed_snappy(blocks: &[&[u8]]) -> Vec<u8> {
        let mut framed = SNAPPY_MAGIC.to_vec();
        for block in blocks {
            let block = snap::raw::Encoder::new().compress_vec(block).unwrap();
            framed.extend_from_slice(&u32::try_from(block.len()).unwrap().to_be_bytes());
            framed.extend_from_slice(&block);
        }
        framed
    }

    #[test]
    fn every_codec_of_kafka_is_read() {
        assert_eq!(records(1, &gzip(TEXT)).as_deref(), Some(TEXT));
        let raw = snap::raw::Encoder::new().compress_vec(TEXT).unwrap();
        assert_eq!(records(2, &raw).as_deref(), Some(TEXT));
        let framed = framed_snappy(&[&TEXT[..20], &TEXT[20..]]);
        assert_eq!(records(2, &framed).as_deref(), Some(TEXT));
        let mut encoder = lz4::EncoderBuilder::new().build(Vec::new()).unwrap();
        encoder.write_all(TEXT).unwrap();
        assert_eq!(records(3, &encoder.finish().0).as_deref(), Some(TEXT));
        let zstd = zstd::encode_all(TEXT, 1).unwrap();
        assert_eq!(records(4, &zstd).as_deref(), Some(TEXT));
    }

    #[test]
    fn what_is_damaged_or_of_no_codec_is_not_read() {
        for codec in 0..8 {
            assert_eq!(records(codec, b"neither this nor that"), None, "{codec}");
        }
        let cut = gzip(TEXT);
        assert_eq!(records(1, &cut[..cut.len() - 9]), None);
        assert_eq!(records(2, &framed_snappy(&[TEXT])[..30]), None);
    }

    #[test]
    fn more_than_the_bound_is_not_read() {
        let bomb = gzip(&vec![0; MOST + 1]);
        assert!(bomb.len() < 100_000);
        assert_eq!(records(1, &bomb), None);
        // A snappy block that claims four thousand million bytes.
        assert_eq!(records(2, &[0xff, 0xff, 0xff, 0xff, 0x0f, 0]), None);
    }
}
