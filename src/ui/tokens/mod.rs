//! Every colour and size of the window, by the role it plays.
//!
//! Nothing else in the window names a colour: `dark` and `light` are the two [`Tokens`] there are, and each
//! frame is drawn with one of them. Text keeps a contrast of at least 4.5:1 on its background, which a test
//! computes; groups have hues of their own, apart from those that mean something, and always carry their
//! initial besides. A group's hue stands at the same place in both.

mod dark;
mod light;

pub use dark::DARK;
pub use light::LIGHT;

use egui::{Color32, Stroke, Theme};

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
    /// What lies over the window while something must be answered first.
    pub veil: Color32,
    /// The hues of groups.
    pub hues: [Color32; 8],
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where colours are made"
)]
const fn hex(rgb: u32) -> Color32 {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

/// `alpha` of black, of 255.
const fn shade(alpha: u8) -> Color32 {
    Color32::from_black_alpha(alpha)
}

impl Tokens {
    /// The colours of `theme`.
    pub fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Dark => &DARK,
            Theme::Light => &LIGHT,
        }
    }

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
mod tests;
