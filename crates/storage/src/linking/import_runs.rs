//! Files of older systems that a team takes over: how far each is. All of it is written under the Org's lock.

use domain::id::{GuildId, ImportId, OrgId, ServerId};
use domain::import::{ImportKind, ImportState, ImportStop};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

/// Imports that an Org is told of.
pub const NEWEST: i64 = 20;

statements! {
    INSERT = "
        INSERT INTO imports (id, org_num, guild_num, server_id, kind, state, about, result, created_at, touched_at)
        VALUES ($1, $2, $3, $4, $5, 'reading', '{}', '{}', $6, $6)
        RETURNING num";
    BY_ID: ImportRun = "
        SELECT {columns}
        FROM imports i
        JOIN orgs o ON o.num = i.org_num
        JOIN guilds g ON g.num = i.guild_num
        WHERE i.org_num = $1 AND i.id = $2";
    OF_ORG: ImportRun = "
        SELECT {columns}
        FROM imports i
        JOIN orgs o ON o.num = i.org_num
        JOIN guilds g ON g.num = i.guild_num
        WHERE i.org_num = $1
        ORDER BY i.num DESC
        LIMIT $2";
    /// Of all Orgs: what nobody touched for days, and what a crash left half stored.
    DUE: ImportRun = "
        SELECT {columns}
        FROM imports i
        JOIN orgs o ON o.num = i.org_num
        JOIN guilds g ON g.num = i.guild_num
        WHERE i.has_rows = 1 AND i.touched_at < $2 AND (i.touched_at < $1 OR i.state = 'reading')
        ORDER BY i.touched_at
        LIMIT $3";
    SAVE = "
        UPDATE imports
        SET state = $3, stop = $4, total = $5, done = $6, about = $7, result = $8, has_rows = $9, forget = $10,
            touched_at = $11, ended_at = $12
        WHERE org_num = $1 AND num = $2";
    STOP_OF_GUILD = "
        UPDATE imports
        SET state = 'stopped', stop = 'guild_removed', ended_at = $3, touched_at = $3,
            result = CASE WHEN state = 'importing' THEN result ELSE '{}' END
        WHERE org_num = $1 AND guild_num = $2 AND ended_at IS NULL";
    FORGET_OF_GUILD = "
        UPDATE imports
        SET forget = 1
        WHERE org_num = $1 AND guild_num = $2 AND has_rows = 1";
    KEPT_OF_GUILD = "
        SELECT num
        FROM imports
        WHERE org_num = $1 AND guild_num = $2 AND has_rows = 1
        ORDER BY num
        LIMIT 1";
    EMPTIED = "
        UPDATE imports
        SET has_rows = 0
        WHERE org_num = $1 AND num = $2";
    DELETE_OLD = "
        DELETE FROM imports
        WHERE org_num = $1 AND has_rows = 0 AND ended_at IS NOT NULL
          AND num <= (SELECT num FROM imports WHERE org_num = $1 ORDER BY num DESC LIMIT 1 OFFSET $2)";
}

/// The row of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportNum(pub i64);

impl From<ImportNum> for crate::db::Value<'_> {
    fn from(num: ImportNum) -> Self {
        crate::db::Value::Int(num.0)
    }
}

/// A file that is taken over.
#[derive(Debug, Clone)]
pub struct ImportRun {
    /// Its row.
    pub num: ImportNum,
    /// Its name for everybody.
    pub id: ImportId,
    /// Whose it is.
    pub scope: OrgScope,
    /// The same by its id.
    pub org: OrgId,
    /// Where links are made.
    pub guild: GuildId,
    /// Whose reports the permission groups become.
    pub server: Option<ServerId>,
    /// What is in the file.
    pub kind: ImportKind,
    /// How far it is.
    pub state: ImportState,
    /// Why it cannot go on.
    pub stop: Option<ImportStop>,
    /// Rows of the file.
    pub total: i64,
    /// The last of them that was decided on.
    pub done: i64,
    /// What was found in the file, as JSON.
    pub about: String,
    /// What came of it so far, as JSON.
    pub result: String,
    /// Whether rows may be left.
    pub has_rows: bool,
    /// Whether all of them are to go, refused ones too.
    pub forget: bool,
    /// When it was sent.
    pub created_at_ms: i64,
    /// When it last got on.
    pub touched_at_ms: i64,
    /// Nothing more comes after it.
    pub ended_at_ms: Option<i64>,
}

