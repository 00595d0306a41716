//! The customer portal: where somebody changes and ends what they pay for.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use http::StatusCode;

use super::{PLATFORM, go, invoice, money, tag};
use crate::common::forms::{Form, with_query};
use crate::common::page::{self, escape};
use crate::stripe::Inner;
use crate::stripe::portal::{Visit, Wish};
use crate::stripe::state::{Status, Subscription};
use crate::stripe::world::World;

pub const PATH: &str = "/p/session/{session}";
const SHOWN: usize = 24;

pub async fn show(
    State(inner): State<Arc<Inner>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    inner.visit(|world| match world.enter_portal(&id) {
        Some(visit) => draw(world, &visit, query.get("problem")),
        None => ended(),
    })
}

/// Does what the button says, and shows the portal again, or goes where the flow leads.
pub async fn act(State(inner): State<Arc<Inner>>, Path(id): Path<String>, body: Bytes) -> Response {
    let form = Form::parse(&body);
    inner.visit(|world| {
        let Some(visit) = world.enter_portal(&id) else {
            return ended();
        };
        let own = format!("/p/session/{id}");
        let wish = Wish::parse(
            form.get("do").unwrap_or_default(),
            form.get("price").unwrap_or_default(),
        );
        let done = match wish {
            Some(wish) => world.grant(&visit, form.get("subscription").unwrap_or_default(), wish),
            None => Err("That is no wish that can be granted."),
        };
        match done {
            Err(problem) => go(&with_query(&own, [("problem", problem)])),
            Ok(()) => go(visit.redirect.as_deref().unwrap_or(&own)),
        }
    })
}

fn ended() -> Response {
    let text = "This portal session has ended. Go back and open the portal again.";
    page::problem(PLATFORM, StatusCode::NOT_FOUND, text)
}

fn draw(world: &World, visit: &Visit, problem: Option<&str>) -> Response {
    let mut body = String::new();
    if let Some(problem) = problem {
        body.push_str(&format!("<p role=\"alert\">{}</p>", escape(problem)));
    }
    if let Some(url) = &visit.return_url {
        body.push_str(&format!(
            "<p><a href=\"{}\">Return to {}</a></p>",
            escape(url),
            escape(&world.state.account.name)
        ));
    }
    let subscriptions = world.state.subscriptions.iter().rev();
    let own = subscriptions.filter(|(_, own)| own.customer == visit.customer);
    let own: Vec<_> = own.filter(|(id, _)| visit.is_about(id)).collect();
    if own.is_empty() {
        body.push_str("<p>You have no subscriptions.</p>");
    }
    for (id, own) in own.into_iter().take(SHOWN) {
        body.push_str(&subscription(world, visit, id, own));
    }
    if visit.allows_card() {
        body.push_str(
            "<h2>Payment method</h2><form method=\"post\"><p>\
             <button name=\"do\" value=\"card\">Use a card that works</button> \
             <button name=\"do\" value=\"bad_card\">Use a card that is declined</button></p></form>",
        );
    }
    if visit.features.invoice_history && visit.flow.is_none() {
        body.push_str(&invoices(world, &visit.customer));
    }
    page::page(PLATFORM, "Your subscriptions", &body)
}

fn subscription(world: &World, visit: &Visit, id: &str, own: &Subscription) -> String {
    let wire = world.wire();
    let lines: Vec<String> = own
        .items
        .iter()
        .filter_map(|item| world.state.prices.get(&item.price))
        .map(|price| {
            format!(
                "{}, {}",
                escape(&wire.product_name(&price.product)),
                escape(&tag(price))
            )
        })
        .collect();
    let mut forms = String::new();
    if !own.status.is_over() {
        forms = buttons(world, visit, own);
    }
    format!(
        "<article><h2>{}</h2><p>{}</p><p><small>{id}</small></p><form method=\"post\">\
         <input type=\"hidden\" name=\"subscription\" value=\"{id}\">{forms}</form></article>",
        lines.join("; "),
        standing(own),
        id = escape(id),
    )
}

fn buttons(world: &World, visit: &Visit, own: &Subscription) -> String {
    let mut forms = String::new();
    if visit.allows("subscription_update") && own.items.len() == 1 {
        let choices: String = world
            .portal_prices(visit)
            .into_iter()
            .filter(|id| own.items.iter().all(|item| item.price != **id))
            .filter_map(|id| world.state.prices.get(id).map(|price| (id, price)))
            .map(|(id, price)| {
                let name = escape(&world.wire().product_name(&price.product));
                format!(
                    "<option value=\"{}\">{name}, {}</option>",
                    escape(id),
                    escape(&tag(price))
                )
            })
            .collect();
        if !choices.is_empty() {
            forms.push_str(&format!(
                "<p><label>Change to <select name=\"price\">{choices}</select></label> \
                 <button name=\"do\" value=\"switch\">Change</button></p>"
            ));
        }
    }
    if own.cancel_at.is_some() {
        forms.push_str("<p><button name=\"do\" value=\"resume\">Do not cancel</button></p>");
    } else if visit.allows("subscription_cancel") {
        let (wish, text) = if visit.features.cancel_immediately {
            ("cancel_now", "Cancel now")
        } else {
            ("cancel", "Cancel at the end of the period")
        };
        forms.push_str(&format!(
            "<p><button name=\"do\" value=\"{wish}\">{text}</button></p>"
        ));
    }
    forms
}

/// How a subscription stands, in a sentence.
fn standing(own: &Subscription) -> String {
    let end = invoice::date(own.current_period_end);
    match own.status {
        Status::Canceled | Status::IncompleteExpired => {
            format!("Ended on {}", invoice::date(own.ended_at.unwrap_or_default()))
        }
        _ if own.cancel_at.is_some() => {
            format!("Ends on {}", invoice::date(own.cancel_at.unwrap_or_default()))
        }
        Status::Trialing => format!("Free until {end}"),
        Status::Active => format!("Renews on {end}"),
        Status::PastDue => "The last payment failed. Use another card.".to_owned(),
        Status::Unpaid => "Not paid. Use another card.".to_owned(),
        Status::Incomplete => "The first payment failed. Use another card.".to_owned(),
        Status::Paused => "Paused".to_owned(),
    }
}

fn invoices(world: &World, customer: &str) -> String {
    let own = world.state.invoices.iter().rev();
    let own = own.filter(|(_, invoice)| invoice.customer == customer);
    let lines = own.take(SHOWN).map(|(id, own)| {
        format!(
            "<li><a href=\"/i/{}\">{}</a>, {}, {}</li>",
            escape(id),
            invoice::date(own.created),
            escape(&money(own.total(), &own.currency)),
            invoice::status(own.status),
        )
    });
    format!("<h2>Invoices</h2><ul>{}</ul>", lines.collect::<String>())
}
