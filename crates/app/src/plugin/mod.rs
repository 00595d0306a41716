//! The front door of the plugin API: the order of checks, once, for every action.

mod actions;
mod admission;
pub(crate) mod groups;
mod input;
mod params;
mod reply;
mod retired;

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::OnceLock;

use domain::action::Action;
use domain::key::{KeyKind, PlainKey};
use domain::network::ClientNetwork;
use domain::platform_id::{SteamAccount, SteamId};
use domain::rate::Decision;
use futures_util::Stream;
use storage::keys::plugin_keys::{self, ResolvedKey};
use storage::linking::lookups;
use storage::tenancy::servers;
use storage::{KeyNum, OrgScope, ServerNum};

use crate::error::{AppError, KeysError, PluginError, RequestError};
use crate::memories::seen::SeenAt;
use crate::state::App;

pub use admission::{Admitted, admit_body};
pub use params::{ActionParam, Body, Params, is_fail_closed, names_look_up};

/// The key as it was presented.
pub enum Presented {
    /// In none of the places where a key may stand.
    Missing,
    /// Not of our format; refused before anything is looked up.
    Malformed,
    /// Of our format; whether anybody holds it is looked up later.
    Key {
        /// Wiped when the call is over.
        key: PlainKey,
        /// As the parameter `secret`, where it ends up in logs.
        in_query: bool,
    },
}

/// A parsed call.
pub struct Request<'a> {
    /// Query and body.
    pub params: &'a Params<'a>,
    /// From the first of the places where one stands.
    pub key: Presented,
    /// Unknown keys are counted against it.
    pub network: ClientNetwork,
    /// Told as soon as the key is known, for whoever writes down what becomes of the call.
    pub org: &'a OnceLock<OrgScope>,
    /// A person's browser or a link preview opened the address, as opposed to a program calling it.
    pub opened_as_page: bool,
    /// What a plugin says about itself.
    pub plugin_version: Option<&'a str>,
    /// The settings that its file was made from.
    pub config_stamp: Option<&'a str>,
    /// The call came with a body and was counted before that was read.
    pub admitted: Option<Admitted>,
}

/// A success: its status and its text, which is JSON unless a Server asked for bare ids.
pub struct Reply {
    /// 200, or 404 for a miss, which is an answer here.
    pub status: u16,
    /// The whole answer, or its beginning.
    pub body: String,
    /// What follows the text, for answers that are as long as a Guild is large.
    pub more: Option<Pages>,
    /// An id without quotes.
    pub is_plain_text: bool,
}

/// The rest of an answer, read from the database while it is sent. A failure ends the connection before the answer.
pub type Pages = Pin<Box<dyn Stream<Item = Result<String, AppError>> + Send>>;

impl Reply {
    /// A JSON string. The text needs no escaping: ids and fixed words only.
    pub(crate) fn text(status: u16, text: &str) -> Self {
        Self {
            status,
            body: ["\"", text, "\""].concat(),
            more: None,
            is_plain_text: false,
        }
    }

    pub(crate) fn json(body: String) -> Self {
        Self {
            status: 200,
            body,
            more: None,
            is_plain_text: false,
        }
    }
}

/// The answer to a call, with what the headers need.
pub struct Answer {
    /// A miss is a reply; only a refusal is an error.
    pub result: Result<Reply, AppError>,
    /// Present for every known key.
    pub rate: Option<RateState>,
    /// The key came in the query string, which is discouraged.
    pub key_in_query: bool,
}

/// A key's bucket after the call, for the `X-RateLimit` headers.
#[derive(Clone, Copy)]
pub struct RateState {
    /// Calls that may come at once after a rest.
    pub limit: u32,
    /// Calls that would pass now.
    pub remaining: u32,
    /// Unix time at which the bucket is full again.
    pub reset_at_s: i64,
}

/// A call that passed every check up to its parameters.
pub(crate) struct Call<'a> {
    pub app: &'a App,
    pub key: &'a ResolvedKey,
    /// None for a key of the whole Guild that named no Server.
    pub server: Option<ServerNum>,
    pub params: &'a Params<'a>,
}

