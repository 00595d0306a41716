//! Signed-in browsers. The cookie holds the token, the table its hash.

use domain::id::{AccountId, OrgId};
use domain::permission::{PermissionSet, Role};
use domain::platform_id::DiscordId;
use domain::visit;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{AccountNum, OperatorScope, OrgScope};

statements! {
    INSERT = "
        INSERT INTO sessions (hash, account_num, created_at, seen_at, expires_at, device, epoch)
        VALUES ($1, $2, $3, $3, $4, $5, COALESCE((SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'session_epoch'), 0))";
    /// One read answers who is calling and what they may do in the Org of the path. Whoever is blocked is nobody, also
    /// with a session that began in the moment of the block. Operators end all sessions, or all that were idle for long,
    /// with one setting each. What was written with a clock that was ahead ends nobody's who is here now.
    CALLER: Caller = "
        SELECT {columns}
        FROM sessions s
        JOIN accounts a ON a.num = s.account_num
        LEFT JOIN orgs o ON o.id = $2 AND o.removed_at IS NULL
        LEFT JOIN members m ON m.org_num = o.num AND m.account_num = a.num
        LEFT JOIN visits v ON v.org_num = o.num AND v.account_num = a.num AND v.ends_at > $3
        WHERE s.hash = $1 AND s.expires_at > $3 AND s.seen_at > $4
          AND s.epoch = COALESCE((SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'session_epoch'), 0)
          AND s.seen_at > COALESCE((
            SELECT CASE WHEN CAST(value AS BIGINT) <= $3 THEN CAST(value AS BIGINT) ELSE 0 END
            FROM settings
            WHERE name = 'sessions_seen_after'
          ), 0)
          AND NOT EXISTS (
            SELECT 1
            FROM blocklist b
            WHERE b.entry = 'discord:' || a.discord_id AND (b.expires_at IS NULL OR b.expires_at > $3)
          )";
    /// One that was ended with all others begins no new life.
    RENEW = "
        UPDATE sessions
        SET hash = $2, created_at = $3, seen_at = $3, expires_at = $4
        WHERE hash = $1
          AND epoch = COALESCE((SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'session_epoch'), 0)
          AND seen_at > COALESCE((
            SELECT CASE WHEN CAST(value AS BIGINT) <= $3 THEN CAST(value AS BIGINT) ELSE 0 END
            FROM settings
            WHERE name = 'sessions_seen_after'
          ), 0)";
    TOUCH = "
        UPDATE sessions
        SET seen_at = $2
        WHERE hash = $1 AND seen_at < $2";
    DELETE = "
        DELETE FROM sessions
        WHERE hash = $1";
    BY_ACCOUNT: Session = "
        SELECT {columns}
        FROM sessions
        WHERE account_num = $1 AND expires_at > $2 AND seen_at > $3
          AND epoch = COALESCE((SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'session_epoch'), 0)
          AND seen_at > COALESCE((
            SELECT CASE WHEN CAST(value AS BIGINT) <= $2 THEN CAST(value AS BIGINT) ELSE 0 END
            FROM settings
            WHERE name = 'sessions_seen_after'
          ), 0)
        ORDER BY seen_at DESC, hash
        LIMIT 100";
    END_ONE = "
        DELETE FROM sessions
        WHERE account_num = $1 AND substr(hash, 1, 16) = $2";
    END_OTHERS = "
        DELETE FROM sessions
        WHERE account_num = $1 AND hash <> $2";
    PURGE = "
        DELETE FROM sessions
        WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT 500)";
    PURGE_ENDED = "
        DELETE FROM sessions
        WHERE hash IN (
            SELECT hash
            FROM sessions
            WHERE epoch < COALESCE((SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'session_epoch'), 0)
            LIMIT 500
        )";
    PURGE_IDLE = "
        DELETE FROM sessions
        WHERE hash IN (
            SELECT hash
            FROM sessions
            WHERE seen_at <= COALESCE((
                SELECT CASE WHEN CAST(value AS BIGINT) <= $1 THEN CAST(value AS BIGINT) ELSE 0 END
                FROM settings
                WHERE name = 'sessions_seen_after'
            ), 0)
            LIMIT 500
        )";
    /// Visits are read with the session. The audit log has those that are over.
    PURGE_VISITS = "
        DELETE FROM visits
        WHERE ends_at <= $1";
}

