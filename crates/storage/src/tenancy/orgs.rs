//! Orgs, and the row that every write of an Org locks first.

use domain::id::{AccountId, OrgId};
use domain::permission::{PermissionSet, Role};
use domain::plan::{Dimension, Tier};

use crate::columns;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::keys::plugin_keys;
use crate::params;
use crate::scope::{AccountNum, OrgScope};

statements! {
    INSERT = "
        INSERT INTO orgs (id, slug, name, tier, owner_account_num, created_at, people_swept_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6)
        RETURNING num";
    INSERT_USAGE = "
        INSERT INTO org_usage (org_num)
        VALUES ($1)";
    INSERT_CHAIN = "
        INSERT INTO audit_heads (chain, seq, hash)
        VALUES ($1, 0, '')";
    BY_ID: Org = "
        SELECT {columns}
        FROM orgs o
        JOIN accounts a ON a.num = o.owner_account_num
        JOIN org_usage u ON u.org_num = o.num
        WHERE o.id = $1 AND o.removed_at IS NULL";
    SCOPE_OF = "
        SELECT num
        FROM orgs
        WHERE id = $1";
    BY_NUM: Org = "
        SELECT {columns}
        FROM orgs o
        JOIN accounts a ON a.num = o.owner_account_num
        JOIN org_usage u ON u.org_num = o.num
        WHERE o.num = $1 AND o.removed_at IS NULL";
    ALL: Org = "
        SELECT {columns}
        FROM orgs o
        JOIN accounts a ON a.num = o.owner_account_num
        JOIN org_usage u ON u.org_num = o.num
        WHERE o.removed_at IS NULL
        ORDER BY o.num
        LIMIT 1000";
    ID_OF = "
        SELECT id
        FROM orgs
        WHERE num = $1";
    LOCK = "
        SELECT org_num
        FROM org_usage
        WHERE org_num = $1
        FOR UPDATE";
    LOCKED: LockedOrg = "
        SELECT {columns}
        FROM org_usage u
        JOIN orgs o ON o.num = u.org_num
        WHERE u.org_num = $1 AND o.removed_at IS NULL";
    ADD_GUILD = "
        UPDATE org_usage
        SET guilds = guilds + 1
        WHERE org_num = $1 AND guilds < $2";
    ADD_SERVER = "
        UPDATE org_usage
        SET servers = servers + 1
        WHERE org_num = $1 AND servers < $2";
    ADD_LINK = "
        UPDATE org_usage
        SET links = links + 1
        WHERE org_num = $1 AND links < $2";
    ADD_LINKS = "
        UPDATE org_usage
        SET links = links + $2
        WHERE org_num = $1 AND links + $2 <= $3";
    DROP_SERVER = "
        UPDATE org_usage
        SET servers = servers - 1
        WHERE org_num = $1";
    DROP_LINKS = "
        UPDATE org_usage
        SET links = links - $2
        WHERE org_num = $1";
    ADD_MEMBER = "
        INSERT INTO members (org_num, account_num, role, permissions, joined_at, revision)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (org_num, account_num) DO NOTHING";
    TOUCH = "
        UPDATE orgs
        SET revision = revision + 1
        WHERE num = $1 AND revision = $2";
    RENAME = "
        UPDATE orgs
        SET name = $2
        WHERE num = $1";
    REMOVE = "
        UPDATE orgs
        SET removed_at = $2, slug = id
        WHERE num = $1 AND removed_at IS NULL";
    DROP_GUILD = "
        UPDATE org_usage
        SET guilds = guilds - 1
        WHERE org_num = $1";
    SET_REFUSE_QUERY_KEYS = "
        UPDATE orgs
        SET refuse_query_keys = $2
        WHERE num = $1";
    SET_TIER = "
        UPDATE orgs
        SET tier = $2
        WHERE num = $1";
}

/// An Org that is there, with what it uses of its plan.
#[derive(Debug, Clone)]
pub struct Org {
    /// The proof with which its rows are read and written.
    pub scope: OrgScope,
    /// Stays when the name changes.
    pub id: OrgId,
    /// Unique among all.
    pub slug: String,
    /// As its people call it.
    pub name: String,
    /// Repeated in the rows of its keys.
    pub tier: Tier,
    /// Exactly one; no row among the members.
    pub owner: AccountId,
    /// A counter, changed under the Org's lock.
    pub guilds: i64,
    /// A counter, changed under the Org's lock.
    pub servers: i64,
    /// A counter, changed under the Org's lock; those of a removed Guild count until they are ended.
    pub links: i64,
    /// Keys in the address are refused; only headers count.
    pub refuse_query_keys: bool,
    /// One more with every save of its settings.
    pub revision: i64,
    /// One more with every save of its buttons.
    pub navigation_revision: i64,
}

