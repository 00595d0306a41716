//! What handlers share.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use app::error::RequestError;
use app::{App, AppError};
use axum::extract::FromRef;
use domain::link::Country;
use domain::network::{ClientAddress, ClientNetwork, client_address};
use domain::rate::Decision;
use domain::token::SessionToken;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;

use crate::routes::{NetworkLimit, RouteTable};
use crate::serve::Peer;

#[derive(Clone)]
pub struct WebState {
    pub app: App,
    pub settings: Arc<Settings>,
    /// Every route there is.
    pub routes: &'static RouteTable,
}

impl WebState {
    /// Counts a request for the network it comes from.
    pub fn count_network(
        &self,
        limit: NetworkLimit,
        (request, headers): (&Extensions, &HeaderMap),
    ) -> Result<(), AppError> {
        let client = self.settings.client(Peer::of(request), headers);
        let gate = &self.app.memories.gate;
        passed(&match limit {
            NetworkLimit::Starts => gate.take_link_start(ClientNetwork::exact(client)),
            NetworkLimit::Steps => gate.take_link_step(ClientNetwork::exact(client)),
            NetworkLimit::Unproven => gate.take_unknown_key(ClientNetwork::of(client)),
        })
    }

    /// Where a visitor is, as two letters: from the proxy's header if one is configured, else from the table of networks.
    /// The address itself goes no further.
    pub fn country(&self, peer: Peer, headers: &HeaderMap, client: ClientAddress) -> Option<Country> {
        let named = self
            .settings
            .country_header
            .as_ref()
            .filter(|_| self.settings.comes_from_proxy(peer));
        let told = named
            .and_then(|name| headers.get(name))
            .and_then(|value| value.to_str().ok());
        match told {
            Some(text) => Country::parse(text).ok(),
            None => {
                let address = client.known()?;
                let geo = self.app.platforms.geo.as_ref()?;
                geo.country(address)
            }
        }
    }
}

/// Refuses what a bucket has no more room for.
pub(crate) fn passed(decision: &Decision) -> Result<(), AppError> {
    if decision.allowed {
        return Ok(());
    }
    Err(RequestError::RateLimited {
        retry_after_ms: decision.retry_after_ms,
    }
    .into())
}

/// The part of the configuration that requests are judged by.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Scheme, host and port of our own pages, as a browser sends it in `Origin`.
    pub public_url: String,
    pub trusted_proxies: Arc<[IpNet]>,
    pub require_tls: bool,
    /// The one address that we listen on, if it is not every one.
    pub own_ip: Option<IpAddr>,
    /// The header in which trusted proxies tell the visitor's country.
    pub country_header: Option<HeaderName>,
    pub request_timeout: Duration,
}

impl Settings {
    pub fn is_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }

    /// Over plain HTTP the `__Host-` prefix is not allowed, so the sandbox uses a bare name.
    pub fn session_cookie(&self) -> &'static str {
        if self.is_https() {
            "__Host-symbolon"
        } else {
            "symbolon"
        }
    }

    /// Keeps a session in the browser. Lax, because people come back from Discord's site.
    pub fn set_session(&self, token: &SessionToken) -> HeaderValue {
        self.cookie(
            self.session_cookie(),
            token.expose(),
            app::identity::sessions::ABSOLUTE_MS / 1000,
        )
    }

    pub fn clear_session(&self) -> HeaderValue {
        self.cookie(self.session_cookie(), "", 0)
    }

    /// A cookie for our own pages only, out of reach of scripts.
    pub fn cookie(&self, name: &str, value: &str, seconds: i64) -> HeaderValue {
        let secure = if self.is_https() { "; Secure" } else { "" };
        let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
    }

    /// What ties a browser to a sign-in that is under way.
    pub fn sign_in_cookie(&self) -> &'static str {
        if self.is_https() {
            "__Host-symbolon-sign-in"
        } else {
            "symbolon-sign-in"
        }
    }

    /// Who somebody has shown to be on their own page.
    pub fn visit_cookie(&self) -> &'static str {
        if self.is_https() {
            "__Host-symbolon-me"
        } else {
            "symbolon-me"
        }
    }

    /// What ties a browser to its way through the link page.
    pub fn flow_cookie(&self) -> &'static str {
        if self.is_https() {
            "__Host-symbolon-flow"
        } else {
            "symbolon-flow"
        }
    }

    /// Whether a header about the visitor was written by a proxy of ours and not by the visitor.
    pub fn comes_from_proxy(&self, peer: Peer) -> bool {
        let ip = peer.0.ip().to_canonical();
        self.trusted_proxies.iter().any(|proxy| proxy.contains(&ip))
    }

    /// Whom limits and blocks of a network are about.
    pub fn client(&self, peer: Peer, headers: &HeaderMap) -> ClientAddress {
        let forwarded = headers.get_all("x-forwarded-for").iter();
        client_address(
            peer.0.ip(),
            &self.trusted_proxies,
            forwarded.map(HeaderValue::as_bytes),
        )
    }

    /// Whether the request reached us, or the trusted proxy before us, over TLS or never left this machine.
    pub fn arrived_safely(&self, peer: Peer, headers: &HeaderMap) -> bool {
        if self.comes_from_proxy(peer) {
            // A visitor may have sent one of several.
            let mut told = headers.get_all("x-forwarded-proto").iter().peekable();
            return told.peek().is_some() && told.all(|proto| proto == "https");
        }
        let ip = peer.0.ip().to_canonical();
        ip.is_loopback() || self.own_ip == Some(ip)
    }
}

impl FromRef<WebState> for App {
    fn from_ref(state: &WebState) -> App {
        state.app.clone()
    }
}
