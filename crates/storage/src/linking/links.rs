//! Links between a Discord id and a Steam id in a Guild.

use domain::erased::Tombstones;
use domain::id::LinkId;
use domain::link::{ActiveLink, UnlinkCause};
use domain::platform_id::{DiscordId, SteamId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::linking::link_days::Tallies;
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    BY_DISCORD: ActiveLink = "
        SELECT {columns}
        FROM links
        WHERE guild_num = $1 AND discord_id = $2 AND ended_at IS NULL";
    BY_STEAM: ActiveLink = "
        SELECT {columns}
        FROM links
        WHERE guild_num = $1 AND steam_id = $2 AND ended_at IS NULL";
    INSERT = "
        INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, country, linked_at, verified_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)";
    END: Ended = "
        UPDATE links
        SET ended_at = CASE WHEN verified_at > $3 THEN verified_at ELSE $3 END, end_cause = $4
        WHERE num = $2 AND org_num = $1 AND ended_at IS NULL
        RETURNING {columns}";
    /// What ended or was verified is dormant no more.
    FORGET_FLAG = "
        DELETE FROM dormant_links
        WHERE link_num = $1";
    FORGET_FLAGS = "
        DELETE FROM dormant_links
        WHERE link_num IN (
            SELECT num
            FROM links
            WHERE guild_num = $2 AND org_num = $1 AND ended_at IS NULL
            ORDER BY discord_id
            LIMIT $3)";
    END_SLICE: Ended = "
        UPDATE links
        SET ended_at = CASE WHEN verified_at > $3 THEN verified_at ELSE $3 END, end_cause = $4
        WHERE num IN (
            SELECT num
            FROM links
            WHERE guild_num = $2 AND org_num = $1 AND ended_at IS NULL
            ORDER BY discord_id
            LIMIT $5)
        RETURNING {columns}";
    VERIFIED = "
        UPDATE links
        SET verified_at = CASE WHEN verified_at > $3 THEN verified_at ELSE $3 END, country = COALESCE($4, country)
        WHERE num = $2 AND org_num = $1 AND ended_at IS NULL";
    SET_NAMES = "
        UPDATE links
        SET discord_name = $4, steam_name = $5,
            nickname_pending = CASE WHEN COALESCE(nickname, '') = $5 THEN 0 ELSE 1 END
        WHERE guild_num = $2 AND org_num = $1 AND discord_id = $3 AND ended_at IS NULL";
    LAST_END_OF_DISCORD = "
        SELECT ended_at, num, CAST(CASE WHEN steam_id IN ($3, $5) THEN 1 ELSE 0 END AS BIGINT)
        FROM links
        WHERE guild_num = $1 AND discord_id IN ($2, $4) AND ended_at IS NOT NULL AND end_cause IN ('user', 'plugin', 'relink')
        ORDER BY ended_at DESC, num DESC
        LIMIT 1";
    LAST_END_OF_STEAM = "
        SELECT ended_at, num, CAST(CASE WHEN discord_id IN ($2, $4) THEN 1 ELSE 0 END AS BIGINT)
        FROM links
        WHERE guild_num = $1 AND steam_id IN ($3, $5) AND ended_at IS NOT NULL AND end_cause IN ('user', 'plugin', 'relink')
        ORDER BY ended_at DESC, num DESC
        LIMIT 1";
    HISTORY: LinkRecord = "
        SELECT {columns}
        FROM links
        WHERE org_num = $1
        ORDER BY num DESC
        LIMIT $2";
}

impl FromRow for ActiveLink {
    const COLUMNS: &'static str = "num, id, discord_id, steam_id, linked_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            id: row.parse(1, LinkId::parse)?,
            discord_id: row.parse(2, DiscordId::parse)?,
            steam_id: row.parse(3, SteamId::parse)?,
            linked_at_ms: row.int(4)?,
        })
    }
}

/// The active link of a Discord account. Two look-ups for two sides: SQLite reads too much for an `OR`.
pub async fn find_by_discord(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    discord_id: &DiscordId,
) -> Result<Option<ActiveLink>, DbError> {
    tx.find(&BY_DISCORD, params![guild, discord_id.as_str()]).await
}

/// The active link of a Steam account.
pub async fn find_by_steam(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    steam_id: &SteamId,
) -> Result<Option<ActiveLink>, DbError> {
    tx.find(&BY_STEAM, params![guild, steam_id.as_str()]).await
}

/// A link to be made. Both ids are free in the Guild: the unit ended older links before.
pub struct NewLink<'a> {
    /// Made before the unit.
    pub id: &'a LinkId,
    /// Has to be the scope's.
    pub guild: GuildNum,
    /// A second active link of it breaks a unique index.
    pub discord_id: &'a DiscordId,
    /// A second active link of it breaks a unique index.
    pub steam_id: &'a SteamId,
    /// Two letters, where it is known.
    pub country: Option<&'a str>,
    /// Of the link and of its verification.
    pub now_ms: i64,
}

/// Makes the link and counts it among those of its day. Under the Org's lock; other counters are the caller's.
pub async fn insert(tx: &mut Tx<'_>, scope: OrgScope, new: &NewLink<'_>) -> Result<(), DbError> {
    let values = params![
        new.id.as_str(),
        scope.num(),
        new.guild,
        new.discord_id.as_str(),
        new.steam_id.as_str(),
        new.country,
        new.now_ms,
    ];
    tx.execute_one(&INSERT, values).await?;
    let mut counted = Tallies::default();
    counted.linked(new.now_ms);
    counted.add(tx, scope, new.guild).await
}

