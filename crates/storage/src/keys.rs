//! API keys: found by hash, replaced in place.

use domain::action::ActionSet;
use domain::id::{GuildId, KeyId};
use domain::key::{KeyHash, KeyKind, KeyPrefix};
use domain::plan::Tier;
use domain::platform_id::SteamId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, KnownKeys, Row, Snapshot, Tx};
use crate::orgs;
use crate::params;
use crate::scope::{GuildNum, KeyNum, OrgScope, ServerNum};

statements! {
    INSERT = "
        INSERT INTO api_keys (id, org_num, guild_num, server_num, kind, actions, tier, hash, prefix, sealed, sealed_kid, version, created_at, rotated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $12)";
    /// The hot read of the plugin API: the key and the asked-for link in one statement, so that the check is exact on
    /// every node. BETWEEN is an equality here and below: with `=` SQLite would take the unique index, which lacks the
    /// Discord id, instead of the one that has it.
    RESOLVE = "
        SELECT k.num, k.kind, k.actions, k.revoked_at, k.org_num, k.tier, k.guild_num, k.server_num, k.server_active, l.discord_id
        FROM api_keys k
        LEFT JOIN links l ON l.guild_num = k.guild_num AND l.steam_id BETWEEN $2 AND $2 AND l.ended_at IS NULL
        WHERE k.hash = $1";
    LINKED = "
        SELECT discord_id
        FROM links
        WHERE guild_num = $1 AND steam_id BETWEEN $2 AND $2 AND ended_at IS NULL";
    SCOPE = "
        SELECT k.id, g.id, g.discord_guild_id, s.id
        FROM api_keys k
        JOIN guilds g ON g.num = k.guild_num AND g.org_num = k.org_num
        LEFT JOIN servers s ON s.num = k.server_num AND s.guild_num = k.guild_num AND s.org_num = k.org_num
        WHERE k.num = $1";
    SET_TIER = "
        UPDATE api_keys
        SET tier = $2
        WHERE guild_num IN (SELECT num FROM guilds WHERE org_num = $1)";
    SET_SERVER_ACTIVE = "
        UPDATE api_keys
        SET server_active = $3
        WHERE server_num = $2 AND org_num = $1";
    REPLACE = "
        UPDATE api_keys
        SET hash = $3, prefix = $4, sealed = $5, sealed_kid = $6, version = version + 1, rotated_at = $7, revoked_at = NULL
        WHERE num = $2 AND org_num = $1 AND version = $8";
    RETIRE = "
        INSERT INTO retired_keys (hash, key_id, org_num, retired_at)
        SELECT hash, id, org_num, $3 FROM api_keys WHERE num = $2 AND org_num = $1 AND version = $4";
    REVOKE = "
        UPDATE api_keys
        SET revoked_at = $3
        WHERE num = $2 AND org_num = $1 AND revoked_at IS NULL";
    FIND_RETIRED = "
        SELECT key_id, org_num
        FROM retired_keys
        WHERE hash = $1 AND (reported_at IS NULL OR reported_at < $2)";
    REPORT_RETIRED = "
        UPDATE retired_keys
        SET reported_at = $2
        WHERE hash = $1 AND (reported_at IS NULL OR reported_at < $3)";
    PURGE_RETIRED = "
        DELETE FROM retired_keys
        WHERE hash IN (SELECT hash FROM retired_keys WHERE retired_at <= $1 ORDER BY retired_at LIMIT 500)";
    RECORD_USE = "
        UPDATE api_keys
        SET last_used_at = CASE WHEN last_used_at > $2 THEN last_used_at ELSE $2 END, query_calls = query_calls + $3
        WHERE num = $1";
    SEALED_AFTER = "
        SELECT num, id, version, sealed
        FROM api_keys
        WHERE num > $1 AND sealed_kid <> $2
        ORDER BY num
        LIMIT 200";
    SEALED_KIDS = "
        SELECT sealed_kid, CAST(COUNT(*) AS BIGINT)
        FROM api_keys
        GROUP BY sealed_kid
        ORDER BY sealed_kid";
    RESEAL = "
        UPDATE api_keys
        SET sealed = $3, sealed_kid = $4
        WHERE num = $1 AND sealed = $2";
}

/// Everything the front door needs to know about a presented key.
#[derive(Debug, Clone)]
pub struct ResolvedKey {
    pub num: KeyNum,
    pub kind: KeyKind,
    pub actions: ActionSet,
    pub revoked: bool,
    pub scope: OrgScope,
    pub tier: Tier,
    pub guild: GuildNum,
    /// None for a custom key of the whole Guild.
    pub server: Option<ServerNum>,
    pub server_active: bool,
    /// The Discord side of the asked Steam id's active link.
    pub linked_discord: Option<String>,
}