impl FromRow for Org {
    const COLUMNS: &'static str = "\
        o.num, o.id, o.slug, o.name, o.tier, a.id, u.guilds, u.servers, u.links, o.refuse_query_keys, \
        o.revision, o.navigation_revision";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            id: row.parse(1, OrgId::parse)?,
            slug: row.text(2)?,
            name: row.text(3)?,
            tier: columns::tier(row, 4)?,
            owner: row.parse(5, AccountId::parse)?,
            guilds: row.int(6)?,
            servers: row.int(7)?,
            links: row.int(8)?,
            refuse_query_keys: row.flag(9)?,
            revision: row.int(10)?,
            navigation_revision: row.int(11)?,
        })
    }
}

/// What a unit of work knows about its Org while it holds the Org's lock.
#[derive(Debug, Clone, Copy)]
pub struct LockedOrg {
    /// Its ceilings are checked by the guarded updates below.
    pub tier: Tier,
    /// As of the lock.
    pub guilds: i64,
    /// As of the lock.
    pub servers: i64,
    /// As of the lock.
    pub links: i64,
}

impl FromRow for LockedOrg {
    const COLUMNS: &'static str = "u.guilds, u.servers, u.links, o.tier";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            guilds: row.int(0)?,
            servers: row.int(1)?,
            links: row.int(2)?,
            tier: columns::tier(row, 3)?,
        })
    }
}

/// An Org to be made. Its place among the owner's is counted before.
pub struct NewOrg<'a> {
    /// Made before the unit.
    pub id: &'a OrgId,
    /// One that is taken breaks a unique index.
    pub slug: &'a str,
    /// Need not be unique.
    pub name: &'a str,
    /// Free, unless somebody decides otherwise.
    pub tier: Tier,
    /// Locked by the unit, as the number of their Orgs hangs on it.
    pub owner: AccountNum,
    /// When it was made.
    pub now_ms: i64,
}

/// Inserts the Org with its counters and its audit chain.
pub async fn insert(tx: &mut Tx<'_>, new: &NewOrg<'_>) -> Result<OrgScope, DbError> {
    let values = params![
        new.id.as_str(),
        new.slug,
        new.name,
        new.tier.as_str(),
        new.owner,
        new.now_ms
    ];
    let num: i64 = tx.get(&INSERT, values).await?;
    tx.execute_one(&INSERT_USAGE, params![num]).await?;
    tx.execute_one(&INSERT_CHAIN, params![num]).await?;
    Ok(OrgScope::new(num))
}

/// The id of an Org whose scope the unit has.
pub async fn get_id(tx: &mut Tx<'_>, scope: OrgScope) -> Result<OrgId, DbError> {
    let id: String = tx.get(&ID_OF, params![scope.num()]).await?;
    OrgId::parse(&id).map_err(|error| DbError::Bug(format!("an Org's id: {error}")))
}

/// The Org of a scope, with its settings and counters.
pub async fn get(db: &Db, scope: OrgScope) -> Result<Option<Org>, DbError> {
    db.find(&BY_NUM, params![scope.num()]).await
}

/// The same inside a unit of work that holds the Org's lock.
pub async fn get_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Org, DbError> {
    tx.get(&BY_NUM, params![scope.num()]).await
}

/// Counts a save of the settings, or refuses one that began from another revision. Under the Org's lock.
pub async fn touch(tx: &mut Tx<'_>, scope: OrgScope, seen: i64) -> Result<(), DbError> {
    tx.execute_unless_stale(&TOUCH, params![scope.num(), seen]).await
}

/// The short name stays.
pub async fn rename(tx: &mut Tx<'_>, scope: OrgScope, name: &str) -> Result<(), DbError> {
    tx.execute_one(&RENAME, params![scope.num(), name]).await
}

