//! The documents by which OpenID software finds out where to send people.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use domain::platform_id::SteamId;
use http::StatusCode;
use http::header::CONTENT_TYPE;

use super::{PROVIDER, unknown};

/// What `https://steamcommunity.com/openid` says: people may choose who they are here.
pub async fn provider() -> Response {
    document("http://specs.openid.net/auth/2.0/server")
}

/// What the address of an identity says: this provider may speak for it.
pub async fn identity(Path(id): Path<String>) -> Response {
    match SteamId::parse(&id) {
        Ok(_) => document("http://specs.openid.net/auth/2.0/signon"),
        Err(_) => unknown(),
    }
}

fn document(kind: &str) -> Response {
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <xrds:XRDS xmlns:xrds=\"xri://$xrds\" xmlns=\"xri://$xrd*($v*2.0)\"><XRD><Service priority=\"0\">\
         <Type>{kind}</Type><URI>{PROVIDER}</URI></Service></XRD></xrds:XRDS>\n"
    );
    (
        StatusCode::OK,
        [(CONTENT_TYPE, "application/xrds+xml;charset=utf-8")],
        text,
    )
        .into_response()
}
