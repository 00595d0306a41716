//! Discord: OAuth2, the REST interface and the gateway.

mod caller;
mod cdn;
mod changes;
mod control;
mod error;
mod gateway;
mod interactions;
mod limits;
mod oauth;
mod people;
mod permissions;
mod picture;
mod portal;
mod rest;
mod snowflake;
mod speech;
mod state;
mod window;
mod wire;
mod world;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::middleware;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::common::control::{PREFIX, Stateful, assemble};
use crate::common::hub::{Hub, Refusals, lock};
use crate::common::merge;
use crate::common::routes::Routes;
use crate::common::server::Server;
use crate::common::setup::Setup;
use error::ApiError;
use world::World;

pub use control::Disturbance;
pub use interactions::{CommandUse, ComponentUse, Interaction, Use, What};
pub use oauth::grants::Grant;
pub use permissions::Permissions;
pub use snowflake::Snowflake;
pub use speech::Said;
pub use state::{
    Application, Channel, DiscordState, GatewayRules, Guild, Limits, Member, Message, Overwrite, Role, User,
    Webhook, Window,
};

/// A running Discord. It ends when it is dropped.
pub struct Discord {
    inner: Arc<Inner>,
    server: Server,
}

/// What the handlers work on.
struct Inner {
    hub: Arc<Hub>,
    address: SocketAddr,
    world: Mutex<World>,
    /// True when the emulator ends; gateway connections watch it.
    stop: watch::Sender<bool>,
}

impl Discord {
    pub async fn start(setup: Setup) -> std::io::Result<Self> {
        let listener = Server::bind(setup.port).await?;
        let hub = Arc::new(Hub::new(
            &setup,
            Refusals {
                rate_limit,
                error_500,
                error_403,
            },
        ));
        let inner = Arc::new(Inner {
            hub: Arc::clone(&hub),
            address: listener.local_addr()?,
            world: Mutex::default(),
            stop: watch::Sender::new(false),
        });
        let router = assemble(
            hub,
            Arc::clone(&inner),
            routes(&inner),
            unknown,
            control::routes(),
        );
        let server = Server::serve(listener, router)?;
        Ok(Self { inner, server })
    }

    /// The base of the REST interface, version included.
    pub fn api_url(&self) -> String {
        format!("{}/api/v10", self.base_url())
    }

    /// Where browsers are sent to sign in.
    pub fn authorize_url(&self) -> String {
        format!("{}{}", self.base_url(), oauth::authorize::PATH)
    }

    pub fn gateway_url(&self) -> String {
        self.inner.gateway_url()
    }

    /// Where pictures are: `/icons/{guild}/{hash}.png`, `/avatars/{user}/{hash}.png`.
    pub fn cdn_url(&self) -> String {
        self.base_url()
    }

    /// Where people look at the servers and channels.
    pub fn home_url(&self) -> String {
        format!("{}/", self.base_url())
    }

    pub fn control_url(&self) -> String {
        format!("{}{PREFIX}", self.base_url())
    }

    fn base_url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    pub fn state(&self) -> DiscordState {
        self.inner.world().state.clone()
    }

    /// Changes what Discord knows and tells connected bots. Nothing changes when the result does not fit together; the
    /// text says why.
    pub fn change<T>(&self, change: impl FnOnce(&mut DiscordState) -> T) -> Result<T, String> {
        let mut world = self.inner.world();
        let mut state = world.state.clone();
        let result = change(&mut state);
        state.complete(self.inner.hub.now_ms())?;
        world.replace(state);
        Ok(result)
    }

    /// Lets a person use a command or press a button. Fails when the bot is not connected.
    pub fn interact(&self, used: &Use) -> Result<Interaction, String> {
        self.inner.interact(used)
    }

    /// A person writes into a channel.
    pub fn say(&self, said: &Said) -> Result<Message, String> {
        self.inner.say(said)
    }

    /// What became of an interaction.
    pub fn interaction(&self, id: Snowflake) -> Option<Interaction> {
        self.inner.world().interactions.get(id).cloned()
    }

    /// Sessions, identifies, resumes and overlaps.
    pub fn gateway(&self) -> Value {
        self.inner.world().sessions.describe()
    }

    /// Does something to the gateway sessions of a bot; says how many there were.
    pub fn disturb(&self, application: Snowflake, disturbance: Disturbance) -> usize {
        control::disturb(&mut self.inner.world(), application, disturbance)
    }

    /// Tokens of people that still work.
    pub fn grants(&self) -> Vec<Grant> {
        let now_ms = self.inner.hub.now_ms();
        self.inner.world().grants.live(now_ms).cloned().collect()
    }

    /// The journal of calls and the faults.
    pub fn hub(&self) -> &Hub {
        &self.inner.hub
    }
}

impl Drop for Discord {
    fn drop(&mut self) {
        self.inner.stop.send_replace(true);
    }
}

impl Inner {
    fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    fn gateway_url(&self) -> String {
        format!("ws://{}", self.address)
    }

    fn interact(&self, used: &Use) -> Result<Interaction, String> {
        let token = self.hub.random_hex::<32>();
        interactions::fire(&mut self.world(), used, token, self.hub.now_ms())
    }

    fn say(&self, said: &Said) -> Result<Message, String> {
        speech::say(&mut self.world(), said, self.hub.now_ms())
    }
}

impl Stateful for Inner {
    fn state(&self) -> Value {
        serde_json::to_value(&self.world().state).unwrap_or_default()
    }

    fn patch_state(&self, patch: &Value) -> Result<(), String> {
        let mut world = self.world();
        let mut state: DiscordState =
            merge::patched(&world.state, patch).map_err(|error| error.to_string())?;
        state.complete(self.hub.now_ms())?;
        world.replace(state);
        Ok(())
    }
}

/// The rate limits are inside the gate: a call that is refused by them was still a call.
fn routes(inner: &Arc<Inner>) -> Routes<Arc<Inner>> {
    let mut routes = rest::routes();
    routes.router = routes
        .router
        .layer(middleware::from_fn_with_state(Arc::clone(inner), limits::pass));
    routes
        .get("/", gateway::connection::connect)
        .get(oauth::authorize::PATH, oauth::authorize::authorize)
        .get("/channels/{channel}", window::channel)
        .post("/channels/{channel}", window::act)
        .get(people::PATH, people::show)
        .post(people::PATH, people::act)
        .get(portal::PATH, portal::list)
        .post(portal::PATH, portal::create)
        .get("/developers/applications/{application}", portal::show)
        .post("/developers/applications/{application}", portal::act)
        .get("/icons/{guild}/{file}", cdn::icon)
        .get("/avatars/{user}/{file}", cdn::avatar)
        .get("/embed/avatars/{file}", cdn::usual_avatar)
}

fn rate_limit(seconds: u32) -> Response {
    limits::refusal(f64::from(seconds), i64::from(seconds) * 1_000, false)
}

fn error_500() -> Response {
    let body = json!({"message": "500: Internal Server Error", "code": 0});
    (StatusCode::INTERNAL_SERVER_ERROR, axum::Json(body)).into_response()
}

fn error_403() -> Response {
    ApiError::MISSING_ACCESS.into_response()
}

fn unknown() -> Response {
    ApiError::ROUTE_NOT_FOUND.into_response()
}
