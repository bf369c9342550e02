//! Reading a link. Whatever is not exactly as it is written is refused, in words that repeat no value.

use std::str::FromStr;

use super::super::{Isolation, Offset, PartitionId, Text, TimestampMs, TopicName, TopicPartition};
use super::addresses::hosts_and_ports;
use super::{
    LONGEST_LINK, LinkOrder, LinkRange, LinkSpan, LinkTo, PREFIX, SCHEME, ViewLink, percent,
};

/// The same, as some programs write it.
const PREFIX_WITH_SLASH: &str = "tideline://view/?";
/// The longest name of a topic, in bytes.
const LONGEST_TOPIC: usize = 249;
/// The longest name of a profile and the longest filter of topics, in bytes.
const LONGEST_NAME: usize = 1_000;
/// No link has more filters.
const MOST_FILTERS: usize = 50;
/// So much of a part's name that nobody knows is repeated.
const SHOWN_NAME: usize = 40;

/// The parts as they were read.
#[derive(Default)]
struct Parts {
    profile: Option<String>,
    bootstrap: Option<String>,
    topics: Vec<(TopicName, Option<PartitionId>)>,
    names: Option<String>,
    group: Option<Text>,
    from: Option<TimestampMs>,
    to: Option<TimestampMs>,
    offsets: Vec<LinkRange>,
    left: Option<TimestampMs>,
    right: Option<TimestampMs>,
    filters: Vec<String>,
    isolation: Option<Isolation>,
    order: Option<LinkOrder>,
    record: Option<(TopicPartition, Offset)>,
}

/// Reads a link; an error is a sentence without a period.
pub(super) fn link(text: &str) -> Result<ViewLink, String> {
    let text = text.trim();
    if text.len() > LONGEST_LINK {
        return Err("A link has 16 KiB at most, and this one is longer".to_owned());
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(
            "A link consists of ASCII letters, digits and signs; everything else stands there as %XX"
                .to_owned(),
        );
    }
    let rest = [PREFIX, PREFIX_WITH_SLASH]
        .iter()
        .find_map(|prefix| after(text, prefix))
        .ok_or_else(|| match after(text, SCHEME) {
            Some(_) => format!("A link begins with {PREFIX}, and this one does not"),
            None => "This is no link of Tideline".to_owned(),
        })?;
    if rest.contains('#') {
        return Err("A link has nothing behind a #".to_owned());
    }
    let mut parts = Parts::default();
    for (number, part) in (1_usize..).zip(rest.split('&')) {
        let (name, value) = part
            .split_once('=')
            .ok_or_else(|| format!("Part {number} of the link is not NAME=VALUE"))?;
        parts.take(name, value)?;
    }
    parts.link()
}

/// What comes after `prefix` in whatever case.
fn after<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (begin, rest) = text.split_at_checked(prefix.len())?;
    begin.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn wrong(name: &str, what: &str) -> String {
    format!("“{name}” of the link {what}")
}

