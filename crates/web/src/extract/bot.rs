//! A bot of the platform, by its secret. A handler of a bot's route cannot run without it.

use std::marker::PhantomData;

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

const BOT_ID: HeaderName = HeaderName::from_static("x-bot-id");

/// Where the secrets of bots are recorded.
pub trait BotRegister: Send + Sync + 'static {
    /// Whose secret it is.
    fn holder(
        app: &App,
        secret: &BotSecretHash,
    ) -> impl Future<Output = Result<Option<BotId>, AppError>> + Send;

    /// What a bot is told that shows its secret under the name of another one.
    fn mismatch() -> AppError;
}

/// Who asks. What a bot says about itself is a claim, its secret is the proof; there is none whose two do not belong
/// together.
pub struct Bot<R> {
    id: BotId,
    register: PhantomData<R>,
}

impl<R> Bot<R> {
    /// The one that the secret was given to.
    pub fn id(&self) -> &BotId {
        &self.id
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
        let Some(id) = R::holder(&state.app, &secret.hash()).await? else {
            state.count_network(NetworkLimit::Unproven, (&parts.extensions, &parts.headers))?;
            return Err(KeysError::Unauthorized.into());
        };
        passed(&state.app.memories.gate.take_bot(&id))?;
        if claimed(&parts.headers)? != id {
            return Err(R::mismatch().into());
        }
        let register = PhantomData;
        Ok(Self { id, register })
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
