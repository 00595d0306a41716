//! API keys: found by hash, replaced in place.

use domain::action::ActionSet;
use domain::id::KeyId;
use domain::key::{KeyHash, KeyKind, KeyPrefix};
use domain::plan::Tier;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{KeyNum, OrgScope, ServerNum};

pub use crate::keys::resolved_keys::{KeyScope, ResolvedKey, find_scope, resolve};

statements! {
    INSERT = "
        INSERT INTO api_keys (id, org_num, guild_num, server_num, kind, actions, tier, hash, prefix, sealed, sealed_kid, version, created_at, rotated_at, server_active, bare_ids, refuse_in_query)
        SELECT $1, s.org_num, s.guild_num, s.num, $3, $4, o.tier, $5, $6, $7, $8, 1, $9, $9, s.active, s.bare_ids, o.refuse_query_keys
        FROM servers s
        JOIN orgs o ON o.num = s.org_num
        WHERE s.num = $2 AND s.org_num = $10 AND s.removed_at IS NULL";
    LOCK_ALL = "
        SELECT num
        FROM api_keys
        WHERE guild_num IN (SELECT num FROM guilds WHERE org_num = $1)
        ORDER BY num
        FOR UPDATE";
    SET_TIER = "
        UPDATE api_keys
        SET tier = $2
        WHERE guild_num IN (SELECT num FROM guilds WHERE org_num = $1)";
    SET_SERVER_ACTIVE = "
        UPDATE api_keys
        SET server_active = $3
        WHERE server_num = $2 AND org_num = $1";
    SET_BARE_IDS = "
        UPDATE api_keys
        SET bare_ids = $3
        WHERE server_num = $2 AND org_num = $1";
    SET_REFUSE_IN_QUERY = "
        UPDATE api_keys
        SET refuse_in_query = $2
        WHERE guild_num IN (SELECT num FROM guilds WHERE org_num = $1)";
    RETIRE_BOT_KEY = "
        INSERT INTO retired_keys (hash, key_id, org_num, retired_at)
        SELECT hash, id, org_num, $3 FROM api_keys WHERE server_num = $2 AND org_num = $1 AND kind = 'bot'";
    DELETE_BOT_KEY = "
        DELETE FROM api_keys
        WHERE server_num = $2 AND org_num = $1 AND kind = 'bot'";
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
    FIND_RETIRED: RetiredKey = "
        SELECT {columns}
        FROM retired_keys r
        JOIN orgs o ON o.num = r.org_num
        LEFT JOIN api_keys k ON k.id = r.key_id AND k.org_num = r.org_num
        WHERE r.hash = $1 AND o.removed_at IS NULL";
    REPORT_RETIRED = "
        UPDATE retired_keys
        SET reported_at = $2
        WHERE hash = $1 AND (reported_at IS NULL OR reported_at < $3)";
    RETIRED_IN_USE = "
        SELECT key_id
        FROM retired_keys
        WHERE org_num = $1 AND reported_at IS NOT NULL
        ORDER BY retired_at DESC
        LIMIT 20";
    PURGE_RETIRED = "
        DELETE FROM retired_keys
        WHERE hash IN (SELECT hash FROM retired_keys WHERE retired_at <= $1 ORDER BY retired_at LIMIT 500)";
    RECORD_USE = "
        UPDATE api_keys
        SET last_used_at = CASE WHEN last_used_at > $2 THEN last_used_at ELSE $2 END, query_calls = query_calls + $3
        WHERE num = $1";
    SEALED_AFTER: SealedKey = "
        SELECT {columns}
        FROM api_keys
        WHERE num > $1 AND sealed_kid <> $2
        ORDER BY num
        LIMIT 200";
    SEALED_KIDS: KidUse = "
        SELECT {columns}
        FROM (
            SELECT sealed_kid FROM api_keys
            UNION ALL
            SELECT sealed_kid FROM invites
            UNION ALL
            SELECT secret_kid FROM bots
            UNION ALL
            SELECT token_kid FROM dedicated_bots
            UNION ALL
            SELECT sealed_kid FROM webhook_secrets
        ) stored
        GROUP BY sealed_kid
        ORDER BY sealed_kid";
    RESEAL = "
        UPDATE api_keys
        SET sealed = $3, sealed_kid = $4
        WHERE num = $1 AND sealed = $2";
}

/// Locks the keys of an Org in the order in which last uses are written down, which happens without the Org's lock. To
/// be called before several keys change at once: two who take the same rows in different orders wait for each other.
pub(crate) async fn lock_all(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.list::<i64>(&LOCK_ALL, params![scope.num()]).await.map(drop)
}

/// Repeats an Org's tier in its keys; in the transaction that changes it.
pub(crate) async fn set_tier(tx: &mut Tx<'_>, scope: OrgScope, tier: Tier) -> Result<(), DbError> {
    lock_all(tx, scope).await?;
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
    lock_all(tx, scope).await?;
    tx.execute(&SET_SERVER_ACTIVE, params![scope.num(), server, active])
        .await
        .map(drop)
}

