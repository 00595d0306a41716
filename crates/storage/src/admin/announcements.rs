//! Announcements, and who does not want to see them any more.

use domain::announcement::{Severity, State, Target};
use domain::id::AnnouncementId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::AccountNum;

statements! {
    INSERT = "
        INSERT INTO announcements (id, severity, target, body, starts_at, ends_at, created_at, created_by)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    BY_ID: Announcement = "
        SELECT {columns}
        FROM announcements a
        WHERE a.id = $1";
    LOCK = "
        SELECT num
        FROM announcements
        WHERE id = $1
        FOR UPDATE";
    CHANGE = "
        UPDATE announcements
        SET severity = $3, target = $4, body = $5, starts_at = $6, ends_at = $7, revision = revision + 1
        WHERE id = $1 AND revision = $2";
    DELETE = "
        DELETE FROM announcements
        WHERE id = $1";
    /// Ids of later ones are greater.
    PAGE: Announcement = "
        SELECT {columns}
        FROM announcements a
        WHERE a.id < $1
        ORDER BY a.id DESC
        LIMIT $2";
    /// The three targets may be the same. What matters most comes first, so that nothing newer pushes it out.
    SHOWN: Announcement = "
        SELECT {columns}
        FROM announcements a
        WHERE a.starts_at <= $2 AND (a.ends_at IS NULL OR a.ends_at > $2) AND a.target IN ($3, $4, $5)
          AND NOT EXISTS (
            SELECT 1
            FROM announcement_dismissals d
            WHERE d.announcement_num = a.num AND d.account_num = $1
          )
        ORDER BY CASE a.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, a.starts_at DESC, a.id DESC
        LIMIT 20";
    DISMISS = "
        INSERT INTO announcement_dismissals (announcement_num, account_num, dismissed_at)
        SELECT num, CAST($2 AS BIGINT), CAST($3 AS BIGINT)
        FROM announcements
        WHERE id = $1
        ON CONFLICT (announcement_num, account_num) DO NOTHING";
}

/// Something that operators tell people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// By which it is changed and dismissed.
    pub id: AnnouncementId,
    /// How much it matters.
    pub severity: Severity,
    /// Whom it is for.
    pub target: Target,
    /// Plain text.
    pub body: String,
    /// From when on it is shown.
    pub starts_at_ms: i64,
    /// None for one without an end.
    pub ends_at_ms: Option<i64>,
    /// When it was written.
    pub created_at_ms: i64,
    /// Who wrote it; their account may be gone.
    pub created_by: Option<String>,
    /// One more with every change.
    pub revision: i64,
    /// How many do not want to see it any more.
    pub dismissals: i64,
}

impl Announcement {
    /// Where it stands in time.
    pub fn state(&self, now_ms: i64) -> State {
        State::at(now_ms, self.starts_at_ms, self.ends_at_ms)
    }
}

impl FromRow for Announcement {
    const COLUMNS: &'static str = "\
        a.id, a.severity, a.target, a.body, a.starts_at, a.ends_at, a.created_at, a.created_by, a.revision, \
        (SELECT CAST(COUNT(*) AS BIGINT) FROM announcement_dismissals n WHERE n.announcement_num = a.num)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.parse(0, AnnouncementId::parse)?,
            severity: row.parse(1, |text| Severity::parse(text).ok_or("unknown severity"))?,
            target: row.parse(2, |text| Target::parse(text).ok_or("unknown target"))?,
            body: row.text(3)?,
            starts_at_ms: row.int(4)?,
            ends_at_ms: row.opt_int(5)?,
            created_at_ms: row.int(6)?,
            created_by: row.opt_text(7)?,
            revision: row.int(8)?,
            dismissals: row.int(9)?,
        })
    }
}

/// Writes a new one.
pub async fn insert(tx: &mut Tx<'_>, new: &Announcement) -> Result<(), DbError> {
    let values = params![
        new.id.as_str(),
        new.severity.as_str(),
        new.target.as_str(),
        &new.body,
        new.starts_at_ms,
        new.ends_at_ms,
        new.created_at_ms,
        new.created_by.as_deref()
    ];
    tx.execute_one(&INSERT, values).await
}

/// One of them, locked until the unit ends.
pub async fn lock(tx: &mut Tx<'_>, id: &AnnouncementId) -> Result<Option<Announcement>, DbError> {
    if tx.find::<i64>(&LOCK, params![id.as_str()]).await?.is_none() {
        return Ok(None);
    }
    tx.find(&BY_ID, params![id.as_str()]).await
}

/// Saves one, unless somebody saved it since that revision. Who dismissed it stays so.
pub async fn change(tx: &mut Tx<'_>, to: &Announcement, seen: i64) -> Result<(), DbError> {
    let values = params![
        to.id.as_str(),
        seen,
        to.severity.as_str(),
        to.target.as_str(),
        &to.body,
        to.starts_at_ms,
        to.ends_at_ms
    ];
    tx.execute_unless_stale(&CHANGE, values).await
}

/// Deletes one with its dismissals; false when it was gone.
pub async fn delete(tx: &mut Tx<'_>, id: &AnnouncementId) -> Result<bool, DbError> {
    Ok(tx.execute(&DELETE, params![id.as_str()]).await? == 1)
}

/// All of them, the newest first, behind the given one; an empty text begins at the newest.
pub async fn list(db: &Db, after: &str, limit: i64) -> Result<Vec<Announcement>, DbError> {
    let after = if after.is_empty() { "ann_~" } else { after };
    db.list_heavy(&PAGE, params![after, limit]).await
}

/// What somebody is told now, what matters most first, 20 at most.
pub async fn list_shown(
    db: &Db,
    account: AccountNum,
    now_ms: i64,
    targets: [Target; 3],
) -> Result<Vec<Announcement>, DbError> {
    let [one, two, three] = targets.map(Target::as_str);
    db.list(&SHOWN, params![account, now_ms, one, two, three]).await
}

/// Shows one to somebody no more. One that is gone, or was dismissed before, is no error.
pub async fn dismiss(
    tx: &mut Tx<'_>,
    id: &AnnouncementId,
    account: AccountNum,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&DISMISS, params![id.as_str(), account, now_ms])
        .await
        .map(drop)
}
