//! Refusals as Stripe words them: a type, a code, a sentence and the parameter that is wrong.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};

const INVALID: &str = "invalid_request_error";

#[derive(Debug)]
pub struct ApiError {
    pub status: StatusCode,
    kind: &'static str,
    code: Option<&'static str>,
    message: String,
    param: Option<String>,
}

/// The object to answer with, or a refusal.
pub type Answer = Result<Value, ApiError>;

impl ApiError {
    fn new(status: StatusCode, kind: &'static str, code: Option<&'static str>, message: String) -> Self {
        Self {
            status,
            kind,
            code,
            message,
            param: None,
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, INVALID, None, message.into())
    }

    pub fn param(code: &'static str, param: &str, message: impl Into<String>) -> Self {
        Self {
            code: Some(code),
            param: Some(param.to_owned()),
            ..Self::invalid(message)
        }
    }

    pub fn missing(param: &str) -> Self {
        Self::param(
            "parameter_missing",
            param,
            format!("Missing required param: {param}."),
        )
    }

    pub fn unknown_param(param: &str) -> Self {
        Self::param(
            "parameter_unknown",
            param,
            format!("Received unknown parameter: {param}"),
        )
    }

    /// Something that the path or a parameter names does not exist. `param` is `id` for the path.
    pub fn no_such(kind: &str, id: &str, param: &str) -> Self {
        let error = Self::param("resource_missing", param, format!("No such {kind}: '{id}'"));
        let status = if param == "id" {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::BAD_REQUEST
        };
        Self { status, ..error }
    }

    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, INVALID, None, message.into())
    }

    pub fn card_declined() -> Self {
        let message = "Your card was declined.".to_owned();
        Self::new(
            StatusCode::PAYMENT_REQUIRED,
            "card_error",
            Some("card_declined"),
            message,
        )
    }

    pub fn other_parameters(key: &str) -> Self {
        let message = format!(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. \
             Try using a key other than '{key}' if you meant to execute a different request."
        );
        Self::new(StatusCode::BAD_REQUEST, "idempotency_error", None, message)
    }

    pub fn in_progress() -> Self {
        let message = "There is currently another in-progress request using this idempotent key (that probably means \
                       you submitted twice, and the other request is still going through). Please try again later.";
        let code = Some("idempotency_key_in_use");
        Self::new(StatusCode::CONFLICT, INVALID, code, message.to_owned())
    }

    pub fn rate_limit() -> Self {
        let message = "Request rate limit exceeded. You can learn more about rate limits here \
                       https://stripe.com/docs/rate-limits.";
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            INVALID,
            Some("rate_limit"),
            message.to_owned(),
        )
    }

    pub fn internal() -> Self {
        let message = "An error occurred with our connection to Stripe's own servers.".to_owned();
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "api_error", None, message)
    }

    pub fn forbidden() -> Self {
        let message = "The provided key does not have the required permissions for this endpoint.".to_owned();
        Self::new(StatusCode::FORBIDDEN, INVALID, None, message)
    }

    pub fn unknown_route() -> Self {
        let message = "Unrecognized request URL. Please see https://stripe.com/docs.".to_owned();
        Self::new(StatusCode::NOT_FOUND, INVALID, None, message)
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    pub fn body(&self) -> Value {
        let mut error = json!({"type": self.kind, "message": self.message});
        if let Some(code) = self.code {
            error["code"] = code.into();
            error["doc_url"] =
                format!("https://stripe.com/docs/error-codes/{}", code.replace('_', "-")).into();
        }
        if let Some(param) = &self.param {
            error["param"] = param.as_str().into();
        }
        if self.kind == "card_error" {
            error["decline_code"] = "generic_decline".into();
        }
        json!({ "error": error })
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(self.body())).into_response()
    }
}