/// Repeats a Server's form of ids in its keys; in the transaction that changes it.
pub(crate) async fn set_bare_ids(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    server: ServerNum,
    bare: bool,
) -> Result<(), DbError> {
    lock_all(tx, scope).await?;
    tx.execute(&SET_BARE_IDS, params![scope.num(), server, bare])
        .await
        .map(drop)
}

/// Repeats an Org's decision about keys in addresses in its keys; in the transaction that takes it.
pub(crate) async fn set_refuse_in_query(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    refuse: bool,
) -> Result<(), DbError> {
    lock_all(tx, scope).await?;
    tx.execute(&SET_REFUSE_IN_QUERY, params![scope.num(), refuse])
        .await
        .map(drop)
}

/// Ends the bot key of a Server, if it has one; who tries it later is noticed.
pub async fn end_bot_key(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    server: ServerNum,
    now_ms: i64,
) -> Result<bool, DbError> {
    tx.execute(&RETIRE_BOT_KEY, params![scope.num(), server, now_ms])
        .await?;
    let ended = tx.execute(&DELETE_BOT_KEY, params![scope.num(), server]).await?;
    Ok(ended == 1)
}

/// A key of a Server. What it repeats of its Org and Server is copied from them.
pub struct NewKey<'a> {
    /// Made before the unit, since the sealed copy is bound to it.
    pub id: &'a KeyId,
    /// Has to be the scope's. A second plugin key of it breaks a unique index.
    pub server: ServerNum,
    /// Plugin or bot; custom keys have their own way.
    pub kind: KeyKind,
    /// Fixed by the kind.
    pub actions: ActionSet,
    /// What calls are looked up by.
    pub hash: &'a KeyHash,
    /// Its loggable beginning.
    pub prefix: &'a KeyPrefix,
    /// The copy for revealing.
    pub sealed: &'a str,
    /// The master key that opens the copy.
    pub sealed_kid: &'a str,
    /// Of making and of rotation.
    pub now_ms: i64,
}

/// Makes the key, with its Org's tier and its Server's switches repeated in its row. Under the Org's lock.
pub async fn insert(tx: &mut Tx<'_>, scope: OrgScope, new: &NewKey<'_>) -> Result<(), DbError> {
    let values = params![
        new.id.as_str(),
        new.server,
        new.kind.as_str(),
        new.actions.bits(),
        new.hash.as_str(),
        new.prefix.as_str(),
        new.sealed,
        new.sealed_kid,
        new.now_ms,
        scope.num(),
    ];
    tx.execute_one(&INSERT, values).await
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

/// What takes the place of a key, in one statement.
pub struct Replacement<'a> {
    /// From the commit on the only one that is let in.
    pub hash: &'a KeyHash,
    /// Its loggable beginning.
    pub prefix: &'a KeyPrefix,
    /// Bound to the version after the one that is replaced.
    pub sealed: &'a str,
    /// The master key that opens the copy.
    pub sealed_kid: &'a str,
    /// When the old one was retired.
    pub now_ms: i64,
}

/// Revokes the key; false when it already was.
pub async fn revoke(tx: &mut Tx<'_>, scope: OrgScope, key: KeyNum, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&REVOKE, params![scope.num(), key, now_ms]).await? == 1)
}

/// A key that was regenerated away and is being tried again.
#[derive(Debug, Clone)]
pub struct RetiredKey {
    /// The key that it was a version of.
    pub key_id: KeyId,
    /// Of an Org that is still there.
    pub scope: OrgScope,
    /// The same key, unless it was removed.
    pub key: Option<KeyNum>,
    /// When its use was last reported.
    pub reported_at_ms: Option<i64>,
}

impl FromRow for RetiredKey {
    const COLUMNS: &'static str = "r.key_id, r.org_num, k.num, r.reported_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            key_id: row.parse(0, KeyId::parse)?,
            scope: OrgScope::new(row.int(1)?),
            key: row.opt_int(2)?.map(KeyNum),
            reported_at_ms: row.opt_int(3)?,
        })
    }
}

/// The retired key with this hash.
pub async fn find_retired(db: &Db, hash: &KeyHash) -> Result<Option<RetiredKey>, DbError> {
    db.find(&FIND_RETIRED, params![hash.as_str()]).await
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
    /// The place from which the next slice goes on.
    pub num: KeyNum,
    /// Part of what the sealed copy is bound to.
    pub id: KeyId,
    /// The other part.
    pub version: i64,
    /// Also what the row is compared with when it is sealed anew.
    pub sealed: String,
}

impl FromRow for SealedKey {
    const COLUMNS: &'static str = "num, id, version, sealed";

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
    /// The name of a master key.
    pub kid: String,
    /// Sealed copies that only it opens.
    pub copies: i64,
}

impl FromRow for KidUse {
    const COLUMNS: &'static str = "sealed_kid, CAST(COUNT(*) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            kid: row.text(0)?,
            copies: row.int(1)?,
        })
    }
}

/// Keys of an Org that were regenerated away and tried again since.
pub async fn list_retired_in_use(db: &Db, scope: OrgScope) -> Result<Vec<String>, DbError> {
    db.list(&RETIRED_IN_USE, params![scope.num()]).await
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
