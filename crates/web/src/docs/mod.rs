//! Reference pages for people: made from the table of actions and from the documents of the project. No scripts.

mod pages;
mod text;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::action::Action;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use crate::extract::Segments;
use crate::routes::Answer;
use crate::state::WebState;

/// Unlike other pages these take their style from a file, which browsers keep.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

pub async fn home(headers: HeaderMap) -> Answer<Response> {
    Ok(page(&headers, pages::home()?))
}

pub async fn api(State(state): State<WebState>, headers: HeaderMap) -> Answer<Response> {
    Ok(page(&headers, pages::api(&state.settings.public_url)?))
}

pub async fn action(
    State(state): State<WebState>,
    Segments(action): Segments<Action>,
    headers: HeaderMap,
) -> Answer<Response> {
    Ok(page(&headers, pages::action(action, &state.settings.public_url)?))
}

pub async fn errors(headers: HeaderMap) -> Answer<Response> {
    Ok(page(&headers, pages::text(&text::ERRORS)?))
}

pub async fn migrating(headers: HeaderMap) -> Answer<Response> {
    Ok(page(&headers, pages::text(&text::MIGRATING)?))
}

fn page(headers: &HeaderMap, html: String) -> Response {
    let mut response = unchanged_or(headers, "text/html; charset=utf-8", html);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

/// The content with a tag of its own, or 304 for a caller that has it already.
pub(crate) fn unchanged_or(asked: &HeaderMap, kind: &'static str, content: String) -> Response {
    let digest = URL_SAFE_NO_PAD.encode(&Sha256::digest(content.as_bytes())[..12]);
    // Weak, because the content may be packed on its way.
    let tag = ["W/\"", &digest, "\""].concat();
    let known = asked
        .get(IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|known| {
            known
                .split(',')
                .any(|one| one.trim().trim_start_matches("W/") == tag.trim_start_matches("W/"))
        });
    let mut response = if known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let mut response = Response::new(Body::from(content));
        let kind = HeaderValue::from_static(kind);
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    };
    let headers = response.headers_mut();
    // Kept, but asked about each time: a new version shows at once.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    response
}
