//! Flows of the link and unlink pages. Every step is a guarded update: who comes second changes nothing.

use domain::flow::{Finding, FlowPurpose, Provider};
use domain::id::GuildId;
use domain::platform_id::{DiscordId, SteamId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    CLEAR = "
        DELETE FROM flows
        WHERE hash = $1 AND (finished_at IS NOT NULL OR touched_at <= $2)";
    ENSURE = "
        INSERT INTO flows (hash, org_num, guild_num, purpose, created_at, touched_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (hash) DO UPDATE
        SET touched_at = CASE WHEN flows.touched_at > excluded.touched_at THEN flows.touched_at ELSE excluded.touched_at END";
    IS_THERE = "
        SELECT created_at
        FROM flows
        WHERE hash = $1";
    FIND: Flow = "
        SELECT {columns}
        FROM flows
        WHERE hash = $1 AND touched_at > $2";
    BEGIN_TRIP = "
        INSERT INTO flow_trips (hash, flow, provider, sealed, sealed_kid, discord_id, ends_at)
        SELECT $2, f.hash, $3, $4, $5, f.discord_id, $6
        FROM flows f
        WHERE f.hash = $1";
    TRIP: FoundTrip = "
        SELECT {columns}
        FROM flow_trips t
        JOIN flows f ON f.hash = t.flow
        WHERE t.hash = $1 AND t.provider = $2 AND f.purpose = $3 AND t.ends_at > $4 AND f.finished_at IS NULL AND f.touched_at > $5";
    END_TRIP = "
        DELETE FROM flow_trips
        WHERE hash = $1 AND ends_at > $2";
    BIND_DISCORD = "
        UPDATE flows
        SET steam_id = CASE WHEN COALESCE(discord_id, $2) = $2 THEN steam_id END,
            steam_name = CASE WHEN COALESCE(discord_id, $2) = $2 THEN steam_name END,
            steam_group = CASE WHEN COALESCE(discord_id, $2) = $2 THEN steam_group END,
            discord_id = $2, discord_name = $3, token_sealed = $4, token_kid = $6, member = NULL,
            touched_at = CASE WHEN touched_at > $5 THEN touched_at ELSE $5 END
        WHERE hash = $1 AND finished_at IS NULL";
    BIND_STEAM = "
        UPDATE flows
        SET steam_id = $2, steam_name = $3, steam_group = NULL,
            touched_at = CASE WHEN touched_at > $4 THEN touched_at ELSE $4 END
        WHERE hash = $1 AND finished_at IS NULL AND COALESCE($5, discord_id, '') = COALESCE(discord_id, '')";
    USE_NONCE = "
        INSERT INTO openid_nonces (nonce, seen_at)
        VALUES ($1, $2)
        ON CONFLICT (nonce) DO NOTHING";
    NOTE_FINDINGS = "
        UPDATE flows
        SET member = COALESCE($2, member), steam_group = COALESCE($3, steam_group),
            touched_at = CASE WHEN touched_at > $4 THEN touched_at ELSE $4 END
        WHERE hash = $1 AND finished_at IS NULL";
    FINISH = "
        UPDATE flows
        SET finished_at = $2, token_sealed = NULL, token_kid = NULL,
            touched_at = CASE WHEN touched_at > $2 THEN touched_at ELSE $2 END
        WHERE hash = $1 AND finished_at IS NULL";
    DELETE = "
        DELETE FROM flows
        WHERE hash = $1";
    EXPIRED_WITH_TOKEN: LeftToken = "
        SELECT {columns}
        FROM flows
        WHERE touched_at <= $1 AND token_sealed IS NOT NULL
        ORDER BY touched_at
        LIMIT 100";
    ENDED_WITH_TOKEN: LeftToken = "
        SELECT {columns}
        FROM flows
        WHERE finished_at >= 0 AND token_sealed IS NOT NULL
          AND org_num = $1 AND guild_num = (SELECT num FROM guilds WHERE id = $2 AND org_num = $1)
        ORDER BY finished_at
        LIMIT 20";
    HOLDS_TOKEN = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM flows
        WHERE discord_id = $1 AND token_sealed IS NOT NULL AND finished_at IS NULL AND touched_at > $2";
    END_OF_GUILD = "
        UPDATE flows
        SET finished_at = $3
        WHERE guild_num = $2 AND org_num = $1 AND token_sealed IS NOT NULL AND finished_at IS NULL";
    DELETE_OF_GUILD = "
        DELETE FROM flows
        WHERE guild_num = $2 AND org_num = $1 AND token_sealed IS NULL";
    PURGE_TRIPS = "
        DELETE FROM flow_trips
        WHERE hash IN (SELECT hash FROM flow_trips WHERE ends_at <= $1 ORDER BY ends_at LIMIT 500)";
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
    /// Of the page's Org.
    pub scope: OrgScope,
    /// Whose page it began on; it is good for no other.
    pub guild: GuildNum,
    /// Linking and unlinking do not share sign-ins.
    pub purpose: FlowPurpose,
    /// Who signed in there, with their name.
    pub discord: Option<(DiscordId, String)>,
    /// The token for adding the person to the Discord server.
    pub token_sealed: Option<String>,
    /// Who signed in there, with their name.
    pub steam: Option<(SteamId, String)>,
    /// Whether they are in the Discord server, as last seen.
    pub member: Option<Finding>,
    /// Whether they are in the Steam group, as last seen.
    pub steam_group: Option<Finding>,
    /// Nothing changes it any more.
    pub finished: bool,
}

impl FromRow for Flow {
    const COLUMNS: &'static str = "\
        org_num, guild_num, purpose, discord_id, discord_name, token_sealed, steam_id, steam_name, member, \
        steam_group, finished_at";

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

/// The flow of a page, made anew if the one before is over. What is under way goes on. Tells whether it is a new one.
pub async fn ensure(
    tx: &mut Tx<'_>,
    hash: &str,
    scope: OrgScope,
    guild: GuildNum,
    purpose: FlowPurpose,
    now_ms: i64,
    alive_since_ms: i64,
) -> Result<bool, DbError> {
    tx.execute(&CLEAR, params![hash, alive_since_ms]).await?;
    let values = params![hash, scope.num(), guild, purpose.as_str(), now_ms];
    let before: Option<i64> = tx.find(&IS_THERE, params![hash]).await?;
    tx.execute_one(&ENSURE, values).await?;
    Ok(before.is_none())
}

/// The flow of a browser, unless its last step was before `alive_since_ms`.
pub async fn find(db: &Db, hash: &str, alive_since_ms: i64) -> Result<Option<Flow>, DbError> {
    db.find(&FIND, params![hash, alive_since_ms]).await
}

/// The same inside a unit of work. It does not lock the flow.
pub async fn find_in(tx: &mut Tx<'_>, hash: &str, alive_since_ms: i64) -> Result<Option<Flow>, DbError> {
    tx.find(&FIND, params![hash, alive_since_ms]).await
}

/// One trip to a provider. Several may be under way at once.
pub struct Trip<'a> {
    /// A trip comes back from where it went.
    pub provider: Provider,
    /// Of the secret that has to come back.
    pub hash: &'a str,
    /// The verifier, and the master key it is sealed with.
    pub sealed: Option<&'a (String, String)>,
    /// It does not come back after that.
    pub ends_at_ms: i64,
}

/// Sends a flow on its way. The trip keeps who had signed in with Discord by then.
pub async fn begin_trip(tx: &mut Tx<'_>, flow: &str, trip: &Trip<'_>) -> Result<(), DbError> {
    let values = params![
        flow,
        trip.hash,
        trip.provider.as_str(),
        trip.sealed.map(|(sealed, _)| sealed.as_str()),
        trip.sealed.map(|(_, kid)| kid.as_str()),
        trip.ends_at_ms,
    ];
    tx.execute_one(&BEGIN_TRIP, values).await
}

/// A trip that somebody came back from.
#[derive(Debug, Clone)]
pub struct FoundTrip {
    /// The hash of its flow.
    pub flow: String,
    /// The PKCE verifier; Steam needs none.
    pub sealed: Option<String>,
    /// Who was signed in with Discord when it began.
    pub discord_id: Option<String>,
    /// Of the flow's Org.
    pub scope: OrgScope,
    /// Of the flow.
    pub guild: GuildNum,
}

impl FromRow for FoundTrip {
    const COLUMNS: &'static str = "t.flow, t.sealed, t.discord_id, f.org_num, f.guild_num";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            flow: row.text(0)?,
            sealed: row.opt_text(1)?,
            discord_id: row.opt_text(2)?,
            scope: OrgScope::new(row.int(3)?),
            guild: GuildNum(row.int(4)?),
        })
    }
}

