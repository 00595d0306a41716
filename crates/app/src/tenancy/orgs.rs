//! Orgs.

use domain::audit::{Actor, AuditAction};
use domain::id::OrgId;
use domain::invitation::Code;
use domain::name::{DisplayName, Slug};
use domain::permission::Role;
use domain::plan::{Dimension, Plans, Tier};
use serde_json::json;
use storage::identity::accounts::{self, Account};
use storage::records::audit::Act;
pub use storage::tenancy::orgs::Org;
use storage::tenancy::orgs::{self, NewOrg};
use storage::tenancy::{guilds, invites, registration, team};
use storage::webhooks::endpoints;
use storage::{AccountNum, NoOrg, OrgScope, Tx, Work};

use crate::billing;
use crate::changes::Changes;
use crate::error::{AppError, RequestError, TenancyError};
use crate::instance;
use crate::once::PressBy;
use crate::state::App;
use crate::tenancy::guilds::remove_guild;
use crate::tenancy::team::TeamActor;

/// Creates an Org owned by `owner`. How many one account may own follows from the best tier among them.
pub async fn create(
    app: &App,
    owner: &Account,
    name: DisplayName,
    slug: Slug,
    actor: Actor,
) -> Result<(OrgId, OrgScope), AppError> {
    let act = app.act(NoOrg, actor);
    let work = prepare(app, &act, owner, name, slug, None);
    let id = work.id.clone();
    Ok((id, app.db.write_for(act, work).await?))
}

/// The same for somebody who asks for it, and may ask twice. While registration is by invitation it takes a code, which
/// is used up.
pub async fn register(
    app: &App,
    press: PressBy,
    owner: &Account,
    name: DisplayName,
    slug: Slug,
    code: Option<&str>,
) -> Result<OrgId, AppError> {
    let actor = Actor::Account(owner.id.clone());
    let code = code.map(str::trim).and_then(Code::parse);
    let entry = Registration {
        code_hash: code.map(|code| code.registration_hash()),
    };
    let act = app.act(NoOrg, actor);
    let work = prepare(app, &act, owner, name, slug, Some(entry));
    let id = work.id.clone();
    let outcome = press.write_for(app, id.as_str(), OrgId::parse, act, work).await?;
    Ok(outcome.id_or(id))
}

/// Somebody who makes an Org without being an operator.
struct Registration {
    code_hash: Option<String>,
}

fn prepare(
    app: &App,
    act: &Act<NoOrg>,
    owner: &Account,
    name: DisplayName,
    slug: Slug,
    registration: Option<Registration>,
) -> Create {
    Create {
        id: OrgId::generate(act.now_ms, &*app.random),
        owner: owner.clone(),
        name,
        slug,
        registration,
        plans: app.plans,
    }
}

struct Create {
    id: OrgId,
    owner: Account,
    name: DisplayName,
    slug: Slug,
    registration: Option<Registration>,
    plans: Plans,
}

impl Work for Create {
    type For = Act<NoOrg>;
    type Output = OrgScope;
    type Error = AppError;
    const NAME: &'static str = "create_org";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<OrgScope, AppError> {
        if let Some(entry) = &self.registration
            && instance::is_invite_only_in(tx).await?
        {
            let taken = match &entry.code_hash {
                Some(hash) => registration::take(tx, hash, act.now_ms).await?,
                None => false,
            };
            if !taken {
                return Err(TenancyError::RegistrationClosed.into());
            }
        }
        accounts::lock(tx, &[self.owner.num]).await?;
        let owned = accounts::owned_tiers(tx, self.owner.num).await?;
        let ceiling = self
            .plans
            .orgs_ceiling(owned.iter().filter_map(|tier| Tier::parse(tier)));
        if !accounts::own_one_more(tx, self.owner.num, ceiling).await? {
            return Err(TenancyError::LimitReached {
                dimension: Dimension::Orgs,
                ceiling,
            }
            .into());
        }
        let new = NewOrg {
            id: &self.id,
            slug: self.slug.as_str(),
            name: self.name.as_str(),
            tier: self.plans.default_tier,
            owner: self.owner.num,
            now_ms: act.now_ms,
        };
        let inserted = orgs::insert(tx, &new).await;
        let scope = inserted
            .map_err(|error| AppError::taken(error, "That short name is taken. Choose another one."))?;
        let (act, target) = (act.within(scope), Some(self.id.as_str()));
        act.note(tx, AuditAction::OrgCreated, target, &json!({})).await?;
        Ok(scope)
    }
}

/// An Org by its public id, for operators.
pub async fn get(app: &App, id: &OrgId) -> Result<Org, AppError> {
    orgs::find(&app.db, id)
        .await?
        .ok_or(RequestError::NotFound.into())
}

/// The data of an Org by its public id, also of one that was removed, for operators.
pub async fn find_even_removed(app: &App, id: &OrgId) -> Result<OrgScope, AppError> {
    orgs::find_even_removed(&app.db, id)
        .await?
        .ok_or(RequestError::NotFound.into())
}

