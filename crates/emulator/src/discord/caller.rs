//! Who asks, and what they bring.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use http::header::AUTHORIZATION;
use http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Inner;
use super::error::ApiError;
use super::snowflake::Snowflake;

/// The holder of a token.
#[derive(Debug)]
pub enum Caller {
    Bot(Snowflake),
    /// An application in the name of a person.
    Person {
        user: Snowflake,
        application: Snowflake,
        scopes: BTreeSet<String>,
    },
}

impl Caller {
    /// Whose account this is.
    pub fn user(&self) -> Snowflake {
        match self {
            Self::Bot(id) => *id,
            Self::Person { user, .. } => *user,
        }
    }

    /// Bots need no scope.
    pub fn require(&self, scope: &str) -> Result<(), ApiError> {
        match self {
            Self::Bot(_) => Ok(()),
            Self::Person { scopes, .. } if scopes.contains(scope) => Ok(()),
            Self::Person { .. } => Err(ApiError::MISSING_SCOPE),
        }
    }
}

impl FromRequestParts<Arc<Inner>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, inner: &Arc<Inner>) -> Result<Self, ApiError> {
        let header = parts
            .headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let (kind, token) = header
            .and_then(|value| value.split_once(' '))
            .ok_or(ApiError::UNAUTHORIZED)?;
        let world = inner.world();
        match kind {
            "Bot" => world.state.application_of(token).map(Self::Bot),
            "Bearer" => world
                .grants
                .by_access(token, inner.hub.now_ms())
                .map(|grant| Self::Person {
                    user: grant.user,
                    application: grant.application,
                    scopes: grant.scopes.clone(),
                }),
            _ => None,
        }
        .ok_or(ApiError::UNAUTHORIZED)
    }
}

/// A caller that must be a bot.
pub struct Bot(pub Snowflake);

impl FromRequestParts<Arc<Inner>> for Bot {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, inner: &Arc<Inner>) -> Result<Self, ApiError> {
        match Caller::from_request_parts(parts, inner).await? {
            Caller::Bot(id) => Ok(Self(id)),
            Caller::Person { .. } => Err(ApiError::UNAUTHORIZED),
        }
    }
}

/// The ids in the path.
pub struct Ids<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Inner>> for Ids<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, inner: &Arc<Inner>) -> Result<Self, ApiError> {
        let path = Path::<T>::from_request_parts(parts, inner).await;
        path.map(|Path(ids)| Self(ids))
            .map_err(|_| ApiError::field("id", "NUMBER_TYPE_COERCE", "Value is not snowflake."))
    }
}

/// The body, as JSON of a known shape.
pub struct Input<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<Inner>> for Input<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, inner: &Arc<Inner>) -> Result<Self, ApiError> {
        let axum::Json(value) = axum::Json::<Value>::from_request(request, inner)
            .await
            .map_err(|_| ApiError::NOT_JSON)?;
        let input = serde_json::from_value(value);
        input
            .map(Self)
            .map_err(|error| ApiError::field("body", "BASE_TYPE_BAD", &error.to_string()))
    }
}
