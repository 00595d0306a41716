//! How routes are registered. None can be added without its surface, and no dashboard route without the permission it
//! needs.

mod people;
mod programs;
mod table;

use axum::Router;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use domain::permission::Permission;
use http::Method;

pub use self::table::RouteTable;
pub use crate::answers::{Answer, Created, Done, Found, FoundSecret};
use crate::error::failed_response;
use crate::extract::{Asks, Guarded, Stop};
use crate::layers::Surface;
use crate::openapi::Described;
use crate::state::WebState;

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone.
    Public,
    /// The holder of an API key whose allow-list has the action.
    PluginKey,
    /// Anyone who is signed in.
    SignedIn,
    /// Anyone who belongs to the Org of the path.
    Member,
    /// A signed-in person with this permission in the Org of the path.
    Permission(Permission),
    /// The owner of the Org; others are told this permission or, if they hold it, that they are not the owner.
    Owner(Permission),
    /// Who runs this installation. Everybody else who is signed in finds nothing there.
    Operator,
    /// A bot of the platform, by its secret.
    Bot,
    /// A service that signs what it sends.
    Sender,
}

/// One line of the route table.
#[derive(Debug, Clone)]
pub struct RouteSpec {
    pub method: Method,
    pub path: &'static str,
    /// What its failures look like, which headers it carries, how much it reads, whether maintenance closes it.
    pub surface: Surface,
    pub access: Access,
    /// It takes a sign-in of the last few minutes, whatever is sent.
    pub fresh: bool,
    /// An operator on a visit gets as far as the visit goes.
    pub visitors: bool,
    /// What stops strangers at a form that anyone may send.
    pub stop: Option<Stop>,
    /// Also served below `/api`.
    pub mirrored: bool,
    /// What a network is counted for. Every route has one that writes, or looks for a proof, without a session.
    pub limit: Option<NetworkLimit>,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The JSON body it reads, if any.
    pub takes: Option<fn() -> Described>,
    /// It reads a file instead.
    pub takes_file: bool,
    /// What it understands behind the question mark.
    pub asks: &'static [Asks],
    /// It makes something, once for each `Idempotency-Key`.
    pub repeatable: bool,
    pub answer: RouteAnswer,
}

impl RouteSpec {
    /// A route that takes nothing and is served as written.
    fn plain(
        method: Method,
        (path, summary): (&'static str, &'static str),
        (surface, access): (Surface, Access),
        answer: RouteAnswer,
    ) -> Self {
        Self {
            method,
            path,
            surface,
            access,
            fresh: false,
            visitors: false,
            stop: None,
            mirrored: false,
            limit: None,
            summary,
            takes: None,
            takes_file: false,
            asks: &[],
            repeatable: false,
            answer,
        }
    }
}

/// What one network may do at routes for those who are not signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkLimit {
    /// Sign-ins that begin, counted before anything else is done.
    Starts,
    /// Everything that follows, counted in the same way: ways back from a sign-in, and buttons.
    Steps,
    /// Proofs that are none: unknown secrets, signatures that do not fit. Whoever has a good one is not affected.
    Unproven,
}

/// What a route answers with when all is well.
#[derive(Debug, Clone, Copy)]
pub enum RouteAnswer {
    Page,
    /// Whatever the action answers.
    Action,
    /// The description of the API itself.
    Description,
    Json(u16, fn() -> Described),
    Nothing,
    /// A file to keep.
    File,
    /// A file that a page is made of.
    Asset,
    /// 303: the browser is sent on.
    SeeOther,
}

/// The router and its table, grown together.
pub struct Routes {
    router: Router<WebState>,
    table: Vec<RouteSpec>,
}

impl Default for Routes {
    fn default() -> Self {
        Self::new()
    }
}

