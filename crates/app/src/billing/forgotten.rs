//! Subscriptions that Stripe does not know any more. They are kept, because a wrong key or account looks the same; whoever
//! knows better has one forgotten.

use domain::audit::{Actor, AuditAction};
use domain::plan::Plans;
use serde_json::json;
use storage::billing::subscriptions;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::derive::derive;
use crate::error::{AppError, RequestError};
use crate::state::App;

/// In the audit log for good.
const REASON_MAX: usize = 500;

/// Forgets a subscription that Stripe did not list when it was last asked. The tier follows. If Stripe lists it again, it is
/// had again.
pub async fn forget(
    app: &App,
    scope: OrgScope,
    subscription: String,
    reason: &str,
    actor: Actor,
) -> Result<(), AppError> {
    let reason = reason.trim().to_owned();
    if reason.is_empty() || reason.chars().count() > REASON_MAX {
        return Err(AppError::invalid("reason", "say why, in at most 500 characters"));
    }
    let work = Forget {
        subscription,
        reason,
        plans: app.plans,
    };
    app.db.write_for(app.act(scope, actor), work).await
}

struct Forget {
    subscription: String,
    reason: String,
    plans: Plans,
}

impl Work for Forget {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "forget_subscription";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        let org = orgs::lock_if_there(tx, scope).await?;
        let known = subscriptions::list_known(tx, scope).await?;
        let found = known.into_iter().find(|known| known.id == self.subscription);
        let found = found.ok_or(RequestError::NotFound)?;
        if !subscriptions::forget(tx, scope, &found.id).await? {
            let why = "Stripe lists it: cancel it there, and it ends here too";
            return Err(AppError::invalid("subscription", why));
        }
        let detail = json!({
            "subscription": found.id,
            "tier": found.tier,
            "bot": found.bot,
            "reason": self.reason,
        });
        act.note(tx, AuditAction::SubscriptionForgotten, None, &detail)
            .await?;
        match &org {
            Some(org) => derive(tx, act, &self.plans, org).await,
            None => Ok(()),
        }
    }
}
