//! Failures that operators are told of, over all nodes.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    /// Whoever decides goes one after the other.
    LOCK = "
        INSERT INTO alert_budget (one, told, open_until, number)
        VALUES (1, '', 0, 0)
        ON CONFLICT (one) DO UPDATE SET one = 1";
    BUDGET: Spent = "
        SELECT {columns}
        FROM alert_budget
        WHERE one = 1";
    SPEND = "
        UPDATE alert_budget
        SET told = $1, open_until = $2, number = $3
        WHERE one = 1";
    NOTE = "
        INSERT INTO operator_alerts (code, place, told_at, untold, seen_at, request_id, number, attempts)
        VALUES ($1, $2, 0, $3, $4, $5, 0, 0)
        ON CONFLICT (code, place) DO UPDATE
        SET untold = operator_alerts.untold + excluded.untold, seen_at = excluded.seen_at,
          request_id = COALESCE(excluded.request_id, operator_alerts.request_id)
        RETURNING told_at";
    TELL = "
        UPDATE operator_alerts
        SET told_at = $3, number = $4, outgoing = COALESCE(outgoing, 0) + untold, untold = 0, due_at = $3, attempts = 0
        WHERE code = $1 AND place = $2";
    DUE: Due = "
        SELECT {columns}
        FROM operator_alerts
        WHERE due_at <= $1
        ORDER BY due_at, number
        LIMIT 1";
    CLAIM = "
        UPDATE operator_alerts
        SET due_at = $4, attempts = attempts + 1
        WHERE code = $1 AND place = $2 AND due_at = $3";
    PUT_OFF = "
        UPDATE operator_alerts
        SET due_at = $4
        WHERE code = $1 AND place = $2 AND due_at = $3";
    END = "
        UPDATE operator_alerts
        SET outgoing = NULL, due_at = NULL
        WHERE code = $1 AND place = $2 AND due_at = $3";
    PURGE = "
        DELETE FROM operator_alerts
        WHERE due_at IS NULL
          AND (code, place) IN (SELECT code, place FROM operator_alerts WHERE seen_at < $1 ORDER BY seen_at LIMIT 500)";
}

/// What was told in the last hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    /// The times of it, as the rule writes them.
    pub told: String,
    /// Until when everything is held back.
    pub open_until_ms: i64,
    /// The number of the last message.
    pub number: i64,
}

impl FromRow for Spent {
    const COLUMNS: &'static str = "told, open_until, number";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            told: row.text(0)?,
            open_until_ms: row.int(1)?,
            number: row.int(2)?,
        })
    }
}

/// A message that is to be sent now. The time it was due names this attempt: of two nodes, one has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The stable code of the failure.
    pub code: String,
    /// Where it happened.
    pub place: String,
    /// How often.
    pub count: i64,
    /// When that was decided.
    pub told_at_ms: i64,
    /// The newest request it happened to.
    pub request_id: Option<String>,
    /// The number of the message.
    pub number: i64,
    /// When it was to be tried.
    pub due_at_ms: i64,
    /// How often it was tried before.
    pub attempts: i64,
}

impl FromRow for Due {
    const COLUMNS: &'static str = "code, place, outgoing, told_at, request_id, number, due_at, attempts";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            code: row.text(0)?,
            place: row.text(1)?,
            count: row.int(2)?,
            told_at_ms: row.int(3)?,
            request_id: row.opt_text(4)?,
            number: row.int(5)?,
            due_at_ms: row.int(6)?,
            attempts: row.int(7)?,
        })
    }
}

/// A failure that happened since the last time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// The stable code.
    pub code: &'static str,
    /// Where.
    pub place: String,
    /// How often.
    pub count: i64,
    /// The newest request it happened to.
    pub request_id: Option<String>,
}

/// What was spent, for whoever decides about more. Others wait until the unit ends.
pub async fn lock_budget(tx: &mut Tx<'_>) -> Result<Spent, DbError> {
    tx.execute_one(&LOCK, params![]).await?;
    tx.get(&BUDGET, params![]).await
}

/// Writes down what was spent.
pub async fn spend(tx: &mut Tx<'_>, spent: &Spent) -> Result<(), DbError> {
    let values = params![spent.told.as_str(), spent.open_until_ms, spent.number];
    tx.execute_one(&SPEND, values).await
}

/// Counts a failure. Returns when operators were last told of it.
pub async fn note(tx: &mut Tx<'_>, happened: &Happened, now_ms: i64) -> Result<i64, DbError> {
    let values = params![
        happened.code,
        happened.place.as_str(),
        happened.count,
        now_ms,
        happened.request_id.as_deref()
    ];
    tx.get(&NOTE, values).await
}

/// Has operators told of what was counted.
pub async fn tell(tx: &mut Tx<'_>, happened: &Happened, number: i64, now_ms: i64) -> Result<(), DbError> {
    let values = params![happened.code, happened.place.as_str(), now_ms, number];
    tx.execute_one(&TELL, values).await
}

/// The message that has waited longest.
pub async fn find_due(db: &Db, now_ms: i64) -> Result<Option<Due>, DbError> {
    db.find(&DUE, params![now_ms]).await
}

/// Takes it until `until_ms`, unless another node did.
pub async fn claim(tx: &mut Tx<'_>, due: &Due, until_ms: i64) -> Result<bool, DbError> {
    let values = params![due.code.as_str(), due.place.as_str(), due.due_at_ms, until_ms];
    Ok(tx.execute(&CLAIM, values).await? == 1)
}

/// Tries it again later, if it is still ours.
pub async fn put_off(tx: &mut Tx<'_>, due: &Due, until_ms: i64) -> Result<(), DbError> {
    let values = params![due.code.as_str(), due.place.as_str(), due.due_at_ms, until_ms];
    tx.execute(&PUT_OFF, values).await?;
    Ok(())
}

/// It was sent or given up, if it is still ours.
pub async fn end(tx: &mut Tx<'_>, due: &Due) -> Result<(), DbError> {
    let values = params![due.code.as_str(), due.place.as_str(), due.due_at_ms];
    tx.execute(&END, values).await?;
    Ok(())
}

/// Forgets some hundred of what did not happen since then.
pub async fn purge(tx: &mut Tx<'_>, before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![before_ms]).await
}
