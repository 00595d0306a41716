//! The outermost layer: names the request, bounds it, and gives every failure its final form.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use app::AppError;
use app::error::{HttpError, RequestError, ServiceError};
use app::memories::error_log::Failure as NotedFailure;
use app::memories::refusals::{Lacking, Refusal};
use app::plugin::{is_fail_closed, names_look_up};
use app::records::alerts::{self, Place};
use axum::Router;
use axum::body::Body;
use axum::response::Response;
use domain::audit::Actor;
use domain::lines::Lines;
use futures_util::FutureExt;
use http::{Method, Request, Uri};
use tower::Service;
use tracing::Instrument;

use crate::error::{ApiContext, Failed, failed_response, render_api, render_page};
use crate::layers::{
    About, Form, Packed, RequestId, RequestIds, SecurityHeaders, Surface, packed, usual_path, with_path,
};
use crate::metrics::REQUESTS;
use crate::plugin;
use crate::state::WebState;

const MAX_URI_BYTES: usize = 48 * 1024;
/// Asked every few seconds, so an answer that all is well is no news.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// The service that the accept loop is given. Clones share everything.
#[derive(Clone)]
pub struct Edge {
    shared: Arc<Shared>,
}

struct Shared {
    router: Router,
    /// The same, packing what it answers.
    packed: Packed,
    /// Plugin calls need nothing that the router does, and there are more of them than of everything else.
    plugin_past_router: bool,
    state: WebState,
    ids: RequestIds,
    headers: SecurityHeaders,
    /// What failed where. The error log has them all.
    failures: Mutex<Lines<(&'static str, &'static str)>>,
}

/// What is left of a request when its answer is finished.
struct Seen {
    id: RequestId,
    method: Method,
    uri: Uri,
    surface: Surface,
    about: About,
    started: Instant,
}

impl Edge {
    /// Every request goes through `router`.
    pub fn new(router: Router, state: WebState) -> Self {
        Self::build(router, state, false)
    }

    /// Plugin calls go straight to their handler, everything else through `router`.
    pub(crate) fn with_plugin_api(router: Router, state: WebState) -> Self {
        Self::build(router, state, true)
    }

