//! The findings, what costs most first, each in two lines: what, for whom and where; what it means.

use egui::{Align2, Color32, EventFilter, Id, Painter, Rect, Role, Ui, WidgetInfo, pos2, vec2};

use crate::model::{Certainty, Finding};

use super::super::context::Cx;
use super::super::num::{u64_from_usize, usize_from_u64};
use super::super::scroll::{self, RowScroll, Rows};
use super::super::state::{FindingsMsg, Msg};
use super::super::tokens::{Tokens, size};
use super::super::{draw, fonts};
use super::model::FindingsPanel;
use super::words;

/// Height of a finding.
const ROW: f32 = 42.0;

/// The colour of a finding's sign.
pub fn color(tokens: &Tokens, finding: &Finding) -> Color32 {
    match finding.certainty {
        _ if finding.normal => tokens.faint,
        Certainty::Proof => tokens.error,
        Certainty::Strong => tokens.warning,
        Certainty::Hint => tokens.dim,
    }
}

/// Draws the listed findings in `area`; the one in the row `chosen` is shown in detail.
pub fn show(
    ui: &Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    findings: &[Finding],
    panel: &FindingsPanel,
    chosen: usize,
) {
    let listed = panel.listed();
    let height = |_| ROW;
    let rows = Rows {
        count: u64_from_usize(listed.len()),
        height: &height,
        viewport: area.height(),
    };
    let of = |row: u64| {
        let index = listed.get(usize_from_u64(row))?;
        findings.get(*index)
    };
    let scroll = rows.clamped(cx.state.findings.scroll);
    let visible = rows.visible(scroll);
    let chosen = u64_from_usize(chosen);
    let first = visible.first().map(|(row, _)| *row);
    let tab_stop = visible
        .iter()
        .map(|(row, _)| *row)
        .find(|row| *row == chosen)
        .or(first);
    let painter = ui.painter().with_clip_rect(area);
    for (row, top) in &visible {
        let Some(finding) = of(*row) else { continue };
        let rect = Rect::from_min_size(
            pos2(area.left(), area.top() + top),
            vec2(area.width() - size::SCROLL_BAR, ROW),
        );
        let on_screen = rect.intersect(area);
        let id = row_id(&finding.id);
        let sense = draw::list_item_sense(ui, id, tab_stop == Some(*row));
        let response = ui.interact(on_screen, id, sense);
        let is_chosen = *row == chosen;
        let spoken = format!(
            "{}, {}, {}, {}: {}",
            finding.kind.title(),
            finding.certainty.name(),
            words::whom(finding),
            words::place(finding),
            finding.sentence
        );
        response.widget_info(|| WidgetInfo::selected(Role::Row, true, is_chosen, spoken.as_str()));
        if is_chosen {
            painter.rect_filled(rect, 0, cx.tokens.selected);
        } else if response.hovered() {
            painter.rect_filled(rect, 0, cx.tokens.raised);
        }
        paint(&painter, cx, rect, finding);
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(&painter, cx.tokens, on_screen);
            }
            let next = |row| of(row).map(|finding| finding.id.clone());
            keys(ui, cx, id, &rows, scroll, *row, next);
        }
        if response.clicked() {
            cx.push(Msg::Findings(FindingsMsg::Choose(finding.id.clone())));
            response.request_focus();
        }
        response.on_hover_text(spoken);
    }
    let id = Id::unique("findings scroll");
    if let Some(to) = scroll::wheel_and_bar(ui, cx.tokens, id, area, &rows, scroll) {
        cx.push(Msg::Findings(FindingsMsg::Scroll(to)));
    }
}

fn paint(painter: &Painter, cx: &Cx<'_>, rect: Rect, finding: &Finding) {
    let tokens = cx.tokens;
    let (upper, lower) = (rect.top() + 13.0, rect.top() + 30.0);
    let left = rect.left() + 12.0;
    let right = rect.right() - 8.0;
    draw::text(
        painter,
        pos2(left, upper),
        Align2::LEFT_CENTER,
        words::sign(finding.certainty),
        fonts::text(),
        color(tokens, finding),
        16.0,
    );
    let count = draw::text(
        painter,
        pos2(right, upper),
        Align2::RIGHT_CENTER,
        &words::records(finding),
        fonts::small_data(),
        tokens.dim,
        rect.width() * 0.3,
    );
    let text_left = left + 20.0;
    let whom = words::whom(finding);
    let place = words::place(finding);
    let hue = finding
        .concerns
        .group()
        .map_or(tokens.dim, |group| tokens.hue(group));
    let pieces = [
        (finding.kind.title(), fonts::strong(), tokens.text),
        ("   ", fonts::small(), tokens.dim),
        (whom.as_str(), fonts::text(), hue),
        ("   ", fonts::small(), tokens.dim),
        (place.as_str(), fonts::small_data(), tokens.dim),
    ];
    let galley = draw::pieces(painter, &pieces, count.left() - text_left - 10.0);
    draw::galley(painter, pos2(text_left, upper), Align2::LEFT_CENTER, galley);
    draw::text(
        painter,
        pos2(text_left, lower),
        Align2::LEFT_CENTER,
        &finding.sentence,
        fonts::small(),
        tokens.dim,
        right - text_left,
    );
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        egui::Stroke::new(1.0, tokens.line.gamma_multiply(0.5)),
    );
}

fn keys(
    ui: &Ui,
    cx: &mut Cx<'_>,
    id: Id,
    rows: &Rows<'_>,
    scroll: RowScroll,
    row: u64,
    of: impl Fn(u64) -> Option<String>,
) {
    let filter = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    let target = scroll::stepped(ui, row, rows.count, rows.page(scroll));
    if target != row
        && let Some(next) = of(target)
    {
        ui.memory_mut(|memory| memory.request_focus(row_id(&next)));
        cx.push(Msg::Findings(FindingsMsg::Choose(next)));
        cx.push(Msg::Findings(FindingsMsg::Scroll(
            rows.revealing(scroll, target),
        )));
    }
}

fn row_id(finding: &str) -> Id {
    Id::unique(("finding", finding))
}
