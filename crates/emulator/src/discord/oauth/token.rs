//! Codes become tokens, tokens are renewed and revoked.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::header::{AUTHORIZATION, CACHE_CONTROL, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::grants::{Code, Grant, TOKEN_VALID_SECONDS};
use crate::common::dates;
use crate::common::forms::Form;
use crate::discord::Inner;
use crate::discord::caller::Caller;
use crate::discord::error::{Answer, ApiError};
use crate::discord::snowflake::Snowflake;
use crate::discord::wire;

/// `error` and `error_description` of RFC 6749.
struct Refusal(&'static str, &'static str);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = Json(json!({"error": self.0, "error_description": self.1}));
        if self.0 == "invalid_client" {
            return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Basic")], body).into_response();
        }
        (StatusCode::BAD_REQUEST, body).into_response()
    }
}

pub async fn token(State(inner): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> Response {
    let form = Form::parse(&body);
    let answer = client(&inner, &headers, &form).and_then(|application| match form.only("grant_type") {
        Some("authorization_code") => redeem(&inner, application, &form),
        Some("refresh_token") => refresh(&inner, application, &form),
        Some(_) => Err(Refusal("unsupported_grant_type", "Grant type is not supported.")),
        None => Err(Refusal("invalid_request", "Missing \"grant_type\" in request.")),
    });
    answer.unwrap_or_else(Refusal::into_response)
}

/// Always succeeds for a known application, so that nobody learns which tokens exist.
pub async fn revoke(State(inner): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> Response {
    let form = Form::parse(&body);
    let application = match client(&inner, &headers, &form) {
        Ok(application) => application,
        Err(refusal) => return refusal.into_response(),
    };
    let Some(token) = form.only("token") else {
        return Refusal("invalid_request", "Missing \"token\" in request.").into_response();
    };
    inner.world().grants.revoke(token, application);
    Json(json!({})).into_response()
}

/// What a token is good for.
pub async fn current(State(inner): State<Arc<Inner>>, headers: HeaderMap, caller: Caller) -> Answer {
    let Caller::Person {
        user,
        application,
        scopes,
    } = caller
    else {
        return Err(ApiError::UNAUTHORIZED);
    };
    let bearer = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let world = inner.world();
    let grant = world
        .grants
        .by_access(bearer.trim_start_matches("Bearer "), inner.hub.now_ms());
    let own = world
        .state
        .applications
        .get(&application)
        .ok_or(ApiError::UNAUTHORIZED)?;
    let mut body = json!({
        "application": wire::application(application, own),
        "scopes": scopes,
        "expires": dates::micros(grant.map(|grant| grant.expires_ms).unwrap_or_default()),
    });
    if scopes.contains("identify") {
        body["user"] = wire::known_user(&world.state, user);
    }
    Ok(Json(body).into_response())
}

/// The application, proven by its secret in the header or in the body.
fn client(inner: &Inner, headers: &HeaderMap, form: &Form) -> Result<Snowflake, Refusal> {
    let refused = || Refusal("invalid_client", "Invalid client_id or client_secret.");
    let (id, secret) = match headers.get(AUTHORIZATION) {
        Some(header) => basic(header.as_bytes()).ok_or_else(refused)?,
        None => {
            let field = |name| form.only(name).map(str::to_owned).ok_or_else(refused);
            (field("client_id")?, field("client_secret")?)
        }
    };
    let id = id.parse::<Snowflake>().map_err(|_| refused())?;
    let world = inner.world();
    let application = world.state.applications.get(&id).ok_or_else(refused)?;
    let proven = !application.secret.is_empty() && application.secret == secret;
    proven.then_some(id).ok_or_else(refused)
}

/// Id and secret, both form-encoded inside, as RFC 6749 has it.
fn basic(header: &[u8]) -> Option<(String, String)> {
    let encoded = std::str::from_utf8(header).ok()?.strip_prefix("Basic ")?;
    let pair = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = pair.split_once(':')?;
    let decode = |text: &str| {
        Form::parse(format!("x={text}").as_bytes())
            .get("x")
            .map(str::to_owned)
    };
    Some((decode(id)?, decode(secret)?))
}

fn redeem(inner: &Inner, application: Snowflake, form: &Form) -> Result<Response, Refusal> {
    let now_ms = inner.hub.now_ms();
    let presented = form
        .only("code")
        .ok_or(Refusal("invalid_request", "Missing \"code\" in request."))?;
    let code = inner
        .world()
        .grants
        .redeem(presented, now_ms)
        .filter(|code| code.application == application);
    let code = code.ok_or(Refusal("invalid_grant", "Invalid \"code\" in request."))?;
    if form.only("redirect_uri") != Some(&code.redirect_uri) {
        return Err(Refusal("invalid_grant", "Invalid \"redirect_uri\" in request."));
    }
    if !proves(&code, form.only("code_verifier")) {
        return Err(Refusal("invalid_grant", "Invalid \"code_verifier\" in request."));
    }
    Ok(issue(inner, application, code.user, code.scopes))
}

/// Whoever asked with a challenge has to know its verifier; whoever asked without must not bring one.
fn proves(code: &Code, verifier: Option<&str>) -> bool {
    match (&code.challenge, verifier) {
        (None, None) => true,
        (Some(challenge), Some(verifier)) => {
            (43..=128).contains(&verifier.len())
                && *challenge == URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn refresh(inner: &Inner, application: Snowflake, form: &Form) -> Result<Response, Refusal> {
    let presented = form.only("refresh_token");
    let presented = presented.ok_or(Refusal(
        "invalid_request",
        "Missing \"refresh_token\" in request.",
    ))?;
    let old = inner.world().grants.take_by_refresh(presented, application);
    let old = old.ok_or(Refusal("invalid_grant", "Invalid \"refresh_token\" in request."))?;
    Ok(issue(inner, application, old.user, old.scopes))
}

fn issue(
    inner: &Inner,
    application: Snowflake,
    user: Snowflake,
    scopes: std::collections::BTreeSet<String>,
) -> Response {
    let scope = scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let grant = Grant {
        application,
        user,
        scopes,
        access: inner.hub.random_hex::<15>(),
        refresh: inner.hub.random_hex::<15>(),
        expires_ms: inner.hub.now_ms() + TOKEN_VALID_SECONDS * 1_000,
    };
    let body = json!({
        "token_type": "Bearer",
        "access_token": grant.access,
        "expires_in": TOKEN_VALID_SECONDS,
        "refresh_token": grant.refresh,
        "scope": scope,
    });
    inner.world().grants.add(grant);
    ([(CACHE_CONTROL, "no-store")], Json(body)).into_response()
}
