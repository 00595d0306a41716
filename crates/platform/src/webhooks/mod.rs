//! Calls to addresses that are no setting of the operator's. They go to the public internet and nowhere else: a name is
//! looked up once, every address that it has is checked, and the connection is made to exactly these. No answer's body is
//! read.

mod addresses;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use rustls::ClientConfig;
use url::{Host, Url};

pub use self::addresses::is_public;
use crate::http::{self, SetupError};

/// From the question for the name to the head of the answer.
const PATIENCE: Duration = Duration::from_secs(10);
const MOST_URL_CHARS: usize = 2_000;

/// The addresses of a name, as they arrive.
pub type Found = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;
/// Asks for the addresses of a name at a port.
pub type LookUp = Arc<dyn Fn(String, u16) -> Found + Send + Sync>;

/// Why nothing is sent to a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusedUrl {
    #[error(
        "it must be a URL of at most {} characters, such as https://example.com/hook",
        MOST_URL_CHARS
    )]
    Form,
    #[error("it must begin with https://")]
    Scheme,
    #[error("it cannot contain a user name, a password or a part after #")]
    Extra,
    #[error("its port must be 443 or at least 1024")]
    Port,
    #[error("its address must be one of the public internet")]
    Address,
}

/// Why a message was not taken. Holds nothing of what was sent or answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// The receiver is gone for good and says so.
    Gone,
    /// It answered with something else than success; redirections are not followed.
    Status(u16),
    /// Its name stands for an address that nothing is sent to.
    Forbidden,
    Timeout,
    Unreachable,
}

/// What is sent, with the proof of who sent it. It names accounts, so it cannot be printed.
pub struct Message {
    pub id: String,
    /// When it was signed, in seconds.
    pub at_s: i64,
    pub signatures: String,
    pub body: String,
}

/// Sends messages.
pub struct Webhooks {
    tls: ClientConfig,
    allow_private: bool,
    look_up: LookUp,
}

impl Webhooks {
    /// `allow_private` lets them go to every address, also without TLS: for tests, and for receivers beside the service.
    pub fn new(allow_private: bool) -> Result<Self, SetupError> {
        Self::asking(allow_private, Arc::new(|name, port| Box::pin(system(name, port))))
    }

    /// The same with another way to look names up.
    pub fn asking(allow_private: bool, look_up: LookUp) -> Result<Self, SetupError> {
        let tls = http::tls()?;
        Ok(Self {
            tls,
            allow_private,
            look_up,
        })
    }

    /// Refuses what could never be sent to. What a name stands for is looked at whenever something is sent.
    pub fn check(&self, url: &str) -> Result<(), RefusedUrl> {
        let url = self.parse(url)?;
        let literal = match url.host().ok_or(RefusedUrl::Form)? {
            Host::Domain(_) => return Ok(()),
            Host::Ipv4(address) => IpAddr::V4(address),
            Host::Ipv6(address) => IpAddr::V6(address),
        };
        if self.is_allowed(literal) {
            Ok(())
        } else {
            Err(RefusedUrl::Address)
        }
    }

    /// Sends a message once. Success is any status from 200 to 299.
    pub async fn send(&self, url: &str, message: Message) -> Result<(), NotTaken> {
        match tokio::time::timeout(PATIENCE, self.post(url, message)).await {
            Ok(sent) => sent,
            Err(_) => Err(NotTaken::Timeout),
        }
    }

    async fn post(&self, url: &str, message: Message) -> Result<(), NotTaken> {
        let url = self.parse(url).map_err(|_| NotTaken::Forbidden)?;
        let addresses = self.addresses(&url).await?;
        // A client of its own: no connection is kept whose address was checked for another message.
        let client = http::pinned(&self.tls, addresses, PATIENCE).map_err(|_| NotTaken::Unreachable)?;
        let request = client
            .post(url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", message.at_s)
            .header("webhook-signature", &message.signatures)
            .body(message.body);
        // The error's own text names the URL, which may hold a secret of the receiver's: only its kind is kept.
        let answer = request.send().await.map_err(|error| {
            if error.is_timeout() {
                NotTaken::Timeout
            } else {
                NotTaken::Unreachable
            }
        })?;
        match answer.status().as_u16() {
            200..300 => Ok(()),
            410 => Err(NotTaken::Gone),
            status => Err(NotTaken::Status(status)),
        }
    }

    fn parse(&self, text: &str) -> Result<Url, RefusedUrl> {
        if text.len() > MOST_URL_CHARS {
            return Err(RefusedUrl::Form);
        }
        let url = Url::parse(text).map_err(|_| RefusedUrl::Form)?;
        if url.scheme() != "https" && !(self.allow_private && url.scheme() == "http") {
            return Err(RefusedUrl::Scheme);
        }
        let is_bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        if !is_bare {
            return Err(RefusedUrl::Extra);
        }
        match url.port_or_known_default() {
            Some(443 | 1024..) => Ok(url),
            Some(_) if self.allow_private => Ok(url),
            Some(_) | None => Err(RefusedUrl::Port),
        }
    }

    /// Where a URL leads, looked up once. One address that is refused is enough: whoever answers for the name chooses the
    /// others, too.
    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, NotTaken> {
        let port = url.port_or_known_default().ok_or(NotTaken::Forbidden)?;
        let found = match url.host().ok_or(NotTaken::Forbidden)? {
            Host::Domain(name) => (self.look_up)(name.to_owned(), port).await.unwrap_or_default(),
            Host::Ipv4(address) => vec![SocketAddr::from((address, port))],
            Host::Ipv6(address) => vec![SocketAddr::from((address, port))],
        };
        if found.is_empty() {
            return Err(NotTaken::Unreachable);
        }
        if found.iter().all(|address| self.is_allowed(address.ip())) {
            Ok(found)
        } else {
            Err(NotTaken::Forbidden)
        }
    }

    fn is_allowed(&self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }
}

async fn system(name: String, port: u16) -> io::Result<Vec<SocketAddr>> {
    tokio::net::lookup_host((name, port)).await.map(Iterator::collect)
}
