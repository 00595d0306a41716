//! The HTML page of a failure: plain, without scripts, with the request id to quote.

use app::AppError;
use axum::body::Body;
use axum::response::Response;
use http::HeaderValue;
use http::header::CONTENT_TYPE;

use super::api::decorate;
use super::status_of;
use crate::public::page;

pub fn render_page(error: &AppError, request_id: &str) -> Response {
    let told = error.told();
    let title = status_of(&told).canonical_reason().unwrap_or("Error");
    let text = [&told.message, " Reference: ", request_id].concat();
    let mut response = Response::new(Body::from(page(title, &text)));
    *response.status_mut() = status_of(&told);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    decorate(&told, response.headers_mut());
    response
}
