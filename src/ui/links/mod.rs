//! Links to views: the present one copied, one that was opened or pasted followed.
//!
//! | part | what it is |
//! |---|---|
//! | `present` | the present view as a link. Pure |
//! | this file | the way to what a link shows. It changes what is on screen; it connects to nothing and begins no search |

mod present;

pub use present::destination;

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::{Connection, Inventory, Snapshot};
use crate::model::link::{LinkSpan, LinkTo, ViewLink, same_addresses};
use crate::model::{PartitionId, Record, Topic, TopicName};

use super::commands::Situation;
use super::context::Cx;
use super::format;
use super::num::u64_from_usize;
use super::profiles;
use super::records_table::go_to_record;
use super::state::{
    AxisKind, BottomTab, ColumnKind, LaneKey, Msg, Notice, OffsetRange, SearchMsg, Selection, Span,
    TableMsg, TableSort, ViewRange, WindowMsg,
};

/// Room that a span has at each side of the screen, as a part of its length.
const MARGIN: f64 = 0.15;

/// Copies a link to the present view, or says why there is none.
pub fn copy(situation: Situation<'_>) -> Msg {
    let written = destination(situation.snapshot)
        .map_err(str::to_owned)
        .and_then(|to| present::view(situation.state, to).write());
    match written {
        Ok(link) => Msg::Window(WindowMsg::CopyLink(link)),
        Err(why) => Msg::Notice(Notice::error(format!("No link was copied: {why}"))),
    }
}

/// A link to `record`.
///
/// # Errors
/// Why there is none.
pub fn to_record(situation: Situation<'_>, record: &Record) -> Result<String, String> {
    let to = destination(situation.snapshot)?;
    present::of_record(situation.state, to, record).write()
}

/// Takes a link while no bus is connected, and says how one gets to where it leads. Nothing is contacted, and settings
/// that were written for another address do not go to that of a link.
pub fn begin(cx: &mut Cx<'_>, text: &str) {
    let (link, said) = match ViewLink::parse(text) {
        Err(why) => (None, format!("{why}. The link was not followed")),
        Ok(link) => {
            let (is_taken, said) = way(cx, &link.to);
            (is_taken.then(|| Box::new(link)), said)
        }
    };
    let addresses = link.as_ref().and_then(|link| link.to.addresses());
    cx.push(Msg::Address(addresses.unwrap_or_default().to_owned()));
    cx.push(Msg::Window(WindowMsg::BeginLink(link, said)));
}

/// Whether one can get to where a link leads, and how or why not.
fn way(cx: &Cx<'_>, to: &LinkTo) -> (bool, String) {
    let words = to.words();
    match to {
        LinkTo::Profile(name) if profiles::find(cx, name).is_none() => (
            false,
            format!("This link leads to {words}, and you have none of that name"),
        ),
        LinkTo::Profile(_) => (
            true,
            format!("This link leads to {words}: connect to it to go there"),
        ),
        LinkTo::Addresses(_) if !cx.window.config_text.0.trim().is_empty() => (
            false,
            format!(
                "This link leads to {words}, and settings are written below that would go there too. Take them out, then open the link again"
            ),
        ),
        LinkTo::Addresses(_) => (
            true,
            format!(
                "This link leads to {words}. Nothing was contacted yet: press Connect to go there"
            ),
        ),
    }
}

/// Shows the view of the link that was opened, as soon as its cluster is there.
pub fn arrive(cx: &mut Cx<'_>) {
    let Some(link) = cx.window.link.as_ref() else {
        return;
    };
    let is_read = matches!(cx.snapshot.inventory.topics, Some(Ok(_)));
    if is_read && leads_here(&link.to, cx.snapshot) {
        cx.push(Msg::Window(WindowMsg::LinkFollowed));
        show(cx, link);
    }
}

/// Shows the view of a link that was pasted, when it is one of the present bus.
///
/// # Errors
/// Why it is not shown, as a sentence without a period; nothing has changed then.
pub fn follow(cx: &mut Cx<'_>, text: &str) -> Result<(), String> {
    let link = ViewLink::parse(text)?;
    if !leads_here(&link.to, cx.snapshot) {
        return Err(elsewhere(&link.to, cx.snapshot));
    }
    match &cx.snapshot.inventory.topics {
        None => return Err("The topics are not read yet".to_owned()),
        Some(Err(problem)) => return Err(format!("The topics cannot be read: {problem}")),
        Some(Ok(_)) => {}
    }
    show(cx, &link);
    Ok(())
}

