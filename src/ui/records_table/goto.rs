//! Going to an address: whether one can, and the field in which it is typed.

use egui::{
    Align2, CornerRadius, Event, Id, Key, Modifiers, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};

use crate::engine::{Inventory, TablePlace};
use crate::model::link::ViewLink;
use crate::model::{Address, Offset, Partition, TimestampMs, Topic, TopicPartition};

use super::super::context::Cx;
use super::super::state::{Arriving, BottomTab, GoTo, LaneKey, Msg, Selection, TableMsg};
use super::super::{draw, fonts, format, links};

/// Where an address leads.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    place: TablePlace,
    of: Option<TopicPartition>,
    /// Whether the selected span is in the way.
    leaves_span: bool,
}

/// Takes the keys that open the field, and addresses that are pasted outside of any field.
pub fn keys(ui: &Ui, cx: &mut Cx<'_>) {
    if ui.ctx().text_edit_focused() {
        return;
    }
    let opens = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::G));
    if opens {
        cx.push(Msg::ShowTab(BottomTab::Records));
        if cx.state.table.goto.is_none() {
            cx.push(Msg::Table(TableMsg::EditGoTo(GoTo::default())));
        }
    }
    let pasted = ui.input(|input| {
        input.events.iter().find_map(|event| match event {
            Event::Paste(text) => Some(text.trim().to_owned()),
            _ => None,
        })
    });
    if let Some(text) = pasted.filter(|text| !text.is_empty()) {
        cx.push(Msg::ShowTab(BottomTab::Records));
        if ViewLink::is_meant(&text) {
            go(cx, &text);
        } else {
            go(cx, first_line(&text));
        }
    }
}

fn first_line(text: &str) -> &str {
    const LONGEST: usize = 400;
    let line = text.lines().next().unwrap_or_default();
    let end = line
        .char_indices()
        .nth(LONGEST)
        .map_or(line.len(), |(index, _)| index);
    line.get(..end).unwrap_or_default()
}

/// The field, at `rect`.
pub(super) fn field(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, is_new: bool) {
    let Some(goto) = cx.state.table.goto.clone() else {
        return;
    };
    let id = Id::unique("go to");
    if is_new {
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    // Taken before anybody else takes it for something of theirs.
    if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        cx.push(Msg::Table(TableMsg::CloseGoTo));
        return;
    }
    let mut text = goto.text.clone();
    let edit = egui::TextEdit::singleline(&mut text)
        .id(id)
        .font(fonts::small_data())
        .hint_text("topic/partition/offset, or a time")
        .desired_width(rect.width());
    let response = ui.put(rect, edit);
    response.widget_info(|| {
        let mut info = WidgetInfo::text_edit(true, &goto.text, &text, "Go to");
        info.label = Some("Go to".to_owned());
        info
    });
    if text != goto.text {
        let goto = GoTo {
            text: text.clone(),
            error: None,
        };
        cx.push(Msg::Table(TableMsg::EditGoTo(goto)));
    }
    if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
        go(cx, &text);
        // Still open when there is an error to mend.
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    if let Some(error) = &goto.error {
        show_error(ui, cx, rect, error);
    }
}

fn show_error(ui: &Ui, cx: &Cx<'_>, field: Rect, error: &str) {
    let painter = ui.ctx().layer_painter(egui::LayerId::new(
        egui::Order::Foreground,
        Id::unique("go to error"),
    ));
    let job = egui::text::LayoutJob::simple(
        error.to_owned(),
        fonts::small(),
        cx.tokens.warning,
        field.width().max(240.0),
    );
    let galley = painter.layout_job(job);
    let size = galley.size() + vec2(16.0, 10.0);
    let place = Rect::from_min_size(pos2(field.right() - size.x, field.bottom() + 3.0), size);
    painter.rect_filled(place, CornerRadius::same(4), cx.tokens.raised);
    draw::galley(&painter, place.center(), Align2::CENTER_CENTER, galley);
    let response = ui.interact(place, Id::unique("go to error text"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, error));
}

