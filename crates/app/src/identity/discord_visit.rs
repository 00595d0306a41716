//! The end of a trip to Discord: what a code is worth, told once for link pages and for the dashboard.

use std::time::Duration;

use domain::flow::{LIFETIME_MS, Provider};
use domain::oauth::{AuthorizationCode, PkceVerifier};
use domain::platform_id::DiscordId;
use domain::seal::Aad;
use platform::Unanswered;
use platform::discord::oauth::{
    AccessToken, GUILDS_ROUTE, NoToken, OwnGuild, PERSON_ROUTE, Person, Scope, TOKEN_ROUTE,
};
use storage::linking::flows;
use tokio::time::{Instant, timeout_at};

use crate::error::{AppError, IdentityError};
use crate::state::App;

/// All questions to Discord together; a person does not wait longer for an answer of ours.
/// Longer than one question may take, so that the client learns when Discord hangs.
const PATIENCE: Duration = Duration::from_millis(5_250);

/// What Discord knows our application by.
const CREDENTIALS: &str = "discord.client_id and discord.client_secret";

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
    code: &AuthorizationCode,
    verifier: &PkceVerifier,
) -> Result<Identified, AppError> {
    let discord = app.platforms.discord_sign_in()?;
    let begun = Instant::now();
    let deadline = begun + PATIENCE;
    let failed = |route, cause| unanswered(Provider::Discord, CREDENTIALS, route, cause, begun);
    let exchange = discord.exchange(callback, scopes, code, verifier);
    let given = timeout_at(deadline, exchange).await;
    let given = given.map_err(|_| failed(TOKEN_ROUTE, Unanswered::Timeout))?;
    let access = given.map_err(|cause| match cause {
        NoToken::BadCode => IdentityError::SignInExpired.into(),
        NoToken::MissingScope => IdentityError::SignInCancelled.into(),
        NoToken::TryAgain(cause) => failed(TOKEN_ROUTE, cause),
    })?;
    let asking = async {
        let person = discord
            .person(&access)
            .await
            .map_err(|cause| (PERSON_ROUTE, cause))?;
        let guilds = if scopes.contains(&Scope::Guilds) {
            let guilds = discord.guilds(&access).await;
            guilds.map_err(|cause| (GUILDS_ROUTE, cause))?
        } else {
            Vec::new()
        };
        Ok::<_, (&str, Unanswered)>((person, guilds))
    };
    let asked = timeout_at(deadline, asking).await;
    match asked.unwrap_or(Err((PERSON_ROUTE, Unanswered::Timeout))) {
        Ok((person, guilds)) => Ok(Identified {
            person,
            guilds,
            access,
        }),
        Err((route, cause)) => {
            revoke_later(app, None, access);
            Err(failed(route, cause))
        }
    }
}

/// What it means for a caller that a provider did not answer a question with these credentials.
pub(crate) fn unanswered(
    provider: Provider,
    setting: &'static str,
    route: &str,
    cause: Unanswered,
    begun: Instant,
) -> AppError {
    if matches!(
        cause,
        Unanswered::Refused | Unanswered::Remembered { status: 401, .. }
    ) {
        return IdentityError::ProviderMisconfigured { provider, setting }.into();
    }
    let ms = begun.elapsed().as_millis();
    IdentityError::ProviderSilent {
        provider,
        detail: format!("{route}: {cause}, after {ms} ms"),
    }
    .into()
}

/// The verifier of a trip, which was sealed while it waited.
pub(crate) fn open_verifier(app: &App, place: &Aad<'_>, sealed: &str) -> Result<PkceVerifier, AppError> {
    let plain = app.vault.open_sealed(place, sealed);
    let plain = plain.map_err(|_| IdentityError::SignInExpired)?;
    read_verifier(std::str::from_utf8(&plain).map_err(|_| IdentityError::SignInExpired)?)
}

/// One that was kept elsewhere.
pub(crate) fn read_verifier(text: &str) -> Result<PkceVerifier, AppError> {
    PkceVerifier::parse(text).map_err(|_| IdentityError::SignInExpired.into())
}

/// Gives a token back to Discord, without anybody waiting for it. Discord ends all tokens of a person with one of them,
/// so it stays while another flow of its owner needs one; that flow gives all back.
pub(crate) fn revoke_later(app: &App, owner: Option<&DiscordId>, token: AccessToken) {
    let (app_of_task, owner) = (app.clone(), owner.cloned());
    app.tasks.spawn(async move {
        if let Err(cause) = revoke(&app_of_task, owner.as_ref(), &token).await {
            tracing::debug!(%cause, "a token was not revoked; it ends by itself");
        }
    });
}

/// The same for who can wait.
pub(crate) async fn revoke(
    app: &App,
    owner: Option<&DiscordId>,
    token: &AccessToken,
) -> Result<(), Unanswered> {
    if let Some(owner) = owner {
        let alive_since_ms = app.now_ms() - LIFETIME_MS;
        let needed = flows::is_token_needed(&app.db, owner.as_str(), alive_since_ms).await;
        if needed.unwrap_or(false) {
            return Ok(());
        }
    }
    match &app.platforms.discord_sign_in {
        Some(discord) => discord.revoke(token).await,
        None => Ok(()),
    }
}
