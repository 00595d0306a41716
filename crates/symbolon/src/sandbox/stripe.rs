//! Reminds an emulated Stripe of what was bought in an earlier run: it forgot it, and the database did not.

use app::billing::Subscription;
use app::billing::overview;
use app::tenancy::orgs;
use app::{App, AppError};
use domain::billing::{Interval, Status};
use domain::plan::Tier;
use emulator::stripe::{self, Customer, Item, Metadata};

use super::platforms::Platforms;

const DAY_S: i64 = 24 * 60 * 60;

pub async fn remind(app: &App, platforms: &Platforms) -> Result<(), AppError> {
    for org in orgs::list(app).await? {
        let known = overview::get(app, org.scope).await?;
        let Some(id) = known.customer else {
            continue;
        };
        let customer = Customer {
            name: Some(org.name),
            metadata: Metadata::from([("org".to_owned(), org.id.as_str().to_owned())]),
            created: app.now_ms() / 1_000,
            ..Customer::default()
        };
        let bought: Vec<_> = known
            .subscriptions
            .iter()
            .filter_map(|one| Some((one.id.clone(), bought(one, &id, platforms)?)))
            .collect();
        let told = platforms.stripe.change(|state| {
            state.customers.insert(id, customer);
            state.subscriptions.extend(bought);
        });
        told.map_err(AppError::internal)?;
    }
    Ok(())
}

/// None for what is sold no more, or is in a state that no sandbox brings about.
fn bought(known: &Subscription, customer: &str, platforms: &Platforms) -> Option<stripe::Subscription> {
    let sold = &platforms.catalogue;
    let plan = match known.tier {
        Some(Tier::Pro) => &sold.pro,
        Some(Tier::Standard) => &sold.standard,
        Some(Tier::Free) | None => &sold.custom_bot,
    };
    let price = match known.interval {
        Some(Interval::Year) => plan.yearly.clone()?,
        Some(Interval::Month) | None => plan.monthly.clone(),
    };
    let status = match known.status {
        Status::Active => stripe::Status::Active,
        Status::Trialing => stripe::Status::Trialing,
        Status::PastDue => stripe::Status::PastDue,
        Status::Unpaid => stripe::Status::Unpaid,
        Status::Incomplete
        | Status::IncompleteExpired
        | Status::Paused
        | Status::Canceled
        | Status::Unknown => return None,
    };
    let created = known.started_at_ms / 1_000;
    let period_end = known
        .period_end_ms
        .map_or(created + 30 * DAY_S, |end| end / 1_000);
    let guild = known.guild_id.as_ref();
    let guild = guild.map(|guild| ("guild".to_owned(), guild.as_str().to_owned()));
    Some(stripe::Subscription {
        customer: customer.to_owned(),
        status,
        items: vec![Item {
            price,
            quantity: 1,
            created,
            ..Item::default()
        }],
        metadata: guild.into_iter().collect(),
        created,
        current_period_start: created,
        current_period_end: period_end,
        billing_cycle_anchor: created,
        cancel_at: known.cancel_at_ms.map(|end| end / 1_000),
        cancel_at_period_end: known.cancel_at_ms.is_some(),
        ..stripe::Subscription::default()
    })
}
