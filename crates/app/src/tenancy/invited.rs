//! An invitation from the side of whoever holds its address.

use domain::audit::{Actor, AuditAction};
use domain::id::{AccountId, OrgId};
use domain::invitation::Code;
use domain::permission::{Permission, PermissionSet, Role};
use serde_json::json;
use storage::records::audit::Act;
use storage::tenancy::invites::{self, Invite};
use storage::tenancy::{orgs, team};
use storage::{AccountNum, Tx, Work};

use crate::error::{AppError, RequestError};
use crate::state::App;
use crate::tenancy::team::{MOST_MEMBERS, Standing};

/// What anybody with the address may see.
#[derive(Debug)]
pub struct Preview {
    /// For members, who are led there.
    pub org_id: OrgId,
    /// Whose team it is.
    pub org_name: String,
    /// Who made it, by the name they have now; none when they are not to be asked for another one.
    pub inviter: Option<String>,
    /// What they would become.
    pub role: Role,
    /// What they could do.
    pub permissions: PermissionSet,
    /// None for one that stays.
    pub expires_at_ms: Option<i64>,
    /// False when it was revoked or is too old.
    pub works: bool,
}

/// Needs no session: who holds the address was given it.
pub async fn preview(app: &App, code: &Code) -> Result<Preview, AppError> {
    let found = invites::find_by_code(&app.db, &code.invite_hash()).await?;
    let invite = found.ok_or(RequestError::NotFound)?;
    let org = orgs::get(&app.db, invite.scope).await?;
    let inviter = team::find(&app.db, invite.scope, invite.account).await?;
    let works = inviter.is_some() && invite.works_at(app.now_ms());
    let (role, permissions) = inviter
        .as_ref()
        .map_or((invite.role, invite.permissions), |inviter| {
            given_by(&invite, inviter.role, inviter.permissions)
        });
    let named = inviter.filter(|inviter| works || inviter.permissions.contains(Permission::OrgInvites));
    Ok(Preview {
        works,
        org_id: org.ok_or(RequestError::NotFound)?.id,
        org_name: invite.org_name,
        inviter: named.map(|inviter| inviter.name),
        role,
        permissions,
        expires_at_ms: invite.expires_at_ms,
    })
}

/// What the inviter holds now counts, not what they held when they wrote the invitation.
fn given_by(invite: &Invite, role: Role, permissions: PermissionSet) -> (Role, PermissionSet) {
    (
        invite.role.min(role),
        invite.permissions.intersection(permissions),
    )
}

/// Makes a signed-in person a member and returns the Org. Whoever belongs to it already stays as they are.
pub async fn accept(
    app: &App,
    code: &Code,
    account: AccountNum,
    account_id: AccountId,
) -> Result<OrgId, AppError> {
    let hash = code.invite_hash();
    let found = invites::find_by_code(&app.db, &hash).await?;
    let scope = found.ok_or(RequestError::NotFound)?.scope;
    let act = app.act(scope, Actor::Account(account_id));
    app.db.write_for(act, Accept { hash, account }).await
}

struct Accept {
    hash: String,
    account: AccountNum,
}

impl Work for Accept {
    type For = Act;
    type Output = OrgId;
    type Error = AppError;
    const NAME: &'static str = "accept_invite";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<OrgId, AppError> {
        let (scope, now_ms) = (act.scope, act.now_ms);
        orgs::lock(tx, scope).await?;
        let found = invites::find_by_code_in(tx, &self.hash).await?;
        let invite = found.filter(|invite| invite.works_at(now_ms));
        let invite = invite.ok_or(RequestError::NotFound)?;
        let org = orgs::get_in(tx, scope).await?;
        if Standing::find(tx, scope, self.account).await?.is_some() {
            return Ok(org.id);
        }
        let inviter = Standing::find(tx, scope, invite.account).await?;
        let inviter = inviter.ok_or(RequestError::NotFound)?;
        if team::count(tx, scope).await? >= MOST_MEMBERS {
            return Err(RequestError::Conflict(
                "This organisation has 500 members, the most it can have. Remove one first.",
            )
            .into());
        }
        let (role, permissions) = given_by(&invite, inviter.role, inviter.permissions);
        orgs::add_member(tx, scope, self.account, role, permissions, now_ms).await?;
        invites::note_use(tx, scope, invite.num).await?;
        let detail = json!({ "invite": invite.id.as_str(), "role": role });
        act.note(tx, AuditAction::MemberAdded, None, &detail).await?;
        Ok(org.id)
    }
}
