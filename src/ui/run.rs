//! Opening the window, and what to say when that is not possible.

use crate::engine::Link;

use super::app::{App, Start, Waker};
use super::state::{Remembered, WindowSize};
use super::tokens::{DARK, Tokens};

/// Why there is no window.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// There is no screen to open it on.
    #[error(
        "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set; start it in a graphical session (or under xvfb-run); every command, such as `tideline topics`, works without a window"
    )]
    NoDisplay,
    /// The screen or its graphics cannot be used.
    #[error(
        "the window cannot be opened: {0}; on Debian and Ubuntu install libgl1 libegl1 libxkbcommon-x11-0 libxcursor1 libxi6 libxrandr2, or try LIBGL_ALWAYS_SOFTWARE=1 where there is no graphics card; every command, such as `tideline topics`, works without a window"
    )]
    NoGraphics(String),
}

/// Opens the window and stays in it until it is closed. `make_link` makes the engine's end once there is
/// something to wake.
///
/// # Errors
/// Why there is no window.
pub fn run(
    make_link: Box<dyn FnOnce(Waker) -> Box<dyn Link> + Send>,
    start: Start,
) -> Result<(), WindowError> {
    if !has_display(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        return Err(WindowError::NoDisplay);
    }
    let remembered = start
        .memory
        .as_ref()
        .and_then(|memory| Remembered::from_stored(&memory.loaded()).window);
    let size = remembered.unwrap_or(WindowSize {
        width: 1_440.0,
        height: 900.0,
        maximized: false,
    });
    let viewport = egui::ViewportBuilder::default()
        .with_title("Tideline")
        .with_app_id("tideline")
        .with_inner_size([
            size.width.clamp(1_024.0, 16_384.0),
            size.height.clamp(640.0, 16_384.0),
        ])
        .with_maximized(size.maximized)
        .with_min_inner_size([1024.0, 640.0])
        .with_icon(icon(&DARK));
    let options = eframe::NativeOptions {
        viewport,
        renderer: eframe::Renderer::Glow,
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        "tideline",
        options,
        Box::new(move |creation| Ok(Box::new(App::new(&creation.egui_ctx, make_link, start)))),
    )
    .map_err(|error| WindowError::NoGraphics(error.to_string()))
}

/// Whether the environment names a screen; other systems than Linux and its like always have one.
fn has_display(is_set: impl Fn(&str) -> bool) -> bool {
    !cfg!(all(unix, not(target_os = "macos"))) || is_set("WAYLAND_DISPLAY") || is_set("DISPLAY")
}

/// The program's picture: three lanes, a flag, and what is unread behind it.
fn icon(tokens: &Tokens) -> egui::IconData {
    const SIDE: u32 = 64;
    let [unread, ..] = tokens.hues;
    let mut rgba = Vec::with_capacity(64 * 64 * 4);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (lane, in_lane) = (y / 20, y % 20);
            let flag = 22_u32.saturating_add(lane.saturating_mul(9));
            let rises = [9_u32, 12, 7, 14, 10, 15, 8, 12];
            let rise = rises
                .get(usize::try_from((x / 6).saturating_add(lane) % 8).unwrap_or(0))
                .copied()
                .unwrap_or(8);
            let is_bar = (4..60).contains(&x)
                && lane < 3
                && x % 6 < 5
                && in_lane >= 18_u32.saturating_sub(rise)
                && in_lane < 18;
            let color = if lane < 3
                && (flag..flag.saturating_add(3)).contains(&x)
                && (2..19).contains(&in_lane)
            {
                tokens.text
            } else if is_bar && x > flag {
                unread
            } else if is_bar {
                tokens.density_topic
            } else {
                tokens.window
            };
            rgba.extend(color.to_array());
        }
    }
    egui::IconData {
        rgba,
        width: SIDE,
        height: SIDE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_the_two_displays_is_enough() {
        assert!(has_display(|name| name == "DISPLAY"));
        assert!(has_display(|name| name == "WAYLAND_DISPLAY"));
        assert!(!has_display(|_| false) || !cfg!(target_os = "linux"));
    }

    #[test]
    fn without_a_window_it_says_what_works() {
        for error in [
            WindowError::NoDisplay,
            WindowError::NoGraphics("no GL".into()),
        ] {
            assert!(
                error.to_string().contains("works without a window"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_icon_has_all_its_pixels() {
        assert_eq!(icon(&DARK).rgba.len(), 64 * 64 * 4);
    }
}