impl Parts {
    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        let bytes = percent::decode(value).ok_or_else(|| {
            wrong(
                &shown(name),
                "has a % without two hexadecimal digits behind it",
            )
        });
        match name {
            "profile" => once(&mut self.profile, name, line(name, bytes?)?),
            "bootstrap" => {
                let text = line(name, bytes?)?;
                let addresses = hosts_and_ports(&text).ok_or_else(|| {
                    wrong(
                        name,
                        "is not just hosts and ports; users, passwords and settings have no place in a link",
                    )
                })?;
                once(&mut self.bootstrap, name, addresses)
            }
            "topic" => {
                let topic = lane(name, &line(name, bytes?)?)?;
                self.topics.push(topic);
                Ok(())
            }
            "names" => once(&mut self.names, name, line(name, bytes?)?),
            "group" => {
                let group = Text::from_bytes(&bytes?);
                if group.is_empty() {
                    return Err(wrong(name, "is empty"));
                }
                once(&mut self.group, name, group)
            }
            "from" => once(&mut self.from, name, time(name, bytes?)?),
            "to" => once(&mut self.to, name, time(name, bytes?)?),
            "offsets" => {
                let range = range(name, &line(name, bytes?)?)?;
                self.offsets.push(range);
                Ok(())
            }
            "left" => once(&mut self.left, name, time(name, bytes?)?),
            "right" => once(&mut self.right, name, time(name, bytes?)?),
            "filter" => {
                let filter = utf8(name, bytes?)?;
                if filter.trim().is_empty() {
                    return Err(wrong(name, "is empty"));
                }
                self.filters.push(filter);
                if self.filters.len() > MOST_FILTERS {
                    return Err(format!("The link has more than {MOST_FILTERS} filters"));
                }
                Ok(())
            }
            "isolation" => {
                let isolation = match &*line(name, bytes?)? {
                    "read_uncommitted" => Isolation::ReadUncommitted,
                    "read_committed" => Isolation::ReadCommitted,
                    _ => {
                        return Err(wrong(
                            name,
                            "is neither read_uncommitted nor read_committed",
                        ));
                    }
                };
                once(&mut self.isolation, name, isolation)
            }
            "order" => {
                let order = LinkOrder::of(&line(name, bytes?)?)
                    .ok_or_else(|| wrong(name, "is not time, -time, offset or -offset"))?;
                once(&mut self.order, name, order)
            }
            "record" => {
                let record = record(name, &line(name, bytes?)?)?;
                once(&mut self.record, name, record)
            }
            _ => Err(format!(
                "The link has a part “{}”, which this version of Tideline does not know",
                shown(name)
            )),
        }
    }

    fn link(self) -> Result<ViewLink, String> {
        let to = match (self.profile, self.bootstrap) {
            (Some(name), None) => LinkTo::Profile(name),
            (None, Some(addresses)) => LinkTo::Addresses(addresses),
            (None, None) => {
                return Err(
                    "The link leads nowhere: it has neither “profile” nor “bootstrap”".to_owned(),
                );
            }
            // A profile's settings are for the profile's addresses alone.
            (Some(_), Some(_)) => {
                return Err(
                    "The link has both “profile” and “bootstrap”, and only one can be meant"
                        .to_owned(),
                );
            }
        };
        let times = both(("from", self.from), ("to", self.to))?;
        let shown = both(("left", self.left), ("right", self.right))?;
        let mut ranges = self.offsets;
        ranges.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let is_twice = |pair: &[LinkRange]| matches!(pair, [a, b] if a.0 == b.0);
        if ranges.windows(2).any(is_twice) {
            return Err(wrong("offsets", "names a partition twice"));
        }
        let span = match (times, ranges.is_empty()) {
            (None, true) => None,
            (Some((from, to)), true) => Some(LinkSpan::Time(from, to)),
            (None, false) => Some(LinkSpan::Offsets(ranges)),
            (Some(_), false) => {
                return Err(
                    "The link has a span of time and one of “offsets”, and only one can be meant"
                        .to_owned(),
                );
            }
        };
        Ok(ViewLink {
            to,
            topics: self.topics,
            names: self.names.unwrap_or_default(),
            group: self.group,
            span,
            shown,
            filters: self.filters,
            isolation: self.isolation,
            order: self.order,
            record: self.record,
        })
    }
}

/// A part's name as it may be repeated.
fn shown(name: &str) -> String {
    let cut: String = name.chars().take(SHOWN_NAME).collect();
    if cut.len() < name.len() {
        format!("{cut}…")
    } else {
        cut
    }
}

fn once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), String> {
    if place.replace(value).is_some() {
        return Err(wrong(name, "is given twice"));
    }
    Ok(())
}

