//! The tier of an Org, derived anew.

use domain::audit::AuditAction;
use domain::billing::derive_tier;
use domain::plan::{Plans, Tier};
use serde_json::json;
use storage::billing::{subscriptions, tier_grants};
use storage::identity::accounts;
use storage::records::audit::Act;
use storage::tenancy::orgs::LockedOrg;
use storage::tenancy::{orgs, team};
use storage::{Tx, Work};

use crate::error::AppError;

/// Has the tier follow from what there is now. Under the Org's lock; what is read here was committed before it was taken.
pub(super) async fn derive(
    tx: &mut Tx<'_>,
    act: &Act,
    plans: &Plans,
    org: &LockedOrg,
) -> Result<(), AppError> {
    let scope = act.scope;
    let granted = granted(tx, act).await?;
    let tier = if plans.sold {
        let known = subscriptions::list_known(tx, scope).await?;
        derive_tier(known.iter().map(|one| (one.status, one.tier)), granted)
    } else {
        granted.unwrap_or(plans.default_tier)
    };
    if tier == org.tier {
        return Ok(());
    }
    // How many Orgs the owner may have hangs on it.
    let owner = team::get_owner(tx, scope).await?;
    accounts::lock(tx, &[owner.num]).await?;
    orgs::set_tier(tx, scope, tier).await?;
    let detail = json!({ "from": org.tier, "to": tier });
    Ok(act.note(tx, AuditAction::TierChanged, None, &detail).await?)
}

/// What an operator gave, as long as it lasts. What is over goes.
async fn granted(tx: &mut Tx<'_>, act: &Act) -> Result<Option<Tier>, AppError> {
    let Some(grant) = tier_grants::find_in(tx, act.scope).await? else {
        return Ok(None);
    };
    if grant.ends_at_ms.is_none_or(|end| end > act.now_ms) {
        return Ok(Some(grant.tier));
    }
    tier_grants::drop(tx, act.scope).await?;
    let detail = json!({ "tier": grant.tier });
    act.note(tx, AuditAction::TierGrantEnded, None, &detail).await?;
    Ok(None)
}

/// The same as a unit of its own. A removed Org has no tier to speak of.
pub(super) struct Derive {
    pub plans: Plans,
}

impl Work for Derive {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "derive_tier";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        match orgs::lock_if_there(tx, act.scope).await? {
            Some(org) => derive(tx, act, &self.plans, &org).await,
            None => Ok(tier_grants::drop(tx, act.scope).await?),
        }
    }
}
