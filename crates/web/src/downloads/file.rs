//! A file as it is sent: whole, in part, or not at all because the caller has it.

use std::sync::Arc;

use app::AppError;
use app::error::HttpError;
use axum::body::Body;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::plugin_build::Build;
use http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    IF_RANGE, RANGE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use super::range::{Wanted, wanted};
use crate::constant::is_known;
use crate::error::Failure;

/// The digest of the whole file, also beside a part of it.
const REPR_DIGEST: HeaderName = HeaderName::from_static("repr-digest");

pub(super) fn answer(
    build: &Build,
    file: Arc<[u8]>,
    method: &Method,
    asked: &HeaderMap,
) -> Result<Response, Failure> {
    let tag = ["\"", &build.sha256, "\""].concat();
    let text = |name: HeaderName| asked.get(name).and_then(|value| value.to_str().ok());
    let length = file.len();
    // A part is something to get; whoever asks for the head alone wants to know the whole.
    let wanted = match text(RANGE).filter(|_| method == Method::GET) {
        // A part of another file would be glued to what the caller has.
        Some(range) if text(IF_RANGE).is_none_or(|known| known == tag) => wanted(range, length),
        Some(_) | None => Wanted::Whole,
    };
    let mut response = Response::new(Body::empty());
    let header = |text: &str| {
        HeaderValue::from_str(text).map_err(|_| AppError::internal("a build that cannot be told in a header"))
    };
    if text(IF_NONE_MATCH).is_some_and(|known| is_known(known, &tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        let file = Bytes::from_owner(file);
        let out = response.headers_mut();
        out.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        let attached = format!("attachment; filename=\"{}\"", build.file_name);
        out.insert(CONTENT_DISPOSITION, header(&attached)?);
        let sent = match wanted {
            Wanted::Whole => file,
            Wanted::Part(part) => {
                let told = format!("bytes {}-{}/{length}", part.start, part.end - 1);
                out.insert(CONTENT_RANGE, header(&told)?);
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                file.slice(part)
            }
            Wanted::Beyond => return Err(HttpError::RangeNotSatisfiable { length }.into()),
        };
        response.headers_mut().insert(CONTENT_LENGTH, sent.len().into());
        *response.body_mut() = Body::from(sent);
    }
    let out = response.headers_mut();
    out.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    out.insert(ETAG, header(&tag)?);
    out.insert(
        REPR_DIGEST,
        header(&format!("sha-256=:{}:", digest(&build.sha256)))?,
    );
    Ok(response)
}

/// The digest in the spelling of its header.
fn digest(hex: &str) -> String {
    let byte = |at: usize| {
        hex.get(at..at + 2)
            .and_then(|two| u8::from_str_radix(two, 16).ok())
    };
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).filter_map(byte).collect();
    STANDARD.encode(bytes)
}