/// Whether a link leads to the present bus.
fn leads_here(to: &LinkTo, snapshot: &Snapshot) -> bool {
    let Connection::Connected {
        to: reached,
        demo: false,
        ..
    } = &snapshot.connection
    else {
        return false;
    };
    match to {
        LinkTo::Profile(name) => snapshot.access.profile.as_ref() == Some(name),
        LinkTo::Addresses(addresses) => {
            same_addresses(addresses, reached)
                || present::brokers(snapshot)
                    .is_some_and(|brokers| same_addresses(addresses, &brokers))
        }
    }
}

/// What is said of a link that leads elsewhere.
fn elsewhere(to: &LinkTo, snapshot: &Snapshot) -> String {
    let here = match &snapshot.connection {
        Connection::Connected { demo: true, .. } => "the demo bus".to_owned(),
        Connection::Connected { to, .. } => match &snapshot.access.profile {
            Some(profile) => format!("the profile {profile}"),
            None => to.to_string(),
        },
        _ => "nothing".to_owned(),
    };
    let words = to.words();
    format!(
        "This link leads to {words}, and this window is connected to {here}. Nothing was done; connect there first, then paste it again"
    )
}

/// The topics that are there, to be asked for those of a link.
struct There<'a>(BTreeMap<&'a str, &'a Topic>);

impl<'a> There<'a> {
    fn of(inventory: &'a Inventory) -> Self {
        let topics = inventory.topics().iter();
        Self(topics.map(|topic| (&*topic.name, &**topic)).collect())
    }

    /// Whether there is such a topic, or such a partition of it.
    fn has(&self, topic: &str, partition: Option<PartitionId>) -> bool {
        self.0.get(topic).is_some_and(|topic| {
            partition.is_none_or(|id| topic.partitions.iter().any(|known| known.id == id))
        })
    }

    fn is_internal(&self, topic: &str) -> bool {
        self.0.get(topic).is_some_and(|topic| topic.internal)
    }
}

/// Lets the window show what `link` names.
fn show(cx: &mut Cx<'_>, link: &ViewLink) {
    let snapshot = cx.snapshot;
    let there = There::of(&snapshot.inventory);
    cx.push(Msg::ShowTab(BottomTab::Records));
    cx.push(Msg::Search(SearchMsg::ShowHits(false)));
    if cx.state.filter != link.names {
        cx.push(Msg::Filter(link.names.clone()));
    }
    if let Some(isolation) = link.isolation {
        cx.push(Msg::Isolation(isolation));
    }
    show_topics(cx, link, &there);
    show_group(cx, link);
    let sort = link.order.map(|order| TableSort {
        by: if order.by_offset {
            ColumnKind::Offset
        } else {
            ColumnKind::Time
        },
        descending: order.descending,
    });
    cx.push(Msg::Table(TableMsg::SortBy(sort)));
    let selection = selection(link, &there);
    match &selection {
        Some(selection) => cx.push(Msg::Select(selection.clone())),
        None if cx.state.selection.is_some() => cx.push(Msg::ClearSelection),
        None => {}
    }
    show_range(cx, link, selection.as_ref());
    if let Some((at, offset)) = &link.record
        && let Err(why) = go_to_record(cx, at, *offset)
    {
        cx.push(Msg::Notice(Notice::warning(format!(
            "The record of the link is not shown: {why}"
        ))));
    }
    if link.filters.is_empty() {
        // Here the link itself may stand.
        if ViewLink::is_meant(&cx.state.search.text) {
            cx.push(Msg::Search(SearchMsg::Edit(String::new())));
        }
    } else {
        cx.push(Msg::Search(SearchMsg::Fill(link.filters.clone())));
    }
}

