//! What all methods of the Web API share: the key, and pages where one would expect JSON.

use axum::response::{Html, IntoResponse, Response};
use http::StatusCode;

use super::SteamState;
use crate::common::forms::Form;
use crate::common::page::escape;

/// Steam's refusal when the key is missing or wrong.
pub fn refused_key(state: &SteamState, query: &Form) -> Option<Response> {
    match query.only("key") {
        None => Some(bad_request("Required parameter 'key' is missing")),
        Some(key) if state.accepts_key(key) => None,
        Some(_) => {
            let text = "Access is denied. Retrying will not help. Please verify your key= parameter.";
            Some((StatusCode::FORBIDDEN, plain_page("Forbidden", text)).into_response())
        }
    }
}

pub fn bad_request(text: &str) -> Response {
    (StatusCode::BAD_REQUEST, plain_page("Bad Request", text)).into_response()
}

pub fn plain_page(title: &str, text: &str) -> Html<String> {
    let (title, text) = (escape(title), escape(text));
    Html(format!(
        "<html><head><title>{title}</title></head><body><h1>{title}</h1>{text}</body></html>"
    ))
}
