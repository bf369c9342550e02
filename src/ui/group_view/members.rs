//! The members of a group: who they are and what they are to read.

use egui::{Align2, EventFilter, Id, Painter, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::decode::visible::one_line;
use crate::model::{Group, Member, Text};

use super::super::context::Cx;
use super::super::num::{u64_from_usize, usize_from_u64};
use super::super::scroll::{self, RowScroll, Rows};
use super::super::state::{GroupMsg, Msg};
use super::super::tokens::size;
use super::super::{draw, fonts, format, glossary};
use super::facts::{assigned, assigned_count};

/// Height of the title.
const TITLE: f32 = 22.0;
/// Height of a member.
const ROW: f32 = 38.0;

/// The height that all of them would take.
pub fn wanted_height(group: &Group) -> f32 {
    let count = members(group).map_or(1, <[Member]>::len).max(1);
    TITLE + ROW * super::super::num::f32_from_count(count)
}

fn members(group: &Group) -> Result<&[Member], String> {
    match &group.members {
        Err(problem) => Err(problem.to_string()),
        Ok(members) => match &members.members {
            Ok(members) => Ok(members),
            Err(problem) => Err(problem.to_string()),
        },
    }
}

/// Draws them in `area`.
pub fn show(ui: &Ui, cx: &mut Cx<'_>, area: Rect, group: &Group) {
    let title = Rect::from_min_size(area.min, vec2(area.width(), TITLE));
    let list = Rect::from_min_max(pos2(area.left(), title.bottom()), area.max);
    let (members, count, said) = match members(group) {
        Ok([]) => (&[][..], "0".to_owned(), Some("No members".to_owned())),
        Ok(members) => (members, format::count(u64_from_usize(members.len())), None),
        Err(reason) => (
            &[][..],
            "—".to_owned(),
            Some(format!("Members not known: {reason}")),
        ),
    };
    let heading = format!("MEMBERS  {count}");
    let heading = draw::text(
        ui.painter(),
        pos2(title.left() + 10.0, title.center().y),
        Align2::LEFT_CENTER,
        &heading,
        fonts::small(),
        cx.tokens.faint,
        title.width(),
    );
    ui.interact(heading, Id::unique("members heading"), Sense::hover())
        .on_hover_text(glossary::hint("member").unwrap_or_default());
    if let Some(said) = said {
        say(ui, cx, list, &said);
        return;
    }
    let height = |_| ROW;
    let rows = Rows {
        count: u64_from_usize(members.len()),
        height: &height,
        viewport: list.height(),
    };
    let scroll = rows.clamped(cx.state.group_view.members_scroll);
    let painter = ui.painter().with_clip_rect(list);
    let visible = rows.visible(scroll);
    let focused = |id: Id| ui.memory(|memory| memory.has_focus(id));
    let ids = |row: u64| {
        members
            .get(usize_from_u64(row))
            .map(|member| row_id(&member.member_id))
    };
    let tab_stop = visible
        .iter()
        .map(|(row, _)| *row)
        .find(|row| ids(*row).is_some_and(focused))
        .or_else(|| visible.first().map(|(row, _)| *row));
    for (row, top) in &visible {
        let Some(member) = members.get(usize_from_u64(*row)) else {
            continue;
        };
        let rect = Rect::from_min_size(
            pos2(list.left(), list.top() + top),
            vec2(list.width() - size::SCROLL_BAR, ROW),
        );
        let on_screen = rect.intersect(list);
        let id = row_id(&member.member_id);
        let sense = draw::list_item_sense(ui, id, tab_stop == Some(*row));
        let response = ui.interact(on_screen, id, sense);
        let words = Words::of(member);
        response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, words.spoken()));
        if response.hovered() {
            painter.rect_filled(rect, 0, cx.tokens.raised);
        }
        paint(&painter, cx, rect, &words);
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(&painter, cx.tokens, on_screen);
            }
            keys(ui, cx, members, &rows, scroll, *row);
        }
        if response.clicked() {
            response.request_focus();
        }
        response.on_hover_text(words.all());
    }
    scrolling(ui, cx, list, &rows, scroll);
}

