//! JSON bodies with a limit, a required type and no unknown fields.

use std::error::Error;

use app::AppError;
use app::error::{HttpError, ServiceError};
use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;

use crate::error::Failure;
use crate::layers::Surface;
use crate::serve::BodyTooSlow;
use crate::state::WebState;

/// A body parsed as `T`. `T` refuses unknown fields by itself.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<WebState> for JsonBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &WebState) -> Result<Self, Failure> {
        if !is_json(request.headers()) {
            return Err(HttpError::UnsupportedMediaType.into());
        }
        let surface = Surface::of(request.extensions());
        let bytes = read_limited(request.into_body(), surface).await?;
        // An array would be read as the fields of an object in their order.
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if first.is_some_and(|first| *first == b'[') {
            let problem = "an object is expected".to_owned();
            return Err(HttpError::InvalidJson { problem }.into());
        }
        let parsed = serde_json::from_slice(&bytes);
        Ok(Self(parsed.map_err(|error| HttpError::InvalidJson {
            problem: without_values(&error.to_string()),
        })?))
    }
}

/// What is wrong with a body, without the text that was sent in it: it may be a secret in the wrong field.
fn without_values(problem: &str) -> String {
    let shown = match (problem.find('"'), problem.rfind("\", expected")) {
        (Some(start), Some(end)) if start < end => [&problem[..=start], "…", &problem[end..]].concat(),
        (Some(_) | None, Some(_) | None) => problem.to_owned(),
    };
    domain::key::redact(&shown).into_owned()
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    has_type(headers, "application/json")
}

/// Whether a body says that it is of this type.
pub fn has_type(headers: &HeaderMap, wanted: &str) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    kind.split(';')
        .next()
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case(wanted))
}

/// The whole text of a body, or the reason why not. No more of it is read than its surface takes.
pub async fn read_limited(body: Body, surface: Surface) -> Result<Vec<u8>, AppError> {
    read_kept(body, surface, |_| Ok(())).await
}

/// The same for a caller who has to `keep` room for each piece before more is read.
pub async fn read_kept(
    body: Body,
    surface: Surface,
    keep: impl FnMut(usize) -> Result<(), AppError>,
) -> Result<Vec<u8>, AppError> {
    without_nul(read_bytes(body, surface, keep).await?)
}

/// The bytes as they were sent, whatever they are. The pieces are put into one buffer as they come: kept apart, those of
/// a byte each would take many times their size.
pub(super) async fn read_bytes(
    mut body: Body,
    surface: Surface,
    mut keep: impl FnMut(usize) -> Result<(), AppError>,
) -> Result<Vec<u8>, AppError> {
    let limit_bytes = surface.body_limit_bytes();
    let too_large = || AppError::from(HttpError::PayloadTooLarge { limit_bytes });
    if body.size_hint().lower() > limit_bytes as u64 {
        return Err(too_large());
    }
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        // What is not data are trailers, which nobody asks for.
        let Ok(piece) = frame.map_err(|error| broken_off(&error))?.into_data() else {
            continue;
        };
        if piece.len() > limit_bytes - whole.len() {
            return Err(too_large());
        }
        keep(piece.len())?;
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

pub(super) fn broken_off(error: &(dyn Error + 'static)) -> AppError {
    if is_too_slow(error) {
        return ServiceError::Timeout.into();
    }
    HttpError::InvalidJson {
        problem: "the body ended early".to_owned(),
    }
    .into()
}

/// Refuses an escaped NUL in any text of a body. The character itself is not JSON and is refused by the parser.
fn without_nul(body: Vec<u8>) -> Result<Vec<u8>, AppError> {
    let mut rest = &body[..];
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let escape = &rest[at + 1..];
        if escape.starts_with(b"u0000") {
            return Err(HttpError::InvalidJson {
                problem: "a text in it holds a NUL character".to_owned(),
            }
            .into());
        }
        // A backslash that is escaped itself begins nothing.
        rest = escape.get(1..).unwrap_or_default();
    }
    Ok(body)
}

fn is_too_slow(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<BodyTooSlow>() {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use bytes::Bytes;
    use futures_util::FutureExt;
    use hyper::body::{Frame, SizeHint};

    use super::*;

    #[test]
    fn a_refused_body_is_not_repeated() {
        let problem =
            |body: &str| without_values(&serde_json::from_str::<bool>(body).unwrap_err().to_string());
        assert_eq!(
            problem(r#""a \", expected b""#),
            r#"invalid type: string "…", expected a boolean at line 1 column 18"#
        );
        assert_eq!(
            problem("7"),
            "invalid type: integer `7`, expected a boolean at line 1 column 1"
        );
        let key = ["unknown field `svc_live_", &"a".repeat(48), "`"].concat();
        assert_eq!(without_values(&key), "unknown field `svc_live_aaa…`");
    }

    /// Says how long it is, and must not be read.
    struct Announced(u64);

    impl HttpBody for Announced {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            panic!("it was read");
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(self.0)
        }
    }

    #[test]
    fn a_body_that_says_it_is_too_long_is_not_read() {
        for surface in Surface::ALL {
            let announced = Announced(surface.body_limit_bytes() as u64 + 1);
            let read = read_limited(Body::new(announced), surface).now_or_never();
            let code = read.map(|read| read.map_err(|error| error.code()));
            assert_eq!(code, Some(Err("PAYLOAD_TOO_LARGE")), "{surface:?}");
        }
    }

    #[test]
    fn a_nul_is_refused_and_a_text_about_it_is_not() {
        let passes = |body: &str| without_nul(body.as_bytes().to_vec()).is_ok();
        for body in [r#""\u0000""#, r#""a\\\u0000""#, r#"{"\u0000":1}"#] {
            assert!(!passes(body), "{body}");
        }
        for body in [r#""\\u0000""#, r#""u0000""#, r#""\u0001""#, r#""\"#, ""] {
            assert!(passes(body), "{body}");
        }
    }
}
