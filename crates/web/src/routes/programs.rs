//! Routes for programs that are no plugins: bots with their secret, and services that sign what they send. Neither has a
//! session, so no page of another site can make a browser call them with one.

use app::App;
use axum::extract::{FromRequest, Request, State};
use axum::response::IntoResponse;
use axum::routing::post;
use http::Method;

use super::people::LetIn;
use super::{Access, Answer, NetworkLimit, RouteSpec, Routes};
use crate::extract::{Bot, BotRegister, Signature, Signed};
use crate::layers::Surface;
use crate::openapi::{Gives, Takes};
use crate::state::WebState;

impl<R: BotRegister> LetIn for Bot<R> {
    const SURFACE: Surface = Surface::Bot;
    const MIRRORED: bool = false;
    const LIMIT: Option<NetworkLimit> = Some(NetworkLimit::Unproven);

    fn access(_: &str) -> Access {
        Access::Bot
    }
}

impl Routes {
    /// A route for bots of the platform.
    pub fn bot<R, M, I, O, F, Fut>(
        self,
        method: Method,
        path: &'static str,
        summary: &'static str,
        handler: F,
    ) -> Self
    where
        R: BotRegister,
        M: 'static,
        I: FromRequest<WebState, M, Rejection: IntoResponse> + Takes + Send + 'static,
        O: IntoResponse + Gives + 'static,
        F: Fn(App, Bot<R>, I) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer<O>> + Send + 'static,
    {
        self.people(method, (path, summary), handler)
    }

    /// A route that another service calls. Its signature is held against the bytes before anything is done with them.
    pub fn webhook<S, O, F, Fut>(mut self, path: &'static str, summary: &'static str, handler: F) -> Self
    where
        S: Signature,
        O: IntoResponse + Gives + 'static,
        F: Fn(App, Signed<S>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer<O>> + Send + 'static,
    {
        let run = move |State(state): State<WebState>, request: Request| async move {
            match Signed::<S>::from_request(request, &state).await {
                Ok(told) => handler(state.app.clone(), told).await.into_response(),
                Err(refusal) => refusal.into_response(),
            }
        };
        self.router = self.router.route(path, post(run));
        let side = (Surface::Webhook, Access::Sender);
        self.table.push(RouteSpec {
            limit: Some(NetworkLimit::Unproven),
            ..RouteSpec::plain(Method::POST, (path, summary), side, O::ANSWER)
        });
        self
    }
}
