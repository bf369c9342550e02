//! What is written over the lanes, always on an opaque pill.

use egui::{Painter, pos2};

use crate::model::time::format_duration;

use super::super::super::format::{self, Precision};
use super::super::super::num::f64_from_i64;
use super::super::super::tokens::size;
use super::super::super::{draw, fonts};
use super::super::cache::{Knowledge, LaneData};
use super::super::cursors::{Beginning, Standing};
use super::super::layout::LaneSlot;
use super::super::model::Lane;
use super::Scene;
use super::room::Room;

impl Scene<'_> {
    /// Why nothing is drawn in a lane of which nothing can be known: an empty lane would say that nothing is there.
    pub(super) fn unknown_label(&self, painter: &Painter, slot: &LaneSlot, data: &LaneData) {
        let Knowledge::Nothing(reason) = &data.knowledge else {
            return;
        };
        let lane = self.geometry.lane_rect(slot);
        let text = format!("not known: {reason}");
        let color = self.tokens.warning;
        let galley = draw::fitted(painter, &text, fonts::small(), color, lane.width() - 32.0);
        draw::pill(
            painter,
            self.tokens,
            pos2(lane.left() + 8.0, lane.center().y),
            galley,
        );
    }

    pub(super) fn deleted_label(
        &self,
        painter: &Painter,
        slot: &LaneSlot,
        data: &LaneData,
        room: &Room,
    ) {
        let Some(deleted) = &data.deleted else { return };
        let lane = self.geometry.lane_rect(slot);
        let before = f64_from_i64(deleted.before.place());
        let right = self.geometry.axis.x_near(before).min(lane.right());
        let time = match deleted.before {
            Beginning::Offset { offset, .. } => format::offset(offset),
            Beginning::Time(before) => {
                let time = format::time_of_day(before, self.zone, Precision::Minutes);
                if format::same_day(before, self.geometry.axis.range().to(), self.zone) {
                    time
                } else {
                    format!("{} {time}", format::short_date(before, self.zone))
                }
            }
        };
        let mut texts = vec![format!("deleted before {time}"), "deleted".to_owned()];
        if let (Some(lost), Some(name)) = (deleted.unread, self.chosen) {
            let lost = format::count(lost);
            texts.insert(0, format!("{name} lost {lost}"));
            texts.insert(0, format!("deleted before {time} — {name} lost {lost}"));
        }
        // The longest that fits.
        let at = pos2(lane.left() + 8.0, lane.center().y);
        for text in texts {
            let galley = draw::fitted(
                painter,
                &text,
                fonts::small(),
                self.tokens.dim,
                f32::INFINITY,
            );
            let width = draw::pill_rect(at, &galley).width();
            if let Some(x) = room.right_of(at.x, width, right - 4.0) {
                draw::pill(painter, self.tokens, pos2(x, at.y), galley);
                break;
            }
        }
    }

    /// What the chosen group is behind in a topic, beside its flag.
    pub(super) fn lag_label(
        &self,
        painter: &Painter,
        slot: &LaneSlot,
        lane: &Lane,
        data: &LaneData,
        room: &Room,
    ) {
        if !lane.is_topic() {
            return;
        }
        let Some(cursor) = self
            .chosen_cursor(data)
            .and_then(|index| data.cursors.get(index))
        else {
            return;
        };
        let Some(behind) = cursor.lag.records.filter(|records| *records > 0) else {
            return;
        };
        let bound = if cursor.lag.incomplete {
            "at least "
        } else {
            ""
        };
        let mut text = format!("{}: {bound}{} behind", cursor.name, format::count(behind));
        if let (Some(delay), Standing::At { .. }) =
            (cursor.delay_ms.filter(|delay| *delay > 0), cursor.at)
        {
            text = format!("{text}, {}", format_duration(delay));
        }
        let hue = self.tokens.hue(&cursor.name);
        let galley = draw::fitted(painter, &text, fonts::small(), hue, 320.0);
        let lane_rect = self.geometry.lane_rect(slot);
        let x = self.cursor_x(cursor);
        let y = lane_rect.top() + size::CHIP / 2.0 + 1.0;
        let width = draw::pill_rect(pos2(0.0, 0.0), &galley).width();
        let is_near = x >= lane_rect.left() - 6.0;
        let right_of_it = room
            .right_of(x + size::CHIP + 2.0, width, lane_rect.right() - 2.0)
            .filter(|left| is_near && *left < x + 6.0 * size::CHIP);
        let end = x.min(lane_rect.right()) - 6.0;
        let at = right_of_it.or_else(|| room.left_of(end, width, lane_rect.left()));
        if let Some(left) = at {
            draw::pill(painter, self.tokens, pos2(left, y), galley);
        }
    }
}
