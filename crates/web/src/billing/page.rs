//! What a member with `org.billing` sees and does.

use app::billing::checkout::{self, OpenedCheckout, Purchase};
use app::billing::overview::{self, Billing};
use app::billing::{Grant, Subscription, portal};
use app::tenancy::navigation;
use app::{App, AppError};
use domain::audit::Actor;
use domain::billing::{Interval, Offer, Product};
use domain::id::{AccountId, GuildId};
use domain::plan::Tier;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Segments, perm};
use crate::openapi::words;
use crate::routes::{Answer, Done, Found};
use crate::tenancy::orgs::Usage;

/// What an organisation pays for, and what it could.
#[derive(Serialize, ToSchema)]
pub struct BillingView {
    #[schema(value_type = words::Tier)]
    tier: Tier,
    usage: Usage,
    /// All plans, the smallest first.
    plans: Vec<PlanView>,
    /// Those that are not over, oldest first.
    subscriptions: Vec<SubscriptionView>,
    /// A plan that the operator gave.
    grant: Option<GrantView>,
    /// What a Custom Bot costs a month, in US cents.
    bot_price: i64,
    /// Whether there is anything to manage in the portal.
    portal: bool,
    /// When Stripe was last heard.
    read_at_ms: Option<i64>,
    /// Whether Stripe is being asked, because something changed.
    asking: bool,
}

/// What a plan costs, in US cents, and what it allows.
#[derive(Serialize, ToSchema)]
pub struct PlanView {
    #[schema(value_type = words::Tier)]
    tier: Tier,
    month: i64,
    year: i64,
    /// Organisations that somebody can own whose best plan this is.
    orgs: i64,
    ceilings: Usage,
    custom_keys: bool,
    /// Requests a minute for each key.
    per_minute: u32,
}

/// Something that is paid for.
#[derive(Serialize, ToSchema)]
pub struct SubscriptionView {
    id: String,
    #[schema(value_type = words::SubscriptionStatus)]
    status: &'static str,
    /// Whether what it buys is had.
    counts: bool,
    #[schema(value_type = Option<words::Tier>)]
    tier: Option<Tier>,
    /// Whether it buys a Custom Bot.
    bot: bool,
    #[schema(value_type = Option<words::PayInterval>)]
    interval: Option<&'static str>,
    #[schema(value_type = Option<String>)]
    guild_id: Option<GuildId>,
    guild_name: Option<String>,
    /// Who began to buy it.
    bought_by: Option<String>,
    started_at_ms: i64,
    /// When it is paid for next; nothing where it ends.
    renews_at_ms: Option<i64>,
    /// When it ends, where that is when its period is over.
    ends_at_ms: Option<i64>,
}