impl FromRow for ResolvedKey {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let bits = row.int(2)?;
        Ok(Self {
            num: KeyNum(row.int(0)?),
            kind: row.parse(1, |text| KeyKind::parse(text).ok_or("unknown kind"))?,
            actions: ActionSet::from_bits(bits)
                .ok_or_else(|| DbError::Bug(format!("unknown actions {bits}")))?,
            revoked: row.opt_int(3)?.is_some(),
            scope: OrgScope::new(row.int(4)?),
            tier: orgs::tier(row, 5)?,
            guild: GuildNum(row.int(6)?),
            server: row.opt_int(7)?.map(ServerNum),
            server_active: row.flag(8)?,
            linked_discord: row.opt_text(9)?,
        })
    }
}

/// The public ids of what a key is recorded for.
#[derive(Debug, Clone)]
pub struct KeyScope {
    pub key_id: KeyId,
    pub guild_id: GuildId,
    pub discord_guild_id: String,
    pub server_id: Option<String>,
}

impl FromRow for KeyScope {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            key_id: row.parse(0, KeyId::parse)?,
            guild_id: row.parse(1, GuildId::parse)?,
            discord_guild_id: row.text(2)?,
            server_id: row.opt_text(3)?,
        })
    }
}

/// The recorded Guild and Server of a key, unless they no longer belong together.
pub async fn find_scope(db: &Db, key: KeyNum) -> Result<Option<KeyScope>, DbError> {
    db.find(&SCOPE, params![key]).await
}

/// Repeats an Org's tier in its keys; in the transaction that changes it.
pub(crate) async fn set_tier(tx: &mut Tx<'_>, scope: OrgScope, tier: Tier) -> Result<(), DbError> {
    tx.execute(&SET_TIER, params![scope.num(), tier.as_str()])
        .await
        .map(drop)
}

/// Repeats a Server's switch in its keys; in the transaction that turns it.
pub(crate) async fn set_server_active(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    server: ServerNum,
    active: bool,
) -> Result<(), DbError> {
    tx.execute(&SET_SERVER_ACTIVE, params![scope.num(), server, active])
        .await
        .map(drop)
}

pub struct NewKey<'a> {
    pub id: &'a KeyId,
    pub guild: GuildNum,
    pub server: ServerNum,
    pub kind: KeyKind,
    pub actions: ActionSet,
    pub tier: Tier,
    pub hash: &'a KeyHash,
    pub prefix: &'a KeyPrefix,
    pub sealed: &'a str,
    pub sealed_kid: &'a str,
    pub now_ms: i64,
}

pub async fn insert(tx: &mut Tx<'_>, scope: OrgScope, new: &NewKey<'_>) -> Result<(), DbError> {
    let values = params![
        new.id.as_str(),
        scope.num(),
        new.guild,
        new.server,
        new.kind.as_str(),
        new.actions.bits(),
        new.tier.as_str(),
        new.hash.as_str(),
        new.prefix.as_str(),
        new.sealed,
        new.sealed_kid,
        new.now_ms,
    ];
    tx.execute_one(&INSERT, values).await
}

/// The key with this hash, its scope, and the link of `steam` in its Guild if a Steam id was asked for.
pub async fn resolve(
    db: &Db,
    hash: &KeyHash,
    steam: Option<&SteamId>,
) -> Result<Option<ResolvedKey>, DbError> {
    match db {
        Db::Sqlite(db) => db.with_known_keys(|snapshot, known| resolve_in(snapshot, known, hash, steam)),
        Db::Postgres(_) => {
            let steam = steam.map_or("", SteamId::as_str);
            db.find(&RESOLVE, params![hash.as_str(), steam]).await
        }
    }
}

/// The same in one state of an embedded database: a key is read once in it.
fn resolve_in(
    snapshot: Snapshot<'_>,
    known: &mut KnownKeys,
    hash: &KeyHash,
    steam: Option<&SteamId>,
) -> Result<Option<ResolvedKey>, DbError> {
    let mut key = match known.get(hash) {
        Some(key) => key.clone(),
        None => match snapshot.find::<ResolvedKey>(&RESOLVE, params![hash.as_str(), ""])? {
            Some(key) => known.keep(hash, key),
            None => return Ok(None),
        },
    };
    if let Some(steam) = steam {
        key.linked_discord = snapshot.find(&LINKED, params![key.guild, steam.as_str()])?;
    }
    Ok(Some(key))
}

