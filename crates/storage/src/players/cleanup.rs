//! What an Org wants done about dormant links, and how the last run ended.

use domain::dormancy::CleanupRules;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::sweeps::DueOrg;
use crate::scope::OrgScope;

statements! {
    GET: StoredCleanup = "
        SELECT {columns}
        FROM cleanup_settings
        WHERE org_num = $1";
    SET = "
        INSERT INTO cleanup_settings (org_num, enabled, days, grace_days, enabled_at, revision)
        VALUES ($1, $2, $3, $4, $5, 1)
        ON CONFLICT (org_num) DO UPDATE SET
            enabled = excluded.enabled, days = excluded.days, grace_days = excluded.grace_days,
            enabled_at = CASE WHEN cleanup_settings.enabled = 0 THEN excluded.enabled_at ELSE cleanup_settings.enabled_at END,
            revision = cleanup_settings.revision + 1";
    RAN = "
        UPDATE cleanup_settings
        SET ran_at = $2, last_run = $3
        WHERE org_num = $1";
    DUE: DueOrg = "
        SELECT {columns}
        FROM cleanup_settings c
        JOIN orgs o ON o.num = c.org_num
        WHERE c.enabled = 1 AND c.ran_at < $1 AND o.removed_at IS NULL
        ORDER BY c.ran_at, c.org_num
        LIMIT $2";
}

/// What is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredCleanup {
    /// What the Org wants.
    pub rules: CleanupRules,
    /// When it was last turned on.
    pub enabled_at_ms: i64,
    /// One more with every save.
    pub revision: i64,
    /// When a run last ended; 0 before the first.
    pub ran_at_ms: i64,
    /// What it came to, as JSON.
    pub last_run: Option<String>,
}

impl FromRow for StoredCleanup {
    const COLUMNS: &'static str = "enabled, days, grace_days, revision, ran_at, last_run, enabled_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            rules: CleanupRules {
                enabled: row.flag(0)?,
                days: row.int(1)?,
                grace_days: row.int(2)?,
            },
            revision: row.int(3)?,
            ran_at_ms: row.int(4)?,
            last_run: row.opt_text(5)?,
            enabled_at_ms: row.int(6)?,
        })
    }
}

/// What an Org wants; nothing happens where nobody said so.
pub async fn get(db: &Db, scope: OrgScope) -> Result<StoredCleanup, DbError> {
    Ok(db.find(&GET, params![scope.num()]).await?.unwrap_or_default())
}

/// The same in a unit.
pub async fn get_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<StoredCleanup, DbError> {
    Ok(tx.find(&GET, params![scope.num()]).await?.unwrap_or_default())
}

/// Replaces what an Org wants. Under the Org's lock.
pub async fn set(tx: &mut Tx<'_>, scope: OrgScope, rules: &CleanupRules, now_ms: i64) -> Result<(), DbError> {
    let values = params![
        scope.num(),
        i64::from(rules.enabled),
        rules.days,
        rules.grace_days,
        now_ms,
    ];
    tx.execute(&SET, values).await.map(drop)
}

/// Notes the end of a run. Under the Org's lock.
pub async fn note_run(tx: &mut Tx<'_>, scope: OrgScope, at_ms: i64, came_to: &str) -> Result<(), DbError> {
    tx.execute(&RAN, params![scope.num(), at_ms, came_to])
        .await
        .map(drop)
}

/// Orgs whose last run ended before this.
pub async fn list_due(db: &Db, before_ms: i64, limit: i64) -> Result<Vec<DueOrg>, DbError> {
    db.list_heavy(&DUE, params![before_ms, limit]).await
}
