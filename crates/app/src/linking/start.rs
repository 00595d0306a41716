//! The way out to a provider.

use domain::flow::{FlowPurpose, FlowToken, JoinMode, LIFETIME_MS, LinkStep, Provider, TRIP_MS};
use domain::network::ClientAddress;
use domain::oauth::{PkceVerifier, State};
use platform::discord::oauth::Scope;
use storage::linking::flows::{self, Trip};
use storage::linking::link_pages::{self, LinkPage};
use storage::tenancy::guilds;
use storage::{GuildNum, OrgScope, Tx, Work};

use super::callback;
use super::flow::{give_back_expired, trip_place};
use crate::error::{AppError, RequestError};
use crate::identity::blocklist::refuse_blocked_network;
use crate::state::App;

/// Where to send the browser, and its secret: a new one, or the one it has.
pub struct Started {
    /// The provider's page, with the trip's secret in it.
    pub url: String,
    /// Goes into the browser's cookie.
    pub browser: FlowToken,
}

/// Begins a sign-in for a page. This is the first thing that stores anything about a visitor; a flow under way goes on.
pub async fn start(
    app: &App,
    slug: &str,
    purpose: FlowPurpose,
    provider: Provider,
    browser: Option<FlowToken>,
    address: ClientAddress,
) -> Result<Started, AppError> {
    refuse_blocked_network(app, address).await?;
    let page = link_pages::find(&app.db, slug)
        .await?
        .ok_or(RequestError::NotFound)?;
    let browser = browser.unwrap_or_else(|| FlowToken::generate(&*app.random));
    let flow_hash = browser.flow_hash(&page.guild_id, purpose);
    let secret = State::generate(&*app.random);
    let (url, sealed) = match provider {
        Provider::Discord => to_discord(app, &page, purpose, &secret)?,
        Provider::Steam => (to_steam(app, purpose, &secret)?, None),
    };
    give_back_expired(app, &flow_hash).await?;
    let work = Begin {
        guild: page.guild,
        purpose,
        provider,
        flow_hash,
        trip_hash: secret.hash(),
        sealed,
        now_ms: app.now_ms(),
    };
    let is_new = app.db.write_for(page.scope, work).await?;
    if is_new && purpose == FlowPurpose::Link {
        app.memories
            .link_steps
            .reached(page.guild, LinkStep::Started, app.now_ms());
    }
    Ok(Started { url, browser })
}

/// What people are asked to allow on this page.
pub(super) fn scopes(page: &LinkPage, purpose: FlowPurpose) -> &'static [Scope] {
    match (purpose, page.join_mode) {
        (FlowPurpose::Link, JoinMode::Auto) => &[Scope::Identify, Scope::GuildsJoin],
        (FlowPurpose::Link, JoinMode::Off | JoinMode::Invite) | (FlowPurpose::Unlink, _) => {
            &[Scope::Identify]
        }
    }
}

fn to_discord(
    app: &App,
    page: &LinkPage,
    purpose: FlowPurpose,
    state: &State,
) -> Result<(String, Option<(String, String)>), AppError> {
    let discord = app.platforms.discord_sign_in()?;
    let verifier = PkceVerifier::generate(&*app.random);
    let path = callback(Provider::Discord, purpose);
    let url = discord.authorize_url(path, scopes(page, purpose), state, &verifier);
    let hash = state.hash();
    let place = trip_place(&hash);
    let sealed = app.vault.seal(&*app.random, &place, verifier.expose().as_bytes());
    Ok((url, Some(sealed)))
}

fn to_steam(app: &App, purpose: FlowPurpose, once: &State) -> Result<String, AppError> {
    let steam = app.platforms.steam_sign_in()?;
    let return_to = steam.return_to(callback(Provider::Steam, purpose), once.expose());
    Ok(steam.sign_in_url(&return_to))
}

struct Begin {
    guild: GuildNum,
    purpose: FlowPurpose,
    provider: Provider,
    flow_hash: String,
    trip_hash: String,
    /// With the master key it is sealed with.
    sealed: Option<(String, String)>,
    now_ms: i64,
}

impl Work for Begin {
    type For = OrgScope;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "begin_sign_in";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<bool, AppError> {
        guilds::hold(tx, scope, self.guild).await?;
        let (hash, now_ms) = (&self.flow_hash, self.now_ms);
        let alive_since_ms = now_ms - LIFETIME_MS;
        let is_new = flows::ensure(tx, hash, scope, self.guild, self.purpose, now_ms, alive_since_ms).await?;
        let trip = Trip {
            provider: self.provider,
            hash: &self.trip_hash,
            sealed: self.sealed.as_ref(),
            ends_at_ms: now_ms + TRIP_MS,
        };
        flows::begin_trip(tx, hash, &trip).await?;
        Ok(is_new)
    }
}
