//! Downloads for game servers. Nothing here asks the database.

mod file;
mod range;

use app::downloads::shelf;
use app::error::RequestError;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::plugin_build::{Build, PluginVersion};
use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue, Method};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::Failure;
use crate::layers::Surface;
use crate::openapi::described;
use crate::routes::{Access, RouteAnswer, Routes};
use crate::state::WebState;

/// A newer one may be published any moment.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");
/// A version never changes.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub fn routes(routes: Routes) -> Routes {
    let file = (Surface::Download, Access::Public);
    routes
        .open(
            ("/download/plugin/manifest", "The latest plugin build"),
            (Surface::Ops, Access::Public),
            RouteAnswer::Json(200, described::<Manifest>),
            get(manifest),
        )
        .open(
            ("/download/plugin", "Download the latest plugin build"),
            file,
            RouteAnswer::File,
            get(newest),
        )
        .open(
            ("/download/plugin/{version}", "Download one plugin build"),
            file,
            RouteAnswer::File,
            get(pinned),
        )
}

/// The plugin build that is offered.
#[derive(Serialize, ToSchema)]
pub struct Manifest {
    #[schema(example = "v1.2.3")]
    version: String,
    /// Of the file, in hex.
    sha256: String,
    /// Of the file, in bytes.
    size: u64,
    #[schema(format = DateTime)]
    published_at: String,
    /// Where this version stays.
    url: String,
}

async fn manifest(State(state): State<WebState>) -> Result<Response, Failure> {
    let build = shelf::find_latest(&state.app).await?;
    let published_at = Timestamp::from_millisecond(build.published_at_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let root = state.settings.public_url.as_str().trim_end_matches('/');
    let manifest = Manifest {
        version: build.version.to_string(),
        sha256: build.sha256,
        size: build.size,
        published_at: published_at.to_string(),
        url: format!("{root}/download/plugin/{}", build.version),
    };
    Ok(([(CACHE_CONTROL, ASK_AGAIN)], Json(manifest)).into_response())
}

async fn newest(
    State(state): State<WebState>,
    method: Method,
    asked: HeaderMap,
) -> Result<Response, Failure> {
    let build = shelf::find_latest(&state.app).await?;
    answer(&state, &build, (&method, &asked), ASK_AGAIN).await
}

async fn pinned(
    State(state): State<WebState>,
    Path(version): Path<String>,
    method: Method,
    asked: HeaderMap,
) -> Result<Response, Failure> {
    let version = PluginVersion::parse(&version).ok_or(RequestError::NotFound)?;
    let build = shelf::find(&state.app, version).await?;
    answer(&state, &build, (&method, &asked), FOR_EVER).await
}

async fn answer(
    state: &WebState,
    build: &Build,
    (method, asked): (&Method, &HeaderMap),
    kept: HeaderValue,
) -> Result<Response, Failure> {
    let bytes = shelf::file(&state.app, build).await?;
    let mut response = file::answer(build, bytes, method, asked)?;
    response.headers_mut().insert(CACHE_CONTROL, kept);
    Ok(response)
}
