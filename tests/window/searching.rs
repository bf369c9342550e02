//! Searches as the engine would tell of them, made by hand.

use std::sync::Arc;

use egui_kittest::Harness;
use tideline::engine::{
    Coverage, PartitionCoverage, SearchCost, SearchRequest, SearchStage, SearchView, StoppedBy,
    Table, TableSpan,
};
use tideline::model::{Offset, Record, TopicPartition};
use tideline::ui::App;

use crate::data;
use crate::fake::Fake;

/// A record of the partitions of `request` every so many milliseconds from 14:00 on, oldest first.
pub fn hits(request: &SearchRequest, every_ms: i64, count: usize) -> Vec<Arc<Record>> {
    let mut hits: Vec<Arc<Record>> = Vec::new();
    for log in data::logs()
        .iter()
        .filter(|log| request.partitions.contains(log.at()))
    {
        let mut time = data::START.0;
        while time < data::NOW.0 {
            if let Some(offset) = log.first_at(time)
                && let Some(at) = log.time_of(offset)
            {
                hits.push(Arc::new(data::record(log.at(), offset, at)));
            }
            // Partitions do not go in step.
            time += every_ms + i64::from(log.at().partition.0) * 7_919;
        }
    }
    if let TableSpan::Between(from, to) = request.span {
        hits.retain(|hit| hit.timestamp.is_some_and(|at| from <= at && at < to));
    }
    hits.sort_by_key(|hit| (hit.timestamp, hit.partition, hit.offset));
    hits.dedup_by_key(|hit| (hit.at(), hit.offset));
    hits.truncate(count);
    hits
}

fn table(rows: Vec<Arc<Record>>) -> Arc<Table> {
    Arc::new(Table {
        at_start: true,
        at_end: true,
        rows,
        ..Table::default()
    })
}

/// How far a partition is, from the first of its offsets to the last of 10,000,000.
fn partition(at: &TopicPartition, part: i64) -> PartitionCoverage {
    PartitionCoverage {
        topic: at.topic.clone(),
        partition: Some(at.partition),
        from: Some(Offset(0)),
        to: Some(Offset(10_000_000)),
        next: Some(Offset(part)),
        complete: part >= 10_000_000,
        error: None,
    }
}

/// A search that reads: the first partition is done, the others have some of it.
pub fn running(request: &SearchRequest, rows: Vec<Arc<Record>>) -> SearchView {
    let count = u64::try_from(rows.len()).unwrap();
    let partitions = request.partitions.iter().enumerate();
    SearchView {
        request: Some(Arc::new(request.clone())),
        stage: SearchStage::Running,
        cost: Some(SearchCost {
            topics: 1,
            partitions: u64::try_from(request.partitions.len()).unwrap(),
            offsets: 80_000_000,
            bytes: Some(8_000_000_000),
        }),
        table: table(rows),
        hits: count,
        held_bytes_at_most: 64_000_000,
        coverage: Arc::new(Coverage {
            records_scanned: 12_400_000,
            bytes_scanned: 1_240_000_000,
            expression_failures: None,
            matched: count,
            partitions: partitions
                .map(|(index, at)| partition(at, if index == 0 { 10_000_000 } else { 2_300_000 }))
                .collect(),
            stopped_by: None,
        }),
        records_per_second: 1_234_567,
        bytes_per_second: 123_000_000,
        first_hit_ms: Some(412),
        elapsed_ms: 10_050,
        ..SearchView::default()
    }
}

/// The same, through to its end.
pub fn ended(request: &SearchRequest, rows: Vec<Arc<Record>>) -> SearchView {
    let view = running(request, rows);
    let coverage = Coverage {
        partitions: request
            .partitions
            .iter()
            .map(|at| partition(at, 10_000_000))
            .collect(),
        records_scanned: 79_999_120,
        ..Coverage::clone(&view.coverage)
    };
    SearchView {
        stage: SearchStage::Ended,
        coverage: Arc::new(coverage),
        first_hit_ms: view.first_hit_ms.filter(|_| view.hits > 0),
        ..view
    }
}

/// The same, stopped by the person.
pub fn stopped(request: &SearchRequest, rows: Vec<Arc<Record>>) -> SearchView {
    let view = running(request, rows);
    let coverage = Coverage {
        stopped_by: Some(StoppedBy::Interrupt),
        ..Coverage::clone(&view.coverage)
    };
    SearchView {
        stage: SearchStage::Ended,
        coverage: Arc::new(coverage),
        ..view
    }
}

/// The same, which asks before it reads.
pub fn asking(request: &SearchRequest) -> SearchView {
    SearchView {
        stage: SearchStage::Asking,
        coverage: Arc::default(),
        bytes_per_second_at_most: Some(20_000_000),
        first_hit_ms: None,
        ..running(request, vec![])
    }
}

/// Publishes what the engine has of a search.
pub fn publish(harness: &mut Harness<'static, App>, fake: &Fake, view: SearchView) {
    fake.change(|snapshot| snapshot.search = Arc::new(view));
    harness.run();
}

/// Types `text` into the field, presses Enter, and takes what was asked for.
pub fn search_for(harness: &mut Harness<'static, App>, fake: &Fake, text: &str) -> SearchRequest {
    use egui_kittest::kittest::Queryable as _;
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::F);
    harness.run();
    harness.get_by_label("Search records").type_text(text);
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
    fake.last_search().expect("a search was asked for")
}
