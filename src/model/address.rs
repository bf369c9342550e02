//! Where something lies on the bus, as a person writes it.

use jiff::tz::TimeZone;

use super::time::{ParsedTime, parse_time};
use super::{Offset, PartitionId, TimestampMs, TopicName, TopicPartition};

/// A place that a person wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// One record: `topic/partition/offset`.
    Record(TopicPartition, Offset),
    /// The first record of a partition at or after a time: `topic/partition@time`.
    Since(TopicPartition, ParsedTime),
    /// A time, in every partition.
    Time(ParsedTime),
}

impl Address {
    /// Reads `topic/partition/offset`, `topic/partition@time` or a time, which may be anything that
    /// [`parse_time`] reads. Blanks around the parts and commas between the digits of an offset do not matter.
    ///
    /// # Errors
    /// What is wrong with `text`, and the forms that are understood.
    pub fn parse(text: &str, now: TimestampMs, zone: &TimeZone) -> Result<Self, String> {
        let text = text.trim();
        if let Ok(time) = parse_time(text, now, zone) {
            return Ok(Self::Time(time));
        }
        let Some((topic, rest)) = text.split_once('/') else {
            return Err(forms(text));
        };
        let topic = topic.trim();
        if topic.is_empty() || topic.contains(char::is_whitespace) {
            return Err(forms(text));
        }
        let at = |partition: &str| {
            let number = partition.trim().parse().ok().filter(|number| *number >= 0);
            let partition = number.map(PartitionId).ok_or_else(|| {
                format!("“{}” is not the number of a partition", partition.trim())
            })?;
            Ok::<_, String>(TopicPartition {
                topic: TopicName::from(topic),
                partition,
            })
        };
        if let Some((partition, time)) = rest.split_once('@') {
            return Ok(Self::Since(at(partition)?, parse_time(time, now, zone)?));
        }
        let Some((partition, offset)) = rest.split_once('/') else {
            let at = at(rest)?;
            return Err(format!(
                "which record of {at}? Write {at}/OFFSET or {at}@TIME"
            ));
        };
        let at = at(partition)?;
        let digits: String = offset.trim().chars().filter(|c| *c != ',').collect();
        let offset = digits
            .parse()
            .ok()
            .filter(|offset| *offset >= 0)
            .map(Offset)
            .ok_or_else(|| format!("“{}” is not an offset", offset.trim()))?;
        Ok(Self::Record(at, offset))
    }
}

fn forms(text: &str) -> String {
    format!(
        "“{text}” is not an address: write orders/1/88213, orders/1@2026-11-30T14:02:00+01:00, a time, or a duration back such as -90m"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: TimestampMs = TimestampMs(1_000_000_000_000);

    fn parse(text: &str) -> Result<Address, String> {
        Address::parse(text, NOW, &TimeZone::get("Europe/Berlin").unwrap())
    }

    fn time(ms: i64, zone_assumed: bool) -> ParsedTime {
        ParsedTime {
            at: TimestampMs(ms),
            zone_assumed,
        }
    }

    #[test]
    fn a_record_is_named_by_topic_partition_and_offset() {
        let record = |topic: &str, partition, offset| {
            Ok(Address::Record(
                TopicPartition::new(topic, partition),
                Offset(offset),
            ))
        };
        assert_eq!(parse("orders/1/88213"), record("orders", 1, 88_213));
        assert_eq!(parse(" orders / 1 / 88,213 "), record("orders", 1, 88_213));
        assert_eq!(parse("my-app.v2_x/0/0"), record("my-app.v2_x", 0, 0));
    }

    #[test]
    fn a_time_stands_alone_or_in_a_partition() {
        assert_eq!(
            parse("2026-11-30T14:02:00+01:00"),
            Ok(Address::Time(time(1_796_043_720_000, false)))
        );
        assert_eq!(
            parse("-90m"),
            Ok(Address::Time(time(NOW.0 - 5_400_000, false)))
        );
        assert_eq!(
            parse("orders/1@2026-11-30T14:02:00"),
            Ok(Address::Since(
                TopicPartition::new("orders", 1),
                time(1_796_043_720_000, true)
            ))
        );
    }

    #[test]
    fn what_is_no_address_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "is not an address"),
            ("orders", "is not an address"),
            ("/1/2", "is not an address"),
            ("two words/1/2", "is not an address"),
            ("orders/x/2", "“x” is not the number of a partition"),
            ("orders/-1/2", "“-1” is not the number of a partition"),
            (
                "orders/1",
                "which record of orders/1? Write orders/1/OFFSET or orders/1@TIME",
            ),
            ("orders/1/", "“” is not an offset"),
            ("orders/1/-2", "“-2” is not an offset"),
            ("orders/1/2/3", "“2/3” is not an offset"),
            ("orders/1@noon", "“noon” is not a time"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