impl Call<'_> {
    /// The id that a look-up found.
    pub(crate) fn found_id(&self, id: &str) -> Reply {
        if self.key.bare_ids {
            return Reply {
                status: 200,
                body: id.to_owned(),
                more: None,
                is_plain_text: true,
            };
        }
        Reply::text(200, id)
    }

    /// Players named by a game server's own key were there; other keys say nothing about that.
    pub(crate) fn mark_seen(&self, players: impl IntoIterator<Item = SteamAccount>) {
        if let (KeyKind::Plugin, Some(server)) = (self.key.kind, self.server) {
            self.app
                .memories
                .seen
                .mark(server, players, SeenAt::of(&self.app.clock));
        }
    }

    /// The same of players who are not linked in this Guild: they may be in another one of the Org.
    pub(crate) fn mark_strangers(&self, players: impl IntoIterator<Item = SteamAccount>) {
        if let (KeyKind::Plugin, Some(server)) = (self.key.kind, self.server) {
            let now = SeenAt::of(&self.app.clock);
            let strangers = &self.app.memories.strangers;
            strangers.mark_shared(self.key.scope, server, players, now);
        }
    }

    /// Both of these, for players of whom some are known to be linked here.
    pub(crate) fn mark_asked(&self, asked: &[SteamId], linked: &[SteamAccount]) {
        if self.key.kind != KeyKind::Plugin {
            return;
        }
        self.mark_seen(linked.iter().copied());
        let known: HashSet<SteamAccount> = linked.iter().copied().collect();
        let strangers = asked.iter().map(SteamId::account);
        self.mark_strangers(strangers.filter(|player| !known.contains(player)));
    }

    /// The same for players of whom nobody knows yet who is linked. What was asked for is done by now, and a mark that cannot be
    /// made is no reason to say otherwise.
    pub(crate) async fn mark_named(&self, players: &[SteamId]) {
        if self.key.kind != KeyKind::Plugin {
            return;
        }
        if let Ok(linked) = lookups::linked(&self.app.db, self.key.guild, players).await {
            self.mark_asked(players, &linked);
        }
    }
}

impl Answer {
    fn refused(error: AppError) -> Self {
        Self {
            result: Err(error),
            rate: None,
            key_in_query: false,
        }
    }
}

impl RateState {
    fn of(app: &App, key: &ResolvedKey, decision: &Decision) -> Self {
        Self {
            limit: app.memories.gate.limit(key.tier).burst,
            remaining: decision.remaining,
            reset_at_s: (app.now_ms() + decision.reset_after_ms + 999).div_euclid(1000),
        }
    }
}

fn repeated_action() -> AppError {
    AppError::invalid("action", "it is given more than once")
}

/// Answers one call. The checks run in a fixed order and each has one outcome.
pub async fn call(app: &App, request: Request<'_>) -> Answer {
    let mut answer = Answer::refused(KeysError::Unauthorized.into());
    if matches!(request.params.action(), ActionParam::Repeated) {
        answer.result = Err(repeated_action());
        return answer;
    }
    let (key, in_query) = match request.key {
        Presented::Missing | Presented::Malformed => return answer,
        Presented::Key { ref key, in_query } => (key, in_query),
    };
    answer.key_in_query = in_query;
    let hash = key.hash();
    let asked_steam = asked_steam(request.params);
    match plugin_keys::resolve(&app.db, &hash, asked_steam.as_ref()).await {
        Err(error) => answer.result = Err(error.into()),
        Ok(None) => {
            answer.result = Err(Box::pin(retired::refuse_unknown(app, hash, request.network)).await);
        }
        Ok(Some(resolved)) => {
            request.org.get_or_init(|| resolved.scope);
            let (result, rate) = admit(app, &request, &resolved, in_query).await;
            answer.result = result.inspect_err(|error| note_refusal(app, resolved.num, error));
            answer.rate = Some(rate);
        }
    }
    answer
}

/// For whoever looks after the key.
fn note_refusal(app: &App, key: KeyNum, error: &AppError) {
    app.memories.refused_calls.note(key, error.code(), app.now_ms());
}

async fn admit(
    app: &App,
    request: &Request<'_>,
    key: &ResolvedKey,
    in_query: bool,
) -> (Result<Reply, AppError>, RateState) {
    // A key can die while its body arrives.
    let (passed, rate) = match &request.admitted {
        Some(admitted) => (check_alive(key, in_query), admitted.rate()),
        None => count(app, key, in_query),
    };
    if let Err(error) = passed {
        return (Err(error), rate);
    }
    if let (Some(version), KeyKind::Plugin, Some(server)) = (request.plugin_version, key.kind, key.server) {
        let now_ms = app.clock.steady_ms();
        let stamp = request.config_stamp;
        app.memories.plugins.note(server, version, stamp, now_ms);
    }
    (answer_within(app, request, key, in_query).await, rate)
}