/// The first thousand Orgs, for operators.
pub async fn list(app: &App) -> Result<Vec<Org>, AppError> {
    Ok(orgs::list(&app.db).await?)
}

/// Adds a member with a role's default permissions; an existing membership stays as it is.
pub async fn add_member(app: &App, scope: OrgScope, account: &Account, role: Role) -> Result<(), AppError> {
    if role == Role::Owner {
        return Err(AppError::invalid("role", "ownership is transferred, not granted"));
    }
    let work = AddMember {
        account: account.clone(),
        role,
    };
    app.db.write_for(app.act(scope, Actor::System), work).await
}

struct AddMember {
    account: Account,
    role: Role,
}

impl Work for AddMember {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "add_member";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let (scope, role) = (act.scope, self.role);
        orgs::lock(tx, scope).await?;
        let (account, now_ms) = (self.account.num, act.now_ms);
        if !orgs::add_member(tx, scope, account, role, role.default_permissions(), now_ms).await? {
            return Ok(());
        }
        let target = Some(self.account.id.as_str());
        let detail = json!({ "role": role });
        Ok(act.note(tx, AuditAction::MemberAdded, target, &detail).await?)
    }
}

/// The Org of a caller, with its settings and counters.
pub async fn get_own(app: &App, scope: OrgScope) -> Result<Org, AppError> {
    orgs::get(&app.db, scope)
        .await?
        .ok_or(RequestError::NotFound.into())
}

/// What may be changed about an Org; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct OrgChange {
    /// As people read it; two Orgs may have the same.
    pub name: Option<DisplayName>,
    /// Keys in the address are refused, from the next call on.
    pub refuse_query_keys: Option<bool>,
    /// What the caller saw; a save of somebody else since then refuses this one. None takes what is there.
    pub revision: Option<i64>,
}

/// One unit under the Org's lock; what stays the same leaves no entry in the audit log.
pub async fn change(app: &App, scope: OrgScope, change: OrgChange, actor: Actor) -> Result<(), AppError> {
    app.db.write_for(app.act(scope, actor), Change { change }).await
}

struct Change {
    change: OrgChange,
}

impl Work for Change {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "change_org";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let org = orgs::get_in(tx, scope).await?;
        let name = self.change.name.as_ref().filter(|name| name.as_str() != org.name);
        let refuse = self.change.refuse_query_keys;
        let refuse = refuse.filter(|refuse| *refuse != org.refuse_query_keys);
        if name.is_none() && refuse.is_none() {
            return Ok(());
        }
        orgs::touch(tx, scope, self.change.revision.unwrap_or(org.revision)).await?;
        let mut changes = Changes::default();
        if let Some(name) = name {
            orgs::rename(tx, scope, name.as_str()).await?;
            changes.add("name", &*org.name, name.as_str());
        }
        if let Some(refuse) = refuse {
            orgs::set_refuse_query_keys(tx, scope, refuse).await?;
            changes.add("refuse_query_keys", org.refuse_query_keys, refuse);
        }
        Ok(act
            .note(tx, AuditAction::OrgChanged, None, &changes.into_detail())
            .await?)
    }
}

/// Removes an Org: its Guilds with their Servers and keys go, links end, people lose access. The history stays.
pub async fn remove(app: &App, scope: OrgScope, by: TeamActor) -> Result<(), AppError> {
    let owner = by.account;
    let act = app.act(scope, by.actor);
    let removal = |is_only_asked| Remove {
        owner,
        sold: app.plans.sold,
        is_only_asked,
    };
    if app.plans.sold {
        // What is refused leaves the pages open on which somebody may pay.
        app.db.write_for(act.clone(), removal(true)).await?;
        billing::removal::close_pages(app, scope, None).await?;
    }
    app.db.write_for(act, removal(false)).await?;
    app.bell.ring();
    Ok(())
}

struct Remove {
    owner: AccountNum,
    sold: bool,
    /// Whether it could be done; nothing is.
    is_only_asked: bool,
}

impl Work for Remove {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "remove_org";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let (scope, now_ms) = (act.scope, act.now_ms);
        orgs::lock(tx, scope).await?;
        if team::get_owner(tx, scope).await?.num != self.owner {
            return Err(TenancyError::OwnerOnly.into());
        }
        if self.sold {
            billing::removal::refuse_paid(tx, act, None).await?;
        }
        if self.is_only_asked {
            return Ok(());
        }
        if self.sold {
            billing::removal::close_soon(tx, act).await?;
        }
        let mut ended = 0;
        for guild in guilds::list_in(tx, scope).await? {
            remove_guild(tx, scope, &guild, now_ms).await?;
            ended += guild.active_links;
        }
        team::remove_all(tx, scope).await?;
        invites::revoke_all(tx, scope, now_ms).await?;
        endpoints::remove_of_org(tx, scope, now_ms).await?;
        accounts::own_one_less(tx, self.owner).await?;
        orgs::remove(tx, scope, now_ms).await?;
        let detail = json!({ "links_ended": ended });
        Ok(act.note(tx, AuditAction::OrgRemoved, None, &detail).await?)
    }
}
