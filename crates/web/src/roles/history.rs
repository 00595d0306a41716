//! What was done about roles and groups, and why.

use std::collections::BTreeMap;

use app::roles::history::{self, Entry, PAGE};
use app::{App, AppError};
use domain::id::{GuildId, ServerId};
use domain::platform_id::{DiscordId, EitherId, SteamId};
use domain::roles::{Cause, Change, Outcome, Side, Source};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Asked, Asks, Authorized, Question, Segments, perm};
use crate::openapi::words;
use crate::routes::{Answer, Found};

/// Changes of roles and groups, the newest first.
#[derive(Serialize, ToSchema)]
pub struct RoleHistory {
    entries: Vec<RoleHistoryEntry>,
    /// What to ask for as `cursor` to go on; nothing at the end.
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct RoleHistoryEntry {
    id: String,
    at_ms: i64,
    /// Nothing where the account was erased.
    #[schema(value_type = Option<String>)]
    discord_id: Option<DiscordId>,
    /// What they were called, where that is known.
    discord_name: Option<String>,
    /// Nothing where the account was erased.
    #[schema(value_type = Option<String>)]
    steam_id: Option<SteamId>,
    steam_name: Option<String>,
    #[schema(value_type = words::RoleSide)]
    side: Side,
    #[schema(value_type = words::RoleChangeKind)]
    change: Change,
    role_id: Option<String>,
    /// What it is called, where that is known.
    role_name: Option<String>,
    group: Option<String>,
    #[schema(value_type = Option<String>)]
    server_id: Option<ServerId>,
    server_name: Option<String>,
    #[schema(value_type = words::RoleSource)]
    source: Source,
    /// The rule in words, as it was then.
    rule: Option<String>,
    #[schema(value_type = words::RoleCause)]
    cause: Cause,
    before: Option<bool>,
    after: Option<bool>,
    #[schema(value_type = words::RoleOutcome)]
    result: Outcome,
    /// Why it could not be done.
    reason: Option<String>,
}

impl RoleHistoryEntry {
    fn of(entry: Entry, names: &BTreeMap<String, String>) -> Self {
        let (server_id, server_name) = entry.server.unzip();
        Self {
            id: entry.num.to_string(),
            at_ms: entry.at_ms,
            discord_id: entry.discord_id,
            discord_name: entry.discord_name,
            steam_id: entry.steam_id,
            steam_name: entry.steam_name,
            side: entry.side,
            change: entry.change,
            role_name: entry.role_id.as_ref().and_then(|id| names.get(id).cloned()),
            role_id: entry.role_id,
            group: entry.group,
            server_id,
            server_name,
            source: entry.source,
            rule: entry.rule,
            cause: entry.cause,
            before: entry.was,
            after: entry.became,
            result: entry.result,
            reason: entry.reason,
        }
    }
}

/// Whose changes, and from where on.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct HistoryQuery {
    member: String,
    cursor: String,
}

impl Question for HistoryQuery {
    const ASKS: &'static [Asks] = &[Asks::Text("member"), Asks::Text("cursor")];
}

impl HistoryQuery {
    fn member(&self) -> Result<Option<EitherId>, AppError> {
        match self.member.trim() {
            "" => Ok(None),
            id => EitherId::parse(id)
                .map(Some)
                .map_err(|_| AppError::invalid("member", "must be a Discord ID or a Steam ID")),
        }
    }

    fn before(&self) -> Result<Option<i64>, AppError> {
        match self.cursor.trim() {
            "" => Ok(None),
            text => text
                .parse()
                .map(Some)
                .map_err(|_| AppError::invalid("cursor", "must be as it was given")),
        }
    }
}

pub async fn list(
    app: App,
    caller: Authorized<perm::LinksView>,
    (Segments(guild), Asked(query)): (Segments<GuildId>, Asked<HistoryQuery>),
) -> Answer<Found<RoleHistory>> {
    let member = query.member()?;
    let (found, names) = history::list(&app, caller.scope, &guild, member.as_ref(), query.before()?).await?;
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count == PAGE);
    let next = found
        .last()
        .filter(|_| is_full)
        .map(|entry| entry.num.to_string());
    Ok(Found(RoleHistory {
        entries: found
            .into_iter()
            .map(|entry| RoleHistoryEntry::of(entry, &names))
            .collect(),
        next,
    }))
}
