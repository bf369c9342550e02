//! The typefaces: Inter for words, JetBrains Mono for data. Characters that neither has come from the
//! system's fonts, which eframe looks up on demand.

use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily, FontId};

use super::tokens::size;

const INTER: &[u8] = include_bytes!("../../assets/fonts/Inter-Regular.otf");
const INTER_SEMI_BOLD: &[u8] = include_bytes!("../../assets/fonts/Inter-SemiBold.otf");
const JETBRAINS_MONO: &[u8] = include_bytes!("../../assets/fonts/JetBrainsMono-Regular.ttf");
const STRONG: &str = "strong";

/// The fonts of the window.
pub fn definitions() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let faces = [
        ("inter", INTER),
        ("inter-semi-bold", INTER_SEMI_BOLD),
        ("jetbrains-mono", JETBRAINS_MONO),
    ];
    for (name, bytes) in faces {
        fonts
            .font_data
            .insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let families = [
        (FontFamily::Proportional, ["inter", "jetbrains-mono"]),
        (
            FontFamily::Name(STRONG.into()),
            ["inter-semi-bold", "jetbrains-mono"],
        ),
        (FontFamily::Monospace, ["jetbrains-mono", "inter"]),
    ];
    for (family, names) in families {
        fonts
            .families
            .insert(family, names.map(str::to_owned).to_vec());
    }
    fonts
}

/// Words.
pub fn text() -> FontId {
    FontId::proportional(size::TEXT)
}

/// Small labels.
pub fn small() -> FontId {
    FontId::proportional(size::SMALL)
}

/// Words that lead.
pub fn strong() -> FontId {
    strong_of(size::TEXT)
}

/// Words that lead, at `size`.
pub fn strong_of(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(STRONG.into()))
}

/// Data.
pub fn data() -> FontId {
    FontId::monospace(size::DATA)
}

/// Data in small labels.
pub fn small_data() -> FontId {
    FontId::monospace(size::SMALL)
}
