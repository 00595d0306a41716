//! The way back from Discord.

use domain::blocklist::BlockEntry;
use domain::flow::{FlowPurpose, JoinMode, LinkStep, Provider};
use domain::network::ClientAddress;
use domain::oauth::AuthorizationCode;
use domain::platform_id::DiscordId;
use platform::discord::oauth::{AccessToken, Person};
use storage::identity::blocklist;
use storage::linking::flows;
use storage::{NoOrg, Tx, Work};

use super::callback;
use super::flow::{Current, abandon, forget, give_token_back, seal_token, trip_place};
use super::start::scopes;
use super::trip::Trip;
use crate::error::{AppError, IdentityError};
use crate::identity::blocklist::refuse_blocked_network;
use crate::identity::discord_visit::{identify, open_verifier, revoke_later};
use crate::state::App;

/// Finishes a Discord sign-in. There is no code when the person said no.
pub async fn discord_callback(
    app: &App,
    trip: Trip,
    code: Option<&str>,
    address: ClientAddress,
) -> Result<(), AppError> {
    let noted = trip.to_be_noted();
    let done = back(app, trip, code, address).await;
    noted.note(app, LinkStep::Discord, &done);
    done
}

async fn back(app: &App, trip: Trip, code: Option<&str>, address: ClientAddress) -> Result<(), AppError> {
    if let Err(error) = refuse_blocked_network(app, address).await {
        abandon(app, &trip.flow).await?;
        return Err(error);
    }
    let code = code.map(AuthorizationCode::parse).transpose();
    let code = code.map_err(|_| IdentityError::SignInExpired)?;
    trip.use_up(app).await?;
    let code = code.ok_or(IdentityError::SignInCancelled)?;
    let sealed = trip.sealed.as_deref().ok_or(IdentityError::SignInExpired)?;
    let verifier = open_verifier(app, &trip_place(&trip.hash), sealed)?;
    let (path, scopes) = (
        callback(Provider::Discord, trip.purpose),
        scopes(&trip.flow.page, trip.purpose),
    );
    let known = identify(app, path, scopes, &code, &verifier).await?;
    bind(app, trip.flow, trip.purpose, known.person, known.access).await
}

/// A blocked person is bound to nothing: the token goes back, the flow is gone.
async fn bind(
    app: &App,
    flow: Current,
    purpose: FlowPurpose,
    person: Person,
    access: AccessToken,
) -> Result<(), AppError> {
    let keeps_token = purpose == FlowPurpose::Link && flow.page.join_mode == JoinMode::Auto;
    let earlier = flow.flow.discord.as_ref().map(|(id, _)| id.clone());
    let id = person.id.clone();
    let work = Bind {
        sealed: keeps_token.then(|| seal_token(app, &flow.hash, &access)),
        flow: flow.hash.clone(),
        blocks: app.discord_blocks(&person.id),
        id: person.id,
        name: person.name,
        now_ms: app.now_ms(),
    };
    let bound = app.db.write(work).await;
    if matches!(bound, Err(AppError::Identity(IdentityError::Blocked))) {
        forget(app, &flow).await?;
    }
    if !keeps_token || bound.is_err() {
        revoke_later(app, Some(&id), access);
    }
    // Somebody else's token of before. One's own must stay: Discord ends all tokens of a person with one of them.
    if earlier.is_some_and(|earlier| earlier != id) {
        give_token_back(app, &flow);
    }
    bound
}

struct Bind {
    flow: String,
    id: DiscordId,
    blocks: [BlockEntry; 2],
    name: String,
    /// With the master key it is sealed with.
    sealed: Option<(String, String)>,
    now_ms: i64,
}

impl Work for Bind {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "bind_discord";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        if blocklist::is_any_blocked_in(tx, &self.blocks, self.now_ms).await? {
            return Err(IdentityError::Blocked.into());
        }
        let sealed = self.sealed.as_ref();
        if flows::bind_discord(tx, &self.flow, &self.id, &self.name, sealed, self.now_ms).await? {
            return Ok(());
        }
        Err(IdentityError::SignInExpired.into())
    }
}
