//! Stripe's pages on which somebody pays: made, shown and closed.

use domain::audit::Actor;
use domain::billing::Offer;
use domain::id::{CheckoutId, GuildId, OrgId};
use platform::stripe::{NewCheckout, NotDone, PageState, Session};
use storage::billing::checkouts::{self, Checkout};
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::checkout::paid;
use super::read::EndCheckout;
use super::removal::Close;
use super::{is_answer, not_done};
use crate::error::{AppError, BillingError, RequestError};
use crate::platforms::Selling;
use crate::state::App;

/// A page on which somebody pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedCheckout {
    /// With Stripe.
    pub url: String,
    /// Until when it can be used.
    pub expires_at_ms: i64,
}

/// Stripe made something else under this id: what it was cannot be learned this way.
fn is_other(cause: &NotDone) -> bool {
    matches!(cause, NotDone::Refused(code) if code.starts_with("idempotency"))
}

/// What a page is made of beside its row. The same row makes the same page, so that it can be asked for twice.
pub(super) struct Page<'a> {
    pub customer: &'a str,
    pub org: &'a OrgId,
    pub guild: Option<&'a GuildId>,
}

pub(super) enum Shown {
    Page(OpenedCheckout),
    /// Nobody paid on it, and nobody can any more.
    Over,
    /// Stripe does not know the customer any more.
    NoCustomer,
}

pub(super) async fn show(
    app: &App,
    selling: &Selling,
    scope: OrgScope,
    checkout: &Checkout,
    page: &Page<'_>,
) -> Result<Shown, AppError> {
    let expires_at_ms = checkout.expires_at_ms;
    if let (Some(session), Some(url)) = (&checkout.session_id, &checkout.url) {
        let url = url.clone();
        return match selling.api.page_state(session).await.map_err(not_done)? {
            PageState::Open => Ok(Shown::Page(OpenedCheckout { url, expires_at_ms })),
            PageState::Over => give_up(app, scope, checkout).await.map(|()| Shown::Over),
            PageState::Paid => {
                end(app, scope, checkout).await?;
                paid(app, scope, BillingError::UsePortal)
                    .await
                    .map(|()| Shown::Over)
            }
        };
    }
    match make(app, selling, checkout, page).await {
        Ok(Session { id, url }) => {
            let note = NotePage {
                checkout: checkout.id.clone(),
                session: id,
                url: url.clone(),
            };
            if !app
                .db
                .write_for(app.act(scope, Actor::System), note.clone())
                .await?
            {
                // What it is for was removed meanwhile, or somebody chose something else.
                selling
                    .api
                    .expire_checkout(&note.session)
                    .await
                    .map_err(not_done)?;
                let what = "Something else was chosen for this at the same moment. Check what is open, then try again.";
                return Err(RequestError::Conflict(what).into());
            }
            Ok(Shown::Page(OpenedCheckout { url, expires_at_ms }))
        }
        Err(NotDone::Missing(what)) if what == "customer" => Ok(Shown::NoCustomer),
        Err(cause) if !is_answer(&cause) => Err(not_done(cause)),
        Err(cause) => {
            // It would be refused again; the next click begins anew.
            end(app, scope, checkout).await?;
            Err(not_done(cause))
        }
    }
}

async fn make(
    app: &App,
    selling: &Selling,
    checkout: &Checkout,
    page: &Page<'_>,
) -> Result<Session, NotDone> {
    let offer = Offer::ALL
        .into_iter()
        .find(|offer| offer.name() == checkout.offer);
    let price = offer.and_then(|offer| selling.catalogue.price_of(offer));
    let price = price.ok_or_else(|| NotDone::Refused("no price".to_owned()))?;
    let at = |word: &str| {
        let (base, org) = (&app.public_url, page.org.as_str());
        format!("{base}/app/orgs/{org}/billing?checkout={word}")
    };
    let (success_url, cancel_url) = (at("done"), at("cancelled"));
    let mut metadata = vec![("org", page.org.as_str()), ("checkout", checkout.id.as_str())];
    metadata.extend(page.guild.map(|guild| ("guild", guild.as_str())));
    let new = NewCheckout {
        customer: page.customer,
        price,
        success_url: &success_url,
        cancel_url: &cancel_url,
        expires_at: checkout.expires_at_ms.div_euclid(1_000),
        metadata: &metadata,
    };
    selling.api.create_checkout(checkout.id.as_str(), &new).await
}

/// Closes a page for something else. If it was paid meanwhile, there is nothing to buy any more.
pub(super) async fn close(
    app: &App,
    selling: &Selling,
    scope: OrgScope,
    other: &Checkout,
    page: &Page<'_>,
) -> Result<(), AppError> {
    let session = match &other.session_id {
        Some(session) => Some(session.clone()),
        // It may have been made without our hearing of it. Asking again tells which one it is.
        None => match make(app, selling, other, page).await {
            Ok(session) => Some(session.id),
            Err(cause) if !is_answer(&cause) || is_other(&cause) => return Err(not_done(cause)),
            Err(_) => None,
        },
    };
    let is_unpaid = match session {
        Some(session) => selling.api.expire_checkout(&session).await.map_err(not_done)?,
        None => true,
    };
    if is_unpaid {
        return give_up(app, scope, other).await;
    }
    end(app, scope, other).await?;
    paid(app, scope, BillingError::UsePortal).await
}

/// Nobody pays on it any more.
async fn give_up(app: &App, scope: OrgScope, checkout: &Checkout) -> Result<(), AppError> {
    let id = checkout.id.as_str().to_owned();
    app.db
        .write_for(app.act(scope, Actor::System), Close { id })
        .await
}

pub(super) async fn end(app: &App, scope: OrgScope, checkout: &Checkout) -> Result<(), AppError> {
    let id = checkout.id.as_str().to_owned();
    app.db
        .write_for(app.act(scope, Actor::System), EndCheckout { id })
        .await
}

#[derive(Clone)]
struct NotePage {
    checkout: CheckoutId,
    session: String,
    url: String,
}

impl Work for NotePage {
    type For = Act;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "note_checkout_page";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<bool, AppError> {
        orgs::lock_even_removed(tx, act.scope).await?;
        Ok(checkouts::note_page(tx, act.scope, &self.checkout, &self.session, &self.url).await?)
    }
}
