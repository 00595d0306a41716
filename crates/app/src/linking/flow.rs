//! Flows: found by their browser's secret, sealed where they hold something, cleared when they are over.

use std::time::Duration;

use domain::flow::{FlowPurpose, FlowToken, LIFETIME_MS};
use domain::id::GuildId;
use domain::platform_id::DiscordId;
use domain::seal::Aad;
use platform::Unanswered;
use platform::discord::oauth::AccessToken;
use secrecy::SecretString;
use storage::linking::flows::{self, Flow, LeftToken};
use storage::linking::link_pages::{self, LinkPage};
use storage::{NoOrg, OrgScope, Tx, Work};

use crate::error::{AppError, IdentityError, RequestError};
use crate::identity::discord_visit::{revoke, revoke_later};
use crate::jobs;
use crate::state::App;

/// One-time numbers of Steam are refused by their age long before this.
const NONCES_KEPT_MS: i64 = 60 * 60_000;
/// How long a token is kept for that Discord does not take back.
const TOKENS_KEPT_MS: i64 = 24 * 60 * 60_000;

/// A flow under way, with the Guild it is for.
pub(super) struct Current {
    pub hash: String,
    pub flow: Flow,
    pub page: LinkPage,
}

/// This browser's flow on the page of a Guild. One that ended is none.
pub(super) async fn current(
    app: &App,
    page: &LinkPage,
    token: &FlowToken,
    purpose: FlowPurpose,
) -> Result<Option<Current>, AppError> {
    let hash = token.flow_hash(&page.guild_id, purpose);
    let found = flows::find(&app.db, &hash, app.now_ms() - LIFETIME_MS).await?;
    Ok(found.map(|flow| Current {
        hash,
        flow,
        page: page.clone(),
    }))
}

/// The same for a form of the page of `slug`.
pub(super) async fn current_of_page(
    app: &App,
    token: &FlowToken,
    purpose: FlowPurpose,
    slug: &str,
) -> Result<Current, AppError> {
    let page = link_pages::find(&app.db, slug)
        .await?
        .ok_or(RequestError::NotFound)?;
    let found = current(app, &page, token, purpose).await?;
    found.ok_or(IdentityError::SignInExpired.into())
}

/// Where the secret of a trip is sealed.
pub(crate) fn trip_place(trip_hash: &str) -> Aad<'_> {
    Aad {
        table: "flows",
        column: "trip_sealed",
        row: trip_hash,
        version: 1,
    }
}

pub(crate) fn token_place(flow_hash: &str) -> Aad<'_> {
    Aad {
        table: "flows",
        column: "token_sealed",
        row: flow_hash,
        version: 1,
    }
}

/// The sealed token, and the master key that it is sealed with.
pub(super) fn seal_token(app: &App, flow_hash: &str, token: &AccessToken) -> (String, String) {
    let place = token_place(flow_hash);
    app.vault.seal(&*app.random, &place, token.expose().as_bytes())
}

/// The token that a flow holds. One that cannot be opened any more is as good as none.
pub(super) fn open_token(app: &App, flow_hash: &str, sealed: &str) -> Option<AccessToken> {
    let plain = app.vault.open_sealed(&token_place(flow_hash), sealed).ok()?;
    let text = std::str::from_utf8(&plain).ok()?;
    Some(AccessToken::new(SecretString::from(text.to_owned())))
}

/// Forgets the flow of this browser on a page. It is no failure when there is none.
pub async fn restart(app: &App, slug: &str, purpose: FlowPurpose, token: &FlowToken) -> Result<(), AppError> {
    let page = link_pages::find(&app.db, slug)
        .await?
        .ok_or(RequestError::NotFound)?;
    match current(app, &page, token, purpose).await? {
        Some(current) => abandon(app, &current).await,
        None => Ok(()),
    }
}

/// Forgets a flow under way and gives back the token that it holds.
pub(super) async fn abandon(app: &App, current: &Current) -> Result<(), AppError> {
    forget(app, current).await?;
    give_token_back(app, current);
    Ok(())
}

pub(super) async fn forget(app: &App, current: &Current) -> Result<(), AppError> {
    let hash = current.hash.clone();
    app.db.write(Forget { hash }).await
}

