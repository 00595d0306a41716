//! A visit to one's own page: which accounts somebody has shown to be theirs. Nothing of it is stored; the browser keeps it,
//! sealed, for half an hour.

use std::time::Duration;

use domain::flow::{FlowToken, Provider, TRIP_MS};
use domain::network::ClientAddress;
use domain::oauth::{AuthorizationCode, PkceVerifier, State};
use domain::platform_id::{DiscordId, EitherId, SteamId};
use domain::seal::Aad;
use platform::discord::oauth::Scope;
use platform::steam::openid::{Assertion, NotConfirmed, ROUTE};
use serde::{Deserialize, Serialize};
use storage::identity::blocklist;
use storage::linking::flows;
use storage::{NoOrg, Tx, Work};
use tokio::time::Instant;

use super::Sides;
use crate::error::{AppError, IdentityError};
use crate::identity::blocklist::refuse_blocked_network;
use crate::identity::discord_visit::{identify, read_verifier, revoke_later, unanswered};
use crate::linking::is_cancelled;
use crate::state::App;

/// From the last sign-in.
pub const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// Sign-ins under way in one browser: a second tab does not end the first one's.
const MOST_TRIPS: usize = 4;

/// Where a sign-in begins.
pub const fn entrance(provider: Provider) -> &'static str {
    match provider {
        Provider::Discord => "/auth/discord/me",
        Provider::Steam => "/auth/steam/me",
    }
}

/// Where a provider sends the browser back to.
pub const fn callback(provider: Provider) -> &'static str {
    match provider {
        Provider::Discord => "/auth/discord/me/callback",
        Provider::Steam => "/auth/steam/me/callback",
    }
}

/// Who visits.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Visit {
    /// With their name.
    pub discord: Option<(DiscordId, String)>,
    /// Steam is not asked for their name.
    pub steam: Option<SteamId>,
    trips: Vec<Trip>,
    ends_at_ms: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Trip {
    provider: String,
    /// Of the secret that has to come back.
    hash: String,
    verifier: Option<String>,
    ends_at_ms: i64,
}

/// Opens nowhere but in the browser it was made for.
fn place(browser: &str) -> Aad<'_> {
    Aad {
        table: "cookies",
        column: "me",
        row: browser,
        version: 1,
    }
}

impl App {
    /// The secret of a browser that has none yet.
    pub fn new_browser(&self) -> FlowToken {
        FlowToken::generate(&*self.random)
    }
}

impl Visit {
    /// What a browser kept; a new visit where that is over, or is none of ours.
    pub fn open(app: &App, browser: &FlowToken, kept: Option<&str>) -> Self {
        let row = browser.visit_hash();
        let plain = kept.and_then(|kept| app.vault.open_sealed(&place(&row), kept).ok());
        let visit = plain.and_then(|plain| serde_json::from_slice::<Self>(&plain).ok());
        let visit = visit.unwrap_or_default();
        if visit.ends_at_ms > app.now_ms() || (visit.discord.is_none() && visit.steam.is_none()) {
            return visit;
        }
        Self {
            trips: visit.trips,
            ..Self::default()
        }
    }

    /// For the browser to keep.
    pub fn seal(&self, app: &App, browser: &FlowToken) -> Result<String, AppError> {
        let plain = serde_json::to_vec(self).map_err(AppError::internal)?;
        Ok(app
            .vault
            .seal(&*app.random, &place(&browser.visit_hash()), &plain)
            .0)
    }

    /// The accounts that were shown.
    pub fn sides(&self) -> Sides {
        Sides {
            discord: self.discord.as_ref().map(|(id, _)| id.clone()),
            steam: self.steam.clone(),
        }
    }

    /// Begins a sign-in and tells where to send the browser.
    pub async fn start(
        &mut self,
        app: &App,
        provider: Provider,
        address: ClientAddress,
    ) -> Result<String, AppError> {
        refuse_blocked_network(app, address).await?;
        let secret = State::generate(&*app.random);
        let path = callback(provider);
        let (url, verifier) = match provider {
            Provider::Discord => {
                let verifier = PkceVerifier::generate(&*app.random);
                let discord = app.platforms.discord_sign_in()?;
                let url = discord.authorize_url(path, &[Scope::Identify], &secret, &verifier);
                (url, Some(verifier.expose().to_owned()))
            }
            Provider::Steam => {
                let steam = app.platforms.steam_sign_in()?;
                (steam.sign_in_url(&steam.return_to(path, secret.expose())), None)
            }
        };
        let now_ms = app.now_ms();
        self.trips.retain(|trip| trip.ends_at_ms > now_ms);
        if self.trips.len() >= MOST_TRIPS {
            self.trips.remove(0);
        }
        self.trips.push(Trip {
            provider: provider.as_str().to_owned(),
            hash: secret.hash(),
            verifier,
            ends_at_ms: now_ms + TRIP_MS,
        });
        Ok(url)
    }

