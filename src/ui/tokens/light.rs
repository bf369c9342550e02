//! The light theme.

use super::{Tokens, hex, shade};

/// Dark text on light ground.
pub const LIGHT: Tokens = Tokens {
    window: hex(0xff_ffff),
    panel: hex(0xf4_f6f8),
    raised: hex(0xe8_ecf1),
    line: hex(0xd0_d7df),
    text: hex(0x1b_2027),
    dim: hex(0x47_525f),
    faint: hex(0x56_616f),
    accent: hex(0x0f_5fa3),
    selected: hex(0xd3_e4f5),
    density_topic: hex(0x9a_abbd),
    density_partition: hex(0xae_bccb),
    warning: hex(0x7d_4f00),
    error: hex(0xa8_231c),
    good: hex(0x1f_6428),
    hover_line: hex(0x14_171c),
    on_hue: hex(0xff_ffff),
    no_hue: hex(0x5f_6977),
    veil: shade(70),
    hues: [
        hex(0x70_12db),
        hex(0x00_564b),
        hex(0xb0_286a),
        hex(0x5a_6402),
        hex(0x93_4f37),
        hex(0x1d_6892),
        hex(0x1c_39a7),
        hex(0x5f_1580),
    ],
};