pub(super) fn give_token_back(app: &App, current: &Current) {
    let (sealed, owner) = (
        current.flow.token_sealed.as_deref(),
        current.flow.discord.as_ref(),
    );
    if let Some(token) = sealed.and_then(|sealed| open_token(app, &current.hash, sealed)) {
        revoke_later(app, owner.map(|(id, _)| id), token);
    }
}

/// A flow that is over makes room for the next one of its browser; what it still holds goes back.
pub(super) async fn give_back_expired(app: &App, hash: &str) -> Result<(), AppError> {
    let Some(flow) = flows::find(&app.db, hash, 0).await? else {
        return Ok(());
    };
    let is_alive = flows::find(&app.db, hash, app.now_ms() - LIFETIME_MS)
        .await?
        .is_some();
    if let Some(sealed) = flow.token_sealed.as_deref().filter(|_| !is_alive)
        && let Some(token) = open_token(app, hash, sealed)
    {
        revoke_later(app, flow.discord.as_ref().map(|(id, _)| id), token);
    }
    Ok(())
}

/// Gives tokens back whose flows are gone.
pub(crate) fn give_back_tokens(app: &App, left: Vec<LeftToken>) {
    for left in left {
        if let Some(token) = open_token(app, &left.flow, &left.sealed) {
            revoke_later(app, DiscordId::parse(&left.discord_id).ok().as_ref(), token);
        }
    }
}

struct Forget {
    hash: String,
}

impl Work for Forget {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "forget_flow";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        Ok(flows::delete(tx, &self.hash).await?)
    }
}

/// Removes flows that are over and gives back the tokens they still held.
pub async fn clear_expired(app: &App) -> Result<(), AppError> {
    give_back_left(app).await?;
    let now_ms = app.now_ms();
    let purge = || Purge {
        over_ms: now_ms - LIFETIME_MS,
        nonces_before_ms: now_ms - NONCES_KEPT_MS,
        now_ms,
    };
    while app.db.write(purge()).await? >= 500 {}
    Ok(())
}

/// Gives back the tokens of flows that are over by their age. What Discord does not take now is tried a minute later.
async fn give_back_left(app: &App) -> Result<(), AppError> {
    loop {
        let slice = flows::list_left_tokens(&app.db, app.now_ms() - LIFETIME_MS).await?;
        if slice.is_empty() || give_back(app, slice).await?.is_some() {
            return Ok(());
        }
    }
}

/// A step of the end of a Guild: gives back some of the tokens that its flows held.
pub(crate) async fn give_back_of_guild(
    app: &App,
    scope: OrgScope,
    guild: &GuildId,
) -> Result<jobs::Outcome, AppError> {
    let slice = flows::list_tokens_of(&app.db, scope, guild).await?;
    if slice.is_empty() {
        return Ok(jobs::Outcome::Done);
    }
    Ok(match give_back(app, slice).await? {
        None => jobs::Outcome::Again,
        Some(cause) => jobs::Outcome::Retry {
            after: cause
                .retry_after_ms()
                .map(|ms| Duration::from_millis(ms.max(0).unsigned_abs())),
            code: "PROVIDER_UNREACHABLE",
        },
    })
}

/// Gives tokens back and then forgets their flows, so that none is lost on the way. It ends with the first that Discord
/// does not take for now, and says why; after a day such a token is forgotten as it is.
async fn give_back(app: &App, slice: Vec<LeftToken>) -> Result<Option<Unanswered>, AppError> {
    for left in slice {
        if let Some(token) = open_token(app, &left.flow, &left.sealed) {
            let owner = DiscordId::parse(&left.discord_id).ok();
            let is_fresh = left.touched_at_ms > app.now_ms() - TOKENS_KEPT_MS;
            if let Err(cause) = revoke(app, owner.as_ref(), &token).await
                && is_fresh
                && cause.may_pass()
            {
                return Ok(Some(cause));
            }
        }
        app.db.write(Forget { hash: left.flow }).await?;
    }
    Ok(None)
}

struct Purge {
    over_ms: i64,
    nonces_before_ms: i64,
    now_ms: i64,
}

impl Work for Purge {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "purge_flows";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        let flows = flows::purge(tx, self.over_ms).await?;
        let trips = flows::purge_trips(tx, self.now_ms).await?;
        let nonces = flows::purge_nonces(tx, self.nonces_before_ms).await?;
        Ok(flows.max(trips).max(nonces))
    }
}
