//! Jobs as operators go through them.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::jobs::ListedJob;
use crate::params;
use crate::scope::OperatorScope;

statements! {
    /// An empty text or nothing leaves a filter out. Somebody who runs a lane holds it for some time only.
    PAGE: ListedJob = "
        SELECT {columns}
        FROM jobs j
        JOIN job_lanes l ON l.lane = j.lane
        LEFT JOIN orgs o ON o.num = j.org_num
        WHERE j.num > $1 AND ($2 = '' OR j.kind = $2)
          AND ($3 = '' OR ($3 = 'failed' AND j.attempts > 0) OR ($3 = 'running' AND l.lease_owner IS NOT NULL)
            OR ($3 = 'waiting' AND l.lease_owner IS NULL))
        ORDER BY j.num
        LIMIT $4" postgres "
        SELECT {columns}
        FROM jobs j
        JOIN job_lanes l ON l.lane = j.lane
        LEFT JOIN orgs o ON o.num = j.org_num
        WHERE j.num > $1 AND (CAST($2 AS TEXT) = '' OR j.kind = $2)
          AND (CAST($3 AS TEXT) = '' OR (CAST($3 AS TEXT) = 'failed' AND j.attempts > 0)
            OR (CAST($3 AS TEXT) = 'running' AND l.lease_owner IS NOT NULL)
            OR (CAST($3 AS TEXT) = 'waiting' AND l.lease_owner IS NULL))
        ORDER BY j.num
        LIMIT $4";
    KINDS: KindCount = "
        SELECT {columns}
        FROM jobs
        GROUP BY kind
        ORDER BY kind
        LIMIT 200";
}

/// How many jobs of a kind there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCount {
    /// A name of `JobKind`, or of a newer version's.
    pub kind: String,
    /// All of them.
    pub jobs: i64,
    /// Those whose last attempt failed.
    pub failed: i64,
    /// When the oldest was written.
    pub oldest_at_ms: i64,
}

impl FromRow for KindCount {
    const COLUMNS: &'static str = "kind, CAST(COUNT(*) AS BIGINT), \
        CAST(SUM(CASE WHEN attempts > 0 THEN 1 ELSE 0 END) AS BIGINT), MIN(created_at)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            kind: row.text(0)?,
            jobs: row.int(1)?,
            failed: row.int(2)?,
            oldest_at_ms: row.int(3)?,
        })
    }
}

/// What jobs somebody looks for; an empty text is not asked for.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Behind this one.
    pub after: i64,
    /// Exactly this kind.
    pub kind: String,
    /// `failed`, `running` or `waiting`.
    pub state: &'static str,
}

/// Jobs that fit, the oldest first.
pub async fn list(
    db: &Db,
    _: OperatorScope,
    filter: &JobFilter,
    limit: i64,
) -> Result<Vec<ListedJob>, DbError> {
    db.list_heavy(&PAGE, params![filter.after, &filter.kind, filter.state, limit])
        .await
}

/// How many there are of each kind. It goes through all of them.
pub async fn count(db: &Db, _: OperatorScope) -> Result<Vec<KindCount>, DbError> {
    db.list_heavy(&KINDS, params![]).await
}
