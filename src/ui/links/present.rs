//! The present view as a link. Pure.

use crate::engine::{Connection, Snapshot};
use crate::model::link::{LinkOrder, LinkSpan, LinkTo, ViewLink};
use crate::model::{Offset, PartitionId, Record, TopicName, plain_address};

use super::super::state::{AxisKind, ColumnKind, LaneKey, Selection, Span, UiState};

/// How many brokers stand in a link when no address is known by which the bus was reached.
const MOST_BROKERS: usize = 3;

/// How the present bus is named in a link: by the profile that it was reached with, else by its addresses.
///
/// # Errors
/// Why no link leads to it, as a phrase.
pub fn destination(snapshot: &Snapshot) -> Result<LinkTo, &'static str> {
    let to = match &snapshot.connection {
        Connection::Connected { demo: true, .. } => {
            return Err("the demo bus ends with this window");
        }
        Connection::Connected { to, .. } => to,
        _ => return Err("connect to a bus first"),
    };
    let access = &snapshot.access;
    let profiles = access.profiles.as_deref().unwrap_or_default();
    let by_profile = profiles.iter().find(|profile| {
        // A profile that was only a part of the way leads others elsewhere.
        access.profile.as_ref() == Some(&profile.name) && *profile.bootstrap == **to
    });
    if let Some(profile) = by_profile {
        return Ok(LinkTo::Profile(profile.name.clone()));
    }
    plain_address(to)
        .or_else(|| brokers(snapshot))
        .map(LinkTo::Addresses)
        .ok_or("the address of this bus is not known")
}

/// Addresses by which the bus itself is known.
pub(super) fn brokers(snapshot: &Snapshot) -> Option<String> {
    let cluster = snapshot.inventory.cluster.as_ref()?.as_ref().ok()?;
    let each = cluster.brokers.iter().take(MOST_BROKERS);
    let each = each.map(|broker| format!("{}:{}", broker.host, broker.port));
    plain_address(&each.collect::<Vec<_>>().join(","))
}

/// What is on screen, with the record in detail when the span holds it.
pub(super) fn view(state: &UiState, to: LinkTo) -> ViewLink {
    let selection = state.selection.as_ref();
    let record = state.record.as_ref();
    let record = record.filter(|record| selection.is_none_or(|span| holds(span, record)));
    ViewLink {
        topics: lanes(state, selection),
        names: state.filter.trim().to_owned(),
        span: selection.map(span),
        record: record.map(|record| (record.at(), record.offset)),
        ..around(state, to)
    }
}

/// One record, in what is on screen as far as it belongs there.
pub(super) fn of_record(state: &UiState, to: LinkTo, record: &Record) -> ViewLink {
    let selection = state.selection.as_ref().filter(|span| holds(span, record));
    let name = record.topic.to_lowercase();
    let filter = state.filter.to_lowercase();
    let is_shown = filter.split_whitespace().all(|word| name.contains(word));
    ViewLink {
        topics: selection.map_or_else(Vec::new, |span| lanes(state, Some(span))),
        names: if is_shown {
            state.filter.trim().to_owned()
        } else {
            String::new()
        },
        span: selection.map(span),
        record: Some((record.at(), record.offset)),
        ..around(state, to)
    }
}

/// What of a view does not depend on what it is about.
fn around(state: &UiState, to: LinkTo) -> ViewLink {
    let shown = state.view.filter(|_| state.axis == AxisKind::Time);
    let filters = if state.search.open {
        state.search.written().0
    } else {
        Vec::new()
    };
    let sort = state.sort_of_list().filter(|sort| sort.by.sorts_list());
    ViewLink {
        group: state.group.clone(),
        shown: shown.map(|view| (view.from(), view.to())),
        filters,
        isolation: Some(state.isolation),
        order: sort.map(|sort| LinkOrder {
            by_offset: sort.by == ColumnKind::Offset,
            descending: sort.descending,
        }),
        ..ViewLink::new(to)
    }
}

/// The lanes of the span, or the topics that are open.
fn lanes(state: &UiState, selection: Option<&Selection>) -> Vec<(TopicName, Option<PartitionId>)> {
    match selection {
        Some(selection) => selection
            .lanes
            .iter()
            .map(|lane| (lane.topic.clone(), lane.partition))
            .collect(),
        None => state
            .open_topics
            .iter()
            .map(|topic| (topic.clone(), None))
            .collect(),
    }
}

fn span(selection: &Selection) -> LinkSpan {
    match &selection.span {
        Span::Time(from, to) => LinkSpan::Time(*from, *to),
        Span::Offsets(ranges) => LinkSpan::Offsets(
            ranges
                .iter()
                .map(|range| (range.at.clone(), range.from, range.to))
                .collect(),
        ),
    }
}

/// Whether the span lists the record.
fn holds(selection: &Selection, record: &Record) -> bool {
    let lane = LaneKey {
        topic: record.topic.clone(),
        partition: Some(record.partition),
    };
    if !selection.covers(&lane) {
        return false;
    }
    match &selection.span {
        Span::Time(from, to) => record.timestamp.is_some_and(|at| *from <= at && at < *to),
        Span::Offsets(ranges) => {
            let at = record.at();
            let within = |from: Offset, to: Offset| from <= record.offset && record.offset < to;
            ranges
                .iter()
                .any(|range| range.at == at && within(range.from, range.to))
        }
    }
}
