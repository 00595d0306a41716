//! A person as an Org knows them: a Discord account with all its links there, and what they are found and sorted by.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::link::UnlinkCause;
use crate::platform_id::EitherId;

/// Longer words are cut; nobody types more.
const WORD_CHARS: usize = 32;
const SORT_CHARS: usize = 64;
/// Of both names together.
const MOST_WORDS: usize = 16;
/// Words of a search that count.
const MOST_SEARCHED: usize = 2;

/// Small letters without accents: how names are sorted and found.
pub fn fold(name: &str) -> String {
    let bare = name.nfkd().filter(|c| !is_combining_mark(*c) && *c != '\0');
    bare.flat_map(char::to_lowercase).collect()
}

/// What somebody can be found by: the words of their names. A name of signs alone is a word itself.
pub fn name_words<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for name in names {
        let folded = fold(name);
        let (letters, signs) = (
            split(&folded, |c| !c.is_alphanumeric()),
            split(&folded, char::is_whitespace),
        );
        let found = if letters.is_empty() { signs } else { letters };
        words.extend(found.into_iter().take(MOST_WORDS.saturating_sub(words.len())));
    }
    words
}

fn split(text: &str, at: impl Fn(char) -> bool) -> Vec<String> {
    text.split(at)
        .filter(|word| !word.is_empty())
        .map(|word| cut(word, WORD_CHARS))
        .collect()
}

fn cut(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}

/// What somebody typed to find people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// An account, by its id, a mention or the address of its profile.
    Account(EitherId),
    /// Beginnings of words, the longest first. Each has to begin a word of either name.
    Words(Vec<String>),
}

impl Search {
    /// Nothing where nothing is looked for. A text without a word finds nobody.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        if let Some(id) = account_in(text) {
            return Some(Self::Account(id));
        }
        let mut words: Vec<String> = name_words([text]).into_iter().collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        words.truncate(MOST_SEARCHED);
        Some(Self::Words(words))
    }
}

/// `<@123>`, `<@!123>`, `https://steamcommunity.com/profiles/123/`, `https://discord.com/users/123` and the id alone.
fn account_in(text: &str) -> Option<EitherId> {
    let mention = text.strip_prefix("<@").and_then(|rest| rest.strip_suffix('>'));
    let bare = mention.map(|id| id.trim_start_matches('!')).unwrap_or(text);
    let profile = ["steamcommunity.com/profiles/", "discord.com/users/"];
    let found = profile.iter().find_map(|place| text.split_once(place));
    let id = found.map_or(bare, |(_, rest)| {
        rest.split(['/', '?', '#']).next().unwrap_or_default()
    });
    EitherId::parse(id).ok()
}

/// A link of theirs.
#[derive(Debug, Clone)]
pub struct OwnLink {
    pub num: i64,
    pub guild_num: i64,
    pub steam_id: String,
    pub discord_name: Option<String>,
    pub steam_name: Option<String>,
    pub country: Option<String>,
    pub linked_at_ms: i64,
    /// None while it is active.
    pub ended: Option<UnlinkCause>,
    /// Since when it is flagged as dormant.
    pub flagged_at_ms: Option<i64>,
}

/// A Guild that somebody is or was linked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPlace {
    pub guild_num: i64,
    /// What stands for them there: the active link, or else the newest.
    pub link_num: i64,
    pub steam_id: String,
    pub linked_at_ms: i64,
    pub is_active: bool,
    pub flagged_at_ms: Option<i64>,
}

/// What an Org knows of a person by their links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What stands for them: the newest active link, or else the newest.
    pub link_num: i64,
    pub linked_at_ms: i64,
    pub first_linked_at_ms: i64,
    pub active_links: i64,
    pub country: Option<String>,
    pub sort_name: String,
    pub words: BTreeSet<String>,
    /// Steam accounts they ever linked.
    pub steam_ids: i64,
    /// Links that they, a plugin or a relink ended.
    pub churn: i64,
    /// The oldest flag of an active link.
    pub flagged_at_ms: Option<i64>,
    /// Each Guild once.
    pub places: Vec<OwnPlace>,
}

impl Person {
    /// Nothing without a link.
    pub fn of(discord_id: &str, links: &[OwnLink]) -> Option<Self> {
        let standing = standing(links.iter())?;
        let guilds: BTreeSet<i64> = links.iter().map(|link| link.guild_num).collect();
        let places = guilds.into_iter().filter_map(|guild_num| {
            let there = standing_in(links, guild_num)?;
            Some(OwnPlace {
                guild_num,
                link_num: there.num,
                steam_id: there.steam_id.clone(),
                linked_at_ms: there.linked_at_ms,
                is_active: there.ended.is_none(),
                flagged_at_ms: flag_of(there),
            })
        });
        let names = [&standing.discord_name, &standing.steam_name];
        let shown = names
            .iter()
            .find_map(|name| name.as_deref())
            .unwrap_or(discord_id);
        let steam_ids: BTreeSet<&str> = links.iter().map(|link| &*link.steam_id).collect();
        Some(Self {
            link_num: standing.num,
            linked_at_ms: standing.linked_at_ms,
            first_linked_at_ms: links.iter().map(|link| link.linked_at_ms).min()?,
            active_links: count(links, |link| link.ended.is_none()),
            country: standing.country.clone(),
            sort_name: cut(&fold(shown), SORT_CHARS),
            words: name_words(names.into_iter().filter_map(|name| name.as_deref())),
            steam_ids: steam_ids.len() as i64,
            churn: count(links, |link| link.ended.is_some_and(UnlinkCause::is_churn)),
            flagged_at_ms: links.iter().filter_map(flag_of).min(),
            places: places.collect(),
        })
    }
}

