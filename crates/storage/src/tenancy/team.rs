//! Who belongs to an Org, and what they may do there.

use domain::id::{AccountId, OrgId};
use domain::permission::{PermissionSet, Role};
use domain::plan::Tier;
use domain::platform_id::DiscordId;

use crate::columns::tier;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{AccountNum, OrgScope};

statements! {
    /// A member by another list: an owner has no row among the members.
    OWNER = "
        SELECT a.num, a.id, a.name, a.discord_id, 'owner', CAST(0 AS BIGINT), o.created_at, CAST(0 AS BIGINT),
            (SELECT digest FROM pictures WHERE owner = a.id)
        FROM orgs o
        JOIN accounts a ON a.num = o.owner_account_num
        WHERE o.num = $1";
    MEMBERS: Member = "
        SELECT {columns}
        FROM members m
        JOIN accounts a ON a.num = m.account_num
        WHERE m.org_num = $1
        ORDER BY m.role, m.joined_at, a.num
        LIMIT 500";
    MEMBER: Member = "
        SELECT {columns}
        FROM members m
        JOIN accounts a ON a.num = m.account_num
        WHERE m.org_num = $1 AND a.id = $2";
    BY_ACCOUNT: Member = "
        SELECT {columns}
        FROM members m
        JOIN accounts a ON a.num = m.account_num
        WHERE m.org_num = $1 AND m.account_num = $2";
    BY_DISCORD: Staff = "
        SELECT {columns}
        FROM accounts a
        JOIN orgs o ON o.num = $1 AND o.removed_at IS NULL
        LEFT JOIN members m ON m.org_num = o.num AND m.account_num = a.num
        WHERE a.discord_id = $2 AND (m.account_num IS NOT NULL OR o.owner_account_num = a.num)";
    COUNT = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM members
        WHERE org_num = $1";
    CHANGE = "
        UPDATE members
        SET role = $3, permissions = $4, revision = revision + 1
        WHERE org_num = $1 AND account_num = $2 AND revision = $5";
    REMOVE = "
        DELETE FROM members
        WHERE org_num = $1 AND account_num = $2";
    REMOVE_ALL = "
        DELETE FROM members
        WHERE org_num = $1";
    SET_OWNER = "
        UPDATE orgs
        SET owner_account_num = $2
        WHERE num = $1 AND owner_account_num = $3";
    OWNED: OrgOfPerson = "
        SELECT {columns}, 'owner', CAST(0 AS BIGINT)
        FROM orgs o
        JOIN org_usage u ON u.org_num = o.num
        WHERE o.owner_account_num = $1 AND o.removed_at IS NULL
        ORDER BY o.name, o.num
        LIMIT 100";
    JOINED: OrgOfPerson = "
        SELECT {columns}, m.role, m.permissions
        FROM members m
        JOIN orgs o ON o.num = m.org_num
        JOIN org_usage u ON u.org_num = o.num
        WHERE m.account_num = $1 AND o.removed_at IS NULL
        ORDER BY o.name, o.num
        LIMIT 500";
}

/// Somebody of an Org: the owner or a member.
#[derive(Debug, Clone)]
pub struct Member {
    /// The account's row.
    pub num: AccountNum,
    /// By which they are changed and removed.
    pub account: AccountId,
    /// As Discord showed it at their last sign-in.
    pub name: String,
    /// By which the team finds them on Discord.
    pub discord_id: DiscordId,
    /// Owner for exactly one.
    pub role: Role,
    /// Everything for the owner.
    pub permissions: PermissionSet,
    /// For the owner, when the Org was made.
    pub joined_at_ms: i64,
    /// One more with every change; nothing for the owner, who cannot be changed.
    pub revision: i64,
    /// The digest of their picture.
    pub picture: Option<String>,
}

impl FromRow for Member {
    const COLUMNS: &'static str = "\
        a.num, a.id, a.name, a.discord_id, m.role, m.permissions, m.joined_at, m.revision, \
        (SELECT digest FROM pictures WHERE owner = a.id)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let (role, permissions) = standing(row, 4)?;
        Ok(Self {
            num: AccountNum(row.int(0)?),
            account: row.parse(1, AccountId::parse)?,
            name: row.text(2)?,
            discord_id: row.parse(3, DiscordId::parse)?,
            role,
            permissions,
            joined_at_ms: row.int(6)?,
            revision: row.int(7)?,
            picture: row.opt_text(8)?,
        })
    }
}

/// The owner holds everything, whatever the row says.
fn standing(row: &Row<'_>, column: usize) -> Result<(Role, PermissionSet), DbError> {
    let role = row.parse(column, |text| Role::parse(text).ok_or("unknown role"))?;
    let stored = PermissionSet::from_bits(row.int(column + 1)?);
    let permissions = match role {
        Role::Owner => Some(PermissionSet::ALL),
        Role::Admin | Role::Staff => stored,
    };
    let permissions = permissions.ok_or_else(|| DbError::Bug("unknown permissions".to_owned()))?;
    Ok((role, permissions))
}

/// Everybody, the owner first.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Member>, DbError> {
    let mut everybody: Vec<Member> = db.list(&OWNER, params![scope.num()]).await?;
    everybody.extend(db.list::<Member>(&MEMBERS, params![scope.num()]).await?);
    Ok(everybody)
}

