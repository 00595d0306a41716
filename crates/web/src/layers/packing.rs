//! Packing of answers on their way out. Files of the dashboard are packed while it is built, documents that stay the same
//! once (see [`crate::constant`]), and plugin calls never.

use axum::Router;
use axum::body::HttpBody;
use http::Response;
use http::header::CONTENT_TYPE;
use tower::Layer;
use tower_http::compression::predicate::Predicate;
use tower_http::compression::{Compression, CompressionLayer};

/// Below this, a packed answer saves no packet on the network.
pub(crate) const WORTH_IT_BYTES: u64 = 1024;
const TEXTS: [&str; 3] = ["text/", "application/json", "image/svg+xml"];

/// Marks an answer with a secret in it beside text that others can choose: how short it gets when packed would tell
/// them whether they guessed a part of the secret.
#[derive(Clone, Copy)]
pub struct HoldsSecret;

pub(crate) type Packed = Compression<Router, WorthCompressing>;

pub(crate) fn packed(router: Router) -> Packed {
    CompressionLayer::new()
        .compress_when(WorthCompressing)
        .layer(router)
}

/// A text that is whole and long enough. An export is not: it is made while it is read.
#[derive(Clone, Copy)]
pub(crate) struct WorthCompressing;

impl Predicate for WorthCompressing {
    fn should_compress<B: HttpBody>(&self, response: &Response<B>) -> bool {
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let length = response.body().size_hint().exact();
        length.is_some_and(|bytes| bytes >= WORTH_IT_BYTES)
            && TEXTS.iter().any(|text| kind.starts_with(text))
            && response.extensions().get::<HoldsSecret>().is_none()
    }
}
