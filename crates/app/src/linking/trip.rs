//! The way back from a provider, as far as both have it in common.

use domain::flow::{FlowPurpose, FlowToken, LIFETIME_MS, LinkStep, Provider};
use domain::oauth::State;
use storage::linking::{flows, link_pages};
use storage::{GuildNum, NoOrg, Tx, Work};

use super::flow::Current;
use crate::error::{AppError, IdentityError};
use crate::state::App;

/// Somebody who came back, in time and in the browser they left with. Nothing is used up yet.
pub struct Trip {
    pub(super) purpose: FlowPurpose,
    /// Of the secret that came back.
    pub(super) hash: String,
    pub(super) secret: State,
    pub(super) sealed: Option<String>,
    /// Who was signed in with Discord when it began.
    pub(super) begun_by: Option<String>,
    pub(super) flow: Current,
}

impl Trip {
    /// The page to go on with.
    pub fn slug(&self) -> &str {
        &self.flow.page.slug
    }

    pub(super) fn to_be_noted(&self) -> Noted {
        let Current { flow, page, .. } = &self.flow;
        Noted {
            guild: (self.purpose == FlowPurpose::Link).then_some(page.guild),
            discord_before: flow.discord.is_some(),
            steam_before: flow.steam.is_some(),
        }
    }

    /// Used up before anything is asked with it: a second copy of the request finds nothing.
    pub(super) async fn use_up(&self, app: &App) -> Result<(), AppError> {
        let once = UseTrip {
            hash: self.hash.clone(),
            now_ms: app.now_ms(),
        };
        if app.db.write(once).await? {
            Ok(())
        } else {
            Err(IdentityError::SignInExpired.into())
        }
    }
}

/// Whose numbers a trip counts for; none for people who unlink.
pub(super) struct Noted {
    guild: Option<GuildNum>,
    /// Whether they had come back from each side before.
    discord_before: bool,
    steam_before: bool,
}

impl Noted {
    /// Counts how a trip ended. Somebody who signs in a second time got no further.
    pub(super) fn note(&self, app: &App, step: LinkStep, done: &Result<(), AppError>) {
        let Some(guild) = self.guild else { return };
        let (steps, now_ms) = (&app.memories.link_steps, app.now_ms());
        let before = match step {
            LinkStep::Discord => self.discord_before,
            LinkStep::Steam => self.steam_before,
            LinkStep::Started | LinkStep::Joined | LinkStep::Verified | LinkStep::Failed => false,
        };
        match done {
            Ok(()) if before => {}
            Ok(()) => steps.reached(guild, step, now_ms),
            Err(error) => steps.failed(guild, error.code(), now_ms),
        }
    }
}

/// Finds the trip that a secret belongs to. It has to be this browser's own.
pub async fn arrive(
    app: &App,
    provider: Provider,
    purpose: FlowPurpose,
    token: Option<&FlowToken>,
    secret: &str,
) -> Result<Trip, AppError> {
    let token = token.ok_or(IdentityError::SignInExpired)?;
    let secret = State::parse(secret).map_err(|_| IdentityError::SignInExpired)?;
    let (hash, now_ms) = (secret.hash(), app.now_ms());
    let alive_since_ms = now_ms - LIFETIME_MS;
    let found = flows::find_trip(&app.db, &hash, provider, purpose, now_ms, alive_since_ms).await?;
    let trip = found.ok_or(IdentityError::SignInExpired)?;
    let page = link_pages::find_by_num(&app.db, trip.scope, trip.guild).await?;
    let page = page.ok_or(IdentityError::SignInExpired)?;
    if token.flow_hash(&page.guild_id, purpose) != trip.flow {
        return Err(IdentityError::SignInExpired.into());
    }
    let flow = flows::find(&app.db, &trip.flow, alive_since_ms).await?;
    let flow = flow.ok_or(IdentityError::SignInExpired)?;
    Ok(Trip {
        purpose,
        hash,
        secret,
        sealed: trip.sealed,
        begun_by: trip.discord_id,
        flow: Current {
            hash: trip.flow,
            flow,
            page,
        },
    })
}

struct UseTrip {
    hash: String,
    now_ms: i64,
}

impl Work for UseTrip {
    type For = NoOrg;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "use_trip";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<bool, AppError> {
        Ok(flows::end_trip(tx, &self.hash, self.now_ms).await?)
    }
}
