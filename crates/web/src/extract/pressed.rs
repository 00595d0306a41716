//! Requests that may be sent again under the same `Idempotency-Key`.

use app::AppError;
use app::error::HttpError;
use app::once::Press;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use domain::idempotency::IdempotencyKey;
use http::{HeaderMap, HeaderName};
use serde::de::DeserializeOwned;

use super::body::{JsonBody, is_json, read_limited};
use crate::error::Failure;
use crate::layers::Surface;
use crate::state::WebState;

pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// An input with the press that it came with. A route that takes it makes its thing once for each key.
pub struct Pressed<T>(pub T, pub Press);

impl<T: DeserializeOwned> FromRequest<WebState> for Pressed<JsonBody<T>> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Failure> {
        if !is_json(request.headers()) {
            return Err(HttpError::UnsupportedMediaType.into());
        }
        let key = idempotency_key(request.headers())?;
        let (parts, body) = request.into_parts();
        let bytes = read_limited(body, Surface::of(&parts.extensions)).await?;
        let path = parts.uri.path();
        // One route, wherever it is served.
        let path = path.strip_prefix("/api").unwrap_or(path);
        let press = Press::of(state.routes.template_of(path), key.as_ref(), path, &bytes);
        let request = Request::from_parts(parts, Body::from(bytes));
        Ok(Self(JsonBody::from_request(request, state).await?, press))
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, AppError> {
    let mut sent = headers.get_all(HEADER).iter();
    match (sent.next(), sent.next()) {
        (None, _) => Ok(None),
        (Some(key), None) => IdempotencyKey::parse(key.as_bytes())
            .map(Some)
            .map_err(|error| AppError::invalid(IDEMPOTENCY_KEY, error)),
        (Some(_), Some(_)) => Err(AppError::invalid(IDEMPOTENCY_KEY, "it is sent more than once")),
    }
}
