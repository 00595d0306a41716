//! Flows: found by their browser's secret, sealed where they hold something, cleared when they are over.

use domain::flow::{FlowPurpose, FlowToken, LIFETIME_MS};
use domain::seal::Aad;
use platform::discord::oauth::AccessToken;
use secrecy::SecretString;
use storage::flows::{self, Flow};
use storage::link_pages::{self, LinkPage};
use storage::{Tx, Work};

use crate::error::AppError;
use crate::state::App;

/// One-time numbers of Steam are refused by their age long before this.
const NONCES_KEPT_MS: i64 = 60 * 60_000;

/// A flow under way, with the Guild it is for.
pub(super) struct Current {
    pub hash: String,
    pub flow: Flow,
    pub page: LinkPage,
}

/// The flow of this browser for this purpose. One that ended, or began for something else, is none.
pub(super) async fn current(
    app: &App,
    token: &FlowToken,
    purpose: FlowPurpose,
) -> Result<Option<Current>, AppError> {
    let hash = token.hash();
    let found = flows::find(&app.db, &hash, app.now_ms() - LIFETIME_MS).await?;
    let Some(flow) = found.filter(|flow| flow.purpose == purpose) else {
        return Ok(None);
    };
    let page = link_pages::find_by_num(&app.db, flow.scope, flow.guild).await?;
    Ok(page.map(|page| Current { hash, flow, page }))
}

/// The same for a form of the page of `slug`.
pub(super) async fn current_of_page(
    app: &App,
    token: &FlowToken,
    purpose: FlowPurpose,
    slug: &str,
) -> Result<Current, AppError> {
    let found = current(app, token, purpose).await?;
    found
        .filter(|current| current.page.slug == slug)
        .ok_or(AppError::SignInExpired)
}

/// Where the secret of a trip is sealed.
pub(super) fn trip_place(trip_hash: &str) -> Aad<'_> {
    Aad {
        table: "flows",
        column: "trip_sealed",
        row: trip_hash,
        version: 1,
    }
}

fn token_place(flow_hash: &str) -> Aad<'_> {
    Aad {
        table: "flows",
        column: "token_sealed",
        row: flow_hash,
        version: 1,
    }
}

pub(super) fn seal_token(app: &App, flow_hash: &str, token: &AccessToken) -> String {
    let place = token_place(flow_hash);
    app.vault.seal(&*app.random, &place, token.expose().as_bytes()).0
}

/// The token that a flow holds. One that cannot be opened any more is as good as none.
pub(super) fn open_token(app: &App, flow_hash: &str, sealed: &str) -> Option<AccessToken> {
    let plain = app.vault.open_sealed(&token_place(flow_hash), sealed).ok()?;
    let text = std::str::from_utf8(&plain).ok()?;
    Some(AccessToken::new(SecretString::from(text.to_owned())))
}

/// Gives a token back to Discord, without anybody waiting for it.
pub(crate) fn revoke_later(app: &App, token: AccessToken) {
    let app_of_task = app.clone();
    app.tasks.spawn(async move {
        if let Some(discord) = &app_of_task.platforms.discord_sign_in
            && let Err(cause) = discord.revoke(&token).await
        {
            tracing::debug!(%cause, "a token was not revoked; it ends by itself");
        }
    });
}

/// Forgets the flow of this browser. It is no failure when there is none.
pub async fn restart(app: &App, token: &FlowToken) -> Result<(), AppError> {
    let hash = token.hash();
    let Some(flow) = flows::find(&app.db, &hash, 0).await? else {
        return Ok(());
    };
    let sealed = flow.token_sealed;
    app.db.write(Forget { hash: hash.clone() }).await?;
    if let Some(token) = sealed.and_then(|sealed| open_token(app, &hash, &sealed)) {
        revoke_later(app, token);
    }
    Ok(())
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
    let sealed = current.flow.token_sealed.as_deref();
    if let Some(token) = sealed.and_then(|sealed| open_token(app, &current.hash, sealed)) {
        revoke_later(app, token);
    }
}

struct Forget {
    hash: String,
}

impl Work for Forget {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "forget_flow";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        Ok(flows::delete(tx, &self.hash).await?)
    }
}

/// Removes flows that are over and gives back the tokens they still held.
pub async fn clear_expired(app: &App) -> Result<(), AppError> {
    let over_ms = app.now_ms() - LIFETIME_MS;
    for left in flows::list_left_tokens(&app.db, over_ms).await? {
        app.db
            .write(Forget {
                hash: left.flow.clone(),
            })
            .await?;
        if let Some(token) = open_token(app, &left.flow, &left.sealed) {
            revoke_later(app, token);
        }
    }
    let nonces_before_ms = app.now_ms() - NONCES_KEPT_MS;
    let purge = || Purge {
        over_ms,
        nonces_before_ms,
    };
    while app.db.write(purge()).await? >= 500 {}
    Ok(())
}

struct Purge {
    over_ms: i64,
    nonces_before_ms: i64,
}

impl Work for Purge {
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "purge_flows";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<u64, AppError> {
        let flows = flows::purge(tx, self.over_ms).await?;
        Ok(flows.max(flows::purge_nonces(tx, self.nonces_before_ms).await?))
    }
}
