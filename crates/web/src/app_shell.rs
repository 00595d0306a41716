//! The dashboard's own files: one page for every address below `/app`, and the scripts and styles it names.
//!
//! They are built from `ui/` and embedded. A development build reads them from disk, so that a new one shows at once.

use std::sync::LazyLock;

use app::AppError;
use app::error::{IdentityError, RequestError, ServiceError};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::constant::{is_known, takes};
use crate::error::Failure;
use crate::extract::{session_token, signed_in};
use crate::public::{see_other, style};
use crate::state::WebState;

#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Files;

/// The one style that is no file is that of the public pages: a preview of them is shown in a frame, which obeys this
/// policy too.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' {}; style-src-attr 'unsafe-inline'; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types svelte-trusted-html link-page-preview",
        style::source_of_pages()
    );
    HeaderValue::from_str(&policy).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
});
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");
const INDEX: &str = "index.html";

/// The page, for people who are signed in; the others go to Discord first, without seeing a flash of it.
pub async fn page(State(state): State<WebState>, request: Request) -> Result<Response, Failure> {
    if Files::get(INDEX).is_none() {
        return Err(ServiceError::DashboardNotBuilt.into());
    }
    let session = session_token(request.headers(), &state.settings);
    match signed_in(&state, request.extensions(), session.as_ref(), None).await {
        Ok(_) => file(INDEX, request.headers(), ASK_AGAIN),
        Err(AppError::Identity(IdentityError::SignInRequired)) => {
            let uri = request.uri();
            let back = uri.path_and_query().map_or("/app/", |path| path.as_str());
            let query = form_urlencoded::Serializer::new(String::new())
                .append_pair("return_to", back)
                .finish();
            Ok(see_other(&["/auth/discord/login?", &query].concat()))
        }
        Err(error) => Err(error.into()),
    }
}

/// A file whose name changes with its content. One that is gone after an update must not be answered with a page.
pub async fn asset(uri: Uri, headers: HeaderMap) -> Result<Response, Failure> {
    file(name_of(&uri), &headers, FOR_EVER)
}

/// A file that keeps its name.
pub async fn named(uri: Uri, headers: HeaderMap) -> Result<Response, Failure> {
    file(name_of(&uri), &headers, ASK_AGAIN)
}

fn name_of(uri: &Uri) -> &str {
    uri.path().strip_prefix("/app/").unwrap_or_default()
}

fn file(name: &str, headers: &HeaderMap, kept: HeaderValue) -> Result<Response, Failure> {
    let plain = Files::get(name).ok_or(RequestError::NotFound)?;
    let digest = plain.metadata.sha256_hash();
    let tag = ["\"", &hex(&digest[..12]), "\""].concat();
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let mut response = Response::new(Body::empty());
    if known.is_some_and(|known| is_known(known, &tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        let (body, encoding) = smallest(name, plain, headers);
        *response.body_mut() = Body::from(body.data.into_owned());
        let out = response.headers_mut();
        out.insert(CONTENT_TYPE, HeaderValue::from_static(kind_of(name)));
        if let Some(encoding) = encoding {
            out.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
    }
    let out = response.headers_mut();
    out.insert(CACHE_CONTROL, kept);
    out.insert(VARY, HeaderValue::from_static("accept-encoding"));
    out.insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        out.insert(ETAG, tag);
    }
    Ok(response)
}

/// The form that was packed while building and that the browser takes.
fn smallest(name: &str, plain: EmbeddedFile, headers: &HeaderMap) -> (EmbeddedFile, Option<&'static str>) {
    for (encoding, ending) in [("br", ".br"), ("gzip", ".gz")] {
        if takes(headers, encoding)
            && let Some(packed) = Files::get(&[name, ending].concat())
        {
            return (packed, Some(encoding));
        }
    }
    (plain, None)
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json; charset=utf-8",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
