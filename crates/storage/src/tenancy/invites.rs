//! Invitations to a team, found by the hash of their code.

use domain::id::InviteId;
use domain::permission::{PermissionSet, Role};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{AccountNum, OrgScope};

statements! {
    INSERT = "
        INSERT INTO invites (id, org_num, code_hash, sealed, sealed_kid, role, permissions, note, account_num, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    BY_ORG: Invite = "
        SELECT {columns}
        FROM invites i
        JOIN accounts a ON a.num = i.account_num
        JOIN orgs o ON o.num = i.org_num
        WHERE i.org_num = $1
        ORDER BY i.num DESC
        LIMIT 200";
    BY_ID: Invite = "
        SELECT {columns}
        FROM invites i
        JOIN accounts a ON a.num = i.account_num
        JOIN orgs o ON o.num = i.org_num
        WHERE i.id = $2 AND i.org_num = $1";
    BY_CODE: Invite = "
        SELECT {columns}
        FROM invites i
        JOIN accounts a ON a.num = i.account_num
        JOIN orgs o ON o.num = i.org_num
        WHERE i.code_hash = $1 AND o.removed_at IS NULL";
    COUNT_OPEN = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM invites
        WHERE org_num = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)";
    REISSUE = "
        UPDATE invites
        SET code_hash = $3, sealed = $4, sealed_kid = $5, version = version + 1
        WHERE num = $2 AND org_num = $1 AND revoked_at IS NULL AND version = $6";
    REVOKE = "
        UPDATE invites
        SET revoked_at = $3
        WHERE num = $2 AND org_num = $1 AND revoked_at IS NULL";
    REVOKE_OF = "
        UPDATE invites
        SET revoked_at = $3
        WHERE org_num = $1 AND account_num = $2 AND revoked_at IS NULL";
    REVOKE_ALL = "
        UPDATE invites
        SET revoked_at = $2
        WHERE org_num = $1 AND revoked_at IS NULL";
    USED = "
        UPDATE invites
        SET uses = uses + 1
        WHERE num = $2 AND org_num = $1";
    SEALED_AFTER: SealedCode = "
        SELECT {columns}
        FROM invites
        WHERE num > $1 AND sealed_kid <> $2
        ORDER BY num
        LIMIT 200";
    RESEAL = "
        UPDATE invites
        SET sealed = $3, sealed_kid = $4
        WHERE num = $1 AND sealed = $2";
}

#[derive(Debug, Clone)]
pub struct Invite {
    pub num: i64,
    pub id: InviteId,
    pub scope: OrgScope,
    pub sealed: String,
    pub version: i64,
    pub role: Role,
    pub permissions: PermissionSet,
    pub note: Option<String>,
    /// Who made it.
    pub account: AccountNum,
    pub account_name: String,
    pub created_at_ms: i64,
    pub expires_at_ms: Option<i64>,
    pub revoked: bool,
    pub uses: i64,
    pub org_name: String,
}

impl Invite {
    pub fn works_at(&self, now_ms: i64) -> bool {
        !self.revoked && self.expires_at_ms.is_none_or(|end| end > now_ms)
    }
}

impl FromRow for Invite {
    const COLUMNS: &'static str = "\
        i.num, i.id, i.org_num, i.sealed, i.version, i.role, i.permissions, i.note, i.account_num, a.name, \
        i.created_at, i.expires_at, i.revoked_at, i.uses, o.name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let bits = row.int(6)?;
        let permissions = PermissionSet::from_bits(bits);
        Ok(Self {
            num: row.int(0)?,
            id: row.parse(1, InviteId::parse)?,
            scope: OrgScope::new(row.int(2)?),
            sealed: row.text(3)?,
            version: row.int(4)?,
            role: row.parse(5, |text| Role::parse(text).ok_or("unknown role"))?,
            permissions: permissions.ok_or_else(|| DbError::Bug(format!("unknown permissions {bits}")))?,
            note: row.opt_text(7)?,
            account: AccountNum(row.int(8)?),
            account_name: row.text(9)?,
            created_at_ms: row.int(10)?,
            expires_at_ms: row.opt_int(11)?,
            revoked: row.opt_int(12)?.is_some(),
            uses: row.int(13)?,
            org_name: row.text(14)?,
        })
    }
}

