//! Which bot works in a Guild: its own while that is online, and the shared one otherwise.

use std::ops::Deref;
use std::sync::Arc;

use domain::bot::BotId;
use domain::platform_id::DiscordId;
use domain::seal::Aad;
use platform::discord::{Clients, Rest};
use secrecy::SecretString;
use storage::GuildNum;
use storage::bots::dedicated::{self, SealedToken};

use crate::error::AppError;
use crate::state::App;

/// The client of a bot.
pub(crate) enum Bot<'a> {
    Shared(&'a Rest),
    Own(DiscordId, Arc<Rest>),
}

impl Bot<'_> {
    /// Which one it is.
    pub(crate) fn id(&self) -> BotId {
        match self {
            Self::Shared(_) => BotId::Platform,
            Self::Own(id, _) => BotId::Dedicated(id.clone()),
        }
    }
}

impl Deref for Bot<'_> {
    type Target = Rest;

    fn deref(&self) -> &Rest {
        match self {
            Self::Shared(rest) => rest,
            Self::Own(_, rest) => rest,
        }
    }
}

/// The bot that serves a Guild; none where Discord is not set up.
pub(crate) async fn find(app: &App, guild: GuildNum) -> Result<Option<Bot<'_>>, AppError> {
    let Some(shared) = &app.platforms.discord_bot else {
        return Ok(None);
    };
    if let Some(own) = &app.platforms.own_bots
        && let Some(token) = dedicated::find_serving(&app.db, guild, app.shared_now_ms().await).await?
    {
        let client = client(app, own, &token)?;
        return Ok(Some(Bot::Own(token.bot_user_id, client)));
    }
    Ok(Some(Bot::Shared(shared)))
}

/// The client of a Guild's own bot, whether or not that serves it.
pub(crate) fn client(app: &App, own: &Clients, token: &SealedToken) -> Result<Arc<Rest>, AppError> {
    let saved = (&token.id, token.version);
    if let Some(known) = own.find(&token.bot_user_id, saved) {
        return Ok(known);
    }
    let opened = open(app, token)?;
    own.make(&token.bot_user_id, saved, opened)
        .map_err(AppError::internal)
}

/// Where a token's sealed form lives; it opens nowhere else and for no other version.
pub(crate) fn token_place(id: &str, version: i64) -> Aad<'_> {
    Aad {
        table: "dedicated_bots",
        column: "token_sealed",
        row: id,
        version,
    }
}

/// The token itself, for whoever signs in with it.
pub(crate) fn open(app: &App, token: &SealedToken) -> Result<SecretString, AppError> {
    let place = token_place(token.id.as_str(), token.version);
    let plain = app.vault.open_sealed(&place, &token.sealed);
    let plain = plain.map_err(AppError::internal)?;
    let text = std::str::from_utf8(&plain).map_err(AppError::internal)?;
    Ok(SecretString::from(text))
}
