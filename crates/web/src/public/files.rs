//! Files of pages without scripts. Their names change with their content, so that browsers keep them for ever.

use std::sync::LazyLock;

use app::error::RequestError;
use axum::body::Body;
use axum::extract::Path;
use axum::response::Response;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use sha2::{Digest, Sha256};

use super::style;
use crate::error::Failure;

struct File {
    path: String,
    kind: &'static str,
    content: &'static str,
}

impl File {
    fn new(name: &str, ending: &str, kind: &'static str, content: &'static str) -> Self {
        let digest = Sha256::digest(content.as_bytes());
        let digest: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            path: format!("/static/{name}-{digest}.{ending}"),
            kind,
            content,
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
pub async fn file(Path(name): Path<String>) -> Result<Response, Failure> {
    let wanted = ["/static/", &name].concat();
    let found = [&*ICON, &*DOCS].into_iter().find(|file| file.path == wanted);
    let file = found.ok_or(RequestError::NotFound)?;
    let mut response = Response::new(Body::from(file.content));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind));
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(CACHE_CONTROL, kept);
    Ok(response)
}
