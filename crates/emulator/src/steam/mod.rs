//! Steam: the OpenID 2.0 provider, the Web API and the pages of groups.

mod assertion;
mod discovery;
mod groups;
mod openid;
mod people;
mod state;
mod web_api;

use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::response::{Html, IntoResponse, Response};
use domain::platform_id::SteamId;
use http::StatusCode;
use http::header::RETRY_AFTER;
use serde_json::Value;

use crate::common::control::{self, Stateful};
use crate::common::hub::{Hub, Refusals, lock};
use crate::common::merge;
use crate::common::routes::Routes;
use crate::common::server::Server;
use crate::common::setup::Setup;
use assertion::Notary;

pub use self::state::{Account, Check, Group, SteamState};

/// Who Steam says it is, wherever it is reached. Relying parties compare with this and with nothing else.
pub const PROVIDER: &str = "https://steamcommunity.com/openid/login";
/// What stands before the id in a claimed identity.
pub const IDENTITY: &str = "https://steamcommunity.com/openid/id/";

/// A running Steam. It ends when it is dropped.
pub struct Steam {
    inner: Arc<Inner>,
    server: Server,
}

/// What the handlers work on.
struct Inner {
    hub: Arc<Hub>,
    state: Mutex<SteamState>,
    notary: Mutex<Notary>,
}

impl Steam {
    pub async fn start(setup: Setup) -> std::io::Result<Self> {
        let hub = Arc::new(Hub::new(
            &setup,
            Refusals {
                rate_limit,
                error_500,
                error_403,
            },
        ));
        let inner = Arc::new(Inner {
            notary: Mutex::new(Notary::new(hub.random_bytes())),
            state: Mutex::default(),
            hub: Arc::clone(&hub),
        });
        let router = control::assemble(hub, Arc::clone(&inner), routes(), unknown, Router::new());
        let server = Server::start(setup.port, router).await?;
        Ok(Self { inner, server })
    }

    /// Where browsers are sent and assertions are checked.
    pub fn openid_url(&self) -> String {
        format!("{}/openid/login", self.base_url())
    }

    /// What stands before `/ISteamUser/…`.
    pub fn api_url(&self) -> String {
        self.base_url()
    }

    /// What stands before `/groups/…` and `/gid/…`.
    pub fn community_url(&self) -> String {
        self.base_url()
    }

    pub fn control_url(&self) -> String {
        format!("{}{}", self.base_url(), control::PREFIX)
    }

    fn base_url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    pub fn state(&self) -> SteamState {
        lock(&self.inner.state).clone()
    }

    /// Changes what Steam knows.
    pub fn change<T>(&self, change: impl FnOnce(&mut SteamState) -> T) -> T {
        change(&mut lock(&self.inner.state))
    }

    /// Makes or replaces an account.
    pub fn set_account(&self, id: &SteamId, account: Account) {
        self.change(|state| state.accounts.insert(id.clone(), account));
    }

    /// Puts an account into a group, or takes it out. The account is made if it is missing.
    pub fn set_membership(&self, id: &SteamId, gid: u32, member: bool) {
        self.change(|state| {
            let account = state.accounts.entry(id.clone()).or_default();
            account.groups.retain(|group| *group != gid.to_string());
            if member {
                account.groups.push(gid.to_string());
            }
        });
    }

    /// How to answer when somebody asks whether an assertion is genuine.
    pub fn set_check(&self, check: Check) {
        self.change(|state| state.check = check);
    }

    /// The address a browser is sent back to after this person signed in, without a visit to the page.
    pub fn sign_in(&self, id: &SteamId, return_to: &str) -> String {
        self.inner.assert(id, return_to)
    }

    /// The journal of calls and the faults.
    pub fn hub(&self) -> &Hub {
        &self.inner.hub
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, SteamState> {
        lock(&self.state)
    }
}

impl Stateful for Inner {
    fn state(&self) -> Value {
        serde_json::to_value(&*lock(&self.state)).unwrap_or_default()
    }

    fn patch_state(&self, patch: &Value) -> Result<(), String> {
        let mut state = lock(&self.state);
        let patched: SteamState = merge::patched(&*state, patch).map_err(|error| error.to_string())?;
        patched.validate()?;
        *state = patched;
        Ok(())
    }
}

fn routes() -> Routes<Arc<Inner>> {
    Routes::new()
        .get("/openid", discovery::provider)
        .get("/openid/id/{id}", discovery::identity)
        .get("/openid/login", openid::login)
        .post("/openid/login", openid::direct)
        .get("/ISteamUser/GetPlayerSummaries/v2", people::summaries)
        .get("/ISteamUser/GetPlayerSummaries/v0002", people::summaries)
        .get("/ISteamUser/GetUserGroupList/v1", people::groups)
        .get("/ISteamUser/ResolveVanityURL/v1", people::vanity)
        .get("/IPlayerService/GetProfileItemsEquipped/v1", people::ornaments)
        .get("/groups/{name}/memberslistxml", groups::by_name)
        .get("/gid/{id}/memberslistxml", groups::by_id)
}

fn rate_limit(seconds: u32) -> Response {
    let page = web_api::plain_page("Too Many Requests", "You have exceeded your request limit.");
    (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds)], page).into_response()
}

fn error_500() -> Response {
    let page = web_api::plain_page("Internal Server Error", "Something broke.");
    (StatusCode::INTERNAL_SERVER_ERROR, page).into_response()
}

fn error_403() -> Response {
    let page: Html<String> =
        web_api::plain_page("Access Denied", "You don't have permission to access this.");
    (StatusCode::FORBIDDEN, page).into_response()
}

fn unknown() -> Response {
    (
        StatusCode::NOT_FOUND,
        web_api::plain_page("Not Found", "Not found."),
    )
        .into_response()
}
