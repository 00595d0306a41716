//! Out to Discord and Steam, and back.

use app::AppError;
use app::linking::{self, DiscordAnswer};
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::flow::{FlowPurpose, Provider};
use http::header::SET_COOKIE;

use super::link::{notice, see_other};
use super::visitor::{Visitor, set_flow};
use crate::error::Failure;
use crate::extract::Asks;
use crate::routes::Routes;
use crate::state::WebState;

/// The way out to a provider, and the way back from it.
pub fn add(routes: Routes, provider: Provider, purpose: FlowPurpose) -> Routes {
    let out = move |state, query, visitor| start(state, query, visitor, provider, purpose);
    let back = move |state, query, visitor| finish(state, query, visitor, provider, purpose);
    routes
        .departure(linking::entrance(provider, purpose), out)
        .arrival(linking::callback(provider, purpose), back)
}

/// What a step of a sign-in reads from its address; other paths read nothing.
pub fn trip_asks(path: &str) -> &'static [Asks] {
    const DISCORD: [Asks; 3] = [Asks::Text("state"), Asks::Text("code"), Asks::Text("error")];
    const STEAM: [Asks; 11] = [
        Asks::Text("state"),
        Asks::Text("openid.ns"),
        Asks::Text("openid.mode"),
        Asks::Text("openid.op_endpoint"),
        Asks::Text("openid.claimed_id"),
        Asks::Text("openid.identity"),
        Asks::Text("openid.return_to"),
        Asks::Text("openid.response_nonce"),
        Asks::Text("openid.assoc_handle"),
        Asks::Text("openid.signed"),
        Asks::Text("openid.sig"),
    ];
    match path {
        "/auth/discord/login" => &[Asks::Text("return_to")],
        "/auth/discord/claim" => &[Asks::Text("org")],
        _ if !path.starts_with("/auth/") => &[],
        _ if !path.ends_with("/callback") => &[Asks::Text("guild")],
        _ if path.starts_with("/auth/steam/") => &STEAM,
        _ => &DISCORD,
    }
}

async fn start(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
    provider: Provider,
    purpose: FlowPurpose,
) -> Result<Response, Failure> {
    let query = query.unwrap_or_default();
    let slug = value(&query, "guild").ok_or(AppError::NotFound)?;
    let flow = visitor.flow.as_ref();
    let started = linking::start(&state.app, &slug, purpose, provider, flow, visitor.address).await?;
    let mut response = see_other(&started.url);
    if let Some(token) = &started.new_flow {
        response
            .headers_mut()
            .append(SET_COOKIE, set_flow(&state.settings, token));
    }
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
    let (app, flow, address) = (&state.app, visitor.flow.as_ref(), visitor.address);
    let done = match provider {
        Provider::Discord => {
            let (given, code) = (value(&query, "state"), value(&query, "code"));
            let answer = DiscordAnswer {
                state: given.as_deref().unwrap_or_default(),
                code: code.as_deref(),
            };
            linking::discord_callback(app, purpose, flow, answer, address).await
        }
        Provider::Steam => linking::steam_callback(app, purpose, flow, &query, address).await,
    };
    back(&state, &visitor, purpose, done).await
}

/// Back to the page. What a person can simply try again is said there; the rest is a page of its own.
async fn back(
    state: &WebState,
    visitor: &Visitor,
    purpose: FlowPurpose,
    done: Result<String, AppError>,
) -> Result<Response, Failure> {
    let word = match &done {
        Ok(_) => None,
        Err(AppError::SignInCancelled) => Some(notice::CANCELLED),
        Err(AppError::ProviderSilent {
            provider: Provider::Discord,
            ..
        }) => Some(notice::DISCORD),
        Err(AppError::ProviderSilent {
            provider: Provider::Steam,
            ..
        }) => Some(notice::STEAM),
        Err(_) => None,
    };
    let slug = match (done, word) {
        (Ok(slug), _) => slug,
        (Err(error), Some(_)) => {
            let flow = visitor.flow.as_ref();
            let known = linking::slug_of(&state.app, purpose, flow).await?;
            known.ok_or(error)?
        }
        (Err(error), None) => return Err(error.into()),
    };
    let page = format!("/{}/{slug}", purpose.as_str());
    Ok(match word {
        Some(word) => see_other(&format!("{page}?notice={word}")),
        None => see_other(&page),
    })
}

/// A parameter; when it is repeated, none.
pub(super) fn value(query: &str, wanted: &str) -> Option<String> {
    let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == wanted);
    let (_, value) = found.next()?;
    found.next().is_none().then(|| value.into_owned())
}
