//! What can be pressed: as what a part is shown, and the way from one section to another.

use egui::{
    Align2, CornerRadius, EventFilter, Id, Key, Modifiers, Rect, Role, Sense, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};

use crate::decode::rows::Form;

use super::super::context::Cx;
use super::super::num::u64_from_usize;
use super::super::scroll::RowScroll;
use super::super::state::detail::{Look, Part, Section};
use super::super::state::{DetailMsg, Msg};
use super::super::tokens::size;
use super::super::{draw, fonts, format};
use super::document::Document;
use super::part::{PartView, name_of};

/// What a part is called.
pub(super) fn part_name(part: Part) -> &'static str {
    match part {
        Part::Value => "value",
        Part::Key => "key",
    }
}

/// Why a part cannot be shown as `look`; `None` when it can.
fn why_not(view: &PartView, look: Look) -> Option<String> {
    (look == Look::Raw(Form::Json))
        .then(|| view.no_json())
        .flatten()
}

/// As what a part can be shown, at the right of `rect`. How much of it that takes.
pub(super) fn looks(ui: &Ui, cx: &mut Cx<'_>, rect: Rect, part: Part, view: &PartView) -> f32 {
    let Some(current) = view.look() else {
        return 0.0;
    };
    let tokens = cx.tokens;
    let painter = ui.painter();
    let offered: Vec<_> = view
        .looks()
        .map(|look| {
            let color = if look == current {
                tokens.text
            } else {
                tokens.dim
            };
            let text = name_of(look);
            let galley = draw::fitted(painter, text, fonts::small(), color, f32::INFINITY);
            (look, galley)
        })
        .collect();
    let width: f32 = offered
        .iter()
        .map(|(_, galley)| galley.size().x + 14.0)
        .sum();
    let whole = Rect::from_min_max(
        pos2(rect.right() - width, rect.center().y - 9.0),
        pos2(rect.right(), rect.center().y + 9.0),
    );
    let mut left = whole.left();
    for (look, galley) in offered {
        let cell = Rect::from_min_size(
            pos2(left, whole.top()),
            vec2(galley.size().x + 14.0, whole.height()),
        );
        left = cell.right();
        let id = look_id(part, look);
        let is_current = look == current;
        let none = why_not(view, look);
        let response = ui.interact(cell, id, draw::list_item_sense(ui, id, is_current));
        let name = format!("{} of the {}", name_of(look), part_name(part));
        response.widget_info(|| {
            WidgetInfo::selected(Role::RadioButton, none.is_none(), is_current, &name)
        });
        if is_current {
            painter.rect_filled(cell, CornerRadius::same(3), tokens.line);
        } else if response.hovered() && none.is_none() {
            painter.rect_filled(cell, CornerRadius::same(3), tokens.raised);
        }
        draw::galley(painter, cell.center(), Align2::CENTER_CENTER, galley);
        if none.is_some() {
            let line = [
                cell.left_center() + vec2(6.0, 0.0),
                cell.right_center() - vec2(6.0, 0.0),
            ];
            painter.line_segment(line, egui::Stroke::new(1.0, tokens.faint));
        }
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(painter, tokens, cell);
            }
            look_keys(ui, cx, part, look, view);
        }
        if response.clicked() && none.is_none() {
            cx.push(Msg::Detail(DetailMsg::Look(part, look)));
            response.request_focus();
        }
        if let Some(why) = none {
            response.on_hover_text(why);
        }
    }
    painter.rect_stroke(
        whole,
        CornerRadius::same(size::RADIUS),
        tokens.hairline(),
        StrokeKind::Outside,
    );
    width + 8.0
}

fn look_keys(ui: &Ui, cx: &mut Cx<'_>, part: Part, look: Look, view: &PartView) {
    let filter = EventFilter {
        horizontal_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(look_id(part, look), filter));
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let step = match (pressed(Key::ArrowLeft), pressed(Key::ArrowRight)) {
        (true, false) => -1,
        (false, true) => 1,
        _ => return,
    };
    let offered: Vec<Look> = view
        .looks()
        .filter(|look| why_not(view, *look).is_none())
        .collect();
    let next = offered
        .iter()
        .position(|offered| *offered == look)
        .and_then(|at| at.checked_add_signed(step))
        .and_then(|at| offered.get(at));
    if let Some(next) = next {
        ui.memory_mut(|memory| memory.request_focus(look_id(part, *next)));
        cx.push(Msg::Detail(DetailMsg::Look(part, *next)));
    }
}

fn look_id(part: Part, look: Look) -> Id {
    Id::unique(("look of a part", part, look))
}

/// The way to each section, in a row. `at` is the section at the upper edge.
pub(super) fn jumps(
    ui: &Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    document: &Document,
    at: Section,
    headers: usize,
) {
    let tokens = cx.tokens;
    let headers = format!("Headers {}", format::count(u64_from_usize(headers)));
    let ways = [
        (Section::Readers, "Who read it", "Go to who read it"),
        (Section::Value, "Value", "Go to the value"),
        (Section::Key, "Key", "Go to the key"),
        (Section::Headers, headers.as_str(), "Go to the headers"),
    ];
    let mut left = rect.left();
    for (section, text, name) in ways {
        let is_here = section == at || (section == Section::Readers && at == Section::Facts);
        let room = (rect.right() - left).max(0.0);
        let color = if is_here { tokens.text } else { tokens.dim };
        let galley = draw::fitted(ui.painter(), text, fonts::small(), color, room);
        let place =
            Rect::from_min_size(pos2(left, rect.top()), vec2(galley.size().x, rect.height()));
        left = place.right() + 14.0;
        let id = Id::unique(("way to a section", section));
        let response = ui.interact(place, id, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Link, true, name));
        draw::galley(
            ui.painter(),
            place.left_center(),
            Align2::LEFT_CENTER,
            galley,
        );
        if is_here || response.hovered() {
            let color = if is_here { tokens.accent } else { tokens.faint };
            let line = egui::Stroke::new(1.5, color);
            ui.painter()
                .hline(place.x_range(), place.bottom() - 1.0, line);
        }
        if response.has_focus() && cx.keys_lead {
            draw::focus_ring(ui.painter(), tokens, place.expand2(vec2(4.0, 0.0)));
        }
        if response.clicked() {
            let row = if section == Section::Readers {
                0
            } else {
                document.start_of(section)
            };
            cx.push(Msg::Detail(DetailMsg::Scroll(RowScroll {
                row,
                hidden: 0.0,
            })));
        }
    }
}
