//! How a community shows itself to its players: letters of its name on a colour.

use crate::words::words;

words! {
    /// The colour of a Guild's link page. Each one is in the palette, where it can be read in both themes.
    pub enum Accent {
        Indigo = "indigo",
        Blue = "blue",
        Teal = "teal",
        Green = "green",
        Amber = "amber",
        Red = "red",
        Pink = "pink",
        Violet = "violet",
    }
}

/// What stands on the tile of a community: the first letter of its first and of its last word, without signs and
/// pictures. A name of nothing else has its first sign.
pub fn letters(name: &str) -> String {
    let words = name.split(|sign: char| sign.is_whitespace() || matches!(sign, '_' | '.' | '-'));
    let mut first_letters = words.filter_map(|word| word.chars().find(|sign| sign.is_alphanumeric()));
    let chosen: Vec<char> = match (first_letters.next(), first_letters.next_back()) {
        (Some(first), Some(last)) => vec![first, last],
        (Some(only), None) => vec![only],
        (None, _) => name.trim().chars().take(1).collect(),
    };
    chosen
        .into_iter()
        .filter_map(|letter| letter.to_uppercase().next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_has_letters_of_the_first_and_the_last_word() {
        for (name, expected) in [
            ("Ashfall Rust", "AR"),
            ("ashfall", "A"),
            ("The Old Guard", "TG"),
            ("rust-eu_main", "RM"),
            ("🔥 Gia’s Ünïcode", "GÜ"),
            ("«Привет» мир", "ПМ"),
            ("مجتمع اللعبة", "ما"),
            ("7 Days", "7D"),
            ("🔥", "🔥"),
            ("", ""),
        ] {
            assert_eq!(letters(name), expected, "{name}");
        }
    }
}
