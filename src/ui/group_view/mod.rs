//! The chosen group: what it is, who is in it, where it stands in each partition, and how it got there.
//!
//! | part | what it is |
//! |---|---|
//! | `facts`, `words` | what head and cells say, and the reason where they say nothing. Pure |
//! | `model` | the rows in the order asked for, made anew only when their sources change. Pure |
//! | `columns` | which columns have room. Pure |
//! | `table`, `members`, `plot` | drawing: partitions, members, the trajectory |
//! | `reveal` | where the group stands, shown on the timeline |
//!
//! A group may have thousands of partitions: only rows on screen are put into words.

mod columns;
mod facts;
mod members;
mod model;
mod plot;
mod reveal;
mod table;
mod words;

pub use reveal::in_sight;

use std::sync::Arc;
use std::time::Duration;

use egui::{Align2, Id, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::model::Group;

use super::context::Cx;
use super::state::{LaneKey, Msg, RewindMsg};
use super::tokens::size;
use super::{draw, fonts, format, glossary};
use model::{Model, ModelCache};
use plot::PlotCache;

/// Height of the head.
const HEAD: f32 = 30.0;
/// How often what tells an age is drawn again.
const AGES: Duration = Duration::from_secs(4);

/// What is kept between frames.
#[derive(Debug, Default)]
pub struct GroupView {
    models: ModelCache,
    plot: PlotCache,
}

/// Draws the chosen group in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, view: &mut GroupView) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    ui.painter().rect_filled(area, 0, cx.tokens.window);
    let inventory = Arc::clone(&cx.snapshot.inventory);
    let samples = Arc::clone(&cx.snapshot.samples);
    let found = cx
        .state
        .group
        .as_ref()
        .and_then(|name| model::find(&inventory, name));
    let Some(index) = found else {
        let (text, is_problem) = nothing(cx);
        say(ui, cx, area, &text, is_problem);
        return;
    };
    let model = view
        .models
        .of(&inventory, &samples, index, cx.state.group_view.sort);
    let Some(group) = model.group().map(|group| Arc::clone(&group.group)) else {
        return;
    };
    let subject = cx
        .state
        .group_view
        .subject
        .clone()
        .filter(|lane| model.has(lane))
        .or_else(|| model.default_subject());
    let head = Rect::from_min_size(area.min, vec2(area.width(), HEAD));
    show_head(ui, cx, head, &group, &model, subject.as_ref());
    let below = Rect::from_min_max(pos2(area.left(), head.bottom()), area.max);
    let side_width = (below.width() * 0.27)
        .clamp(300.0, 480.0)
        .min(below.width() * 0.5)
        .round();
    let (left, right) = below.split_left_right_at_x(below.right() - side_width);
    show_table(ui, cx, left, &group, &model, subject.as_ref());
    show_side(
        ui,
        cx,
        right,
        &group,
        &model,
        subject.as_ref(),
        &mut view.plot,
    );
    if table::tells_ages(cx, &model) {
        // Ends when the last movement is told by its time.
        ui.ctx().request_repaint_after(AGES);
    }
}

/// Why there is no group to show, and whether that is a problem.
fn nothing(cx: &Cx<'_>) -> (String, bool) {
    match (&cx.snapshot.inventory.groups, &cx.state.group) {
        (None, _) => ("Reading groups…".to_owned(), false),
        (Some(Err(problem)), _) => (format!("The groups cannot be read: {problem}"), true),
        (Some(Ok(groups)), _) if groups.is_empty() => ("There are no groups yet".to_owned(), false),
        (Some(Ok(_)), None) => ("Choose a group in the list at the left".to_owned(), false),
        (Some(Ok(_)), Some(name)) => {
            let name = format::group_name(name, 128);
            (format!("There is no group {name} any more"), false)
        }
    }
}

fn say(ui: &Ui, cx: &Cx<'_>, area: Rect, said: &str, is_problem: bool) {
    let color = if is_problem {
        cx.tokens.warning
    } else {
        cx.tokens.dim
    };
    let galley = ui
        .painter()
        .layout(said.to_owned(), fonts::text(), color, area.width() - 40.0);
    let rect = Align2::CENTER_CENTER.anchor_size(area.center(), galley.size());
    ui.painter().galley(rect.min, galley, color);
    let response = ui.interact(rect, Id::unique("group said"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, said));
}

/// The group's name, what the bus says of it, and the way to the timeline.
fn show_head(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    group: &Group,
    model: &Model,
    subject: Option<&LaneKey>,
) {
    let painter = ui.painter().clone();
    let tokens = cx.tokens;
    let name = &group.listing.name;
    painter.rect_filled(rect, 0, tokens.panel);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, tokens.hairline());
    let button = Rect::from_min_max(
        pos2(rect.right() - 158.0, rect.top() + 4.0),
        pos2(rect.right() - 8.0, rect.bottom() - 4.0),
    );
    show_reveal(ui, cx, button, model, subject);
    let rewind = Rect::from_min_max(
        pos2(button.left() - 84.0, button.top()),
        pos2(button.left() - 6.0, button.bottom()),
    );
    let label = egui::RichText::new("Rewind…").size(size::SMALL);
    let response = ui.put(rewind, egui::Button::new(label));
    if response
        .on_hover_text("Plans where its committed offsets should go; nothing is written by that")
        .clicked()
    {
        cx.push(Msg::Rewind(RewindMsg::Open));
    }
    let button = rewind.union(button);
    let middle = rect.center().y;
    let chip = Rect::from_center_size(
        pos2(rect.left() + 17.0, middle),
        vec2(size::CHIP, size::CHIP),
    );
    let mark = cx.marks.of(name);
    draw::chip(&painter, tokens, chip, &mark, tokens.hue(name));
    let shown_name = format::group_name(name, 128);
    let room = button.left() - chip.right() - 20.0;
    let galley = draw::fitted_in_middle(
        &painter,
        &shown_name,
        fonts::strong(),
        tokens.text,
        room * 0.4,
    );
    let at = pos2(chip.right() + 8.0, middle);
    let right = draw::galley(&painter, at, Align2::LEFT_CENTER, galley).right();
    let free = Rect::from_min_max(
        pos2(right, rect.top()),
        pos2(button.left() - 10.0, rect.bottom()),
    );
    show_facts(ui, cx, free, &facts::facts(group));
}

