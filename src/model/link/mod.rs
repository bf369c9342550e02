//! A view of the window as a link: `tideline://view?…`, to be sent to somebody else. Pure.
//!
//! A link may come from anywhere. It names things and does nothing: it holds no user, password or setting, nothing in
//! it is executed, and what is not exactly as it is written here is refused as a whole.
//!
//! | part | meaning |
//! |---|---|
//! | `profile` or `bootstrap` | the cluster: a named connection of whoever opens the link, or hosts and ports |
//! | `topic`, repeated | a topic or one of its partitions (`orders`, `orders/1`): the lanes of the span, or those that are open |
//! | `names` | what a topic's name must hold to be shown |
//! | `group` | the chosen consumer group, in any bytes |
//! | `from`, `to` | the span of time, in milliseconds since 1970; its end is not included |
//! | `offsets`, repeated | the span of offsets instead: `topic/partition/from..to`, the end not included |
//! | `left`, `right` | the range of time on screen, in milliseconds since 1970 |
//! | `filter`, repeated | what is searched for, as it stands in the search bar |
//! | `isolation` | `read_uncommitted` or `read_committed` |
//! | `order` | `time`, `-time`, `offset` or `-offset`; with `-` the last comes first |
//! | `record` | one record: `topic/partition/offset` |

mod addresses;
mod percent;
mod read;

pub use addresses::{is_loopback, same_addresses};

use super::{
    ConnectionSettings, Isolation, Offset, PartitionId, Text, TimestampMs, TopicName,
    TopicPartition,
};

/// No link is longer, in bytes.
pub const LONGEST_LINK: usize = 16 * 1_024;
/// What every link begins with, in any case.
const SCHEME: &str = "tideline:";
/// What a link begins with as it is written.
const PREFIX: &str = "tideline://view?";

/// The cluster that a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTo {
    /// A named connection of whoever opens the link.
    Profile(String),
    /// Hosts and ports, separated by commas, and nothing else.
    Addresses(String),
}

impl LinkTo {
    /// Its addresses, unless a profile has them.
    pub fn addresses(&self) -> Option<&str> {
        match self {
            Self::Profile(_) => None,
            Self::Addresses(addresses) => Some(addresses),
        }
    }

    /// Whether `settings` are those of where it leads.
    pub fn is_reached_by(&self, settings: &ConnectionSettings) -> bool {
        match self {
            Self::Profile(name) => settings.profile.as_ref() == Some(name),
            Self::Addresses(addresses) => same_addresses(addresses, &settings.bootstrap),
        }
    }

    /// The cluster in words: `the profile live`, `kafka-1:9092`.
    pub fn words(&self) -> String {
        match self {
            Self::Profile(name) => format!("the profile {name}"),
            Self::Addresses(addresses) => addresses.clone(),
        }
    }
}

/// Offsets of one partition: from one, included, to one, not included.
pub type LinkRange = (TopicPartition, Offset, Offset);

/// The span that a link shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkSpan {
    /// From a time, included, to a later one, not included.
    Time(TimestampMs, TimestampMs),
    /// Offsets of partitions, sorted by partition, each once; at least one.
    Offsets(Vec<LinkRange>),
}

/// By what the records of a link are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkOrder {
    /// By offset within each partition; else by time.
    pub by_offset: bool,
    /// Whether the last comes first.
    pub descending: bool,
}

/// A view of the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewLink {
    /// Where it leads.
    pub to: LinkTo,
    /// Topics, or single partitions of them.
    pub topics: Vec<(TopicName, Option<PartitionId>)>,
    /// What a topic's name must hold to be shown; every topic is shown when empty.
    pub names: String,
    /// The chosen group.
    pub group: Option<Text>,
    /// The span whose records are shown; all when `None`.
    pub span: Option<LinkSpan>,
    /// The range of time on screen; what follows from the rest when `None`.
    pub shown: Option<(TimestampMs, TimestampMs)>,
    /// What is searched for.
    pub filters: Vec<String>,
    /// Whose records are shown; as whoever opens the link has it when `None`.
    pub isolation: Option<Isolation>,
    /// The order of the records; the usual one when `None`.
    pub order: Option<LinkOrder>,
    /// One record.
    pub record: Option<(TopicPartition, Offset)>,
}

