//! Purchases. For the plan of an Org, and for the bot of each Guild, one page is open at a time: whoever clicks twice gets
//! the same, and whoever chooses something else has the first one closed before there is a second.

use domain::audit::{Actor, AuditAction};
use domain::billing::{Bought, Offer, Product};
use domain::id::{AccountId, CheckoutId, GuildId, OrgId};
use platform::stripe::{NewCheckout, NotDone, Session, Subscription};
use serde_json::json;
use storage::billing::checkouts::{self, Checkout};
use storage::billing::subscriptions;
use storage::jobs::Moment;
use storage::records::audit::Act;
use storage::tenancy::{guilds, orgs};
use storage::{OrgScope, Tx, Work};

use super::asked;
use super::events::want;
use super::read::EndCheckout;
use super::removal::Close;
use super::{is_answer, not_done, payer, selling, take_turn};
use crate::error::{AppError, BillingError, RequestError};
use crate::platforms::Selling;
use crate::state::App;

/// Stripe keeps a page open for 30 minutes at least, from when it makes it.
const LIFETIME_MS: i64 = 2 * 60 * 60_000;
const LEAST_FOR_STRIPE_MS: i64 = 31 * 60_000;
/// A page that closes sooner is not handed out again.
const LEAST_FOR_PEOPLE_MS: i64 = 5 * 60_000;

/// A page on which somebody pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedCheckout {
    /// With Stripe.
    pub url: String,
    /// Until when it can be used.
    pub expires_at_ms: i64,
}

/// What is to be bought, and by whom.
#[derive(Debug, Clone)]
pub struct Purchase {
    /// One that is sold.
    pub offer: Offer,
    /// For a bot: which Guild it is for.
    pub guild: Option<GuildId>,
    /// Whoever is signed in.
    pub by: AccountId,
}

/// Opens the page, or finds the one that is open.
pub async fn open(app: &App, scope: OrgScope, purchase: &Purchase) -> Result<OpenedCheckout, AppError> {
    let selling = selling(app)?;
    take_turn(app, scope)?;
    let org = orgs::get(&app.db, scope).await?.ok_or(RequestError::NotFound)?.id;
    if let Some(guild) = &purchase.guild {
        guilds::find(&app.db, scope, guild)
            .await?
            .ok_or(RequestError::NotFound)?;
    }
    let mut customer = payer::ensure(app, selling, scope).await?;
    let mut is_looked_up = false;
    // A round may close an open page, ask Stripe what is had, or forget a customer that is gone.
    for _ in 0..4 {
        let begin = Begin {
            id: CheckoutId::generate(app.now_ms(), &*app.random),
            purchase: purchase.clone(),
            is_looked_up,
        };
        let act = app.act(scope, Actor::Account(purchase.by.clone()));
        let begun = app.db.write_for(act, begin).await?;
        if matches!(begun, Begun::Nothing) {
            // Somebody may have paid without our hearing of it.
            refuse_paid(app, selling, scope, &customer, purchase).await?;
            is_looked_up = true;
            continue;
        }
        let page = Page {
            customer: &customer,
            org: &org,
            guild: purchase.guild.as_ref(),
        };
        match begun {
            Begun::Nothing => {}
            Begun::Closing(other) => close(app, selling, scope, &other, &page).await?,
            Begun::Open(checkout) => match show(app, selling, scope, &checkout, &page).await? {
                Shown::Page(opened) => return Ok(opened),
                Shown::NoCustomer => {
                    payer::forget(app, scope, customer).await?;
                    end(app, scope, &checkout).await?;
                    customer = payer::ensure(app, selling, scope).await?;
                }
            },
        }
    }
    Err(BillingError::Unavailable.into())
}

/// Stripe knows best what is paid for. What it lists is had, whether we heard of it or not.
async fn refuse_paid(
    app: &App,
    selling: &Selling,
    scope: OrgScope,
    customer: &str,
    purchase: &Purchase,
) -> Result<(), AppError> {
    let told = match asked::list(app, selling, customer).await? {
        Ok(told) => told,
        Err(NotDone::Missing(_)) => return Ok(()),
        Err(cause) => return Err(not_done(cause)),
    };
    let is_had = |one: &Subscription| {
        let bought = Bought::of(&selling.catalogue, one.prices.iter().map(String::as_str));
        let is_wanted = match purchase.offer.product {
            Product::Plan(_) => bought.tier.is_some(),
            Product::Bot => {
                bought.bot && one.guild.as_deref() == purchase.guild.as_ref().map(GuildId::as_str)
            }
        };
        one.status.is_had() && is_wanted
    };
    if told.iter().any(is_had) {
        return paid(app, scope, BillingError::UsePortal).await;
    }
    Ok(())
}

