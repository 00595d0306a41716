//! The page where somebody sees what they buy, and pays or does not.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;

use super::{PLATFORM, go, tag};
use crate::common::forms::Form;
use crate::common::page::{self, escape};
use crate::common::person::{CANCEL, FIELD};
use crate::stripe::Inner;
use crate::stripe::checkout::Unpaid;
use crate::stripe::state::{CheckoutSession, SessionStatus};
use crate::stripe::world::World;

pub const PATH: &str = "/c/pay/{session}";
const PAY: &str = "pay";
const DECLINE: &str = "decline";

/// With `as=pay`, `as=cancel` or `as=decline` in the address, the answer of a person who pressed that button.
pub async fn show(
    State(inner): State<Arc<Inner>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    inner.visit(|world| press(world, &id, query.get(FIELD)))
}

pub async fn act(State(inner): State<Arc<Inner>>, Path(id): Path<String>, body: Bytes) -> Response {
    let form = Form::parse(&body);
    inner.visit(|world| press(world, &id, form.get(FIELD)))
}

fn press(world: &mut World, id: &str, button: Option<&str>) -> Response {
    let Some(session) = world.state.checkout_sessions.get(id).cloned() else {
        let text = "There is no such checkout session.";
        return page::problem(PLATFORM, StatusCode::NOT_FOUND, text);
    };
    if session.status == SessionStatus::Expired {
        return over(
            "This checkout session has expired. Go back and start again.",
            &session,
        );
    }
    match button {
        Some(PAY) => match world.pay(id) {
            Ok(location) => go(&location),
            Err(Unpaid::Declined) => declined(world, &session),
            Err(Unpaid::Unknown | Unpaid::Expired) => over("This checkout session is over.", &session),
        },
        _ if session.status == SessionStatus::Complete => over("You have paid already.", &session),
        Some(CANCEL) => match &session.cancel_url {
            Some(location) => go(location),
            None => over("You left without paying.", &session),
        },
        Some(DECLINE) => declined(world, &session),
        Some(_) | None => offer(world, &session, ""),
    }
}

fn declined(world: &World, session: &CheckoutSession) -> Response {
    let alert = "<p role=\"alert\">Your card was declined. Try another one.</p>";
    (StatusCode::PAYMENT_REQUIRED, offer(world, session, alert)).into_response()
}

/// What is sold and the buttons. `alert` is markup.
fn offer(world: &World, session: &CheckoutSession, alert: &str) -> Response {
    let wire = world.wire();
    let lines: String = session
        .line_items
        .iter()
        .filter_map(|item| {
            let price = world.state.prices.get(&item.price)?;
            let (name, tag) = (escape(&wire.product_name(&price.product)), escape(&tag(price)));
            let times = match item.quantity {
                1 => String::new(),
                count => format!("{count} × "),
            };
            Some(format!("<li>{times}<b>{name}</b>, {tag}</li>"))
        })
        .collect();
    let trial = match session.trial_period_days {
        Some(days) if days > 0 => format!("<p>The first {days} days are free.</p>"),
        Some(_) | None => String::new(),
    };
    let customer = session
        .customer
        .as_ref()
        .and_then(|id| world.state.customers.get(id));
    let email = customer
        .and_then(|customer| customer.email.as_ref())
        .or(session.customer_email.as_ref());
    let payer = email.map(|email| format!("<p>For {}</p>", escape(email)));
    let body = format!(
        "{alert}<ul>{lines}</ul>{trial}{payer}<form method=\"post\">\
         <p><button name=\"{FIELD}\" value=\"{PAY}\">Pay</button> \
         <button name=\"{FIELD}\" value=\"{CANCEL}\">Cancel</button></p>\
         <p><button name=\"{FIELD}\" value=\"{DECLINE}\">Pay with a card that is declined</button></p></form>",
        payer = payer.unwrap_or_default(),
    );
    page::page(
        PLATFORM,
        &format!("Subscribe at {}", world.state.account.name),
        &body,
    )
}

fn over(text: &str, session: &CheckoutSession) -> Response {
    let back = session
        .cancel_url
        .as_ref()
        .map(|url| format!("<p><a href=\"{}\">Back</a></p>", escape(url)));
    let body = format!("<p>{}</p>{}", escape(text), back.unwrap_or_default());
    page::page(PLATFORM, "This checkout is over", &body)
}