/// Goes to the address or the link `text`, or says why one cannot.
pub fn go(cx: &mut Cx<'_>, text: &str) {
    if ViewLink::is_meant(text) {
        match links::follow(cx, text) {
            Ok(()) => cx.push(Msg::Table(TableMsg::CloseGoTo)),
            Err(error) => cx.push(Msg::Table(TableMsg::EditGoTo(GoTo {
                text: first_line(text).to_owned(),
                error: Some(error),
            }))),
        }
        return;
    }
    let found = Address::parse(text, cx.now, cx.zone).and_then(|address| {
        find(
            &address,
            &cx.snapshot.inventory,
            cx.state.selection.as_ref(),
        )
    });
    match found {
        Err(error) => cx.push(Msg::Table(TableMsg::EditGoTo(GoTo {
            text: text.to_owned(),
            error: Some(error),
        }))),
        Ok(found) => {
            show_lane_of(cx, &found);
            cx.push(Msg::Table(TableMsg::GoTo {
                place: found.place,
                arriving: Arriving {
                    of: found.of,
                    by_address: true,
                },
                leaves_span: found.leaves_span,
            }));
        }
    }
}

/// Goes to a record of a list that is being changed to one that may hold it, or says why one cannot.
///
/// # Errors
/// There is no such record.
pub fn go_to_record(cx: &mut Cx<'_>, at: &TopicPartition, offset: Offset) -> Result<(), String> {
    let address = Address::Record(at.clone(), offset);
    let found = find(&address, &cx.snapshot.inventory, None)?;
    cx.push(Msg::Table(TableMsg::GoTo {
        place: found.place,
        arriving: Arriving {
            of: found.of,
            by_address: true,
        },
        leaves_span: false,
    }));
    Ok(())
}

/// Takes away what hides the topic that is gone to.
fn show_lane_of(cx: &mut Cx<'_>, found: &Found) {
    let at = match (&found.place, &found.of) {
        (TablePlace::Record(at, _), _) | (_, Some(at)) => at.clone(),
        _ => return,
    };
    let name = at.topic.to_lowercase();
    let filter = cx.state.filter.to_lowercase();
    if !filter.split_whitespace().all(|word| name.contains(word)) {
        cx.push(Msg::Filter(String::new()));
    }
    let topics = cx.snapshot.inventory.topics();
    let is_internal = topics
        .iter()
        .any(|topic| topic.name == at.topic && topic.internal);
    if is_internal && !cx.state.internal {
        cx.push(Msg::ShowInternal(true));
    }
}

/// Where `address` leads.
fn find(
    address: &Address,
    inventory: &Inventory,
    selection: Option<&Selection>,
) -> Result<Found, String> {
    let holds = |time: TimestampMs| {
        selection.is_none_or(|selection| {
            selection
                .times()
                .is_some_and(|(from, to)| from <= time && time < to)
        })
    };
    let covers = |at: &TopicPartition| {
        selection.is_none_or(|selection| {
            selection.covers(&LaneKey {
                topic: at.topic.clone(),
                partition: Some(at.partition),
            })
        })
    };
    match address {
        Address::Time(time) => Ok(Found {
            place: TablePlace::Time(time.at),
            of: None,
            leaves_span: !holds(time.at),
        }),
        Address::Since(at, time) => {
            partition(at, inventory)?;
            Ok(Found {
                place: TablePlace::Time(time.at),
                of: Some(at.clone()),
                leaves_span: !(holds(time.at) && covers(at)),
            })
        }
        Address::Record(at, offset) => {
            exists(at, *offset, partition(at, inventory)?)?;
            Ok(Found {
                place: TablePlace::Record(at.clone(), *offset),
                of: None,
                // Its time is not known before it is read.
                leaves_span: selection.is_some(),
            })
        }
    }
}

