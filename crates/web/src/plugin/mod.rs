//! `/api?action=…`: from HTTP to the front door and back.

use app::error::HttpError;
use app::plugin::{self, Answer, Body as CallBody, Params, Presented, Reply, Request as Call};
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use domain::key::PlainKey;
use domain::network::ClientNetwork;
use futures_util::{StreamExt, stream};
use http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, USER_AGENT, WARNING};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use crate::error::failed_response;
use crate::extract::{bearer, read_kept};
use crate::layers::{About, Surface};
use crate::routes::{Access, RouteAnswer, Routes};
use crate::serve::Peer;
use crate::state::WebState;

pub(crate) fn routes(routes: Routes) -> Routes {
    routes.open(
        ("/api", "Call a plugin API action"),
        (Surface::Plugin, Access::PluginKey),
        RouteAnswer::Action,
        any(handle),
    )
}

const METHODS: &str = "GET, POST";
/// Room for every header of an answer, so that the map is made once.
const HEADERS: usize = 14;
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const PLUGIN_VERSION: HeaderName = HeaderName::from_static("x-plugin-version");
const CONFIG_STAMP: HeaderName = HeaderName::from_static("x-config-stamp");
const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RATE_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// Programs that open addresses people paste into chats. They must never change anything.
const UNFURLERS: [&str; 8] = [
    "discordbot",
    "slackbot",
    "telegrambot",
    "twitterbot",
    "facebookexternalhit",
    "whatsapp",
    "linkedinbot",
    "skypeuripreview",
];

/// How Discord asks programs on its API to name themselves. Its own preview is `Discordbot/2.0`.
const DISCORD_PROGRAM: &str = "discordbot (";

/// As a route.
pub async fn handle(State(state): State<WebState>, request: Request) -> Response {
    let about = About::of(request.extensions());
    answer(&state, request, &about).await
}

/// Every method arrives here; only GET and POST have an effect.
pub async fn answer(state: &WebState, request: Request, about: &About) -> Response {
    match *request.method() {
        Method::GET | Method::POST => {}
        Method::OPTIONS => return options(),
        _ => {
            return failed_response(
                HttpError::MethodNotAllowed {
                    allow: METHODS.to_owned(),
                }
                .into(),
            );
        }
    }
    let (parts, body) = request.into_parts();
    let peer = Peer::of(&parts.extensions);
    let mut params = Params::parse(parts.uri.query().unwrap_or(""), CallBody::Empty);
    let key = presented(&parts.headers, &params);
    if state.settings.require_tls
        && !matches!(key, Presented::Missing)
        && !state.settings.arrived_safely(peer, &parts.headers)
    {
        return failed_response(HttpError::TlsRequired.into());
    }
    let in_query = matches!(key, Presented::Key { in_query: true, .. });
    let network = ClientNetwork::of(state.settings.client(peer, &parts.headers));
    // Nothing is kept for a caller that shows no key of ours: the body is read after the key.
    let mut admitted = None;
    if parts.method == Method::POST && !body.is_end_stream() {
        let mut reading = match plugin::admit_body(&state.app, &params, &key, network, about.org()).await {
            Ok(admitted) => admitted,
            Err(refusal) => return respond(*refusal),
        };
        let read = read_kept(body, Surface::Plugin, |bytes| reading.keep(bytes)).await;
        let bytes = read.and_then(|bytes| reading.keep(CallBody::weight(&bytes)).map(|()| bytes));
        match bytes {
            Ok(bytes) => params.set_body(CallBody::read(&bytes)),
            Err(error) => return respond(reading.refused(&state.app, error)),
        }
        reading.arrived();
        admitted = Some(reading);
    }
    let call = Call {
        params: &params,
        key,
        network,
        org: about.org(),
        opened_as_page: in_query && opened_as_page(&parts.headers),
        plugin_version: text(&parts.headers, PLUGIN_VERSION),
        config_stamp: text(&parts.headers, CONFIG_STAMP),
        admitted,
    };
    respond(plugin::call(&state.app, call).await)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The first place that carries anything decides; the others are not looked at.
fn presented(headers: &HeaderMap, params: &Params<'_>) -> Presented {
    let mut keys = headers.get_all(API_KEY).iter();
    if let Some(key) = keys.next() {
        return if keys.next().is_some() {
            Presented::Malformed
        } else {
            in_header(key.as_bytes())
        };
    }
    let mut bearers = headers.get_all(AUTHORIZATION).iter().filter_map(bearer);
    if let Some(key) = bearers.next() {
        return if bearers.next().is_some() {
            Presented::Malformed
        } else {
            in_header(key)
        };
    }
    match params.last("secret") {
        Some(secret) => {
            PlainKey::parse(secret).map_or(Presented::Malformed, |key| Presented::Key { key, in_query: true })
        }
        None => Presented::Missing,
    }
}

fn in_header(key: &[u8]) -> Presented {
    let key = std::str::from_utf8(key).ok().map(str::trim);
    match key.and_then(|key| PlainKey::parse(key).ok()) {
        Some(key) => Presented::Key { key, in_query: false },
        None => Presented::Malformed,
    }
}

fn opened_as_page(headers: &HeaderMap) -> bool {
    if headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "navigate")
    {
        return true;
    }
    let agent = headers
        .get(USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_ascii_lowercase();
    !agent.starts_with(DISCORD_PROGRAM) && UNFURLERS.iter().any(|unfurler| agent.contains(unfurler))
}

fn respond(answer: Answer) -> Response {
    let mut response = match answer.result {
        Ok(Reply {
            status,
            body,
            more,
            is_plain_text,
        }) => {
            let body = match more {
                None => Body::from(body),
                Some(more) => {
                    let first = stream::once(std::future::ready(Ok(body)));
                    Body::from_stream(first.chain(more))
                }
            };
            let mut response = Response::new(body);
            *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            let kind = if is_plain_text {
                "text/plain; charset=utf-8"
            } else {
                "application/json; charset=utf-8"
            };
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            response
        }
        Err(error) => failed_response(error),
    };
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    if let Some(rate) = answer.rate {
        headers.insert(RATE_LIMIT, HeaderValue::from(rate.limit));
        headers.insert(RATE_REMAINING, HeaderValue::from(rate.remaining));
        headers.insert(RATE_RESET, HeaderValue::from(rate.reset_at_s));
    }
    if answer.key_in_query {
        headers.insert(DEPRECATION, HeaderValue::from_static("true"));
        headers.insert(
            WARNING,
            HeaderValue::from_static("299 - \"Send the key in the X-API-Key header instead of the URL\""),
        );
    }
    response
}

fn options() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(METHODS));
    response
}
