//! Checkout sessions.

use crate::stripe::checkout::is_address;
use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;
use crate::stripe::params::Params;
use crate::stripe::rest::customers;
use crate::stripe::state::{CheckoutSession, Item, SessionStatus};
use crate::stripe::wire;
use crate::stripe::world::World;

const FIELDS: [&str; 21] = [
    "mode",
    "customer",
    "customer_email",
    "line_items",
    "success_url",
    "cancel_url",
    "client_reference_id",
    "metadata",
    "subscription_data",
    "allow_promotion_codes",
    "expires_at",
    "automatic_tax",
    "billing_address_collection",
    "customer_update",
    "locale",
    "payment_method_collection",
    "payment_method_types",
    "tax_id_collection",
    "ui_mode",
    "consent_collection",
    "custom_text",
];
const SOONEST: i64 = 30 * 60;
const LATEST: i64 = 24 * 3_600;
const MOST_ITEMS: usize = 20;
const LONGEST_REFERENCE: usize = 200;

pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let session = read(desk)?;
    let prefix = if desk.world.state.account.livemode {
        "cs_live"
    } else {
        "cs_test"
    };
    let id = desk.world.ids.make(prefix);
    desk.world.state.checkout_sessions.insert(id.clone(), session);
    desk.world.quiet_until = 0;
    desk.world.trim();
    show(desk.world, &id)
}

pub fn get(desk: &mut Desk<'_>) -> Answer {
    show(desk.world, &desk.id())
}

pub fn list(desk: &mut Desk<'_>) -> Answer {
    let filters = ["customer", "subscription", "status", "created"];
    desk.params.only(&[&lists::PAGING[..], &filters].concat())?;
    let customer = desk.params.text("customer")?;
    let subscription = desk.params.text("subscription")?;
    let status = desk.params.choice("status", &["open", "complete", "expired"])?;
    let wire = desk.world.wire();
    lists::list(
        &desk.params,
        ("checkout session", "/v1/checkout/sessions"),
        &desk.world.state.checkout_sessions,
        |session| session.created,
        |_, session| {
            let own = match session.status {
                SessionStatus::Open => "open",
                SessionStatus::Complete => "complete",
                SessionStatus::Expired => "expired",
            };
            (customer.is_none() || session.customer == customer)
                && (subscription.is_none() || session.subscription == subscription)
                && status.as_ref().is_none_or(|status| status == own)
        },
        |id, session| wire.checkout_session(id, session),
    )
}

pub fn line_items(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&lists::PAGING)?;
    let id = desk.id();
    let session = existing(desk.world, &id)?;
    let wire = desk.world.wire();
    let items = session.line_items.iter().map(|item| wire.line_item(item));
    let url = format!("/v1/checkout/sessions/{id}/line_items");
    Ok(wire::whole_list(items.collect(), &url))
}

pub fn expire(desk: &mut Desk<'_>) -> Answer {
    let id = desk.id();
    if existing(desk.world, &id)?.status != SessionStatus::Open {
        let message = "Only Checkout Sessions with a status in [\"open\"] can be expired.";
        return Err(ApiError::invalid(message));
    }
    let now = desk.world.now();
    desk.world.expire_session(&id, now);
    show(desk.world, &id)
}

fn existing<'a>(world: &'a World, id: &str) -> Result<&'a CheckoutSession, ApiError> {
    let found = world.state.checkout_sessions.get(id);
    found.ok_or_else(|| ApiError::no_such("checkout.session", id, "id"))
}

fn show(world: &World, id: &str) -> Answer {
    Ok(world.wire().checkout_session(id, existing(world, id)?))
}

fn read(desk: &Desk<'_>) -> Result<CheckoutSession, ApiError> {
    let (params, state, now) = (&desk.params, &desk.world.state, desk.world.now());
    if params.need("mode")? != "subscription" {
        return Err(params.wrong("mode", "This emulator knows only `mode=subscription`."));
    }
    let customer = params.text("customer")?;
    if let Some(customer) = &customer {
        customers::existing(state, customer, "customer")?;
        if params.has("customer_email") {
            let message = "You may only specify one of these parameters: customer, customer_email.";
            return Err(ApiError::invalid(message));
        }
    }
    let success_url = address(params, "success_url")?.ok_or_else(|| ApiError::missing("success_url"))?;
    let expires_at = params.time("expires_at")?.unwrap_or(now + LATEST);
    if !(now + SOONEST..=now + LATEST).contains(&expires_at) {
        let message = "The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from Checkout \
                       Session creation.";
        return Err(params.wrong("expires_at", message));
    }
    let reference = params.text("client_reference_id")?;
    if reference
        .as_ref()
        .is_some_and(|text| text.chars().count() > LONGEST_REFERENCE)
    {
        return Err(params.wrong("client_reference_id", "Must be at most 200 characters."));
    }
    let data = params.inner("subscription_data")?;
    data.only(&[
        "metadata",
        "trial_period_days",
        "description",
        "billing_mode",
        "proration_behavior",
    ])?;
    let trial = data.integer("trial_period_days")?;
    let trial_period_days = trial.map(u16::try_from).transpose();
    let mut session = CheckoutSession {
        customer,
        customer_email: params.text("customer_email")?,
        line_items: items(desk)?,
        success_url,
        cancel_url: address(params, "cancel_url")?,
        client_reference_id: reference,
        trial_period_days: trial_period_days
            .map_err(|_| data.wrong("trial_period_days", "Invalid trial_period_days"))?,
        classic: desk.is_classic(&data)?,
        created: now,
        expires_at,
        ..CheckoutSession::default()
    };
    params.metadata("metadata", &mut session.metadata)?;
    data.metadata("metadata", &mut session.subscription_metadata)?;
    Ok(session)
}

fn items(desk: &Desk<'_>) -> Result<Vec<Item>, ApiError> {
    let mut items = Vec::new();
    for wanted in desk.params.list("line_items")? {
        wanted.only(&["price", "quantity", "adjustable_quantity"])?;
        let price = wanted.need("price")?;
        match desk.world.state.prices.get(&price) {
            None => return Err(ApiError::no_such("price", &price, &wanted.full("price"))),
            Some(known) if !known.active => {
                let message = format!("The price specified is inactive: {price}");
                return Err(ApiError::param("price_inactive", &wanted.full("price"), message));
            }
            Some(_) => {}
        }
        let quantity = wanted.integer("quantity")?.unwrap_or(1);
        let quantity = u32::try_from(quantity)
            .ok()
            .filter(|quantity| (1..=10_000).contains(quantity));
        items.push(Item {
            id: format!("li_{}", desk.world.ids.text::<24>()),
            price,
            quantity: quantity.ok_or_else(|| wanted.wrong("quantity", "Invalid quantity"))?,
            ..Item::default()
        });
    }
    if items.is_empty() || items.len() > MOST_ITEMS {
        return Err(ApiError::missing("line_items"));
    }
    desk.world.recurring_of(&items)?;
    Ok(items)
}

fn address(params: &Params, name: &str) -> Result<Option<String>, ApiError> {
    match params.text(name)? {
        Some(address) if !is_address(&address) => {
            let message = "Not a valid URL";
            Err(ApiError::param("url_invalid", &params.full(name), message))
        }
        found => Ok(found),
    }
}
