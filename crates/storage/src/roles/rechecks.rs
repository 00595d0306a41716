//! Looks at everybody of a Guild: each night, after a change of rules, and when somebody asks for it.

use domain::id::GuildId;
use domain::roles::Cause;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::jobs::Running;
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    /// Also where nobody is linked any more and something is still to be taken back.
    DUE: Due = "
        SELECT {columns}
        FROM guilds
        WHERE removed_at IS NULL AND roles_swept_at < $1
          AND (active_links > 0
               OR EXISTS (SELECT 1 FROM role_members r WHERE r.guild_num = guilds.num AND r.owed <> '[]'))
        ORDER BY roles_swept_at, num
        LIMIT $2";
    BEGIN = "
        UPDATE guilds
        SET roles_cause = $3, roles_swept_at = $4
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    CAUSE = "
        SELECT roles_cause
        FROM guilds
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    RESTART = "
        UPDATE jobs
        SET cursor = NULL, done = 0, cancelled = 0
        WHERE dedupe = $1";
    COUNT_ANEW = "
        UPDATE jobs
        SET total = $2
        WHERE num = $1";
}

/// A Guild whose people were not looked at for long.
#[derive(Debug, Clone)]
pub struct Due {
    /// Whose it is.
    pub scope: OrgScope,
    /// Which.
    pub num: GuildNum,
    /// The same by its id.
    pub id: GuildId,
    /// How many are linked there.
    pub links: i64,
}

impl FromRow for Due {
    const COLUMNS: &'static str = "org_num, num, id, active_links";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            num: GuildNum(row.int(1)?),
            id: row.parse(2, GuildId::parse)?,
            links: row.int(3)?,
        })
    }
}

/// Guilds whose people were last looked at before this.
pub async fn list_due(db: &Db, before_ms: i64, limit: i64) -> Result<Vec<Due>, DbError> {
    db.list_heavy(&DUE, params![before_ms, limit]).await
}

/// Notes that a look at everybody begins, and why. Under the Org's lock.
pub async fn begin(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    cause: Cause,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&BEGIN, params![scope.num(), guild, cause.as_str(), now_ms])
        .await
        .map(drop)
}

/// Why everybody is looked at.
pub async fn get_cause(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<Cause, DbError> {
    let found: Option<String> = tx.find(&CAUSE, params![scope.num(), guild]).await?;
    Ok(found.and_then(|text| Cause::parse(&text)).unwrap_or(Cause::Sweep))
}

/// Begins the one that is under way from the start, also where somebody cancelled it. Under the Org's lock and the lane's.
pub async fn restart(tx: &mut Tx<'_>, dedupe: &str) -> Result<(), DbError> {
    tx.execute_one(&RESTART, params![dedupe]).await
}

/// How many there are, at the first slice.
pub async fn count_anew(tx: &mut Tx<'_>, running: &Running, links: i64) -> Result<(), DbError> {
    tx.execute_one(&COUNT_ANEW, params![running.num, links]).await
}
