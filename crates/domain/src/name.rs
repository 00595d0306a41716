//! Names that people choose: shown text, and the short form used in addresses.

use crate::text::text_traits;

const NAME_MAX: usize = 64;
/// Both platforms allow 32; plugins report what they like.
pub const GIVEN_NAME_MAX: usize = 200;
const SLUG_MIN: usize = 3;
const SLUG_MAX: usize = 40;

/// Why a display name was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a name needs at least one visible character")]
    Blank,
    #[error("a name has at most 64 characters; this one has {found}")]
    TooLong { found: usize },
    #[error("a name is a single line without control characters")]
    Control,
    #[error("a name cannot contain invisible characters that change the direction of text")]
    Direction,
}

/// A name as shown to people: trimmed, 1 to 64 characters, one line, and unable to disturb the text around it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DisplayName(String);

impl DisplayName {
    /// Surrounding white space is removed first; case and inner spaces are kept.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let name = text.trim();
        if name.chars().all(is_invisible) {
            return Err(NameError::Blank);
        }
        if name.chars().any(breaks_line) {
            return Err(NameError::Control);
        }
        if name.chars().any(changes_direction) {
            return Err(NameError::Direction);
        }
        match name.chars().count() {
            found if found > NAME_MAX => Err(NameError::TooLong { found }),
            _ => Ok(Self(name.to_owned())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

text_traits!(DisplayName, "a name of 1 to 64 characters");

/// Why a slug was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlugError {
    #[error("a short name has 3 to 40 characters; this one has {found}")]
    Length { found: usize },
    #[error("a short name consists of a-z, 0-9 and \"-\" only")]
    Characters,
    #[error("a short name cannot start or end with \"-\" or contain \"--\"")]
    Hyphens,
}

/// The part of an address that names a guild or organisation: 3 to 40 of a-z, 0-9 and single inner hyphens.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    pub fn parse(text: &str) -> Result<Self, SlugError> {
        let accepted = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !text.chars().all(accepted) {
            return Err(SlugError::Characters);
        }
        if !(SLUG_MIN..=SLUG_MAX).contains(&text.len()) {
            return Err(SlugError::Length { found: text.len() });
        }
        if text.starts_with('-') || text.ends_with('-') || text.contains("--") {
            return Err(SlugError::Hyphens);
        }
        Ok(Self(text.to_owned()))
    }

    /// A suggestion made from a name; nothing when too little of it can be written in an address.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut slug = String::new();
        for plain in name.chars().flat_map(char::to_lowercase).filter_map(fold) {
            if slug.len() == SLUG_MAX {
                break;
            }
            if plain != '-' || !(slug.is_empty() || slug.ends_with('-')) {
                slug.push(plain);
            }
        }
        Self::parse(slug.trim_end_matches('-')).ok()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

text_traits!(Slug, "an address name of a-z, 0-9 and hyphens");

/// A name that somebody has on Steam or Discord, as it is kept; nothing when it has no or too many characters.
pub fn given_name(text: &str) -> Option<String> {
    let line: String = text.chars().filter(|c| !c.is_control()).collect();
    let name = without_zero_width(&line).trim().to_owned();
    (1..=GIVEN_NAME_MAX)
        .contains(&name.chars().count())
        .then_some(name)
}

/// The same text without the characters that take no room: as a nickname they would make a member who cannot be named.
pub fn without_zero_width(text: &str) -> String {
    text.chars().filter(|c| !takes_no_room(*c)).collect()
}

pub(crate) fn takes_no_room(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

pub(crate) fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Overrides, embeddings and isolates: they would turn around whatever is printed after the name.
pub(crate) fn changes_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// White space and the characters that leave nothing on the screen.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}'
                | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{2800}' | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{E0000}'..='\u{E0FFF}'
        )
}