impl Routes {
    /// Without any route.
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            table: Vec::new(),
        }
    }

    /// A route that only shows something, and decides by itself to whom.
    pub fn open(
        mut self,
        about: (&'static str, &'static str),
        side: (Surface, Access),
        answer: RouteAnswer,
        route: MethodRouter<WebState>,
    ) -> Self {
        self.router = self.router.route(about.0, route);
        self.table
            .push(RouteSpec::plain(Method::GET, about, side, answer));
        self
    }

    /// A page that anyone may open.
    pub(crate) fn page(
        self,
        surface: Surface,
        path: &'static str,
        summary: &'static str,
        route: MethodRouter<WebState>,
    ) -> Self {
        let public = (surface, Access::Public);
        self.open((path, summary), public, RouteAnswer::Page, route)
    }

    /// A form of one of our pages. Its handler's last input is what stops strangers.
    pub(crate) fn button<H, T>(
        mut self,
        surface: Surface,
        path: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Self
    where
        H: Handler<T, WebState>,
        T: Guarded + 'static,
    {
        let about = (surface, path, summary);
        self = self.limited(Method::POST, about, NetworkLimit::Steps, handler);
        if let Some(last) = self.table.last_mut() {
            last.stop = Some(T::STOP);
        }
        self
    }

    /// The way out to a provider.
    pub(crate) fn departure<H, T>(self, surface: Surface, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, WebState>,
        T: 'static,
    {
        let about = (surface, path, "Begin a sign-in");
        self.limited(Method::GET, about, NetworkLimit::Starts, handler)
    }

    /// The way back from a provider.
    pub(crate) fn arrival<H, T>(self, surface: Surface, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, WebState>,
        T: 'static,
    {
        let about = (surface, path, "Come back from a sign-in");
        self.limited(Method::GET, about, NetworkLimit::Steps, handler)
    }

    /// A route that stores something for whoever comes. Their network is counted before the handler sees them.
    fn limited<H, T>(
        mut self,
        method: Method,
        (surface, path, summary): (Surface, &'static str, &'static str),
        limit: NetworkLimit,
        handler: H,
    ) -> Self
    where
        H: Handler<T, WebState>,
        T: 'static,
    {
        let run = move |State(state): State<WebState>, request: Request| async move {
            match state.count_network(limit, (request.extensions(), request.headers())) {
                Ok(()) => handler.call(request, state).await,
                Err(error) => failed_response(error),
            }
        };
        let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET);
        self.router = self.router.route(path, on(filter, run));
        let side = (surface, Access::Public);
        self.table.push(RouteSpec {
            limit: Some(limit),
            asks: trip_asks(path),
            ..RouteSpec::plain(method, (path, summary), side, RouteAnswer::SeeOther)
        });
        self
    }

    /// The router, and the same as data.
    pub fn finish(self) -> (Router<WebState>, Vec<RouteSpec>) {
        (self.router, self.table)
    }
}

/// What a step of a sign-in reads from its address; other paths read nothing.
fn trip_asks(path: &str) -> &'static [Asks] {
    const DISCORD: [Asks; 3] = [Asks::Text("state"), Asks::Text("code"), Asks::Text("error")];
    const STEAM: [Asks; 11] = [
        Asks::Text("state"),
        Asks::Text("openid.ns"),
        Asks::Text("openid.mode"),
        Asks::Text("openid.op_endpoint"),
        Asks::Text("openid.claimed_id"),
        Asks::Text("openid.identity"),
        Asks::Text("openid.return_to"),
        Asks::Text("openid.response_nonce"),
        Asks::Text("openid.assoc_handle"),
        Asks::Text("openid.signed"),
        Asks::Text("openid.sig"),
    ];
    match path {
        "/auth/discord/login" => &[Asks::Text("return_to")],
        "/auth/discord/claim" => &[Asks::Text("org")],
        _ if !path.starts_with("/auth/") => &[],
        _ if !path.ends_with("/callback") => &[Asks::Text("guild")],
        _ if path.starts_with("/auth/steam/") => &STEAM,
        _ => &DISCORD,
    }
}