/// Says what stands in place of members.
fn say(ui: &Ui, cx: &Cx<'_>, list: Rect, said: &str) {
    let painter = ui.painter().with_clip_rect(list);
    let color = cx.tokens.dim;
    let galley = painter.layout(said.to_owned(), fonts::text(), color, list.width() - 20.0);
    let rect = Rect::from_min_size(list.min + vec2(10.0, 2.0), galley.size());
    painter.galley(rect.min, galley, color);
    let response = ui.interact(rect, Id::unique("group members said"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, said));
}

/// What is said of a member.
struct Words {
    client: String,
    host: String,
    member: String,
    instance: Option<String>,
    assigned: String,
    count: String,
}

impl Words {
    fn of(member: &Member) -> Self {
        let text = |text: &Text| one_line(text.as_bytes(), 200);
        Self {
            client: text(&member.client_id),
            host: text(&member.host),
            member: text(&member.member_id),
            instance: member.instance_id.as_ref().map(text),
            assigned: format!("reads {}", assigned(&member.assignment)),
            count: assigned_count(&member.assignment),
        }
    }

    fn instance(&self) -> String {
        self.instance.as_ref().map_or_else(
            || "no instance id".to_owned(),
            |instance| format!("instance {instance}"),
        )
    }

    fn spoken(&self) -> String {
        format!(
            "Member {}, host {}, id {}, {}, {}",
            self.client,
            self.host,
            self.member,
            self.instance(),
            self.assigned
        )
    }

    fn all(&self) -> String {
        format!(
            "Client id {}\nHost {}\nMember id {}\nInstance id {}\nPartitions assigned: {}, {}",
            self.client,
            self.host,
            self.member,
            self.instance.as_deref().unwrap_or("none"),
            self.count,
            self.assigned
        )
    }
}

fn paint(painter: &Painter, cx: &Cx<'_>, rect: Rect, words: &Words) {
    let (left, right) = (rect.left() + 10.0, rect.right() - 8.0);
    let width = right - left;
    let (upper, lower) = (rect.top() + 11.0, rect.top() + 27.0);
    let line = |y: f32, first: (&str, egui::Color32), second: (&str, egui::Color32)| {
        let end = draw::text(
            painter,
            pos2(right, y),
            Align2::RIGHT_CENTER,
            second.0,
            fonts::small_data(),
            second.1,
            width * 0.5,
        );
        draw::text(
            painter,
            pos2(left, y),
            Align2::LEFT_CENTER,
            first.0,
            fonts::small_data(),
            first.1,
            end.left() - left - 10.0,
        );
    };
    let tokens = cx.tokens;
    let below = match &words.instance {
        Some(_) => format!("{} · {}", words.instance(), words.member),
        None => words.member.clone(),
    };
    line(
        upper,
        (&words.client, tokens.text),
        (&words.host, tokens.dim),
    );
    line(lower, (&words.assigned, tokens.dim), (&below, tokens.faint));
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        egui::Stroke::new(1.0, tokens.line.gamma_multiply(0.5)),
    );
}

fn keys(
    ui: &Ui,
    cx: &mut Cx<'_>,
    members: &[Member],
    rows: &Rows<'_>,
    scroll: RowScroll,
    row: u64,
) {
    let Some(member) = members.get(usize_from_u64(row)) else {
        return;
    };
    let filter = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    let id = row_id(&member.member_id);
    ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    let target = scroll::stepped(ui, row, rows.count, rows.page(scroll));
    if target != row
        && let Some(next) = members.get(usize_from_u64(target))
    {
        ui.memory_mut(|memory| memory.request_focus(row_id(&next.member_id)));
        let to = rows.revealing(scroll, target);
        cx.push(Msg::Group(GroupMsg::ScrollMembers(to)));
    }
}

fn scrolling(ui: &Ui, cx: &mut Cx<'_>, list: Rect, rows: &Rows<'_>, scroll: RowScroll) {
    let id = Id::unique("group members scroll");
    if let Some(to) = scroll::wheel_and_bar(ui, cx.tokens, id, list, rows, scroll) {
        cx.push(Msg::Group(GroupMsg::ScrollMembers(to)));
    }
}

fn row_id(member: &Text) -> Id {
    Id::unique(("group member", member))
}