fn partition<'i>(at: &TopicPartition, inventory: &'i Inventory) -> Result<&'i Partition, String> {
    let topics = match &inventory.topics {
        None => return Err("The topics are not read yet".to_owned()),
        Some(Err(problem)) => return Err(format!("The topics cannot be read: {problem}")),
        Some(Ok(topics)) => topics,
    };
    let topic: &Topic = topics
        .iter()
        .find(|topic| topic.name == at.topic)
        .ok_or_else(|| format!("There is no topic “{}”", at.topic))?;
    if let Some(problem) = &topic.error {
        return Err(problem.to_string());
    }
    topic
        .partitions
        .iter()
        .find(|partition| partition.id == at.partition)
        .ok_or_else(|| {
            let count = u64::try_from(topic.partitions.len()).unwrap_or(u64::MAX);
            let partitions = format::counted(count, "partition", "partitions");
            format!(
                "{} has no partition {}: it has {partitions}",
                at.topic, at.partition
            )
        })
}

fn exists(at: &TopicPartition, offset: Offset, partition: &Partition) -> Result<(), String> {
    if let Some(problem) = &partition.error {
        return Err(problem.to_string());
    }
    let start = partition.log_start.as_ref().map_err(ToString::to_string)?;
    let end = partition
        .high_watermark
        .as_ref()
        .map_err(ToString::to_string)?;
    if offset >= *end {
        return Err(format!(
            "{at} has no offset {} yet: the next record will get {}",
            format::offset(offset),
            format::offset(*end)
        ));
    }
    if offset < *start {
        return Err(format!(
            "Offset {} of {at} was deleted: the log starts at {}",
            format::offset(offset),
            format::offset(*start)
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::tz::TimeZone;

    use super::*;
    use crate::model::{PartitionId, Problem, ProblemKind, by_hand};

    fn inventory() -> Inventory {
        let partition = |id: i32, start, end| Partition {
            log_start: start,
            high_watermark: end,
            ..by_hand::partition(id, 0, 0)
        };
        let away = || Problem::new(ProblemKind::NoLeader, "nobody leads it");
        Inventory {
            topics: Some(Ok(vec![Arc::new(by_hand::topic(
                "my-orders.v1",
                vec![
                    partition(0, Ok(Offset(1_000)), Ok(Offset(2_000))),
                    partition(1, Err(away()), Err(away())),
                ],
            ))])),
            ..Inventory::default()
        }
    }

    fn found(text: &str, selection: Option<&Selection>) -> Result<Found, String> {
        let address = Address::parse(text, TimestampMs(0), &TimeZone::UTC)?;
        find(&address, &inventory(), selection)
    }

    fn at(partition: i32) -> TopicPartition {
        TopicPartition::new("my-orders.v1", partition)
    }

    #[test]
    fn a_record_that_is_there_is_gone_to() {
        let found = found("my-orders.v1/0/1999", None).unwrap();
        assert_eq!(found.place, TablePlace::Record(at(0), Offset(1_999)));
        assert!(!found.leaves_span);
    }

    #[test]
    fn what_is_not_there_is_said() {
        for (text, reason) in [
            ("orders/0/1", "There is no topic “orders”"),
            (
                "my-orders.v1/7/1",
                "my-orders.v1 has no partition 7: it has 2 partitions",
            ),
            (
                "my-orders.v1/0/2000",
                "my-orders.v1/0 has no offset 2,000 yet: the next record will get 2,000",
            ),
            (
                "my-orders.v1/0/999",
                "Offset 999 of my-orders.v1/0 was deleted: the log starts at 1,000",
            ),
            ("my-orders.v1/1/5", "nobody leads it"),
        ] {
            assert_eq!(found(text, None).unwrap_err(), reason, "{text}");
        }
    }

    #[test]
    fn a_span_stays_selected_where_the_place_lies_in_it() {
        let selection = Selection::between(
            TimestampMs(1_000),
            TimestampMs(2_000),
            vec![LaneKey {
                topic: "my-orders.v1".into(),
                partition: Some(PartitionId(0)),
            }],
        );
        let leaves = |text| found(text, Some(&selection)).unwrap().leaves_span;
        assert!(!leaves("1500"));
        assert!(leaves("2000"));
        assert!(!leaves("my-orders.v1/0@1500"));
        assert!(leaves("my-orders.v1/1@1500"));
        assert!(leaves("my-orders.v1/0/1500"));
    }
}