/// A link that has just ended.
struct Ended {
    guild: GuildNum,
    discord_id: String,
    linked_at_ms: i64,
    ended_at_ms: i64,
}

impl FromRow for Ended {
    const COLUMNS: &'static str = "guild_num, discord_id, linked_at, ended_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            guild: GuildNum(row.int(0)?),
            discord_id: row.text(1)?,
            linked_at_ms: row.int(2)?,
            ended_at_ms: row.int(3)?,
        })
    }
}

/// Archives an active link and counts its end. A clock that went backwards cannot end it before it was last verified.
pub async fn end(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    link_num: i64,
    now_ms: i64,
    cause: UnlinkCause,
) -> Result<(), DbError> {
    tx.execute(&FORGET_FLAG, params![link_num]).await?;
    let values = params![scope.num(), link_num, now_ms, cause.as_str()];
    let ended: Ended = tx.get(&END, values).await?;
    let mut counted = Tallies::default();
    counted.ended(ended.linked_at_ms, ended.ended_at_ms, cause);
    counted.add(tx, scope, ended.guild).await
}

/// Archives up to `limit` active links of a Guild and tells whose they were.
pub async fn end_slice(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    at_ms: i64,
    cause: UnlinkCause,
    limit: i64,
) -> Result<Vec<String>, DbError> {
    tx.execute(&FORGET_FLAGS, params![scope.num(), guild, limit])
        .await?;
    let values = params![scope.num(), guild, at_ms, cause.as_str(), limit];
    let ended: Vec<Ended> = tx.list(&END_SLICE, values).await?;
    let mut counted = Tallies::default();
    for link in &ended {
        counted.ended(link.linked_at_ms, link.ended_at_ms, cause);
    }
    counted.add(tx, scope, guild).await?;
    Ok(ended.into_iter().map(|link| link.discord_id).collect())
}

/// Notes another verification of an existing pair; a country that is not known leaves the one before.
pub async fn mark_verified(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    link_num: i64,
    now_ms: i64,
    country: Option<&str>,
) -> Result<(), DbError> {
    tx.execute(&FORGET_FLAG, params![link_num]).await?;
    tx.execute_one(&VERIFIED, params![scope.num(), link_num, now_ms, country])
        .await
}

/// Notes what both sides are called, as their providers just said.
pub async fn set_names(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    discord_id: &DiscordId,
    discord_name: &str,
    steam_name: &str,
) -> Result<(), DbError> {
    let values = params![scope.num(), guild, discord_id.as_str(), discord_name, steam_name];
    tx.execute_one(&SET_NAMES, values).await
}

/// The end of the last link that either account had in a Guild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastEnd {
    /// When it ended.
    pub at_ms: i64,
    num: i64,
    /// It joined the same two accounts.
    pub is_same_pair: bool,
}

impl FromRow for LastEnd {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            at_ms: row.int(0)?,
            num: row.int(1)?,
            is_same_pair: row.flag(2)?,
        })
    }
}

/// Links that staff ended, or that ended because nobody played, do not count. Those from before an erasure do.
pub async fn find_last_end(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    discord_id: &DiscordId,
    steam_id: &SteamId,
    erased: &Tombstones,
) -> Result<Option<LastEnd>, DbError> {
    let (discord_id, steam_id) = (discord_id.as_str(), steam_id.as_str());
    let (discord_gone, steam_gone) = (erased.discord.as_str(), erased.steam.as_str());
    let values = params![guild, discord_id, steam_id, discord_gone, steam_gone];
    let by_discord: Option<LastEnd> = tx.find(&LAST_END_OF_DISCORD, values).await?;
    let by_steam: Option<LastEnd> = tx.find(&LAST_END_OF_STEAM, values).await?;
    let newest = by_discord.into_iter().chain(by_steam);
    Ok(newest.max_by_key(|last| (last.at_ms, last.num)))
}

/// One row of an Org's history, active or ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRecord {
    /// Public, also of ended links.
    pub id: String,
    /// A digest for an erased person.
    pub discord_id: String,
    /// A digest for an erased person.
    pub steam_id: String,
    /// When the pair was tied.
    pub linked_at_ms: i64,
    /// None while it is active.
    pub ended_at_ms: Option<i64>,
    /// A name of `UnlinkCause`, with the end.
    pub end_cause: Option<String>,
}

impl FromRow for LinkRecord {
    const COLUMNS: &'static str = "id, discord_id, steam_id, linked_at, ended_at, end_cause";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.text(0)?,
            discord_id: row.text(1)?,
            steam_id: row.text(2)?,
            linked_at_ms: row.int(3)?,
            ended_at_ms: row.opt_int(4)?,
            end_cause: row.opt_text(5)?,
        })
    }
}

/// The newest links of an Org, ended ones included.
pub async fn list_newest(db: &Db, scope: OrgScope, limit: i64) -> Result<Vec<LinkRecord>, DbError> {
    db.list_heavy(&HISTORY, params![scope.num(), limit]).await
}
