//! Plans that operators give.

use domain::audit::{Actor, AuditAction};
use domain::plan::{Plans, Tier};
use serde_json::json;
use storage::billing::tier_grants;
use storage::billing::tier_grants::Grant;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::derive::derive;
use crate::error::AppError;
use crate::state::App;

/// Gives an Org a plan without an end.
pub async fn set_tier(app: &App, scope: OrgScope, tier: Tier, actor: Actor) -> Result<(), AppError> {
    let grant = Grant {
        tier,
        ends_at_ms: None,
    };
    give(app, scope, Some(grant), actor).await
}

/// Gives an Org a plan in the place of the one that was given before, or takes that back. Where plans are sold it counts
/// beside what is paid for.
pub async fn give(app: &App, scope: OrgScope, grant: Option<Grant>, actor: Actor) -> Result<(), AppError> {
    if grant.is_some_and(|grant| grant.ends_at_ms.is_some_and(|end| end <= app.now_ms())) {
        return Err(AppError::invalid("until", "it is over already"));
    }
    let plans = app.plans;
    app.db
        .write_for(app.act(scope, actor), Give { grant, plans })
        .await
}

struct Give {
    grant: Option<Grant>,
    plans: Plans,
}

impl Work for Give {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "give_tier";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        let org = orgs::lock(tx, scope).await?;
        // Where plans are sold, Free is what everybody has.
        let grant = self
            .grant
            .filter(|grant| grant.tier != Tier::Free || !self.plans.sold);
        if tier_grants::find_in(tx, scope).await? != grant {
            let detail = match grant {
                Some(grant) => {
                    tier_grants::set(tx, scope, grant, act.now_ms).await?;
                    json!({ "tier": grant.tier, "until_ms": grant.ends_at_ms })
                }
                None => {
                    tier_grants::drop(tx, scope).await?;
                    json!({ "tier": null })
                }
            };
            act.note(tx, AuditAction::TierGranted, None, &detail).await?;
        }
        derive(tx, act, &self.plans, &org).await
    }
}
