//! Members of an Org: what they may do, and who may change that.

use domain::audit::{Actor, AuditAction};
use domain::id::AccountId;
use domain::permission::{Permission, PermissionSet, Role};
use domain::plan::{Dimension, Plans, Tier};
use serde_json::json;
use storage::identity::accounts;
use storage::records::audit::Act;
pub use storage::tenancy::team::Member;
use storage::tenancy::{invites, orgs, team};
use storage::{AccountNum, OrgScope, Tx, Work};

use crate::error::{AppError, RequestError, TenancyError};
use crate::state::App;

/// Members of one Org besides its owner.
pub(crate) const MOST_MEMBERS: i64 = 500;

/// Somebody who acts on a team.
#[derive(Debug, Clone)]
pub struct TeamActor {
    /// Whose rights are looked up again inside the unit.
    pub account: AccountNum,
    /// How they stand in the audit log.
    pub actor: Actor,
}

/// What somebody is in an Org at this moment. A unit of work that depends on it asks inside itself.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// The owner's for the owner, who has no row among the members.
    pub role: Role,
    /// All of them for the owner.
    pub permissions: PermissionSet,
}

impl Standing {
    /// Somebody who acts, and still may: what the request was let in for may be gone by now.
    pub(crate) async fn of_actor(
        tx: &mut Tx<'_>,
        scope: OrgScope,
        account: AccountNum,
        needed: Permission,
    ) -> Result<Self, AppError> {
        let by = Self::find(tx, scope, account)
            .await?
            .ok_or(RequestError::NotFound)?;
        if by.permissions.contains(needed) {
            return Ok(by);
        }
        Err(TenancyError::MissingPermission {
            permission: needed.as_str(),
        }
        .into())
    }

    /// None for somebody who does not belong to the Org any more.
    pub(crate) async fn find(
        tx: &mut Tx<'_>,
        scope: OrgScope,
        account: AccountNum,
    ) -> Result<Option<Self>, AppError> {
        if team::get_owner(tx, scope).await?.num == account {
            return Ok(Some(Self {
                role: Role::Owner,
                permissions: PermissionSet::ALL,
            }));
        }
        let member = team::find_by_account(tx, scope, account).await?;
        Ok(member.map(|member| Self {
            role: member.role,
            permissions: member.permissions,
        }))
    }

    /// Nobody hands out a role above their own or a permission they lack. Who could not have made an invitation
    /// does not learn its address, replace its code or revoke it either.
    pub(crate) fn refuse_beyond(&self, role: Role, granted: PermissionSet) -> Result<(), AppError> {
        if role > self.role {
            return Err(TenancyError::RankTooLow.into());
        }
        match granted.difference(self.permissions).iter().next() {
            Some(missing) => Err(TenancyError::CannotGrant {
                permission: missing.as_str(),
            }
            .into()),
            None => Ok(()),
        }
    }

    /// Nobody but the owner touches somebody of their own rank.
    pub fn outranks(&self, other: Role) -> bool {
        self.role == Role::Owner || self.role > other
    }
}

/// Everybody, the owner first.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<Member>, AppError> {
    Ok(team::list(&app.db, scope).await?)
}

/// What may be changed about a member. A role alone fills in what that role starts with.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemberChange {
    /// Never the owner's; an Org is handed over instead.
    pub role: Option<Role>,
    /// The whole new set, not what is added.
    pub permissions: Option<PermissionSet>,
    /// What the caller saw; a change by somebody else since then refuses this one. None takes what is there.
    pub revision: Option<i64>,
}

/// Changes what a member may do, from their next request on.
pub async fn change(
    app: &App,
    scope: OrgScope,
    by: TeamActor,
    member: AccountId,
    change: MemberChange,
) -> Result<(), AppError> {
    if change.role == Some(Role::Owner) {
        return Err(AppError::invalid("role", "ownership is transferred, not granted"));
    }
    let work = Change {
        account: by.account,
        member,
        change,
    };
    app.db.write_for(app.act(scope, by.actor), work).await
}

struct Change {
    account: AccountNum,
    member: AccountId,
    change: MemberChange,
}

impl Work for Change {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "change_member";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let (by, member) = both(tx, scope, self.account, &self.member).await?;
        let role = self.change.role.unwrap_or(member.role);
        let permissions = match (self.change.permissions, self.change.role) {
            (Some(chosen), _) => chosen,
            (None, Some(role)) => role.default_permissions().intersection(by.permissions),
            (None, None) => member.permissions,
        };
        by.refuse_beyond(role, permissions.difference(member.permissions))?;
        if (role, permissions) == (member.role, member.permissions) {
            return Ok(());
        }
        let seen = self.change.revision.unwrap_or(member.revision);
        team::change(tx, scope, member.num, seen, role, permissions).await?;
        let words = |set: PermissionSet| -> Vec<&str> { set.iter().map(|one| one.as_str()).collect() };
        let detail = json!({
            "role": { "from": member.role, "to": role },
            "granted": words(permissions.difference(member.permissions)),
            "taken": words(member.permissions.difference(permissions)),
        });
        let target = Some(self.member.as_str());
        Ok(act.note(tx, AuditAction::MemberChanged, target, &detail).await?)
    }
}

