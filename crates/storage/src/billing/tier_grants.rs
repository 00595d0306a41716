//! Plans that operators gave.

use domain::plan::Tier;

use crate::columns::tier;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::OrgScope;

statements! {
    GET: Grant = "
        SELECT {columns}
        FROM tier_grants
        WHERE org_num = $1";
    SET = "
        INSERT INTO tier_grants (org_num, tier, ends_at, created_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (org_num) DO UPDATE SET
            tier = excluded.tier, ends_at = excluded.ends_at, created_at = excluded.created_at";
    DROP = "
        DELETE FROM tier_grants
        WHERE org_num = $1";
    ENDED: OrgToDerive = "
        SELECT {columns}
        FROM tier_grants
        WHERE ends_at <= $1
        ORDER BY ends_at, org_num
        LIMIT $2";
}

/// A plan that an operator gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The plan.
    pub tier: Tier,
    /// None for one without an end.
    pub ends_at_ms: Option<i64>,
}

impl FromRow for Grant {
    const COLUMNS: &'static str = "tier, ends_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            tier: tier(row, 0)?,
            ends_at_ms: row.opt_int(1)?,
        })
    }
}

/// An Org whose tier is to be looked at.
#[derive(Debug, Clone)]
pub struct OrgToDerive {
    /// It may be removed.
    pub scope: OrgScope,
}

impl FromRow for OrgToDerive {
    const COLUMNS: &'static str = "org_num";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
        })
    }
}

/// What was given to an Org.
pub async fn find(db: &Db, scope: OrgScope) -> Result<Option<Grant>, DbError> {
    db.find(&GET, params![scope.num()]).await
}

/// The same in a unit. Under the Org's lock.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Option<Grant>, DbError> {
    tx.find(&GET, params![scope.num()]).await
}

/// Replaces what was given. Under the Org's lock.
pub async fn set(tx: &mut Tx<'_>, scope: OrgScope, grant: Grant, now_ms: i64) -> Result<(), DbError> {
    let values = params![scope.num(), grant.tier.as_str(), grant.ends_at_ms, now_ms];
    tx.execute_one(&SET, values).await
}

/// Takes it back. Under the Org's lock.
pub async fn drop(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.execute(&DROP, params![scope.num()]).await?;
    Ok(())
}

/// Orgs whose grant is over.
pub async fn list_ended(db: &Db, now_ms: i64, limit: i64) -> Result<Vec<OrgToDerive>, DbError> {
    db.list_heavy(&ENDED, params![now_ms, limit]).await
}