/// A code as it is stored.
pub struct StoredCode<'a> {
    pub hash: &'a str,
    pub sealed: &'a str,
    pub sealed_kid: &'a str,
}

pub struct NewInvite<'a> {
    pub id: &'a InviteId,
    pub code: StoredCode<'a>,
    pub role: Role,
    pub permissions: PermissionSet,
    pub note: Option<&'a str>,
    pub account: AccountNum,
    pub now_ms: i64,
    pub expires_at_ms: Option<i64>,
}

pub async fn insert(tx: &mut Tx<'_>, scope: OrgScope, new: &NewInvite<'_>) -> Result<(), DbError> {
    let values = params![
        new.id.as_str(),
        scope.num(),
        new.code.hash,
        new.code.sealed,
        new.code.sealed_kid,
        new.role.as_str(),
        new.permissions.bits(),
        new.note,
        new.account,
        new.now_ms,
        new.expires_at_ms,
    ];
    tx.execute_one(&INSERT, values).await
}

pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Invite>, DbError> {
    db.list(&BY_ORG, params![scope.num()]).await
}

pub async fn find(db: &Db, scope: OrgScope, id: &InviteId) -> Result<Option<Invite>, DbError> {
    db.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, id: &InviteId) -> Result<Option<Invite>, DbError> {
    tx.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

pub async fn find_by_code(db: &Db, hash: &str) -> Result<Option<Invite>, DbError> {
    db.find(&BY_CODE, params![hash]).await
}

pub async fn find_by_code_in(tx: &mut Tx<'_>, hash: &str) -> Result<Option<Invite>, DbError> {
    tx.find(&BY_CODE, params![hash]).await
}

/// Invitations that still work.
pub async fn count_open(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<i64, DbError> {
    tx.get(&COUNT_OPEN, params![scope.num(), now_ms]).await
}

/// Replaces the code; false when the invitation was revoked or replaced meanwhile.
pub async fn reissue(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    invite: i64,
    code: &StoredCode<'_>,
    version: i64,
) -> Result<bool, DbError> {
    let values = params![
        scope.num(),
        invite,
        code.hash,
        code.sealed,
        code.sealed_kid,
        version
    ];
    Ok(tx.execute(&REISSUE, values).await? == 1)
}

/// False when it was revoked before.
pub async fn revoke(tx: &mut Tx<'_>, scope: OrgScope, invite: i64, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&REVOKE, params![scope.num(), invite, now_ms]).await? == 1)
}

/// Revokes what a person who leaves has handed out.
pub async fn revoke_of(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    account: AccountNum,
    now_ms: i64,
) -> Result<u64, DbError> {
    tx.execute(&REVOKE_OF, params![scope.num(), account, now_ms])
        .await
}

pub async fn revoke_all(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&REVOKE_ALL, params![scope.num(), now_ms]).await
}

pub async fn note_use(tx: &mut Tx<'_>, scope: OrgScope, invite: i64) -> Result<(), DbError> {
    tx.execute_one(&USED, params![scope.num(), invite]).await
}

/// A sealed code, for sealing it anew.
#[derive(Debug, Clone)]
pub struct SealedCode {
    pub num: i64,
    pub id: InviteId,
    pub version: i64,
    pub sealed: String,
}

impl FromRow for SealedCode {
    const COLUMNS: &'static str = "num, id, version, sealed";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            id: row.parse(1, InviteId::parse)?,
            version: row.int(2)?,
            sealed: row.text(3)?,
        })
    }
}

/// The next codes after a row that another master key than the active one protects.
pub async fn list_sealed_otherwise(db: &Db, after: i64, active: &str) -> Result<Vec<SealedCode>, DbError> {
    db.list_heavy(&SEALED_AFTER, params![after, active]).await
}

pub async fn reseal(
    tx: &mut Tx<'_>,
    invite: i64,
    old: &str,
    sealed: &str,
    kid: &str,
) -> Result<bool, DbError> {
    Ok(tx.execute(&RESEAL, params![invite, old, sealed, kid]).await? == 1)
}
