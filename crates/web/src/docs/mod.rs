//! Reference pages for people: made from the table of actions and from the documents of the project. No scripts.

mod pages;
mod text;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use app::AppError;
use axum::extract::State;
use axum::response::Response;
use domain::action::Action;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderMap, HeaderValue};

use crate::constant::Constant;
use crate::extract::Segments;
use crate::routes::Answer;
use crate::state::WebState;

/// Unlike other pages these take their style from a file, which browsers keep.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

pub async fn home(State(state): State<WebState>, headers: HeaderMap) -> Answer<Response> {
    page(&state, &headers, "home", pages::home)
}

pub async fn api(State(state): State<WebState>, headers: HeaderMap) -> Answer<Response> {
    page(&state, &headers, "api", || pages::api(&state.settings.public_url))
}

pub async fn action(
    State(state): State<WebState>,
    Segments(action): Segments<Action>,
    headers: HeaderMap,
) -> Answer<Response> {
    let draw = || pages::action(action, &state.settings.public_url);
    page(&state, &headers, &["api/", action.name()].concat(), draw)
}

pub async fn errors(State(state): State<WebState>, headers: HeaderMap) -> Answer<Response> {
    page(&state, &headers, "errors", || pages::text(&text::ERRORS))
}

pub async fn migrating(State(state): State<WebState>, headers: HeaderMap) -> Answer<Response> {
    page(&state, &headers, "migrating", || pages::text(&text::MIGRATING))
}

pub async fn releases(State(state): State<WebState>, headers: HeaderMap) -> Answer<Response> {
    page(&state, &headers, "releases", || pages::text(&text::RELEASES))
}

/// Drawn when it is first asked for. A page names the address it is served at.
fn page(
    state: &WebState,
    headers: &HeaderMap,
    name: &str,
    draw: impl FnOnce() -> Result<String, AppError>,
) -> Answer<Response> {
    static DRAWN: Mutex<BTreeMap<String, Arc<Constant>>> = Mutex::new(BTreeMap::new());
    let place = [&state.settings.public_url, "/docs/", name].concat();
    let known = || DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known().get(&place).cloned();
    let page = match found {
        Some(page) => page,
        None => {
            let page = Arc::new(Constant::new("text/html; charset=utf-8", draw()?));
            known().insert(place, Arc::clone(&page));
            page
        }
    };
    let mut response = page.unless_known(headers);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    Ok(response)
}
