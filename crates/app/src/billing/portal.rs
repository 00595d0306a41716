//! Stripe's own pages for customers: other plans, other cards, invoices, the end.

use domain::audit::{Actor, AuditAction};
use domain::id::CheckoutId;
use platform::stripe::NotDone;
use serde_json::json;
use storage::billing::payers;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::{not_done, selling, take_turn};
use crate::error::{AppError, BillingError, RequestError};
use crate::state::App;

/// Opens them for the customer of this Org, and for no other.
pub async fn open(app: &App, scope: OrgScope, actor: Actor) -> Result<String, AppError> {
    let selling = selling(app)?;
    take_turn(app, scope)?;
    let org = orgs::get(&app.db, scope).await?.ok_or(RequestError::NotFound)?.id;
    let payer = payers::find(&app.db, scope).await?;
    let customer = payer.and_then(|payer| payer.customer_id);
    let customer = customer.ok_or(BillingError::NothingBought)?;
    let once = CheckoutId::generate(app.now_ms(), &*app.random);
    let return_url = format!("{}/app/orgs/{}/billing?portal=left", app.public_url, org.as_str());
    let portal = selling.portal.as_deref();
    let opened = selling
        .api
        .create_portal(once.as_str(), &customer, &return_url, portal)
        .await;
    let url = match opened {
        Err(NotDone::Missing(what)) if what == "customer" => return Err(BillingError::NothingBought.into()),
        opened => opened.map_err(not_done)?,
    };
    app.db.write_for(app.act(scope, actor), Note).await?;
    Ok(url)
}

struct Note;

impl Work for Note {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_portal";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        Ok(act.note(tx, AuditAction::PortalOpened, None, &json!({})).await?)
    }
}
