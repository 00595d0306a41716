//! The interface under `/v1`.

mod checkout;
mod clocks;
mod configurations;
mod customers;
mod endpoints;
mod events;
mod invoices;
mod payment_methods;
mod portal;
mod prices;
mod products;
mod subscriptions;

use std::sync::Arc;

pub use prices::DEAREST;

use super::Inner;
use super::desk::{self, Desk, Task};
use super::error::Answer;
use crate::common::routes::Routes;

const TABLE: &[(&str, &str, Task)] = &[
    ("GET", "/v1/account", account),
    ("GET", "/v1/customers", customers::list),
    ("POST", "/v1/customers", customers::create),
    ("GET", "/v1/customers/{customer}", customers::get),
    ("POST", "/v1/customers/{customer}", customers::update),
    ("DELETE", "/v1/customers/{customer}", customers::delete),
    (
        "POST",
        "/v1/payment_methods/{method}/attach",
        payment_methods::attach,
    ),
    ("GET", "/v1/products", products::list),
    ("POST", "/v1/products", products::create),
    ("GET", "/v1/products/{product}", products::get),
    ("POST", "/v1/products/{product}", products::update),
    ("GET", "/v1/prices", prices::list),
    ("POST", "/v1/prices", prices::create),
    ("GET", "/v1/prices/{price}", prices::get),
    ("POST", "/v1/prices/{price}", prices::update),
    ("GET", "/v1/checkout/sessions", checkout::list),
    ("POST", "/v1/checkout/sessions", checkout::create),
    ("GET", "/v1/checkout/sessions/{session}", checkout::get),
    (
        "GET",
        "/v1/checkout/sessions/{session}/line_items",
        checkout::line_items,
    ),
    ("POST", "/v1/checkout/sessions/{session}/expire", checkout::expire),
    ("GET", "/v1/billing_portal/configurations", configurations::list),
    (
        "POST",
        "/v1/billing_portal/configurations",
        configurations::create,
    ),
    (
        "GET",
        "/v1/billing_portal/configurations/{configuration}",
        configurations::get,
    ),
    (
        "POST",
        "/v1/billing_portal/configurations/{configuration}",
        configurations::update,
    ),
    ("POST", "/v1/billing_portal/sessions", portal::create),
    ("GET", "/v1/subscriptions", subscriptions::list),
    ("POST", "/v1/subscriptions", subscriptions::create),
    ("GET", "/v1/subscriptions/{subscription}", subscriptions::get),
    ("POST", "/v1/subscriptions/{subscription}", subscriptions::update),
    (
        "DELETE",
        "/v1/subscriptions/{subscription}",
        subscriptions::cancel,
    ),
    (
        "POST",
        "/v1/subscriptions/{subscription}/resume",
        subscriptions::resume,
    ),
    ("GET", "/v1/invoices", invoices::list),
    ("GET", "/v1/invoices/{invoice}", invoices::get),
    ("GET", "/v1/events", events::list),
    ("GET", "/v1/events/{event}", events::get),
    ("GET", "/v1/webhook_endpoints", endpoints::list),
    ("POST", "/v1/webhook_endpoints", endpoints::create),
    ("GET", "/v1/webhook_endpoints/{endpoint}", endpoints::get),
    ("POST", "/v1/webhook_endpoints/{endpoint}", endpoints::update),
    ("DELETE", "/v1/webhook_endpoints/{endpoint}", endpoints::delete),
    ("GET", "/v1/test_helpers/test_clocks", clocks::list),
    ("POST", "/v1/test_helpers/test_clocks", clocks::create),
    ("GET", "/v1/test_helpers/test_clocks/{clock}", clocks::get),
    ("DELETE", "/v1/test_helpers/test_clocks/{clock}", clocks::delete),
    (
        "POST",
        "/v1/test_helpers/test_clocks/{clock}/advance",
        clocks::advance,
    ),
];

pub fn routes() -> Routes<Arc<Inner>> {
    TABLE.iter().copied().fold(Routes::new(), desk::route)
}

fn account(desk: &mut Desk<'_>) -> Answer {
    Ok(desk.world.wire().account())
}