/// Takes one call from the bucket of a living key.
fn count(app: &App, key: &ResolvedKey, in_query: bool) -> (Result<(), AppError>, RateState) {
    let alive = check_alive(key, in_query);
    let decision = match alive {
        Ok(()) => app.memories.gate.take_key(key.num.0, key.tier, in_query),
        Err(_) => app.memories.gate.peek_key(key.num.0, key.tier),
    };
    let limited = RequestError::RateLimited {
        retry_after_ms: decision.retry_after_ms,
    };
    let passed = alive.and(if decision.allowed {
        Ok(())
    } else {
        Err(limited.into())
    });
    (passed, RateState::of(app, key, &decision))
}

/// Scope, action and allow-list, then the action itself.
async fn answer_within(
    app: &App,
    request: &Request<'_>,
    key: &ResolvedKey,
    in_query: bool,
) -> Result<Reply, AppError> {
    let params = request.params;
    let server = check_scope(app, params, key).await?;
    let action = check_action(request, key, in_query)?;
    if matches!(params.body(), Body::Json(body) if !body.is_object()) {
        return Err(AppError::invalid("body", "a JSON object is needed"));
    }
    let call = Call {
        app,
        key,
        server,
        params,
    };
    actions::run(action, &call).await
}

fn check_alive(key: &ResolvedKey, in_query: bool) -> Result<(), AppError> {
    if key.revoked {
        return Err(KeysError::KeyRevoked.into());
    }
    if !key.server_active {
        return Err(PluginError::ServerInactive.into());
    }
    if key.refuse_in_query && in_query {
        return Err(KeysError::QueryKeyRefused.into());
    }
    Ok(())
}

fn check_action(request: &Request<'_>, key: &ResolvedKey, in_query: bool) -> Result<Action, AppError> {
    let action = match request.params.action() {
        ActionParam::Known(action) => action,
        ActionParam::Unknown => return Err(PluginError::UnknownAction.into()),
        ActionParam::Missing | ActionParam::Repeated => {
            return Err(AppError::invalid("action", "it is missing"));
        }
    };
    if !key.actions.contains(action) {
        return Err(PluginError::PermissionDenied {
            action: action.name(),
        }
        .into());
    }
    if in_query && request.opened_as_page && action.spec().mutating {
        return Err(PluginError::BrowserRefused.into());
    }
    Ok(action)
}

/// What the caller names must be what the key is recorded for; a key of a whole Guild may name one of its Servers.
/// That Guild and Server belong together is the database's own rule, so who names neither needs no further look.
async fn check_scope(
    app: &App,
    params: &Params<'_>,
    key: &ResolvedKey,
) -> Result<Option<ServerNum>, AppError> {
    match (params.last("guild_id"), params.last("server_id")) {
        (None, None) => Ok(key.server),
        (guild, server) => Box::pin(check_named_scope(app, key, guild, server)).await,
    }
}

async fn check_named_scope(
    app: &App,
    key: &ResolvedKey,
    guild: Option<&str>,
    server: Option<&str>,
) -> Result<Option<ServerNum>, AppError> {
    let mismatch = |parameter| AppError::from(PluginError::ScopeMismatch { parameter });
    let found = plugin_keys::find_scope(&app.db, key.num).await?;
    let scope = found.ok_or(mismatch("guild_id"))?;
    if guild.is_some_and(|named| named != scope.guild_id.as_str() && named != scope.discord_guild_id) {
        return Err(mismatch("guild_id"));
    }
    match (server, &scope.server_id) {
        (None, _) => Ok(key.server),
        (Some(named), Some(recorded)) if named == recorded => Ok(key.server),
        (Some(_), Some(_)) => Err(mismatch("server_id")),
        (Some(named), None) => match servers::find_in_guild(&app.db, key.scope, key.guild, named).await? {
            Some(server) if server.active => Ok(Some(server.num)),
            Some(_) => Err(PluginError::ServerInactive.into()),
            None => Err(mismatch("server_id")),
        },
    }
}

/// The Steam id to look up together with the key, for the action that asks for one.
fn asked_steam(params: &Params<'_>) -> Option<SteamId> {
    match params.action() {
        ActionParam::Known(Action::FindBySteam) => {
            params.last("id").and_then(|id| SteamId::parse(id.trim()).ok())
        }
        ActionParam::Known(_) | ActionParam::Unknown | ActionParam::Missing | ActionParam::Repeated => None,
    }
}
