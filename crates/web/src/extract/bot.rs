//! A bot of the platform, by its secret. A handler of a bot's route cannot run without it.

use app::error::{HttpError, KeysError};
use app::{App, AppError};
use axum::extract::FromRequestParts;
use domain::bot::{BotId, BotSecret, BotSecretHash};
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, HeaderName};

use super::bearer::bearer;
use crate::error::Failure;
use crate::routes::NetworkLimit;
use crate::serve::Peer;
use crate::state::{WebState, passed};

/// The path of what bots hand on of people.
const HANDED_ON: &str = "/interactions";
const BOT_ID: HeaderName = HeaderName::from_static("x-bot-id");

/// Where the secrets of bots are recorded.
pub trait BotRegister: Send + Sync + 'static {
    /// What is recorded with a secret.
    type Record: AsRef<BotId> + Send + Sync + 'static;

    /// Whose secret it is.
    fn holder(
        app: &App,
        secret: &BotSecretHash,
    ) -> impl Future<Output = Result<Option<Self::Record>, AppError>> + Send;

    /// What a bot is told that shows its secret under the name of another one.
    fn mismatch() -> AppError;
}

/// Who asks. What a bot says about itself is a claim, its secret is the proof; there is none whose two do not belong
/// together.
pub struct Bot<R: BotRegister> {
    record: R::Record,
}

impl<R: BotRegister> Bot<R> {
    /// The one that the secret was given to.
    pub fn id(&self) -> &BotId {
        self.record.as_ref()
    }

    /// What is recorded of it.
    pub fn record(&self) -> &R::Record {
        &self.record
    }
}

impl<R: BotRegister> FromRequestParts<WebState> for Bot<R> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let secret = secret(&parts.headers).ok_or(KeysError::Unauthorized)?;
        let (peer, settings) = (Peer::of(&parts.extensions), &state.settings);
        if settings.require_tls && !settings.arrived_safely(peer, &parts.headers) {
            return Err(HttpError::TlsRequired.into());
        }
        let Some(record) = R::holder(&state.app, &secret.hash()).await? else {
            state.count_network(NetworkLimit::Unproven, (&parts.extensions, &parts.headers))?;
            return Err(KeysError::Unauthorized.into());
        };
        let gate = &state.app.memories.gate;
        let counted = if parts.uri.path().ends_with(HANDED_ON) {
            gate.take_handed_on(record.as_ref())
        } else {
            gate.take_bot(record.as_ref())
        };
        passed(&counted)?;
        if claimed(&parts.headers)? != *record.as_ref() {
            return Err(R::mismatch().into());
        }
        Ok(Self { record })
    }
}

/// The one secret that is shown; none when there are several.
fn secret(headers: &HeaderMap) -> Option<BotSecret> {
    let mut shown = headers.get_all(AUTHORIZATION).iter().filter_map(bearer);
    let (first, None) = (shown.next()?, shown.next()) else {
        return None;
    };
    let text = std::str::from_utf8(first).ok()?;
    BotSecret::parse(text.trim())
}

/// Who the caller says it is.
fn claimed(headers: &HeaderMap) -> Result<BotId, AppError> {
    let refused = |problem| AppError::invalid("X-Bot-Id", problem);
    let mut sent = headers.get_all(BOT_ID).iter();
    let (Some(value), None) = (sent.next(), sent.next()) else {
        return Err(refused("it has to be sent, once"));
    };
    let id = value.to_str().ok().and_then(BotId::parse);
    id.ok_or_else(|| refused("it is \"platform\" or the Discord id of the bot"))
}
