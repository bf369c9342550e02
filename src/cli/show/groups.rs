//! The tables of `groups`.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::cli::json::{GroupView, GroupsView, OffsetView};
use crate::cli::table::{Side, Table};
use crate::cli::text::{UNKNOWN, known, known_number, name, number, time, visible};
use crate::model::time::format_duration;

use super::{Notice, Shown};

impl Shown for GroupsView<'_> {
    fn notices(&self) -> Vec<Notice> {
        let mut notices: Vec<Notice> = self.missing.iter().map(Notice::missing).collect();
        for group in &self.groups {
            group_notices(group, &mut notices);
        }
        notices
    }

    fn tables(&self, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        if self.groups.is_empty() {
            return writeln!(out, "No consumer groups.");
        }
        let mut table = Table::new(&[
            ("GROUP", Side::Left),
            ("TYPE", Side::Left),
            ("STATE", Side::Left),
            ("MEMBERS", Side::Right),
            ("LAG", Side::Right),
            ("PROTOCOL", Side::Left),
            ("ASSIGNOR", Side::Left),
            ("COORDINATOR", Side::Right),
        ]);
        for group in &self.groups {
            table.row(group_row(group));
        }
        table.write(out)?;
        self.members(out)?;
        self.offsets(zone, out)
    }
}

impl GroupsView<'_> {
    fn members(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(&[
            ("GROUP", Side::Left),
            ("MEMBER", Side::Left),
            ("CLIENT", Side::Left),
            ("HOST", Side::Left),
            ("INSTANCE", Side::Left),
            ("ASSIGNED", Side::Left),
        ]);
        for group in &self.groups {
            for member in group.members.iter().flatten() {
                let assigned: Vec<String> = member
                    .assignment
                    .iter()
                    .map(|assigned| {
                        let numbers: Vec<String> = assigned
                            .partitions
                            .iter()
                            .map(ToString::to_string)
                            .collect();
                        format!("{}/{}", visible(assigned.topic), numbers.join(","))
                    })
                    .collect();
                table.row([
                    name(group.group),
                    name(member.member_id),
                    name(member.client_id),
                    name(member.host),
                    member.instance_id.map_or_else(|| "none".to_owned(), name),
                    if assigned.is_empty() {
                        "nothing".to_owned()
                    } else {
                        assigned.join(" ")
                    },
                ]);
            }
        }
        if !table.is_empty() {
            writeln!(out)?;
        }
        table.write(out)
    }

    fn offsets(&self, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(&[
            ("GROUP", Side::Left),
            ("TOPIC", Side::Left),
            ("PARTITION", Side::Right),
            ("COMMITTED", Side::Right),
            ("EPOCH", Side::Right),
            ("LOG START", Side::Right),
            ("HIGH WATERMARK", Side::Right),
            ("LAG", Side::Right),
            ("DELAY", Side::Right),
            ("NEXT RECORD", Side::Right),
            ("ITS TIME", Side::Left),
            ("METADATA", Side::Left),
        ]);
        for group in &self.groups {
            for place in group.offsets.iter().flatten() {
                table.row(place_row(group, place, zone));
            }
        }
        if !table.is_empty() {
            writeln!(out)?;
        }
        table.write(out)
    }
}

fn group_notices(group: &GroupView<'_>, notices: &mut Vec<Notice>) {
    let shown = name(group.group);
    if let Some(reason) = &group.error {
        notices.push(Notice::error(format!("group {shown}"), reason));
    }
    let said = |reason: &&crate::cli::json::Reason| group.error.as_ref() != Some(*reason);
    if let Some(reason) = group.members_error.as_ref().filter(said) {
        notices.push(Notice::aside(format!("members of group {shown}"), reason));
    }
    if let Some(reason) = group.offsets_error.as_ref().filter(said) {
        notices.push(Notice::aside(format!("offsets of group {shown}"), reason));
    }
    for place in group.offsets.iter().flatten() {
        if let Some(reason) = &place.error {
            let about = format!(
                "group {shown} in {}/{}",
                visible(place.topic),
                place.partition
            );
            notices.push(Notice::error(about, reason));
        }
    }
}

fn group_row(group: &GroupView<'_>) -> [String; 8] {
    let members = group.members.as_ref();
    [
        name(group.group),
        group.kind.to_string(),
        known(group.state, visible),
        known(members, |members| members.len().to_string()),
        total_lag(group),
        known(group.protocol_type, visible),
        known(group.assignor, visible),
        known(group.coordinator, |id| id.0.to_string()),
    ]
}

/// The sum of the lags; with a sign for "at least" when some are not known.
fn total_lag(group: &GroupView<'_>) -> String {
    let Some(places) = group
        .offsets
        .as_ref()
        .filter(|_| group.offsets_error.is_none())
    else {
        return UNKNOWN.to_owned();
    };
    let committed = places
        .iter()
        .filter(|place| place.committed_offset.is_some() || place.error.is_some());
    let mut sum: Option<u64> = None;
    let mut incomplete = false;
    for place in committed {
        match place.lag {
            Some(lag) => sum = Some(sum.unwrap_or(0).saturating_add(lag)),
            None => incomplete = true,
        }
    }
    match (sum, incomplete) {
        (Some(sum), false) => number(sum),
        (Some(sum), true) => format!("≥ {}", number(sum)),
        (None, true) => UNKNOWN.to_owned(),
        (None, false) => "none".to_owned(),
    }
}

fn place_row(group: &GroupView<'_>, place: &OffsetView<'_>, zone: &TimeZone) -> [String; 12] {
    let never = place.committed_offset.is_none() && place.error.is_none();
    let committed = if never {
        "never".to_owned()
    } else {
        known_number(place.committed_offset.map(|offset| offset.0))
    };
    let at_end = place.lag_ms == Some(0) && place.next_record_offset.is_none();
    let next_time = match (place.next_record_offset, place.next_record_ms) {
        (_, Some(at)) => time(at, zone),
        (Some(_), None) => "carries no time".to_owned(),
        (None, None) if at_end => "at the end".to_owned(),
        (None, None) => UNKNOWN.to_owned(),
    };
    [
        name(group.group),
        visible(place.topic),
        place.partition.to_string(),
        committed,
        place
            .leader_epoch
            .map_or_else(|| "none".to_owned(), |epoch| epoch.to_string()),
        known_number(place.log_start_offset.map(|offset| offset.0)),
        known_number(place.high_watermark.map(|offset| offset.0)),
        known_number(place.lag),
        known(place.lag_ms, format_duration),
        if at_end {
            "none".to_owned()
        } else {
            known_number(place.next_record_offset.map(|offset| offset.0))
        },
        next_time,
        place.metadata.map_or_else(String::new, name),
    ]
}