/// Opens the topics of `link`, shows the bus's own where it names one, and says what is not there.
fn show_topics(cx: &mut Cx<'_>, link: &ViewLink, there: &There<'_>) {
    let ranges = match &link.span {
        Some(LinkSpan::Offsets(ranges)) => ranges.as_slice(),
        _ => &[],
    };
    let of_ranges = ranges
        .iter()
        .map(|(at, ..)| (&at.topic, Some(at.partition)));
    let lanes = link
        .topics
        .iter()
        .map(|(topic, partition)| (topic, *partition));
    let named: BTreeSet<(&TopicName, Option<PartitionId>)> = lanes.chain(of_ranges).collect();
    let (known, missing): (Vec<_>, Vec<_>) = named
        .into_iter()
        .partition(|(topic, partition)| there.has(topic, *partition));
    let opened: BTreeSet<&TopicName> = known
        .iter()
        .filter(|(_, partition)| partition.is_some() || link.span.is_none())
        .map(|(topic, _)| *topic)
        .collect();
    for topic in opened {
        if !cx.state.open_topics.contains(topic) {
            cx.push(Msg::Toggle(topic.clone()));
        }
    }
    let of_record = link.record.iter().map(|(at, _)| &at.topic);
    let mut all = known.iter().map(|(topic, _)| *topic).chain(of_record);
    if all.any(|topic| there.is_internal(topic)) && !cx.state.internal {
        cx.push(Msg::ShowInternal(true));
    }
    if let Some((topic, partition)) = missing.first() {
        let first = LaneKey {
            topic: (*topic).clone(),
            partition: *partition,
        };
        let rest = u64_from_usize(missing.len().saturating_sub(1));
        let more = if rest > 0 {
            format!(" and {}", format::counted(rest, "other", "others"))
        } else {
            String::new()
        };
        cx.push(Msg::Notice(Notice::warning(format!(
            "The link names what is not here: {}{more}",
            first.title()
        ))));
    }
}

fn show_group(cx: &mut Cx<'_>, link: &ViewLink) {
    let Some(group) = &link.group else {
        return;
    };
    let is_missing = match &cx.snapshot.inventory.groups {
        Some(Ok(groups)) => !groups
            .iter()
            .any(|known| known.group.listing.name == *group),
        _ => false,
    };
    if is_missing {
        cx.push(Msg::Notice(Notice::warning(format!(
            "The link names a group that is not here: {group}"
        ))));
    } else {
        cx.push(Msg::SelectGroup(Some(group.clone())));
    }
}

/// The span of `link` in what is there; `None` when it has none or nothing of it is there.
fn selection(link: &ViewLink, there: &There<'_>) -> Option<Selection> {
    let span = link.span.as_ref()?;
    let lanes: Vec<LaneKey> = link
        .topics
        .iter()
        .filter(|(topic, partition)| there.has(topic, *partition))
        .map(|(topic, partition)| LaneKey {
            topic: topic.clone(),
            partition: *partition,
        })
        .collect();
    match span {
        // Without any lane it would be of every topic.
        LinkSpan::Time(..) if lanes.is_empty() && !link.topics.is_empty() => None,
        LinkSpan::Time(from, to) => Some(Selection::between(*from, *to, lanes)),
        LinkSpan::Offsets(ranges) => {
            let ranges: Vec<OffsetRange> = ranges
                .iter()
                .filter(|(at, ..)| there.has(&at.topic, Some(at.partition)))
                .map(|(at, from, to)| OffsetRange {
                    at: at.clone(),
                    from: *from,
                    to: *to,
                })
                .collect();
            let of_ranges = || {
                ranges.iter().map(|range| LaneKey {
                    topic: range.at.topic.clone(),
                    partition: Some(range.at.partition),
                })
            };
            let lanes = if lanes.is_empty() {
                of_ranges().collect()
            } else {
                lanes
            };
            (!ranges.is_empty()).then(|| Selection {
                lanes,
                span: Span::Offsets(ranges.into()),
            })
        }
    }
}

/// Brings the range of the link on screen, or else its span.
fn show_range(cx: &mut Cx<'_>, link: &ViewLink, selection: Option<&Selection>) {
    if let Some((left, right)) = link.shown {
        cx.push(Msg::Axis(AxisKind::Time));
        cx.push(Msg::View(ViewRange::between(left, right)));
        return;
    }
    match selection.map(|selection| &selection.span) {
        Some(Span::Time(from, to)) => {
            let span = ViewRange::between(*from, *to);
            let room = span.span_ms() * MARGIN;
            cx.push(Msg::Axis(AxisKind::Time));
            cx.push(Msg::View(ViewRange::new(
                span.from_ms - room,
                span.to_ms + room,
            )));
        }
        Some(Span::Offsets(_)) => cx.push(Msg::Axis(AxisKind::Offset)),
        None => {}
    }
}