/// The owner or a member, by their row.
pub async fn find(db: &Db, scope: OrgScope, account: AccountNum) -> Result<Option<Member>, DbError> {
    let owner: Option<Member> = db.find(&OWNER, params![scope.num()]).await?;
    match owner.filter(|owner| owner.num == account) {
        Some(owner) => Ok(Some(owner)),
        None => db.find(&BY_ACCOUNT, params![scope.num(), account]).await,
    }
}

/// Every Org has one. Under the Org's lock, so that nobody transfers it meanwhile.
pub async fn get_owner(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Member, DbError> {
    tx.get(&OWNER, params![scope.num()]).await
}

/// A member who is not the owner.
pub async fn find_member(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    account: &AccountId,
) -> Result<Option<Member>, DbError> {
    tx.find(&MEMBER, params![scope.num(), account.as_str()]).await
}

/// A member by their row; the owner is none.
pub async fn find_by_account(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    account: AccountNum,
) -> Result<Option<Member>, DbError> {
    tx.find(&BY_ACCOUNT, params![scope.num(), account]).await
}

/// Somebody of an Org by their account on Discord.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staff {
    /// Who acts, for the audit log.
    pub account: AccountId,
    /// Everything for the owner.
    pub permissions: PermissionSet,
}

impl FromRow for Staff {
    const COLUMNS: &'static str = "\
        a.id, CASE WHEN o.owner_account_num = a.num THEN 'owner' ELSE m.role END, COALESCE(m.permissions, 0)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let (_, permissions) = standing(row, 1)?;
        Ok(Self {
            account: row.parse(0, AccountId::parse)?,
            permissions,
        })
    }
}

/// The owner or a member by their account on Discord.
pub async fn find_staff(db: &Db, scope: OrgScope, id: &DiscordId) -> Result<Option<Staff>, DbError> {
    db.find(&BY_DISCORD, params![scope.num(), id.as_str()]).await
}

/// The same under the Org's lock.
pub async fn find_staff_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &DiscordId,
) -> Result<Option<Staff>, DbError> {
    tx.find(&BY_DISCORD, params![scope.num(), id.as_str()]).await
}

/// Members besides the owner.
pub async fn count(tx: &mut Tx<'_>, scope: OrgScope) -> Result<i64, DbError> {
    tx.get(&COUNT, params![scope.num()]).await
}

/// Role and permissions together, unless they were changed since revision `seen`. Under the Org's lock.
pub async fn change(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    account: AccountNum,
    seen: i64,
    role: Role,
    permissions: PermissionSet,
) -> Result<(), DbError> {
    let values = params![scope.num(), account, role.as_str(), permissions.bits(), seen];
    tx.execute_unless_stale(&CHANGE, values).await
}

/// False for somebody who is no member.
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, account: AccountNum) -> Result<bool, DbError> {
    Ok(tx.execute(&REMOVE, params![scope.num(), account]).await? == 1)
}

/// With the Org that is removed.
pub async fn remove_all(tx: &mut Tx<'_>, scope: OrgScope) -> Result<u64, DbError> {
    tx.execute(&REMOVE_ALL, params![scope.num()]).await
}

/// Hands an Org over; false when `from` does not own it any more.
pub async fn set_owner(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    from: AccountNum,
    to: AccountNum,
) -> Result<bool, DbError> {
    Ok(tx.execute(&SET_OWNER, params![scope.num(), to, from]).await? == 1)
}

/// An Org as one of its people sees it in their list.
#[derive(Debug, Clone)]
pub struct OrgOfPerson {
    /// For the address.
    pub id: OrgId,
    /// Its short name.
    pub slug: String,
    /// The list is in this order.
    pub name: String,
    /// For ceilings.
    pub tier: Tier,
    /// Of the person.
    pub role: Role,
    /// Of the person; everything for the owner.
    pub permissions: PermissionSet,
    /// Used of the plan.
    pub guilds: i64,
    /// Used of the plan.
    pub servers: i64,
    /// Used of the plan.
    pub links: i64,
    /// The proof for whatever is read of it next.
    pub scope: OrgScope,
    /// Used of the plan.
    pub navigation_links: i64,
}

impl FromRow for OrgOfPerson {
    const COLUMNS: &'static str = "\
        o.id, o.slug, o.name, o.tier, u.guilds, u.servers, u.links, o.num, \
        (SELECT CAST(COUNT(*) AS BIGINT) FROM navigation_links n WHERE n.org_num = o.num)";

    /// Role and permissions come last.
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let (role, permissions) = standing(row, 9)?;
        Ok(Self {
            id: row.parse(0, OrgId::parse)?,
            slug: row.text(1)?,
            name: row.text(2)?,
            tier: tier(row, 3)?,
            role,
            permissions,
            guilds: row.int(4)?,
            servers: row.int(5)?,
            links: row.int(6)?,
            scope: OrgScope::new(row.int(7)?),
            navigation_links: row.int(8)?,
        })
    }
}

/// The Orgs that a person owns or belongs to.
pub async fn list_orgs(db: &Db, account: AccountNum) -> Result<Vec<OrgOfPerson>, DbError> {
    let mut orgs: Vec<OrgOfPerson> = db.list(&OWNED, params![account]).await?;
    orgs.extend(db.list::<OrgOfPerson>(&JOINED, params![account]).await?);
    Ok(orgs)
}
