//! The line at the foot: how the connection stands, how old what is shown is, what runs, how exact it is.

use egui::{Align, Button, Color32, Layout, RichText, Role, Ui, WidgetInfo, vec2};

use crate::engine::{Connection, Progress, SearchStage};
use crate::model::Isolation;
use crate::model::time::{format_duration, format_zone};

use super::context::Cx;
use super::format::{self, Precision};
use super::num::u64_from_usize;
use super::state::{Dialog, Msg, Notice, Tone, WindowMsg};
use super::{draw, fonts, glossary};

/// Draws the line. `column_ms` is the width of the timeline's columns, when it is on screen.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, column_ms: Option<i64>) {
    let (color, state, hint) = connection(cx);
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        ui.add_space(4.0);
        let (rect, _) = ui.allocate_exact_size(vec2(8.0, 8.0), egui::Sense::hover());
        ui.add_space(-8.0);
        ui.painter().circle_filled(rect.center(), 4.0, color);
        let text_color = if color == cx.tokens.warning {
            color
        } else {
            cx.tokens.dim
        };
        let response = small(ui, &state, text_color);
        if !hint.is_empty() {
            response.on_hover_text(hint);
        }
        if let Some(said) = reading(cx) {
            small(ui, &said, cx.tokens.text).on_hover_text("What the search under way reads");
        }
        for running in cx.snapshot.activity.iter().take(2) {
            small(ui, &activity(running), cx.tokens.dim);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            let window = cx.window;
            if let Some((given, waiting)) = window.notices.current() {
                notice(ui, cx, given, waiting);
            } else {
                facts(ui, cx, column_ms);
            }
        });
    });
}

/// What the search under way reads, and how fast; `None` while none reads.
fn reading(cx: &Cx<'_>) -> Option<String> {
    let view = cx.state.search.newest(&cx.snapshot.search)?;
    if view.stage != SearchStage::Running {
        return None;
    }
    let limit = view
        .bytes_per_second_at_most
        .map_or_else(String::new, |limit| {
            format!(" of {}/s allowed", format::size(limit))
        });
    Some(format!(
        "reading {}/s{limit}, {} so far",
        format::size(view.bytes_per_second),
        format::size(view.coverage.bytes_scanned)
    ))
}

/// Whose records are shown; a click changes it.
fn isolation(ui: &mut Ui, cx: &mut Cx<'_>) {
    let level = glossary::hint("isolation level").unwrap_or_default();
    let shows_all = cx.state.isolation == Isolation::ReadUncommitted;
    let (text, name, other) = if shows_all {
        (
            "all records shown, withdrawn ones marked",
            "read uncommitted",
            "Click to show only what careful readers see",
        )
    } else {
        (
            "only what careful readers see",
            "read committed",
            "Click to show all records, withdrawn ones marked",
        )
    };
    let color = if shows_all {
        cx.tokens.dim
    } else {
        cx.tokens.warning
    };
    let label = RichText::new(text).font(fonts::small()).color(color);
    // A label, which is no higher than what stands beside it.
    let button = ui
        .add(
            egui::Label::new(label)
                .truncate()
                .sense(egui::Sense::click()),
        )
        .on_hover_text(format!("Isolation level: {name}\n{level}\n{other}"));
    if button.has_focus() && cx.keys_lead {
        draw::focus_ring(ui.painter(), cx.tokens, button.rect.expand(2.0));
    }
    button.widget_info(|| WidgetInfo::selected(Role::Switch, true, shows_all, text));
    if button.clicked() {
        cx.push(Msg::Isolation(if shows_all {
            Isolation::ReadCommitted
        } else {
            Isolation::ReadUncommitted
        }));
    }
}

/// How exact what is shown is, and whose records it shows.
fn facts(ui: &mut Ui, cx: &mut Cx<'_>, column_ms: Option<i64>) {
    if matches!(cx.snapshot.connection, Connection::Connected { .. }) {
        isolation(ui, cx);
    }
    if let Some(column_ms) = column_ms {
        let (text, color) = exactness(cx, column_ms);
        let response = small(ui, &text, color);
        if response.hovered() {
            response.on_hover_text(exactness_hint(cx));
        }
    }
}

/// The newest notice in the place of what is there always, so that no data is covered.
fn notice(ui: &mut Ui, cx: &mut Cx<'_>, notice: &Notice, waiting: usize) {
    ui.spacing_mut().item_spacing.x = 8.0;
    let small_button = |text: String| Button::new(RichText::new(text).font(fonts::small())).small();
    let close = ui
        .add(small_button("×".to_owned()))
        .on_hover_text("Close this notice")
        .accessible_name("Close notice");
    if close.clicked() {
        cx.push(Msg::Window(WindowMsg::CloseNotice));
    }
    if waiting > 0 {
        let more = format!("{} more", format::count(u64_from_usize(waiting)));
        let hint = "Show all notices";
        if ui.add(small_button(more)).on_hover_text(hint).clicked() {
            cx.push(Msg::Window(WindowMsg::Open(Dialog::Notices)));
        }
    }
    let (color, role) = match notice.tone {
        Tone::Done => (cx.tokens.text, Role::Status),
        Tone::Warning => (cx.tokens.warning, Role::Alert),
        Tone::Error => (cx.tokens.error, Role::Alert),
    };
    let response = small(ui, &notice.text, color);
    response.widget_info(|| WidgetInfo::labeled(role, true, &*notice.text));
    response.on_hover_text(&*notice.text);
}