/// Replaces hash and sealed copy in one statement and lifts a revocation. False when the key changed meanwhile.
pub async fn replace(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    key: KeyNum,
    version: i64,
    new: &Replacement<'_>,
) -> Result<bool, DbError> {
    let retired = tx
        .execute(&RETIRE, params![scope.num(), key, new.now_ms, version])
        .await?;
    if retired == 0 {
        return Ok(false);
    }
    let values = params![
        scope.num(),
        key,
        new.hash.as_str(),
        new.prefix.as_str(),
        new.sealed,
        new.sealed_kid,
        new.now_ms,
        version
    ];
    tx.execute_one(&REPLACE, values).await?;
    Ok(true)
}

pub struct Replacement<'a> {
    pub hash: &'a KeyHash,
    pub prefix: &'a KeyPrefix,
    pub sealed: &'a str,
    pub sealed_kid: &'a str,
    pub now_ms: i64,
}

/// Revokes the key; false when it already was.
pub async fn revoke(tx: &mut Tx<'_>, scope: OrgScope, key: KeyNum, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&REVOKE, params![scope.num(), key, now_ms]).await? == 1)
}

/// A key that was regenerated away and is being tried again.
#[derive(Debug, Clone)]
pub struct RetiredKey {
    pub key_id: KeyId,
    pub scope: OrgScope,
}

impl FromRow for RetiredKey {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            key_id: row.parse(0, KeyId::parse)?,
            scope: OrgScope::new(row.int(1)?),
        })
    }
}

/// The retired key with this hash, unless its use was reported after `reported_before_ms`.
pub async fn find_retired(
    db: &Db,
    hash: &KeyHash,
    reported_before_ms: i64,
) -> Result<Option<RetiredKey>, DbError> {
    db.find(&FIND_RETIRED, params![hash.as_str(), reported_before_ms])
        .await
}

/// Notes the report; false when another request was first.
pub async fn report_retired(
    tx: &mut Tx<'_>,
    hash: &KeyHash,
    now_ms: i64,
    reported_before_ms: i64,
) -> Result<bool, DbError> {
    Ok(tx
        .execute(
            &REPORT_RETIRED,
            params![hash.as_str(), now_ms, reported_before_ms],
        )
        .await?
        == 1)
}

/// Removes up to 500 retired hashes.
pub async fn purge_retired(tx: &mut Tx<'_>, retired_before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE_RETIRED, params![retired_before_ms]).await
}

/// Writes down when a key was last used; a key deleted meanwhile is no error.
pub async fn record_use(
    tx: &mut Tx<'_>,
    key: KeyNum,
    last_used_at_ms: i64,
    query_calls: i64,
) -> Result<(), DbError> {
    tx.execute(&RECORD_USE, params![key, last_used_at_ms, query_calls])
        .await
        .map(drop)
}

/// One key's sealed copy, as the walk of a key rotation sees it.
#[derive(Debug, Clone)]
pub struct SealedKey {
    pub num: KeyNum,
    pub id: KeyId,
    pub version: i64,
    pub sealed: String,
}

impl FromRow for SealedKey {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: KeyNum(row.int(0)?),
            id: row.parse(1, KeyId::parse)?,
            version: row.int(2)?,
            sealed: row.text(3)?,
        })
    }
}

/// The next slice of copies that are not sealed with `kid`, in row order.
pub async fn list_sealed_otherwise(db: &Db, after: KeyNum, kid: &str) -> Result<Vec<SealedKey>, DbError> {
    db.list_heavy(&SEALED_AFTER, params![after, kid]).await
}

/// A master key and how many copies need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KidUse {
    pub kid: String,
    pub copies: i64,
}

impl FromRow for KidUse {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            kid: row.text(0)?,
            copies: row.int(1)?,
        })
    }
}

/// Which master keys are needed to open what is stored.
pub async fn list_kids(db: &Db) -> Result<Vec<KidUse>, DbError> {
    db.list_heavy(&SEALED_KIDS, params![]).await
}

/// Swaps a sealed copy for one under another master key; false when the key was regenerated meanwhile.
pub async fn reseal(
    tx: &mut Tx<'_>,
    key: KeyNum,
    old: &str,
    new: &str,
    new_kid: &str,
) -> Result<bool, DbError> {
    Ok(tx.execute(&RESEAL, params![key, old, new, new_kid]).await? == 1)
}
