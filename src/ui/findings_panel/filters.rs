//! What stands above the list: what is listed, and reading records for more.

use std::sync::Arc;

use egui::{Align, Button, Layout, Rect, RichText, TextEdit, Ui, UiBuilder, vec2};

use crate::engine::{Command, FindingsView, GapsRequest, VersionAt};
use crate::inspect::gaps::VersionRule;
use crate::model::{Certainty, TopicName};

use super::super::context::Cx;
use super::super::format;
use super::super::state::{FindingsFilter, FindingsMsg, Msg};
use super::super::tokens::size;
use super::model::FindingsPanel;

/// Draws them in `rect`.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, panel: &FindingsPanel, view: &FindingsView) {
    ui.painter().rect_filled(rect, 0, cx.tokens.panel);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, cx.tokens.hairline());
    let builder = UiBuilder::new()
        .max_rect(rect.shrink2(vec2(10.0, 4.0)))
        .layout(Layout::left_to_right(Align::Center));
    ui.scope_builder(builder, |ui| {
        let before = &cx.state.findings.filter;
        let mut filter = before.clone();
        let active = match filter.active() {
            0 => "Filter".to_owned(),
            count => format!("Filter ({count})"),
        };
        ui.menu_button(active, |ui| menu(ui, cx, panel, &mut filter));
        let normal = format!("Normal ({})", format::count(panel.normal()));
        ui.toggle_value(&mut filter.normal, normal).on_hover_text(
            "Also what is explained: transaction markers, withdrawn and compacted records",
        );
        if panel.dismissed() > 0 {
            let dismissed = format!("Dismissed ({})", format::count(panel.dismissed()));
            ui.toggle_value(&mut filter.dismissed, dismissed);
        }
        if filter != *before {
            cx.push(Msg::Findings(FindingsMsg::Filter(filter)));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            reading(ui, cx, view);
        });
    });
}

fn menu(ui: &mut Ui, cx: &Cx<'_>, panel: &FindingsPanel, filter: &mut FindingsFilter) {
    let has_group = cx.state.group.is_some();
    let only = egui::Checkbox::new(&mut filter.only_group, "Only the chosen group");
    ui.add_enabled(has_group, only)
        .on_disabled_hover_text("No group is chosen");
    ui.separator();
    ui.label(
        RichText::new("How sure")
            .size(size::SMALL)
            .color(cx.tokens.faint),
    );
    for (least, name) in [
        (None, "All"),
        (Some(Certainty::Strong), "Proof and strong"),
        (Some(Certainty::Proof), "Proof only"),
    ] {
        ui.radio_value(&mut filter.least, least, name);
    }
    ui.separator();
    ui.menu_button("Kind…", |ui| {
        ui.radio_value(&mut filter.kind, None, "All kinds");
        for kind in panel.kinds() {
            let name = format!("{} {}", kind.code(), kind.title());
            ui.radio_value(&mut filter.kind, Some(*kind), name);
        }
    });
    ui.menu_button("Topic…", |ui| {
        egui::ScrollArea::vertical()
            .max_height(300.0)
            .show(ui, |ui| {
                ui.radio_value(&mut filter.topic, None, "All topics");
                for topic in panel.topics() {
                    let name: TopicName = Arc::clone(topic);
                    ui.radio_value(&mut filter.topic, Some(name), &**topic);
                }
            });
    });
    if filter.active() > 0 && ui.button("Clear").clicked() {
        *filter = FindingsFilter {
            normal: filter.normal,
            dismissed: filter.dismissed,
            ..FindingsFilter::default()
        };
        ui.close();
    }
}

/// Reading records: the form, or how far it is.
fn reading(ui: &mut Ui, cx: &mut Cx<'_>, view: &FindingsView) {
    if let Some(progress) = &view.reading {
        if ui.button("Cancel").clicked() {
            cx.push(Msg::Engine(Box::new(Command::FindGaps(None))));
        }
        let total = progress.total.map_or_else(String::new, |total| {
            format!(" of up to {}", format::count(total))
        });
        let said = format!("{} records{total}", format::count(progress.done));
        ui.label(RichText::new(said).size(size::SMALL).color(cx.tokens.dim));
        return;
    }
    ui.menu_button("Read records…", |ui| form(ui, cx));
    if let Some(problem) = &view.failed {
        let said = RichText::new("failed")
            .size(size::SMALL)
            .color(cx.tokens.warning);
        ui.label(said).on_hover_text(&*problem.message);
    }
}

fn form(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.set_max_width(320.0);
    ui.label("Reads the last 24 hours, at most 1,000,000 records of a partition, for holes, missing versions, events written twice and times that go backwards.");
    ui.add_space(4.0);
    ui.label(RichText::new("Where events carry a version that grows by one for each key: a path (.version) or a header’s name. Empty: none.").size(size::SMALL));
    let mut version = cx.state.findings.version.clone();
    let field = ui.add(TextEdit::singleline(&mut version).hint_text(".version"));
    if field.changed() {
        cx.push(Msg::Findings(FindingsMsg::Version(version.clone())));
    }
    let found = version_at(&version);
    let why_not = found.as_ref().err().cloned();
    if let Some(why) = &why_not {
        ui.label(RichText::new(why).color(cx.tokens.error).size(size::SMALL));
    }
    let topics: Vec<TopicName> = cx.state.open_topics.iter().cloned().collect();
    ui.horizontal_wrapped(|ui| {
        let mut start = |ui: &mut Ui, name: String, topics: Vec<TopicName>, why: Option<&str>| {
            let enabled = why.is_none() && why_not.is_none();
            let button = ui.add_enabled(enabled, Button::new(name));
            let button = button
                .on_disabled_hover_text(why.unwrap_or("The version cannot be found like this"));
            if button.clicked()
                && let Ok(version) = found.clone()
            {
                let request = GapsRequest {
                    topics,
                    version,
                    ..GapsRequest::default()
                };
                cx.push(Msg::Engine(Box::new(Command::FindGaps(Some(Box::new(
                    request,
                ))))));
                ui.close();
            }
        };
        let none_open = topics
            .is_empty()
            .then_some("No topic is open in the timeline");
        let open = format!("Read the open topics ({})", topics.len());
        start(ui, open, topics, none_open);
        start(ui, "Read all topics".to_owned(), Vec::new(), None);
    });
}

/// Where the version stands; `Ok(None)` for none.
///
/// # Errors
/// A sentence: what was written is no path.
fn version_at(written: &str) -> Result<Option<VersionAt>, String> {
    let written = written.trim();
    if written.is_empty() {
        return Ok(None);
    }
    if !written.starts_with(['.', '[']) {
        return Ok(Some(VersionAt::Header(written.to_owned())));
    }
    VersionRule::path(written)
        .map(|_| Some(VersionAt::Path(written.to_owned())))
        .map_err(|problem| problem.message.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_a_path_or_a_header() {
        assert_eq!(version_at("  "), Ok(None));
        assert_eq!(
            version_at(".a.b"),
            Ok(Some(VersionAt::Path(".a.b".to_owned())))
        );
        assert_eq!(
            version_at("seq"),
            Ok(Some(VersionAt::Header("seq".to_owned())))
        );
        assert!(version_at(".").is_err());
    }
}
