//! The way back from Steam.

use std::time::Duration;

use domain::blocklist::BlockEntry;
use domain::flow::{LinkStep, Provider};
use domain::network::ClientAddress;
use domain::platform_id::SteamId;
use domain::quota::Purpose;
use platform::steam::openid::{Assertion, NotConfirmed, ROUTE};
use storage::identity::blocklist;
use storage::linking::flows;
use storage::{NoOrg, Tx, Work};
use tokio::time::Instant;

use super::callback;
use super::flow::abandon;
use super::trip::Trip;
use crate::error::{AppError, IdentityError};
use crate::identity::blocklist::refuse_blocked_network;
use crate::identity::discord_visit::unanswered;
use crate::state::App;

/// A name is nice to have; nobody waits for it.
const NAME_PATIENCE: Duration = Duration::from_millis(800);

/// Finishes a Steam sign-in. `query` is the raw query of the request.
pub async fn steam_callback(
    app: &App,
    trip: Trip,
    query: &str,
    address: ClientAddress,
) -> Result<(), AppError> {
    let noted = trip.to_be_noted();
    let done = back(app, trip, query, address).await;
    noted.note(app, LinkStep::Steam, &done);
    done
}

async fn back(app: &App, trip: Trip, query: &str, address: ClientAddress) -> Result<(), AppError> {
    let (flow, now_ms) = (&trip.flow, app.now_ms());
    let steam = app.platforms.steam_sign_in()?;
    if is_cancelled(query) {
        return Err(IdentityError::SignInCancelled.into());
    }
    let return_to = steam.return_to(callback(Provider::Steam, trip.purpose), trip.secret.expose());
    let assertion = Assertion::parse(query, &return_to, now_ms).map_err(|cause| {
        tracing::debug!(%cause, "a Steam sign-in was refused");
        IdentityError::SignInExpired
    })?;
    let claimed = app.steam_blocks(assertion.claimed_id());
    let network = refuse_blocked_network(app, address).await;
    if network.is_err() || blocklist::is_any_blocked(&app.db, &claimed, now_ms).await? {
        abandon(app, flow).await?;
        return Err(IdentityError::Blocked.into());
    }
    trip.use_up(app).await?;
    let begun = Instant::now();
    let confirmed = steam.check(assertion).await.map_err(|cause| match cause {
        NotConfirmed::Denied => IdentityError::SignInExpired.into(),
        NotConfirmed::TryAgain(cause) => unanswered(Provider::Steam, "steam.openid_url", ROUTE, cause, begun),
    })?;
    let org_num = flow.page.scope.num();
    let name = name_of(app, org_num, &confirmed.steam_id).await;
    let work = Bind {
        flow: flow.hash.clone(),
        begun_by: trip.begun_by.clone(),
        blocks: app.steam_blocks(&confirmed.steam_id),
        id: confirmed.steam_id,
        name,
        nonce: confirmed.nonce.as_str().to_owned(),
        now_ms: app.now_ms(),
    };
    let bound = app.db.write(work).await;
    if matches!(bound, Err(AppError::Identity(IdentityError::Blocked))) {
        abandon(app, flow).await?;
    }
    bound
}

pub(crate) fn is_cancelled(query: &str) -> bool {
    form_urlencoded::parse(query.as_bytes()).any(|(name, value)| name == "openid.mode" && value == "cancel")
}

/// What Steam calls the player, or their id.
async fn name_of(app: &App, org_num: i64, id: &SteamId) -> String {
    let unknown = || id.as_str().to_owned();
    let Some(api) = &app.platforms.steam_api else {
        return unknown();
    };
    let asked = [id.clone()];
    match tokio::time::timeout(NAME_PATIENCE, api.summaries(&asked, Purpose::Verify { org_num })).await {
        Ok(Ok(found)) => found
            .into_iter()
            .next()
            .map_or_else(unknown, |player| player.name),
        Ok(Err(_)) | Err(_) => unknown(),
    }
}

struct Bind {
    flow: String,
    begun_by: Option<String>,
    id: SteamId,
    blocks: [BlockEntry; 2],
    name: String,
    nonce: String,
    now_ms: i64,
}

impl Work for Bind {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "bind_steam";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        if blocklist::is_any_blocked_in(tx, &self.blocks, self.now_ms).await? {
            return Err(IdentityError::Blocked.into());
        }
        // Steam's number first: what was used once binds nothing any more, whoever brings it.
        if flows::use_nonce(tx, &self.nonce, self.now_ms).await?
            && flows::bind_steam(
                tx,
                &self.flow,
                &self.id,
                &self.name,
                self.begun_by.as_deref(),
                self.now_ms,
            )
            .await?
        {
            return Ok(());
        }
        Err(IdentityError::SignInExpired.into())
    }
}
