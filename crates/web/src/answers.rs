//! What dashboard handlers answer with.

use app::AppError;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use crate::error::{Failure, failed_response};
use crate::layers::HoldsSecret;

/// What a dashboard handler returns.
pub type Answer<T> = Result<T, Failure>;

/// 200 with a JSON body.
pub struct Found<T>(pub T);

/// The same with a secret in it, which is not packed.
pub struct FoundSecret<T>(pub T);

/// 201 with a JSON body.
pub struct Created<T>(pub T);

/// 204.
pub struct Done;

impl<T: Serialize> IntoResponse for Found<T> {
    fn into_response(self) -> Response {
        json(StatusCode::OK, &self.0)
    }
}

impl<T: Serialize> IntoResponse for FoundSecret<T> {
    fn into_response(self) -> Response {
        let mut response = json(StatusCode::OK, &self.0);
        response.extensions_mut().insert(HoldsSecret);
        response
    }
}

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        json(StatusCode::CREATED, &self.0)
    }
}

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let Ok(body) = serde_json::to_vec(value) else {
        return failed_response(AppError::internal("an answer could not be written as JSON"));
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    response
}
