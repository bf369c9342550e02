//! The tokens as egui's own style, so that its widgets look like everything else.

use egui::style::{Selection, WidgetVisuals};
use egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Theme, Visuals,
    vec2,
};

use super::fonts;
use super::tokens::{Tokens, size};

/// Gives `ctx` the window's fonts, and a style for each theme.
pub fn install(ctx: &Context) {
    ctx.set_fonts(fonts::definitions());
    for theme in [Theme::Dark, Theme::Light] {
        install_style(ctx, theme);
    }
    ctx.options_mut(|options| {
        // What the system says counts; most that say nothing are dark, and data is looked at for long.
        options.fallback_theme = Theme::Dark;
        // The window's own commands scale it, within bounds of their own.
        options.zoom_with_keyboard = false;
    });
}

fn install_style(ctx: &Context, theme: Theme) {
    ctx.style_mut_of(theme, |style| {
        style.text_styles = [
            (TextStyle::Body, fonts::text()),
            (TextStyle::Button, fonts::text()),
            (TextStyle::Heading, fonts::strong_of(20.0)),
            (TextStyle::Small, fonts::small()),
            (
                TextStyle::Monospace,
                FontId::new(size::DATA, FontFamily::Monospace),
            ),
        ]
        .into();
        style.spacing.item_spacing = vec2(8.0, 4.0);
        style.spacing.button_padding = vec2(8.0, 3.0);
        style.spacing.interact_size.y = 24.0;
        style.spacing.menu_margin = Margin::same(8);
        style.spacing.tooltip_width = 420.0;
        style.interaction.selectable_labels = false;
        style.interaction.tooltip_delay = 0.3;
        style.animation_time = 0.0;
        style.visuals = visuals(theme);
    });
}

fn visuals(theme: Theme) -> Visuals {
    let tokens = Tokens::of(theme);
    let mut visuals = theme.default_visuals();
    let widget = |fill: Color32, outline: Stroke, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: outline,
        corner_radius: CornerRadius::same(size::RADIUS),
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    visuals.widgets.noninteractive = widget(tokens.panel, tokens.hairline(), tokens.text);
    visuals.widgets.inactive = widget(tokens.raised, tokens.hairline(), tokens.text);
    visuals.widgets.hovered = widget(tokens.line, Stroke::new(1.0, tokens.faint), tokens.text);
    visuals.widgets.active = widget(tokens.line, tokens.focus(), tokens.text);
    visuals.widgets.open = visuals.widgets.active;
    visuals.selection = Selection {
        bg_fill: tokens.selected,
        stroke: tokens.focus(),
    };
    visuals.weak_text_color = Some(tokens.dim);
    visuals.hyperlink_color = tokens.accent;
    visuals.faint_bg_color = tokens.raised;
    visuals.extreme_bg_color = tokens.window;
    visuals.code_bg_color = tokens.window;
    visuals.warn_fg_color = tokens.warning;
    visuals.error_fg_color = tokens.error;
    visuals.window_fill = tokens.raised;
    visuals.window_stroke = tokens.hairline();
    visuals.window_corner_radius = CornerRadius::same(size::RADIUS);
    visuals.menu_corner_radius = CornerRadius::same(size::RADIUS);
    visuals.panel_fill = tokens.panel;
    // A blinking caret repaints for ever; idle must cost nothing.
    visuals.text_cursor.blink = false;
    visuals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widgets_take_the_colours_of_each_theme() {
        let ctx = Context::default();
        install(&ctx);
        for theme in [Theme::Dark, Theme::Light] {
            ctx.set_theme(theme);
            let (style, tokens) = (ctx.global_style(), Tokens::of(theme));
            assert_eq!(style.visuals.dark_mode, theme == Theme::Dark);
            assert_eq!(style.visuals.panel_fill, tokens.panel);
            assert_eq!(style.visuals.widgets.inactive.fg_stroke.color, tokens.text);
            assert!(!style.visuals.text_cursor.blink);
        }
    }

    #[test]
    fn a_system_that_says_nothing_is_dark() {
        let ctx = Context::default();
        install(&ctx);
        ctx.set_theme(egui::ThemePreference::System);
        assert_eq!(ctx.theme(), Theme::Dark);
    }
}