/// The address form of one lower-case character: accents dropped, apostrophes left out, the rest a hyphen.
fn fold(c: char) -> Option<char> {
    Some(match c {
        'a'..='z' | '0'..='9' => c,
        '\'' | '’' | '\u{0300}'..='\u{036F}' => return None,
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ß' => 's',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => '-',
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_trimmed_and_kept_as_written() {
        assert_eq!(
            DisplayName::parse("  Rusty Org 🦀 ").unwrap().as_str(),
            "Rusty Org 🦀"
        );
        assert_eq!(DisplayName::parse("שלום").unwrap().as_str(), "שלום");
    }

    #[test]
    fn names_have_at_most_64_characters_of_any_script() {
        assert!(DisplayName::parse(&"é".repeat(64)).is_ok());
        let error = DisplayName::parse(&"é".repeat(65)).unwrap_err();
        assert_eq!(error, NameError::TooLong { found: 65 });
    }

    #[test]
    fn names_that_show_nothing_are_refused() {
        for blank in ["", "   ", "\u{200B}", " \u{3164} ", "\u{2800}\u{FEFF}", "\n"] {
            assert_eq!(DisplayName::parse(blank), Err(NameError::Blank), "{blank:?}");
        }
    }

    #[test]
    fn names_that_disturb_the_text_around_them_are_refused() {
        for wrong in ["a\nb", "a\u{0}b", "a\u{7F}b", "a\u{85}b", "a\u{2028}b"] {
            assert_eq!(DisplayName::parse(wrong), Err(NameError::Control), "{wrong:?}");
        }
        for wrong in ["a\u{202E}b", "\u{202A}a", "a\u{2066}b", "a\u{2069}"] {
            assert_eq!(DisplayName::parse(wrong), Err(NameError::Direction), "{wrong:?}");
        }
    }

    #[test]
    fn a_given_name_is_kept_without_what_cannot_be_seen() {
        let kept = [
            ("A\u{200B}d\u{2060}a", "Ada"),
            (" \u{FEFF}Ada\u{7}\u{200D} ", "Ada"),
            ("Tom & Jerry", "Tom & Jerry"),
        ];
        for (given, name) in kept {
            assert_eq!(given_name(given).as_deref(), Some(name));
        }
        assert_eq!(
            given_name(&"é".repeat(200)).map(|name| name.chars().count()),
            Some(200)
        );
        for nothing in ["", " ", "\u{200B}\u{FEFF}", "\u{0}", &"x".repeat(201)] {
            assert_eq!(given_name(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn slugs_are_refused_with_their_cause() {
        assert!(Slug::parse("rusty-org-2").is_ok());
        assert_eq!(Slug::parse("ab"), Err(SlugError::Length { found: 2 }));
        assert_eq!(Slug::parse(&"a".repeat(41)), Err(SlugError::Length { found: 41 }));
        for wrong in ["Rusty", "a b", "a_b", "ábc", "a/b", "../"] {
            assert_eq!(Slug::parse(wrong), Err(SlugError::Characters), "{wrong}");
        }
        for wrong in ["-abc", "abc-", "a--b"] {
            assert_eq!(Slug::parse(wrong), Err(SlugError::Hyphens), "{wrong}");
        }
    }

    #[test]
    fn suggestions_read_like_the_name() {
        let suggest = |name| Slug::from_name(name).map(|slug| slug.as_str().to_owned());
        assert_eq!(suggest("Rusty's  Org!").as_deref(), Some("rustys-org"));
        assert_eq!(suggest("Café Ñandú — EU").as_deref(), Some("cafe-nandu-eu"));
        assert_eq!(suggest("🦀🦀🦀"), None);
        assert_eq!(suggest("a!"), None);
    }

    proptest! {
        #[test]
        fn every_suggestion_is_a_valid_slug(name in ".{0,80}") {
            if let Some(slug) = Slug::from_name(&name) {
                prop_assert_eq!(Slug::parse(slug.as_str()), Ok(slug));
            }
        }

        #[test]
        fn a_slug_suggests_itself(text in "[a-z0-9]{3,10}(-[a-z0-9]{1,9}){0,3}") {
            prop_assert_eq!(Slug::from_name(&text).map(|slug| slug.as_str().to_owned()), Some(text));
        }

        #[test]
        fn accepted_names_are_accepted_again_unchanged(text in ".{0,70}") {
            if let Ok(name) = DisplayName::parse(&text) {
                prop_assert_eq!(DisplayName::parse(name.as_str()), Ok(name));
            }
        }
    }
}
