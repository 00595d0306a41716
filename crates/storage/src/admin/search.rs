//! Orgs and accounts, as operators look for them: by an id, or by how a name begins.

use domain::id::{AccountId, OrgId};
use domain::plan::Tier;
use domain::platform_id::DiscordId;

use crate::columns::tier;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::{AccountNum, OperatorScope, OrgScope};

statements! {
    /// In the order of their names, behind a given one; only ASCII letters are the same in both cases.
    ORGS: FoundOrg = "
        SELECT {columns}
        FROM orgs o
        JOIN accounts a ON a.num = o.owner_account_num
        JOIN org_usage u ON u.org_num = o.num
        WHERE o.removed_at IS NULL AND lower(o.name) >= $1 AND lower(o.name) < $2
          AND (lower(o.name), o.id) > (COALESCE((SELECT lower(p.name) FROM orgs p WHERE p.id = $3), ''), $3)
        ORDER BY lower(o.name), o.id
        LIMIT $4";
    ORG: FoundOrg = "
        SELECT {columns}
        FROM orgs o
        JOIN accounts a ON a.num = o.owner_account_num
        JOIN org_usage u ON u.org_num = o.num
        WHERE o.id = $1 AND o.removed_at IS NULL";
    ORG_OF_SLUG = "
        SELECT id
        FROM orgs
        WHERE slug = $1 AND removed_at IS NULL";
    ORG_OF_GUILD = "
        SELECT o.id
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE g.id = $1 AND o.removed_at IS NULL";
    ORG_OF_DISCORD_GUILD = "
        SELECT o.id
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE g.discord_guild_id = $1 AND o.removed_at IS NULL";
    ORGS_OF_OWNER = "
        SELECT o.id
        FROM accounts a
        JOIN orgs o ON o.owner_account_num = a.num
        WHERE a.discord_id = $1 AND o.removed_at IS NULL
        ORDER BY o.id
        LIMIT 100";
    MEMBERS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM members
        WHERE org_num = $1";
    ACCOUNTS: FoundAccount = "
        SELECT {columns}
        FROM accounts a
        WHERE lower(a.name) >= $1 AND lower(a.name) < $2 AND substr(a.discord_id, 1, 2) <> 'x:'
          AND (lower(a.name), a.id) > (COALESCE((SELECT lower(p.name) FROM accounts p WHERE p.id = $3), ''), $3)
        ORDER BY lower(a.name), a.id
        LIMIT $4";
    ACCOUNT: FoundAccount = "
        SELECT {columns}
        FROM accounts a
        WHERE a.id = $1 AND substr(a.discord_id, 1, 2) <> 'x:'";
    ACCOUNT_OF_DISCORD: FoundAccount = "
        SELECT {columns}
        FROM accounts a
        WHERE a.discord_id = $1";
}

/// Behind every name.
pub(super) const LAST: &str = "\u{10ffff}";

/// An Org as operators find it.
#[derive(Debug, Clone)]
pub struct FoundOrg {
    /// The proof with which its rows are read and written.
    pub scope: OrgScope,
    /// Stays when the name changes.
    pub id: OrgId,
    /// Unique among all.
    pub slug: String,
    /// As its people call it.
    pub name: String,
    /// What it may have.
    pub tier: Tier,
    /// Whose it is.
    pub owner: AccountId,
    /// The name of that person.
    pub owner_name: String,
    /// How many it has.
    pub guilds: i64,
    /// How many it has.
    pub servers: i64,
    /// Active ones.
    pub links: i64,
    /// When it was made.
    pub created_at_ms: i64,
}

impl FromRow for FoundOrg {
    const COLUMNS: &'static str = "\
        o.num, o.id, o.slug, o.name, o.tier, a.id, a.name, u.guilds, u.servers, u.links, o.created_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            id: row.parse(1, OrgId::parse)?,
            slug: row.text(2)?,
            name: row.text(3)?,
            tier: tier(row, 4)?,
            owner: row.parse(5, AccountId::parse)?,
            owner_name: row.text(6)?,
            guilds: row.int(7)?,
            servers: row.int(8)?,
            links: row.int(9)?,
            created_at_ms: row.int(10)?,
        })
    }
}

/// Orgs whose names begin like this, behind the given one.
pub async fn list_orgs(
    db: &Db,
    _: OperatorScope,
    beginning: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<FoundOrg>, DbError> {
    let (from, to) = range(beginning);
    db.list_heavy(&ORGS, params![&from, &to, after, limit]).await
}

/// One Org, unless it was removed.
pub async fn find_org(db: &Db, _: OperatorScope, id: &str) -> Result<Option<FoundOrg>, DbError> {
    db.find(&ORG, params![id]).await
}

/// The ids of the Orgs that a text names: a short name, a Guild, a Discord server, or their owner on Discord.
pub async fn list_named(db: &Db, _: OperatorScope, text: &str) -> Result<Vec<String>, DbError> {
    for statement in [&ORG_OF_SLUG, &ORG_OF_GUILD, &ORG_OF_DISCORD_GUILD, &ORGS_OF_OWNER] {
        let found: Vec<String> = db.list(statement, params![text]).await?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Members besides the owner.
pub async fn count_members(db: &Db, scope: OrgScope) -> Result<i64, DbError> {
    Ok(db.find(&MEMBERS, params![scope.num()]).await?.unwrap_or(0))
}

/// An account as operators find it.
#[derive(Debug, Clone)]
pub struct FoundAccount {
    /// For what is read of it next.
    pub num: AccountNum,
    /// What the audit log calls it.
    pub id: AccountId,
    /// The person on Discord.
    pub discord_id: DiscordId,
    /// As Discord showed it at the last sign-in.
    pub name: String,
    /// By a grant; the setting counts besides.
    pub granted: bool,
    /// Orgs that they own.
    pub orgs_owned: i64,
    /// When they first came.
    pub created_at_ms: i64,
}

impl FromRow for FoundAccount {
    const COLUMNS: &'static str = "a.num, a.id, a.discord_id, a.name, a.operator, a.orgs_owned, a.created_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: AccountNum(row.int(0)?),
            id: row.parse(1, AccountId::parse)?,
            discord_id: row.parse(2, DiscordId::parse)?,
            name: row.text(3)?,
            granted: row.flag(4)?,
            orgs_owned: row.int(5)?,
            created_at_ms: row.int(6)?,
        })
    }
}

/// Accounts whose names begin like this, behind the given one.
pub async fn list_accounts(
    db: &Db,
    _: OperatorScope,
    beginning: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<FoundAccount>, DbError> {
    let (from, to) = range(beginning);
    db.list_heavy(&ACCOUNTS, params![&from, &to, after, limit]).await
}

/// One account, by our id.
pub async fn find_account(
    db: &Db,
    _: OperatorScope,
    id: &AccountId,
) -> Result<Option<FoundAccount>, DbError> {
    db.find(&ACCOUNT, params![id.as_str()]).await
}

/// One account, by that on Discord.
pub async fn find_account_of(
    db: &Db,
    _: OperatorScope,
    id: &DiscordId,
) -> Result<Option<FoundAccount>, DbError> {
    db.find(&ACCOUNT_OF_DISCORD, params![id.as_str()]).await
}

/// All names that begin like this, with ASCII letters in either case.
fn range(beginning: &str) -> (String, String) {
    let from = beginning.to_ascii_lowercase();
    let to = [&from, LAST].concat();
    (from, to)
}