impl ViewLink {
    /// A link that names nothing but the cluster.
    pub fn new(to: LinkTo) -> Self {
        Self {
            to,
            topics: Vec::new(),
            names: String::new(),
            group: None,
            span: None,
            shown: None,
            filters: Vec::new(),
            isolation: None,
            order: None,
            record: None,
        }
    }

    /// Whether `text` is meant as a link, sound or not.
    pub fn is_meant(text: &str) -> bool {
        let text = text.trim_start();
        text.get(..SCHEME.len())
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
    }

    /// Reads a link.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence without a period. It repeats no value, which might be a secret that does
    /// not belong there.
    pub fn parse(text: &str) -> Result<Self, String> {
        read::link(text)
    }

    /// The link as text, which [`ViewLink::parse`] reads.
    ///
    /// # Errors
    /// Why this view cannot be written, as a sentence without a period: it is too large, or something in it cannot
    /// stand in a link.
    pub fn write(&self) -> Result<String, String> {
        let mut text = PREFIX.to_owned();
        for (name, value) in self.parts() {
            if text.len() > PREFIX.len() {
                text.push('&');
            }
            text.push_str(name);
            text.push('=');
            percent::encode(&value, &mut text);
        }
        // What another window would refuse is not handed out.
        Self::parse(&text).map(|_| text)
    }

    /// Its parts by name, in the order in which they are written.
    fn parts(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut parts = Vec::new();
        let mut add = |name, value: &[u8]| parts.push((name, value.to_vec()));
        match &self.to {
            LinkTo::Profile(name) => add("profile", name.as_bytes()),
            LinkTo::Addresses(addresses) => add("bootstrap", addresses.as_bytes()),
        }
        for (topic, partition) in &self.topics {
            let value = partition.map_or_else(
                || topic.to_string(),
                |partition| format!("{topic}/{partition}"),
            );
            add("topic", value.as_bytes());
        }
        if !self.names.is_empty() {
            add("names", self.names.as_bytes());
        }
        if let Some(group) = &self.group {
            add("group", group.as_bytes());
        }
        match &self.span {
            None => {}
            Some(LinkSpan::Time(from, to)) => {
                add("from", from.0.to_string().as_bytes());
                add("to", to.0.to_string().as_bytes());
            }
            Some(LinkSpan::Offsets(ranges)) => {
                for (at, from, to) in ranges {
                    add("offsets", format!("{at}/{from}..{to}").as_bytes());
                }
            }
        }
        if let Some((left, right)) = self.shown {
            add("left", left.0.to_string().as_bytes());
            add("right", right.0.to_string().as_bytes());
        }
        for filter in &self.filters {
            add("filter", filter.as_bytes());
        }
        match self.isolation {
            None => {}
            Some(Isolation::ReadUncommitted) => add("isolation", b"read_uncommitted"),
            Some(Isolation::ReadCommitted) => add("isolation", b"read_committed"),
        }
        if let Some(order) = self.order {
            add("order", order.word().as_bytes());
        }
        if let Some((at, offset)) = &self.record {
            add("record", format!("{at}/{offset}").as_bytes());
        }
        parts
    }
}

impl LinkOrder {
    const WORDS: [(&'static str, bool, bool); 4] = [
        ("time", false, false),
        ("-time", false, true),
        ("offset", true, false),
        ("-offset", true, true),
    ];

    fn word(self) -> &'static str {
        let same = |(_, by_offset, descending): &&(&str, bool, bool)| {
            *by_offset == self.by_offset && *descending == self.descending
        };
        Self::WORDS
            .iter()
            .find(same)
            .map_or("time", |order| order.0)
    }

    fn of(word: &str) -> Option<Self> {
        let order = Self::WORDS.iter().find(|order| order.0 == word)?;
        Some(Self {
            by_offset: order.1,
            descending: order.2,
        })
    }
}

#[cfg(test)]
mod tests;
