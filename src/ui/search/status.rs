//! What a search covered, how far it is, and what can be done with it.

use std::sync::Arc;

use egui::{Align2, Id, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::engine::{Inventory, SearchControl, SearchRequest, SearchStage, SearchView, TableSpan};
use crate::model::TopicPartition;

use super::super::context::Cx;
use super::super::num::{f32_from_f64, u64_from_usize};
use super::super::state::Msg;
use super::super::state::search::{SearchMsg, SearchState};
use super::super::{draw, fonts, format};
use super::bar::{begin_again, differs, small};
use super::scope::{Scope, all_of, topics_of, topics_said};
use super::words::{Words, meanwhile};
use super::{COVERAGE, SearchPanel};

/// Draws both lines in `area`.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, area: Rect, panel: &mut SearchPanel) {
    let search = &cx.state.search;
    let (coverage_at, actions_at) = area.split_top_bottom_at_y(area.top() + COVERAGE);
    let Some(view) = search.shown(&cx.snapshot.search).map(Arc::clone) else {
        let words = Words {
            coverage: "Beginning…".to_owned(),
            ..Words::default()
        };
        coverage(ui, cx, coverage_at, &words, None);
        draw::progress(ui.painter(), cx.tokens, line_of(area), None);
        return;
    };
    let newest = search.newest(&cx.snapshot.search).map(Arc::clone);
    let still = search
        .frozen
        .as_ref()
        .and_then(|frozen| Some(meanwhile(frozen, newest.as_ref()?)));
    let words = panel.words(cx, &view).clone();
    coverage(ui, cx, coverage_at, &words, still.as_deref());
    let wider = panel.wider(&view, &cx.snapshot.inventory);
    let inner = Rect::from_min_max(
        actions_at.min + vec2(8.0, 2.0),
        actions_at.max - vec2(8.0, 5.0),
    );
    let builder = UiBuilder::new().max_rect(inner);
    let used = ui
        .scope_builder(builder, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                actions(ui, cx, &view, wider.as_deref());
                ui.min_rect().right()
            })
            .inner
        })
        .inner;
    let room = Rect::from_min_max(pos2(used + 14.0, inner.top()), inner.max);
    details(ui, cx, room, &words, still.as_deref());
    if SearchState::goes_on(&view) && !search.follows() {
        let done = words.done.map(f32_from_f64);
        draw::progress(ui.painter(), cx.tokens, line_of(area), done);
    }
}

/// Where progress is drawn: along the foot.
fn line_of(area: Rect) -> Rect {
    Rect::from_min_max(pos2(area.left(), area.bottom() - 2.0), area.max)
}

/// The sentence that says what was covered; all of it, and everything else, when the pointer rests on it.
fn coverage(ui: &Ui, cx: &Cx<'_>, at: Rect, words: &Words, still: Option<&str>) {
    let color = if words.warns {
        cx.tokens.warning
    } else {
        cx.tokens.text
    };
    let text = match still {
        Some(_) => format!("The display stands still; {}", words.coverage),
        None => words.coverage.clone(),
    };
    let room = at.width() - 18.0;
    let laid_out =
        |text: &str, width| draw::fitted(ui.painter(), text, fonts::small(), color, width);
    let full = laid_out(&text, f32::INFINITY);
    let galley = if full.size().x <= room {
        full
    } else {
        laid_out(&words.short, room)
    };
    let left = pos2(at.left() + 9.0, at.center().y + 1.0);
    let place = draw::galley(ui.painter(), left, Align2::LEFT_CENTER, galley);
    let response = ui.interact(place, Id::unique("search coverage"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Status, true, &text));
    let all = std::iter::once(text.as_str()).chain(words.details.iter().map(String::as_str));
    if response.hovered() {
        let said: Vec<&str> = all.collect();
        response.on_hover_text(said.join("\n"));
    }
}

