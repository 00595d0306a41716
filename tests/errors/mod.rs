mod bodies;
mod customer_pages;
mod headers;
mod housekeeping;
mod layer;
mod log;
mod maintenance;
mod methods;
mod nul;
mod packing;
mod pages;
mod readiness;
pub mod surfaces;

use testkit::Reply;

/// The JSON object that every failure of an API address is.
pub fn assert_failure(reply: &Reply, status: u16, code: &str, place: &str) {
    assert_eq!(
        reply.header("content-type"),
        Some("application/json; charset=utf-8"),
        "{place}: {}",
        reply.text()
    );
    assert_eq!(reply.header("cache-control"), Some("no-store"), "{place}");
    let body = reply.json();
    assert_eq!(
        (reply.status.as_u16(), body["code"].as_str()),
        (status, Some(code)),
        "{place}: {}",
        reply.text()
    );
    assert_eq!(body["status"], status, "{place}");
    assert_eq!(body["error"], body["code"], "{place}");
    assert!(
        body["message"]
            .as_str()
            .is_some_and(|message| !message.is_empty()),
        "{place}"
    );
    assert_eq!(
        body["request_id"].as_str(),
        reply.header("x-request-id"),
        "{place}"
    );
}