fn small(ui: &mut Ui, text: &str, color: Color32) -> egui::Response {
    let text = egui::RichText::new(text).font(fonts::small()).color(color);
    ui.add(
        egui::Label::new(text)
            .truncate()
            .sense(egui::Sense::hover()),
    )
}

/// How the connection stands: a colour, a sentence, and more of it.
fn connection(cx: &Cx<'_>) -> (Color32, String, String) {
    let tokens = cx.tokens;
    match &cx.snapshot.connection {
        Connection::None => (tokens.faint, "not connected".to_owned(), String::new()),
        Connection::Connecting { to } => {
            (tokens.accent, format!("connecting to {to}"), String::new())
        }
        Connection::Failed { to, problem } => (
            tokens.error,
            format::not_connected(to, problem),
            problem.to_string(),
        ),
        Connection::Connected {
            to,
            degraded: Some(problem),
            ..
        } => (
            tokens.warning,
            format!("{}, what is shown is old: {problem}", refreshed(cx)),
            format!("{to}: {problem}"),
        ),
        Connection::Connected {
            to, degraded: None, ..
        } => {
            let brokers = match &cx.snapshot.inventory.cluster {
                Some(Ok(cluster)) => {
                    let live = u64_from_usize(cluster.brokers.len());
                    let gone: Vec<String> = cx
                        .window
                        .watch
                        .gone()
                        .map(|(id, address)| format!("broker {} ({address})", id.0))
                        .collect();
                    let brokers = format::counted(live, "broker", "brokers");
                    if !gone.is_empty() {
                        let count = format::count(u64_from_usize(gone.len()));
                        return (
                            tokens.warning,
                            format!("{brokers}, {count} gone · {}", refreshed(cx)),
                            format!("Has left the cluster: {}", gone.join(", ")),
                        );
                    }
                    brokers
                }
                Some(Err(problem)) => {
                    return (
                        tokens.warning,
                        format!("brokers not known: {problem}"),
                        to.to_string(),
                    );
                }
                None => "connected".to_owned(),
            };
            (
                tokens.good,
                format!("{brokers} · {}", refreshed(cx)),
                format!("Connected to {to}"),
            )
        }
    }
}

/// When what is shown was read. The time itself and not its age, which would need a repaint every second.
fn refreshed(cx: &Cx<'_>) -> String {
    let inventory = &cx.snapshot.inventory;
    let Some(whole) = inventory.read_at else {
        return "not read yet".to_owned();
    };
    let time = |at| format::time_of_day(at, cx.zone, Precision::Seconds);
    let zone = format_zone(whole, cx.zone);
    match inventory.near_read_at.filter(|near| *near > whole) {
        Some(near) => format!(
            "in view refreshed {}, all {} {zone}",
            time(near),
            time(whole)
        ),
        None => format!("refreshed {} {zone}", time(whole)),
    }
}

fn activity(running: &Progress) -> String {
    match running.total {
        Some(total) => format!(
            "{} {} of {}",
            running.what,
            format::count(running.done),
            format::count(total)
        ),
        None if running.done > 0 => format!("{} {}", running.what, format::count(running.done)),
        None => format!("{}…", running.what),
    }
}

/// Where the counts on the timeline come from, or why some are not known.
fn exactness_hint(cx: &Cx<'_>) -> String {
    const NAMED: usize = 4;
    let problems = &cx.snapshot.density.problems;
    if problems.is_empty() {
        return "Offsets are looked up by time; between two look-ups records are taken to be spread evenly"
            .to_owned();
    }
    let mut lines: Vec<String> = problems
        .iter()
        .take(NAMED)
        .map(|(at, problem)| format!("{at}: {problem}"))
        .collect();
    let rest = problems.len().saturating_sub(NAMED);
    if rest > 0 {
        lines.push(format!("and {} more", format::count(u64_from_usize(rest))));
    }
    lines.join("\n")
}

/// How exact the density on screen is.
fn exactness(cx: &Cx<'_>, column_ms: i64) -> (String, Color32) {
    let density = &cx.snapshot.density;
    if !density.problems.is_empty() {
        let count = format::counted(
            u64_from_usize(density.problems.len()),
            "partition",
            "partitions",
        );
        return (format!("density not known for {count}"), cx.tokens.warning);
    }
    if density.settled {
        (
            format!("density exact to {} in view", format_duration(column_ms)),
            cx.tokens.dim,
        )
    } else {
        ("density is being refined…".to_owned(), cx.tokens.dim)
    }
}
