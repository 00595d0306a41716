//! Refusals as Discord words them: a status, a number and a message.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};

#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: u32,
    message: &'static str,
    /// Which field of the body is wrong, in Discord's tree of errors.
    errors: Option<Value>,
}

pub type Answer = Result<Response, ApiError>;

impl ApiError {
    pub const UNAUTHORIZED: Self = Self::plain(StatusCode::UNAUTHORIZED, 0, "401: Unauthorized");
    pub const UNKNOWN_APPLICATION: Self = Self::missing(10_002, "Unknown Application");
    pub const UNKNOWN_CHANNEL: Self = Self::missing(10_003, "Unknown Channel");
    pub const UNKNOWN_GUILD: Self = Self::missing(10_004, "Unknown Guild");
    pub const UNKNOWN_MEMBER: Self = Self::missing(10_007, "Unknown Member");
    pub const UNKNOWN_MESSAGE: Self = Self::missing(10_008, "Unknown Message");
    pub const UNKNOWN_ROLE: Self = Self::missing(10_011, "Unknown Role");
    pub const UNKNOWN_USER: Self = Self::missing(10_013, "Unknown User");
    pub const UNKNOWN_WEBHOOK: Self = Self::missing(10_015, "Unknown Webhook");
    pub const UNKNOWN_INTERACTION: Self = Self::missing(10_062, "Unknown interaction");
    pub const UNKNOWN_COMMAND: Self = Self::missing(10_063, "Unknown application command");
    pub const ROUTE_NOT_FOUND: Self = Self::missing(0, "404: Not Found");
    pub const TOO_MANY_ROLES: Self = Self::plain(
        StatusCode::BAD_REQUEST,
        30_005,
        "Maximum number of guild roles reached (250)",
    );
    pub const NOT_FOR_THIS_USER: Self = Self::forbidden(20_001, "Bots cannot use this endpoint");
    pub const BANNED: Self = Self::forbidden(40_007, "The user is banned from this guild.");
    pub const ALREADY_ACKNOWLEDGED: Self = Self::plain(
        StatusCode::BAD_REQUEST,
        40_060,
        "Interaction has already been acknowledged.",
    );
    pub const MISSING_ACCESS: Self = Self::forbidden(50_001, "Missing Access");
    pub const EMPTY_MESSAGE: Self =
        Self::plain(StatusCode::BAD_REQUEST, 50_006, "Cannot send an empty message");
    pub const FOREIGN_MESSAGE: Self =
        Self::forbidden(50_005, "Cannot edit a message authored by another user");
    pub const FOREIGN_APPLICATION: Self = Self::forbidden(
        20_012,
        "You are not authorized to perform this action on this application",
    );
    pub const MISSING_PERMISSIONS: Self = Self::forbidden(50_013, "Missing Permissions");
    pub const INVALID_ACCESS_TOKEN: Self = Self::forbidden(50_025, "Invalid OAuth2 access token");
    pub const MISSING_SCOPE: Self = Self::forbidden(50_026, "Missing required OAuth2 scope");
    pub const INVALID_WEBHOOK_TOKEN: Self =
        Self::plain(StatusCode::UNAUTHORIZED, 50_027, "Invalid Webhook Token");
    pub const INVALID_ROLE: Self = Self::plain(StatusCode::BAD_REQUEST, 50_028, "Invalid Role");
    pub const NOT_JSON: Self = Self::plain(
        StatusCode::BAD_REQUEST,
        50_109,
        "The request body contains invalid JSON.",
    );

    const fn plain(status: StatusCode, code: u32, message: &'static str) -> Self {
        Self {
            status,
            code,
            message,
            errors: None,
        }
    }

    const fn missing(code: u32, message: &'static str) -> Self {
        Self::plain(StatusCode::NOT_FOUND, code, message)
    }

    const fn forbidden(code: u32, message: &'static str) -> Self {
        Self::plain(StatusCode::FORBIDDEN, code, message)
    }

    /// A field of the body is wrong; `path` is `embeds.0.title`, say.
    pub fn field(path: &str, code: &str, message: &str) -> Self {
        let leaf = json!({"_errors": [{"code": code, "message": message}]});
        let errors = path.rsplit('.').fold(leaf, |inner, name| json!({ name: inner }));
        Self {
            errors: Some(errors),
            ..Self::plain(StatusCode::BAD_REQUEST, 50_035, "Invalid Form Body")
        }
    }

    pub fn required(path: &str) -> Self {
        Self::field(path, "BASE_TYPE_REQUIRED", "This field is required")
    }

    pub fn too_long(path: &str, limit: usize) -> Self {
        let message = format!("Must be {limit} or fewer in length.");
        Self::field(path, "BASE_TYPE_MAX_LENGTH", &message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut body = json!({"message": self.message, "code": self.code});
        if let Some(errors) = self.errors {
            body["errors"] = errors;
        }
        (self.status, Json(body)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_field_is_named_by_its_place() {
        let error = ApiError::field("embeds.0.title", "X", "Y");
        let expected = json!({"embeds": {"0": {"title": {"_errors": [{"code": "X", "message": "Y"}]}}}});
        assert_eq!(error.errors, Some(expected));
    }
}
