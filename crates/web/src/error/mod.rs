//! Failures leave a handler as a value and are rendered once, by the outermost layer, in the surface's own form.

mod api;
mod page;
mod way;

use std::sync::Arc;

use app::AppError;
use app::error::ErrorAnswer;
use axum::body::Body;
use axum::response::{IntoResponse, Response};

pub use api::{ApiContext, render_api};
pub(crate) use api::{ErrorObject, api_text};
pub use page::render_page;

/// Marks a response whose body is still to be rendered from the error.
#[derive(Clone)]
pub struct Failed(pub Arc<AppError>);

/// A handler's error. Both kinds of surface use it; the layer knows which one it is on.
pub struct Failure(pub AppError);

impl<E: Into<AppError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        failed_response(self.0)
    }
}

pub fn failed_response(error: AppError) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status_of(&error.answer());
    response.extensions_mut().insert(Failed(Arc::new(error)));
    response
}

pub(crate) fn status_of(answer: &ErrorAnswer<'_>) -> http::StatusCode {
    http::StatusCode::from_u16(answer.status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR)
}
