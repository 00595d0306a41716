//! Files of pages without scripts. Their names change with their content, so that browsers keep them for ever.

use std::sync::LazyLock;

use app::error::RequestError;
use app::{AppError, pictures};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};

use super::style;
use crate::constant::Constant;
use crate::error::Failure;
use crate::state::WebState;

const KEPT: &str = "public, max-age=31536000, immutable";
const KEPT_FOR_A_DAY: &str = "private, max-age=86400, immutable";

struct File {
    path: String,
    content: Constant,
}

impl File {
    fn new(name: &str, ending: &str, kind: &'static str, content: &'static str) -> Self {
        let digest = Sha256::digest(content.as_bytes());
        let digest: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            path: format!("/static/{name}-{digest}.{ending}"),
            content: Constant::new(kind, content),
        }
    }
}

static ICON: LazyLock<File> = LazyLock::new(|| {
    let icon = include_str!("../../../../ui/public/favicon.svg");
    File::new("icon", "svg", "image/svg+xml", icon)
});
static DOCS: LazyLock<File> =
    LazyLock::new(|| File::new("docs", "css", "text/css; charset=utf-8", style::of_docs()));

/// Where the icon of our pages is.
pub fn icon() -> &'static str {
    &ICON.path
}

/// Where the sheet of the documentation is.
pub fn docs_style() -> &'static str {
    &DOCS.path
}

/// One that is gone after an update is not answered with a newer one.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Failure> {
    let wanted = ["/static/", &name].concat();
    let found = [&*ICON, &*DOCS].into_iter().find(|file| file.path == wanted);
    let file = found.ok_or(RequestError::NotFound)?;
    let mut response = file.content.whole(&headers);
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static(KEPT));
    Ok(response)
}

/// The picture of a Guild or a person. Another picture has another address; one that was removed is not to stay in the
/// caches of others.
pub async fn picture(
    State(state): State<WebState>,
    Path((owner, digest)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let (bytes, kind) = pictures::show(&state.app, &owner, &digest).await?;
    let mut response = Response::new(Body::from(bytes));
    let kind = HeaderValue::from_str(&kind)
        .map_err(|_| AppError::internal("a picture of a kind that cannot be told"))?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(KEPT_FOR_A_DAY));
    Ok(response)
}