impl From<Subscription> for SubscriptionView {
    fn from(found: Subscription) -> Self {
        let is_past = |at: i64| found.period_end_ms.is_some_and(|end| at > end);
        let goes_on = found.cancel_at_ms.is_none_or(is_past);
        let renews = found.status.counts() && goes_on;
        Self {
            id: found.id,
            status: found.status.as_str(),
            counts: found.status.counts(),
            tier: found.tier,
            bot: found.bot,
            interval: found.interval.map(Interval::as_str),
            guild_id: found.guild_id,
            guild_name: found.guild_name,
            bought_by: found.bought_by,
            started_at_ms: found.started_at_ms,
            renews_at_ms: found.period_end_ms.filter(|_| renews),
            ends_at_ms: found.cancel_at_ms.filter(|_| !goes_on),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct GrantView {
    #[schema(value_type = words::Tier)]
    tier: Tier,
    /// Nothing for one without an end.
    until_ms: Option<i64>,
}

impl From<Grant> for GrantView {
    fn from(grant: Grant) -> Self {
        Self {
            tier: grant.tier,
            until_ms: grant.ends_at_ms,
        }
    }
}

/// A page at Stripe, where somebody pays.
#[derive(Serialize, ToSchema)]
pub struct CheckoutView {
    url: String,
    expires_at_ms: i64,
}

impl From<OpenedCheckout> for CheckoutView {
    fn from(opened: OpenedCheckout) -> Self {
        Self {
            url: opened.url,
            expires_at_ms: opened.expires_at_ms,
        }
    }
}

/// A page at Stripe, where a customer changes what they pay for.
#[derive(Serialize, ToSchema)]
pub struct PortalView {
    url: String,
}

/// Which plan to buy.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanChoice {
    /// `standard` or `pro`.
    #[schema(value_type = words::Tier)]
    plan: Tier,
    #[schema(value_type = words::PayInterval)]
    interval: Interval,
}

fn price(tier: Tier, interval: Interval) -> i64 {
    Offer::new(Product::Plan(tier), interval).amount().unwrap_or(0)
}

fn plan(app: &App, tier: Tier) -> PlanView {
    let ceilings = app.plans.ceilings(tier);
    PlanView {
        tier,
        month: price(tier, Interval::Month),
        year: price(tier, Interval::Year),
        orgs: ceilings.orgs,
        ceilings: ceilings.into(),
        custom_keys: tier != Tier::Free,
        per_minute: app.memories.gate.limit(tier).per_minute,
    }
}

pub async fn subscriptions(
    app: App,
    caller: Authorized<perm::OrgBilling>,
    (): (),
) -> Answer<Found<BillingView>> {
    let found: Billing = overview::get(&app, caller.scope).await?;
    let navigation_links = navigation::count(&app, caller.scope).await?;
    let bot = Offer::new(Product::Bot, Interval::Month);
    Ok(Found(BillingView {
        tier: found.org.tier,
        usage: Usage::of(&found.org, navigation_links),
        plans: Tier::ALL.iter().map(|tier| plan(&app, *tier)).collect(),
        subscriptions: found
            .subscriptions
            .into_iter()
            .map(SubscriptionView::from)
            .collect(),
        grant: found.grant.map(GrantView::from),
        bot_price: bot.amount().unwrap_or(0),
        portal: found.customer.is_some(),
        read_at_ms: found.read_at_ms,
        asking: found.is_asking,
    }))
}

pub async fn buy_plan(
    app: App,
    caller: Authorized<perm::OrgBilling>,
    JsonBody(choice): JsonBody<PlanChoice>,
) -> Answer<Found<CheckoutView>> {
    if choice.plan == Tier::Free {
        return Err(AppError::invalid(
            "plan",
            "the Free plan costs nothing; cancel the other one in the portal",
        )
        .into());
    }
    let purchase = Purchase {
        offer: Offer::new(Product::Plan(choice.plan), choice.interval),
        guild: None,
        by: buyer(caller.actor)?,
    };
    let opened = checkout::open(&app, caller.scope, &purchase).await?;
    Ok(Found(opened.into()))
}

pub async fn buy_bot(
    app: App,
    caller: Authorized<perm::OrgBilling>,
    Segments(guild): Segments<GuildId>,
) -> Answer<Found<CheckoutView>> {
    let purchase = Purchase {
        offer: Offer::new(Product::Bot, Interval::Month),
        guild: Some(guild),
        by: buyer(caller.actor)?,
    };
    let opened = checkout::open(&app, caller.scope, &purchase).await?;
    Ok(Found(opened.into()))
}

fn buyer(actor: Actor) -> Result<AccountId, AppError> {
    match actor {
        Actor::Account(id) => Ok(id),
        Actor::Visitor(_) | Actor::Key(_) | Actor::Player | Actor::Operator | Actor::System => {
            Err(AppError::internal("a purchase by nobody"))
        }
    }
}

pub async fn portal(app: App, caller: Authorized<perm::OrgBilling>, (): ()) -> Answer<Found<PortalView>> {
    let url = portal::open(&app, caller.scope, caller.actor).await?;
    Ok(Found(PortalView { url }))
}

pub async fn refresh(app: App, caller: Authorized<perm::OrgBilling>, (): ()) -> Answer<Done> {
    overview::refresh(&app, caller.scope).await?;
    Ok(Done)
}
