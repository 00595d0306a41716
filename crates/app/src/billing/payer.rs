//! The customer that an Org is with Stripe. It is bound to the Org before anything can be bought, so that whatever is
//! heard of it later finds its Org.

use domain::audit::Actor;
use domain::id::PayerId;
use storage::billing::payers;
use storage::billing::payers::Payer;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::{is_answer, not_done};
use crate::error::{AppError, BillingError, RequestError};
use crate::platforms::Selling;
use crate::state::App;

/// The customer, made if there is none. Two who ask at once are given the same one.
pub(super) async fn ensure(app: &App, selling: &Selling, scope: OrgScope) -> Result<String, AppError> {
    let new = PayerId::generate(app.now_ms(), &*app.random);
    let payer = app
        .db
        .write_for(app.act(scope, Actor::System), Ensure { new })
        .await?;
    if let Some(customer) = payer.customer_id {
        return Ok(customer);
    }
    let org = storage::tenancy::orgs::get(&app.db, scope).await?;
    let org = org.ok_or(RequestError::NotFound)?;
    let made = selling
        .api
        .create_customer(payer.id.as_str(), &org.name, org.id.as_str())
        .await;
    let customer = match made {
        Ok(customer) => customer,
        Err(cause) => {
            // What Stripe answered it answers again under the same id.
            if is_answer(&cause) {
                let rename = Rename {
                    new: PayerId::generate(app.now_ms(), &*app.random),
                    old: payer.id,
                };
                app.db.write_for(app.act(scope, Actor::System), rename).await?;
            }
            return Err(not_done(cause));
        }
    };
    let bind = Bind {
        id: payer.id,
        customer,
    };
    app.db.write_for(app.act(scope, Actor::System), bind).await
}

struct Rename {
    new: PayerId,
    old: PayerId,
}

impl Work for Rename {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "rename_payer";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        Ok(payers::rename(tx, act.scope, &self.new, &self.old).await?)
    }
}

/// Forgets a customer that Stripe does not know any more. One whose subscriptions are not over stays: Stripe may only be
/// asked with another account's key.
pub(super) async fn forget(app: &App, scope: OrgScope, customer: String) -> Result<(), AppError> {
    let work = Forget {
        customer,
        new: PayerId::generate(app.now_ms(), &*app.random),
    };
    app.db.write_for(app.act(scope, Actor::System), work).await
}

struct Ensure {
    new: PayerId,
}

impl Work for Ensure {
    type For = Act;
    type Output = Payer;
    type Error = AppError;
    const NAME: &'static str = "ensure_payer";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Payer, AppError> {
        orgs::lock(tx, act.scope).await?;
        Ok(payers::ensure(tx, act.scope, &self.new, act.now_ms).await?)
    }
}

struct Bind {
    id: PayerId,
    customer: String,
}

impl Work for Bind {
    type For = Act;
    type Output = String;
    type Error = AppError;
    const NAME: &'static str = "bind_payer";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<String, AppError> {
        orgs::lock(tx, act.scope).await?;
        payers::bind(tx, act.scope, &self.id, &self.customer).await?;
        let bound = payers::find_in(tx, act.scope).await?;
        let customer = bound.and_then(|payer| payer.customer_id);
        customer.ok_or_else(|| AppError::internal("a payer without a customer"))
    }
}

struct Forget {
    customer: String,
    new: PayerId,
}

impl Work for Forget {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "forget_payer";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        if payers::renew(tx, act.scope, &self.new, &self.customer).await? {
            return Ok(());
        }
        let payer = payers::find_in(tx, act.scope).await?;
        let customer = payer.and_then(|payer| payer.customer_id);
        if customer.is_some_and(|customer| customer == self.customer) {
            let why = "Stripe does not know the customer whose subscriptions are known here";
            return Err(BillingError::Refused(why.to_owned()).into());
        }
        Ok(())
    }
}
