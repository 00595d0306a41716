//! Rows of files of older systems, kept while they are decided on. Lists travel as one JSON text.

use serde::Serialize;

use super::import_runs::{self, ImportNum};
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    INSERT = "
        INSERT INTO import_rows (import_num, org_num, row_no, part, place, line, body, reason)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST(added.value ->> 'row_no' AS BIGINT), added.value ->> 'part',
               CAST(added.value ->> 'place' AS BIGINT), CAST(added.value ->> 'line' AS BIGINT),
               added.value ->> 'body', added.value ->> 'reason'
        FROM json_each($3) added" postgres "
        INSERT INTO import_rows (import_num, org_num, row_no, part, place, line, body, reason)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST(added.value ->> 'row_no' AS BIGINT), added.value ->> 'part',
               CAST(added.value ->> 'place' AS BIGINT), CAST(added.value ->> 'line' AS BIGINT),
               added.value ->> 'body', added.value ->> 'reason'
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) AS added (value)";
    NEXT: OpenRow = "
        SELECT {columns}
        FROM import_rows
        WHERE import_num = $2 AND org_num = $1 AND row_no > $3 AND body IS NOT NULL
        ORDER BY row_no
        LIMIT $4";
    REFUSED: RefusedRow = "
        SELECT {columns}
        FROM import_rows
        WHERE import_num = $2 AND org_num = $1 AND row_no > $3 AND reason IS NOT NULL
        ORDER BY row_no
        LIMIT $4";
    FORGET_ONE = "
        DELETE FROM import_rows
        WHERE import_num = $2 AND org_num = $1 AND row_no = $3";
    CLEAR = "
        UPDATE import_rows
        SET reason = NULL
        WHERE import_num = $2 AND org_num = $1 AND row_no > $3 AND row_no <= $4 AND body IS NOT NULL AND reason IS NOT NULL";
    REFUSE = "
        UPDATE import_rows
        SET reason = (SELECT told.value ->> 'reason' FROM json_each($3) told
                      WHERE CAST(told.value ->> 'row_no' AS BIGINT) = import_rows.row_no)
        WHERE import_num = $2 AND org_num = $1
          AND row_no IN (SELECT CAST(told.value ->> 'row_no' AS BIGINT) FROM json_each($3) told)" postgres "
        UPDATE import_rows
        SET reason = told.value ->> 'reason'
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) AS told (value)
        WHERE import_num = $2 AND org_num = $1 AND row_no = CAST(told.value ->> 'row_no' AS BIGINT)";
    CLOSE = "
        UPDATE import_rows
        SET body = NULL
        WHERE import_num = $2 AND org_num = $1 AND row_no > $3 AND row_no <= $4 AND body IS NOT NULL";
    DELETE_TAKEN = "
        DELETE FROM import_rows
        WHERE import_num = $2 AND org_num = $1
          AND row_no IN (SELECT row_no FROM import_rows WHERE import_num = $2 AND reason IS NULL ORDER BY row_no LIMIT $3)";
    DELETE_ALL = "
        DELETE FROM import_rows
        WHERE import_num = $2 AND org_num = $1
          AND row_no IN (SELECT row_no FROM import_rows WHERE import_num = $2 ORDER BY row_no LIMIT $3)";
    FIRST = "
        SELECT row_no
        FROM import_rows
        WHERE import_num = $2 AND org_num = $1
        ORDER BY row_no
        LIMIT 1";
}

/// A row that is stored.
#[derive(Debug, Serialize)]
pub struct NewRow {
    /// When it is decided on, counted from 1.
    pub row_no: i64,
    /// `users` or `removed`.
    pub part: &'static str,
    /// The how-maniest of its table.
    pub place: u64,
    /// Of the file.
    pub line: u64,
    /// None where it was refused for its form.
    pub body: Option<String>,
    /// Why it was.
    pub reason: Option<String>,
}

/// A row that is to be decided on.
#[derive(Debug, Clone)]
pub struct OpenRow {
    /// When.
    pub row_no: i64,
    /// `users` or `removed`.
    pub part: String,
    /// The how-maniest of its table.
    pub place: i64,
    /// Of the file.
    pub line: i64,
    /// JSON.
    pub body: String,
}

