//! Cards, of which Stripe's own test names tell how they behave.

use serde_json::json;

use super::customers;
use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::state::{Card, Customer};

/// Gives a customer a card. `pm_card_chargeCustomerFail` can be had and is declined when it is charged.
pub fn put(method: &str, customer: &mut Customer) {
    customer.card = if method.contains("chargeCustomerFail") {
        Card::Declined
    } else {
        Card::Good
    };
    customer.default_payment_method = Some(method.to_owned());
}

pub fn attach(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&["customer"])?;
    let (method, customer) = (desk.id(), desk.params.need("customer")?);
    let (mut own, at) = (
        customers::existing(&desk.world.state, &customer, "customer")?.clone(),
        desk.world.now_of(&customer),
    );
    if method.contains("chargeDeclined") {
        return Err(ApiError::card_declined());
    }
    let id = if method.starts_with("pm_card_") {
        desk.world.ids.make("pm")
    } else {
        method.clone()
    };
    put(&method, &mut own);
    own.default_payment_method = None;
    desk.world.change_customer(&customer, at, |kept| *kept = own);
    Ok(json!({
        "id": id,
        "object": "payment_method",
        "billing_details": {"address": null, "email": null, "name": null, "phone": null},
        "card": {"brand": "visa", "country": "US", "exp_month": 12, "exp_year": 2040, "funding": "credit", "last4": "4242"},
        "created": at,
        "customer": customer,
        "livemode": desk.world.state.account.livemode,
        "metadata": {},
        "type": "card",
    }))
}
