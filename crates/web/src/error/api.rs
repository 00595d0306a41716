//! The JSON object of a failure.

use app::AppError;
use app::error::Told;
use axum::body::Body;
use axum::response::Response;
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::status_of;

#[derive(Serialize, ToSchema)]
#[schema(as = Failure)]
pub(crate) struct ErrorObject<'a> {
    status: u16,
    code: &'static str,
    /// The same word under the name that older clients read.
    error: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimension: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invite_url: Option<&'a str>,
    request_id: &'a str,
}

/// What the rendering depends on besides the error.
pub struct ApiContext<'a> {
    pub request_id: &'a str,
    /// Old bots take any answer to an id look-up that lacks these words for "linked".
    pub say_no_users: bool,
}

/// The object as text.
pub(crate) fn api_text(error: &AppError, context: &ApiContext<'_>) -> Vec<u8> {
    object(&error.told(), context)
}

fn object(told: &Told<'_>, context: &ApiContext<'_>) -> Vec<u8> {
    let no_users = if context.say_no_users { "No users. " } else { "" };
    let object = ErrorObject {
        status: told.status,
        code: told.code,
        error: told.code,
        message: &[no_users, &told.message].concat(),
        action: told.action,
        parameter: told.parameter,
        permission: told.permission,
        limit: told.limit,
        dimension: told.dimension,
        row: told.row,
        invite_url: told.invite_url,
        request_id: context.request_id,
    };
    serde_json::to_vec(&object).unwrap_or_default()
}

pub fn render_api(error: &AppError, context: &ApiContext<'_>) -> Response {
    let told = error.told();
    let mut response = Response::new(Body::from(object(&told, context)));
    *response.status_mut() = status_of(&told);
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    decorate(&told, headers);
    response
}

/// Headers that belong to the kind of failure, whatever the form of its body.
pub(super) fn decorate(told: &Told<'_>, headers: &mut http::HeaderMap) {
    if let Some(seconds) = told.retry_after_s {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(allow) = told.allow
        && let Ok(methods) = HeaderValue::from_str(allow)
    {
        headers.insert(ALLOW, methods);
    }
    if status_of(told) == StatusCode::REQUEST_TIMEOUT {
        headers.insert(http::header::CONNECTION, HeaderValue::from_static("close"));
    }
}