/// Somebody paid without our hearing of it: Stripe is asked, and whoever clicked is refused.
pub(super) async fn paid(app: &App, scope: OrgScope, refusal: BillingError) -> Result<(), AppError> {
    let want = Want { moment: app.moment() };
    app.db.write_for(app.act(scope, Actor::System), want).await?;
    app.bell.ring();
    Err(refusal.into())
}

/// Stripe made something else under this id: what it was cannot be learned this way.
fn is_other(cause: &NotDone) -> bool {
    matches!(cause, NotDone::Refused(code) if code.starts_with("idempotency"))
}

/// What a page is made of beside its row. The same row makes the same page, so that it can be asked for twice.
struct Page<'a> {
    customer: &'a str,
    org: &'a OrgId,
    guild: Option<&'a GuildId>,
}

enum Shown {
    Page(OpenedCheckout),
    /// Stripe does not know the customer any more.
    NoCustomer,
}

async fn show(
    app: &App,
    selling: &Selling,
    scope: OrgScope,
    checkout: &Checkout,
    page: &Page<'_>,
) -> Result<Shown, AppError> {
    let expires_at_ms = checkout.expires_at_ms;
    if let Some(url) = checkout.url.clone() {
        return Ok(Shown::Page(OpenedCheckout { url, expires_at_ms }));
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
                return Err(RequestError::NotFound.into());
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
async fn close(
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
        let id = other.id.as_str().to_owned();
        return app
            .db
            .write_for(app.act(scope, Actor::System), Close { id })
            .await;
    }
    end(app, scope, other).await?;
    paid(app, scope, BillingError::UsePortal).await
}

async fn end(app: &App, scope: OrgScope, checkout: &Checkout) -> Result<(), AppError> {
    let id = checkout.id.as_str().to_owned();
    app.db
        .write_for(app.act(scope, Actor::System), EndCheckout { id })
        .await
}

enum Begun {
    Open(Checkout),
    Closing(Checkout),
    /// Nothing is open, and Stripe was not asked yet.
    Nothing,
}

struct Begin {
    id: CheckoutId,
    purchase: Purchase,
    is_looked_up: bool,
}

impl Work for Begin {
    type For = Act;
    type Output = Begun;
    type Error = AppError;
    const NAME: &'static str = "begin_checkout";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Begun, AppError> {
        let (scope, now_ms, offer) = (act.scope, act.now_ms, self.purchase.offer);
        orgs::lock(tx, scope).await?;
        let guild = match &self.purchase.guild {
            Some(guild) => Some(
                guilds::find_in(tx, scope, guild)
                    .await?
                    .ok_or(RequestError::NotFound)?
                    .num,
            ),
            None => None,
        };
        let known = subscriptions::list_known(tx, scope).await?;
        let is_had = |one: &subscriptions::Known| match offer.product {
            Product::Plan(_) => one.tier.is_some(),
            Product::Bot => one.bot && one.guild == guild,
        };
        if known
            .iter()
            .any(|one| one.status.is_had() && one.listed && is_had(one))
        {
            return Err(BillingError::UsePortal.into());
        }
        if let Some(open) = checkouts::find_open(tx, scope, guild).await? {
            let least_ms = if open.url.is_some() {
                LEAST_FOR_PEOPLE_MS
            } else {
                LEAST_FOR_STRIPE_MS
            };
            let is_same = open.offer == offer.name() && open.expires_at_ms - now_ms > least_ms;
            return Ok(if is_same {
                Begun::Open(open)
            } else {
                Begun::Closing(open)
            });
        }
        if !self.is_looked_up {
            return Ok(Begun::Nothing);
        }
        let new = checkouts::NewCheckout {
            id: &self.id,
            guild,
            offer: offer.name(),
            account: &self.purchase.by,
            now_ms,
            expires_at_ms: now_ms + LIFETIME_MS,
        };
        checkouts::insert(tx, scope, &new).await?;
        let target = self.purchase.guild.as_ref().map(GuildId::as_str);
        let detail = json!({ "offer": offer.name() });
        act.note(tx, AuditAction::CheckoutOpened, target, &detail).await?;
        let open = checkouts::find_open(tx, scope, guild).await?;
        open.map(Begun::Open)
            .ok_or_else(|| AppError::internal("a checkout that is not there"))
    }
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

/// Has Stripe asked.
pub(super) struct Want {
    pub moment: Moment,
}

impl Work for Want {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "want_billing_read";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        want(tx, act, self.moment).await
    }
}