/// Two times of which neither is without the other, the first before the second.
fn both(
    (from_name, from): (&str, Option<TimestampMs>),
    (to_name, to): (&str, Option<TimestampMs>),
) -> Result<Option<(TimestampMs, TimestampMs)>, String> {
    match (from, to) {
        (None, None) => Ok(None),
        (Some(from), Some(to)) if from < to => Ok(Some((from, to))),
        (Some(_), Some(_)) => Err(wrong(from_name, &format!("is not before “{to_name}”"))),
        (Some(_), None) => Err(wrong(from_name, &format!("stands without “{to_name}”"))),
        (None, Some(_)) => Err(wrong(to_name, &format!("stands without “{from_name}”"))),
    }
}

fn utf8(name: &str, bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes)
        .ok()
        .ok_or_else(|| wrong(name, "is not UTF-8"))
}

/// A text of one line that is not empty.
fn line(name: &str, bytes: Vec<u8>) -> Result<String, String> {
    let text = utf8(name, bytes)?;
    if text.trim().is_empty() {
        return Err(wrong(name, "is empty"));
    }
    if text.chars().any(char::is_control) {
        return Err(wrong(name, "holds a control character"));
    }
    if text.len() > LONGEST_NAME {
        return Err(wrong(name, &format!("is longer than {LONGEST_NAME} bytes")));
    }
    Ok(text)
}

/// A whole number in digits alone, with a minus where it may be negative.
fn number<T: FromStr>(text: &str) -> Option<T> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

fn time(name: &str, bytes: Vec<u8>) -> Result<TimestampMs, String> {
    number(&line(name, bytes)?)
        .map(TimestampMs)
        .ok_or_else(|| wrong(name, "is not a whole number of milliseconds"))
}

fn topic(name: &str, text: &str) -> Result<TopicName, String> {
    let is_name = !text.is_empty()
        && text.len() <= LONGEST_TOPIC
        && !text.contains('/')
        && !text.chars().any(char::is_whitespace);
    if is_name {
        Ok(text.into())
    } else {
        Err(wrong(name, "is not the name of a topic"))
    }
}

fn partition(name: &str, text: &str) -> Result<PartitionId, String> {
    number(text)
        .filter(|number| *number >= 0)
        .map(PartitionId)
        .ok_or_else(|| wrong(name, "has no number of a partition"))
}

fn offset(name: &str, text: &str) -> Result<Offset, String> {
    number(text)
        .filter(|number| *number >= 0)
        .map(Offset)
        .ok_or_else(|| wrong(name, "has no offset in digits"))
}

/// `topic` or `topic/partition`.
fn lane(name: &str, text: &str) -> Result<(TopicName, Option<PartitionId>), String> {
    match text.split_once('/') {
        None => Ok((topic(name, text)?, None)),
        Some((of, number)) => Ok((topic(name, of)?, Some(partition(name, number)?))),
    }
}

/// `topic/partition/rest`.
fn place<'t>(name: &str, text: &'t str, form: &str) -> Result<(TopicPartition, &'t str), String> {
    let mut parts = text.splitn(3, '/');
    let (Some(of), Some(number), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(wrong(name, &format!("is not {form}")));
    };
    let at = TopicPartition {
        topic: topic(name, of)?,
        partition: partition(name, number)?,
    };
    Ok((at, rest))
}

fn record(name: &str, text: &str) -> Result<(TopicPartition, Offset), String> {
    let (at, rest) = place(name, text, "topic/partition/offset")?;
    Ok((at, offset(name, rest)?))
}

fn range(name: &str, text: &str) -> Result<LinkRange, String> {
    const FORM: &str = "topic/partition/from..to";
    let (at, rest) = place(name, text, FORM)?;
    let (from, to) = rest
        .split_once("..")
        .ok_or_else(|| wrong(name, &format!("is not {FORM}")))?;
    let (from, to) = (offset(name, from)?, offset(name, to)?);
    if from >= to {
        return Err(wrong(name, "ends before it begins"));
    }
    Ok((at, from, to))
}
