//! What a route understands behind the question mark. Anything else there is refused.

use app::AppError;
use axum::extract::{FromRequestParts, Query};
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::Failure;
use crate::state::WebState;

/// One parameter, for the description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    Text(&'static str),
    Number(&'static str),
    OneOf(&'static str, &'static [&'static str]),
}

/// The parameters of a route as a type that refuses unknown ones by itself.
pub trait Question: DeserializeOwned + Send {
    const ASKS: &'static [Asks];
}

pub struct Asked<T>(pub T);

impl<T: Question> FromRequestParts<WebState> for Asked<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &WebState) -> Result<Self, Failure> {
        let Query(question) = Query::try_from_uri(&parts.uri).map_err(|_| {
            let known: Vec<&str> = T::ASKS.iter().map(|asks| asks.name()).collect();
            AppError::invalid("query", format!("what can be asked here: {}", known.join(", ")))
        })?;
        Ok(Self(question))
    }
}

impl Asks {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Text(name) | Self::Number(name) | Self::OneOf(name, _) => name,
        }
    }
}
