//! A file that is sent as the body, piece by piece. No more of it is in memory than its reader asks for.

use app::AppError;
use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, Request};
use http_body_util::BodyExt;

use super::asked::{Asked, Question};
use super::body::broken_off;
use crate::error::Failure;
use crate::state::WebState;

/// A file with what is asked about it in the address.
pub struct SentFile<T> {
    pub asked: T,
    body: Body,
}

impl<T: Question> FromRequest<WebState> for SentFile<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let Asked(asked) = Asked::from_request_parts(&mut parts, state).await?;
        Ok(Self { asked, body })
    }
}

impl<T> SentFile<T> {
    /// How long it will be at least, as far as its sender says.
    pub fn announced_bytes(&self) -> usize {
        usize::try_from(self.body.size_hint().lower()).unwrap_or(usize::MAX)
    }

    /// The next piece; none at the end of the file.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, AppError> {
        while let Some(frame) = self.body.frame().await {
            // What is not data are trailers, which nobody asks for.
            if let Ok(piece) = frame.map_err(|error| broken_off(&error))?.into_data() {
                return Ok(Some(piece.to_vec()));
            }
        }
        Ok(None)
    }
}
