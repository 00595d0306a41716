//! Links taken over from another system, many at a time. Lists travel as one JSON text, as in `lookups`.

use domain::id::LinkId;
use domain::link::UnlinkCause;
use domain::platform_id::{DiscordId, SteamId};
use serde_json::json;

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{DbError, FromRow, Row, Tx};
use crate::linking::link_days::Tallies;
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    ACTIVE_OF_DISCORD: Pair = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN links l ON l.guild_num = $1 AND l.discord_id = asked.value AND l.ended_at IS NULL" postgres "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL
          AND l.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    ACTIVE_OF_STEAM: Pair = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN links l ON l.guild_num = $1 AND l.steam_id = asked.value AND l.ended_at IS NULL" postgres "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL
          AND l.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    ENDED: EndedPair = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN links l ON l.guild_num = $1 AND l.discord_id = asked.value AND l.ended_at IS NOT NULL" postgres "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NOT NULL
          AND l.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    INSERT = "
        INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, discord_name, steam_name, country,
                           linked_at, verified_at, ended_at, end_cause)
        SELECT added.value ->> 'id', CAST($1 AS BIGINT), CAST($2 AS BIGINT),
               added.value ->> 'discord_id', added.value ->> 'steam_id',
               added.value ->> 'discord_name', added.value ->> 'steam_name', added.value ->> 'country',
               CAST(added.value ->> 'linked_at' AS BIGINT), CAST(added.value ->> 'verified_at' AS BIGINT),
               CAST(added.value ->> 'ended_at' AS BIGINT), added.value ->> 'end_cause'
        FROM json_each($3) added" postgres "
        INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, discord_name, steam_name, country,
                           linked_at, verified_at, ended_at, end_cause)
        SELECT added.value ->> 'id', CAST($1 AS BIGINT), CAST($2 AS BIGINT),
               added.value ->> 'discord_id', added.value ->> 'steam_id',
               added.value ->> 'discord_name', added.value ->> 'steam_name', added.value ->> 'country',
               CAST(added.value ->> 'linked_at' AS BIGINT), CAST(added.value ->> 'verified_at' AS BIGINT),
               CAST(added.value ->> 'ended_at' AS BIGINT), added.value ->> 'end_cause'
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) AS added (value)";
}

/// An active link of one of the asked ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Active at most once in a Guild.
    pub discord_id: DiscordId,
    /// Active at most once in a Guild.
    pub steam_id: SteamId,
}

impl FromRow for Pair {
    const COLUMNS: &'static str = "l.discord_id, l.steam_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.parse(0, DiscordId::parse)?,
            steam_id: row.parse(1, SteamId::parse)?,
        })
    }
}

/// An ended link. The Steam id may be that of an erased person, so it is text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedPair {
    /// A digest for an erased person.
    pub discord_id: String,
    /// A digest for an erased person.
    pub steam_id: String,
    /// Tells one end of the same pair from another.
    pub ended_at_ms: i64,
}

impl FromRow for EndedPair {
    const COLUMNS: &'static str = "l.discord_id, l.steam_id, l.ended_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.text(0)?,
            steam_id: row.text(1)?,
            ended_at_ms: row.int(2)?,
        })
    }
}

/// The active links of these Discord ids.
pub async fn active_of_discord<'a>(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    ids: impl Iterator<Item = &'a DiscordId>,
) -> Result<Vec<Pair>, DbError> {
    let asked = json_list(ids.map(DiscordId::as_str));
    tx.list(&ACTIVE_OF_DISCORD, params![guild, &asked]).await
}

/// The active links of these Steam ids.
pub async fn active_of_steam<'a>(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    ids: impl Iterator<Item = &'a SteamId>,
) -> Result<Vec<Pair>, DbError> {
    let asked = json_list(ids.map(SteamId::as_str));
    tx.list(&ACTIVE_OF_STEAM, params![guild, &asked]).await
}

/// The ended links of these Discord ids.
pub async fn ended_of_discord<'a>(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    ids: impl Iterator<Item = &'a DiscordId>,
) -> Result<Vec<EndedPair>, DbError> {
    let asked = json_list(ids.map(DiscordId::as_str));
    tx.list(&ENDED, params![guild, &asked]).await
}

/// A link as it comes from another system, active or ended.
pub struct ImportedLink<'a> {
    /// Made before the unit.
    pub id: &'a LinkId,
    /// Free in the Guild unless the link is ended.
    pub discord_id: &'a DiscordId,
    /// Free in the Guild unless the link is ended.
    pub steam_id: &'a SteamId,
    /// As the other system knew it.
    pub discord_name: Option<&'a str>,
    /// As the other system knew it.
    pub steam_name: Option<&'a str>,
    /// Two letters.
    pub country: Option<&'a str>,
    /// Not after its end.
    pub linked_at_ms: i64,
    /// That of the import for an active one, which counts as a verification.
    pub verified_at_ms: i64,
    /// When and why, for history.
    pub ended: Option<(i64, UnlinkCause)>,
}

/// Stores links and counts them among those of their own days. The counters of active ones are the caller's to move, in
/// the same transaction.
pub async fn insert(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    links: &[ImportedLink<'_>],
) -> Result<(), DbError> {
    let list: serde_json::Value = links
        .iter()
        .map(|link| {
            json!({
                "id": link.id,
                "discord_id": link.discord_id,
                "steam_id": link.steam_id,
                "discord_name": link.discord_name,
                "steam_name": link.steam_name,
                "country": link.country,
                "linked_at": link.linked_at_ms,
                "verified_at": link.verified_at_ms,
                "ended_at": link.ended.map(|(at_ms, _)| at_ms),
                "end_cause": link.ended.map(|(_, cause)| cause.as_str()),
            })
        })
        .collect();
    let stored = tx
        .execute(&INSERT, params![scope.num(), guild, &list.to_string()])
        .await?;
    if stored != links.len() as u64 {
        return Err(DbError::Bug(format!(
            "{stored} of {} links were stored",
            links.len()
        )));
    }
    let mut counted = Tallies::default();
    for link in links {
        counted.linked(link.linked_at_ms);
        if let Some((at_ms, cause)) = link.ended {
            counted.ended(link.linked_at_ms, at_ms, cause);
        }
    }
    counted.add(tx, scope, guild).await
}
