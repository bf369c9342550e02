//! The log: reading, looking up by time, deleting, compacting, shedding.

use crate::bus::demo::batch::{Batch, Builder, Header, Producer, validate};
use crate::bus::demo::compact::compact;
use crate::bus::demo::generated::Generated;
use crate::bus::demo::log::{Aborted, PartitionLog, Piece, Sequence};
use crate::bus::demo::{batch, codes};

/// Appends one batch of records with these timestamps, keyed by their place in the batch.
fn append(log: &mut PartitionLog, timestamps: &[i64]) -> i64 {
    let mut builder = Builder::new(timestamps[0]);
    for (timestamp, key) in timestamps.iter().zip(b'a'..) {
        builder.push(*timestamp, Some(&[key]), Some(b"value"), &[]);
    }
    log.append(&builder.finish(0), None).unwrap()
}

fn offsets(pieces: Vec<Piece>) -> Vec<i64> {
    let all = pieces.into_iter().map(Piece::into_bytes);
    all.flat_map(|bytes| {
        let batch = Batch::open(&bytes).unwrap();
        let records = batch.records();
        records.map(|record| record.offset).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn a_fetch_begins_with_the_batch_that_holds_its_offset() {
    let mut log = PartitionLog::default();
    assert_eq!(append(&mut log, &[1, 2, 3]), 0);
    assert_eq!(append(&mut log, &[4, 5]), 3);
    assert_eq!(append(&mut log, &[6]), 5);
    assert_eq!((log.start(), log.end(), log.last_stable()), (0, 6, 6));
    let read = |from, max| offsets(log.read(from, 6, max, true).unwrap());
    assert_eq!(read(0, 10_000), [0, 1, 2, 3, 4, 5]);
    assert_eq!(read(4, 10_000), [3, 4, 5]);
    assert_eq!(read(6, 10_000), [] as [i64; 0]);
    // The first batch comes whole, however little was asked for.
    assert_eq!(read(1, 1), [0, 1, 2]);
    assert_eq!(log.read(1, 6, 1, false).unwrap().len(), 0);
    assert_eq!(
        log.read(7, 6, 1, true).unwrap_err(),
        codes::OFFSET_OUT_OF_RANGE
    );
}

#[test]
fn a_time_finds_the_first_record_at_or_after_it() {
    let mut log = PartitionLog::default();
    append(&mut log, &[100, 200, 150]);
    append(&mut log, &[120]);
    append(&mut log, &[300, 300]);
    let at = |time| log.at_time(time, log.end());
    assert_eq!(at(0), Some((0, 100)));
    assert_eq!(at(101), Some((1, 200)));
    assert_eq!(at(200), Some((1, 200)));
    assert_eq!(at(201), Some((4, 300)));
    assert_eq!(at(301), None);
    // What lies beyond the bound is not found.
    assert_eq!(log.at_time(250, 4), None);
    assert_eq!(log.at_max_time(), Some((4, 300)));
    assert_eq!(PartitionLog::default().at_max_time(), None);
}

#[test]
fn a_time_is_found_although_a_later_batch_is_older() {
    let mut log = PartitionLog::default();
    append(&mut log, &[500]);
    append(&mut log, &[100]);
    append(&mut log, &[200]);
    log.delete_before(1);
    assert_eq!(log.at_time(150, 3), Some((2, 200)));
    assert_eq!(log.at_time(300, 3), None);
}

#[test]
fn deleting_moves_the_start_even_into_the_middle_of_a_batch() {
    let mut log = PartitionLog::default();
    append(&mut log, &[1, 2, 3]);
    append(&mut log, &[4, 5]);
    log.delete_before(1);
    assert_eq!((log.start(), log.end(), log.batches().len()), (1, 5, 2));
    assert_eq!(log.at_time(0, 5), Some((1, 2)));
    assert_eq!(
        log.read(0, 5, 100, true).unwrap_err(),
        codes::OFFSET_OUT_OF_RANGE
    );
    log.delete_before(3);
    assert_eq!((log.start(), log.batches().len()), (3, 1));
    // It never moves back, and never beyond the end.
    log.delete_before(0);
    assert_eq!(log.start(), 3);
    log.delete_before(99);
    assert_eq!((log.start(), log.end(), log.bytes()), (5, 5, 0));
}

#[test]
fn retention_drops_whole_batches_by_age_and_by_size() {
    let mut log = PartitionLog::default();
    append(&mut log, &[100, 200]);
    append(&mut log, &[300]);
    append(&mut log, &[400]);
    log.retain(Some(150), None);
    assert_eq!(log.start(), 0);
    log.retain(Some(201), None);
    assert_eq!(log.start(), 2);
    let one = log.batches()[0].bytes.len() as u64;
    log.retain(None, Some(one * 2));
    assert_eq!(log.start(), 2);
    log.retain(None, Some(one));
    assert_eq!((log.start(), log.bytes()), (3, one));
}

#[test]
fn shedding_frees_at_least_what_is_asked_for() {
    let mut log = PartitionLog::default();
    for time in 0..10 {
        append(&mut log, &[time]);
    }
    let one = log.batches()[0].bytes.len() as u64;
    log.shed(one + 1);
    assert_eq!((log.start(), log.bytes()), (2, 8 * one));
}

#[test]
fn compaction_keeps_the_newest_of_each_key_where_it_was() {
    let mut log = PartitionLog::default();
    append(&mut log, &[1, 2, 3]); // a b c
    append(&mut log, &[4, 5]); // a b
    append(&mut log, &[6]); // a
    compact(&mut log, 6);
    assert_eq!(offsets(log.read(0, 6, 10_000, true).unwrap()), [2, 3, 4, 5]);
    assert_eq!((log.start(), log.end()), (0, 6));
    // A batch keeps its offsets although fewer records are in it, and its checksum is right.
    let header = Header::read(&log.batches()[0].bytes).unwrap();
    assert_eq!(
        (header.base_offset, header.last_offset_delta, header.count),
        (0, 2, 1)
    );
    let stored = u32::from_be_bytes(log.batches()[0].bytes[17..21].try_into().unwrap());
    assert_eq!(stored, crc32c::crc32c(&log.batches()[0].bytes[21..]));
    assert_eq!(log.at_time(0, 6), Some((2, 3)));
}

#[test]
fn compaction_leaves_what_has_not_settled() {
    let mut log = PartitionLog::default();
    append(&mut log, &[1]);
    append(&mut log, &[2]);
    append(&mut log, &[3]);
    // The newest of all is not settled, so it does not count as newer.
    compact(&mut log, 2);
    assert_eq!(offsets(log.read(0, 3, 10_000, true).unwrap()), [1, 2]);
}

fn transactional(id: i64, epoch: i16, sequence: i32, records: i32) -> bytes::Bytes {
    let mut builder = Builder::new(10).by(Producer {
        id,
        epoch,
        base_sequence: sequence,
        transactional: true,
    });
    for _ in 0..records {
        builder.push(10, None, Some(b"v"), &[]);
    }
    builder.finish(0)
}

#[test]
fn an_open_transaction_holds_the_last_stable_offset_back() {
    let mut log = PartitionLog::default();
    append(&mut log, &[1]);
    log.append(&transactional(7, 0, 0, 2), None).unwrap();
    append(&mut log, &[2]);
    assert_eq!((log.end(), log.last_stable()), (4, 1));
    assert_eq!(
        offsets(log.read(0, log.bound(true), 10_000, true).unwrap()),
        [0]
    );
    log.end_transaction(7, 0, false, 20);
    assert_eq!((log.end(), log.last_stable()), (5, 5));
    let aborted = Aborted {
        producer_id: 7,
        first: 1,
        last: 4,
    };
    assert_eq!(log.aborted(0, 5), [aborted]);
    assert_eq!(log.aborted(4, 5), [aborted]);
    assert_eq!(log.aborted(5, 9), []);
    assert_eq!(log.aborted(0, 1), []);
}

#[test]
fn a_marker_is_what_kafka_writes() {
    let marker = batch::marker(7, 3, true, 99);
    let header = Header::read(&marker).unwrap();
    assert!(header.is_control() && header.is_transactional());
    assert_eq!(
        (
            header.producer_id,
            header.producer_epoch,
            header.base_sequence
        ),
        (7, 3, -1)
    );
    let marker = Batch::open(&marker).unwrap();
    let record = marker.records().next().unwrap();
    // Version 0 and type 1 (commit); version 0 and coordinator epoch 0.
    assert_eq!(record.key, Some([0, 0, 0, 1].as_slice()));
    assert_eq!(record.value, Some([0; 6].as_slice()));
    assert_eq!(record.timestamp, 99);
}

#[test]
fn sequences_follow_one_another_and_repeats_are_recognised() {
    let mut log = PartitionLog::default();
    let first = transactional(7, 0, 0, 3);
    assert_eq!(log.append(&first, None), Some(0));
    let check = |log: &PartitionLog, epoch, sequence, records| {
        let bytes = transactional(7, epoch, sequence, records);
        log.sequence(&Header::read(&bytes).unwrap())
    };
    assert_eq!(check(&log, 0, 0, 3), Sequence::Duplicate(0));
    assert_eq!(check(&log, 0, 3, 1), Sequence::Next);
    let hole = Sequence::Refused(codes::OUT_OF_ORDER_SEQUENCE_NUMBER);
    assert_eq!(check(&log, 0, 4, 1), hole);
    assert_eq!(check(&log, 1, 0, 1), Sequence::Next);
    assert_eq!(check(&log, 1, 3, 1), hole);
    log.append(&transactional(7, 1, 0, 1), None).unwrap();
    let fenced = Sequence::Refused(codes::INVALID_PRODUCER_EPOCH);
    assert_eq!(check(&log, 0, 3, 1), fenced);
}

#[test]
fn history_that_is_made_on_reading_answers_like_stored_history() {
    // Record i is written at 1000 + i * 10.
    let history = Generated {
        count: 250,
        from_ms: 1_000,
        span_ms: 2_500,
        salt: 5,
    };
    let mut log = PartitionLog::with_history(history);
    append(&mut log, &[9_000]);
    assert_eq!((log.start(), log.end()), (0, 251));
    let read = |from| offsets(log.read(from, 251, usize::MAX, true).unwrap());
    assert_eq!(read(120), (100..251).collect::<Vec<_>>());
    assert_eq!(log.at_time(0, 251), Some((0, 1_000)));
    assert_eq!(log.at_time(1_001, 251), Some((1, 1_010)));
    assert_eq!(log.at_time(3_490, 251), Some((249, 3_490)));
    assert_eq!(log.at_time(3_491, 251), Some((250, 9_000)));
    assert_eq!(log.at_max_time(), Some((250, 9_000)));
    for piece in log.read(0, 251, usize::MAX, true).unwrap() {
        let most = piece.size();
        let bytes = piece.into_bytes();
        assert!(bytes.len() <= most);
        validate(&bytes).unwrap();
    }
    log.delete_before(130);
    assert_eq!(log.at_time(0, 251), Some((130, 2_300)));
}

#[test]
fn a_thousand_million_records_cost_nothing_until_they_are_read() {
    let log = PartitionLog::with_history(Generated {
        count: 1_000_000_000,
        from_ms: 0,
        span_ms: 21_600_000,
        salt: 1,
    });
    assert_eq!(log.bytes(), 0);
    // 46.296 records a millisecond: the first of the second hour.
    assert_eq!(
        log.at_time(3_600_000, log.end()),
        Some((166_666_667, 3_600_000))
    );
    let batches = log.read(999_999_950, log.end(), 100_000, true).unwrap();
    assert_eq!(
        offsets(batches),
        (999_999_900..1_000_000_000).collect::<Vec<_>>()
    );
}

#[test]
fn a_batch_that_contradicts_itself_is_refused() {
    use crate::bus::demo::batch::Refused;

    let sound = super::requests::batch();
    assert!(validate(&sound).is_ok());
    let changed = |at: usize, byte: u8| {
        let mut bytes = sound.to_vec();
        bytes[at] = byte;
        bytes
    };
    assert_eq!(validate(&changed(16, 1)), Err(Refused::OldFormat));
    assert_eq!(validate(&changed(70, 0)), Err(Refused::Checksum));
    assert_eq!(validate(&changed(11, 0)), Err(Refused::Malformed));
    assert_eq!(validate(&sound[..60]), Err(Refused::Malformed));
    assert_eq!(validate(&[]), Err(Refused::Malformed));
    // Two records claimed, one there, and the checksum right.
    let mut two = sound.to_vec();
    two[26] = 1;
    two[60] = 2;
    let sum = crc32c::crc32c(&two[21..]).to_be_bytes();
    two[17..21].copy_from_slice(&sum);
    assert_eq!(validate(&two), Err(Refused::Malformed));
}

#[test]
fn the_brokers_time_replaces_the_producers_where_the_topic_says_so() {
    let mut log = PartitionLog::default();
    let mut builder = Builder::new(100);
    builder.push(100, None, Some(b"v"), &[]);
    builder.push(150, None, Some(b"v"), &[]);
    log.append(&builder.finish(0), Some(777)).unwrap();
    let bytes = &log.batches()[0].bytes;
    assert!(Header::read(bytes).unwrap().is_log_append_time());
    let times: Vec<i64> = Batch::open(bytes)
        .unwrap()
        .records()
        .map(|record| record.timestamp)
        .collect();
    assert_eq!(times, [777, 777]);
    validate(bytes).unwrap();
    assert_eq!(log.at_time(200, 2), Some((0, 777)));
}
