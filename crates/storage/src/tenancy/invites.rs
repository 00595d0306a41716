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

/// An invitation, used, revoked or open, without its code.
#[derive(Debug, Clone)]
pub struct Invite {
    /// For statements; `id` is what others are told.
    pub num: i64,
    /// Stays when the code is replaced.
    pub id: InviteId,
    /// The Org it leads to.
    pub scope: OrgScope,
    /// The code, to be shown to those who could have made it.
    pub sealed: String,
    /// Part of what the sealed code is bound to.
    pub version: i64,
    /// The most that whoever accepts becomes.
    pub role: Role,
    /// The most that they get; what the inviter lost meanwhile is taken off.
    pub permissions: PermissionSet,
    /// For the team; not shown to the invited.
    pub note: Option<String>,
    /// Who made it.
    pub account: AccountNum,
    /// Of now.
    pub account_name: String,
    /// A replaced code does not change it.
    pub created_at_ms: i64,
    /// None lasts until it is revoked.
    pub expires_at_ms: Option<i64>,
    /// For good; it stays in the list.
    pub revoked: bool,
    /// People who became members with it.
    pub uses: i64,
    /// What the invited are shown.
    pub org_name: String,
}

impl Invite {
    /// Neither revoked nor over.
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
    /// What an address is looked up by.
    pub hash: &'a str,
    /// The copy for showing it again.
    pub sealed: &'a str,
    /// The master key that opens the copy.
    pub sealed_kid: &'a str,
}

/// An invitation to be made.
pub struct NewInvite<'a> {
    /// Made before the unit, since the sealed code is bound to it.
    pub id: &'a InviteId,
    /// Version 1.
    pub code: StoredCode<'a>,
    /// Never above the inviter's, checked in the same unit.
    pub role: Role,
    /// Never beyond the inviter's, checked in the same unit.
    pub permissions: PermissionSet,
    /// One line.
    pub note: Option<&'a str>,
    /// Who invites; what they hold when it is accepted counts.
    pub account: AccountNum,
    /// When it was made.
    pub now_ms: i64,
    /// None lasts until it is revoked.
    pub expires_at_ms: Option<i64>,
}

/// Makes an invitation. Under the Org's lock, after the open ones were counted.
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

/// The newest 200 of an Org, revoked ones too.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Invite>, DbError> {
    db.list(&BY_ORG, params![scope.num()]).await
}

/// An invitation of the Org by its public id.
pub async fn find(db: &Db, scope: OrgScope, id: &InviteId) -> Result<Option<Invite>, DbError> {
    db.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, id: &InviteId) -> Result<Option<Invite>, DbError> {
    tx.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// By the hash of its code, working or not; none once the Org is removed.
pub async fn find_by_code(db: &Db, hash: &str) -> Result<Option<Invite>, DbError> {
    db.find(&BY_CODE, params![hash]).await
}

/// The same inside a unit of work, to be looked at again under the Org's lock.
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

/// With the Org that is removed; tells how many were open.
pub async fn revoke_all(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&REVOKE_ALL, params![scope.num(), now_ms]).await
}

/// Counts somebody who became a member with it.
pub async fn note_use(tx: &mut Tx<'_>, scope: OrgScope, invite: i64) -> Result<(), DbError> {
    tx.execute_one(&USED, params![scope.num(), invite]).await
}

/// A sealed code, for sealing it anew.
#[derive(Debug, Clone)]
pub struct SealedCode {
    /// The place from which the next slice goes on.
    pub num: i64,
    /// Part of what the sealed code is bound to.
    pub id: InviteId,
    /// The other part.
    pub version: i64,
    /// Also what the row is compared with when it is sealed anew.
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

/// Replaces a sealed code; false when it was reissued meanwhile.
pub async fn reseal(
    tx: &mut Tx<'_>,
    invite: i64,
    old: &str,
    sealed: &str,
    kid: &str,
) -> Result<bool, DbError> {
    Ok(tx.execute(&RESEAL, params![invite, old, sealed, kid]).await? == 1)
}
