//! The bodies of Discord's answers to a person's token.

use domain::platform_id::DiscordId;
use secrecy::SecretString;
use serde::Deserialize;

use crate::http::{Answer, Unanswered};
use crate::text::shown_name;

/// Administrators may do everything; managers of the guild may claim it.
const ADMINISTRATOR: u64 = 1 << 3;
const MANAGE_GUILD: u64 = 1 << 5;

/// What a code was worth.
pub(super) enum Grant {
    Given { token: SecretString, scope: String },
    BadCode,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: SecretText,
    token_type: String,
    scope: String,
}

/// Goes from the answer into the secret without a stop.
struct SecretText(SecretString);

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(SecretString::from(text)))
    }
}

#[derive(Deserialize)]
struct Refusal<'a> {
    error: &'a str,
}

pub(super) fn grant(answer: &Answer) -> Result<Grant, Unanswered> {
    if answer.is_ok() {
        let given = answer.json::<TokenAnswer>()?;
        if !given.token_type.eq_ignore_ascii_case("bearer") {
            return Err(Unanswered::Unreadable);
        }
        return Ok(Grant::Given {
            token: given.access_token.0,
            scope: given.scope,
        });
    }
    match answer.json::<Refusal<'_>>() {
        Ok(Refusal {
            error: "invalid_grant",
        }) if answer.status.as_u16() == 400 => Ok(Grant::BadCode),
        Ok(Refusal {
            error: "invalid_client",
        }) => Err(Unanswered::Refused),
        Ok(_) | Err(_) => Err(answer.unanswered_to_us()),
    }
}

/// Somebody on Discord.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub id: DiscordId,
    /// What others see; never a proof of anything.
    pub name: String,
    /// Discord's name for their picture.
    pub avatar: Option<String>,
}

#[derive(Deserialize)]
struct User {
    id: String,
    #[serde(default)]
    username: String,
    global_name: Option<String>,
    avatar: Option<String>,
}

pub(super) fn person(answer: &Answer) -> Result<Person, Unanswered> {
    let user = found::<User>(answer)?;
    let id = DiscordId::parse(&user.id).map_err(|_| Unanswered::Unreadable)?;
    let username = shown_name(&user.username, id.as_str());
    Ok(Person {
        name: shown_name(user.global_name.as_deref().unwrap_or_default(), &username),
        avatar: user.avatar,
        id,
    })
}

/// A guild of the person who was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnGuild {
    pub id: DiscordId,
    pub name: String,
    /// Owns it, or may manage it.
    pub manages: bool,
}

#[derive(Deserialize)]
struct PartialGuild {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    owner: bool,
    permissions: String,
}

/// A guild that cannot be read cannot be claimed either, so it is left out.
pub(super) fn guilds(answer: &Answer) -> Result<Vec<OwnGuild>, Unanswered> {
    let listed = found::<Vec<PartialGuild>>(answer)?;
    let read = |guild: PartialGuild| {
        let id = DiscordId::parse(&guild.id).ok()?;
        let permissions: u64 = guild.permissions.parse().ok()?;
        Some(OwnGuild {
            name: shown_name(&guild.name, id.as_str()),
            id,
            manages: guild.owner || permissions & (ADMINISTRATOR | MANAGE_GUILD) != 0,
        })
    };
    Ok(listed.into_iter().filter_map(read).collect())
}

fn found<'a, T: Deserialize<'a>>(answer: &'a Answer) -> Result<T, Unanswered> {
    if answer.is_ok() {
        return answer.json();
    }
    // What Discord has against one person or their token is no business of others.
    Err(match answer.unanswered() {
        Unanswered::Refused => Unanswered::Personal(401),
        Unanswered::Status(403) => Unanswered::Personal(403),
        Unanswered::Throttled { for_all: false, .. } => Unanswered::Personal(429),
        other @ (Unanswered::Timeout
        | Unanswered::Unreachable
        | Unanswered::Throttled { .. }
        | Unanswered::Crowded { .. }
        | Unanswered::Status(_)
        | Unanswered::Personal(_)
        | Unanswered::TooLong
        | Unanswered::Unreadable
        | Unanswered::Paused { .. }
        | Unanswered::Held { .. }
        | Unanswered::OverQuota { .. }
        | Unanswered::Remembered { .. }
        | Unanswered::OverShare { .. }) => other,
    })
}
