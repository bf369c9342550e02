//! The choices of a target in a row, the field of the chosen one, and which topics are meant.

use std::collections::BTreeSet;

use egui::{Button, ComboBox, RichText, TextEdit, Ui, vec2};

use crate::model::time::{format_duration, format_zone};
use crate::model::{TimestampMs, TopicName};
use crate::rewind::table;
use crate::rewind::target::time_of;

use super::super::context::Cx;
use super::super::state::rewind::{TargetKind, TypedTable, TypedTime};
use super::super::state::{Msg, RewindMsg};
use super::super::tokens::size;
use super::super::{fonts, format};

const CHOICES: [(TargetKind, &str, &str); 8] = [
    (
        TargetKind::Time,
        "Time",
        "To the first record at or after a time, in each partition",
    ),
    (
        TargetKind::Offset,
        "Offset",
        "To the same offset in every partition",
    ),
    (
        TargetKind::Earliest,
        "Earliest",
        "To the first record that can still be read",
    ),
    (
        TargetKind::Latest,
        "Latest",
        "To the end of the log: everything that was not read is skipped",
    ),
    (
        TargetKind::Shift,
        "± records",
        "So many records back or on, from where the group stands",
    ),
    (
        TargetKind::Group,
        "Another group",
        "To where another group stands",
    ),
    (
        TargetKind::File,
        "File…",
        "To what the rows of a CSV file say, as the stock tool exports it",
    ),
    (
        TargetKind::Fresh,
        "New group…",
        "Gives a group that does not exist yet its first offsets: those of this group, or what is typed into the rows. This group stays where it is",
    ),
];

/// Draws the choices, in as many lines as they need, and the field in another.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
    let draft = &cx.state.rewind.draft;
    ui.horizontal_wrapped(|ui| {
        for (kind, name, hint) in CHOICES {
            choice(ui, cx, kind, name, hint);
        }
        if let Some(undo) = &draft.undo {
            let name = format!("Undo {}", short(&undo.id));
            choice(
                ui,
                cx,
                TargetKind::Undo,
                &name,
                "Back to what this entry of the journal found",
            );
        }
        if draft.kind == TargetKind::Placed {
            choice(
                ui,
                cx,
                TargetKind::Placed,
                "As placed",
                "Only the rows that were dragged or typed",
            );
        }
    });
    ui.horizontal(|ui| {
        match draft.kind {
            TargetKind::Time => time(ui, cx),
            TargetKind::Offset => {
                number(ui, cx, "Offset to go to", &draft.offset, RewindMsg::Offset);
            }
            TargetKind::Shift => number(
                ui,
                cx,
                "Records on, or back when negative",
                &draft.shift,
                RewindMsg::Shift,
            ),
            TargetKind::Group => other(ui, cx),
            TargetKind::File => rows(ui, cx),
            TargetKind::Fresh => fresh(ui, cx),
            TargetKind::Earliest | TargetKind::Latest | TargetKind::Undo | TargetKind::Placed => {}
        }
        if !matches!(
            draft.kind,
            TargetKind::File | TargetKind::Undo | TargetKind::Placed
        ) {
            topics(ui, cx);
        }
        if let Some(problem) = draft.problem() {
            note(ui, &problem, cx.tokens.error);
        } else if draft.kind == TargetKind::Time
            && let Some(Ok(at)) = draft.time.at
        {
            note(ui, &ago(cx, at), cx.tokens.dim);
        }
    });
}

/// The first characters of an entry's id: enough to know it again.
pub fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

fn choice(ui: &mut Ui, cx: &mut Cx<'_>, kind: TargetKind, name: &str, hint: &str) {
    let is_chosen = cx.state.rewind.draft.kind == kind;
    let button = Button::selectable(is_chosen, RichText::new(name).size(12.0))
        .min_size(vec2(0.0, 22.0))
        .frame_when_inactive(true);
    let response = ui.add(button).on_hover_text(hint);
    if response.clicked() && !is_chosen {
        cx.push(Msg::Rewind(RewindMsg::Kind(kind)));
    }
}

fn note(ui: &mut Ui, text: &str, color: egui::Color32) {
    ui.label(RichText::new(text).size(size::SMALL).color(color));
}

/// The zone of a time and how long ago it was.
fn ago(cx: &Cx<'_>, at: TimestampMs) -> String {
    let zone = format_zone(at, cx.zone);
    let ms = cx.clock.since_ms(at);
    let how_long = format_duration(i64::try_from(ms.unsigned_abs()).unwrap_or(i64::MAX));
    if ms < 0 {
        format!("{zone} · in {how_long}")
    } else {
        format!("{zone} · {how_long} ago")
    }
}

fn field(ui: &mut Ui, name: &str, text: &mut String, hint: &str, width: f32) -> bool {
    let edit = TextEdit::singleline(text)
        .id(egui::Id::unique(("rewind field", name)))
        .font(fonts::data())
        .hint_text(hint)
        .margin(vec2(8.0, 4.0))
        .desired_width(width);
    ui.add(edit).accessible_name(name).changed()
}