/// The trip with this hash, while it and its flow last.
pub async fn find_trip(
    db: &Db,
    hash: &str,
    provider: Provider,
    purpose: FlowPurpose,
    now_ms: i64,
    alive_since_ms: i64,
) -> Result<Option<FoundTrip>, DbError> {
    let values = params![hash, provider.as_str(), purpose.as_str(), now_ms, alive_since_ms];
    db.find(&TRIP, values).await
}

/// Uses a trip up. True once: for whoever comes first, in time.
pub async fn end_trip(tx: &mut Tx<'_>, hash: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&END_TRIP, params![hash, now_ms]).await? == 1)
}

/// Notes who signed in with Discord, with their sealed token and its master key. Somebody else than before has to show their Steam account again.
pub async fn bind_discord(
    tx: &mut Tx<'_>,
    flow: &str,
    id: &DiscordId,
    name: &str,
    token: Option<&(String, String)>,
    now_ms: i64,
) -> Result<bool, DbError> {
    let (sealed, kid) = (
        token.map(|(sealed, _)| sealed.as_str()),
        token.map(|(_, kid)| kid.as_str()),
    );
    let values = params![flow, id.as_str(), name, sealed, now_ms, kid];
    Ok(tx.execute(&BIND_DISCORD, values).await? == 1)
}

