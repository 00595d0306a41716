//! What an Org pays for, as it is shown.

use domain::audit::Actor;
use storage::OrgScope;
use storage::billing::{payers, subscriptions, tier_grants};
use storage::tenancy::orgs::{self, Org};

use super::checkout::Want;
use super::{Grant, Subscription, selling, take_turn};
use crate::error::{AppError, RequestError};
use crate::state::App;

/// What the page of billing starts from.
#[derive(Debug, Clone)]
pub struct Billing {
    /// With its tier and what it uses.
    pub org: Org,
    /// What is not over, oldest first.
    pub subscriptions: Vec<Subscription>,
    /// What an operator gave.
    pub grant: Option<Grant>,
    /// Who Stripe knows it as, if it ever began to buy.
    pub customer: Option<String>,
    /// When Stripe last answered.
    pub read_at_ms: Option<i64>,
    /// Whether something was heard since then.
    pub is_asking: bool,
}

/// Reads what is known; Stripe is not asked.
pub async fn get(app: &App, scope: OrgScope) -> Result<Billing, AppError> {
    selling(app)?;
    let org = orgs::get(&app.db, scope).await?.ok_or(RequestError::NotFound)?;
    let mut found = subscriptions::list(&app.db, scope).await?;
    found.retain(|one| !one.status.is_over());
    let payer = payers::find(&app.db, scope).await?;
    Ok(Billing {
        org,
        subscriptions: found,
        grant: tier_grants::find(&app.db, scope).await?,
        customer: payer.as_ref().and_then(|payer| payer.customer_id.clone()),
        read_at_ms: payer.as_ref().and_then(|payer| payer.read_at_ms),
        is_asking: payer.is_some_and(|payer| payer.read_wanted != payer.wanted),
    })
}

/// Has Stripe asked, for somebody who comes back from paying. By itself it changes nothing.
pub async fn refresh(app: &App, scope: OrgScope) -> Result<(), AppError> {
    selling(app)?;
    take_turn(app, scope)?;
    let want = Want { moment: app.moment() };
    app.db.write_for(app.act(scope, Actor::System), want).await?;
    app.bell.ring();
    Ok(())
}
