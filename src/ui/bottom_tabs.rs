//! The tabs below the timeline.

use egui::{Align2, EventFilter, Id, Key, Modifiers, Rect, Role, Ui, WidgetInfo, pos2, vec2};

use super::commands::{self, Action};
use super::context::Cx;
use super::state::{BottomTab, Msg};
use super::{draw, findings_panel, fonts, group_view, journal_panel, rewind_panel};

/// Room between tabs.
const GAP: f32 = 4.0;
/// Room at both sides of a title.
const SIDE: f32 = 10.0;

/// Draws the tabs in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    ui.painter()
        .hline(area.x_range(), area.bottom() - 0.5, cx.tokens.hairline());
    follow(ui, cx);
    let mut left = area.left() + 8.0;
    for tab in BottomTab::ALL {
        let is_open = cx.state.tab == tab;
        let title = title(ui, cx, tab);
        let color = if is_open {
            cx.tokens.text
        } else {
            cx.tokens.dim
        };
        let room = (area.right() - left - 2.0 * SIDE).max(0.0);
        let galley =
            draw::fitted_in_middle(ui.painter(), &title, fonts::text(), color, room.min(320.0));
        let rect = Rect::from_min_size(
            pos2(left, area.top()),
            vec2(galley.size().x + 2.0 * SIDE, area.height()),
        );
        left = rect.right() + GAP;
        let sense = draw::list_item_sense(ui, id(tab), is_open);
        let response = ui.interact(rect, id(tab), sense);
        response.widget_info(|| WidgetInfo::selected(Role::Tab, true, is_open, title.as_str()));
        draw::galley(ui.painter(), rect.center(), Align2::CENTER_CENTER, galley);
        if is_open || response.hovered() {
            let line = if is_open {
                cx.tokens.accent
            } else {
                cx.tokens.line
            };
            let under = Rect::from_min_max(pos2(rect.left(), rect.bottom() - 2.0), rect.max);
            ui.painter().rect_filled(under, 0, line);
        }
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(ui.painter(), cx.tokens, rect);
            }
            arrows(ui, cx, tab);
        }
        if response.clicked() {
            cx.push(Msg::ShowTab(tab));
            response.request_focus();
        }
        if let Some(keys) = action(tab).keys().first() {
            response.on_hover_text(commands::shown(ui.ctx(), *keys));
        }
    }
}

/// The focus follows into the tabs of group and journal, so that Tab leads on into their tables.
fn follow(ui: &Ui, cx: &Cx<'_>) {
    let key = Id::unique("tab shown last");
    let shown = ui.data(|data| data.get_temp::<BottomTab>(key));
    if shown != Some(cx.state.tab) {
        ui.data_mut(|data| data.insert_temp(key, cx.state.tab));
        if shown.is_some()
            && matches!(
                cx.state.tab,
                BottomTab::Group | BottomTab::Rewind | BottomTab::Gaps | BottomTab::Journal
            )
        {
            ui.memory_mut(|memory| memory.request_focus(id(cx.state.tab)));
        }
    }
}

fn title(ui: &Ui, cx: &Cx<'_>, tab: BottomTab) -> String {
    match tab {
        BottomTab::Records => "Records".to_owned(),
        BottomTab::Group => group_view::tab_title(cx),
        BottomTab::Rewind => rewind_panel::tab_title(cx),
        BottomTab::Gaps => findings_panel::tab_title(ui, cx),
        BottomTab::Journal => journal_panel::tab_title(ui, cx),
    }
}

/// The command that opens `tab`.
fn action(tab: BottomTab) -> Action {
    match tab {
        BottomTab::Records => Action::Records,
        BottomTab::Group => Action::Group,
        BottomTab::Rewind => Action::Rewind,
        BottomTab::Gaps => Action::Gaps,
        BottomTab::Journal => Action::Journal,
    }
}

/// Left and right go to the tabs beside.
fn arrows(ui: &Ui, cx: &mut Cx<'_>, tab: BottomTab) {
    let filter = EventFilter {
        horizontal_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(id(tab), filter));
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let here = BottomTab::ALL.iter().position(|other| *other == tab);
    let there = if pressed(Key::ArrowRight) {
        here.and_then(|here| here.checked_add(1))
    } else if pressed(Key::ArrowLeft) {
        here.and_then(|here| here.checked_sub(1))
    } else {
        None
    };
    if let Some(next) = there.and_then(|index| BottomTab::ALL.get(index)) {
        ui.memory_mut(|memory| memory.request_focus(id(*next)));
        cx.push(Msg::ShowTab(*next));
    }
}

fn id(tab: BottomTab) -> Id {
    Id::unique(("bottom tab", tab))
}
