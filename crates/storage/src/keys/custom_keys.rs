//! Keys that people make: named, with the actions they chose, for a Guild or one of its Servers.

use domain::action::ActionSet;
use domain::id::{GuildId, KeyId, ServerId};
use domain::key::{KeyHash, KeyPrefix};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, KeyNum, OrgScope, ServerNum};

statements! {
    INSERT = "
        INSERT INTO api_keys (id, org_num, guild_num, server_num, kind, name, actions, tier, hash, prefix, sealed, sealed_kid, version, created_at, rotated_at, server_active, bare_ids, refuse_in_query)
        SELECT $1, g.org_num, g.num, s.num, 'custom', $4, $5, o.tier, $6, $7, $8, $9, 1, $10, $10, COALESCE(s.active, 1), COALESCE(s.bare_ids, 0), o.refuse_query_keys
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        LEFT JOIN servers s ON s.num = $3 AND s.guild_num = g.num AND s.org_num = g.org_num AND s.removed_at IS NULL
        WHERE g.num = $2 AND g.org_num = $11";
    COUNT: Counted = "
        SELECT {columns}
        FROM api_keys k
        JOIN guilds g ON g.num = k.guild_num AND g.org_num = k.org_num
        WHERE g.org_num = $1 AND k.kind = 'custom'";
    BY_ORG: CustomKey = "
        SELECT {columns}
        FROM guilds g
        JOIN api_keys k ON k.guild_num = g.num AND k.org_num = g.org_num
        LEFT JOIN servers s ON s.num = k.server_num
        WHERE g.org_num = $1 AND k.kind = 'custom'
        ORDER BY CASE WHEN k.revoked_at IS NULL THEN 0 ELSE 1 END, k.num
        LIMIT 250";
    BY_ID: CustomKey = "
        SELECT {columns}
        FROM api_keys k
        JOIN guilds g ON g.num = k.guild_num AND g.org_num = k.org_num
        LEFT JOIN servers s ON s.num = k.server_num
        WHERE k.id = $2 AND k.org_num = $1 AND k.kind = 'custom'";
    EDIT = "
        UPDATE api_keys
        SET name = $3, actions = $4, revision = revision + 1
        WHERE num = $2 AND org_num = $1 AND kind = 'custom' AND revision = $5";
    RETIRE = "
        INSERT INTO retired_keys (hash, key_id, org_num, retired_at)
        SELECT hash, id, org_num, $3 FROM api_keys WHERE num = $2 AND org_num = $1 AND kind = 'custom' AND revoked_at IS NOT NULL";
    REMOVE = "
        DELETE FROM api_keys
        WHERE num = $2 AND org_num = $1 AND kind = 'custom' AND revoked_at IS NOT NULL";
}

/// Custom keys of an Org.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Against the ceiling of keys in force.
    pub living: i64,
    /// Against the ceiling of keys kept to be looked at.
    pub revoked: i64,
}

impl FromRow for Counted {
    const COLUMNS: &'static str = "\
        CAST(COUNT(*) - COUNT(k.revoked_at) AS BIGINT), CAST(COUNT(k.revoked_at) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            living: row.int(0)?,
            revoked: row.int(1)?,
        })
    }
}

/// A key of somebody's own making, without the key itself.
#[derive(Debug, Clone)]
pub struct CustomKey {
    /// For statements; `id` is what others are told.
    pub num: KeyNum,
    /// Stays through edits and revocation.
    pub id: KeyId,
    /// As the person called it.
    pub name: String,
    /// What the next call is judged by.
    pub actions: ActionSet,
    /// All that lists show of it.
    pub prefix: String,
    /// Part of what the sealed copy is bound to.
    pub version: i64,
    /// The key itself, to be revealed; never leaves the process like this.
    pub sealed: String,
    /// When it was made.
    pub created_at_ms: i64,
    /// Set once and for good; a revoked one may be removed.
    pub revoked_at_ms: Option<i64>,
    /// To the minute; none until the first call.
    pub last_used_at_ms: Option<i64>,
    /// Calls with the key in the address, where logs keep it.
    pub query_calls: i64,
    /// It sees nothing of any other Guild.
    pub guild_id: GuildId,
    /// None for a key of the whole Guild.
    pub server_id: Option<ServerId>,
    /// One more with every edit.
    pub revision: i64,
}

impl FromRow for CustomKey {
    const COLUMNS: &'static str = "\
        k.num, k.id, k.name, k.actions, k.prefix, k.version, k.sealed, k.created_at, k.revoked_at, \
        k.last_used_at, k.query_calls, g.id, s.id, k.revision";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let bits = row.int(3)?;
        let server_id = row.opt_text(12)?.map(|id| ServerId::parse(&id)).transpose();
        Ok(Self {
            num: KeyNum(row.int(0)?),
            id: row.parse(1, KeyId::parse)?,
            name: row.text(2)?,
            actions: ActionSet::from_bits(bits)
                .ok_or_else(|| DbError::Bug(format!("unknown actions {bits}")))?,
            prefix: row.text(4)?,
            version: row.int(5)?,
            sealed: row.text(6)?,
            created_at_ms: row.int(7)?,
            revoked_at_ms: row.opt_int(8)?,
            last_used_at_ms: row.opt_int(9)?,
            query_calls: row.int(10)?,
            guild_id: row.parse(11, GuildId::parse)?,
            server_id: server_id.map_err(|error| DbError::Bug(error.to_string()))?,
            revision: row.int(13)?,
        })
    }
}

/// What it repeats of its Org and Server is copied from them.
pub struct NewCustomKey<'a> {
    /// Made before the unit, since the sealed copy is bound to it.
    pub id: &'a KeyId,
    /// Has to be the scope's.
    pub guild: GuildNum,
    /// Has to be the Guild's.
    pub server: Option<ServerNum>,
    /// Need not be unique.
    pub name: &'a str,
    /// At least one, checked before.
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

/// Makes the key, with its Org's tier and switches repeated in its row. Under the Org's lock.
pub async fn insert(tx: &mut Tx<'_>, scope: OrgScope, new: &NewCustomKey<'_>) -> Result<(), DbError> {
    let values = params![
        new.id.as_str(),
        new.guild,
        new.server,
        new.name,
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

/// Under the Org's lock, so that nobody adds one meanwhile.
pub async fn count(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Counted, DbError> {
    tx.get(&COUNT, params![scope.num()]).await
}

/// Living keys first.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<CustomKey>, DbError> {
    db.list_heavy(&BY_ORG, params![scope.num()]).await
}

/// A custom key of the Org by its public id.
pub async fn find(db: &Db, scope: OrgScope, id: &KeyId) -> Result<Option<CustomKey>, DbError> {
    db.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, id: &KeyId) -> Result<Option<CustomKey>, DbError> {
    tx.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// Changes name and actions, from the next request on, unless they were changed since revision `seen`.
pub async fn edit(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    key: KeyNum,
    seen: i64,
    name: &str,
    actions: ActionSet,
) -> Result<(), DbError> {
    tx.execute_unless_stale(&EDIT, params![scope.num(), key, name, actions.bits(), seen])
        .await
}

/// Removes a revoked key; who tries it later is noticed.
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, key: KeyNum, now_ms: i64) -> Result<(), DbError> {
    tx.execute_one(&RETIRE, params![scope.num(), key, now_ms]).await?;
    tx.execute_one(&REMOVE, params![scope.num(), key]).await
}
