//! Sending a browser on, and reading what it brings back.

use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderValue, StatusCode};

/// Sends the browser on with a GET, so that a reload repeats nothing.
pub fn see_other(place: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(place) = HeaderValue::from_str(place) {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}

/// A parameter; when it is repeated, none.
pub fn value(query: &str, wanted: &str) -> Option<String> {
    let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == wanted);
    let (_, value) = found.next()?;
    found.next().is_none().then(|| value.into_owned())
}
