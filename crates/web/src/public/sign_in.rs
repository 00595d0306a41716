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
use crate::state::WebState;

pub async fn discord_link(
    state: State<WebState>,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    start(state, query, visitor, Provider::Discord, FlowPurpose::Link).await
}

pub async fn discord_unlink(
    state: State<WebState>,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    start(state, query, visitor, Provider::Discord, FlowPurpose::Unlink).await
}

pub async fn steam_link(
    state: State<WebState>,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    start(state, query, visitor, Provider::Steam, FlowPurpose::Link).await
}

pub async fn steam_unlink(
    state: State<WebState>,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    start(state, query, visitor, Provider::Steam, FlowPurpose::Unlink).await
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

pub async fn discord_link_callback(
    state: State<WebState>,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    discord_callback(state, query, visitor, FlowPurpose::Link).await
}

pub async fn discord_unlink_callback(
    state: State<WebState>,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    discord_callback(state, query, visitor, FlowPurpose::Unlink).await
}

async fn discord_callback(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
    purpose: FlowPurpose,
) -> Result<Response, Failure> {
    let query = query.unwrap_or_default();
    let (given, code) = (value(&query, "state"), value(&query, "code"));
    let answer = DiscordAnswer {
        state: given.as_deref().unwrap_or_default(),
        code: code.as_deref(),
    };
    let flow = visitor.flow.as_ref();
    let done = linking::discord_callback(&state.app, purpose, flow, answer, visitor.address).await;
    back(&state, &visitor, purpose, done).await
}

pub async fn steam_link_callback(
    state: State<WebState>,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    steam_callback(state, query, visitor, FlowPurpose::Link).await
}

pub async fn steam_unlink_callback(
    state: State<WebState>,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    steam_callback(state, query, visitor, FlowPurpose::Unlink).await
}

async fn steam_callback(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
    purpose: FlowPurpose,
) -> Result<Response, Failure> {
    let query = query.unwrap_or_default();
    let flow = visitor.flow.as_ref();
    let done = linking::steam_callback(&state.app, purpose, flow, &query, visitor.address).await;
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
        }) => Some(notice::DISCORD),
        Err(AppError::ProviderSilent {
            provider: Provider::Steam,
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
fn value(query: &str, wanted: &str) -> Option<String> {
    let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == wanted);
    let (_, value) = found.next()?;
    found.next().is_none().then(|| value.into_owned())
}
