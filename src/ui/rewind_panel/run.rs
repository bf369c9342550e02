//! What is being done with the plan, and what became of it.

use egui::{Button, Label, RichText, ScrollArea, Ui, vec2};

use crate::engine::{Applied, Ended, RewindView, Run};
use crate::model::TimestampMs;
use crate::model::time::{format_duration, format_zone};

use super::super::context::Cx;
use super::super::num::u64_from_usize;
use super::super::state::{BottomTab, Msg, Notice, RewindMsg};
use super::super::{fonts, format};
use super::side::{dim, heading, members};
use super::words;

/// Height of a line of the result.
const LINE: f32 = 16.0;

/// Draws what is being done, or how it ended.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, view: &RewindView) {
    ui.spacing_mut().item_spacing = vec2(6.0, 5.0);
    match &view.run {
        Run::Idle => {}
        Run::Waiting {
            since,
            until,
            misses,
            restarted,
        } => waiting(ui, cx, view, (*since, *until), *misses, *restarted),
        Run::Applying => {
            heading(ui, cx, "It is being applied");
            dim(
                ui,
                cx,
                "The present positions are in the journal; the bus is asked to set the new ones",
            );
        }
        Run::Ended(Ended::Refused(problem)) => {
            heading(ui, cx, "Nothing was changed");
            let text = RichText::new(problem.to_string()).color(cx.tokens.warning);
            ui.add(Label::new(text).wrap());
            again(ui, cx);
        }
        Run::Ended(Ended::Applied(applied)) => ended(ui, cx, applied),
    }
}

/// Says that another group's plan is being applied.
pub fn other(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(name) = cx.state.rewind.applied.clone() else {
        return;
    };
    let shown = format::group_name(&name, 60);
    heading(ui, cx, "Another group is being moved");
    let text =
        format!("A plan for {shown} waits or is being applied. One group is moved at a time");
    dim(ui, cx, &text);
    ui.horizontal(|ui| {
        if ui.button(format!("Cancel for {shown}")).clicked() {
            cx.push(Msg::Rewind(RewindMsg::Stop));
        }
        if ui.button(format!("Show {shown}")).clicked() {
            cx.push(Msg::SelectGroup(Some(name)));
        }
    });
}

fn waiting(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    view: &RewindView,
    (since, until): (TimestampMs, TimestampMs),
    misses: u64,
    restarted: bool,
) {
    let at = |time: TimestampMs| {
        let clock = format::time_of_day(time, cx.zone, format::Precision::Seconds);
        format!("{clock} {}", format_zone(time, cx.zone))
    };
    heading(ui, cx, "Waiting for the first moment without members");
    let left = format_duration(until.since_ms(cx.clock).max(0));
    dim(
        ui,
        cx,
        &format!("Since {}, until {}: {left} left", at(since), at(until)),
    );
    if ui
        .add(Button::new("Cancel").min_size(vec2(0.0, 28.0)))
        .on_hover_text("Nothing is written any more")
        .clicked()
    {
        cx.push(Msg::Rewind(RewindMsg::Stop));
    }
    if misses > 0 {
        let text = format!(
            "{}: a member was back before the write. It is tried again in the next empty moment",
            format::counted(misses, "miss", "misses")
        );
        dim(ui, cx, &text);
    }
    if restarted {
        let text = RichText::new("Something restarts these consumers: the group has not been empty for a minute. Stop them where they are started, say:")
            .color(cx.tokens.warning);
        ui.add(Label::new(text).wrap());
        for command in [
            "kubectl scale deployment NAME --replicas=0",
            "systemctl stop NAME",
            "docker stop NAME",
        ] {
            ui.horizontal(|ui| {
                let copy = Button::new(RichText::new("Copy").size(11.0));
                let response = ui.add(copy).accessible_name(format!("Copy {command}"));
                let text = RichText::new(command)
                    .font(fonts::small_data())
                    .color(cx.tokens.text);
                ui.add(Label::new(text).truncate());
                if response.clicked() {
                    ui.ctx().copy_text(command.to_owned());
                    cx.push(Msg::Notice(Notice::done("The command is copied")));
                }
            });
        }
    }
    if view.members.is_empty() {
        dim(ui, cx, "No members are known at this moment");
    } else {
        let count = u64_from_usize(view.members.len());
        dim(
            ui,
            cx,
            &format!("{}:", format::counted(count, "member", "members")),
        );
        members(ui, cx, view);
    }
    // The time that is left is told again.
    ui.ctx()
        .request_repaint_after(std::time::Duration::from_secs(1));
}

fn ended(ui: &mut Ui, cx: &mut Cx<'_>, applied: &Applied) {
    let failed = applied
        .rows
        .iter()
        .filter(|row| row.error.is_some())
        .count();
    let done = applied.rows.len().saturating_sub(failed);
    let title = match (done, failed) {
        (_, 0) => format!(
            "Applied to {}",
            format::counted(u64_from_usize(done), "partition", "partitions")
        ),
        (0, _) => "No partition was changed as intended".to_owned(),
        (_, _) => format!(
            "Applied to {} of {}",
            format::count(u64_from_usize(done)),
            format::counted(
                u64_from_usize(applied.rows.len()),
                "partition",
                "partitions"
            )
        ),
    };
    heading(ui, cx, &title);
    let clock = format::time_of_day(applied.at, cx.zone, format::Precision::Seconds);
    let mut said = format!("At {clock} {}", format_zone(applied.at, cx.zone));
    said = match &applied.journal_id {
        Some(id) => format!("{said}, entry {id} of the journal"),
        None => format!("{said}; there was nothing to write"),
    };
    if applied.misses > 0 {
        said = format!(
            "{said}, after {}",
            format::counted(applied.misses, "miss", "misses")
        );
    }
    dim(ui, cx, &said);
    let height = (LINE * super::super::num::f32_from_count(applied.rows.len())).min(150.0);
    ScrollArea::both()
        .id_salt("rewind results")
        .max_height(height + 8.0)
        .show_rows(ui, LINE - 5.0, applied.rows.len(), |ui, range| {
            for row in applied.rows.get(range).unwrap_or_default() {
                let color = if row.error.is_some() || row.read_back.is_err() {
                    cx.tokens.error
                } else {
                    cx.tokens.text
                };
                let text = RichText::new(words::result(row))
                    .font(fonts::small_data())
                    .color(color);
                ui.add(Label::new(text).extend());
            }
        });
    ui.horizontal_wrapped(|ui| {
        if let Some(id) = &applied.journal_id {
            let undo = Button::new("Undo…").min_size(vec2(0.0, 28.0));
            if ui
                .add(undo)
                .on_hover_text(
                    "Makes a plan that gives back what was found; it is applied like any other",
                )
                .clicked()
            {
                cx.push(Msg::UndoEntry(id.clone()));
            }
        }
        if ui.button("Show the journal").clicked() {
            cx.push(Msg::ShowTab(BottomTab::Journal));
        }
        again(ui, cx);
    });
}

fn again(ui: &mut Ui, cx: &mut Cx<'_>) {
    if ui.button("Plan anew").clicked() {
        cx.push(Msg::Rewind(RewindMsg::Clear));
    }
}
