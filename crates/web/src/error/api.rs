//! The JSON object of a failure.

use app::AppError;
use axum::body::Body;
use axum::response::Response;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
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
    let mut message = error.public_message();
    if context.say_no_users {
        message.insert_str(0, "No users. ");
    }
    let object = ErrorObject {
        status: error.status(),
        code: error.code(),
        error: error.code(),
        message: &message,
        action: action_of(error),
        parameter: parameter_of(error),
        permission: permission_of(error),
        limit: limit_of(error),
        dimension: dimension_of(error),
        row: row_of(error),
        invite_url: invite_url_of(error),
        request_id: context.request_id,
    };
    serde_json::to_vec(&object).unwrap_or_default()
}

pub fn render_api(error: &AppError, context: &ApiContext<'_>) -> Response {
    let mut response = Response::new(Body::from(api_text(error, context)));
    *response.status_mut() = status_of(error);
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    decorate(error, headers);
    response
}

/// Headers that belong to the kind of failure, whatever the form of its body.
pub(super) fn decorate(error: &AppError, headers: &mut http::HeaderMap) {
    if let Some(seconds) = error.retry_after_s() {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let AppError::MethodNotAllowed { allow } = error
        && let Ok(methods) = HeaderValue::from_str(allow)
    {
        headers.insert(ALLOW, methods);
    }
    if status_of(error) == StatusCode::REQUEST_TIMEOUT {
        headers.insert(http::header::CONNECTION, HeaderValue::from_static("close"));
    }
}

fn action_of(error: &AppError) -> Option<&'static str> {
    if let AppError::PermissionDenied { action } = error {
        return Some(action);
    }
    None
}

fn parameter_of(error: &AppError) -> Option<&'static str> {
    if let AppError::InvalidParameter { parameter, .. }
    | AppError::InvalidRow { parameter, .. }
    | AppError::ScopeMismatch { parameter } = error
    {
        return Some(parameter);
    }
    None
}

fn permission_of(error: &AppError) -> Option<&'static str> {
    if let AppError::MissingPermission { permission } | AppError::CannotGrant { permission } = error {
        return Some(permission);
    }
    None
}

fn limit_of(error: &AppError) -> Option<i64> {
    if let AppError::LimitReached { ceiling, .. } = error {
        return Some(*ceiling);
    }
    if let AppError::TooManyIds { limit } = error {
        return Some(i64::from(*limit));
    }
    None
}

fn dimension_of(error: &AppError) -> Option<&'static str> {
    if let AppError::LimitReached { dimension, .. } = error {
        return Some(dimension.as_str());
    }
    None
}

fn row_of(error: &AppError) -> Option<usize> {
    if let AppError::InvalidRow { row, .. } = error {
        return Some(*row);
    }
    None
}

fn invite_url_of(error: &AppError) -> Option<&str> {
    if let AppError::BotAbsent { invite_url } = error {
        return Some(invite_url);
    }
    None
}
