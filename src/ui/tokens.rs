//! Every colour and size of the window, by the role it plays.
//!
//! Nothing else in the window names a colour: a second theme is a second [`Tokens`]. Text keeps a contrast
//! of at least 4.5:1 on its background, which a test computes; groups have hues of their own, apart from
//! those that mean something, and always carry their initial besides.

use egui::{Color32, Stroke};

use crate::model::Text;

/// The colours of a theme, by role.
#[derive(Debug)]
pub struct Tokens {
    /// The ground of the timeline and the table.
    pub window: Color32,
    /// Panels around it.
    pub panel: Color32,
    /// What lies above its surroundings: a hovered row, a button, a pill.
    pub raised: Color32,
    /// Hairlines.
    pub line: Color32,
    /// Text.
    pub text: Color32,
    /// Text of lesser weight.
    pub dim: Color32,
    /// Text of least weight.
    pub faint: Color32,
    /// Selection, focus, links.
    pub accent: Color32,
    /// The ground of a selected row.
    pub selected: Color32,
    /// What the selected group has read, or all when none is selected: a topic as a whole.
    pub density_topic: Color32,
    /// The same for one partition.
    pub density_partition: Color32,
    /// Something to look at.
    pub warning: Color32,
    /// Something failed.
    pub error: Color32,
    /// All is well.
    pub good: Color32,
    /// The line under the pointer.
    pub hover_line: Color32,
    /// Text on a ground of a group's hue.
    pub on_hue: Color32,
    /// A group that never committed anything.
    pub no_hue: Color32,
    /// The hues of groups.
    pub hues: [Color32; 8],
}

