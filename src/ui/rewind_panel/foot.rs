//! What the plan comes to, and the ways to look at it or take it along.

use std::sync::Arc;

use egui::{Button, Label, Rect, RichText, Ui, vec2};

use crate::model::{Offset, TopicPartition};
use crate::rewind::plan::{Direction, Plan};

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
            buttons(ui, cx, plan);
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

fn buttons(ui: &mut Ui, cx: &mut Cx<'_>, plan: &Arc<Plan>) {
    let small = |text: &str| Button::new(RichText::new(text).size(11.0));
    let ranges = stretches(plan);
    let show = ui.add_enabled(!ranges.is_empty(), small("Show these records"));
    let show = show
        .on_hover_text("Puts what runs again or is skipped into the list of records")
        .on_disabled_hover_text("nothing lies between the places");
    if show.clicked() {
        cx.push(Msg::Select(Selection {
            span: Span::Offsets(ranges.into()),
            lanes: vec![],
        }));
        cx.push(Msg::ShowTab(BottomTab::Records));
    }
    let csv = ui
        .add(small("Copy CSV"))
        .on_hover_text("Rows that the stock tool takes with --from-file");
    if csv.clicked() {
        ui.ctx().copy_text(write_table(plan));
        cx.push(Msg::Notice(Notice::done("The plan is copied as CSV")));
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

/// The plan as rows of a CSV file.
fn write_table(plan: &Plan) -> String {
    let lines = plan.rows.iter().filter_map(|row| {
        let to = row.to.as_ref().ok()?.as_ref()?;
        let TopicPartition { topic, partition } = &row.at;
        Some(format!("{topic},{partition},{}\n", to.offset))
    });
    lines.collect()
}

/// The rows of a CSV file.
///
/// # Errors
/// Which line cannot be understood, and why.
pub fn read_table(text: &str) -> Result<Arc<[(TopicPartition, Offset)]>, String> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = || {
            format!(
                "line {} is not topic, partition, offset: “{}”",
                index.saturating_add(1),
                line.trim()
            )
        };
        let mut fields = line.split(',').map(|field| field.trim().trim_matches('"'));
        let (Some(topic), Some(partition), Some(offset), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(wrong());
        };
        let partition = partition.parse::<i32>().ok().filter(|number| *number >= 0);
        let offset = offset.parse::<i64>().ok().filter(|number| *number >= 0);
        let (Some(partition), Some(offset)) = (partition, offset) else {
            return Err(wrong());
        };
        rows.push((TopicPartition::new(topic, partition), Offset(offset)));
    }
    Ok(rows.into())
}
