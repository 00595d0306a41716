//! Headers that every answer carries.

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::request_id::RequestId;
use super::surface::{Form, Surface};
use crate::public::style;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

pub(crate) struct SecurityHeaders {
    https: bool,
    page_policy: HeaderValue,
}

impl SecurityHeaders {
    pub(crate) fn new(https: bool) -> Self {
        let styles = style::source_of_pages();
        let policy = format!(
            "default-src 'none'; style-src {styles}; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        let page_policy =
            HeaderValue::from_str(&policy).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"));
        Self { https, page_policy }
    }

    /// Adds them, and takes what a handler said back where its surface does not allow it.
    pub(crate) fn add(&self, headers: &mut HeaderMap, surface: Surface, id: &RequestId) {
        headers.insert(REQUEST_ID, id.header());
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let referrer = if surface.hides_address() {
            "no-referrer"
        } else {
            "strict-origin-when-cross-origin"
        };
        headers.insert(REFERRER_POLICY, HeaderValue::from_static(referrer));
        headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
        headers.insert(
            PERMISSIONS_POLICY,
            HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
        );
        if surface.may_be_kept() {
            // A failure is drawn anew and says nothing about it.
            headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
        } else {
            headers.insert(CACHE_CONTROL, NO_STORE);
        }
        if surface.is_unlisted() {
            headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
        }
        if self.https {
            headers.insert(
                STRICT_TRANSPORT_SECURITY,
                HeaderValue::from_static("max-age=31536000; includeSubDomains"),
            );
        }
        if surface.form() == Form::Page {
            // A page that says what it needs itself, such as the documentation, keeps its own.
            headers
                .entry(CONTENT_SECURITY_POLICY)
                .or_insert_with(|| self.page_policy.clone());
        } else {
            headers.insert(
                CONTENT_SECURITY_POLICY,
                HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
            );
        }
    }
}