fn time(ui: &mut Ui, cx: &mut Cx<'_>) {
    let mut text = cx.state.rewind.draft.time.text.clone();
    if field(
        ui,
        "Time to go to",
        &mut text,
        "2026-11-30 14:02 or -50m",
        190.0,
    ) {
        let at = (!text.trim().is_empty()).then(|| {
            let parsed = time_of(&text, cx.clock, cx.zone);
            parsed.map(|(at, _)| at)
        });
        cx.push(Msg::Rewind(RewindMsg::Time(TypedTime { text, at })));
    }
}

fn number(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    name: &str,
    text: &str,
    message: impl FnOnce(String) -> RewindMsg,
) {
    let mut text = text.to_owned();
    if field(ui, name, &mut text, "", 130.0) {
        cx.push(Msg::Rewind(message(text)));
    }
}

fn other(ui: &mut Ui, cx: &mut Cx<'_>) {
    let chosen = cx.state.rewind.draft.other.clone();
    let shown = chosen
        .as_ref()
        .map_or_else(|| "Choose…".to_owned(), |name| format::group_name(name, 40));
    let inventory = std::sync::Arc::clone(&cx.snapshot.inventory);
    let combo = ComboBox::from_id_salt("rewind other group")
        .selected_text(shown)
        .width(200.0);
    let response = combo.show_ui(ui, |ui| {
        for group in inventory.groups() {
            let name = &group.group.listing.name;
            if Some(name) == cx.state.group.as_ref() {
                continue;
            }
            let label = format::group_name(name, 60);
            if ui
                .selectable_label(chosen.as_ref() == Some(name), label)
                .clicked()
            {
                cx.push(Msg::Rewind(RewindMsg::Other(name.clone())));
            }
        }
    });
    response.response.accessible_name("The other group");
}

fn fresh(ui: &mut Ui, cx: &mut Cx<'_>) {
    let mut name = cx.state.rewind.draft.fresh.clone();
    if field(ui, "Name of the new group", &mut name, "its name", 190.0) {
        cx.push(Msg::Rewind(RewindMsg::Fresh(name)));
    }
}

fn rows(ui: &mut Ui, cx: &mut Cx<'_>) {
    let typed = &cx.state.rewind.draft.table;
    let mut text = typed.text.clone();
    let edit = TextEdit::multiline(&mut text)
        .id(egui::Id::unique("rewind table"))
        .font(fonts::data())
        .hint_text("orders,0,38214")
        .margin(vec2(8.0, 4.0))
        .desired_rows(1)
        .desired_width(260.0);
    let changed = egui::ScrollArea::vertical()
        .max_height(26.0)
        .id_salt("rewind table scroll")
        .show(ui, |ui| {
            ui.add(edit)
                .accessible_name("Rows of the CSV file: topic, partition, offset")
                .changed()
        })
        .inner;
    if changed {
        let rows = (!text.trim().is_empty()).then(|| table::parse(&text).map(Into::into));
        cx.push(Msg::Rewind(RewindMsg::Table(TypedTable { text, rows })));
    } else if let Some(Ok(rows)) = &typed.rows {
        let count = super::super::num::u64_from_usize(rows.len());
        let said = format::counted(count, "partition", "partitions");
        note(ui, &said, cx.tokens.dim);
    }
}

/// Which topics are meant.
fn topics(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(group) = cx.state.group.as_ref() else {
        return;
    };
    let inventory = std::sync::Arc::clone(&cx.snapshot.inventory);
    let known = super::super::timeline::find_group(&inventory, group);
    let mut names: Vec<&TopicName> = known
        .map(|group| group.places.iter().map(|place| &place.at.topic).collect())
        .unwrap_or_default();
    names.dedup();
    let chosen = &cx.state.rewind.draft.topics;
    let title = match chosen.len() {
        0 => "All its topics".to_owned(),
        1 => chosen.first().map_or_else(String::new, ToString::to_string),
        some => format!("{some} topics"),
    };
    let button = ui.menu_button(RichText::new(format!("{title}…")).size(12.0), |ui| {
        if ui.radio(chosen.is_empty(), "All its topics").clicked() {
            cx.push(Msg::Rewind(RewindMsg::Topics(BTreeSet::new())));
        }
        egui::ScrollArea::vertical()
            .max_height(240.0)
            .show(ui, |ui| {
                for name in names {
                    let mut is_in = chosen.contains(name);
                    if ui.checkbox(&mut is_in, &**name).changed() {
                        let mut next = chosen.clone();
                        if is_in {
                            next.insert(std::sync::Arc::clone(name));
                        } else {
                            next.remove(name);
                        }
                        cx.push(Msg::Rewind(RewindMsg::Topics(next)));
                    }
                }
            });
    });
    button
        .response
        .on_hover_text("Which topics are moved: those in which the group has committed, or some");
}
