//! Messages to a Guild's log channel: one embed for each link and each end of a link.

use serde_json::{Value, json};

use crate::name::{breaks_line, changes_direction, without_zero_width};
use crate::words::words;

const GREEN: u32 = 0x2E_CC71;
const RED: u32 = 0xE7_4C3C;
/// What one message may hold: so many embeds, and so many characters in all of them together, a little below Discord's
/// 6,000.
pub const MOST_EMBEDS: usize = 10;
pub const MOST_CHARACTERS: usize = 5_800;
const NAME_CHARACTERS: usize = 64;
const UNKNOWN: &str = "not known";

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
const YEAR_MS: i64 = 365 * DAY_MS;

/// Whom a message is about. Ids of an erased person are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    pub discord_id: Option<String>,
    pub steam_id: Option<String>,
    pub discord_name: Option<String>,
    pub steam_name: Option<String>,
}

/// Who ended a link, where that is somebody else than its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// A member of the team, by name.
    Member(String),
    /// A Server, by name.
    Server(String),
}

/// A new link: green.
pub fn linked(pair: &Pair, country: Option<&str>, at_ms: i64) -> Value {
    let mut fields = fields_of(pair);
    fields.push(field("Country", country.unwrap_or(UNKNOWN)));
    embed("Linked", GREEN, at_ms, &fields)
}

/// The end of a link: red.
pub fn unlinked(pair: &Pair, cause: &str, linked_ms: i64, by: Option<&By>, at_ms: i64) -> Value {
    let mut fields = vec![field("Cause", cause), field("Linked for", &how_long(linked_ms))];
    match by {
        Some(By::Member(name)) => fields.push(field("By", &escaped(name))),
        Some(By::Server(name)) => fields.push(field("By Server", &escaped(name))),
        None => {}
    }
    fields.extend(fields_of(pair));
    embed("Unlinked", RED, at_ms, &fields)
}

/// What stands for changes that were too many to wait.
pub fn more(changes: i64) -> Value {
    let noun = if changes == 1 { "change" } else { "changes" };
    json!({ "title": format!("{changes} more {noun}"), "description": "There were too many at once to list each of them." })
}

/// Somebody wants to see whether messages arrive.
pub fn test() -> Value {
    json!({
        "title": "Test message",
        "description": "Log messages of this Guild arrive here.",
    })
}

fn fields_of(pair: &Pair) -> Vec<Value> {
    let mut fields = Vec::new();
    if let Some(id) = &pair.discord_id {
        fields.push(field("Discord ID", id));
        fields.push(field("Mention", &["<@", id, ">"].concat()));
    }
    let name = |name: &Option<String>| name.as_deref().map_or_else(|| UNKNOWN.to_owned(), escaped);
    fields.push(field("Discord name", &name(&pair.discord_name)));
    fields.push(field("Steam name", &name(&pair.steam_name)));
    if let Some(id) = &pair.steam_id {
        let profile = ["https://steamcommunity.com/profiles/", id].concat();
        fields.push(field("Steam profile", &profile));
    }
    fields
}

fn field(name: &str, value: &str) -> Value {
    json!({ "name": name, "value": value, "inline": true })
}

fn embed(title: &str, colour: u32, at_ms: i64, fields: &[Value]) -> Value {
    json!({ "title": title, "color": colour, "timestamp": utc(at_ms), "fields": fields })
}

/// How many characters Discord counts in an embed.
pub fn size(embed: &Value) -> usize {
    let length = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
    let fields = embed["fields"].as_array();
    let of_fields = fields.into_iter().flatten();
    let of_fields: usize = of_fields
        .map(|field| length(&field["name"]) + length(&field["value"]))
        .sum();
    length(&embed["title"]) + length(&embed["description"]) + of_fields
}

/// A name as plain text: nothing in it formats, links, mentions or hides. Discord takes the mark away again.
pub fn escaped(name: &str) -> String {
    escaped_up_to(name, NAME_CHARACTERS)
}

