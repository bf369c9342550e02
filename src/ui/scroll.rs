//! Scrolling by rows: exact at any row of any number of them.
//!
//! A position in pixels as `f32` stands still somewhere beyond a million rows. Here it is the number of the
//! first row on screen and how many pixels of it are hidden.

use egui::{CornerRadius, Id, Key, Modifiers, Rect, Role, Sense, Ui, WidgetInfo, pos2};

use super::num::{f32_from_f64, u64_from_f64, u64_from_usize};
use super::tokens::{Tokens, size};

/// Where a list is scrolled to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowScroll {
    /// The first row of which something is seen.
    pub row: u64,
    /// How many points of it are hidden above the edge.
    pub hidden: f32,
}

/// A list that is scrolled: how many rows, how high each is, and how much of them is seen.
pub struct Rows<'a> {
    /// How many rows there are.
    pub count: u64,
    /// The height of a row in points; greater than 0.
    pub height: &'a dyn Fn(u64) -> f32,
    /// Height of what is seen in points.
    pub viewport: f32,
}

impl Rows<'_> {
    /// The last position: the end of the last row at the lower edge. The first when everything fits.
    fn last(&self) -> RowScroll {
        let mut room = self.viewport;
        for row in (0..self.count).rev() {
            let height = (self.height)(row);
            if height >= room {
                return RowScroll {
                    row,
                    hidden: height - room,
                };
            }
            room -= height;
        }
        RowScroll::default()
    }

    /// The rows on screen at `scroll`, each with the distance of its upper edge from the top.
    pub fn visible(&self, scroll: RowScroll) -> Vec<(u64, f32)> {
        let mut rows = Vec::new();
        let mut top = -scroll.hidden;
        for row in scroll.row..self.count {
            if top >= self.viewport {
                break;
            }
            rows.push((row, top));
            top += (self.height)(row);
        }
        rows
    }

    /// `scroll` kept within the list.
    pub fn clamped(&self, scroll: RowScroll) -> RowScroll {
        let last = self.last();
        if (scroll.row, scroll.hidden) > (last.row, last.hidden) {
            last
        } else {
            scroll
        }
    }

    /// How many rows a screen is, with some that stay in sight.
    pub fn page(&self, scroll: RowScroll) -> u64 {
        u64_from_usize(self.visible(scroll).len().saturating_sub(2)).max(1)
    }

    /// `scroll` moved by `points`, down when positive.
    pub fn moved(&self, scroll: RowScroll, points: f32) -> RowScroll {
        let mut row = scroll.row;
        let mut hidden = scroll.hidden + points;
        while hidden < 0.0 {
            let Some(before) = row.checked_sub(1) else {
                return RowScroll::default();
            };
            row = before;
            hidden += (self.height)(row);
        }
        while row < self.count && hidden >= (self.height)(row) {
            hidden -= (self.height)(row);
            row = row.saturating_add(1);
        }
        self.clamped(RowScroll { row, hidden })
    }

    /// `scroll` moved as little as possible so that all of `row` is seen.
    pub fn revealing(&self, scroll: RowScroll, row: u64) -> RowScroll {
        let row = row.min(self.count.saturating_sub(1));
        if row <= scroll.row {
            return self.clamped(RowScroll { row, hidden: 0.0 });
        }
        let up_to_it = Rows {
            count: row.saturating_add(1),
            height: self.height,
            viewport: self.viewport,
        };
        let lowest = up_to_it.last();
        if (lowest.row, lowest.hidden) > (scroll.row, scroll.hidden) {
            lowest
        } else {
            scroll
        }
    }
}

/// Takes the wheel over `area` and draws a scroll bar at its right; where to scroll to when one of them was moved.
pub fn wheel_and_bar(
    ui: &Ui,
    tokens: &Tokens,
    id: Id,
    area: Rect,
    rows: &Rows<'_>,
    scroll: RowScroll,
) -> Option<RowScroll> {
    let strip = Rect::from_min_max(pos2(area.right() - size::SCROLL_BAR, area.top()), area.max);
    let dragged = bar(ui, tokens, id, strip, rows, scroll);
    dragged.or_else(|| wheel(ui, area, rows, scroll))
}

/// Where the wheel over `area` scrolls to.
pub fn wheel(ui: &Ui, area: Rect, rows: &Rows<'_>, scroll: RowScroll) -> Option<RowScroll> {
    if !ui.rect_contains_pointer(area) {
        return None;
    }
    let points = ui.input(|input| input.smooth_scroll_delta().y);
    (points != 0.0).then(|| rows.moved(scroll, -points))
}

