//! The style of pages without scripts: the palette that they share with the dashboard, and rules of their own.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const PALETTE: &str = include_str!("../../../../ui/styles/palette.css");
const OPENS: &str = "light-dark(";

/// What stands in every public page; the content security policy allows exactly this text by its digest.
static PAGE: LazyLock<String> = LazyLock::new(|| complete(include_str!("page.css")));
/// The sheet of the documentation.
static DOCS: LazyLock<String> = LazyLock::new(|| complete(include_str!("../docs/style.css")));

pub fn of_pages() -> &'static str {
    &PAGE
}

/// The style of the pages as a source in a content security policy.
pub fn source_of_pages() -> String {
    let digest = STANDARD.encode(Sha256::digest(of_pages().as_bytes()));
    ["'sha256-", &digest, "'"].concat()
}

pub fn of_docs() -> &'static str {
    &DOCS
}

/// Phones that get no updates any more do not know `light-dark()`; they see the light theme.
fn complete(rules: &str) -> String {
    let palette = squeezed(PALETTE);
    [
        &in_light(&palette).replace("color-scheme: light dark", "color-scheme: light"),
        "@supports (color: light-dark(red, red)) {",
        &palette,
        "}",
        &squeezed(rules),
    ]
    .concat()
}

/// Each pair of colours as its first one.
fn in_light(palette: &str) -> String {
    let mut parts = palette.split(OPENS);
    let mut light = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (pair, rest) = part.split_once(')').unwrap_or((part, ""));
        light.push_str(pair.split(',').next().unwrap_or_default());
        light.push_str(rest);
    }
    light
}

/// Without comments, line breaks and indents.
fn squeezed(css: &str) -> String {
    let mut bare = String::with_capacity(css.len());
    for (at, part) in css.split("/*").enumerate() {
        let kept = part.split_once("*/").filter(|_| at > 0);
        bare.push_str(kept.map_or(part, |(_, rest)| rest));
    }
    bare.lines().map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::face::Accent;

    use super::*;

    /// What a theme paints with, by name.
    type Colours = BTreeMap<String, String>;

    /// The colours of a rule of the palette, of the light theme and of the dark one.
    fn rule(selector: &str) -> [Colours; 2] {
        let palette = squeezed(PALETTE);
        let (_, after) = palette
            .split_once(&format!("{selector} {{"))
            .unwrap_or_else(|| panic!("no {selector} in the palette"));
        let (body, _) = after.split_once('}').expect("an end");
        let mut themes = [Colours::new(), Colours::new()];
        for line in body.split(';').filter(|line| line.contains(OPENS)) {
            let (name, value) = line.split_once(": ").expect("a value");
            let pair = value.strip_prefix(OPENS).and_then(|pair| pair.strip_suffix(')'));
            let (light, dark) = pair.and_then(|pair| pair.split_once(", ")).expect("two colours");
            for (theme, colour) in themes.iter_mut().zip([light, dark]) {
                theme.insert(name.to_owned(), colour.to_owned());
            }
        }
        themes
    }

    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits");
            let value = f64::from(value) / 255.0;
            if value <= 0.03928 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        (one / other).max(other / one)
    }

    /// Each theme with an accent, and the contrast that text has to reach in it.
    fn themes(accent: Accent) -> [(Colours, f64); 2] {
        let mut themes = rule(":root");
        let own = rule(&format!("[data-accent='{accent}']"));
        for (theme, own) in themes.iter_mut().zip(own) {
            theme.extend(own);
        }
        let [light, dark] = themes;
        [(light, 5.5), (dark, 6.1)]
    }

    #[test]
    fn every_accent_can_be_read_in_both_themes() {
        for accent in Accent::ALL {
            for (theme, least) in themes(*accent) {
                for (text, ground) in [
                    ("--accent", "--bg"),
                    ("--accent", "--surface"),
                    ("--accent", "--accent-soft"),
                    ("--on-accent", "--accent"),
                ] {
                    let found = contrast(&theme[text], &theme[ground]);
                    assert!(
                        found >= least - 0.005,
                        "{accent}: {text} on {ground} is {found:.2}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_text_can_be_read_and_every_control_be_seen_in_both_themes() {
        for (theme, least) in themes(Accent::Indigo) {
            for ground in ["--bg", "--surface", "--surface-2"] {
                for text in ["--text", "--muted"] {
                    let found = contrast(&theme[text], &theme[ground]);
                    assert!(found >= least, "{text} on {ground} is {found:.2}");
                }
            }
            for tone in ["--ok", "--info", "--warn", "--bad", "--neutral"] {
                for ground in ["--surface", &format!("{tone}-fill")] {
                    let found = contrast(&theme[tone], &theme[ground]);
                    assert!(found >= least, "{tone} on {ground} is {found:.2}");
                }
            }
            let found = contrast(&theme["--strong"], &theme["--surface"]);
            assert!(found >= 3.2, "borders of controls are {found:.2}");
        }
    }

    /// The usual colour is written down twice, so that the dashboard needs no choice.
    #[test]
    fn without_a_choice_a_page_has_the_first_accent() {
        let first = rule("[data-accent='indigo']");
        for (usual, first) in rule(":root").iter().zip(&first) {
            for (name, colour) in first {
                assert_eq!(&usual[name], colour, "{name}");
            }
        }
    }

    #[test]
    fn browsers_that_know_one_theme_get_the_light_one() {
        let css = ":root { --bg: light-dark(#fff, #000); --x: 1px solid light-dark(#aaa, #bbb); }";
        assert_eq!(in_light(css), ":root { --bg: #fff; --x: 1px solid #aaa; }");
    }

    #[test]
    fn comments_and_indents_do_not_travel() {
        assert_eq!(
            squeezed("/* a\n b */\na {\n  b: c;\n}\n/* d */ e {}\n"),
            "a {b: c;}e {}"
        );
        for style in [of_pages(), of_docs()] {
            assert!(!style.contains("/*") && !style.contains('\n') && style.contains("--ok-fill"));
        }
    }
}
