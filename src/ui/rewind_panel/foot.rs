//! What the plan comes to, and the ways to look at it or take it along.

use std::sync::Arc;

use egui::{Button, Label, Rect, RichText, Ui, vec2};

use crate::engine::Connection;
use crate::rewind::plan::{Direction, Plan};
use crate::rewind::table;

use super::super::context::Cx;
use super::super::num::u64_from_usize;
use super::super::state::{BottomTab, Msg, Notice, OffsetRange, RewindMsg, Selection, Span};
use super::super::{fonts, format};
use super::model::RewindPanel;
use super::words;

/// Draws it below the rows.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, area: Rect, plan: &Arc<Plan>, panel: &RewindPanel) {
    ui.painter()
        .hline(area.x_range(), area.top() + 0.5, cx.tokens.hairline());
    let inner = area.shrink2(vec2(super::SIDE, 5.0));
    super::part(ui, inner, "rewind foot", |ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 3.0);
        ui.horizontal(|ui| {
            ui.label(
                RichText::new(format!("{}.", words::sentence(&panel.totals)))
                    .font(fonts::strong())
                    .color(cx.tokens.text),
            );
            ui.label(
                RichText::new(counts(plan, panel))
                    .font(fonts::small())
                    .color(cx.tokens.dim),
            );
        });
        ui.horizontal(|ui| {
            buttons(ui, cx, plan, panel);
            if panel.totals.again > 0 {
                let name = format::group_name(&plan.group, 40);
                let said = format!(
                    "They run a second time: whatever {name} publishes or calls for them may happen twice"
                );
                ui.add(
                    Label::new(RichText::new(&said).font(fonts::small()).color(cx.tokens.dim))
                        .truncate(),
                )
                .on_hover_text(said);
            }
        });
    });
}

/// How many partitions change, and how many stay for which reason.
fn counts(plan: &Plan, panel: &RewindPanel) -> String {
    let count = |value: usize| format::count(u64_from_usize(value));
    let totals = &panel.totals;
    let mut said = vec![format!(
        "{} of {} move",
        count(totals.changed),
        format::counted(u64_from_usize(plan.rows.len()), "partition", "partitions")
    )];
    if totals.unresolved > 0 {
        said.push(format!(
            "{} cannot be resolved and stay",
            count(totals.unresolved)
        ));
    }
    if totals.in_place > 0 {
        said.push(format!("{} are there already", count(totals.in_place)));
    }
    said.join(", ")
}

fn buttons(ui: &mut Ui, cx: &mut Cx<'_>, plan: &Arc<Plan>, panel: &RewindPanel) {
    let small = |text: &str| Button::new(RichText::new(text).size(11.0));
    let has_stretch = panel.totals.again > 0 || panel.totals.skipped > 0;
    let show = ui.add_enabled(has_stretch, small("Show these records"));
    let show = show
        .on_hover_text("Puts what runs again or is skipped into the list of records")
        .on_disabled_hover_text("nothing lies between the places");
    if show.clicked() {
        cx.push(Msg::Select(Selection {
            span: Span::Offsets(stretches(plan).into()),
            lanes: vec![],
        }));
        cx.push(Msg::ShowTab(BottomTab::Records));
    }
    let csv = ui
        .add(small("Copy CSV"))
        .on_hover_text("Rows that the stock tool takes with --from-file");
    if csv.clicked() {
        ui.ctx().copy_text(table::write(plan));
        cx.push(Msg::Notice(Notice::done("The plan is copied as CSV")));
    }
    let commands = ui
        .add_enabled(panel.totals.changed > 0, small("Copy commands"))
        .on_hover_text("The stock tool's commands that would do the same")
        .on_disabled_hover_text("nothing would move");
    if commands.clicked() {
        let bootstrap = match &cx.snapshot.connection {
            Connection::Connected { to, .. } => &**to,
            _ => "",
        };
        ui.ctx().copy_text(table::commands(plan, bootstrap));
        cx.push(Msg::Notice(Notice::done("The commands are copied")));
    }
    if ui
        .add(small("Plan anew"))
        .on_hover_text("Forgets this plan; nothing was written")
        .clicked()
    {
        cx.push(Msg::Rewind(RewindMsg::Clear));
    }
}

/// What runs again or is skipped, by partition.
fn stretches(plan: &Plan) -> Vec<OffsetRange> {
    plan.rows
        .iter()
        .filter(|row| matches!(row.direction(), Direction::Back | Direction::Skip))
        .filter_map(|row| {
            let (from, to) = row.stretch()?;
            Some(OffsetRange {
                at: row.at.clone(),
                from,
                to,
            })
        })
        .collect()
}