/// The one who acts and the one acted on, once it is clear that the first may.
async fn both(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    by: AccountNum,
    member: &AccountId,
) -> Result<(Standing, Member), AppError> {
    let by = Standing::of_actor(tx, scope, by, Permission::OrgTeam).await?;
    if team::get_owner(tx, scope).await?.account == *member {
        return Err(TenancyError::RankTooLow.into());
    }
    let member = team::find_member(tx, scope, member).await?;
    let member = member.ok_or(RequestError::NotFound)?;
    if !by.outranks(member.role) {
        return Err(TenancyError::RankTooLow.into());
    }
    Ok((by, member))
}

/// Takes somebody out of the team, with the invitations they made.
pub async fn remove(app: &App, scope: OrgScope, by: TeamActor, member: AccountId) -> Result<(), AppError> {
    let account = by.account;
    let act = app.act(scope, by.actor);
    app.db.write_for(act, Remove { account, member }).await
}

struct Remove {
    account: AccountNum,
    member: AccountId,
}

impl Work for Remove {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "remove_member";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let (_, member) = both(tx, scope, self.account, &self.member).await?;
        let target = Some(self.member.as_str());
        take_out(tx, act, member.num, AuditAction::MemberRemoved, target).await
    }
}

async fn take_out(
    tx: &mut Tx<'_>,
    act: &Act,
    account: AccountNum,
    action: AuditAction,
    target: Option<&str>,
) -> Result<(), AppError> {
    if !team::remove(tx, act.scope, account).await? {
        return Err(RequestError::NotFound.into());
    }
    let revoked = invites::revoke_of(tx, act.scope, account, act.now_ms).await?;
    let detail = json!({ "invites_revoked": revoked });
    Ok(act.note(tx, action, target, &detail).await?)
}

/// Leaves a team. The owner has to hand the Org over first.
pub async fn leave(app: &App, scope: OrgScope, by: TeamActor) -> Result<(), AppError> {
    let account = by.account;
    let act = app.act(scope, by.actor);
    app.db.write_for(act, Leave { account }).await
}

struct Leave {
    account: AccountNum,
}

impl Work for Leave {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "leave_org";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        if team::get_owner(tx, scope).await?.num == self.account {
            return Err(TenancyError::OwnerStays.into());
        }
        take_out(tx, act, self.account, AuditAction::MemberLeft, None).await
    }
}

/// Hands an Org over to one of its members, who needs room for one more; the owner of before stays as an admin.
pub async fn transfer(app: &App, scope: OrgScope, by: TeamActor, to: AccountId) -> Result<(), AppError> {
    let (from, plans) = (by.account, app.plans);
    let act = app.act(scope, by.actor);
    app.db.write_for(act, Transfer { from, to, plans }).await
}

struct Transfer {
    from: AccountNum,
    to: AccountId,
    plans: Plans,
}

impl Work for Transfer {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "transfer_org";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        let org = orgs::lock(tx, scope).await?;
        if team::get_owner(tx, scope).await?.num != self.from {
            return Err(TenancyError::OwnerOnly.into());
        }
        let member = team::find_member(tx, scope, &self.to).await?;
        let member = member.ok_or(RequestError::NotFound)?;
        // The Org that arrives counts for the tier too: whoever receives a Pro Org has the room of Pro.
        accounts::lock(tx, &[self.from, member.num]).await?;
        let owned = accounts::owned_tiers(tx, member.num).await?;
        let tiers = owned.iter().filter_map(|tier| Tier::parse(tier));
        let ceiling = self.plans.orgs_ceiling(tiers.chain([org.tier]));
        if !accounts::own_one_more(tx, member.num, ceiling).await? {
            return Err(TenancyError::LimitReached {
                dimension: Dimension::Orgs,
                ceiling,
            }
            .into());
        }
        accounts::own_one_less(tx, self.from).await?;
        if !team::set_owner(tx, scope, self.from, member.num).await? {
            return Err(TenancyError::OwnerOnly.into());
        }
        team::remove(tx, scope, member.num).await?;
        let (role, now_ms) = (Role::Admin, act.now_ms);
        orgs::add_member(tx, scope, self.from, role, role.default_permissions(), now_ms).await?;
        let target = Some(self.to.as_str());
        Ok(act
            .note(tx, AuditAction::OwnerChanged, target, &json!({}))
            .await?)
    }
}
