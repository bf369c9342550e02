//! The chosen finding: its sentence, what to do, what it rests on, and the ways to its place.

use std::sync::Arc;

use egui::{
    Align, Button, Key, Label, Layout, Rect, RichText, ScrollArea, TextEdit, Ui, UiBuilder, vec2,
};

use crate::engine::{Command, FindingsView};
use crate::model::Finding;

use super::super::context::Cx;
use super::super::state::{
    BottomTab, FindingsMsg, LaneKey, Msg, Notice, OffsetRange, Revealed, RewindMsg, Selection, Span,
};
use super::super::tokens::size;
use super::model::{self, FindingsPanel};
use super::{list, words};

/// Width of the names of evidence.
const NAMES: f32 = 130.0;

/// Draws `finding` in `area`.
pub fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    finding: &Finding,
    panel: &FindingsPanel,
    view: &FindingsView,
) {
    ui.painter().rect_filled(area, 0, cx.tokens.panel);
    ui.painter()
        .vline(area.left() + 0.5, area.y_range(), cx.tokens.hairline());
    let inner = area.shrink2(vec2(12.0, 8.0));
    let builder = UiBuilder::new().max_rect(inner);
    ui.scope_builder(builder, |ui| {
        head(ui, cx, finding);
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| buttons(ui, cx, finding, view));
        reason(ui, cx, finding);
        ui.separator();
        ScrollArea::vertical()
            .id_salt(("finding detail", &finding.id))
            .auto_shrink(false)
            .show(ui, |ui| body(ui, cx, finding, panel, view));
    });
}

fn head(ui: &mut Ui, cx: &Cx<'_>, finding: &Finding) {
    ui.horizontal_wrapped(|ui| {
        let sign =
            RichText::new(words::sign(finding.certainty)).color(list::color(cx.tokens, finding));
        ui.label(sign);
        ui.label(RichText::new(finding.kind.title()).strong());
        let code = format!("{} · {}", finding.kind.code(), finding.certainty.name());
        ui.label(RichText::new(code).color(cx.tokens.dim))
            .on_hover_text(words::meaning(finding.certainty));
        ui.label(RichText::new(words::whom(finding)).color(cx.tokens.dim));
    });
}

fn buttons(ui: &mut Ui, cx: &mut Cx<'_>, finding: &Finding, view: &FindingsView) {
    let at = finding.at();
    let time = finding.from_time.or(finding.to_time);
    let revealed = at.clone().zip(finding.from).zip(time);
    let button = ui.add_enabled(revealed.is_some(), Button::new("Show on the timeline"));
    let button =
        button.on_disabled_hover_text("Its time is not known, or it is not about one partition");
    if button.clicked()
        && let Some(((at, offset), time)) = revealed
    {
        if let Some(group) = finding.concerns.group() {
            cx.push(Msg::SelectGroup(Some(group.clone())));
        }
        cx.push(Msg::Reveal(Revealed { at, offset, time }));
    }
    let stretch = at.clone().zip(finding.from.zip(finding.to));
    let button = ui.add_enabled(stretch.is_some(), Button::new("Show records"));
    let button = button.on_disabled_hover_text("It is not about records of one partition");
    if button.clicked()
        && let Some((at, (from, to))) = stretch.clone()
    {
        let lane = LaneKey {
            topic: at.topic.clone(),
            partition: Some(at.partition),
        };
        let range = OffsetRange {
            at,
            from,
            to: to.next(),
        };
        cx.push(Msg::Select(Selection {
            span: Span::Offsets(Arc::new([range])),
            lanes: vec![lane],
        }));
        cx.push(Msg::ShowTab(BottomTab::Records));
    }
    if let (Some(group), Some((at, (from, _)))) = (finding.concerns.group(), stretch) {
        let hint = "Makes a plan that takes the group back to the first of these records in this partition; nothing is changed before it is applied";
        if ui.button("Rewind…").on_hover_text(hint).clicked() {
            cx.push(Msg::SelectGroup(Some(group.clone())));
            for msg in [
                RewindMsg::Clear,
                RewindMsg::Row(at, Some(from.to_string())),
                RewindMsg::Open,
            ] {
                cx.push(Msg::Rewind(msg));
            }
        }
    }
    if ui
        .button("Copy")
        .on_hover_text("All of it as text")
        .clicked()
    {
        ui.ctx().copy_text(words::copied(finding, cx.zone));
        cx.push(Msg::Notice(Notice::done(
            "The finding is in the clipboard".to_owned(),
        )));
    }
    if finding.normal {
        return;
    }
    if model::dismissal(view, &finding.id).is_some() {
        if ui.button("Take back").clicked() {
            dismiss(cx, finding, None);
        }
    } else if ui
        .button("Dismiss…")
        .on_hover_text("Put it aside with a reason; it is not counted any more")
        .clicked()
    {
        cx.push(Msg::Findings(FindingsMsg::Reason(Some(String::new()))));
    }
}