/// In the Org's row and in those of its keys, which calls are judged by. Under the Org's lock.
pub async fn set_refuse_query_keys(tx: &mut Tx<'_>, scope: OrgScope, refuse: bool) -> Result<(), DbError> {
    tx.execute_one(&SET_REFUSE_QUERY_KEYS, params![scope.num(), refuse])
        .await?;
    plugin_keys::set_refuse_in_query(tx, scope, refuse).await
}

/// An Org by its public id, for operators.
pub async fn find(db: &Db, id: &OrgId) -> Result<Option<Org>, DbError> {
    db.find(&BY_ID, params![id.as_str()]).await
}

/// The data of an Org, removed or not, for operators.
pub async fn find_even_removed(db: &Db, id: &OrgId) -> Result<Option<OrgScope>, DbError> {
    let num: Option<i64> = db.find(&SCOPE_OF, params![id.as_str()]).await?;
    Ok(num.map(OrgScope::new))
}

/// The first thousand Orgs, for operators.
pub async fn list(db: &Db) -> Result<Vec<Org>, DbError> {
    db.list_heavy(&ALL, params![]).await
}

/// Takes the Org's lock: the first thing in every unit of work that changes an Org. A removed Org is gone for all of
/// them. What is known about the Org is read by a statement of its own, after the lock: one that had to wait would
/// show other rows as they were before it began to wait.
pub async fn lock(tx: &mut Tx<'_>, scope: OrgScope) -> Result<LockedOrg, DbError> {
    let org = lock_if_there(tx, scope).await?;
    org.ok_or(DbError::Gone)
}

/// The same lock for what concerns an Org that may be removed; none if it is.
pub async fn lock_if_there(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Option<LockedOrg>, DbError> {
    lock_even_removed(tx, scope).await?;
    tx.find(&LOCKED, params![scope.num()]).await
}

/// The same lock for what is left to be done in an Org that may be removed.
pub async fn lock_even_removed(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.get::<i64>(&LOCK, params![scope.num()]).await.map(drop)
}

/// Counts one more, or answers false at the ceiling. The guard is in the statement, so a race cannot pass it.
pub async fn add_one(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    dimension: Dimension,
    ceiling: i64,
) -> Result<bool, DbError> {
    let statement = match dimension {
        Dimension::Guilds => &ADD_GUILD,
        Dimension::Servers => &ADD_SERVER,
        Dimension::Links => &ADD_LINK,
        Dimension::Orgs | Dimension::NavigationLinks => {
            return Err(DbError::Bug(format!(
                "{} is not counted per Org",
                dimension.as_str()
            )));
        }
    };
    Ok(tx.execute(statement, params![scope.num(), ceiling]).await? == 1)
}

/// Counts many more links at once, or answers false when they do not all fit.
pub async fn add_links(tx: &mut Tx<'_>, scope: OrgScope, count: i64, ceiling: i64) -> Result<bool, DbError> {
    Ok(tx
        .execute(&ADD_LINKS, params![scope.num(), count, ceiling])
        .await?
        == 1)
}

/// Removes an Org: its history stays, its short name goes back.
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<(), DbError> {
    tx.execute_one(&REMOVE, params![scope.num(), now_ms]).await
}

/// Counts one out. Under the Org's lock.
pub async fn drop_guild(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.execute_one(&DROP_GUILD, params![scope.num()]).await
}

/// Counts one out. Under the Org's lock.
pub async fn drop_server(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.execute_one(&DROP_SERVER, params![scope.num()]).await
}

/// Counts so many out. Under the Org's lock.
pub async fn drop_links(tx: &mut Tx<'_>, scope: OrgScope, count: i64) -> Result<(), DbError> {
    tx.execute_one(&DROP_LINKS, params![scope.num(), count]).await
}

/// Adds a member; an existing membership stays as it is, and the answer is false.
pub async fn add_member(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    account: AccountNum,
    role: Role,
    permissions: PermissionSet,
    now_ms: i64,
) -> Result<bool, DbError> {
    let values = params![scope.num(), account, role.as_str(), permissions.bits(), now_ms];
    Ok(tx.execute(&ADD_MEMBER, values).await? == 1)
}

/// Sets the tier, in the Org and in its keys.
pub async fn set_tier(tx: &mut Tx<'_>, scope: OrgScope, tier: Tier) -> Result<(), DbError> {
    tx.execute_one(&SET_TIER, params![scope.num(), tier.as_str()])
        .await?;
    plugin_keys::set_tier(tx, scope, tier).await
}