    /// The trip that a secret belongs to, used up.
    fn arrive(&mut self, app: &App, provider: Provider, secret: &str) -> Result<(Trip, State), AppError> {
        let secret = State::parse(secret).map_err(|_| IdentityError::SignInExpired)?;
        let is_it = |trip: &Trip| {
            trip.provider == provider.as_str() && secret.matches(&trip.hash) && trip.ends_at_ms > app.now_ms()
        };
        let found = self.trips.iter().position(is_it);
        let found = found.ok_or(IdentityError::SignInExpired)?;
        Ok((self.trips.remove(found), secret))
    }

    /// Finishes a sign-in with Discord. There is no code when the person said no.
    pub async fn finish_discord(
        &mut self,
        app: &App,
        secret: &str,
        code: Option<&str>,
        address: ClientAddress,
    ) -> Result<(), AppError> {
        let (trip, _) = self.arrive(app, Provider::Discord, secret)?;
        refuse_blocked_network(app, address).await?;
        let code = code.map(AuthorizationCode::parse).transpose();
        let code = code.map_err(|_| IdentityError::SignInExpired)?;
        let code = code.ok_or(IdentityError::SignInCancelled)?;
        let verifier = read_verifier(trip.verifier.as_deref().unwrap_or_default())?;
        let path = callback(Provider::Discord);
        let known = identify(app, path, &[Scope::Identify], &code, &verifier).await?;
        let (id, name) = (known.person.id, known.person.name);
        revoke_later(app, Some(&id), known.access);
        refuse_blocked_person(app, &EitherId::Discord(id.clone())).await?;
        self.discord = Some((id, name));
        self.signed_in(app);
        Ok(())
    }

    /// Finishes a sign-in with Steam. `query` is the raw query of the request.
    pub async fn finish_steam(
        &mut self,
        app: &App,
        secret: &str,
        query: &str,
        address: ClientAddress,
    ) -> Result<(), AppError> {
        let (_, secret) = self.arrive(app, Provider::Steam, secret)?;
        refuse_blocked_network(app, address).await?;
        if is_cancelled(query) {
            return Err(IdentityError::SignInCancelled.into());
        }
        let steam = app.platforms.steam_sign_in()?;
        let return_to = steam.return_to(callback(Provider::Steam), secret.expose());
        let assertion = Assertion::parse(query, &return_to, app.now_ms());
        let assertion = assertion.map_err(|_| IdentityError::SignInExpired)?;
        let begun = Instant::now();
        let confirmed = steam.check(assertion).await.map_err(|cause| match cause {
            NotConfirmed::Denied => IdentityError::SignInExpired.into(),
            NotConfirmed::TryAgain(cause) => {
                unanswered(Provider::Steam, "steam.openid_url", ROUTE, cause, begun)
            }
        })?;
        let once = UseNonce {
            nonce: confirmed.nonce.as_str().to_owned(),
            now_ms: app.now_ms(),
        };
        if !app.db.write(once).await? {
            return Err(IdentityError::SignInExpired.into());
        }
        refuse_blocked_person(app, &EitherId::Steam(confirmed.steam_id.clone())).await?;
        self.steam = Some(confirmed.steam_id);
        self.signed_in(app);
        Ok(())
    }

    fn signed_in(&mut self, app: &App) {
        self.ends_at_ms = app.now_ms() + i64::try_from(LIFETIME.as_millis()).unwrap_or(i64::MAX);
    }
}

async fn refuse_blocked_person(app: &App, account: &EitherId) -> Result<(), AppError> {
    if blocklist::is_any_blocked(&app.db, &app.blocks_of(account), app.now_ms()).await? {
        return Err(IdentityError::BlockedPerson.into());
    }
    Ok(())
}

struct UseNonce {
    nonce: String,
    now_ms: i64,
}

impl Work for UseNonce {
    type For = NoOrg;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "use_steam_nonce";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<bool, AppError> {
        Ok(flows::use_nonce(tx, &self.nonce, self.now_ms).await?)
    }
}
