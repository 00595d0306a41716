//! The one way out: how clients are made, how answers are read, and what can go wrong.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::pacing::RateHeaders;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder, StatusCode};
use rustls::RootCertStore;
use url::{Host, Url};

use crate::dates;

pub(crate) const USER_AGENT: &str = concat!("Symbolon/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// From the first byte sent to the last one read.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(5);
/// For a 429 that does not say when to come back, and the longest that is believed.
const RETRY_AFTER_S: i64 = 5;
const LONGEST_RETRY_S: i64 = 60 * 60;
/// Idle connections kept per host; a few, because calls come in bursts.
const IDLE_CONNECTIONS: usize = 8;
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// The client could not be made: an address that is none, or a TLS set-up that cannot work.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub(crate) String);

impl SetupError {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// A call that brought no usable answer. Holds nothing that was sent or received, so that no secret can travel in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    #[error("no answer in time")]
    Timeout,
    #[error("not reachable")]
    Unreachable,
    #[error("our credentials were refused")]
    Refused,
    /// Too many questions. `for_all` when it is not about this place alone.
    #[error("status 429: asked too often")]
    Throttled { retry_after_ms: i64, for_all: bool },
    /// The same because of what others asked, which is held against nobody.
    #[error("status 429: others ask it too often")]
    Crowded { retry_after_ms: i64 },
    #[error("status {0}")]
    Status(u16),
    /// A refusal that is about the one person or role it was asked for, and about no other.
    #[error("status {0} for this person or role")]
    Personal(u16),
    #[error("the answer is too long")]
    TooLong,
    #[error("the answer makes no sense")]
    Unreadable,
    #[error("not asked, because it kept failing")]
    Paused { retry_after_ms: i64 },
    #[error("not asked, because others are first")]
    Held { retry_after_ms: i64 },
    #[error("not asked, because today's calls are used up")]
    OverQuota { retry_after_ms: i64 },
    #[error("not asked, because it was refused with status {status} a short while ago")]
    Remembered { status: u16, retry_after_ms: i64 },
    #[error("not asked, because one tenant was refused too often")]
    OverShare { retry_after_ms: i64 },
}

impl Unanswered {
    /// When asking again may help, if that is known.
    pub fn retry_after_ms(self) -> Option<i64> {
        match self {
            Self::Paused { retry_after_ms }
            | Self::Held { retry_after_ms }
            | Self::Crowded { retry_after_ms }
            | Self::OverQuota { retry_after_ms }
            | Self::Remembered { retry_after_ms, .. }
            | Self::OverShare { retry_after_ms }
            | Self::Throttled { retry_after_ms, .. } => Some(retry_after_ms),
            Self::Timeout
            | Self::Unreachable
            | Self::Refused
            | Self::Status(_)
            | Self::Personal(_)
            | Self::TooLong
            | Self::Unreadable => None,
        }
    }

    /// One word for it, for logs and metrics.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::Throttled { .. } | Self::Crowded { .. } => "throttled",
            Self::Status(500..) => "failed",
            Self::Status(_) => "status",
            Self::Personal(_) => "personal",
            Self::TooLong | Self::Unreadable => "unreadable",
            Self::Paused { .. } => "paused",
            Self::Held { .. } => "held",
            Self::OverQuota { .. } => "over_quota",
            Self::Remembered { .. } => "remembered",
            Self::OverShare { .. } => "over_share",
        }
    }

    /// Whether the same question may be answered another time. A refusal of our credentials or of our haste is no answer
    /// to it.
    pub fn may_pass(self) -> bool {
        !self.is_refusal()
            || matches!(
                self,
                Self::Refused | Self::Throttled { .. } | Self::Crowded { .. }
            )
    }

    /// What Discord counts before it shuts an address out: 401, 403 and 429.
    pub(crate) fn counts(self) -> bool {
        matches!(
            self,
            Self::Refused
                | Self::Throttled { .. }
                | Self::Status(401 | 403 | 429)
                | Self::Personal(401 | 403 | 429)
        )
    }

    /// An answer that says no, as opposed to none.
    pub fn is_refusal(self) -> bool {
        match self {
            Self::Refused
            | Self::Throttled { .. }
            | Self::Crowded { .. }
            | Self::Status(400..500)
            | Self::Personal(_) => true,
            Self::Timeout
            | Self::Unreachable
            | Self::Status(_)
            | Self::TooLong
            | Self::Unreadable
            | Self::Paused { .. }
            | Self::Held { .. }
            | Self::OverQuota { .. }
            | Self::Remembered { .. }
            | Self::OverShare { .. } => false,
        }
    }

    /// Whether the question went out at all.
    pub fn was_asked(self) -> bool {
        match self {
            Self::Paused { .. }
            | Self::Held { .. }
            | Self::OverQuota { .. }
            | Self::Remembered { .. }
            | Self::OverShare { .. } => false,
            Self::Timeout
            | Self::Unreachable
            | Self::Refused
            | Self::Throttled { .. }
            | Self::Crowded { .. }
            | Self::Status(_)
            | Self::Personal(_)
            | Self::TooLong
            | Self::Unreadable => true,
        }
    }
}