/// What the bus says of a group, in `free`: as much as there is room for, and how much more there is.
fn show_facts(ui: &Ui, cx: &Cx<'_>, free: Rect, facts: &[facts::Fact]) {
    /// Room before each of them.
    const BEFORE: f32 = 16.0;
    /// Room for how many have none.
    const MORE: f32 = 28.0;
    let painter = ui.painter();
    let tokens = cx.tokens;
    let mut left = free.left() + BEFORE;
    let mut shown = 0;
    for (index, fact) in facts.iter().enumerate() {
        let pieces = [
            (fact.name, fonts::small(), tokens.faint),
            (" ", fonts::small(), tokens.faint),
            (
                fact.cell.text.as_str(),
                fonts::small_data(),
                table::color(tokens, fact.cell.tone),
            ),
        ];
        let galley = draw::pieces(painter, &pieces, f32::INFINITY);
        let is_last = index.saturating_add(1) == facts.len();
        let after = if is_last { 0.0 } else { MORE + BEFORE };
        if left + galley.size().x + after > free.right() {
            break;
        }
        let at = pos2(left, free.center().y);
        let place = draw::galley(painter, at, Align2::LEFT_CENTER, galley);
        let spoken = spoken_fact(fact);
        let response = ui.interact(place, Id::unique(("group fact", fact.name)), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, spoken.as_str()));
        if response.hovered() {
            response.on_hover_text(explained_fact(fact));
        }
        left = place.right() + BEFORE;
        shown = index.saturating_add(1);
    }
    let rest = facts.get(shown..).unwrap_or_default();
    if rest.is_empty() {
        return;
    }
    let place = draw::text(
        painter,
        pos2(left, free.center().y),
        Align2::LEFT_CENTER,
        &format!("+{}", rest.len()),
        fonts::small_data(),
        tokens.dim,
        (free.right() - left).max(0.0),
    );
    let response = ui.interact(place, Id::unique("group facts left out"), Sense::hover());
    let spoken: Vec<String> = rest.iter().map(spoken_fact).collect();
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, spoken.join(", ")));
    if response.hovered() {
        let explained: Vec<String> = rest.iter().map(explained_fact).collect();
        response.on_hover_text(explained.join("\n"));
    }
}

fn spoken_fact(fact: &facts::Fact) -> String {
    format!("{} {}", fact.name, fact.cell.spoken())
}

fn explained_fact(fact: &facts::Fact) -> String {
    let said = glossary::explained(&spoken_fact(fact), fact.name);
    if fact.cell.hint.is_empty() {
        said
    } else {
        format!("{said}\n{}", fact.cell.hint)
    }
}

/// The button that shows the chosen partition's place on the timeline, or says why it cannot.
fn show_reveal(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, model: &Model, subject: Option<&LaneKey>) {
    let label = egui::RichText::new("Show where it stands").size(size::SMALL);
    let button = egui::Button::new(label);
    match reveal::of(cx, model, subject) {
        Ok(message) => {
            let hint =
                "Moves the timeline to the place of the committed offset (Enter in the table)";
            if ui.put(rect, button).on_hover_text(hint).clicked() {
                cx.push(message);
            }
        }
        Err(reason) => {
            ui.add_enabled_ui(false, |ui| {
                ui.put(rect, button).on_disabled_hover_text(reason);
            });
        }
    }
}

/// The partitions, or why there are none.
fn show_table(
    ui: &Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    group: &Group,
    model: &Model,
    subject: Option<&LaneKey>,
) {
    if let Err(problem) = &group.commits {
        let is_problem = problem.kind != crate::model::ProblemKind::Unsupported;
        let text = format!("The committed offsets are not known: {problem}");
        say(ui, cx, area, &text, is_problem);
    } else if model.rows.is_empty() {
        let text = "The group has committed nothing and is assigned no partition";
        say(ui, cx, area, text, false);
    } else {
        table::show(ui, cx, area, model, subject);
    }
}

/// The trajectory above, the members below.
fn show_side(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    group: &Group,
    model: &Model,
    subject: Option<&LaneKey>,
    plot: &mut PlotCache,
) {
    ui.painter().rect_filled(area, 0, cx.tokens.panel);
    ui.painter()
        .vline(area.left() + 0.5, area.y_range(), cx.tokens.hairline());
    let most = (area.height() - 130.0).max(area.height() * 0.3);
    let members_height = members::wanted_height(group)
        .min(most)
        .min(area.height() * 0.5);
    let (upper, lower) = area.split_top_bottom_at_y(area.bottom() - members_height);
    plot::show(ui, cx, upper, model, subject, plot);
    ui.painter()
        .hline(area.x_range(), lower.top() + 0.5, cx.tokens.hairline());
    members::show(ui, cx, lower, group);
}

/// The title of the tab: with the group's name when one is chosen.
pub fn tab_title(cx: &Cx<'_>) -> String {
    cx.state.group.as_ref().map_or_else(
        || "Group".to_owned(),
        |name| format!("Group {}", format::group_name(name, 128)),
    )
}
