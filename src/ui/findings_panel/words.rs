//! What is said of a finding. Pure.

use jiff::tz::TimeZone;

use crate::decode::visible::one_line;
use crate::engine::FindingsView;
use crate::model::time::format_zone;
use crate::model::{Certainty, Fact, Finding, HistorySource, TimestampMs};

use super::super::format;
use super::super::state::FindingsFilter;

/// The sign of a certainty: its shape tells it without colour.
pub fn sign(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Proof => "●",
        Certainty::Strong => "◆",
        Certainty::Hint => "◇",
    }
}

/// What a certainty means.
pub fn meaning(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Proof => "Proof: it cannot be otherwise",
        Certainty::Strong => "Strong: it would take an unusual cause to be wrong",
        Certainty::Hint => "Hint: a question rather than an answer",
    }
}

/// Whom it concerns.
pub fn whom(finding: &Finding) -> String {
    finding.concerns.group().map_or_else(
        || "everyone".to_owned(),
        |group| format::group_name(group, 128),
    )
}

/// Where it is: topic, partition, offsets.
pub fn place(finding: &Finding) -> String {
    let Some(topic) = &finding.topic else {
        return String::new();
    };
    let topic = one_line(topic.as_bytes(), 128);
    let partition = finding
        .partition
        .map_or_else(String::new, |partition| format!(" / {partition}"));
    let offsets = match (finding.from, finding.to) {
        (Some(from), Some(to)) if from == to => format!(" / {}", format::offset(from)),
        (Some(from), Some(to)) => {
            format!(" / {} to {}", format::offset(from), format::offset(to))
        }
        _ => String::new(),
    };
    format!("{topic}{partition}{offsets}")
}

/// A time with its zone.
fn moment(at: TimestampMs, zone: &TimeZone) -> String {
    format!(
        "{} {}",
        format::date_and_time(at, zone),
        format_zone(at, zone)
    )
}

/// How many records it is about.
pub fn records(finding: &Finding) -> String {
    finding.records.map_or_else(String::new, |records| {
        format::counted(records, "record", "records")
    })
}

/// When it was.
pub fn when(finding: &Finding, zone: &TimeZone) -> String {
    match (finding.from_time, finding.to_time) {
        (Some(from), Some(to)) if from != to => {
            format!("{} to {}", moment(from, zone), moment(to, zone))
        }
        (Some(at), _) | (None, Some(at)) => moment(at, zone),
        (None, None) => String::new(),
    }
}

/// The name of a piece of evidence as people read it.
pub fn name(name: &str) -> String {
    let words = name.strip_suffix("_ms").unwrap_or(name).replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// A piece of evidence.
pub fn fact(name: &str, fact: &Fact, zone: &TimeZone) -> String {
    match fact {
        Fact::Number(ms) if name.ends_with("_ms") => duration(*ms),
        Fact::Number(number) => {
            let digits = format::count(number.unsigned_abs());
            if *number < 0 {
                format!("-{digits}")
            } else {
                digits
            }
        }
        Fact::Time(time) => moment(*time, zone),
        Fact::Text(text) => one_line(text.as_bytes(), 500),
        Fact::Flag(true) => "yes".to_owned(),
        Fact::Flag(false) => "no".to_owned(),
        Fact::Record(at, offset) => format!("{at} / {}", format::offset(*offset)),
        Fact::List(facts) => {
            let each = facts.iter().map(|fact| self::fact("", fact, zone));
            each.collect::<Vec<_>>().join(", ")
        }
        Fact::Unknown => "not known".to_owned(),
    }
}

fn duration(ms: i64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// How far back movements of committed offsets are known.
pub fn history(view: &FindingsView, zone: &TimeZone) -> String {
    let coverage = &view.history.coverage;
    let since = coverage
        .since
        .map_or_else(|| "an unknown time".to_owned(), |since| moment(since, zone));
    let known = match coverage.source {
        HistorySource::None => "Nothing is known yet of how committed offsets moved".to_owned(),
        HistorySource::CommitLog => {
            format!("Committed offsets are followed by the bus's commit log since {since}")
        }
        HistorySource::Readings => {
            format!("Committed offsets are followed by Tideline's own readings since {since}")
        }
    };
    match &coverage.problem {
        Some(problem) => format!("{known}; {}", problem.message),
        None => known,
    }
}

/// What stands in place of an empty list.
pub fn nothing(view: &FindingsView, filter: &FindingsFilter, zone: &TimeZone) -> String {
    if filter.active() > 0 {
        return "Nothing was found that this filter lets through".to_owned();
    }
    let records = if view.coverage.is_some() {
        "Records were read for it too."
    } else {
        "Records were not read for it; “Read records…” does that."
    };
    let missing = view.missing.first().map_or_else(String::new, |problem| {
        format!(" Not everything could be looked at: {}.", problem.message)
    });
    format!(
        "Nothing is missing, stuck or odd as far as was looked. {}. {records}{missing}",
        history(view, zone)
    )
}

/// All of a finding as text for a colleague.
pub fn copied(finding: &Finding, zone: &TimeZone) -> String {
    let mut lines = vec![
        format!(
            "{} {} ({}), {}",
            finding.kind.code(),
            finding.kind.title(),
            finding.certainty.name(),
            whom(finding)
        ),
        place(finding),
        when(finding, zone),
        finding.sentence.clone(),
        finding.next_step.clone(),
    ];
    lines.extend(
        finding
            .evidence
            .iter()
            .map(|(name, fact)| format!("{}: {}", self::name(name), self::fact(name, fact, zone))),
    );
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Offset, PartitionId, TopicPartition, by_hand};

    #[test]
    fn a_place_is_as_exact_as_it_is_known() {
        let mut finding = by_hand::finding("a");
        assert_eq!(place(&finding), "");
        finding.topic = Some("orders".into());
        assert_eq!(place(&finding), "orders");
        finding.partition = Some(PartitionId(2));
        (finding.from, finding.to) = (Some(Offset(1_042)), Some(Offset(1_252)));
        assert_eq!(place(&finding), "orders / 2 / 1,042 to 1,252");
        finding.to = finding.from;
        assert_eq!(place(&finding), "orders / 2 / 1,042");
    }

    #[test]
    fn evidence_is_put_into_words() {
        let zone = TimeZone::UTC;
        assert_eq!(name("committed_offset"), "Committed offset");
        assert_eq!(name("age_ms"), "Age");
        assert_eq!(fact("age_ms", &Fact::Number(720_000), &zone), "12 min");
        assert_eq!(fact("records", &Fact::Number(-1_204), &zone), "-1,204");
        assert_eq!(fact("x", &Fact::Unknown, &zone), "not known");
        let record = Fact::Record(TopicPartition::new("t", 1), Offset(5));
        let list = Fact::List(vec![Fact::Flag(true), record]);
        assert_eq!(fact("x", &list, &zone), "yes, t/1 / 5");
    }

    #[test]
    fn a_copy_holds_everything_a_colleague_needs() {
        let mut finding = by_hand::finding("a");
        finding.sentence = "It stands still.".to_owned();
        finding.from_time = Some(TimestampMs(0));
        finding.evidence = vec![("age_ms", Fact::Number(5_000))];
        let text = copied(&finding, &TimeZone::UTC);
        assert!(text.starts_with("G16 Stuck (strong), everyone\n"), "{text}");
        assert!(text.contains("It stands still.\nAge: 5 s"), "{text}");
    }
}