/// The error's own text names the address, and addresses hold keys: only its kind is kept.
impl From<reqwest::Error> for Unanswered {
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
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// When it was given, by the clock of whoever gave it.
    pub(crate) date_ms: Option<i64>,
    /// Seconds of `Retry-After`.
    retry_after_s: Option<i64>,
    /// Discord's word for a limit over everything we ask.
    is_global: bool,
    /// Discord's word for whose limit it is.
    pub(crate) scope: Option<String>,
    /// What Discord told of the bucket.
    pub(crate) told: Option<RateHeaders>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn is_ok(&self) -> bool {
        self.status == StatusCode::OK
    }

    /// What the status means that a call has no other use for.
    pub(crate) fn unanswered(&self) -> Unanswered {
        match self.status.as_u16() {
            429 => Unanswered::Throttled {
                retry_after_ms: self.retry_after_ms(),
                for_all: self.is_global,
            },
            other => Unanswered::Status(other),
        }
    }

    /// The same where the question carried credentials of ours.
    pub(crate) fn unanswered_to_us(&self) -> Unanswered {
        match self.status.as_u16() {
            401 => Unanswered::Refused,
            _ => self.unanswered(),
        }
    }

    pub(crate) fn retry_after_ms(&self) -> i64 {
        let asked_s = self.retry_after_s.unwrap_or(RETRY_AFTER_S);
        asked_s.clamp(1, LONGEST_RETRY_S) * 1_000
    }

    pub(crate) fn json<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, Unanswered> {
        serde_json::from_slice(&self.body).map_err(|_| Unanswered::Unreadable)
    }
}

/// A client for one provider.
pub(crate) fn client(user_agent: &str) -> Result<Client, SetupError> {
    let client = builder(tls()?, user_agent)
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TOTAL_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .pool_idle_timeout(IDLE_TIMEOUT);
    made(client)
}

/// A client for one call to somebody whom no setting names: it connects to these addresses, whatever the name in the URL
/// stands for by then.
pub(crate) fn pinned(
    tls: &rustls::ClientConfig,
    addresses: Vec<SocketAddr>,
    patience: Duration,
) -> Result<Client, SetupError> {
    let client = builder(tls.clone(), USER_AGENT)
        .dns_resolver(Pinned(addresses))
        .timeout(patience)
        .pool_max_idle_per_host(0);
    made(client)
}

#[expect(clippy::disallowed_methods, reason = "the one place where clients are made")]
fn builder(tls: rustls::ClientConfig, user_agent: &str) -> ClientBuilder {
    Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(user_agent)
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .http1_only()
}

fn made(client: ClientBuilder) -> Result<Client, SetupError> {
    let client = client.build();
    client.map_err(|error| SetupError(format!("no HTTP client: {}", error.without_url())))
}

/// Every name stands for these.
struct Pinned(Vec<SocketAddr>);

impl Resolve for Pinned {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// Sends the request and reads at most `limit_bytes` of its answer.
pub(crate) async fn send(request: RequestBuilder, limit_bytes: usize) -> Result<Answer, Unanswered> {
    let mut response = request.send().await?;
    let status = response.status();
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let date_ms = header("date").and_then(dates::http_ms);
    let retry_after_s = header("retry-after").and_then(whole_seconds);
    let scope = header("x-ratelimit-scope").map(str::to_owned);
    let is_global = header("x-ratelimit-global").is_some() || scope.as_deref() == Some("global");
    let told = told(&header);
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > limit_bytes {
            return Err(if status.is_server_error() {
                Unanswered::Status(status.as_u16())
            } else {
                Unanswered::TooLong
            });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer {
        status,
        date_ms,
        retry_after_s,
        is_global,
        scope,
        told,
        body,
    })
}

fn told<'a>(header: &impl Fn(&str) -> Option<&'a str>) -> Option<RateHeaders> {
    let number = |name| header(name).and_then(|text| text.parse().ok());
    let reset_after_s: f64 = header("x-ratelimit-reset-after")?.parse().ok()?;
    Some(RateHeaders {
        bucket: header("x-ratelimit-bucket")?.to_owned(),
        limit: number("x-ratelimit-limit")?,
        remaining: number("x-ratelimit-remaining")?,
        // Nonsense and what is too long are held to what is believed of any pause.
        reset_after_ms: (reset_after_s * 1_000.0)
            .ceil()
            .clamp(0.0, LONGEST_RETRY_S as f64 * 1_000.0) as i64,
    })
}

/// Seconds, rounded up: Discord sends fractions of them.
fn whole_seconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let seconds: i64 = whole.parse().ok()?;
    Some(seconds.saturating_add(i64::from(!fraction.is_empty())))
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Certificates are always verified, against the machine's own store.
pub(crate) fn tls() -> Result<rustls::ClientConfig, SetupError> {
    let mut roots = RootCertStore::empty();
    // Without a store every call over TLS fails; calls to this machine still work.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SetupError(format!("no TLS: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
