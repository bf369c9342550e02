use std::sync::Arc;

use super::*;
use crate::engine::{SearchRequest, Table, TableSpan};
use crate::model::{Isolation, Offset, PartitionId, Problem, ProblemKind, TopicPartition, by_hand};

/// 30 November 2026, 14:00 in Berlin.
const T: i64 = 1_796_043_600_000;

fn row(partition: i32, next: i64, complete: bool) -> PartitionCoverage {
    PartitionCoverage {
        topic: "orders".into(),
        partition: Some(PartitionId(partition)),
        from: Some(Offset(0)),
        to: Some(Offset(100)),
        next: Some(Offset(next)),
        complete,
        error: None,
    }
}

fn view(stage: SearchStage, rows: Vec<PartitionCoverage>) -> SearchView {
    let at = |partition| TopicPartition::new("orders", partition);
    SearchView {
        request: Some(Arc::new(SearchRequest {
            number: 1,
            partitions: (0..8).map(at).collect(),
            span: TableSpan::Between(TimestampMs(T), TimestampMs(T + 20 * 60_000)),
            filters: Arc::default(),
            isolation: Isolation::ReadUncommitted,
            follow: false,
            decoders: Arc::default(),
        })),
        stage,
        cost: Some(SearchCost {
            topics: 1,
            partitions: 8,
            offsets: 80_000_000,
            bytes: Some(8_000_000_000),
        }),
        coverage: Arc::new(Coverage {
            records_scanned: 12_400_000,
            partitions: rows,
            ..Coverage::default()
        }),
        held_bytes_at_most: 64_000_000,
        ..SearchView::default()
    }
}

fn said(view: &SearchView) -> Words {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let writing = Writing {
        zone: &zone,
        now: TimestampMs(T + 3_600_000),
    };
    Words::of(view, TimestampMs(T + 127_000), writing)
}

#[test]
fn what_was_covered_is_said_exactly() {
    let rows = (0..8).map(|id| row(id, 100, id < 3 || id == 5)).collect();
    let words = said(&view(SearchStage::Running, rows));
    assert_eq!(
        words.coverage,
        "Searched 12,400,000 of up to 80,000,000 records of orders, 14:00–14:20 UTC+01:00, p0–p2, p5 of 8 partitions complete"
    );
    assert_eq!(
        words.short,
        "Searched 12,400,000 of up to 80,000,000 records, p0–p2, p5 of 8 partitions complete"
    );
    assert!(!words.warns);
}

#[test]
fn no_hits_says_what_was_searched() {
    let rows: Vec<_> = (0..8).map(|id| row(id, 100, true)).collect();
    let mut view = view(SearchStage::Ended, rows);
    assert_eq!(
        said(&view).none,
        "No hits: searched all 12,400,000 records of orders, 14:00–14:20 UTC+01:00, p0–p7 complete"
    );
    let mut coverage = Coverage::clone(&view.coverage);
    coverage.stopped_by = Some(StoppedBy::Interrupt);
    coverage.partitions[7].complete = false;
    view.coverage = Arc::new(coverage);
    view.times = Some((TimestampMs(T), TimestampMs(T + 120_000)));
    let words = said(&view);
    assert_eq!(
        words.none,
        "No hits so far: stopped by you: searched 12,400,000 of up to 80,000,000 records of orders, 14:00–14:02 UTC+01:00, p0–p6 of 8 partitions complete"
    );
    assert!(words.warns);
}

#[test]
fn what_could_not_be_read_is_named() {
    let mut rows: Vec<_> = (0..2).map(|id| row(id, 100, id == 0)).collect();
    rows[1].error = Some(Problem::new(ProblemKind::NoLeader, "nobody leads it"));
    let words = said(&view(SearchStage::Running, rows));
    assert!(
        words
            .coverage
            .ends_with("p0 of 2 partitions complete, orders/1 not read: nobody leads it"),
        "{}",
        words.coverage
    );
}

#[test]
fn the_cost_is_said_before_anything_is_read() {
    let mut view = view(SearchStage::Asking, vec![]);
    view.bytes_per_second_at_most = Some(20_000_000);
    assert_eq!(
        said(&view).coverage,
        "This may read up to 80,000,000 records, about 8 GB, of 8 partitions in 1 topic; at most 20 MB/s, so about 6 min"
    );
    view.cost = None;
    assert_eq!(said(&view).coverage, "How much this reads is not known");
    assert!(said(&view).details.is_empty());
}

#[test]
fn hits_that_are_not_held_are_counted() {
    let mut view = view(SearchStage::Running, vec![]);
    view.hits = 2_345_678;
    view.not_held = 2_345_676;
    view.table = Arc::new(Table {
        rows: (0..2)
            .map(|at| Arc::new(by_hand::record("orders", 0, at)))
            .collect(),
        ..Table::default()
    });
    view.records_per_second = 1_234_567;
    view.bytes_per_second = 240_000_000;
    view.first_hit_ms = Some(412);
    view.throttled_ms = 120;
    view.expression_failures = Some((12, "null has no keys".into()));
    assert_eq!(
        said(&view).details,
        [
            "showing 2 of 2,345,678 hits; at most 64 MB are held",
            "the brokers ask for patience, 120 ms each second",
            "an expression failed on 12 records: null has no keys",
            "1,234,567 records/s, 240 MB/s",
            "first hit after 0.4 s",
        ]
    );
}

#[test]
fn what_comes_in_is_counted_since_when() {
    let mut view = view(SearchStage::Running, vec![]);
    let request = SearchRequest {
        follow: true,
        ..SearchRequest::clone(view.request.as_ref().unwrap())
    };
    view.request = Some(Arc::new(request));
    view.records_per_second = 48_000;
    view.is_sampled = true;
    let words = said(&view);
    assert_eq!(
        words.coverage,
        "12,400,000 records since 14:02:07 UTC+01:00, 48,000/s"
    );
    assert!(words.details[1].starts_with("the rows are a sample"));
}

#[test]
fn what_came_while_the_display_stood_still_is_said() {
    let frozen = SearchView {
        hits: 100,
        not_held: 10,
        ..SearchView::default()
    };
    let newest = SearchView {
        hits: 12_500,
        held_bytes_at_most: 64_000_000,
        ..frozen.clone()
    };
    assert_eq!(
        meanwhile(&frozen, &newest),
        "12,400 records came meanwhile, all of them held"
    );
    let newest = SearchView {
        not_held: 3_010,
        ..newest
    };
    assert_eq!(
        meanwhile(&frozen, &newest),
        "12,400 records came meanwhile; of all, 3,000 records are not held any more: at most 64 MB"
    );
}

#[test]
fn progress_is_the_share_of_offsets() {
    let rows = vec![row(0, 50, false), row(1, 100, true)];
    let done = said(&view(SearchStage::Running, rows)).done.unwrap();
    assert!((done - 0.75).abs() < 1e-9);
    let mut unknown = row(0, 1, false);
    unknown.to = None;
    assert_eq!(said(&view(SearchStage::Running, vec![unknown])).done, None);
}