/// The dark theme.
pub const DARK: Tokens = Tokens {
    window: hex(0x14_171c),
    panel: hex(0x1a_1e25),
    raised: hex(0x20_252d),
    line: hex(0x2b_313b),
    text: hex(0xd7_dce3),
    dim: hex(0x98_a1ae),
    faint: hex(0x85_8e9c),
    accent: hex(0x5a_a9e6),
    selected: hex(0x24_3346),
    density_topic: hex(0x4a_5a6b),
    density_partition: hex(0x3c_4957),
    warning: hex(0xe0_a63a),
    error: hex(0xee_7d77),
    good: hex(0x6f_bf73),
    hover_line: hex(0xf2_f4f7),
    on_hue: hex(0x14_171c),
    no_hue: hex(0x7d_8593),
    hues: [
        hex(0xb0_8cff),
        hex(0x2a_bba9),
        hex(0xf7_a3d6),
        hex(0xb9_d36c),
        hex(0xd9_b48f),
        hex(0x8f_b8c9),
        hex(0x8f_a6ff),
        hex(0xd7_c3f0),
    ],
};

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where colours are made"
)]
const fn hex(rgb: u32) -> Color32 {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

impl Tokens {
    /// The hue of the group named `name`: the same in every session and on every cluster.
    pub fn hue(&self, name: &Text) -> Color32 {
        // FNV-1a with the last steps of MurmurHash3, so that names that differ in their last digit fall
        // apart too; the seed was picked so that names people often use do.
        let hash = name.as_bytes().iter().fold(HUE_SEED, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        let hash = hash ^ (hash >> 33);
        let hues = u64::try_from(self.hues.len()).unwrap_or(1);
        let index = usize::try_from(hash % hues).unwrap_or(0);
        self.hues.get(index).copied().unwrap_or(self.no_hue)
    }

    /// A hairline.
    pub fn hairline(&self) -> Stroke {
        Stroke::new(1.0, self.line)
    }

    /// The outline of what has the focus.
    pub fn focus(&self) -> Stroke {
        Stroke::new(1.5, self.accent)
    }
}

const HUE_SEED: u64 = 0xcbf2_9ce4_8423_c9ea;

/// Sizes in points.
pub mod size {
    /// A topic's lane.
    pub const TOPIC_LANE: f32 = 34.0;
    /// A partition's lane.
    pub const PARTITION_LANE: f32 = 26.0;
    /// A row of a table or list.
    pub const ROW: f32 = 24.0;
    /// The strip above the ruler that shows all of the data.
    pub const MINIMAP: f32 = 26.0;
    /// The ruler above the lanes.
    pub const RULER: f32 = 30.0;
    /// The tabs below the timeline.
    pub const TABS: f32 = 30.0;
    /// The bar at the top of the window.
    pub const TOP_BAR: f32 = 38.0;
    /// The line at the foot of the window.
    pub const STATUS_BAR: f32 = 24.0;
    /// Corners.
    pub const RADIUS: u8 = 4;
    /// Width of a scroll bar.
    pub const SCROLL_BAR: f32 = 8.0;
    /// Side of a group's flag and chip.
    pub const CHIP: f32 = 14.0;
    /// Text.
    pub const TEXT: f32 = 13.0;
    /// Data: text in tables, monospaced.
    pub const DATA: f32 = 12.0;
    /// Small labels.
    pub const SMALL: f32 = 11.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as WCAG 2 defines it.
    fn luminance(color: Color32) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn contrast_is_what_wcag_says() {
        let black = hex(0);
        let white = hex(0xff_ffff);
        assert!((contrast(black, white) - 21.0).abs() < 1e-9);
        assert!((contrast(white, white) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn text_can_be_read_on_every_ground() {
        let tokens = &DARK;
        for ground in [tokens.window, tokens.panel, tokens.raised, tokens.selected] {
            for (name, text) in [
                ("text", tokens.text),
                ("dim", tokens.dim),
                ("accent", tokens.accent),
                ("warning", tokens.warning),
                ("error", tokens.error),
                ("good", tokens.good),
            ] {
                let contrast = contrast(text, ground);
                assert!(contrast >= 4.5, "{name} on {ground:?}: {contrast:.2}");
            }
            for hue in tokens.hues {
                assert!(contrast(hue, ground) >= 4.5, "{hue:?} on {ground:?}");
            }
        }
        for ground in [tokens.window, tokens.panel, tokens.raised] {
            assert!(contrast(tokens.faint, ground) >= 4.5, "faint on {ground:?}");
        }
    }

    #[test]
    fn initials_can_be_read_on_every_hue() {
        for hue in DARK.hues.into_iter().chain([DARK.no_hue]) {
            assert!(contrast(DARK.on_hue, hue) >= 4.5, "{hue:?}");
        }
    }

    #[test]
    fn hues_stand_out_from_what_was_read() {
        for hue in DARK.hues {
            assert!(contrast(hue, DARK.density_topic) >= 2.5, "{hue:?}");
        }
    }

    /// Colours as a person without green (deuteranopia) or red (protanopia) cones sees them, after Viénot 1999.
    fn without_cones(color: Color32, red: bool) -> [f64; 3] {
        let linear = |part: u8| (f64::from(part) / 255.0).powf(2.2);
        let [r, g, b] = [linear(color.r()), linear(color.g()), linear(color.b())];
        let (long, medium, short) = (
            17.8824 * r + 43.5161 * g + 4.11935 * b,
            3.45565 * r + 27.1554 * g + 3.86714 * b,
            0.029_956_6 * r + 0.184_309 * g + 1.46709 * b,
        );
        let (long, medium) = if red {
            (2.02344 * medium - 2.52581 * short, medium)
        } else {
            (long, 0.494_207 * long + 1.24827 * short)
        };
        let back = [
            0.080_944_4 * long - 0.130_504 * medium + 0.116_721 * short,
            -0.010_248_5 * long + 0.054_019_4 * medium - 0.113_615 * short,
            -0.000_365_294 * long - 0.004_121_63 * medium + 0.693_513 * short,
        ];
        back.map(|part| part.clamp(0.0, 1.0).powf(1.0 / 2.2))
    }

    #[test]
    fn the_first_hues_stay_apart_for_colour_blind_eyes() {
        for red in [false, true] {
            let seen: Vec<[f64; 3]> = DARK.hues[..4]
                .iter()
                .map(|hue| without_cones(*hue, red))
                .collect();
            for (index, a) in seen.iter().enumerate() {
                for b in &seen[index + 1..] {
                    let distance: f64 = a
                        .iter()
                        .zip(b)
                        .map(|(a, b)| (a - b).powi(2))
                        .sum::<f64>()
                        .sqrt();
                    assert!(
                        distance > 0.1,
                        "{a:?} and {b:?} (red: {red}): {distance:.3}"
                    );
                }
            }
        }
    }

    #[test]
    fn numbered_groups_fall_apart() {
        let hues: std::collections::HashSet<Color32> = (0..20)
            .map(|number| DARK.hue(&Text::from(format!("group-{number:05}").as_str())))
            .collect();
        assert!(hues.len() >= 6, "{}", hues.len());
    }

    #[test]
    fn a_group_keeps_its_hue() {
        let hue = |name: &str| DARK.hue(&Text::from(name));
        assert_eq!(hue("billing"), hue("billing"));
        let usual = ["billing", "shipping", "fraud-check", "reports"].map(hue);
        for (index, a) in usual.iter().enumerate() {
            assert!(
                !usual[index + 1..].contains(a),
                "two of the usual groups share a hue"
            );
        }
    }
}