    fn build(router: Router, state: WebState, plugin_past_router: bool) -> Self {
        let shared = Shared {
            packed: packed(router.clone()),
            router,
            plugin_past_router,
            ids: RequestIds::new(&*state.app.random),
            headers: SecurityHeaders::new(state.settings.is_https()),
            failures: Mutex::default(),
            state,
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    async fn handle(self, mut request: Request<Body>) -> Response {
        if request.uri().path() != "/api"
            && let Some(path) = usual_path(request.uri().path())
            && let Some(uri) = with_path(request.uri(), path)
        {
            *request.uri_mut() = uri;
        }
        let mut surface = self.shared.state.routes.surface_of(request.uri().path());
        // An old bot with a wrong address takes whatever it finds there for "linked", unless a failure says no.
        let is_astray = surface != Surface::Plugin && names_look_up(request.uri().query().unwrap_or(""));
        if is_astray {
            surface = Surface::Plugin;
        }
        let seen = Seen {
            id: self.shared.ids.next(),
            method: request.method().clone(),
            uri: request.uri().clone(),
            surface,
            about: About::default(),
            started: Instant::now(),
        };
        let shared = &*self.shared;
        let response = if let Some(refusal) = unreadable(request.uri()) {
            failed_response(refusal)
        } else if is_astray {
            failed_response(RequestError::NotFound.into())
        } else if shared.plugin_past_router && seen.surface == Surface::Plugin {
            let answering = pin!(plugin::answer(&shared.state, request, &seen.about));
            shared.bounded(&seen, answering).await
        } else {
            // How much is read of it and who is let in follows from its surface.
            request.extensions_mut().insert(seen.surface);
            request.extensions_mut().insert(seen.about.clone());
            shared.route(&seen, request).await
        };
        shared.finish(response, &seen)
    }
}

impl Shared {
    /// Runs the router within the request's time, and turns a panic into a failure of this request alone.
    async fn bounded(&self, seen: &Seen, answering: impl Future<Output = Response>) -> Response {
        let guarded = tokio::time::timeout(
            self.state.settings.request_timeout,
            AssertUnwindSafe(answering).catch_unwind(),
        );
        let outcome = match seen.surface.form() {
            // A successful plugin call leaves no trace in the log, so it needs no span either.
            Form::Plugin => guarded.await,
            Form::Api | Form::Page => {
                let span = tracing::info_span!("request", id = seen.id.as_str(), method = %seen.method);
                guarded.instrument(span).await
            }
        };
        match outcome {
            Ok(Ok(response)) => response,
            Ok(Err(_)) => failed_response(AppError::internal("a handler panicked")),
            Err(_) => failed_response(ServiceError::AnswerTooLate.into()),
        }
    }

    /// Only what is read is packed: what changes something answers with little, or with a secret.
    async fn route(&self, seen: &Seen, request: Request<Body>) -> Response {
        if seen.method == Method::GET && seen.surface.is_packed() {
            let answering = self.packed.clone().call(request);
            let answering = pin!(answering.map(|Ok(response)| response.map(Body::new)));
            return self.bounded(seen, answering).await;
        }
        let answering = self.router.clone().call(request);
        let answering = pin!(answering.map(|Ok(response)| response));
        self.bounded(seen, answering).await
    }

    fn finish(&self, mut response: Response, seen: &Seen) -> Response {
        let status = response.status();
        REQUESTS.record(seen.surface, status, seen.started);
        if status.is_client_error() || status.is_server_error() {
            response = self.render(response, seen);
        } else if seen.surface.form() != Form::Plugin && !PROBES.contains(&seen.uri.path()) {
            self.log(seen, status.as_u16(), None);
        }
        self.headers.add(response.headers_mut(), seen.surface, &seen.id);
        if seen.method == Method::HEAD {
            *response.body_mut() = Body::empty();
        }
        response
    }

    /// A miss of the plugin API is an answer; every other refusal is rendered here from its error.
    fn render(&self, mut response: Response, seen: &Seen) -> Response {
        let error = match response.extensions_mut().remove::<Failed>() {
            Some(Failed(error)) => error,
            None if seen.surface.form() == Form::Plugin => return response,
            None => Arc::new(unnamed(response.status().as_u16())),
        };
        let rendered = match seen.surface.form() {
            Form::Page => render_page(&error, seen.id.as_str(), seen.surface, (&seen.method, &seen.uri)),
            form @ (Form::Plugin | Form::Api) => {
                let query = seen.uri.query().unwrap_or("");
                let say_no_users = form == Form::Plugin && (is_fail_closed(query) || names_look_up(query));
                render_api(
                    &error,
                    &ApiContext {
                        request_id: seen.id.as_str(),
                        say_no_users,
                    },
                )
            }
        };
        self.note(seen, &error);
        self.note_refusal(seen, &error);
        self.log(seen, error.status(), Some(&error));
        // What the handler already said about the caller, such as rate limits, stays.
        let (mut parts, body) = rendered.into_parts();
        for (name, value) in response.headers() {
            if name.as_str().starts_with("x-ratelimit-")
                || name == "deprecation"
                || name == http::header::WARNING
            {
                parts.headers.insert(name.clone(), value.clone());
            }
        }
        Response::from_parts(parts, body)
    }

    fn note(&self, seen: &Seen, error: &AppError) {
        if !seen.surface.notes_refusals() && !error.is_ours() {
            return;
        }
        let route = self.state.routes.template_of(seen.uri.path());
        alerts::note_error(
            &self.state.app,
            error,
            Place::Route(route),
            Some(seen.id.as_str()),
        );
        self.state.app.memories.errors.note(&NotedFailure {
            error,
            route,
            org_num: seen.about.org().get().map_or(0, |scope| scope.num()),
            request_id: seen.id.as_str(),
            now_ms: self.state.app.now_ms(),
        });
    }

    /// Somebody tried what is not theirs to do: that is for the audit log too.
    fn note_refusal(&self, seen: &Seen, error: &AppError) {
        let (Some(lacking), Some(account)) = (Lacking::of(error), seen.about.account()) else {
            return;
        };
        let scope = seen.about.org().get().copied();
        if scope.is_none() && lacking != Lacking::Operatorship {
            return;
        }
        let refusal = Refusal {
            scope,
            actor: Actor::Account(account.clone()),
            lacking,
            route: [
                seen.method.as_str(),
                " ",
                self.state.routes.template_of(seen.uri.path()),
            ]
            .concat(),
        };
        let app = &self.state.app;
        let refusals = &app.memories.refusals;
        refusals.note(refusal, app.now_ms(), app.clock.steady_ms());
    }

    /// One line per request: the route's template, never the address that was asked for. Of failures that come in
    /// numbers, one in ten seconds for each code and route.
    fn log(&self, seen: &Seen, status: u16, error: Option<&AppError>) {
        let route = self.state.routes.template_of(seen.uri.path());
        let (id, ms) = (seen.id.as_str(), seen.started.elapsed().as_millis() as u64);
        match error {
            Some(error) if error.is_ours() => {
                let now_ms = self.state.app.clock.steady_ms();
                let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
                let turn = failures.turn((error.code(), route), now_ms);
                drop(failures);
                if let Some(left_out) = turn {
                    tracing::error!(id, method = %seen.method, route, status, ms, code = error.code(), left_out, detail = %error.internal_detail(), "request failed");
                }
            }
            Some(error) => {
                tracing::debug!(id, method = %seen.method, route, status, ms, code = error.code(), "request refused")
            }
            None => tracing::info!(id, method = %seen.method, route, status, ms, "request"),
        }
    }
}

/// What is wrong with an address whatever it leads to.
fn unreadable(uri: &Uri) -> Option<AppError> {
    let target = uri.path_and_query()?.as_str();
    if target.len() > MAX_URI_BYTES {
        return Some(HttpError::UriTooLong.into());
    }
    // The one spelling of it: an address cannot hold the character itself.
    target.contains("%00").then(|| AppError::nul("address"))
}

/// A refusal that no handler of ours made, such as the router's own.
fn unnamed(status: u16) -> AppError {
    match status {
        404 => RequestError::NotFound.into(),
        413 => HttpError::PayloadTooLarge {
            limit_bytes: 64 * 1024,
        }
        .into(),
        415 => HttpError::UnsupportedMediaType.into(),
        400..=499 => HttpError::InvalidJson {
            problem: "the request could not be read".to_owned(),
        }
        .into(),
        other => AppError::internal(format!("an unnamed answer with status {other}")),
    }
}

impl Service<Request<Body>> for Edge {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let edge = self.clone();
        Box::pin(async move { Ok(edge.handle(request).await) })
    }
}
