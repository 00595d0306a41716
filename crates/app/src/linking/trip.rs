//! The way back from a provider, as far as both have it in common.

use domain::flow::{FlowPurpose, FlowToken, LIFETIME_MS, Provider};
use domain::oauth::State;
use storage::linking::{flows, link_pages};
use storage::{NoOrg, Tx, Work};

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