/// What was found and how fast, at the right.
fn details(ui: &Ui, cx: &Cx<'_>, room: Rect, words: &Words, still: Option<&str>) {
    let differs = differs(&cx.state.search);
    let mut said: Vec<&str> = Vec::new();
    if differs {
        said.push("other filters stand in the bar: Enter searches anew");
    }
    said.extend(still);
    said.extend(words.details.iter().map(String::as_str));
    if said.is_empty() || room.width() < 40.0 {
        return;
    }
    let text = said.join(" · ");
    let color = if still.is_some() || differs {
        cx.tokens.accent
    } else {
        cx.tokens.dim
    };
    let place = draw::text(
        ui.painter(),
        pos2(room.left(), room.center().y),
        Align2::LEFT_CENTER,
        &text,
        fonts::small_data(),
        color,
        room.width(),
    );
    let response = ui.interact(place, Id::unique("search details"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    response.on_hover_text(said.join("\n"));
}

/// The buttons, as the search stands.
fn actions(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<SearchView>, wider: Option<&str>) {
    if cx.state.search.full_speed_asked {
        full_speed_confirmed(ui, cx);
        return;
    }
    let control = |cx: &mut Cx<'_>, control| cx.push(Msg::Search(SearchMsg::Control(control)));
    match &view.stage {
        SearchStage::Asking => {
            if ui
                .add(small("Begin search"))
                .on_hover_text("Read as much as is said above")
                .clicked()
            {
                control(cx, SearchControl::Begin);
            }
            if ui.add(small("Cancel")).clicked() {
                cx.push(Msg::Search(SearchMsg::Close));
            }
            full_speed(ui, cx, view);
        }
        SearchStage::Failed(_) => {
            if ui.add(small("Back to the list")).clicked() {
                cx.push(Msg::Search(SearchMsg::Close));
            }
        }
        SearchStage::Idle
        | SearchStage::Measuring
        | SearchStage::Running
        | SearchStage::Paused
        | SearchStage::Ended => {
            pause(ui, cx, view);
            let is_over = matches!(view.stage, SearchStage::Ended);
            let why_not = is_over.then_some("it has ended");
            if item(ui, "Stop", why_not, "Read no more; what was found stays") {
                control(cx, SearchControl::Stop);
            }
            if !cx.state.search.follows() {
                widen(ui, cx, view, wider);
            }
            let (text, hint) = if cx.state.search.shows_hits {
                ("Show list", "Show the list of records; the search goes on")
            } else {
                ("Show hits", "Show what the search found")
            };
            if item(ui, text, None, hint) {
                let shows = !cx.state.search.shows_hits;
                cx.push(Msg::Search(SearchMsg::ShowHits(shows)));
            }
            if !is_over {
                full_speed(ui, cx, view);
            }
        }
    }
}

fn item(ui: &mut Ui, text: &str, why_not: Option<&str>, hint: &str) -> bool {
    let response = ui.add_enabled(why_not.is_none(), small(text));
    match why_not {
        Some(why) => response.on_disabled_hover_text(why).clicked(),
        None => response.on_hover_text(hint).clicked(),
    }
}

/// Pause, or on again. What comes in is only shown no further: it goes on being collected.
fn pause(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<SearchView>) {
    let search = &cx.state.search;
    let msg = search.pausing(view);
    let resumes = search.frozen.is_some() || !SearchState::goes_on(view);
    let why_not = match (&msg, &view.stage) {
        (Some(_), _) => None,
        (None, SearchStage::Ended) => Some("everything was searched"),
        (None, _) => Some("it has not begun"),
    };
    let hint = match (search.follows(), resumes) {
        (true, false) => "Let the display stand still; records go on being collected",
        (true, true) => "Show what has come, from the newest on",
        (false, false) => "Read no more for now; what was found stays",
        (false, true) => "Go on where it stands",
    };
    let text = if resumes { "Resume" } else { "Pause" };
    if item(ui, text, why_not, hint)
        && let Some(msg) = msg
    {
        cx.push(Msg::Search(msg));
    }
}

/// All of the topics, when less of them is searched.
fn widen(ui: &mut Ui, cx: &mut Cx<'_>, view: &SearchView, wider: Option<&str>) {
    let Some(request) = view.request.clone() else {
        return;
    };
    let (text, why_not) = match wider {
        Some(text) => (text.to_owned(), None),
        None => (
            "Search all…".to_owned(),
            Some("all of the topics is searched already"),
        ),
    };
    let hint = "Search from the beginning to the end, in all partitions, with the same filters";
    if item(ui, &text, why_not, hint) {
        let topics = topics_of(&request.partitions);
        let scope = Scope {
            partitions: all_of(&topics, &cx.snapshot.inventory),
            span: TableSpan::All,
            words: String::new(),
        };
        begin_again(cx, &scope, &request);
    }
}

/// Reading without a limit, which is asked for first.
fn full_speed(ui: &mut Ui, cx: &mut Cx<'_>, view: &SearchView) {
    if let Some(limit) = view.bytes_per_second_at_most {
        let hint = format!(
            "This search reads at most {}/s, so that the brokers have time for others",
            format::size(limit)
        );
        if item(ui, "Full speed…", None, &hint) {
            cx.push(Msg::Search(SearchMsg::AskFullSpeed(true)));
        }
    }
}

fn full_speed_confirmed(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.colored_label(
        cx.tokens.warning,
        egui::RichText::new("Read as fast as the brokers give?").font(fonts::small()),
    );
    if item(
        ui,
        "Full speed",
        None,
        "Without a limit, for the rest of this search",
    ) {
        cx.push(Msg::Search(SearchMsg::Control(SearchControl::FullSpeed)));
    }
    if item(ui, "Keep the limit", None, "Go on as before") {
        cx.push(Msg::Search(SearchMsg::AskFullSpeed(false)));
    }
}

impl SearchPanel {
    /// What the button to search more is called; `None` when all of the topics is searched. Worked out once for each
    /// view, because there may be many partitions.
    fn wider(&mut self, view: &Arc<SearchView>, inventory: &Arc<Inventory>) -> Option<String> {
        let is_same = self.wider.as_ref().is_some_and(|(of, topics, _)| {
            of.request == view.request && Arc::ptr_eq(topics, inventory)
        });
        if !is_same {
            let text = view
                .request
                .as_ref()
                .and_then(|request| wider(request, inventory));
            self.wider = Some((Arc::clone(view), Arc::clone(inventory), text));
        }
        self.wider.as_ref().and_then(|(_, _, text)| text.clone())
    }
}

fn wider(request: &SearchRequest, inventory: &Inventory) -> Option<String> {
    let topics = topics_of(&request.partitions);
    let all: Vec<TopicPartition> = all_of(&topics, inventory);
    if request.span == TableSpan::All && all.len() <= request.partitions.len() {
        return None;
    }
    Some(match topics.as_slice() {
        [topic] if topic.len() <= 24 => format!("Search all of {topic}…"),
        [_] => "Search all of the topic…".to_owned(),
        _ => format!(
            "Search all of {}…",
            if all.is_empty() {
                topics_said(&request.partitions)
            } else {
                format::counted(u64_from_usize(topics.len()), "topic", "topics")
            }
        ),
    })
}
