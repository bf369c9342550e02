//! Findings as the engine would publish them, made by hand.

use std::sync::Arc;

use tideline::engine::{FindingsView, Snapshot};
use tideline::model::{
    Certainty, Concerns, Dismissal, Fact, Finding, FindingKind, History, HistoryCoverage,
    HistorySource, Offset, PartitionId, Text, TimestampMs, TopicPartition,
};

use crate::data;

/// When the shop is looked at.
const NOW: i64 = 1_796_047_200_000;

fn finding(id: &str, kind: FindingKind, group: Option<&str>, sentence: &str) -> Finding {
    Finding {
        id: id.to_owned(),
        kind,
        concerns: group.map_or(Concerns::Everyone, |group| {
            Concerns::Group(Text::from(group))
        }),
        topic: Some("orders".into()),
        partition: Some(PartitionId(2)),
        from: Some(Offset(1_042)),
        to: Some(Offset(1_252)),
        from_time: Some(TimestampMs(NOW - 2_400_000)),
        to_time: Some(TimestampMs(NOW - 2_340_000)),
        records: Some(211),
        certainty: Certainty::Proof,
        normal: false,
        sentence: sentence.to_owned(),
        next_step: "Ask its owner.".to_owned(),
        evidence: vec![
            ("committed_offset", Fact::Number(1_042)),
            ("seen", Fact::Time(TimestampMs(NOW - 60_000))),
            (
                "next_record",
                Fact::Record(TopicPartition::new("orders", 2), Offset(1_253)),
            ),
            ("retention_ms", Fact::Unknown),
        ],
    }
}

/// The shop with something missing, something stuck, a question, two holes that are normal, and one put aside.
pub fn shop_with_findings() -> Snapshot {
    let mut snapshot = data::shop();
    let lost = "Kafka deleted up to 211 events in orders/2 before billing read them.";
    let stuck = "fraud-check has not got past one event, payments/1 offset 5,021, for 41 minutes.";
    let question = "audit has no bookmark in orders/0.";
    let mark =
        "offset 77 in orders/1: a bookkeeping mark that a transaction was committed, not an event.";
    let aside = "Nobody reads for reports: 1,320 events wait in orders/3.";
    let findings = vec![
        finding("G4-1", FindingKind::Deleted, Some("billing"), lost),
        Finding {
            topic: Some("payments".into()),
            certainty: Certainty::Strong,
            ..finding("G17-1", FindingKind::PoisonPill, Some("fraud-check"), stuck)
        },
        Finding {
            certainty: Certainty::Hint,
            from_time: None,
            to_time: None,
            ..finding("G8-1", FindingKind::NeverCommitted, Some("audit"), question)
        },
        Finding {
            certainty: Certainty::Hint,
            ..finding("G16-1", FindingKind::Stuck, Some("reports"), aside)
        },
        Finding {
            normal: true,
            ..finding("G1-1", FindingKind::Marker, None, mark)
        },
        Finding {
            normal: true,
            ..finding("G1-2", FindingKind::Marker, None, mark)
        },
    ];
    snapshot.findings = Arc::new(FindingsView {
        findings: Some(Arc::new(findings)),
        looked_at: Some(TimestampMs(NOW)),
        dismissed: Arc::new(vec![Dismissal {
            finding: "G16-1".to_owned(),
            reason: "meant to be off".to_owned(),
            at: TimestampMs(NOW),
            user: "alice".to_owned(),
        }]),
        history: Arc::new(History {
            coverage: HistoryCoverage {
                source: HistorySource::CommitLog,
                since: Some(TimestampMs(NOW - 86_400_000)),
                commits: 5_000,
                problem: None,
            },
            ..History::default()
        }),
        ..FindingsView::default()
    });
    snapshot
}
