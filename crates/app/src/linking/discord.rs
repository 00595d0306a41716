//! The way back from Discord.

use domain::blocklist::BlockEntry;
use domain::flow::{FlowPurpose, FlowToken, JoinMode, Provider};
use domain::network::ClientAddress;
use domain::oauth::State;
use domain::platform_id::DiscordId;
use platform::discord::oauth::{AccessToken, Person};
use storage::{Tx, Work, blocklist, flows};

use super::flow::{Current, abandon, current, forget, give_token_back, revoke_later, seal_token, trip_place};
use super::start::scopes;
use super::{callback, refuse_blocked_network};
use crate::discord_visit::{identify, open_verifier};
use crate::error::AppError;
use crate::state::App;

/// What the browser brought back.
pub struct DiscordAnswer<'a> {
    pub state: &'a str,
    /// None when the person said no.
    pub code: Option<&'a str>,
}

/// Finishes a Discord sign-in and returns the slug of the page to go on with.
pub async fn discord_callback(
    app: &App,
    purpose: FlowPurpose,
    token: Option<&FlowToken>,
    answer: DiscordAnswer<'_>,
    address: ClientAddress,
) -> Result<String, AppError> {
    let token = token.ok_or(AppError::SignInExpired)?;
    let state = State::parse(answer.state).map_err(|_| AppError::SignInExpired)?;
    let found = current(app, token, purpose).await?;
    let flow = found.ok_or(AppError::SignInExpired)?;
    let expected = flows::find_trip(&app.db, &flow.hash, Provider::Discord, app.now_ms()).await?;
    let expected = expected
        .filter(|trip| state.matches(&trip.hash))
        .ok_or(AppError::SignInExpired)?;
    if let Err(error) = refuse_blocked_network(app, address).await {
        abandon(app, &flow).await?;
        return Err(error);
    }
    // Used up before anything is asked with it: a second copy of this request finds nothing.
    let once = UseTrip {
        flow: flow.hash.clone(),
        provider: Provider::Discord,
        trip: expected.hash.clone(),
        now_ms: app.now_ms(),
    };
    if !app.db.write(once).await? {
        return Err(AppError::SignInExpired);
    }
    let code = answer.code.ok_or(AppError::SignInCancelled)?;
    let sealed = expected.sealed.as_deref().ok_or(AppError::SignInExpired)?;
    let verifier = open_verifier(app, &trip_place(&expected.hash), sealed)?;
    let path = callback(Provider::Discord, purpose);
    let known = identify(app, path, scopes(&flow.page, purpose), code, &verifier).await?;
    bind(app, flow, purpose, known.person, known.access).await
}

/// A blocked person is bound to nothing: the token goes back, the flow is gone.
async fn bind(
    app: &App,
    flow: Current,
    purpose: FlowPurpose,
    person: Person,
    access: AccessToken,
) -> Result<String, AppError> {
    let keeps_token = purpose == FlowPurpose::Link && flow.page.join_mode == JoinMode::Auto;
    let earlier = flow.flow.discord.as_ref().map(|(id, _)| id.clone());
    let new_id = person.id.clone();
    let work = Bind {
        sealed: keeps_token.then(|| seal_token(app, &flow.hash, &access)),
        flow: flow.hash.clone(),
        id: person.id,
        name: person.name,
        now_ms: app.now_ms(),
    };
    let bound = app.db.write(work).await;
    if !keeps_token || bound.is_err() {
        revoke_later(app, access);
    }
    // Somebody else's token of before. One's own must stay: Discord ends all tokens of a person with one of them.
    if earlier.is_some_and(|id| id != new_id) {
        give_token_back(app, &flow);
    }
    if matches!(bound, Err(AppError::Blocked)) {
        forget(app, &flow).await?;
    }
    bound.map(|()| flow.page.slug)
}

struct Bind {
    flow: String,
    id: DiscordId,
    name: String,
    sealed: Option<String>,
    now_ms: i64,
}

impl Work for Bind {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "bind_discord";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        if blocklist::is_any_blocked_in(tx, &[BlockEntry::discord(&self.id)], self.now_ms).await? {
            return Err(AppError::Blocked);
        }
        let sealed = self.sealed.as_deref();
        if flows::bind_discord(tx, &self.flow, &self.id, &self.name, sealed, self.now_ms).await? {
            return Ok(());
        }
        Err(AppError::SignInExpired)
    }
}

/// Takes a trip that was answered, once.
pub(super) struct UseTrip {
    pub flow: String,
    pub provider: Provider,
    pub trip: String,
    pub now_ms: i64,
}

impl Work for UseTrip {
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "use_trip";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<bool, AppError> {
        Ok(flows::end_trip(tx, &self.flow, self.provider, &self.trip, self.now_ms).await?)
    }
}
