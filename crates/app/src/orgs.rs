//! Orgs.

use domain::audit::{Actor, AuditAction};
use domain::id::OrgId;
use domain::name::{DisplayName, Slug};
use domain::permission::{PermissionSet, Role};
use domain::plan::{Dimension, Tier, best_tier};
use storage::accounts::{self, Account};
pub use storage::orgs::Org;
use storage::orgs::{self, NewOrg};
use storage::{OrgScope, Tx, Work, audit};

use crate::error::AppError;
use crate::state::App;

/// Creates an Org owned by `owner`. How many one account may own follows from the best tier among them.
pub async fn create(
    app: &App,
    owner: &Account,
    name: DisplayName,
    slug: Slug,
    actor: Actor,
) -> Result<(OrgId, OrgScope), AppError> {
    let now_ms = app.now_ms();
    let id = OrgId::generate(now_ms, &*app.random);
    let scope = app
        .db
        .write(Create {
            id: id.clone(),
            owner: owner.clone(),
            name,
            slug,
            actor,
            now_ms,
        })
        .await?;
    Ok((id, scope))
}

struct Create {
    id: OrgId,
    owner: Account,
    name: DisplayName,
    slug: Slug,
    actor: Actor,
    now_ms: i64,
}

impl Work for Create {
    type Output = OrgScope;
    type Error = AppError;
    const NAME: &'static str = "create_org";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<OrgScope, AppError> {
        let owned = accounts::lock_owned_tiers(tx, self.owner.num).await?;
        let best = best_tier(owned.iter().filter_map(|tier| Tier::parse(tier)));
        let ceiling = best.ceilings().orgs;
        if !accounts::own_one_more(tx, self.owner.num, ceiling).await? {
            return Err(AppError::LimitReached {
                dimension: Dimension::Orgs,
                ceiling,
            });
        }
        let new = NewOrg {
            id: &self.id,
            slug: self.slug.as_str(),
            name: self.name.as_str(),
            tier: Tier::Free,
            owner: self.owner.num,
            now_ms: self.now_ms,
        };
        let inserted = orgs::insert(tx, &new).await;
        let scope =
            inserted.map_err(|error| taken(error, "That short name is taken. Choose another slug."))?;
        let entry = audit::Entry {
            at_ms: self.now_ms,
            actor: &self.actor,
            action: AuditAction::OrgCreated,
            target: Some(self.id.as_str()),
            detail: "{}",
        };
        audit::append(tx, scope, &entry).await?;
        Ok(scope)
    }
}

/// Turns a broken uniqueness into a conflict the caller can put right.
pub(crate) fn taken(error: storage::DbError, what: &'static str) -> AppError {
    if error.is_unique() {
        AppError::Conflict { what }
    } else {
        error.into()
    }
}

/// An Org by its public id, for operators.
pub async fn get(app: &App, id: &OrgId) -> Result<Org, AppError> {
    orgs::find(&app.db, id).await?.ok_or(AppError::NotFound)
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
    let permissions = role.default_permissions();
    app.db
        .write(AddMember {
            scope,
            account: account.clone(),
            role,
            permissions,
            now_ms: app.now_ms(),
        })
        .await
}

struct AddMember {
    scope: OrgScope,
    account: Account,
    role: Role,
    permissions: PermissionSet,
    now_ms: i64,
}

impl Work for AddMember {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "add_member";

    fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        orgs::lock(tx, self.scope).await?;
        Ok(orgs::add_member(
            tx,
            self.scope,
            self.account.num,
            self.role,
            self.permissions,
            self.now_ms,
        )
        .await?)
    }
}

/// Sets what a member may do, from their next request on.
pub async fn set_permissions(
    app: &App,
    scope: OrgScope,
    account: &Account,
    permissions: PermissionSet,
) -> Result<(), AppError> {
    app.db
        .write(SetPermissions {
            scope,
            account: account.clone(),
            permissions,
        })
        .await
}

struct SetPermissions {
    scope: OrgScope,
    account: Account,
    permissions: PermissionSet,
}

impl Work for SetPermissions {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "set_permissions";

    fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        orgs::lock(tx, self.scope).await?;
        if !orgs::set_member_permissions(tx, self.scope, self.account.num, self.permissions).await? {
            return Err(AppError::NotFound);
        }
        Ok(())
    }
}

/// Sets an Org's tier. An operator's tool until billing derives it.
pub async fn set_tier(app: &App, scope: OrgScope, tier: Tier) -> Result<(), AppError> {
    app.db.write(SetTier { scope, tier }).await
}

struct SetTier {
    scope: OrgScope,
    tier: Tier,
}

impl Work for SetTier {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "set_tier";

    fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        orgs::lock(tx, self.scope).await?;
        Ok(orgs::set_tier(tx, self.scope, self.tier).await?)
    }
}
