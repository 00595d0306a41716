//! Documents that stay the same until the next start. They are hashed and packed once, not for every reader: anybody may
//! ask for them, as often as they like.

use std::io::Write;

use axum::body::Body;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use crate::layers::WORTH_IT_BYTES;

pub struct Constant {
    kind: &'static str,
    tag: String,
    plain: Bytes,
    /// None when it saves nothing.
    packed: Option<Bytes>,
}

impl Constant {
    pub fn new(kind: &'static str, content: impl Into<Bytes>) -> Self {
        let plain = content.into();
        let digest = URL_SAFE_NO_PAD.encode(&Sha256::digest(&plain)[..12]);
        let is_worth_it = u64::try_from(plain.len()).is_ok_and(|bytes| bytes >= WORTH_IT_BYTES);
        Self {
            kind,
            // Weak, because both forms have the same.
            tag: ["W/\"", &digest, "\""].concat(),
            packed: is_worth_it.then(|| gzip(&plain)).flatten(),
            plain,
        }
    }

    /// The form that the caller takes.
    pub fn whole(&self, asked: &HeaderMap) -> Response {
        let packed = self.packed.as_ref().filter(|_| takes(asked, "gzip"));
        let mut response = Response::new(Body::from(packed.unwrap_or(&self.plain).clone()));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if packed.is_some() {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    /// The same, or 304 for a caller that has it already.
    pub fn unless_known(&self, asked: &HeaderMap) -> Response {
        let known = asked.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let is_known = known.is_some_and(|known| is_known(known, &self.tag));
        let mut response = self.whole(asked);
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Body::empty();
            response.headers_mut().remove(CONTENT_TYPE);
            response.headers_mut().remove(CONTENT_ENCODING);
        }
        // Kept, but asked about each time: a new version shows at once.
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            headers.insert(ETAG, tag);
        }
        response
    }
}

/// Whether `If-None-Match` names this tag. The weak one is as good: nobody keeps more than one form.
pub fn is_known(listed: &str, tag: &str) -> bool {
    let bare = tag.trim_start_matches("W/");
    let mut listed = listed.split(',').map(str::trim);
    listed.any(|one| one == "*" || one.trim_start_matches("W/") == bare)
}

/// Whether a caller takes an answer in this form.
pub fn takes(asked: &HeaderMap, encoding: &str) -> bool {
    let listed = asked.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let mut listed = listed
        .unwrap_or_default()
        .split(',')
        .map(|one| one.trim().split(';'));
    listed.any(|mut one| {
        one.next().is_some_and(|word| word.trim() == encoding) && !one.any(|weight| weight.trim() == "q=0")
    })
}

fn gzip(plain: &[u8]) -> Option<Bytes> {
    let mut packing = GzEncoder::new(Vec::new(), Compression::best());
    packing.write_all(plain).ok()?;
    packing.finish().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    fn asking(name: http::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn what_was_packed_once_is_the_same_for_every_reader() {
        let text = "a line of text\n".repeat(200);
        let constant = Constant::new("text/plain", text.clone());
        let packed = constant.packed.as_ref().unwrap();
        let mut read = String::new();
        GzDecoder::new(&packed[..]).read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
        let taking = asking(ACCEPT_ENCODING, "br;q=1, gzip");
        assert_eq!(constant.whole(&taking).headers()[CONTENT_ENCODING], "gzip");
        let refusing = asking(ACCEPT_ENCODING, "gzip;q=0");
        for asked in [HeaderMap::new(), refusing] {
            assert!(!constant.whole(&asked).headers().contains_key(CONTENT_ENCODING));
        }
        assert!(Constant::new("text/plain", "short").packed.is_none());
    }

    #[test]
    fn who_has_it_is_told_so() {
        let constant = Constant::new("text/plain", "short");
        let tag = constant.unless_known(&HeaderMap::new()).headers()[ETAG].clone();
        let asked = HeaderMap::from_iter([(IF_NONE_MATCH, tag)]);
        assert_eq!(constant.unless_known(&asked).status(), StatusCode::NOT_MODIFIED);
        let other = asking(IF_NONE_MATCH, "\"x\"");
        assert_eq!(constant.unless_known(&other).status(), StatusCode::OK);
    }
}
