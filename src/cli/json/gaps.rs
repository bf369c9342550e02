//! What `gaps` and `watch` found.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::engine::{FindingChange, GapsReply};
use crate::model::{Concerns, Fact, Finding, Offset, PartitionId, Text, TimestampMs};

use super::{CoverageView, Reason};

/// The answer of `gaps`.
#[derive(Debug, Serialize)]
pub(crate) struct GapsView<'a> {
    pub(crate) findings: Vec<FindingView<'a>>,
    pub(crate) coverage: GapsCoverage<'a>,
}

/// What was looked at.
#[derive(Debug, Serialize)]
pub(crate) struct GapsCoverage<'a> {
    #[serde(flatten)]
    pub(crate) records: CoverageView<'a>,
    pub(crate) history: HistoryView,
    pub(crate) missing: Vec<Reason>,
}

/// How far back the movements of committed offsets are known.
#[derive(Debug, Serialize)]
pub(crate) struct HistoryView {
    pub(crate) source: Option<&'static str>,
    pub(crate) since_ms: Option<TimestampMs>,
    pub(crate) commits: u64,
    pub(crate) error: Option<Reason>,
}

/// A line of `watch`.
#[derive(Debug, Serialize)]
pub(crate) struct ChangeLine<'a> {
    pub(crate) change: &'static str,
    pub(crate) finding: FindingView<'a>,
}

impl<'a> ChangeLine<'a> {
    pub(crate) fn of(change: &'a FindingChange) -> Self {
        Self {
            change: if change.is_new { "new" } else { "cleared" },
            finding: FindingView::of(&change.finding),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct FindingView<'a> {
    pub(crate) id: &'a str,
    pub(crate) kind: &'static str,
    pub(crate) title: &'static str,
    pub(crate) concerns: &'static str,
    pub(crate) group: Option<&'a Text>,
    pub(crate) topic: Option<&'a str>,
    pub(crate) partition: Option<PartitionId>,
    pub(crate) from_offset: Option<Offset>,
    pub(crate) to_offset: Option<Offset>,
    pub(crate) from_ms: Option<TimestampMs>,
    pub(crate) to_ms: Option<TimestampMs>,
    pub(crate) records: Option<u64>,
    pub(crate) certainty: &'static str,
    pub(crate) normal: bool,
    pub(crate) sentence: &'a str,
    pub(crate) next_step: &'a str,
    pub(crate) evidence: EvidenceView<'a>,
}

impl<'a> FindingView<'a> {
    pub(crate) fn of(finding: &'a Finding) -> Self {
        Self {
            id: &finding.id,
            kind: finding.kind.code(),
            title: finding.kind.title(),
            concerns: match finding.concerns {
                Concerns::Everyone => "everyone",
                Concerns::Group(_) => "group",
            },
            group: finding.concerns.group(),
            topic: finding.topic.as_deref(),
            partition: finding.partition,
            from_offset: finding.from,
            to_offset: finding.to,
            from_ms: finding.from_time,
            to_ms: finding.to_time,
            records: finding.records,
            certainty: finding.certainty.name(),
            normal: finding.normal,
            sentence: &finding.sentence,
            next_step: &finding.next_step,
            evidence: EvidenceView(&finding.evidence),
        }
    }
}

/// Evidence as one object: times end in `_ms`, what is not known is null.
#[derive(Debug)]
pub(crate) struct EvidenceView<'a>(&'a [(&'static str, Fact)]);

impl Serialize for EvidenceView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, fact) in self.0 {
            let is_time = match fact {
                Fact::Time(_) => true,
                Fact::List(facts) => {
                    !facts.is_empty() && facts.iter().all(|fact| matches!(fact, Fact::Time(_)))
                }
                _ => false,
            };
            if is_time && !name.ends_with("_ms") {
                map.serialize_entry(&format!("{name}_ms"), &FactView(fact))?;
            } else {
                map.serialize_entry(name, &FactView(fact))?;
            }
        }
        map.end()
    }
}

struct FactView<'a>(&'a Fact);

impl Serialize for FactView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Fact::Number(number) => serializer.serialize_i64(*number),
            Fact::Time(time) => time.serialize(serializer),
            Fact::Text(text) => serializer.serialize_str(text),
            Fact::Flag(flag) => serializer.serialize_bool(*flag),
            Fact::Record(at, offset) => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("topic", &*at.topic)?;
                map.serialize_entry("partition", &at.partition)?;
                map.serialize_entry("offset", offset)?;
                map.end()
            }
            Fact::List(facts) => serializer.collect_seq(facts.iter().map(FactView)),
            Fact::Unknown => serializer.serialize_none(),
        }
    }
}

impl<'a> GapsView<'a> {
    pub(crate) fn of(reply: &'a GapsReply, zone_assumed: Option<&'a str>) -> Self {
        Self {
            findings: reply.findings.iter().map(FindingView::of).collect(),
            coverage: GapsCoverage {
                records: CoverageView::of(&reply.coverage, zone_assumed),
                history: HistoryView {
                    source: reply.history.source.name(),
                    since_ms: reply.history.since,
                    commits: reply.history.commits,
                    error: reply.history.problem.clone().map(Reason),
                },
                missing: reply.missing.iter().cloned().map(Reason).collect(),
            },
        }
    }
}