/// A signed-in person, and their standing in one Org if they have any.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The person's row, for joins and for the limit on their requests.
    pub account: AccountNum,
    /// What the audit log calls them.
    pub account_id: AccountId,
    /// By which the setting `operators` knows them.
    pub discord_id: DiscordId,
    /// By a grant, or by the configuration.
    pub operator: Option<OperatorScope>,
    /// Written at most once a minute, so it may lag behind.
    pub seen_at_ms: i64,
    /// When this session began: how fresh the sign-in is.
    pub signed_in_at_ms: i64,
    /// What is said while the dashboard is closed.
    pub maintenance: Option<String>,
    /// None when no Org was asked about or the person does not belong to it.
    pub membership: Option<Membership>,
    /// An operator who looks into the Org that was asked about; nobody else has one.
    pub visit: Option<Visit>,
}

/// An operator's visit to the Org of the request.
#[derive(Debug, Clone, Copy)]
pub struct Visit {
    scope: OrgScope,
    can_write: bool,
}

impl Visit {
    /// What it amounts to: never more than somebody of the staff, and never everything.
    pub fn standing(self) -> Membership {
        Membership {
            scope: self.scope,
            role: Role::Staff,
            permissions: visit::permissions(self.can_write),
        }
    }
}

/// Somebody's standing in the Org of the request.
#[derive(Debug, Clone, Copy)]
pub struct Membership {
    /// The proof with which the Org's rows are read and written.
    pub scope: OrgScope,
    /// Owner, by the Org's own row; else what the member's row says.
    pub role: Role,
    /// Everything for the owner.
    pub permissions: PermissionSet,
}

impl FromRow for Caller {
    const COLUMNS: &'static str = "\
        a.num, a.id, a.operator, s.seen_at, o.num, o.owner_account_num, m.role, m.permissions, \
        s.created_at, (SELECT value FROM settings WHERE name = 'maintenance'), a.discord_id, v.can_write";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let account = row.int(0)?;
        Ok(Self {
            account: AccountNum(account),
            account_id: row.parse(1, AccountId::parse)?,
            discord_id: row.parse(10, DiscordId::parse)?,
            operator: row.flag(2)?.then(OperatorScope::new),
            seen_at_ms: row.int(3)?,
            signed_in_at_ms: row.int(8)?,
            maintenance: row.opt_text(9)?,
            membership: membership(row, account)?,
            visit: visit_of(row)?,
        })
    }
}

fn visit_of(row: &Row<'_>) -> Result<Option<Visit>, DbError> {
    let (Some(org), Some(can_write)) = (row.opt_int(4)?, row.opt_int(11)?) else {
        return Ok(None);
    };
    Ok(Some(Visit {
        scope: OrgScope::new(org),
        can_write: can_write == 1,
    }))
}

/// The owner holds everything; a member what their row says; anyone else has no standing.
fn membership(row: &Row<'_>, account: i64) -> Result<Option<Membership>, DbError> {
    let (Some(org), Some(owner)) = (row.opt_int(4)?, row.opt_int(5)?) else {
        return Ok(None);
    };
    let scope = OrgScope::new(org);
    if owner == account {
        return Ok(Some(Membership {
            scope,
            role: Role::Owner,
            permissions: PermissionSet::ALL,
        }));
    }
    let (Some(role), Some(bits)) = (row.opt_text(6)?, row.opt_int(7)?) else {
        return Ok(None);
    };
    let role = Role::parse(&role).ok_or_else(|| DbError::Bug(format!("unknown role {role}")))?;
    let permissions =
        PermissionSet::from_bits(bits).ok_or_else(|| DbError::Bug(format!("unknown permissions {bits}")))?;
    Ok(Some(Membership {
        scope,
        role,
        permissions,
    }))
}

/// Begins a session. Only the hash of its token is stored.
pub async fn insert(
    tx: &mut Tx<'_>,
    hash: &str,
    account: AccountNum,
    now_ms: i64,
    expires_at_ms: i64,
    device: Option<&str>,
) -> Result<(), DbError> {
    tx.execute_one(&INSERT, params![hash, account, now_ms, expires_at_ms, device])
        .await
}

