//! The one way out: how the client is made, and how answers are read.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use rustls::RootCertStore;
use serde::Serialize;

use crate::SetupError;

const USER_AGENT: &str = concat!("DiscordBot (Symbolon, ", env!("CARGO_PKG_VERSION"), ")");
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// From the first byte sent to the last one read, where a call says nothing else.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const MOST_BYTES: usize = 256 * 1024;
/// For a 429 that does not say when to come back, and the longest that is believed.
const RETRY_AFTER: Duration = Duration::from_secs(5);
const LONGEST_RETRY: Duration = Duration::from_secs(24 * 60 * 60);

/// A call that brought no answer. Holds nothing that was sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    #[error("no answer in time")]
    Timeout,
    #[error("not reachable")]
    Unreachable,
    #[error("the answer makes no sense")]
    Unreadable,
    #[error("it answers with status {0}")]
    Refused(u16),
}

/// The error's own text names the address: only its kind is kept.
impl From<reqwest::Error> for Silence {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            Self::Timeout
        } else if error.is_decode() || error.is_body() {
            Self::Unreadable
        } else {
            Self::Unreachable
        }
    }
}

/// An answer, read to its end.
pub struct Answer {
    pub status: u16,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl Answer {
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub fn json<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, Silence> {
        serde_json::from_slice(&self.body).map_err(|_| Silence::Unreadable)
    }

    /// Why the service refused.
    pub fn code(&self) -> String {
        #[derive(serde::Deserialize)]
        struct Refusal {
            code: String,
        }
        self.json::<Refusal>()
            .map(|refusal| refusal.code)
            .unwrap_or_default()
    }

    /// When to come back.
    pub fn retry_after(&self) -> Duration {
        self.retry_after.unwrap_or(RETRY_AFTER).min(LONGEST_RETRY)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place of this crate where clients are made"
)]
pub fn client() -> Result<Client, SetupError> {
    Client::builder()
        .tls_backend_preconfigured(tls()?)
        .user_agent(USER_AGENT)
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TOTAL_TIMEOUT)
        .pool_max_idle_per_host(1)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .http1_only()
        .build()
        .map_err(|error| SetupError(format!("no HTTP client: {}", error.without_url())))
}

/// The request with this body.
pub fn with_json(request: RequestBuilder, body: &impl Serialize) -> Result<RequestBuilder, Silence> {
    let bytes = serde_json::to_vec(body).map_err(|_| Silence::Unreadable)?;
    Ok(request.header("content-type", "application/json").body(bytes))
}

/// Sends the request and reads its answer, which must not be endless.
pub async fn send(request: RequestBuilder) -> Result<Answer, Silence> {
    let mut response = request.send().await?;
    let status = response.status().as_u16();
    let seconds = response.headers().get("retry-after");
    let seconds = seconds.and_then(|value| value.to_str().ok()?.parse::<f64>().ok());
    let retry_after = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(Silence::Unreadable);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer {
        status,
        retry_after,
        body,
    })
}

/// Certificates are always verified, against the machine's own store: the service may have one of its own authority.
fn tls() -> Result<rustls::ClientConfig, SetupError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SetupError(format!("no TLS: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
