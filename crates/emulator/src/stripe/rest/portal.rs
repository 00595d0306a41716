//! Sessions of the customer portal.

use super::{configurations, customers};
use crate::stripe::checkout::is_address;
use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::params::Params;
use crate::stripe::state::{Flow, PortalSession};

const FLOWS: [&str; 3] = [
    "subscription_update",
    "subscription_cancel",
    "payment_method_update",
];

pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&[
        "customer",
        "return_url",
        "configuration",
        "flow_data",
        "locale",
        "on_behalf_of",
    ])?;
    let customer = desk.params.need("customer")?;
    customers::existing(&desk.world.state, &customer, "customer")?;
    let flow = flow(desk, &customer)?;
    let configuration = match desk.params.text("configuration")? {
        Some(id) => id,
        None => desk.world.usual_configuration(),
    };
    let known = desk.world.state.portal_configurations.get(&configuration);
    let known = known.ok_or_else(|| configurations::missing(&configuration, "configuration"))?;
    if known.inactive {
        return Err(desk
            .params
            .wrong("configuration", "This configuration is not active."));
    }
    let return_url = desk.params.text("return_url")?;
    let return_url = return_url.or_else(|| known.default_return_url.clone());
    if return_url.as_deref().is_some_and(|url| !is_address(url)) {
        return Err(ApiError::param("url_invalid", "return_url", "Not a valid URL"));
    }
    let session = PortalSession {
        customer,
        configuration,
        return_url,
        flow,
        created: desk.world.now(),
        used: None,
    };
    let id = desk.world.ids.make("bps");
    let answer = desk.world.wire().portal_session(&id, &session);
    desk.world.state.portal_sessions.insert(id, session);
    desk.world.trim();
    Ok(answer)
}

fn flow(desk: &Desk<'_>, customer: &str) -> Result<Option<Flow>, ApiError> {
    let data = desk.params.inner("flow_data")?;
    if data.tree().is_empty() {
        return Ok(None);
    }
    let known = [
        "type",
        "after_completion",
        "subscription_update",
        "subscription_cancel",
    ];
    data.only(&known)?;
    let kind = data
        .choice("type", &FLOWS)?
        .ok_or_else(|| ApiError::missing(&data.full("type")))?;
    let subscription = if kind == "payment_method_update" {
        None
    } else {
        Some(own_subscription(desk, &data.inner(&kind)?, customer)?)
    };
    let after = data.inner("after_completion")?;
    let redirect = after.inner("redirect")?.text("return_url")?;
    if redirect.as_deref().is_some_and(|url| !is_address(url)) {
        let param = "flow_data[after_completion][redirect][return_url]";
        return Err(ApiError::param("url_invalid", param, "Not a valid URL"));
    }
    Ok(Some(Flow {
        kind,
        subscription,
        redirect,
    }))
}

fn own_subscription(desk: &Desk<'_>, part: &Params, customer: &str) -> Result<String, ApiError> {
    let id = part.need("subscription")?;
    let own = desk.world.state.subscriptions.get(&id);
    match own.filter(|own| own.customer == customer) {
        Some(_) => Ok(id),
        None => Err(ApiError::no_such("subscription", &id, &part.full("subscription"))),
    }
}
