//! The receivers of an Org's changes.

use domain::id::{OrgId, WebhookId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::OrgScope;

statements! {
    INSERT = "
        INSERT INTO webhook_endpoints (id, org_num, url, created_at)
        VALUES ($1, $2, $3, $4)
        RETURNING num";
    /// In the order in which their lanes are locked.
    OPEN: Open = "
        SELECT {columns}
        FROM webhook_endpoints
        WHERE org_num = $1 AND removed_at IS NULL
        ORDER BY num
        LIMIT 100";
    COUNT = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM webhook_endpoints
        WHERE org_num = $1 AND removed_at IS NULL";
    BY_ID: Endpoint = "
        SELECT {columns}
        FROM webhook_endpoints e
        JOIN orgs o ON o.num = e.org_num
        WHERE e.id = $1 AND e.removed_at IS NULL";
    ALL: Endpoint = "
        SELECT {columns}
        FROM webhook_endpoints e
        JOIN orgs o ON o.num = e.org_num
        WHERE e.num > $1 AND e.removed_at IS NULL
        ORDER BY e.num
        LIMIT 200";
    STANDS = "
        SELECT num
        FROM webhook_endpoints
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    LEAVE_OUT = "
        UPDATE webhook_endpoints
        SET left_out = left_out + 1
        WHERE num = $2 AND org_num = $1";
    RECOVER = "
        UPDATE webhook_endpoints
        SET failures = 0, rest_until = 0
        WHERE num = $2 AND org_num = $1 AND failures > 0";
    REST = "
        UPDATE webhook_endpoints
        SET failures = failures + 1, rest_until = $3
        WHERE num = $2 AND org_num = $1";
    DISABLE = "
        UPDATE webhook_endpoints
        SET disabled_at = COALESCE(disabled_at, $3)
        WHERE num = $2 AND org_num = $1";
    ENABLE = "
        UPDATE webhook_endpoints
        SET disabled_at = NULL, failures = 0, rest_until = 0
        WHERE num = $2 AND org_num = $1";
    REMOVE = "
        UPDATE webhook_endpoints
        SET removed_at = $3
        WHERE num = $2 AND org_num = $1";
    REMOVE_OF_ORG = "
        UPDATE webhook_endpoints
        SET removed_at = $2
        WHERE org_num = $1 AND removed_at IS NULL";
    FORGET = "
        DELETE FROM webhook_endpoints
        WHERE removed_at > 0
          AND NOT EXISTS (SELECT 1 FROM webhook_secrets s WHERE s.endpoint_num = webhook_endpoints.num)
          AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_num = webhook_endpoints.num)";
}

/// A receiver that takes messages, or took them until it said that it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Its row.
    pub num: i64,
    /// What its lane is called after.
    pub id: WebhookId,
    /// Nothing is sent to it; what it misses is counted.
    pub is_disabled: bool,
}

impl FromRow for Open {
    const COLUMNS: &'static str = "num, id, disabled_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            id: row.parse(1, WebhookId::parse)?,
            is_disabled: row.opt_int(2)?.is_some(),
        })
    }
}

/// A receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its row.
    pub num: i64,
    /// By which operators name it.
    pub id: WebhookId,
    /// Whose changes it gets.
    pub scope: OrgScope,
    /// The same by its id.
    pub org: OrgId,
    /// It may hold a secret of the receiver's, so it stands in no log.
    pub url: String,
    /// When it was added.
    pub created_at_ms: i64,
    /// In a row.
    pub failures: i64,
    /// It is left alone until then.
    pub rest_until_ms: i64,
    /// Changes that were not noted for it, because too many waited.
    pub left_out: i64,
    /// It said that it is gone for good.
    pub disabled_at_ms: Option<i64>,
}

impl FromRow for Endpoint {
    const COLUMNS: &'static str = "\
        e.num, e.id, e.org_num, o.id, e.url, e.created_at, e.failures, e.rest_until, e.left_out, e.disabled_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            id: row.parse(1, WebhookId::parse)?,
            scope: OrgScope::new(row.int(2)?),
            org: row.parse(3, OrgId::parse)?,
            url: row.text(4)?,
            created_at_ms: row.int(5)?,
            failures: row.int(6)?,
            rest_until_ms: row.int(7)?,
            left_out: row.int(8)?,
            disabled_at_ms: row.opt_int(9)?,
        })
    }
}

/// Adds one and tells its row.
pub async fn insert(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &WebhookId,
    url: &str,
    now_ms: i64,
) -> Result<i64, DbError> {
    tx.get(&INSERT, params![id.as_str(), scope.num(), url, now_ms])
        .await
}

/// Those of an Org that were not removed.
pub async fn list_open(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<Open>, DbError> {
    tx.list(&OPEN, params![scope.num()]).await
}

/// How many an Org has, those that are disabled among them.
pub async fn count(tx: &mut Tx<'_>, scope: OrgScope) -> Result<i64, DbError> {
    tx.get(&COUNT, params![scope.num()]).await
}

/// One that was not removed.
pub async fn find(db: &Db, id: &WebhookId) -> Result<Option<Endpoint>, DbError> {
    db.find(&BY_ID, params![id.as_str()]).await
}

/// The next ones of all Orgs, for operators.
pub async fn list_after(db: &Db, after: i64) -> Result<Vec<Endpoint>, DbError> {
    db.list_heavy(&ALL, params![after]).await
}

/// Counts a change that was not noted for it.
pub async fn leave_out(tx: &mut Tx<'_>, scope: OrgScope, num: i64) -> Result<(), DbError> {
    tx.execute_one(&LEAVE_OUT, params![scope.num(), num]).await
}

/// It took a message: the next failure is the first one.
pub async fn recover(tx: &mut Tx<'_>, scope: OrgScope, num: i64) -> Result<(), DbError> {
    tx.execute(&RECOVER, params![scope.num(), num]).await.map(drop)
}

/// It is left alone for a while.
pub async fn rest(tx: &mut Tx<'_>, scope: OrgScope, num: i64, until_ms: i64) -> Result<(), DbError> {
    tx.execute(&REST, params![scope.num(), num, until_ms])
        .await
        .map(drop)
}

/// It is gone for good.
pub async fn disable(tx: &mut Tx<'_>, scope: OrgScope, num: i64, now_ms: i64) -> Result<(), DbError> {
    tx.execute(&DISABLE, params![scope.num(), num, now_ms])
        .await
        .map(drop)
}

/// Whether it was not removed, asked under the Org's lock.
pub async fn is_there(tx: &mut Tx<'_>, scope: OrgScope, num: i64) -> Result<bool, DbError> {
    Ok(tx
        .find::<i64>(&STANDS, params![scope.num(), num])
        .await?
        .is_some())
}

/// It takes messages again, at once.
pub async fn enable(tx: &mut Tx<'_>, scope: OrgScope, num: i64) -> Result<(), DbError> {
    tx.execute_one(&ENABLE, params![scope.num(), num]).await
}

/// Nothing is sent to it any more. Its messages are forgotten afterwards.
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, num: i64, now_ms: i64) -> Result<(), DbError> {
    tx.execute_one(&REMOVE, params![scope.num(), num, now_ms]).await
}

/// The same for all that an Org has. Under its lock.
pub async fn remove_of_org(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<(), DbError> {
    tx.execute(&REMOVE_OF_ORG, params![scope.num(), now_ms])
        .await
        .map(drop)
}

/// Forgets those that were removed and have nothing left.
pub async fn forget_removed(tx: &mut Tx<'_>) -> Result<u64, DbError> {
    tx.execute(&FORGET, params![]).await
}
