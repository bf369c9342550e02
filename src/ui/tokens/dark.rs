//! The dark theme.

use super::{Tokens, hex, shade};

/// Light text on dark ground.
pub const DARK: Tokens = Tokens {
    window: hex(0x14_171c),
    panel: hex(0x1a_1e25),
    raised: hex(0x20_252d),
    line: hex(0x2b_313b),
    text: hex(0xd7_dce3),
    dim: hex(0x98_a1ae),
    faint: hex(0x8b_94a2),
    accent: hex(0x5a_a9e6),
    selected: hex(0x1f_2d3f),
    density_topic: hex(0x4a_5a6b),
    density_partition: hex(0x3c_4957),
    warning: hex(0xe0_a63a),
    error: hex(0xee_7d77),
    good: hex(0x6f_bf73),
    hover_line: hex(0xf2_f4f7),
    on_hue: hex(0x14_171c),
    no_hue: hex(0x7d_8593),
    veil: shade(110),
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
