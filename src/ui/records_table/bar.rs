//! The scroll bars of the table: by rank downwards, by points sideways.

use egui::{CornerRadius, Id, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::engine::TablePlace;

use super::super::context::Cx;
use super::super::num::f32_from_f64;
use super::super::state::{Msg, TableMsg};
use super::super::tokens::Tokens;
use super::listing::{BarTarget, Listing, Top, elsewhere};

/// The shortest thumb.
const SHORTEST: f32 = 24.0;

/// How much of a list is above the rows on screen, how much is seen, and how much there is, in offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ranks {
    pub(super) above: f64,
    pub(super) seen: f64,
    pub(super) all: f64,
}

impl Ranks {
    /// Where `place` will be, in the list of `self`, while it is on its way.
    pub(super) fn on_the_way(self, place: &TablePlace, turned: bool) -> Self {
        let farthest = (self.all - self.seen).max(0.0);
        let from_start = match place {
            TablePlace::Start => 0.0,
            TablePlace::End => self.all,
            TablePlace::Rank(rank) => super::listing::to_f64(*rank),
            TablePlace::Time(_) | TablePlace::Record(..) => return self,
        };
        let above = if turned {
            self.all - from_start - 1.0
        } else {
            from_start
        };
        Self {
            above: above.clamp(0.0, farthest),
            ..self
        }
    }
}

/// The bar at the right; `listing` when it is there.
pub(super) fn upright(
    ui: &Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    ranks: Ranks,
    listing: Option<(&Listing<'_>, Top)>,
    turned: bool,
) {
    if ranks.all <= ranks.seen || ranks.all <= 0.0 {
        return;
    }
    let share = f32_from_f64((ranks.seen / ranks.all).clamp(0.0, 1.0));
    let length = (rect.height() * share).max(SHORTEST).min(rect.height());
    let travel = (rect.height() - length).max(1.0);
    let part = ranks.above / (ranks.all - ranks.seen).max(1.0);
    let thumb = Rect::from_min_size(
        pos2(
            rect.left() + 1.0,
            rect.top() + f32_from_f64(part.clamp(0.0, 1.0)) * travel,
        ),
        vec2(rect.width() - 2.0, length),
    );
    let response = ui.interact(rect, Id::unique("table scroll"), Sense::CLICK | Sense::DRAG);
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ScrollBar, true, "Scroll records");
        info.value = Some(part.clamp(0.0, 1.0));
        info
    });
    paint(
        ui,
        cx.tokens,
        thumb,
        response.hovered() || response.dragged(),
    );
    let Some(pointer) = response.interact_pointer_pos() else {
        return;
    };
    // A thumb that is taken hold of is not moved by that.
    let held = Id::unique("table scroll held");
    if response.is_pointer_button_down_on() {
        let is_first = ui.input(|input| input.pointer.any_pressed());
        if is_first {
            let offset = if thumb.contains(pointer) {
                pointer.y - thumb.top()
            } else {
                length / 2.0
            };
            ui.data_mut(|data| data.insert_temp(held, offset));
        }
    }
    let offset = ui.data(|data| data.get_temp(held)).unwrap_or(length / 2.0);
    if thumb.contains(pointer) && !response.dragged() {
        return;
    }
    let wanted = f64::from(((pointer.y - rect.top() - offset) / travel).clamp(0.0, 1.0));
    let target = match listing {
        Some((listing, top)) => listing.bar_target(top, wanted),
        None => BarTarget::Elsewhere(elsewhere(
            wanted,
            wanted * (ranks.all - ranks.seen),
            ranks.all,
            turned,
        )),
    };
    match target {
        BarTarget::Row(top) => {
            if let Some((listing, _)) = listing {
                cx.push(Msg::Table(TableMsg::Scroll(listing.scroll_of(top))));
            }
        }
        BarTarget::Elsewhere(place) => cx.push(Msg::Table(TableMsg::Jump(place, None))),
    }
}

/// The bar at the foot, when the columns are wider than the table.
pub(super) fn level(ui: &Ui, cx: &mut Cx<'_>, rect: Rect, (hidden, farthest): (f32, f32)) {
    if farthest <= 0.0 {
        return;
    }
    let all = rect.width() + farthest;
    let length = (rect.width() * rect.width() / all).max(SHORTEST);
    let travel = (rect.width() - length).max(1.0);
    let thumb = Rect::from_min_size(
        pos2(rect.left() + hidden / farthest * travel, rect.top() + 1.0),
        vec2(length, rect.height() - 2.0),
    );
    let response = ui.interact(
        rect,
        Id::unique("table scroll sideways"),
        Sense::CLICK | Sense::DRAG,
    );
    response.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, "Scroll columns"));
    paint(
        ui,
        cx.tokens,
        thumb,
        response.hovered() || response.dragged(),
    );
    if let Some(pointer) = response.interact_pointer_pos() {
        let part = ((pointer.x - rect.left() - length / 2.0) / travel).clamp(0.0, 1.0);
        cx.push(Msg::Table(TableMsg::Sideways(part * farthest)));
    }
}

fn paint(ui: &Ui, tokens: &Tokens, thumb: Rect, is_lit: bool) {
    let color = if is_lit { tokens.faint } else { tokens.line };
    ui.painter()
        .rect_filled(thumb, CornerRadius::same(3), color);
}
