//! The bare server: the product's accept loop and allocator, one route, no work.

use std::future::pending;
use std::net::SocketAddr;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use web::serve::{self, Limits};

use crate::Fallible;

/// As long as a real answer to `findBySteam`.
pub const BODY: &str = "\"765611980000000000\"";

/// Serves until the process is killed.
pub async fn serve(listen: SocketAddr) -> Fallible<()> {
    let answer = || async { ([(CONTENT_TYPE, "application/json")], BODY) };
    let router = Router::new()
        .route("/api", get(answer))
        .route("/healthz", get(|| async {}));
    serve::serve(serve::bind(listen).await?, router, Limits::default(), pending()).await;
    Ok(())
}