/// Gives a session a new secret and begins it anew; false when the old one has ended.
pub async fn renew(
    tx: &mut Tx<'_>,
    old_hash: &str,
    hash: &str,
    now_ms: i64,
    expires_at_ms: i64,
) -> Result<bool, DbError> {
    let values = params![old_hash, hash, now_ms, expires_at_ms];
    Ok(tx.execute(&RENEW, values).await? == 1)
}

/// Who holds this session, with their standing in `org` (an empty id when the path names none). Those in `operators`
/// are operators without a grant.
pub async fn find_caller(
    db: &Db,
    (hash, operators): (&str, &[DiscordId]),
    org: Option<&OrgId>,
    now_ms: i64,
    seen_after_ms: i64,
) -> Result<Option<Caller>, DbError> {
    let values = params![hash, org.map_or("", OrgId::as_str), now_ms, seen_after_ms];
    let mut found: Option<Caller> = db.find(&CALLER, values).await?;
    if let Some(caller) = &mut found
        && operators.contains(&caller.discord_id)
    {
        caller.operator = Some(OperatorScope::new());
    }
    // A visit ends with the right to make one.
    if let Some(caller) = &mut found
        && caller.operator.is_none()
    {
        caller.visit = None;
    }
    Ok(found)
}

/// The same in the unit that is to do something for them. Who stands in the configuration is told by others.
pub async fn find_caller_in(tx: &mut Tx<'_>, hash: &str, now_ms: i64) -> Result<Option<Caller>, DbError> {
    // Nobody turns idle in the middle of a request.
    let no_time_ms = 0;
    tx.find(&CALLER, params![hash, "", now_ms, no_time_ms]).await
}

/// Moves the time of last use forward, never back.
pub async fn touch(tx: &mut Tx<'_>, hash: &str, now_ms: i64) -> Result<(), DbError> {
    tx.execute(&TOUCH, params![hash, now_ms]).await.map(drop)
}

/// Ends a session; false when there was none.
pub async fn delete(tx: &mut Tx<'_>, hash: &str) -> Result<bool, DbError> {
    Ok(tx.execute(&DELETE, params![hash]).await? == 1)
}

/// A session as its owner sees it. It is named by the first half of a quarter of its hash, which opens nothing.
#[derive(Debug, Clone)]
pub struct Session {
    /// Of the token. It is a secret of ours, so only its beginning is shown.
    pub hash: String,
    /// Browser and system, as far as the browser tells them.
    pub device: Option<String>,
    /// When the person signed in.
    pub created_at_ms: i64,
    /// Written at most once a minute.
    pub seen_at_ms: i64,
    /// It ends then, used or not.
    pub expires_at_ms: i64,
}

impl Session {
    /// Enough of the hash to name a session, too little to guess one.
    pub fn id(&self) -> &str {
        self.hash.get(..16).unwrap_or_default()
    }
}

impl FromRow for Session {
    const COLUMNS: &'static str = "hash, device, created_at, seen_at, expires_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            hash: row.text(0)?,
            device: row.opt_text(1)?,
            created_at_ms: row.int(2)?,
            seen_at_ms: row.int(3)?,
            expires_at_ms: row.int(4)?,
        })
    }
}

/// Living sessions of a person, the one used last first, 100 at most.
pub async fn list(
    db: &Db,
    account: AccountNum,
    now_ms: i64,
    seen_after_ms: i64,
) -> Result<Vec<Session>, DbError> {
    db.list(&BY_ACCOUNT, params![account, now_ms, seen_after_ms])
        .await
}

/// Ends one session of a person; false when they have none of this name.
pub async fn end_one(tx: &mut Tx<'_>, account: AccountNum, id: &str) -> Result<bool, DbError> {
    Ok(tx.execute(&END_ONE, params![account, id]).await? > 0)
}

/// Ends all sessions of a person but one.
pub async fn end_others(tx: &mut Tx<'_>, account: AccountNum, hash: &str) -> Result<u64, DbError> {
    tx.execute(&END_OTHERS, params![account, hash]).await
}

/// Removes sessions that have ended, up to 500 for each way to end, and visits that are over.
pub async fn purge(tx: &mut Tx<'_>, now_ms: i64) -> Result<u64, DbError> {
    Ok(tx.execute(&PURGE, params![now_ms]).await?
        + tx.execute(&PURGE_ENDED, params![]).await?
        + tx.execute(&PURGE_IDLE, params![now_ms]).await?
        + tx.execute(&PURGE_VISITS, params![now_ms]).await?)
}
