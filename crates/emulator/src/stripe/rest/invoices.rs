//! What customers were asked to pay.

use serde_json::json;

use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;

pub fn get(desk: &mut Desk<'_>) -> Answer {
    let id = desk.id();
    let found = desk.world.state.invoices.get(&id);
    let found = found.ok_or_else(|| ApiError::no_such("invoice", &id, "id"))?;
    Ok(desk.world.wire().invoice(&id, found))
}

pub fn list(desk: &mut Desk<'_>) -> Answer {
    let filters = [
        "customer",
        "subscription",
        "status",
        "created",
        "collection_method",
    ];
    desk.params.only(&[&lists::PAGING[..], &filters].concat())?;
    let params = &desk.params;
    let (customer, subscription) = (params.text("customer")?, params.text("subscription")?);
    let status = params.choice("status", &["draft", "open", "paid", "uncollectible", "void"])?;
    let wire = desk.world.wire();
    lists::list(
        params,
        ("invoice", "/v1/invoices"),
        &desk.world.state.invoices,
        |invoice| invoice.created,
        |_, invoice| {
            let is_so = |word: &String| json!(invoice.status) == word.as_str();
            customer
                .as_ref()
                .is_none_or(|customer| invoice.customer == *customer)
                && subscription
                    .as_ref()
                    .is_none_or(|own| invoice.subscription == *own)
                && status.as_ref().is_none_or(is_so)
        },
        |id, invoice| wire.invoice(id, invoice),
    )
}
