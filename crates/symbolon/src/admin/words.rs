//! What all commands share: reading arguments, finding what they name, fields to print.

use app::error::RequestError;
use app::tenancy::{guilds, orgs, servers};
use app::{App, AppError, OrgScope};
use domain::erased::is_erased;
use domain::id::{GuildId, ServerId};
use domain::platform_id::EitherId;
use jiff::Timestamp;

use super::Fields;

pub(super) fn fields<const N: usize>(pairs: [(&str, &str); N]) -> Fields {
    pairs
        .into_iter()
        .fold(Fields::new(), |all, (name, text)| all.with(name, text))
}

/// A time as people read it.
pub(super) fn utc(at_ms: i64) -> String {
    match Timestamp::from_millisecond(at_ms) {
        Ok(at) => at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => at_ms.to_string(),
    }
}

/// An account of Discord or Steam, as it is stored; nothing for one that was erased.
pub(super) fn known(id: &str) -> Option<&str> {
    Some(id).filter(|id| !is_erased(id))
}

/// The same for people, with its name where there is one.
pub(super) fn account(id: &str, name: Option<&str>) -> String {
    match (known(id), name) {
        (None, _) => "an erased account".to_owned(),
        (Some(id), None) => id.to_owned(),
        (Some(id), Some(name)) => format!("{id} ({name})"),
    }
}

/// The account that was named, if any. No command takes both.
pub(super) fn either(discord: Option<&str>, steam: Option<&str>) -> Result<Option<EitherId>, AppError> {
    Ok(match (discord, steam) {
        (Some(text), _) => Some(EitherId::Discord(parse::discord("discord", text)?)),
        (None, Some(text)) => Some(EitherId::Steam(parse::steam("steam", text)?)),
        (None, None) => None,
    })
}

pub(super) async fn find_org(app: &App, text: &str) -> Result<orgs::Org, AppError> {
    let found = orgs::get(app, &parse::org("org", text)?).await;
    found.map_err(|error| named(error, "org", "there is no such organisation"))
}

pub(super) async fn find_guild(app: &App, text: &str) -> Result<(OrgScope, GuildId), AppError> {
    let id = parse::guild("guild", text)?;
    let found = guilds::find_org(app, &id).await;
    let scope = found.map_err(|error| named(error, "guild", "there is no such Guild"))?;
    Ok((scope, id))
}

pub(super) async fn find_server(app: &App, text: &str) -> Result<(OrgScope, ServerId), AppError> {
    let id = parse::server("server", text)?;
    let found = servers::find_org(app, &id).await;
    let scope = found.map_err(|error| named(error, "server", "there is no such Server"))?;
    Ok((scope, id))
}

/// A command names several things; the answer says which of them does not exist.
pub(super) fn named(error: AppError, argument: &'static str, problem: &str) -> AppError {
    if matches!(error, AppError::Request(RequestError::NotFound)) {
        AppError::invalid(argument, problem)
    } else {
        error
    }
}

/// Values from the command line, checked once.
pub(super) mod parse {
    use app::AppError;
    use domain::id::{GuildId, OrgId, ServerId};
    use domain::link::Country;
    use domain::name::{DisplayName, Slug};
    use domain::plan::Tier;
    use domain::platform_id::{DiscordId, SteamId};

    macro_rules! parsers {
        ($($name:ident $kind:ident)+) => {$(
            pub fn $name(argument: &'static str, text: &str) -> Result<$kind, AppError> {
                $kind::parse(text).map_err(|error| AppError::invalid(argument, error))
            }
        )+};
    }

    parsers! {
        org OrgId
        guild GuildId
        server ServerId
        discord DiscordId
        steam SteamId
        country Country
        name DisplayName
        slug Slug
    }

    /// The given slug, or one made from the name.
    pub fn slug_or_from(given: Option<&str>, name: &DisplayName) -> Result<Slug, AppError> {
        match given {
            Some(text) => slug("slug", text),
            None => Slug::from_name(name.as_str())
                .ok_or_else(|| AppError::invalid("slug", "choose one: it cannot be made from this name")),
        }
    }

    /// What somebody is called on Discord or Steam.
    pub fn given_name(argument: &'static str, text: &str) -> Result<String, AppError> {
        domain::name::given_name(text)
            .ok_or_else(|| AppError::invalid(argument, "a name has 1 to 200 characters"))
    }

    pub fn tier(text: &str) -> Result<Tier, AppError> {
        Tier::parse(text).ok_or_else(|| AppError::invalid("tier", "must be free, standard, pro or none"))
    }
}
