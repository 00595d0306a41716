//! Signing in through Steam: OpenID 2.0, with Steam as the only provider there is.
//!
//! Nothing is discovered and no association is made. Who the provider is, is a constant; only where the browser is
//! sent and the check is posted comes from the configuration. A sign-in is three steps for the caller:
//!
//! 1. [`OpenId::return_to`] with a one-time flow id, and [`OpenId::sign_in_url`] to send the browser to.
//! 2. When the browser comes back: [`Assertion::parse`] on the raw query, with the same [`ReturnTo`]. Nothing is sent
//!    yet, and [`Assertion::claimed_id`] can be held against a blocklist.
//! 3. [`OpenId::check`], which asks Steam and gives a [`Confirmed`]. Its nonce has to be recorded, see there.

mod assertion;
mod nonce;
mod reply;

use domain::clock::SharedClock;
use domain::platform_id::SteamId;
use reqwest::Client;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use url::Url;

use crate::guard::{Guard, Standing};
use crate::http::{self, SetupError, Unanswered};
use crate::question::Question;

pub use assertion::{Assertion, Forged};
pub use nonce::Nonce;

const NS: &str = "http://specs.openid.net/auth/2.0";
const SELECT: &str = "http://specs.openid.net/auth/2.0/identifier_select";
/// The provider's name for itself, whatever address it is reached under.
const OP_ENDPOINT: &str = "https://steamcommunity.com/openid/login";
const CLAIMED_ID_PREFIX: &str = "https://steamcommunity.com/openid/id/";
const ANSWER_BYTES: usize = 4 * 1024;

/// What the log calls a check.
pub const ROUTE: &str = "POST /openid/login";

/// Steam's sign-in for one installation.
pub struct OpenId {
    client: Client,
    endpoint: Url,
    /// Our own origin: what the person is told they sign in to.
    realm: String,
    guard: Guard,
}

/// The exact address that Steam sends the browser back to: our callback with the flow's one-time id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnTo(String);

impl ReturnTo {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Steam vouches for this identity.
///
/// **The nonce must be stored under a unique key in the transaction that binds the identity; when it is there already,
/// nothing is bound.** Steam itself is not relied on to refuse a second use. A stored nonce can be forgotten after
/// [`Nonce::expires_at_ms`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "the nonce has to be recorded before the identity is used"]
pub struct Confirmed {
    pub steam_id: SteamId,
    pub nonce: Nonce,
}

/// Why a sign-in came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotConfirmed {
    #[error("Steam does not know this sign-in")]
    Denied,
    /// The same sign-in may be tried again. Never a reason to let somebody in.
    #[error("Steam did not say whether this sign-in is real: {0}")]
    TryAgain(#[from] Unanswered),
}

impl OpenId {
    /// `endpoint` is where Steam is reached, `public_url` our own origin. People's sign-ins come back over https; plain
    /// http is for this machine.
    pub fn new(endpoint: &str, public_url: &str, clock: SharedClock) -> Result<Self, SetupError> {
        let wrong = |what: &str| SetupError(what.to_owned());
        let endpoint = Url::parse(endpoint).map_err(|_| wrong("steam.openid_url is not an address"))?;
        let own = Url::parse(public_url).map_err(|_| wrong("server.public_url is not an address"))?;
        if own.scheme() != "https" && !http::is_loopback(&own) {
            return Err(wrong(
                "server.public_url must be https for people to sign in with Steam",
            ));
        }
        Ok(Self {
            client: http::client(http::USER_AGENT)?,
            endpoint,
            realm: public_url.trim_end_matches('/').to_owned(),
            guard: Guard::new("Steam sign-in", clock),
        })
    }

    /// How the calls went so far.
    pub fn standing(&self) -> Standing {
        self.guard.standing()
    }

    /// Where a flow's sign-in comes back to. `path` is one of our callbacks and begins with a slash; `flow` is an
    /// unguessable id that is used once.
    pub fn return_to(&self, path: &str, flow: &str) -> ReturnTo {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("flow", flow);
        ReturnTo([&self.realm, path, "?", &query.finish()].concat())
    }

    /// Where to send the browser.
    pub fn sign_in_url(&self, return_to: &ReturnTo) -> String {
        let mut url = self.endpoint.clone();
        url.query_pairs_mut()
            .append_pair("openid.ns", NS)
            .append_pair("openid.mode", "checkid_setup")
            .append_pair("openid.return_to", return_to.as_str())
            .append_pair("openid.realm", &self.realm)
            .append_pair("openid.identity", SELECT)
            .append_pair("openid.claimed_id", SELECT);
        url.into()
    }

    /// Asks Steam whether it made this assertion.
    pub async fn check(&self, assertion: Assertion) -> Result<Confirmed, NotConfirmed> {
        let call = async {
            let form = HeaderValue::from_static("application/x-www-form-urlencoded");
            let request = self.client.post(self.endpoint.clone()).header(CONTENT_TYPE, form);
            let request = request.body(assertion.check_body());
            let answer = self.guard.send(request, ANSWER_BYTES).await?;
            if !answer.is_ok() {
                return Err(answer.unanswered());
            }
            reply::is_valid(&answer.body).ok_or(Unanswered::Unreadable)
        };
        match self.guard.call(Question::on(ROUTE), call).await? {
            true => Ok(assertion.confirmed()),
            false => Err(NotConfirmed::Denied),
        }
    }
}
