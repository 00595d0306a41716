//! Out to Discord and Steam, and back.

use app::AppError;
use app::error::{IdentityError, RequestError};
use app::linking;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::flow::{FlowPurpose, Provider};
use http::header::SET_COOKIE;

use crate::error::Failure;
use crate::layers::Surface::PrivatePage;
use crate::linking::page::notice;
use crate::public::visitor::{Visitor, set_flow};
use crate::public::{see_other, value};
use crate::routes::Routes;
use crate::state::WebState;

/// The way out to a provider, and the way back from it.
pub fn add(routes: Routes, provider: Provider, purpose: FlowPurpose) -> Routes {
    let out = move |state, query, visitor| start(state, query, visitor, provider, purpose);
    let back = move |state, query, visitor| finish(state, query, visitor, provider, purpose);
    routes
        .departure(PrivatePage, linking::entrance(provider, purpose), out)
        .arrival(PrivatePage, linking::callback(provider, purpose), back)
}

async fn start(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
    provider: Provider,
    purpose: FlowPurpose,
) -> Result<Response, Failure> {
    let query = query.unwrap_or_default();
    let slug = value(&query, "guild").ok_or(RequestError::NotFound)?;
    let (browser, address) = (visitor.flow, visitor.address);
    let started = linking::start(&state.app, &slug, purpose, provider, browser, address).await?;
    let mut response = see_other(&started.url);
    // Sent with every start, so that the browser keeps it as long as the flow lives.
    let kept = set_flow(&state.settings, &started.browser);
    response.headers_mut().append(SET_COOKIE, kept);
    Ok(response)
}

async fn finish(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
    provider: Provider,
    purpose: FlowPurpose,
) -> Result<Response, Failure> {
    let query = query.unwrap_or_default();
    let (app, address) = (&state.app, visitor.address);
    // Discord brings our secret back as the state, Steam in the address that we gave it.
    let secret = match provider {
        Provider::Discord => value(&query, "state"),
        Provider::Steam => value(&query, "flow"),
    };
    let secret = secret.unwrap_or_default();
    let trip = linking::arrive(app, provider, purpose, visitor.flow.as_ref(), &secret).await?;
    let page = format!("/{}/{}", purpose.as_str(), trip.slug());
    let done = match provider {
        Provider::Discord => {
            let code = value(&query, "code");
            linking::discord_callback(app, trip, code.as_deref(), address).await
        }
        Provider::Steam => linking::steam_callback(app, trip, &query, address).await,
    };
    back(&page, done)
}

/// Back to the page. What a person can simply try again is said there; the rest is a page of its own.
fn back(page: &str, done: Result<(), AppError>) -> Result<Response, Failure> {
    let word = match done {
        Ok(()) => return Ok(see_other(page)),
        Err(AppError::Identity(IdentityError::SignInCancelled)) => notice::CANCELLED,
        Err(AppError::Identity(IdentityError::ProviderSilent {
            provider: Provider::Discord,
            ..
        })) => notice::DISCORD,
        Err(AppError::Identity(IdentityError::ProviderSilent {
            provider: Provider::Steam,
            ..
        })) => notice::STEAM,
        Err(error) => return Err(error.into()),
    };
    Ok(see_other(&format!("{page}?notice={word}")))
}
