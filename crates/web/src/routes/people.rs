//! Routes for people who are signed in. Whom a route lets in is the type of its handler's second input.

use app::App;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, on};
use http::Method;

use super::{Access, Answer, NetworkLimit, RouteSpec, Routes};
use crate::error::Failure;
use crate::extract::{Authorized, FreshOperator, Operator, Person, Required};
use crate::layers::Surface;
use crate::openapi::{Gives, Takes};
use crate::state::WebState;

/// Somebody whom a route lets in. A request without one gets no further.
pub(super) trait LetIn: FromRequestParts<WebState, Rejection = Failure> + Send + 'static {
    const SURFACE: Surface;
    /// Also served below `/api`.
    const MIRRORED: bool = true;

    /// Only with a sign-in of the last few minutes.
    const FRESH: bool = false;

    /// An operator on a visit counts as somebody of the team, as far as the visit goes.
    const VISITORS: bool = false;

    /// What their network is counted for, if they prove who they are without a session.
    const LIMIT: Option<NetworkLimit> = None;

    /// Who that is, for the table.
    fn access(path: &str) -> Access;
}

impl<P: Required> LetIn for Authorized<P> {
    const SURFACE: Surface = Surface::Dashboard;
    const VISITORS: bool = P::VISITORS;

    fn access(_: &str) -> Access {
        if P::OWNER_ONLY {
            Access::Owner(P::PERMISSION)
        } else {
            Access::Permission(P::PERMISSION)
        }
    }
}

impl LetIn for Person {
    const SURFACE: Surface = Surface::Dashboard;

    fn access(path: &str) -> Access {
        if path.contains("{org}") {
            Access::Member
        } else {
            Access::SignedIn
        }
    }
}

impl LetIn for Operator {
    const SURFACE: Surface = Surface::Admin;

    fn access(_: &str) -> Access {
        Access::Operator
    }
}

impl<const FILE: bool> LetIn for FreshOperator<FILE> {
    const SURFACE: Surface = Surface::Admin;
    const FRESH: bool = true;

    fn access(_: &str) -> Access {
        Access::Operator
    }
}

impl Routes {
    /// A route for people with the permission `P`, served as written and below `/api`. Its types describe it.
    pub(crate) fn dashboard<P, M, I, O, F, Fut>(
        self,
        method: Method,
        path: &'static str,
        summary: &'static str,
        handler: F,
    ) -> Self
    where
        P: Required,
        M: 'static,
        I: FromRequest<WebState, M, Rejection: IntoResponse> + Takes + Send + 'static,
        O: IntoResponse + Gives + 'static,
        F: Fn(App, Authorized<P>, I) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer<O>> + Send + 'static,
    {
        self.people(method, (path, summary), handler)
    }

    /// A route for people about themselves, served as written and below `/api`.
    pub(crate) fn personal<M, I, O, F, Fut>(
        self,
        method: Method,
        path: &'static str,
        summary: &'static str,
        handler: F,
    ) -> Self
    where
        M: 'static,
        I: FromRequest<WebState, M, Rejection: IntoResponse> + Takes + Send + 'static,
        O: IntoResponse + Gives + 'static,
        F: Fn(App, Person, I) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer<O>> + Send + 'static,
    {
        self.people(method, (path, summary), handler)
    }

    /// A route for operators, served as written and below `/api`. What it changes, it writes into their audit chain.
    pub(crate) fn operator<M, I, O, F, Fut>(
        self,
        method: Method,
        path: &'static str,
        summary: &'static str,
        handler: F,
    ) -> Self
    where
        M: 'static,
        I: FromRequest<WebState, M, Rejection: IntoResponse> + Takes + Send + 'static,
        O: IntoResponse + Gives + 'static,
        F: Fn(App, Operator, I) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer<O>> + Send + 'static,
    {
        self.people(method, (path, summary), handler)
    }

    /// The same for what changes who gets in: it takes a sign-in of the last few minutes.
    pub(crate) fn fresh_operator<M, I, O, F, Fut, const FILE: bool>(
        self,
        method: Method,
        path: &'static str,
        summary: &'static str,
        handler: F,
    ) -> Self
    where
        M: 'static,
        I: FromRequest<WebState, M, Rejection: IntoResponse> + Takes + Send + 'static,
        O: IntoResponse + Gives + 'static,
        F: Fn(App, FreshOperator<FILE>, I) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer<O>> + Send + 'static,
    {
        self.people(method, (path, summary), handler)
    }

    pub(super) fn people<C, M, I, O, F, Fut>(
        mut self,
        method: Method,
        (path, summary): (&'static str, &'static str),
        handler: F,
    ) -> Self
    where
        C: LetIn,
        M: 'static,
        I: FromRequest<WebState, M, Rejection: IntoResponse> + Takes + Send + 'static,
        O: IntoResponse + Gives + 'static,
        F: Fn(App, C, I) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer<O>> + Send + 'static,
    {
        let run = move |State(state): State<WebState>, request: Request| async move {
            let (mut parts, body) = request.into_parts();
            let caller = match C::from_request_parts(&mut parts, &state).await {
                Ok(caller) => caller,
                Err(refusal) => return refusal.into_response(),
            };
            let input = match I::from_request(Request::from_parts(parts, body), &state).await {
                Ok(input) => input,
                Err(refusal) => return refusal.into_response(),
            };
            handler(state.app.clone(), caller, input).await.into_response()
        };
        let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET);
        if C::MIRRORED {
            let below_api: &'static str = ["/api", path].concat().leak();
            self.router = self.router.route(below_api, on(filter, run.clone()));
        }
        self.router = self.router.route(path, on(filter, run));
        let side = (C::SURFACE, C::access(path));
        self.table.push(RouteSpec {
            mirrored: C::MIRRORED,
            fresh: C::FRESH,
            visitors: C::VISITORS,
            limit: C::LIMIT,
            takes: I::BODY,
            takes_file: I::FILE,
            asks: I::ASKS,
            repeatable: I::REPEATABLE,
            ..RouteSpec::plain(method, (path, summary), side, O::ANSWER)
        });
        self
    }
}
