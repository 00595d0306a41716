//! What handlers share.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use app::App;
use axum::extract::FromRef;
use domain::network::client_ip;
use http::HeaderMap;
use ipnet::IpNet;

use crate::serve::Peer;

#[derive(Clone)]
pub struct WebState {
    pub app: App,
    pub settings: Arc<Settings>,
}

/// The part of the configuration that requests are judged by.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Scheme, host and port of our own pages, as a browser sends it in `Origin`.
    pub public_url: String,
    pub trusted_proxies: Arc<[IpNet]>,
    pub require_tls: bool,
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

    pub fn client_ip(&self, peer: Peer, headers: &HeaderMap) -> IpAddr {
        let forwarded = headers
            .get_all("x-forwarded-for")
            .iter()
            .filter_map(|value| value.to_str().ok());
        let hops: Vec<&str> = forwarded
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .collect();
        client_ip(peer.0.ip(), &self.trusted_proxies, hops.into_iter())
    }

    /// Whether the request reached us, or the trusted proxy before us, over TLS or never left this machine.
    pub fn arrived_safely(&self, peer: Peer, headers: &HeaderMap) -> bool {
        let trusted = self
            .trusted_proxies
            .iter()
            .any(|network| network.contains(&peer.0.ip()));
        if trusted {
            return headers
                .get("x-forwarded-proto")
                .is_some_and(|proto| proto == "https");
        }
        peer.0.ip().is_loopback()
    }
}

impl FromRef<WebState> for App {
    fn from_ref(state: &WebState) -> App {
        state.app.clone()
    }
}
