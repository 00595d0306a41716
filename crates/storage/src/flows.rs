//! Flows of the link and unlink pages. Every step is a guarded update: who comes second changes nothing.

use domain::flow::{Finding, FlowPurpose, Provider};
use domain::platform_id::{DiscordId, SteamId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    INSERT = "
        INSERT INTO flows (hash, org_num, guild_num, purpose, created_at, touched_at)
        VALUES ($1, $2, $3, $4, $5, $5)";
    FIND = "
        SELECT org_num, guild_num, purpose, discord_id, discord_name, token_sealed, steam_id, steam_name, member, steam_group, finished_at
        FROM flows
        WHERE hash = $1 AND touched_at > $2";
    BEGIN_TRIP = "
        UPDATE flows
        SET trip = $2, trip_hash = $3, trip_sealed = $4, trip_discord_id = discord_id, trip_ends_at = $5, touched_at = $6
        WHERE hash = $1 AND finished_at IS NULL AND touched_at > $7";
    TRIP = "
        SELECT trip_hash, trip_sealed
        FROM flows
        WHERE hash = $1 AND trip = $2 AND trip_ends_at > $3 AND finished_at IS NULL";
    END_TRIP = "
        UPDATE flows
        SET trip = NULL, trip_hash = NULL, trip_sealed = NULL, trip_ends_at = NULL
        WHERE hash = $1 AND trip = $2 AND trip_hash = $3 AND trip_ends_at > $4 AND finished_at IS NULL";
    BIND_DISCORD = "
        UPDATE flows
        SET steam_id = CASE WHEN COALESCE(discord_id, $2) = $2 THEN steam_id END,
            steam_name = CASE WHEN COALESCE(discord_id, $2) = $2 THEN steam_name END,
            steam_group = CASE WHEN COALESCE(discord_id, $2) = $2 THEN steam_group END,
            discord_id = $2, discord_name = $3, token_sealed = $4, member = NULL, touched_at = $5
        WHERE hash = $1 AND finished_at IS NULL";
    BIND_STEAM = "
        UPDATE flows
        SET steam_id = $2, steam_name = $3, steam_group = NULL, trip_discord_id = NULL, touched_at = $4
        WHERE hash = $1 AND finished_at IS NULL AND COALESCE(trip_discord_id, '') = COALESCE(discord_id, '')";
    USE_NONCE = "
        INSERT INTO openid_nonces (nonce, seen_at)
        VALUES ($1, $2)
        ON CONFLICT (nonce) DO NOTHING";
    NOTE_FINDINGS = "
        UPDATE flows
        SET member = COALESCE($2, member), steam_group = COALESCE($3, steam_group), touched_at = $4
        WHERE hash = $1 AND finished_at IS NULL";
    FINISH = "
        UPDATE flows
        SET finished_at = $2, touched_at = $2, token_sealed = NULL
        WHERE hash = $1 AND finished_at IS NULL";
    DELETE = "
        DELETE FROM flows
        WHERE hash = $1";
    EXPIRED_WITH_TOKEN = "
        SELECT hash, token_sealed
        FROM flows
        WHERE touched_at <= $1 AND token_sealed IS NOT NULL
        ORDER BY touched_at
        LIMIT 100";
    PURGE = "
        DELETE FROM flows
        WHERE hash IN (SELECT hash FROM flows WHERE touched_at <= $1 AND token_sealed IS NULL ORDER BY touched_at LIMIT 500)";
    PURGE_NONCES = "
        DELETE FROM openid_nonces
        WHERE nonce IN (SELECT nonce FROM openid_nonces WHERE seen_at <= $1 ORDER BY seen_at LIMIT 500)";
}

/// A flow as the browser that owns it may see it.
#[derive(Debug, Clone)]
pub struct Flow {
    pub scope: OrgScope,
    pub guild: GuildNum,
    pub purpose: FlowPurpose,
    pub discord: Option<(DiscordId, String)>,
    /// The token for adding the person to the Discord server.
    pub token_sealed: Option<String>,
    pub steam: Option<(SteamId, String)>,
    pub member: Option<Finding>,
    pub steam_group: Option<Finding>,
    pub finished: bool,
}

impl FromRow for Flow {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let finding = |column| match row.opt_text(column)? {
            Some(text) => Finding::parse(&text)
                .map(Some)
                .ok_or_else(|| DbError::Bug(format!("unknown finding {text}"))),
            None => Ok(None),
        };
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            guild: GuildNum(row.int(1)?),
            purpose: row.parse(2, |text| FlowPurpose::parse(text).ok_or("unknown purpose"))?,
            discord: match row.opt_text(4)? {
                Some(name) => Some((row.parse(3, DiscordId::parse)?, name)),
                None => None,
            },
            token_sealed: row.opt_text(5)?,
            steam: match row.opt_text(7)? {
                Some(name) => Some((row.parse(6, SteamId::parse)?, name)),
                None => None,
            },
            member: finding(8)?,
            steam_group: finding(9)?,
            finished: row.opt_int(10)?.is_some(),
        })
    }
}