fn dismiss(cx: &mut Cx<'_>, finding: &Finding, reason: Option<String>) {
    let command = Command::Dismiss {
        finding: finding.id.clone(),
        reason,
    };
    cx.push(Msg::Engine(Box::new(command)));
}

/// The field for the reason, while it is being written.
fn reason(ui: &mut Ui, cx: &mut Cx<'_>, finding: &Finding) {
    let Some(written) = cx.state.findings.reason.clone() else {
        return;
    };
    ui.horizontal(|ui| {
        let mut text = written;
        let edit = TextEdit::singleline(&mut text)
            .hint_text("Why it can be put aside")
            .desired_width((ui.available_width() - 150.0).max(80.0));
        let field = ui.add(edit);
        if !field.has_focus() && !field.lost_focus() {
            field.request_focus();
        }
        if field.changed() {
            cx.push(Msg::Findings(FindingsMsg::Reason(Some(text.clone()))));
        }
        let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let escape = ui.input(|input| input.key_pressed(Key::Escape));
        let is_said = !text.trim().is_empty();
        let button = ui
            .add_enabled(is_said, Button::new("Dismiss"))
            .on_disabled_hover_text("Write a reason first");
        if is_said && (enter || button.clicked()) {
            dismiss(cx, finding, Some(text.trim().to_owned()));
            cx.push(Msg::Findings(FindingsMsg::Reason(None)));
        } else if escape || ui.button("Cancel").clicked() {
            cx.push(Msg::Findings(FindingsMsg::Reason(None)));
        }
    });
}

fn body(ui: &mut Ui, cx: &Cx<'_>, finding: &Finding, panel: &FindingsPanel, view: &FindingsView) {
    ui.add(Label::new(RichText::new(&finding.sentence).color(cx.tokens.text)).wrap());
    if !finding.next_step.is_empty() {
        ui.add_space(4.0);
        ui.add(
            Label::new(RichText::new(format!("→ {}", finding.next_step)).color(cx.tokens.accent))
                .wrap(),
        );
    }
    if let Some(dismissal) = model::dismissal(view, &finding.id) {
        let said = format!("Put aside by {}: {}", dismissal.user, dismissal.reason);
        ui.label(RichText::new(said).color(cx.tokens.dim));
    }
    ui.add_space(8.0);
    let mut row = |name: &str, value: &str| {
        if value.is_empty() {
            return;
        }
        ui.horizontal_top(|ui| {
            let name = RichText::new(name).color(cx.tokens.faint).size(size::SMALL);
            let layout = Layout::left_to_right(Align::Center).with_main_align(Align::Min);
            ui.allocate_ui_with_layout(vec2(NAMES, 16.0), layout, |ui| {
                ui.set_min_width(NAMES);
                ui.add(Label::new(name).truncate());
            });
            ui.vertical(|ui| ui.add(Label::new(RichText::new(value).monospace()).wrap()));
        });
    };
    row("Where", &words::place(finding));
    row("When", &words::when(finding, cx.zone));
    row("How many", &words::records(finding));
    row("How sure", words::meaning(finding.certainty));
    for (name, fact) in &finding.evidence {
        row(&words::name(name), &words::fact(name, fact, cx.zone));
    }
    ui.add_space(8.0);
    let said = words::history(view, cx.zone);
    ui.add(Label::new(RichText::new(said).color(cx.tokens.faint).size(size::SMALL)).wrap());
    for problem in view.missing.iter().take(5) {
        let said = format!("Not looked at: {}", problem.message);
        ui.add(
            Label::new(
                RichText::new(said)
                    .color(cx.tokens.warning)
                    .size(size::SMALL),
            )
            .wrap(),
        );
    }
    if panel.normal() > 0 && !cx.state.findings.filter.normal {
        let said = format!(
            "{} explained and normal findings are not listed",
            panel.normal()
        );
        ui.label(RichText::new(said).color(cx.tokens.faint).size(size::SMALL));
    }
}
