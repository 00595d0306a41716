//! Failures, grouped by code, route, Org and minute.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    FIND = "
        SELECT num, count, request_ids
        FROM error_log
        WHERE code = $1 AND route = $2 AND org_num = $3 AND minute = $4
        FOR UPDATE";
    INSERT = "
        INSERT INTO error_log (code, route, org_num, minute, status, count, request_ids, detail)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (code, route, org_num, minute) DO NOTHING";
    ADD = "
        UPDATE error_log
        SET count = count + $2, request_ids = $3
        WHERE num = $1";
    PURGE_OLD = "
        DELETE FROM error_log
        WHERE num IN (SELECT num FROM error_log WHERE minute <= $1 ORDER BY minute LIMIT 500)";
    PURGE_SURPLUS = "
        DELETE FROM error_log
        WHERE num IN (SELECT num FROM error_log ORDER BY num DESC LIMIT 500 OFFSET $1)";
    NEWEST = "
        SELECT code, route, org_num, minute, status, count, request_ids, detail
        FROM error_log
        ORDER BY num DESC
        LIMIT $1";
}

/// Request ids kept per group.
pub const KEPT_REQUEST_IDS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub code: String,
    pub route: String,
    /// 0 when no Org was known.
    pub org_num: i64,
    pub minute: i64,
    pub status: i64,
    pub count: i64,
    pub request_ids: Vec<String>,
    pub detail: String,
}

struct Known {
    num: i64,
    request_ids: String,
}

impl FromRow for Known {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            request_ids: row.text(2)?,
        })
    }
}

/// Adds a group's failures to what is already written down for its minute.
pub async fn record(tx: &mut Tx<'_>, group: &Group) -> Result<(), DbError> {
    let ids = join_newest(&group.request_ids);
    let values = params![
        &group.code,
        &group.route,
        group.org_num,
        group.minute,
        group.status,
        group.count,
        &ids,
        &group.detail
    ];
    if tx.execute(&INSERT, values).await? == 1 {
        return Ok(());
    }
    let known: Known = tx
        .get(
            &FIND,
            params![&group.code, &group.route, group.org_num, group.minute],
        )
        .await?;
    let mut merged: Vec<String> = split(&known.request_ids);
    merged.extend(group.request_ids.iter().cloned());
    tx.execute_one(&ADD, params![known.num, group.count, &join_newest(&merged)])
        .await
}

/// Removes up to 500 groups that are too old and up to 500 beyond the number kept.
pub async fn purge(tx: &mut Tx<'_>, before_minute: i64, kept: i64) -> Result<u64, DbError> {
    Ok(tx.execute(&PURGE_OLD, params![before_minute]).await?
        + tx.execute(&PURGE_SURPLUS, params![kept]).await?)
}

impl FromRow for Group {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            code: row.text(0)?,
            route: row.text(1)?,
            org_num: row.int(2)?,
            minute: row.int(3)?,
            status: row.int(4)?,
            count: row.int(5)?,
            request_ids: split(row.str(6)?),
            detail: row.text(7)?,
        })
    }
}

pub async fn list_newest(db: &Db, limit: i64) -> Result<Vec<Group>, DbError> {
    db.list_heavy(&NEWEST, params![limit]).await
}

fn join_newest(ids: &[String]) -> String {
    ids[ids.len().saturating_sub(KEPT_REQUEST_IDS)..].join(",")
}

fn split(text: &str) -> Vec<String> {
    text.split(',')
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect()
}