/// The same for other texts than names.
pub(crate) fn escaped_up_to(text: &str, most: usize) -> String {
    let visible = without_zero_width(text);
    let shown = visible
        .chars()
        .filter(|c| !breaks_line(*c) && !changes_direction(*c))
        .take(most);
    let mut text = String::new();
    for c in shown {
        if c.is_ascii_punctuation() {
            text.push('\\');
        }
        text.push(c);
    }
    if text.trim().is_empty() {
        return UNKNOWN.to_owned();
    }
    text
}

/// The two largest units of a time.
pub fn how_long(ms: i64) -> String {
    let units = [
        (YEAR_MS, "year"),
        (DAY_MS, "day"),
        (HOUR_MS, "hour"),
        (MINUTE_MS, "minute"),
    ];
    let mut left = ms.max(0);
    let mut parts = Vec::new();
    for (unit_ms, name) in units {
        let count = left / unit_ms;
        left %= unit_ms;
        if count > 0 {
            parts.push(format!("{count} {name}{}", if count == 1 { "" } else { "s" }));
        } else if !parts.is_empty() {
            break;
        }
        if parts.len() == 2 {
            break;
        }
    }
    if parts.is_empty() {
        return "less than a minute".to_owned();
    }
    parts.join(" ")
}

/// A time as Discord reads it, such as `2026-01-01T00:00:00Z`.
pub(crate) fn utc(at_ms: i64) -> String {
    let (days, ms) = (at_ms.div_euclid(DAY_MS), at_ms.rem_euclid(DAY_MS));
    // Counted from the first of March of the year 0, so that leap days come last. An era has 400 years.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (ms / HOUR_MS, ms / MINUTE_MS % 60, ms / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

words! {
    /// Why messages do not arrive in a log channel.
    pub enum LogProblem {
        UnknownChannel = "unknown_channel",
        OtherServer = "other_server",
        NoAccess = "no_access",
        NoPermission = "no_permission",
        TokenRejected = "token_rejected",
        Refused = "refused",
    }
}

impl LogProblem {
    /// What Discord's answer means: its status, and its own number for the reason.
    pub const fn of(status: u16, code: Option<u32>) -> Option<Self> {
        match (status, code) {
            (401, _) => Some(Self::TokenRejected),
            (404, Some(_)) => Some(Self::UnknownChannel),
            (403, Some(50_001)) => Some(Self::NoAccess),
            (403, Some(50_013)) => Some(Self::NoPermission),
            (400, _) | (403, Some(_)) => Some(Self::Refused),
            // Without a number it is not Discord itself that answers.
            (_, _) => None,
        }
    }

    /// For people, with what to do about it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::UnknownChannel => {
                "Discord knows no such channel. It may have been deleted: choose another one."
            }
            Self::OtherServer => "The channel is in another Discord server. Choose one of this Guild.",
            Self::NoAccess => "The bot cannot see the channel. Give it View Channel there.",
            Self::NoPermission => {
                "The bot may not post in the channel. Give it Send Messages and Embed Links there."
            }
            Self::TokenRejected => {
                "Discord does not accept the bot's token. Whoever runs this installation has to correct it."
            }
            Self::Refused => "Discord refused the message. Choose a text channel that the bot may post in.",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pair() -> Pair {
        Pair {
            discord_id: Some("700000000000000001".to_owned()),
            steam_id: Some("76561197960265729".to_owned()),
            discord_name: Some("Ada".to_owned()),
            steam_name: Some("*ada*".to_owned()),
        }
    }

    fn fields(embed: &Value) -> Vec<(&str, &str)> {
        let fields = embed["fields"].as_array().unwrap();
        let text = |value: &'_ Value| value.as_str().unwrap().to_owned().leak() as &str;
        fields
            .iter()
            .map(|field| (text(&field["name"]), text(&field["value"])))
            .collect()
    }

    #[test]
    fn a_link_is_green_and_says_who_and_from_where() {
        let embed = linked(&pair(), Some("DE"), 1_767_225_600_000);
        assert_eq!(
            (&embed["title"], &embed["color"]),
            (&json!("Linked"), &json!(3_066_993))
        );
        assert_eq!(embed["timestamp"], "2026-01-01T00:00:00Z");
        let expected = [
            ("Discord ID", "700000000000000001"),
            ("Mention", "<@700000000000000001>"),
            ("Discord name", "Ada"),
            ("Steam name", r"\*ada\*"),
            (
                "Steam profile",
                "https://steamcommunity.com/profiles/76561197960265729",
            ),
            ("Country", "DE"),
        ];
        assert_eq!(fields(&embed), expected);
    }

    #[test]
    fn an_end_is_red_and_says_why_after_how_long_and_by_whom() {
        let by = By::Server("EU [1]".to_owned());
        let embed = unlinked(&pair(), "plugin", 90 * MINUTE_MS, Some(&by), 0);
        assert_eq!(
            (&embed["title"], &embed["color"]),
            (&json!("Unlinked"), &json!(15_158_332))
        );
        let expected = [
            ("Cause", "plugin"),
            ("Linked for", "1 hour 30 minutes"),
            ("By Server", r"EU \[1\]"),
        ];
        assert_eq!(fields(&embed)[..3], expected);
        let alone = unlinked(&Pair::default(), "user", 0, None, 0);
        let expected = [
            ("Cause", "user"),
            ("Linked for", "less than a minute"),
            ("Discord name", "not known"),
            ("Steam name", "not known"),
        ];
        assert_eq!(fields(&alone), expected);
    }

    #[test]
    fn a_time_is_told_in_its_two_largest_units() {
        for (ms, text) in [
            (-5, "less than a minute"),
            (59_999, "less than a minute"),
            (MINUTE_MS, "1 minute"),
            (2 * HOUR_MS, "2 hours"),
            (DAY_MS + 3 * MINUTE_MS, "1 day"),
            (12 * DAY_MS + 4 * HOUR_MS + MINUTE_MS, "12 days 4 hours"),
            (2 * YEAR_MS + DAY_MS, "2 years 1 day"),
        ] {
            assert_eq!(how_long(ms), text);
        }
    }

    #[test]
    fn times_are_written_as_the_calendar_has_them() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_000, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00Z"),
            (1_735_689_599_999, "2024-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(ms), text);
        }
    }

    #[test]
    fn names_neither_mention_nor_format_nor_hide() {
        assert_eq!(escaped("@everyone"), r"\@everyone");
        assert_eq!(escaped("<@&1> [x](http://y)"), r"\<\@\&1\> \[x\]\(http\:\/\/y\)");
        assert_eq!(escaped("a\u{200B}b\u{202E}c\nd"), "abcd");
        assert_eq!(escaped(" \u{200B}"), "not known");
    }

    #[test]
    fn what_discord_said_has_a_name_and_a_text() {
        for (status, code, problem) in [
            (404, Some(10_003), Some(LogProblem::UnknownChannel)),
            (403, Some(50_001), Some(LogProblem::NoAccess)),
            (403, Some(50_013), Some(LogProblem::NoPermission)),
            (403, Some(20_001), Some(LogProblem::Refused)),
            (403, None, None),
            (404, None, None),
            (400, Some(50_035), Some(LogProblem::Refused)),
            (401, Some(0), Some(LogProblem::TokenRejected)),
            (429, None, None),
            (500, None, None),
        ] {
            assert_eq!(LogProblem::of(status, code), problem);
        }
    }

    proptest! {
        #[test]
        fn every_mark_of_a_name_is_taken_for_itself(name in "\\PC{0,100}") {
            let text = escaped(&name);
            let mut chars = text.chars();
            while let Some(c) = chars.next() {
                let c = if c == '\\' { chars.next() } else { Some(c).filter(|c| !c.is_ascii_punctuation()) };
                prop_assert!(c.is_some(), "{text}");
            }
        }

        #[test]
        fn the_longest_messages_fit_ten_times(name in "\\PC{100}", days in 0..10_000_i64) {
            let pair = Pair {
                discord_name: Some(name.clone()),
                steam_name: Some(name.clone()),
                ..pair()
            };
            let by = By::Member(name);
            let embed = unlinked(&pair, "zombie-cleanup", days * DAY_MS + HOUR_MS, Some(&by), 0);
            prop_assert!(size(&embed) <= 640, "{}", size(&embed));
            prop_assert!(size(&linked(&pair, Some("DE"), 0)) <= 500);
        }
    }
}
