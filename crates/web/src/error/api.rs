//! The JSON object of a failure.

use app::AppError;
use app::error::ErrorAnswer;
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
    /// Seconds, as in the header, for clients that see no headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<i64>,
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
    object(&error.answer(), context)
}

fn object(answer: &ErrorAnswer<'_>, context: &ApiContext<'_>) -> Vec<u8> {
    let no_users = if context.say_no_users { "No users. " } else { "" };
    let object = ErrorObject {
        status: answer.status,
        code: answer.code,
        error: answer.code,
        message: &[no_users, &answer.message].concat(),
        action: answer.action,
        parameter: answer.parameter,
        permission: answer.permission,
        limit: answer.limit,
        dimension: answer.dimension,
        row: answer.row,
        invite_url: answer.invite_url,
        retry_after: answer.retry_after_s,
        request_id: context.request_id,
    };
    serde_json::to_vec(&object).unwrap_or_default()
}

pub fn render_api(error: &AppError, context: &ApiContext<'_>) -> Response {
    let answer = error.answer();
    let mut response = Response::new(Body::from(object(&answer, context)));
    *response.status_mut() = status_of(&answer);
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    decorate(&answer, headers);
    response
}

/// Headers that belong to the kind of failure, whatever the form of its body.
pub(super) fn decorate(answer: &ErrorAnswer<'_>, headers: &mut http::HeaderMap) {
    if let Some(seconds) = answer.retry_after_s {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(allow) = answer.allow
        && let Ok(methods) = HeaderValue::from_str(allow)
    {
        headers.insert(ALLOW, methods);
    }
    if status_of(answer) == StatusCode::RANGE_NOT_SATISFIABLE
        && let Ok(length) = HeaderValue::from_str(&format!("bytes */{}", answer.limit.unwrap_or(0)))
    {
        headers.insert(http::header::CONTENT_RANGE, length);
    }
    if status_of(answer) == StatusCode::REQUEST_TIMEOUT {
        headers.insert(http::header::CONNECTION, HeaderValue::from_static("close"));
    }
}
