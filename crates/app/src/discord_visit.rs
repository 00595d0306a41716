//! The end of a trip to Discord: what a code is worth, told once for link pages and for the dashboard.

use std::time::Duration;

use domain::flow::Provider;
use domain::oauth::PkceVerifier;
use domain::seal::Aad;
use platform::Unanswered;
use platform::discord::oauth::{AccessToken, NoToken, OwnGuild, Person, Scope};
use tokio::time::{Instant, timeout_at};

use crate::error::AppError;
use crate::linking::revoke_later;
use crate::state::App;

/// All questions to Discord together; a person does not wait longer for an answer of ours.
const PATIENCE: Duration = Duration::from_secs(5);

/// Who came back, and the token that says so. Whoever gets this gives the token back or keeps it sealed.
pub(crate) struct Identified {
    pub person: Person,
    /// Asked only of somebody who allowed [`Scope::Guilds`].
    pub guilds: Vec<OwnGuild>,
    pub access: AccessToken,
}

/// Turns a code into a person. A token that was given for nothing goes back, also when Discord falls silent after it.
pub(crate) async fn identify(
    app: &App,
    callback: &'static str,
    scopes: &'static [Scope],
    code: &str,
    verifier: &PkceVerifier,
) -> Result<Identified, AppError> {
    let discord = app.platforms.discord_sign_in()?;
    let silent = || AppError::ProviderSilent {
        provider: Provider::Discord,
    };
    let deadline = Instant::now() + PATIENCE;
    let exchange = discord.exchange(callback, scopes, code, verifier);
    let given = timeout_at(deadline, exchange).await.map_err(|_| silent())?;
    let access = given.map_err(|cause| match cause {
        NoToken::BadCode => AppError::SignInExpired,
        NoToken::MissingScope => AppError::SignInCancelled,
        NoToken::TryAgain(_) => silent(),
    })?;
    let asking = async {
        let person = discord.person(&access).await?;
        let guilds = if scopes.contains(&Scope::Guilds) {
            discord.guilds(&access).await?
        } else {
            Vec::new()
        };
        Ok::<_, Unanswered>((person, guilds))
    };
    match timeout_at(deadline, asking).await {
        Ok(Ok((person, guilds))) => Ok(Identified {
            person,
            guilds,
            access,
        }),
        Ok(Err(_)) | Err(_) => {
            revoke_later(app, access);
            Err(silent())
        }
    }
}

/// The verifier of a trip, which was sealed while it waited.
pub(crate) fn open_verifier(app: &App, place: &Aad<'_>, sealed: &str) -> Result<PkceVerifier, AppError> {
    let plain = app.vault.open_sealed(place, sealed);
    let plain = plain.map_err(|_| AppError::SignInExpired)?;
    let text = std::str::from_utf8(&plain).map_err(|_| AppError::SignInExpired)?;
    PkceVerifier::parse(text).map_err(|_| AppError::SignInExpired)
}
