//! What `records` looked at; the records themselves are written by `model::json`.

use serde::Serialize;

use crate::engine::{Coverage, PartitionCoverage, StoppedBy};
use crate::model::{Offset, PartitionId, Problem};

use super::Reason;

#[derive(Debug, Serialize)]
pub(crate) struct CoverageLine<'a> {
    pub(crate) coverage: CoverageView<'a>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CoverageView<'a> {
    pub(crate) complete: bool,
    pub(crate) stopped_by: Option<&'static str>,
    pub(crate) records_scanned: Option<u64>,
    pub(crate) bytes_scanned: Option<u64>,
    pub(crate) matched: u64,
    /// On which records an expression failed; they do not count as matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filter_failures: Option<FilterFailures<'a>>,
    pub(crate) partitions: Vec<CoverageRow<'a>>,
    /// Why nothing more is known than what was given out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) zone_assumed: Option<&'a str>,
}

/// How often an expression failed, and how it did first.
#[derive(Debug, Serialize)]
pub(crate) struct FilterFailures<'a> {
    pub(crate) records: u64,
    pub(crate) first: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct CoverageRow<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: Option<PartitionId>,
    pub(crate) from_offset: Option<Offset>,
    pub(crate) to_offset: Option<Offset>,
    pub(crate) next_offset: Option<Offset>,
    pub(crate) complete: bool,
    pub(crate) error: Option<Reason>,
}

impl<'a> CoverageView<'a> {
    pub(crate) fn of(coverage: &'a Coverage, zone_assumed: Option<&'a str>) -> Self {
        Self {
            complete: coverage.is_complete(),
            stopped_by: coverage.stopped_by.map(stopped_by),
            records_scanned: Some(coverage.records_scanned),
            bytes_scanned: Some(coverage.bytes_scanned),
            matched: coverage.matched,
            filter_failures: coverage
                .expression_failures
                .as_ref()
                .map(|(records, first)| FilterFailures {
                    records: *records,
                    first,
                }),
            partitions: coverage.partitions.iter().map(CoverageRow::of).collect(),
            error: None,
            zone_assumed,
        }
    }

    /// What can be said when reading broke off without an account: `given_out` records came.
    pub(crate) fn broken_off(
        given_out: u64,
        by: StoppedBy,
        problem: Problem,
        zone_assumed: Option<&'a str>,
    ) -> Self {
        Self {
            complete: false,
            stopped_by: Some(stopped_by(by)),
            records_scanned: None,
            bytes_scanned: None,
            matched: given_out,
            filter_failures: None,
            partitions: Vec::new(),
            error: Some(Reason(problem)),
            zone_assumed,
        }
    }
}

impl<'a> CoverageRow<'a> {
    fn of(row: &'a PartitionCoverage) -> Self {
        Self {
            topic: &row.topic,
            partition: row.partition,
            from_offset: row.from,
            to_offset: row.to,
            next_offset: row.next,
            complete: row.complete,
            error: row.error.clone().map(Reason),
        }
    }
}

fn stopped_by(reason: StoppedBy) -> &'static str {
    match reason {
        StoppedBy::Limit => "limit",
        StoppedBy::Budget => "budget",
        StoppedBy::Timeout => "timeout",
        StoppedBy::Interrupt => "interrupt",
        StoppedBy::Error => "error",
    }
}
