//! Numbers and stretches in sentences.

use crate::model::{Offset, TopicPartition};

/// A whole number with thousands separated.
pub(super) fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    if value < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digits.len().saturating_sub(at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with what is counted.
pub(super) fn count(value: u64, one: &str, more: &str) -> String {
    if value == 1 {
        format!("1 {one}")
    } else {
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        format!("{} {more}", number(value))
    }
}

/// So many events.
pub(super) fn events(value: u64) -> String {
    count(value, "event", "events")
}

/// "offset 5", or "offsets 5 to 9".
pub(super) fn offsets(from: Offset, to: Offset) -> String {
    if from == to {
        format!("offset {}", number(from.0))
    } else {
        format!("offsets {} to {}", number(from.0), number(to.0))
    }
}

/// "orders/2".
pub(super) fn place(at: &TopicPartition) -> String {
    format!("{}/{}", at.topic, at.partition)
}

/// A length of time in its largest units.
pub(super) fn duration(ms: i64) -> String {
    let seconds = ms.max(0) / 1_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    if days >= 2 {
        count(days.unsigned_abs(), "day", "days")
    } else if hours >= 2 {
        count(hours.unsigned_abs(), "hour", "hours")
    } else if minutes >= 2 {
        count(minutes.unsigned_abs(), "minute", "minutes")
    } else {
        count(seconds.unsigned_abs(), "second", "seconds")
    }
}

/// Whether a topic's name looks like one for dead letters or retries: what is in it came from elsewhere.
pub(super) fn looks_dead(topic: &str) -> bool {
    let name = topic.to_ascii_lowercase();
    let bare = |word: &str| {
        word.trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    };
    let words: Vec<String> = name.split(['-', '.', '_']).map(bare).collect();
    let telling = [
        "dlt",
        "dlq",
        "deadletter",
        "deadletters",
        "retry",
        "parkinglot",
    ];
    let pairs = [["dead", "letter"], ["dead", "letters"], ["parking", "lot"]];
    words.iter().any(|word| telling.contains(&word.as_str()))
        || words
            .windows(2)
            .any(|two| pairs.iter().any(|pair| pair == two))
        || words.len() > 1 && words.last().is_some_and(|last| last == "error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_said_as_people_do() {
        assert_eq!(number(-1_234_567), "-1,234,567");
        assert_eq!(events(1), "1 event");
        assert_eq!(events(1_204), "1,204 events");
        assert_eq!(offsets(Offset(5), Offset(5)), "offset 5");
        assert_eq!(offsets(Offset(5), Offset(1_900)), "offsets 5 to 1,900");
        assert_eq!(duration(61_000), "61 seconds");
        assert_eq!(duration(125_000), "2 minutes");
        assert_eq!(duration(7_300_000), "2 hours");
        assert_eq!(duration(-5), "0 seconds");
        assert_eq!(duration(1_000), "1 second");
    }

    #[test]
    fn names_of_dead_letter_topics_are_told_from_others() {
        for name in [
            "orders-dlt",
            "orders.DLT",
            "orders-retry-0",
            "x.dlq",
            "dead-letters",
            "orders.dead_letter",
            "orders-parking-lot",
            "orders_error",
        ] {
            assert!(looks_dead(name), "{name}");
        }
        for name in [
            "orders",
            "adult-topic",
            "retryable-things",
            "dltx",
            "parking-tickets",
            "error-budgets",
            "error",
            "undead-letters",
        ] {
            assert!(!looks_dead(name), "{name}");
        }
    }
}