impl FromRow for OpenRow {
    const COLUMNS: &'static str = "row_no, part, place, line, body";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            row_no: row.int(0)?,
            part: row.text(1)?,
            place: row.int(2)?,
            line: row.int(3)?,
            body: row.text(4)?,
        })
    }
}

/// A row that was refused.
#[derive(Debug, Clone)]
pub struct RefusedRow {
    /// For the next page.
    pub row_no: i64,
    /// `users` or `removed`.
    pub part: String,
    /// The how-maniest of its table.
    pub place: i64,
    /// Of the file.
    pub line: i64,
    /// In words.
    pub reason: String,
}

impl FromRow for RefusedRow {
    const COLUMNS: &'static str = "row_no, part, place, line, reason";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            row_no: row.int(0)?,
            part: row.text(1)?,
            place: row.int(2)?,
            line: row.int(3)?,
            reason: row.text(4)?,
        })
    }
}

/// Why a row is refused.
#[derive(Debug, Serialize)]
pub struct Refusal<'a> {
    /// Which.
    pub row_no: i64,
    /// In words.
    pub reason: &'a str,
}

/// Stores rows.
pub async fn insert(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    import: ImportNum,
    rows: &[NewRow],
) -> Result<(), DbError> {
    let list = in_json(rows)?;
    tx.execute(&INSERT, params![scope.num(), import, &list])
        .await
        .map(drop)
}

/// The next rows to be decided on.
pub async fn list_next(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    import: ImportNum,
    after: i64,
    limit: i64,
) -> Result<Vec<OpenRow>, DbError> {
    tx.list(&NEXT, params![scope.num(), import, after, limit]).await
}

/// The next rows that were refused.
pub async fn list_refused(
    db: &Db,
    scope: OrgScope,
    import: ImportNum,
    after: i64,
    limit: i64,
) -> Result<Vec<RefusedRow>, DbError> {
    db.list(&REFUSED, params![scope.num(), import, after, limit])
        .await
}

/// Writes down which of the rows after `first` up to `last` are refused now. What is decided for good needs no body.
pub async fn decide(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    import: ImportNum,
    (first, last): (i64, i64),
    refused: &[Refusal<'_>],
    for_good: bool,
) -> Result<(), DbError> {
    let range = params![scope.num(), import, first, last];
    tx.execute(&CLEAR, range).await?;
    if !refused.is_empty() {
        let list = in_json(refused)?;
        tx.execute(&REFUSE, params![scope.num(), import, &list]).await?;
    }
    if for_good {
        tx.execute(&CLOSE, range).await?;
    }
    Ok(())
}

/// Forgets rows about people who were erased.
pub async fn forget_erased(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    import: ImportNum,
    rows: &[i64],
) -> Result<(), DbError> {
    for row in rows {
        tx.execute(&FORGET_ONE, params![scope.num(), import, *row])
            .await?;
    }
    Ok(())
}

/// Forgets some rows: those that were not refused, or any. Returns how many went.
pub async fn forget(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    import: ImportNum,
    all: bool,
    limit: i64,
) -> Result<u64, DbError> {
    let statement = if all { &DELETE_ALL } else { &DELETE_TAKEN };
    tx.execute(statement, params![scope.num(), import, limit]).await
}

/// Whether any row is left.
pub async fn is_any(tx: &mut Tx<'_>, scope: OrgScope, import: ImportNum) -> Result<bool, DbError> {
    let first: Option<i64> = tx.find(&FIRST, params![scope.num(), import]).await?;
    Ok(first.is_some())
}

/// Forgets some rows of a removed Guild's imports. Returns how many went; none when all are gone.
pub async fn forget_of_guild(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    while let Some(import) = import_runs::find_kept(tx, scope, guild).await? {
        let gone = forget(tx, scope, import, true, limit).await?;
        if gone > 0 {
            return Ok(gone);
        }
        import_runs::note_emptied(tx, scope, import).await?;
    }
    Ok(0)
}

fn in_json<T: Serialize>(rows: &[T]) -> Result<String, DbError> {
    serde_json::to_string(rows).map_err(|error| DbError::Bug(format!("rows of an import: {error}")))
}
