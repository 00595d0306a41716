//! The way out to a provider.

use domain::flow::{FlowPurpose, FlowToken, JoinMode, LIFETIME_MS, Provider, TRIP_MS};
use domain::network::ClientAddress;
use domain::oauth::{PkceVerifier, State};
use platform::discord::oauth::Scope;
use storage::flows::{self, Trip};
use storage::link_pages::{self, LinkPage};
use storage::{GuildNum, OrgScope, Tx, Work, guilds};

use super::flow::{current, trip_place};
use super::{callback, refuse_blocked_network};
use crate::error::AppError;
use crate::state::App;

/// Where to send the browser, and the secret of its flow if that is new.
pub struct Started {
    pub url: String,
    pub new_flow: Option<FlowToken>,
}

/// Begins a sign-in for a page. This is the first thing that stores anything about a visitor; a flow under way goes on.
pub async fn start(
    app: &App,
    slug: &str,
    purpose: FlowPurpose,
    provider: Provider,
    token: Option<&FlowToken>,
    address: ClientAddress,
) -> Result<Started, AppError> {
    refuse_blocked_network(app, address).await?;
    let page = link_pages::find(&app.db, slug).await?.ok_or(AppError::NotFound)?;
    let under_way = match token {
        Some(token) => current(app, token, purpose).await?,
        None => None,
    };
    let under_way = under_way.filter(|found| found.page.guild == page.guild && !found.flow.finished);
    let (flow_hash, new_flow) = match under_way {
        Some(found) => (found.hash, None),
        None => {
            let token = FlowToken::generate(&*app.random);
            (token.hash(), Some(token))
        }
    };
    let secret = State::generate(&*app.random);
    let (url, sealed) = match provider {
        Provider::Discord => to_discord(app, &page, purpose, &secret)?,
        Provider::Steam => (to_steam(app, purpose, &secret)?, None),
    };
    let work = Begin {
        scope: page.scope,
        guild: page.guild,
        purpose,
        provider,
        flow_hash,
        is_new: new_flow.is_some(),
        trip_hash: secret.hash(),
        sealed,
        now_ms: app.now_ms(),
    };
    if !app.db.write(work).await? {
        return Err(AppError::SignInExpired);
    }
    Ok(Started { url, new_flow })
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
) -> Result<(String, Option<String>), AppError> {
    let discord = app.platforms.discord_sign_in()?;
    let verifier = PkceVerifier::generate(&*app.random);
    let path = callback(Provider::Discord, purpose);
    let url = discord.authorize_url(path, scopes(page, purpose), state, &verifier);
    let hash = state.hash();
    let place = trip_place(&hash);
    let (sealed, _) = app.vault.seal(&*app.random, &place, verifier.expose().as_bytes());
    Ok((url, Some(sealed)))
}

fn to_steam(app: &App, purpose: FlowPurpose, once: &State) -> Result<String, AppError> {
    let steam = app.platforms.steam_sign_in.as_ref();
    let steam = steam.ok_or(AppError::SignInNotConfigured {
        provider: Provider::Steam,
    })?;
    let return_to = steam.return_to(callback(Provider::Steam, purpose), once.expose());
    Ok(steam.sign_in_url(&return_to))
}

struct Begin {
    scope: OrgScope,
    guild: GuildNum,
    purpose: FlowPurpose,
    provider: Provider,
    flow_hash: String,
    is_new: bool,
    trip_hash: String,
    sealed: Option<String>,
    now_ms: i64,
}

impl Work for Begin {
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "begin_sign_in";

    fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    async fn run(&self, tx: &mut Tx<'_>) -> Result<bool, AppError> {
        guilds::hold(tx, self.scope, self.guild).await?;
        if self.is_new {
            flows::insert(
                tx,
                &self.flow_hash,
                self.scope,
                self.guild,
                self.purpose,
                self.now_ms,
            )
            .await?;
        }
        let trip = Trip {
            provider: self.provider,
            hash: &self.trip_hash,
            sealed: self.sealed.as_deref(),
            ends_at_ms: self.now_ms + TRIP_MS,
        };
        let alive_since_ms = self.now_ms - LIFETIME_MS;
        Ok(flows::begin_trip(tx, &self.flow_hash, &trip, self.now_ms, alive_since_ms).await?)
    }
}