impl FromRow for ImportRun {
    const COLUMNS: &'static str = "\
        i.num, i.id, i.org_num, o.id, g.id, i.server_id, i.kind, i.state, i.stop, i.total, i.done, i.about, i.result, \
        i.has_rows, i.forget, i.created_at, i.touched_at, i.ended_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let unknown = |what: &str| DbError::Bug(format!("an import with an unknown {what}"));
        let server = row.opt_text(5)?.map(|id| ServerId::parse(&id)).transpose();
        let stop = row.opt_text(8)?;
        Ok(Self {
            num: ImportNum(row.int(0)?),
            id: row.parse(1, ImportId::parse)?,
            scope: OrgScope::new(row.int(2)?),
            org: row.parse(3, OrgId::parse)?,
            guild: row.parse(4, GuildId::parse)?,
            server: server.map_err(|_| unknown("Server"))?,
            kind: ImportKind::parse(row.str(6)?).ok_or_else(|| unknown("kind"))?,
            state: ImportState::parse(row.str(7)?).ok_or_else(|| unknown("state"))?,
            stop: stop.as_deref().and_then(ImportStop::parse),
            total: row.int(9)?,
            done: row.int(10)?,
            about: row.text(11)?,
            result: row.text(12)?,
            has_rows: row.flag(13)?,
            forget: row.flag(14)?,
            created_at_ms: row.int(15)?,
            touched_at_ms: row.int(16)?,
            ended_at_ms: row.opt_int(17)?,
        })
    }
}

/// An import that begins.
pub struct NewRun<'a> {
    /// Made before the unit.
    pub id: &'a ImportId,
    /// Of the Org.
    pub guild: GuildNum,
    /// Of the Guild.
    pub server: Option<&'a ServerId>,
    /// What is in the file.
    pub kind: ImportKind,
    /// When it was sent.
    pub now_ms: i64,
}

/// Writes down that rows are being stored.
pub async fn insert(tx: &mut Tx<'_>, scope: OrgScope, new: &NewRun<'_>) -> Result<ImportNum, DbError> {
    let values = params![
        new.id.as_str(),
        scope.num(),
        new.guild,
        new.server.map(ServerId::as_str),
        new.kind.as_str(),
        new.now_ms
    ];
    Ok(ImportNum(tx.get(&INSERT, values).await?))
}

/// One of the Org's.
pub async fn find(db: &Db, scope: OrgScope, id: &ImportId) -> Result<Option<ImportRun>, DbError> {
    db.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// The same inside a unit of work that holds the Org's lock.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, id: &ImportId) -> Result<Option<ImportRun>, DbError> {
    tx.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// The newest of an Org, the last one first.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<ImportRun>, DbError> {
    db.list(&OF_ORG, params![scope.num(), NEWEST]).await
}

/// The same inside a unit of work that holds the Org's lock.
pub async fn list_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<ImportRun>, DbError> {
    tx.list(&OF_ORG, params![scope.num(), NEWEST]).await
}

/// Imports of all Orgs that nobody touched since `before_ms`, and half stored ones since `half_before_ms`, which is later.
pub async fn list_due(
    db: &Db,
    before_ms: i64,
    half_before_ms: i64,
    limit: i64,
) -> Result<Vec<ImportRun>, DbError> {
    db.list(&DUE, params![before_ms, half_before_ms, limit]).await
}

/// Writes down what changed.
pub async fn save(tx: &mut Tx<'_>, run: &ImportRun) -> Result<(), DbError> {
    let values = params![
        run.scope.num(),
        run.num,
        run.state.as_str(),
        run.stop.map(ImportStop::as_str),
        run.total,
        run.done,
        &run.about,
        &run.result,
        run.has_rows,
        run.forget,
        run.touched_at_ms,
        run.ended_at_ms
    ];
    tx.execute_one(&SAVE, values).await
}

/// Nothing more is imported into a Guild that goes, and its rows are to go with it.
pub async fn stop_of_guild(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&STOP_OF_GUILD, params![scope.num(), guild, now_ms])
        .await?;
    tx.execute(&FORGET_OF_GUILD, params![scope.num(), guild])
        .await
        .map(drop)
}

/// The next import of a removed Guild that may have rows.
pub async fn find_kept(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
) -> Result<Option<ImportNum>, DbError> {
    let found: Option<i64> = tx.find(&KEPT_OF_GUILD, params![scope.num(), guild]).await?;
    Ok(found.map(ImportNum))
}

/// Writes down that no row is left.
pub async fn note_emptied(tx: &mut Tx<'_>, scope: OrgScope, import: ImportNum) -> Result<(), DbError> {
    tx.execute_one(&EMPTIED, params![scope.num(), import]).await
}

/// Removes imports of which nobody is told any more.
pub async fn delete_old(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.execute(&DELETE_OLD, params![scope.num(), NEWEST - 1])
        .await
        .map(drop)
}
