//! Purchases. For the plan of an Org, and for the bot of each Guild, one page is open at a time: whoever clicks twice gets
//! the same, and whoever chooses something else has the first one closed before there is a second.

use domain::audit::{Actor, AuditAction};
use domain::billing::{Bought, Offer, Product};
use domain::id::{AccountId, CheckoutId, GuildId};
use platform::stripe::Subscription;
use serde_json::json;
use storage::billing::checkouts::{self, Checkout};
use storage::billing::{payers, subscriptions};
use storage::jobs::Moment;
use storage::records::audit::Act;
use storage::tenancy::{guilds, orgs};
use storage::{OrgScope, Tx, Work};

use super::events::want;
pub use super::pages::OpenedCheckout;
use super::pages::{Page, Shown, close, end, show};
use super::{asked, not_done, payer, selling, take_turn};
use crate::error::{AppError, BillingError, RequestError};
use crate::platforms::Selling;
use crate::state::App;

/// Stripe keeps a page open for 30 minutes at least, from when it makes it.
const LIFETIME_MS: i64 = 2 * 60 * 60_000;
const LEAST_FOR_STRIPE_MS: i64 = 31 * 60_000;
/// A page that closes sooner is not handed out again.
const LEAST_FOR_PEOPLE_MS: i64 = 5 * 60_000;
/// A round may close an open page, ask Stripe what is had, find that a page is over, or forget a customer that is gone.
const MOST_ROUNDS: usize = 6;

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
    let mut looked_up = None;
    for _ in 0..MOST_ROUNDS {
        let begin = Begin {
            id: CheckoutId::generate(app.now_ms(), &*app.random),
            purchase: purchase.clone(),
            looked_up,
        };
        let act = app.act(scope, Actor::Account(purchase.by.clone()));
        let begun = app.db.write_for(act, begin).await?;
        let page = Page {
            customer: &customer,
            org: &org,
            guild: purchase.guild.as_ref(),
        };
        match begun {
            // Somebody may have paid without our hearing of it.
            Begun::Nothing => looked_up = Some(look_up(app, selling, scope, purchase).await?),
            Begun::Closing(other) => close(app, selling, scope, &other, &page).await?,
            Begun::Open(checkout) => match show(app, selling, scope, &checkout, &page).await? {
                Shown::Page(opened) => return Ok(opened),
                Shown::Over => {}
                Shown::NoCustomer => {
                    end(app, scope, &checkout).await?;
                    payer::forget(app, scope, customer).await?;
                    customer = payer::ensure(app, selling, scope).await?;
                }
            },
        }
    }
    Err(BillingError::Unavailable.into())
}

/// Stripe knows best what is paid for. What it lists is had, whether we heard of it or not. Tells what had been heard before
/// it was asked: whatever comes after that has to be looked up anew.
async fn look_up(
    app: &App,
    selling: &Selling,
    scope: OrgScope,
    purchase: &Purchase,
) -> Result<i64, AppError> {
    let begin = asked::Begin {
        is_waited_for: true,
        moment: app.moment(),
    };
    let question = match app.db.write_for(app.act(scope, Actor::System), begin).await? {
        asked::Begun::Ask(question) => question,
        asked::Begun::TooSoon { after_ms } => {
            return Err(RequestError::RateLimited {
                retry_after_ms: after_ms,
            }
            .into());
        }
        // Another click has just found out that its customer is gone.
        asked::Begun::Nobody => return Err(BillingError::Unavailable.into()),
    };
    let wanted = question.wanted;
    let answer = asked::ask(app, selling, scope, question).await?;
    let told = answer.map_err(not_done)?.told;
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
        paid(app, scope, BillingError::UsePortal).await?;
    }
    Ok(wanted)
}

/// Somebody paid without our hearing of it: Stripe is asked, and whoever clicked is refused.
pub(super) async fn paid(app: &App, scope: OrgScope, refusal: BillingError) -> Result<(), AppError> {
    let want = Want { moment: app.moment() };
    app.db.write_for(app.act(scope, Actor::System), want).await?;
    app.bell.ring();
    Err(refusal.into())
}

enum Begun {
    Open(Checkout),
    Closing(Checkout),
    /// Nothing is open, and Stripe was not asked since something was heard.
    Nothing,
}

struct Begin {
    id: CheckoutId,
    purchase: Purchase,
    /// What had been heard before Stripe was asked.
    looked_up: Option<i64>,
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
        let heard = payers::find_in(tx, scope).await?.map(|payer| payer.wanted);
        if heard.is_none() || heard != self.looked_up {
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