/// Notes who signed in with Steam. False when the trip began for somebody else on Discord, or the flow is over.
pub async fn bind_steam(
    tx: &mut Tx<'_>,
    flow: &str,
    id: &SteamId,
    name: &str,
    begun_by: Option<&str>,
    now_ms: i64,
) -> Result<bool, DbError> {
    let values = params![flow, id.as_str(), name, now_ms, begun_by];
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

/// Forgets a flow and its trips.
pub async fn delete(tx: &mut Tx<'_>, flow: &str) -> Result<(), DbError> {
    tx.execute(&DELETE, params![flow]).await.map(drop)
}

/// A flow that ended without using its token up.
#[derive(Debug, Clone)]
pub struct LeftToken {
    /// The hash of the flow that still holds it.
    pub flow: String,
    /// To be opened once, to be given back.
    pub sealed: String,
    /// Whose it is.
    pub discord_id: String,
    /// When somebody was last seen in the flow.
    pub touched_at_ms: i64,
}

impl FromRow for LeftToken {
    const COLUMNS: &'static str = "hash, token_sealed, COALESCE(discord_id, ''), touched_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            flow: row.text(0)?,
            sealed: row.text(1)?,
            discord_id: row.text(2)?,
            touched_at_ms: row.int(3)?,
        })
    }
}

/// Of flows that are over by their age, 100 at most.
pub async fn list_left_tokens(db: &Db, touched_before_ms: i64) -> Result<Vec<LeftToken>, DbError> {
    db.list_heavy(&EXPIRED_WITH_TOKEN, params![touched_before_ms])
        .await
}

/// Of flows that ended with their Guild, 20 at most.
pub async fn list_tokens_of(db: &Db, scope: OrgScope, guild: &GuildId) -> Result<Vec<LeftToken>, DbError> {
    db.list(&ENDED_WITH_TOKEN, params![scope.num(), guild.as_str()])
        .await
}

/// Whether a flow under way needs a token of this person.
pub async fn is_token_needed(db: &Db, discord_id: &str, alive_since_ms: i64) -> Result<bool, DbError> {
    let holders: Option<i64> = db.find(&HOLDS_TOKEN, params![discord_id, alive_since_ms]).await?;
    Ok(holders.is_some_and(|holders| holders > 0))
}

/// Ends all flows of a Guild. Those that hold a token stay until it is given back.
pub(crate) async fn end_of_guild(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&END_OF_GUILD, params![scope.num(), guild, now_ms])
        .await?;
    tx.execute(&DELETE_OF_GUILD, params![scope.num(), guild]).await?;
    Ok(())
}

/// Removes up to 500 trips that nobody came back from.
pub async fn purge_trips(tx: &mut Tx<'_>, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE_TRIPS, params![now_ms]).await
}

/// Removes up to 500 flows that are over and hold no token.
pub async fn purge(tx: &mut Tx<'_>, touched_before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![touched_before_ms]).await
}

/// Removes up to 500 one-time numbers that are too old to be accepted anyway.
pub async fn purge_nonces(tx: &mut Tx<'_>, seen_before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE_NONCES, params![seen_before_ms]).await
}
