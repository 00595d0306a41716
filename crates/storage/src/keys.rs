//! API keys: found by hash, replaced in place.

use domain::action::ActionSet;
use domain::id::KeyId;
use domain::key::{KeyHash, KeyKind, KeyPrefix};
use domain::plan::Tier;
use domain::platform_id::{DiscordId, SteamId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::orgs;
use crate::params;
use crate::scope::{GuildNum, KeyNum, OrgScope, ServerNum};

statements! {
    INSERT = "
        INSERT INTO api_keys (id, org_num, guild_num, server_num, kind, actions, hash, prefix, sealed, sealed_kid, version, created_at, rotated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11)";
    /// The hot read of the plugin API: key, scope and the asked-for link in one statement, so that the check is
    /// exact on every node and no copy of a key is ever kept.
    RESOLVE = "
        SELECT k.num, k.id, k.kind, k.actions, k.revoked_at, k.org_num, o.tier,
               g.num, g.id, g.discord_guild_id, g.active_links, k.server_num, s.id, s.active, l.discord_id
        FROM api_keys k
        JOIN orgs o ON o.num = k.org_num
        LEFT JOIN guilds g ON g.num = k.guild_num AND g.org_num = k.org_num
        LEFT JOIN servers s ON s.num = k.server_num AND s.guild_num = k.guild_num AND s.org_num = k.org_num
        LEFT JOIN links l ON l.guild_num = k.guild_num AND l.steam_id = $2 AND l.ended_at IS NULL
        WHERE k.hash = $1";
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
    pub id: KeyId,
    pub kind: KeyKind,
    pub actions: ActionSet,
    pub revoked: bool,
    pub scope: OrgScope,
    pub tier: Tier,
    /// None when the recorded Guild no longer belongs to the key's Org.
    pub guild: Option<KeyGuild>,
    pub server: KeyServer,
    /// The Discord side of the asked Steam id's active link.
    pub linked_discord: Option<DiscordId>,
}

#[derive(Debug, Clone)]
pub struct KeyGuild {
    pub num: GuildNum,
    pub id: String,
    pub discord_guild_id: String,
    pub active_links: i64,
}

#[derive(Debug, Clone)]
pub enum KeyServer {
    /// A custom key for the whole Guild.
    None,
    /// The recorded Server is not (or no longer) part of the recorded Guild.
    Foreign,
    Of {
        num: ServerNum,
        id: String,
        active: bool,
    },
}

impl FromRow for ResolvedKey {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let bits = row.int(3)?;
        let guild = match row.opt_int(7)? {
            None => None,
            Some(num) => Some(KeyGuild {
                num: GuildNum(num),
                id: row.text(8)?,
                discord_guild_id: row.text(9)?,
                active_links: row.int(10)?,
            }),
        };
        let server = match (row.opt_int(11)?, row.opt_text(12)?) {
            (None, _) => KeyServer::None,
            (Some(_), None) => KeyServer::Foreign,
            (Some(num), Some(id)) => KeyServer::Of {
                num: ServerNum(num),
                id,
                active: row.flag(13)?,
            },
        };
        let linked = row.opt_text(14)?.map(|text| DiscordId::parse(&text)).transpose();
        Ok(Self {
            num: KeyNum(row.int(0)?),
            id: row.parse(1, KeyId::parse)?,
            kind: row.parse(2, |text| KeyKind::parse(text).ok_or("unknown kind"))?,
            actions: ActionSet::from_bits(bits)
                .ok_or_else(|| DbError::Bug(format!("unknown actions {bits}")))?,
            revoked: row.opt_int(4)?.is_some(),
            scope: OrgScope::new(row.int(5)?),
            tier: orgs::tier(row, 6)?,
            guild,
            server,
            linked_discord: linked.map_err(|error| DbError::Bug(error.to_string()))?,
        })
    }
}

pub struct NewKey<'a> {
    pub id: &'a KeyId,
    pub guild: GuildNum,
    pub server: ServerNum,
    pub kind: KeyKind,
    pub actions: ActionSet,
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
    db.find(
        &RESOLVE,
        params![hash.as_str(), steam.map_or("", SteamId::as_str)],
    )
    .await
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