/// The item of `count` to which the pressed keys lead from `item`: one, a screen of `page` items, or all the way.
/// The presses are taken, so that the item that gets the focus does not act on the same ones.
pub fn stepped(ui: &Ui, item: u64, count: u64, page: u64) -> u64 {
    let pressed = |key| {
        let times = ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        u64_from_usize(times)
    };
    let last = count.saturating_sub(1);
    let down = page.saturating_mul(pressed(Key::PageDown));
    let up = page.saturating_mul(pressed(Key::PageUp));
    let mut target = item
        .saturating_add(pressed(Key::ArrowDown))
        .saturating_add(down)
        .min(last)
        .saturating_sub(pressed(Key::ArrowUp))
        .saturating_sub(up);
    if pressed(Key::Home) > 0 {
        target = 0;
    }
    if pressed(Key::End) > 0 {
        target = last;
    }
    target
}

/// A scroll bar at `rect`; the new position when it is dragged. Nothing when everything fits.
pub fn bar(
    ui: &Ui,
    tokens: &Tokens,
    id: Id,
    rect: Rect,
    rows: &Rows<'_>,
    scroll: RowScroll,
) -> Option<RowScroll> {
    let on_screen = rows.visible(scroll).len();
    let shown = f64::from(u32::try_from(on_screen).unwrap_or(u32::MAX));
    let all = to_f64(rows.count);
    if rows.last() == RowScroll::default() || all <= 0.0 {
        return None;
    }
    let length = (rect.height() * f32_from_f64((shown / all).min(1.0)))
        .max(24.0)
        .min(rect.height());
    let travel = (rect.height() - length).max(1.0);
    let last = rows.last();
    let farthest = to_f64(last.row).max(1.0);
    let at = f32_from_f64((to_f64(scroll.row) / farthest).min(1.0));
    let thumb = Rect::from_min_size(
        pos2(rect.left() + 1.0, rect.top() + at * travel),
        egui::vec2(rect.width() - 2.0, length),
    );
    let response = ui.interact(rect, id, Sense::CLICK | Sense::DRAG);
    response.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, "Scroll"));
    let color = if response.hovered() || response.dragged() {
        tokens.faint
    } else {
        tokens.line
    };
    ui.painter()
        .rect_filled(thumb, CornerRadius::same(3), color);
    let pointer = response.interact_pointer_pos()?;
    let fraction = f64::from(((pointer.y - rect.top() - length / 2.0) / travel).clamp(0.0, 1.0));
    Some(if fraction >= 1.0 {
        last
    } else {
        RowScroll {
            row: u64_from_f64(fraction * farthest),
            hidden: 0.0,
        }
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the place of a scroll bar needs no more than 53 bits"
)]
fn to_f64(rows: u64) -> f64 {
    rows as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: u64) -> Rows<'static> {
        Rows {
            count,
            height: &|_| 20.0,
            viewport: 100.0,
        }
    }

    fn at(row: u64, hidden: f32) -> RowScroll {
        RowScroll { row, hidden }
    }

    #[test]
    fn one_point_is_one_point_at_any_row() {
        let list = rows(1_000_000_000_000);
        let mut scroll = at(999_999_999_000, 0.0);
        for _ in 0..10 {
            scroll = list.moved(scroll, 1.0);
        }
        assert_eq!(scroll, at(999_999_999_000, 10.0));
        assert_eq!(list.moved(scroll, 15.0), at(999_999_999_001, 5.0));
        assert_eq!(list.moved(scroll, -15.0), at(999_999_998_999, 15.0));
    }

    #[test]
    fn the_ends_hold() {
        let list = rows(50);
        assert_eq!(list.moved(at(0, 5.0), -40.0), at(0, 0.0));
        assert_eq!(list.moved(at(40, 0.0), 4_000.0), at(45, 0.0));
        assert_eq!(rows(3).moved(at(0, 0.0), 70.0), at(0, 0.0));
        assert_eq!(rows(0).moved(at(7, 3.0), 1.0), at(0, 0.0));
    }

    #[test]
    fn rows_of_different_heights_are_walked() {
        let list = Rows {
            count: 10,
            height: &|row| if row % 2 == 0 { 34.0 } else { 26.0 },
            viewport: 100.0,
        };
        assert_eq!(list.moved(at(0, 0.0), 60.0), at(2, 0.0));
        assert_eq!(list.moved(at(2, 0.0), -26.0), at(1, 0.0));
        assert_eq!(
            list.visible(at(1, 6.0)),
            vec![(1, -6.0), (2, 20.0), (3, 54.0), (4, 80.0)]
        );
    }

    #[test]
    fn a_row_is_revealed_with_the_least_movement() {
        let list = rows(100);
        assert_eq!(list.revealing(at(10, 5.0), 12), at(10, 5.0));
        assert_eq!(list.revealing(at(10, 5.0), 3), at(3, 0.0));
        assert_eq!(list.revealing(at(10, 5.0), 10), at(10, 0.0));
        assert_eq!(list.revealing(at(10, 0.0), 20), at(16, 0.0));
    }
}
