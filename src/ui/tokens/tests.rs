use super::*;

const BOTH: [(&str, &Tokens); 2] = [("dark", &DARK), ("light", &LIGHT)];

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
    for (theme, tokens) in BOTH {
        for ground in [tokens.window, tokens.panel, tokens.raised, tokens.selected] {
            for (name, text) in [
                ("text", tokens.text),
                ("dim", tokens.dim),
                ("faint", tokens.faint),
                ("accent", tokens.accent),
                ("warning", tokens.warning),
                ("error", tokens.error),
                ("good", tokens.good),
            ] {
                let contrast = contrast(text, ground);
                assert!(
                    contrast >= 4.5,
                    "{theme}: {name} on {ground:?}: {contrast:.2}"
                );
            }
            for hue in tokens.hues {
                let contrast = contrast(hue, ground);
                assert!(
                    contrast >= 4.5,
                    "{theme}: {hue:?} on {ground:?}: {contrast:.2}"
                );
            }
        }
    }
}

#[test]
fn buttons_under_the_pointer_can_be_read() {
    for (theme, tokens) in BOTH {
        for (name, text) in [
            ("text", tokens.text),
            ("dim", tokens.dim),
            ("accent", tokens.accent),
        ] {
            let contrast = contrast(text, tokens.line);
            assert!(contrast >= 4.5, "{theme}: {name}: {contrast:.2}");
        }
    }
}

#[test]
fn initials_and_words_can_be_read_on_hue_and_accent() {
    for (theme, tokens) in BOTH {
        let grounds = [tokens.no_hue, tokens.accent];
        for ground in tokens.hues.into_iter().chain(grounds) {
            let contrast = contrast(tokens.on_hue, ground);
            assert!(contrast >= 4.5, "{theme}: {ground:?}: {contrast:.2}");
        }
    }
}

#[test]
fn hues_stand_out_from_what_was_read() {
    for (theme, tokens) in BOTH {
        for read in [tokens.density_topic, tokens.density_partition] {
            for hue in tokens.hues {
                assert!(contrast(hue, read) >= 2.5, "{theme}: {hue:?} on {read:?}");
            }
        }
    }
}

#[test]
fn density_stands_out_from_the_window() {
    for (theme, tokens) in BOTH {
        for read in [tokens.density_topic, tokens.density_partition] {
            assert!(contrast(read, tokens.window) >= 1.8, "{theme}: {read:?}");
        }
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
    for (theme, tokens) in BOTH {
        for red in [false, true] {
            let seen: Vec<[f64; 3]> = tokens.hues[..4]
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
                        "{theme}: {a:?} and {b:?} (red: {red}): {distance:.3}"
                    );
                }
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

#[test]
fn a_group_has_the_same_place_in_both_themes() {
    for name in ["billing", "shipping", "群组", ""] {
        let name = Text::from(name);
        let place = |tokens: &Tokens| tokens.hues.iter().position(|hue| *hue == tokens.hue(&name));
        assert_eq!(place(&DARK), place(&LIGHT));
    }
}
