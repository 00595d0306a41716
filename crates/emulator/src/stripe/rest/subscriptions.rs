//! What customers pay for again and again.

use serde_json::json;

use super::customers;
use crate::stripe::billing::{Ending, Order};
use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;
use crate::stripe::params::Params;
use crate::stripe::state::{Item, Metadata, Status, Subscription};
use crate::stripe::world::World;

const FIELDS: [&str; 19] = [
    "customer",
    "items",
    "metadata",
    "trial_period_days",
    "trial_end",
    "cancel_at_period_end",
    "cancel_at",
    "proration_behavior",
    "payment_behavior",
    "payment_settings",
    "default_payment_method",
    "description",
    "collection_method",
    "off_session",
    "billing_mode",
    "currency",
    "cancellation_details",
    "billing_cycle_anchor",
    "automatic_tax",
];
const STATUSES: [&str; 10] = [
    "all",
    "ended",
    "active",
    "canceled",
    "incomplete",
    "incomplete_expired",
    "past_due",
    "paused",
    "trialing",
    "unpaid",
];

pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let customer = desk.params.need("customer")?;
    customers::existing(&desk.world.state, &customer, "customer")?;
    let now = desk.world.now_of(&customer);
    let days = desk.params.integer("trial_period_days")?;
    let days = days.map(u16::try_from).transpose();
    let days = days.map_err(|_| {
        desk.params
            .wrong("trial_period_days", "Invalid trial_period_days")
    })?;
    let trial_end = desk.params.time("trial_end")?;
    let mut metadata = Metadata::new();
    desk.params.metadata("metadata", &mut metadata)?;
    let ends = desk.params.boolean("cancel_at_period_end")?.unwrap_or_default();
    let order = Order {
        items: items(desk, &[])?,
        customer,
        metadata,
        trial_end: Order::trial_days(now, days).or(trial_end),
        classic: desk.is_classic(&desk.params)?,
    };
    let id = desk.world.begin(order)?;
    if ends {
        desk.world.end(&id, Ending::AtPeriodEnd)?;
    }
    show(desk.world, &id)
}

pub fn get(desk: &mut Desk<'_>) -> Answer {
    show(desk.world, &desk.id())
}

pub fn update(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let id = desk.id();
    let own = existing(desk.world, &id)?.clone();
    if own.status.is_over() {
        let message = "A canceled subscription can only update its cancellation_details and metadata.";
        return Err(ApiError::invalid(message));
    }
    let mut metadata = own.metadata.clone();
    desk.params.metadata("metadata", &mut metadata)?;
    let ends = desk.params.boolean("cancel_at_period_end")?;
    let cancel_at = desk.params.time("cancel_at")?;
    let now = desk.world.now_of(&own.customer);
    if cancel_at.is_some_and(|at| at <= now) {
        return Err(desk
            .params
            .wrong("cancel_at", "`cancel_at` must be in the future."));
    }
    let items = items(desk, &own.items)?;
    let clears = desk.params.has("cancel_at") && cancel_at.is_none();
    desk.world.amend(&id, items, |own| {
        own.metadata = metadata;
        if ends == Some(false) || clears {
            own.keep();
        }
        if ends == Some(true) && !own.cancel_at_period_end {
            own.cancel_at_period_end(now);
        }
        if let Some(at) = cancel_at {
            own.cancel_at = Some(at);
            own.canceled_at = Some(now);
        }
    })?;
    show(desk.world, &id)
}

pub fn cancel(desk: &mut Desk<'_>) -> Answer {
    desk.params
        .only(&["invoice_now", "prorate", "cancellation_details"])?;
    let id = desk.id();
    desk.world.end(&id, Ending::Now)?;
    show(desk.world, &id)
}

/// For subscriptions that are paused.
pub fn resume(desk: &mut Desk<'_>) -> Answer {
    desk.params
        .only(&["billing_cycle_anchor", "proration_behavior"])?;
    let id = desk.id();
    let own = existing(desk.world, &id)?;
    if own.status != Status::Paused {
        let message = "This subscription cannot be resumed because it is not paused.";
        return Err(ApiError::invalid(message));
    }
    let now = desk.world.now_of(&own.customer);
    let recurring = desk.world.recurring_of(&own.items)?;
    desk.world.change_subscription(&id, now, |own| {
        own.status = Status::Active;
        own.billing_cycle_anchor = now;
        own.current_period_start = now;
        own.current_period_end = crate::stripe::billing::periods::end(now, now, recurring);
    });
    desk.world.bill(&id, "subscription_update", now);
    show(desk.world, &id)
}