pub async fn insert(
    tx: &mut Tx<'_>,
    hash: &str,
    scope: OrgScope,
    guild: GuildNum,
    purpose: FlowPurpose,
    now_ms: i64,
) -> Result<(), DbError> {
    let values = params![hash, scope.num(), guild, purpose.as_str(), now_ms];
    tx.execute_one(&INSERT, values).await
}

/// The flow of a browser, unless its last step was before `alive_since_ms`.
pub async fn find(db: &Db, hash: &str, alive_since_ms: i64) -> Result<Option<Flow>, DbError> {
    db.find(&FIND, params![hash, alive_since_ms]).await
}

pub async fn find_in(tx: &mut Tx<'_>, hash: &str, alive_since_ms: i64) -> Result<Option<Flow>, DbError> {
    tx.find(&FIND, params![hash, alive_since_ms]).await
}

/// One trip to a provider. A new one ends the one before it.
pub struct Trip<'a> {
    pub provider: Provider,
    /// Of the secret that has to come back.
    pub hash: &'a str,
    pub sealed: Option<&'a str>,
    pub ends_at_ms: i64,
}

/// False when the flow is over.
pub async fn begin_trip(
    tx: &mut Tx<'_>,
    flow: &str,
    trip: &Trip<'_>,
    now_ms: i64,
    alive_since_ms: i64,
) -> Result<bool, DbError> {
    let values = params![
        flow,
        trip.provider.as_str(),
        trip.hash,
        trip.sealed,
        trip.ends_at_ms,
        now_ms,
        alive_since_ms,
    ];
    Ok(tx.execute(&BEGIN_TRIP, values).await? == 1)
}

/// What has to come back from the trip under way.
#[derive(Debug, Clone)]
pub struct Expected {
    pub hash: String,
    pub sealed: Option<String>,
}

impl FromRow for Expected {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            hash: row.text(0)?,
            sealed: row.opt_text(1)?,
        })
    }
}

pub async fn find_trip(
    db: &Db,
    flow: &str,
    provider: Provider,
    now_ms: i64,
) -> Result<Option<Expected>, DbError> {
    db.find(&TRIP, params![flow, provider.as_str(), now_ms]).await
}

/// Uses a trip up. True once: for whoever comes first, in time.
pub async fn end_trip(
    tx: &mut Tx<'_>,
    flow: &str,
    provider: Provider,
    hash: &str,
    now_ms: i64,
) -> Result<bool, DbError> {
    let values = params![flow, provider.as_str(), hash, now_ms];
    Ok(tx.execute(&END_TRIP, values).await? == 1)
}

/// Notes who signed in with Discord. Somebody else than before has to show their Steam account again.
pub async fn bind_discord(
    tx: &mut Tx<'_>,
    flow: &str,
    id: &DiscordId,
    name: &str,
    token_sealed: Option<&str>,
    now_ms: i64,
) -> Result<bool, DbError> {
    let values = params![flow, id.as_str(), name, token_sealed, now_ms];
    Ok(tx.execute(&BIND_DISCORD, values).await? == 1)
}

/// Notes who signed in with Steam. False when the trip began for somebody else on Discord, or the flow is over.
pub async fn bind_steam(
    tx: &mut Tx<'_>,
    flow: &str,
    id: &SteamId,
    name: &str,
    now_ms: i64,
) -> Result<bool, DbError> {
    let values = params![flow, id.as_str(), name, now_ms];
    Ok(tx.execute(&BIND_STEAM, values).await? == 1)
}

/// Uses up one of Steam's one-time numbers; false when it was used before, on whatever node.
pub async fn use_nonce(tx: &mut Tx<'_>, nonce: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&USE_NONCE, params![nonce, now_ms]).await? == 1)
}

/// Notes what was found out; what was not asked stays.
pub async fn note_findings(
    tx: &mut Tx<'_>,
    flow: &str,
    member: Option<Finding>,
    group: Option<Finding>,
    now_ms: i64,
) -> Result<(), DbError> {
    let values = params![
        flow,
        member.map(Finding::as_str),
        group.map(Finding::as_str),
        now_ms
    ];
    tx.execute(&NOTE_FINDINGS, values).await.map(drop)
}

/// Ends the flow with success. True once.
pub async fn finish(tx: &mut Tx<'_>, flow: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&FINISH, params![flow, now_ms]).await? == 1)
}

pub async fn delete(tx: &mut Tx<'_>, flow: &str) -> Result<(), DbError> {
    tx.execute(&DELETE, params![flow]).await.map(drop)
}

/// A flow that ended without using its token up.
#[derive(Debug, Clone)]
pub struct LeftToken {
    pub flow: String,
    pub sealed: String,
}

impl FromRow for LeftToken {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            flow: row.text(0)?,
            sealed: row.text(1)?,
        })
    }
}

pub async fn list_left_tokens(db: &Db, touched_before_ms: i64) -> Result<Vec<LeftToken>, DbError> {
    db.list_heavy(&EXPIRED_WITH_TOKEN, params![touched_before_ms])
        .await
}

/// Removes up to 500 flows that are over and hold no token.
pub async fn purge(tx: &mut Tx<'_>, touched_before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![touched_before_ms]).await
}

/// Removes up to 500 one-time numbers that are too old to be accepted anyway.
pub async fn purge_nonces(tx: &mut Tx<'_>, seen_before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE_NONCES, params![seen_before_ms]).await
}
