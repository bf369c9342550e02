//! The row of the chosen group, and the edge below the lanes that stay on top.

use egui::{Painter, Rangef, Rect, pos2, vec2};

use super::super::super::num::f64_from_i64;
use super::super::super::tokens::size;
use super::super::super::{draw, fonts, format};
use super::super::cursors::Standing;
use super::super::group_band::Band;
use super::Scene;

impl Scene<'_> {
    /// The chosen group over everything that it reads: a band from its least to its most advanced partition.
    pub(super) fn group_row(&self, painter: &Painter) {
        let row = self.geometry.group_row;
        let (Some(name), true) = (self.chosen, row.is_positive()) else {
            return;
        };
        let (tokens, hue) = (self.tokens, self.tokens.hue(name));
        let lanes = Rect::from_x_y_ranges(self.geometry.lanes.x_range(), row.y_range());
        let labels = Rect::from_x_y_ranges(self.geometry.labels.x_range(), row.y_range());
        let painter = painter.with_clip_rect(row);
        painter.rect_filled(labels, 0, tokens.panel);
        painter.hline(row.x_range(), row.bottom() - 0.5, tokens.hairline());
        let chip = Rect::from_center_size(
            pos2(labels.left() + 15.0, row.center().y),
            vec2(size::CHIP, size::CHIP),
        );
        draw::chip(&painter, tokens, chip, &self.marks.of(name), hue);
        let shown = format::group_name(name, 60);
        let room = labels.right() - chip.right() - 16.0;
        let named = draw::fitted_in_middle(&painter, &shown, fonts::text(), tokens.text, room);
        let at = pos2(chip.right() + 8.0, row.center().y);
        draw::galley(&painter, at, egui::Align2::LEFT_CENTER, named);
        let painter = painter.with_clip_rect(lanes);
        match self.cache.band().band() {
            Some(band) => self.band(&painter, lanes, band, hue),
            None => draw::progress(&painter, tokens, lanes, None),
        }
    }

    fn band(&self, painter: &Painter, lanes: Rect, band: &Band, hue: egui::Color32) {
        let tokens = self.tokens;
        let x_of = |at: Standing| match at.place() {
            Some(place) => self.geometry.axis.x_near(f64_from_i64(place)),
            None => self.geometry.axis.x_clamped(self.now),
        };
        let text = band_text(band);
        let galley = draw::fitted(
            painter,
            &text,
            fonts::small(),
            tokens.dim,
            lanes.width() - 24.0,
        );
        let width = draw::pill_rect(pos2(0.0, 0.0), &galley).width();
        let (Some(least), Some(most)) = (&band.least, &band.most) else {
            draw::pill(
                painter,
                tokens,
                pos2(lanes.left() + 6.0, lanes.center().y),
                galley,
            );
            return;
        };
        let x = Rangef::new(x_of(least.at), x_of(most.at).max(x_of(least.at) + 2.0));
        let y = Rangef::new(lanes.center().y - 4.0, lanes.center().y + 4.0);
        let rect = Rect::from_x_y_ranges(x, y);
        painter.rect_filled(rect, 2, hue.gamma_multiply(0.35));
        for edge in [x.min, x.max] {
            let line = Rect::from_center_size(pos2(edge, lanes.center().y), vec2(2.0, 16.0));
            painter.rect_filled(line, 0, hue);
        }
        let at = words_at(x, lanes.x_range(), width);
        draw::pill(painter, tokens, pos2(at, lanes.center().y), galley);
    }

    /// A stronger line below the lanes that stay on top.
    pub(super) fn pinned_edge(&self, painter: &Painter) {
        let (labels, pinned) = (self.geometry.pinned_labels, self.geometry.pinned);
        if pinned.is_positive() {
            let x = Rangef::new(labels.left(), pinned.right());
            let line =
                Rect::from_x_y_ranges(x, Rangef::new(pinned.bottom() - 2.0, pinned.bottom()));
            painter.rect_filled(line, 0, self.tokens.line);
        }
    }
}

/// Where words of a `width` begin: beside the `band` where there is room, at the edge that is nearer when it is off
/// the screen, and on it where it leaves no room on either side.
fn words_at(band: Rangef, lanes: Rangef, width: f32) -> f32 {
    let left_of_it = band.min - 8.0 - width;
    if left_of_it >= lanes.min {
        return left_of_it.min(lanes.max - width - 6.0);
    }
    let right_of_it = (band.max + 8.0).max(lanes.min + 6.0);
    if right_of_it + width <= lanes.max {
        right_of_it
    } else {
        (band.min + 8.0).max(lanes.min + 6.0).min(lanes.max - width)
    }
}

/// How far behind the group is over all that it reads.
fn band_text(band: &Band) -> String {
    let count = |value: usize| super::super::super::num::u64_from_usize(value);
    let over = format::counted(
        count(band.placed.saturating_add(band.unknown)),
        "partition",
        "partitions",
    );
    let behind = match (band.lag.records, band.lag.incomplete) {
        (Some(0), false) => "has read everything".to_owned(),
        (Some(records), false) => format!("{} behind", format::count(records)),
        (Some(records), true) => format!("at least {} behind", format::count(records)),
        (None, _) if band.placed == 0 && band.unknown == 0 => {
            return band.problem.as_ref().map_or_else(
                || "never committed anything".to_owned(),
                |problem| format!("— its committed offsets are not known: {problem}"),
            );
        }
        (None, _) => "how far behind is not known".to_owned(),
    };
    let unknown = if band.unknown > 0 {
        format!(
            ", {} without a known place",
            format::count(count(band.unknown))
        )
    } else {
        String::new()
    };
    format!("{behind} over {over}{unknown}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::lag::TotalLag;
    use crate::model::{Problem, ProblemKind};

    #[test]
    fn words_stand_beside_a_band_or_on_it() {
        let lanes = Rangef::new(200.0, 1_000.0);
        let at = |from, to| words_at(Rangef::new(from, to), lanes, 100.0);
        let is = |at: f32, wanted: f32| assert!((at - wanted).abs() < 1e-3, "{at} {wanted}");
        is(at(500.0, 600.0), 392.0);
        is(at(250.0, 600.0), 608.0);
        // It leaves no room on either side.
        is(at(210.0, 990.0), 218.0);
        is(at(-5_000.0, 5_000.0), 206.0);
        // Off the screen.
        is(at(2_000.0, 2_100.0), 894.0);
        is(at(-50.0, 20.0), 206.0);
    }

    #[test]
    fn a_band_says_how_far_behind_and_what_is_not_known() {
        let mut band = Band {
            placed: 3,
            lag: TotalLag {
                records: Some(12_408),
                incomplete: false,
            },
            ..Band::default()
        };
        assert_eq!(band_text(&band), "12,408 behind over 3 partitions");
        band.unknown = 2;
        band.lag.incomplete = true;
        assert_eq!(
            band_text(&band),
            "at least 12,408 behind over 5 partitions, 2 without a known place"
        );
        assert_eq!(band_text(&Band::default()), "never committed anything");
        band = Band {
            problem: Some(Problem::new(ProblemKind::NoLeader, "nobody coordinates it")),
            ..Band::default()
        };
        assert_eq!(
            band_text(&band),
            "— its committed offsets are not known: nobody coordinates it"
        );
    }
}