/// What ended is dormant no more.
fn flag_of(link: &OwnLink) -> Option<i64> {
    link.flagged_at_ms.filter(|_| link.ended.is_none())
}

fn count(links: &[OwnLink], which: impl Fn(&OwnLink) -> bool) -> i64 {
    links.iter().filter(|link| which(link)).count() as i64
}

fn standing<'a>(links: impl Iterator<Item = &'a OwnLink>) -> Option<&'a OwnLink> {
    links.max_by_key(|link| (link.ended.is_none(), link.linked_at_ms, link.num))
}

fn standing_in(links: &[OwnLink], guild_num: i64) -> Option<&OwnLink> {
    standing(links.iter().filter(|link| link.guild_num == guild_num))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(num: i64, guild_num: i64, ended: Option<UnlinkCause>) -> OwnLink {
        OwnLink {
            num,
            guild_num,
            steam_id: format!("7656119800000000{num}"),
            discord_name: Some(format!("Ash {num}")),
            steam_name: None,
            country: Some("DE".to_owned()),
            linked_at_ms: num * 10,
            ended,
            flagged_at_ms: None,
        }
    }

    #[test]
    fn names_are_found_by_their_words_in_whatever_case_and_with_or_without_accents() {
        let words = name_words(["Ünlü-Şahin [TR]", "xX_Ash.Fox_Xx"]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(words, ["ash", "fox", "sahin", "tr", "unlu", "xx"]);
        assert_eq!(name_words(["★ ☆"]).len(), 2);
        assert_eq!(name_words(["", "  "]).len(), 0);
        let long = "a".repeat(200);
        assert_eq!(name_words([&*long]).first().unwrap().len(), WORD_CHARS);
        let many: String = (0..99).map(|n| format!("w{n} ")).collect();
        assert!(name_words([&*many, "other"]).len() <= MOST_WORDS);
    }

    #[test]
    fn an_account_is_found_however_its_id_was_pasted() {
        for text in [
            "76561198000000001",
            " https://steamcommunity.com/profiles/76561198000000001/ ",
            "steamcommunity.com/profiles/76561198000000001?l=german",
        ] {
            let Some(Search::Account(id)) = Search::parse(text) else {
                panic!("{text} is no account");
            };
            assert_eq!(id.as_str(), "76561198000000001");
        }
        for text in [
            "<@123456789012345678>",
            "<@!123456789012345678>",
            "https://discord.com/users/123456789012345678",
        ] {
            let Some(Search::Account(id)) = Search::parse(text) else {
                panic!("{text} is no account");
            };
            assert_eq!(id.as_str(), "123456789012345678");
        }
    }

    #[test]
    fn anything_else_is_looked_for_as_words_the_longest_first() {
        let words = |text: &str| match Search::parse(text) {
            Some(Search::Words(words)) => words,
            other => panic!("{other:?}"),
        };
        assert_eq!(words("Fox ashley the"), ["ashley", "fox"]);
        assert_eq!(words("123"), ["123"]);
        assert_eq!(Search::parse("  "), None);
        assert_eq!(
            words("\u{301}"),
            Vec::<String>::new(),
            "nobody is found by an accent alone"
        );
    }

    #[test]
    fn the_newest_active_link_stands_for_a_person_and_without_one_the_newest() {
        let links = [
            link(1, 1, None),
            link(2, 1, Some(UnlinkCause::User)),
            link(3, 2, Some(UnlinkCause::Admin)),
        ];
        let person = Person::of("1", &links).unwrap();
        assert_eq!((person.link_num, person.active_links, person.churn), (1, 1, 1));
        assert_eq!((person.first_linked_at_ms, person.steam_ids), (10, 3));
        assert_eq!(person.sort_name, "ash 1");
        let places: Vec<_> = person
            .places
            .iter()
            .map(|place| (place.guild_num, place.link_num, place.is_active))
            .collect();
        assert_eq!(places, [(1, 1, true), (2, 3, false)]);
        let archived = Person::of("1", &links[1..]).unwrap();
        assert_eq!((archived.link_num, archived.active_links), (3, 0));
        assert_eq!(Person::of("1", &[]), None);
    }

    #[test]
    fn who_has_no_name_is_sorted_by_their_id() {
        let mut nameless = link(1, 1, None);
        nameless.discord_name = None;
        assert_eq!(
            Person::of("123456789012345678", &[nameless]).unwrap().sort_name,
            "123456789012345678"
        );
    }
}
