//! The way every call of the interface is answered: who asks, what, in which version, and whether they asked before.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{RawPathParams, Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use super::Inner;
use super::error::{Answer, ApiError};
use super::events::Cause;
use super::expand;
use super::idempotency::{Known, Saved};
use super::params::Params;
use super::version;
use super::world::World;
use crate::common::routes::Routes;

const MAX_BODY_BYTES: usize = 1024 * 1024;
const LONGEST_KEY: usize = 255;

/// What a call works on. Everything is done under one lock, so a call sees no half of another.
pub struct Desk<'a> {
    pub world: &'a mut World,
    pub params: Params,
    ids: Vec<String>,
    version: String,
}

pub type Task = fn(&mut Desk<'_>) -> Answer;

impl Desk<'_> {
    /// The billing mode that a caller asks for, or that is usual in its version. True for classic.
    pub fn is_classic(&self, params: &Params) -> Result<bool, ApiError> {
        let mode = params.inner("billing_mode")?;
        let named = mode.choice("type", &["classic", "flexible"])?;
        Ok(named.map_or_else(|| version::is_classic(&self.version), |named| named == "classic"))
    }

    /// The id in the path.
    pub fn id(&self) -> String {
        self.ids.first().cloned().unwrap_or_default()
    }
}

/// Adds a route of the interface.
pub fn route(routes: Routes<Arc<Inner>>, (method, path, task): (&str, &str, Task)) -> Routes<Arc<Inner>> {
    let handler = move |State(inner): State<Arc<Inner>>, ids: RawPathParams, request: Request| async move {
        let ids = ids.iter().map(|(_, id)| id.to_owned()).collect();
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, MAX_BODY_BYTES)
            .await
            .unwrap_or_default();
        serve(&inner, task, ids, &parts, &body)
    };
    match method {
        "POST" => routes.post(path, handler),
        "DELETE" => routes.delete(path, handler),
        _ => routes.get(path, handler),
    }
}

fn serve(
    inner: &Inner,
    task: Task,
    ids: Vec<String>,
    parts: &http::request::Parts,
    body: &Bytes,
) -> Response {
    let mut world = inner.world();
    let request = world.ids.make("req");
    let key = match caller(&world, &parts.headers) {
        Ok(key) => key,
        Err(error) => return answer(&saved(Err(error), request), "", None),
    };
    let repeat = header(&parts.headers, "idempotency-key").filter(|_| parts.method == Method::POST);
    let own = repeat.map(|repeat| format!("{key}\n{repeat}"));
    let asked = format!(
        "{} {}\n{}",
        parts.method,
        parts.uri,
        String::from_utf8_lossy(body)
    );
    if let (Some(own), Some(repeat)) = (&own, repeat) {
        match world.idempotency.find(own, &asked, inner.hub.now_ms()) {
            Known::No => {}
            Known::Same(saved) => return replayed(&saved, repeat),
            Known::Other => {
                let error = ApiError::other_parameters(repeat);
                return answer(&saved(Err(error), request), "", Some(repeat));
            }
        }
    }
    let asked_version = header(&parts.headers, "stripe-version");
    let version = asked_version
        .unwrap_or(&world.state.account.api_version)
        .to_owned();
    world.catch_up(inner.hub.now_ms());
    world.cause = Some(Cause {
        request: request.clone(),
        idempotency_key: repeat.map(str::to_owned),
    });
    let result = perform(&mut world, task, ids, parts, body, &version);
    world.cause = None;
    let given = saved(result, request);
    if let Some(own) = own {
        let now_ms = world.now_ms;
        world.idempotency.save(&own, asked, given.clone(), now_ms);
    }
    drop(world);
    inner.wake.notify_one();
    answer(&given, &version, repeat)
}

fn perform(
    world: &mut World,
    task: Task,
    ids: Vec<String>,
    parts: &http::request::Parts,
    body: &Bytes,
    version: &str,
) -> Answer {
    if !version::is_version(version) {
        let message = format!("Invalid Stripe API version: {version}");
        return Err(ApiError::invalid(message));
    }
    let kind = header(&parts.headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    if !body.is_empty() && !kind.starts_with("application/x-www-form-urlencoded") {
        let message =
            "Invalid request (check that your POST content type is application/x-www-form-urlencoded).";
        return Err(ApiError::invalid(message));
    }
    if header(&parts.headers, "idempotency-key").is_some_and(|key| key.len() > LONGEST_KEY) {
        return Err(ApiError::invalid(
            "Idempotency keys are at most 255 characters long.",
        ));
    }
    let query = parts.uri.query().unwrap_or_default();
    let params = Params::parse(&[query.as_bytes(), body])?;
    let paths = params.texts("expand")?;
    let mut value = task(&mut Desk {
        world,
        params,
        ids,
        version: version.to_owned(),
    })?;
    expand::expand(&mut value, &paths, world.wire())?;
    version::shape(&mut value, version);
    Ok(value)
}

/// The key of the caller, if it is one of ours.
fn caller(world: &World, headers: &HeaderMap) -> Result<String, ApiError> {
    let given = header(headers, AUTHORIZATION.as_str()).unwrap_or_default();
    let key = match given.split_once(' ') {
        Some(("Bearer", key)) => key.trim().to_owned(),
        Some(("Basic", pair)) => {
            let pair = STANDARD.decode(pair.trim()).unwrap_or_default();
            let pair = String::from_utf8_lossy(&pair).into_owned();
            pair.split(':').next().unwrap_or_default().to_owned()
        }
        Some(_) | None => String::new(),
    };
    if key.is_empty() {
        let message = "You did not provide an API key. You need to provide your API key in the Authorization header, \
                       using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').";
        return Err(ApiError::unauthorized(message));
    }
    if world.state.api_keys.contains(&key) {
        return Ok(key);
    }
    let shown: String = key.chars().take(8).collect();
    Err(ApiError::unauthorized(format!(
        "Invalid API Key provided: {shown}****"
    )))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn saved(result: Answer, request: String) -> Saved {
    let (status, body) = match result {
        Ok(value) => (StatusCode::OK, value),
        Err(error) => (error.status, error.body()),
    };
    Saved {
        status,
        body: body.to_string().into(),
        request,
    }
}

fn answer(given: &Saved, version: &str, repeat: Option<&str>) -> Response {
    let mut response = Response::new(Body::from(given.body.clone()));
    *response.status_mut() = given.status;
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
    };
    set("content-type", "application/json");
    set("cache-control", "no-cache, no-store");
    set("request-id", &given.request);
    if !version.is_empty() {
        set("stripe-version", version);
    }
    if let Some(repeat) = repeat {
        set("idempotency-key", repeat);
        set("original-request", &given.request);
    }
    response
}

fn replayed(given: &Saved, repeat: &str) -> Response {
    let mut response = answer(given, "", Some(repeat));
    let name = HeaderName::from_static("idempotent-replayed");
    response
        .headers_mut()
        .insert(name, HeaderValue::from_static("true"));
    response
}
