//! Out to Discord and Steam to show which accounts are one's own, and back.

use app::AppError;
use app::error::IdentityError;
use app::privacy::visit::{self, Visit};
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::flow::{FlowToken, Provider};
use http::HeaderMap;
use http::header::SET_COOKIE;

use super::PATH;
use super::texts::notice;
use crate::error::Failure;
use crate::extract::cookie;
use crate::layers::Surface::PrivatePage;
use crate::public::visitor::{Visitor, set_flow};
use crate::public::{see_other, value};
use crate::routes::Routes;
use crate::state::WebState;

/// The way out to a provider, and the way back from it.
pub(super) fn add(routes: Routes, provider: Provider) -> Routes {
    let out = move |state, headers, visitor| start(state, headers, visitor, provider);
    let back = move |state, headers, query, visitor| finish(state, headers, query, visitor, provider);
    routes
        .departure(PrivatePage, visit::entrance(provider), out)
        .arrival(PrivatePage, visit::callback(provider), back)
}

/// The visit of a browser.
pub(super) fn visit_of(state: &WebState, headers: &HeaderMap, browser: &FlowToken) -> Visit {
    let kept = cookie(headers, state.settings.visit_cookie());
    Visit::open(&state.app, browser, kept)
}

fn keep(
    state: &WebState,
    response: &mut Response,
    browser: &FlowToken,
    visit: &Visit,
) -> Result<(), AppError> {
    let seconds = i64::try_from(visit::LIFETIME.as_secs()).unwrap_or(0);
    let sealed = visit.seal(&state.app, browser)?;
    let name = state.settings.visit_cookie();
    let kept = state.settings.cookie(name, &sealed, seconds);
    response.headers_mut().append(SET_COOKIE, kept);
    Ok(())
}

async fn start(
    State(state): State<WebState>,
    headers: HeaderMap,
    visitor: Visitor,
    provider: Provider,
) -> Result<Response, Failure> {
    let browser = visitor.flow.unwrap_or_else(|| state.app.new_browser());
    let mut visit = visit_of(&state, &headers, &browser);
    let url = visit.start(&state.app, provider, visitor.address).await?;
    let mut response = see_other(&url);
    let flow = set_flow(&state.settings, &browser);
    response.headers_mut().append(SET_COOKIE, flow);
    keep(&state, &mut response, &browser, &visit)?;
    Ok(response)
}

async fn finish(
    State(state): State<WebState>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    visitor: Visitor,
    provider: Provider,
) -> Result<Response, Failure> {
    let query = query.unwrap_or_default();
    let (app, address) = (&state.app, visitor.address);
    let browser = visitor.flow.ok_or(IdentityError::SignInExpired)?;
    let mut visit = visit_of(&state, &headers, &browser);
    let done = match provider {
        Provider::Discord => {
            let (secret, code) = (value(&query, "state"), value(&query, "code"));
            let secret = secret.unwrap_or_default();
            visit.finish_discord(app, &secret, code.as_deref(), address).await
        }
        Provider::Steam => {
            let secret = value(&query, "flow").unwrap_or_default();
            visit.finish_steam(app, &secret, &query, address).await
        }
    };
    let word = match done {
        Ok(()) => None,
        Err(AppError::Identity(IdentityError::SignInCancelled)) => Some(notice::CANCELLED),
        Err(AppError::Identity(IdentityError::BlockedPerson)) => Some(notice::BLOCKED),
        Err(AppError::Identity(IdentityError::ProviderSilent { provider, .. })) => Some(match provider {
            Provider::Discord => notice::DISCORD,
            Provider::Steam => notice::STEAM,
        }),
        Err(error) => return Err(error.into()),
    };
    let mut response = back(word);
    keep(&state, &mut response, &browser, &visit)?;
    Ok(response)
}

/// Back to the page, which says what happened.
pub(super) fn back(word: Option<&str>) -> Response {
    match word {
        Some(word) => see_other(&format!("{PATH}?notice={word}")),
        None => see_other(PATH),
    }
}