/// Those that are canceled, and those on a test clock, are shown only to who asks for them.
pub fn list(desk: &mut Desk<'_>) -> Answer {
    let filters = [
        "customer",
        "status",
        "price",
        "created",
        "test_clock",
        "collection_method",
    ];
    desk.params.only(&[&lists::PAGING[..], &filters].concat())?;
    let params = &desk.params;
    let (customer, price) = (params.text("customer")?, params.text("price")?);
    let (status, clock) = (params.choice("status", &STATUSES)?, params.text("test_clock")?);
    let clock_of = |own: &Subscription| {
        let customer = desk.world.state.customers.get(&own.customer);
        customer.and_then(|customer| customer.test_clock.clone())
    };
    let timed = |own: &Subscription| (customer.is_some() && clock.is_none()) || clock_of(own) == clock;
    let wire = desk.world.wire();
    let wanted = |own: &Subscription| match status.as_deref() {
        None => own.status != Status::Canceled,
        Some("all") => true,
        Some("ended") => own.status.is_over(),
        Some(word) => json!(own.status) == word,
    };
    lists::list(
        params,
        ("subscription", "/v1/subscriptions"),
        &desk.world.state.subscriptions,
        |own| own.created,
        |_, own| {
            let priced = |price: &String| own.items.iter().any(|item| item.price == *price);
            customer.as_ref().is_none_or(|customer| own.customer == *customer)
                && price.as_ref().is_none_or(priced)
                && wanted(own)
                && timed(own)
        },
        |id, own| wire.subscription(id, own),
    )
}

fn existing<'a>(world: &'a World, id: &str) -> Result<&'a Subscription, ApiError> {
    let found = world.state.subscriptions.get(id);
    found.ok_or_else(|| ApiError::no_such("subscription", id, "id"))
}

fn show(world: &World, id: &str) -> Answer {
    Ok(world.wire().subscription(id, existing(world, id)?))
}

/// The items after the change: those with an id are changed or deleted, the others are new.
fn items(desk: &mut Desk<'_>, before: &[Item]) -> Result<Vec<Item>, ApiError> {
    let mut items = before.to_vec();
    for wanted in desk.params.list("items")? {
        wanted.only(&["id", "price", "quantity", "deleted", "metadata", "clear_usage"])?;
        let place = match wanted.text("id")? {
            Some(id) => {
                let found = items.iter().position(|item| item.id == id);
                found.ok_or_else(|| ApiError::no_such("subscription_item", &id, &wanted.full("id")))?
            }
            None => {
                let id = desk.world.ids.make("si");
                items.push(Item {
                    id,
                    quantity: 1,
                    created: desk.world.now(),
                    ..Item::default()
                });
                items.len() - 1
            }
        };
        if wanted.boolean("deleted")?.unwrap_or_default() {
            items.remove(place);
            continue;
        }
        change_item(desk.world, &wanted, &mut items[place])?;
    }
    Ok(items)
}

fn change_item(world: &World, wanted: &Params, item: &mut Item) -> Result<(), ApiError> {
    if let Some(price) = wanted.text("price")? {
        if !world.state.prices.contains_key(&price) {
            return Err(ApiError::no_such("price", &price, &wanted.full("price")));
        }
        item.price = price;
    } else if item.price.is_empty() {
        return Err(ApiError::missing(&wanted.full("price")));
    }
    if let Some(quantity) = wanted.integer("quantity")? {
        let quantity = u32::try_from(quantity)
            .ok()
            .filter(|quantity| (1..=10_000).contains(quantity));
        item.quantity = quantity.ok_or_else(|| wanted.wrong("quantity", "Invalid quantity"))?;
    }
    wanted.metadata("metadata", &mut item.metadata)
}
