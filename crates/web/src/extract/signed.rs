//! What another service tells us, with the proof that it was that service.

use std::marker::PhantomData;

use app::AppError;
use app::error::ServiceError;
use axum::extract::{FromRequest, Request};
use domain::network::ClientNetwork;
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use sha2::Sha256;

use super::body::read_bytes;
use crate::error::Failure;
use crate::layers::Surface;
use crate::routes::NetworkLimit;
use crate::serve::Peer;
use crate::state::WebState;

/// How far the clock of a sender may be from ours, and how long what it signed can be sent again.
const TOLERANCE_S: u64 = 300;

/// How a service signs what it sends: HMAC with SHA-256.
pub trait Signature: Send + Sync + 'static {
    /// What a request shows; nothing where it is not of the sender's form.
    fn shown(headers: &HeaderMap) -> Option<Shown>;

    /// What it signs with: two while a secret is being replaced, none where it is not set up.
    fn secrets(state: &WebState) -> Vec<&[u8]>;
}

/// What a request shows as the proof of its sender.
pub struct Shown {
    /// When it was signed, in seconds.
    pub at_s: i64,
    /// What stood in front of the body when it was signed, the time among it.
    pub before_body: Vec<u8>,
    /// One of these has to fit: a sender shows several while a secret is being replaced.
    pub codes: Vec<[u8; 32]>,
}

impl Shown {
    fn is_recent(&self, now_ms: i64) -> bool {
        self.at_s.abs_diff(now_ms.div_euclid(1000)) <= TOLERANCE_S
    }

    /// Comparing takes the same time wherever two codes differ.
    fn fits(&self, secret: &[u8], body: &[u8]) -> bool {
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(secret) else {
            return false;
        };
        let mac = mac.chain_update(&self.before_body).chain_update(body);
        self.codes
            .iter()
            .any(|code| mac.clone().verify_slice(code).is_ok())
    }
}

/// A body as it was sent, byte for byte, and not read by anybody yet. There is none whose signature does not fit. It
/// cannot be printed.
pub struct Signed<S> {
    body: Vec<u8>,
    sender: PhantomData<S>,
}

impl<S> Signed<S> {
    /// What the service signed.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

impl<S: Signature> FromRequest<WebState> for Signed<S> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Failure> {
        let refused = || AppError::invalid("signature", "does not match what was sent");
        let (parts, body) = request.into_parts();
        let mut secrets = S::secrets(state);
        // Anybody can sign with nothing.
        secrets.retain(|secret| !secret.is_empty());
        let shown = S::shown(&parts.headers).filter(|shown| shown.is_recent(state.app.now_ms()));
        let shown = shown.filter(|_| !secrets.is_empty()).ok_or_else(refused)?;
        // What is read now may be anybody's.
        let client = state.settings.client(Peer::of(&parts.extensions), &parts.headers);
        let mut room = state.app.memories.unproven.begin(ClientNetwork::of(client));
        let keep = |bytes| {
            room.keep(bytes)
                .then_some(())
                .ok_or(ServiceError::Overloaded.into())
        };
        let body = read_bytes(body, Surface::of(&parts.extensions), keep).await?;
        if !secrets.into_iter().any(|secret| shown.fits(secret, &body)) {
            state.count_network(NetworkLimit::Unproven, (&parts.extensions, &parts.headers))?;
            return Err(refused().into());
        }
        let sender = PhantomData;
        Ok(Self { body, sender })
    }
}
