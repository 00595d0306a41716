//! Operators who look into an Org.

use domain::id::{AccountId, OrgId};
use domain::platform_id::DiscordId;
use domain::visit;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{AccountNum, OperatorScope, OrgScope};
use crate::tenancy::team::OrgOfPerson;

statements! {
    BEGIN = "
        INSERT INTO visits (account_num, org_num, reason, can_write, began_at, ends_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (account_num, org_num) DO UPDATE SET
            reason = excluded.reason,
            can_write = excluded.can_write,
            began_at = excluded.began_at,
            ends_at = excluded.ends_at";
    END = "
        DELETE FROM visits
        WHERE account_num = $1 AND org_num = $2 AND ends_at > $3";
    /// In the order in which Orgs are locked.
    ORGS_OF: VisitedOrg = "
        SELECT {columns}
        FROM visits v
        JOIN orgs o ON o.num = v.org_num
        WHERE v.account_num = $1 AND v.ends_at > $2
        ORDER BY o.num
        LIMIT 500";
    END_ALL_OF = "
        DELETE FROM visits
        WHERE account_num = $1 AND ends_at > $2";
    IN_ORG: Visiting = "
        SELECT {columns}
        FROM visits v
        JOIN accounts a ON a.num = v.account_num
        WHERE v.org_num = $1 AND v.ends_at > $2
        ORDER BY v.ends_at, a.num
        LIMIT 20";
    RUNNING: Running = "
        SELECT {columns}
        FROM visits v
        JOIN orgs o ON o.num = v.org_num
        JOIN accounts a ON a.num = v.account_num
        WHERE v.ends_at > $1
        ORDER BY v.ends_at DESC, o.num
        LIMIT 500";
    OF_ACCOUNT: Visited = "
        SELECT {columns}, 'staff', CAST(0 AS BIGINT), v.ends_at, v.can_write
        FROM visits v
        JOIN orgs o ON o.num = v.org_num
        JOIN org_usage u ON u.org_num = o.num
        WHERE v.account_num = $1 AND v.ends_at > $2 AND o.removed_at IS NULL
        ORDER BY o.name, o.num
        LIMIT 100";
}

/// A visit to begin.
pub struct NewVisit<'a> {
    /// Whose; they are an operator.
    pub account: AccountNum,
    /// As the audit log has it.
    pub reason: &'a str,
    /// Whether more than looking is allowed.
    pub can_write: bool,
    /// When it begins.
    pub now_ms: i64,
    /// When it is over by itself.
    pub ends_at_ms: i64,
}

/// Begins a visit, in place of one that may be running.
pub async fn begin(tx: &mut Tx<'_>, scope: OrgScope, new: &NewVisit<'_>) -> Result<(), DbError> {
    let values = params![
        new.account,
        scope.num(),
        new.reason,
        new.can_write,
        new.now_ms,
        new.ends_at_ms
    ];
    tx.execute_one(&BEGIN, values).await
}

/// Ends a running visit; false when there was none.
pub async fn end(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    account: AccountNum,
    now_ms: i64,
) -> Result<bool, DbError> {
    Ok(tx.execute(&END, params![account, scope.num(), now_ms]).await? == 1)
}

/// An Org with a visit in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitedOrg {
    /// For its lock and its log.
    pub scope: OrgScope,
    /// What logs call it.
    pub id: OrgId,
}

impl FromRow for VisitedOrg {
    const COLUMNS: &'static str = "o.num, o.id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            id: row.parse(1, OrgId::parse)?,
        })
    }
}

/// The Orgs that somebody visits, in the order in which Orgs are locked.
pub async fn list_orgs_of(
    tx: &mut Tx<'_>,
    account: AccountNum,
    now_ms: i64,
) -> Result<Vec<VisitedOrg>, DbError> {
    tx.list(&ORGS_OF, params![account, now_ms]).await
}

/// Ends all visits of somebody that go on.
pub async fn end_all_of(tx: &mut Tx<'_>, account: AccountNum, now_ms: i64) -> Result<(), DbError> {
    tx.execute(&END_ALL_OF, params![account, now_ms]).await.map(drop)
}

/// A visit that goes on, for the people of its Org.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visiting {
    /// By which the setting knows whose visit it is.
    pub discord_id: DiscordId,
    /// Whether they are an operator by a grant.
    pub granted: bool,
    /// Whether more than looking is allowed.
    pub can_write: bool,
    /// Why.
    pub reason: String,
}

impl FromRow for Visiting {
    const COLUMNS: &'static str = "a.discord_id, a.operator, v.can_write, v.reason";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.parse(0, DiscordId::parse)?,
            granted: row.flag(1)?,
            can_write: row.flag(2)?,
            reason: row.text(3)?,
        })
    }
}

/// Who visits an Org now.
pub async fn list_in(db: &Db, scope: OrgScope, now_ms: i64) -> Result<Vec<Visiting>, DbError> {
    db.list(&IN_ORG, params![scope.num(), now_ms]).await
}

/// A visit that goes on, for operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Where.
    pub org: OrgId,
    /// What it is called.
    pub org_name: String,
    /// Who.
    pub account: AccountId,
    /// Their name.
    pub account_name: String,
    /// By which the setting knows them.
    pub discord_id: DiscordId,
    /// Whether they are an operator by a grant.
    pub granted: bool,
    /// Whether more than looking is allowed.
    pub can_write: bool,
    /// Why.
    pub reason: String,
    /// Since when.
    pub began_at_ms: i64,
    /// Until when.
    pub ends_at_ms: i64,
}

impl FromRow for Running {
    const COLUMNS: &'static str = "\
        o.id, o.name, a.id, a.name, v.can_write, v.reason, v.began_at, v.ends_at, a.discord_id, a.operator";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            org: row.parse(0, OrgId::parse)?,
            org_name: row.text(1)?,
            account: row.parse(2, AccountId::parse)?,
            account_name: row.text(3)?,
            can_write: row.flag(4)?,
            reason: row.text(5)?,
            began_at_ms: row.int(6)?,
            ends_at_ms: row.int(7)?,
            discord_id: row.parse(8, DiscordId::parse)?,
            granted: row.flag(9)?,
        })
    }
}

/// Those that go on, of all operators.
pub async fn list(db: &Db, _: OperatorScope, now_ms: i64) -> Result<Vec<Running>, DbError> {
    db.list_heavy(&RUNNING, params![now_ms]).await
}

/// An Org that an operator visits, as they see it among their own.
#[derive(Debug, Clone)]
pub struct Visited {
    /// With what the visit allows.
    pub org: OrgOfPerson,
    /// When it is over by itself.
    pub ends_at_ms: i64,
    /// Whether more than looking is allowed.
    pub can_write: bool,
}

impl FromRow for Visited {
    const COLUMNS: &'static str = OrgOfPerson::COLUMNS;

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let can_write = row.flag(12)?;
        Ok(Self {
            org: OrgOfPerson {
                permissions: visit::permissions(can_write),
                ..OrgOfPerson::from_row(row)?
            },
            ends_at_ms: row.int(11)?,
            can_write,
        })
    }
}

/// The visits of one operator that go on.
pub async fn list_of(
    db: &Db,
    _: OperatorScope,
    account: AccountNum,
    now_ms: i64,
) -> Result<Vec<Visited>, DbError> {
    db.list(&OF_ACCOUNT, params![account, now_ms]).await
}
