//! The page where a person says yes or no.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};

use super::grants::Code;
use super::install;
use crate::common::forms::{Form, with_query};
use crate::common::page::{self, Choice, escape};
use crate::common::person;
use crate::discord::Inner;
use crate::discord::snowflake::Snowflake;

pub const PATH: &str = "/oauth2/authorize";
const SCOPES: [&str; 9] = [
    "identify",
    "email",
    "connections",
    "guilds",
    "guilds.join",
    "guilds.members.read",
    "role_connections.write",
    "bot",
    "applications.commands",
];

/// A request that may be answered with a redirect.
pub struct AuthorizeRequest<'a> {
    pub application: Snowflake,
    pub application_name: String,
    pub scopes: BTreeSet<String>,
    /// Missing only when a bot is let in and nobody waits for the answer.
    pub redirect_uri: Option<&'a str>,
    pub state: Option<&'a str>,
    pub challenge: Option<&'a str>,
}

pub async fn authorize(
    State(inner): State<Arc<Inner>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let form = Form::parse(query.unwrap_or_default().as_bytes());
    let request = match read_request(&inner, &form) {
        Ok(request) => request,
        Err(problem) => return page::problem("Discord", StatusCode::BAD_REQUEST, problem),
    };
    if let Some(error) = refusal(&form, &request) {
        return request.back(&[
            ("error", error),
            ("error_description", "The request is malformed."),
        ]);
    }
    let asked = person::asked_for(&form, &headers);
    if asked.contains(&person::CANCEL) {
        let text = "The resource owner or authorization server denied the request";
        return request.back(&[("error", "access_denied"), ("error_description", text)]);
    }
    let user = asked
        .iter()
        .filter_map(|id| id.parse().ok())
        .find(|id| is_person(&inner, *id));
    match user {
        Some(user) if request.scopes.contains("bot") => install::install(&inner, &form, &request, user),
        Some(user) => {
            let code = request.code(&inner, user);
            request.back(&[("code", &code)])
        }
        None => match form.get(person::FIELD) {
            Some(id) => {
                let text = format!("There is nobody with the ID {id} in this sandbox.");
                page::problem("Discord", StatusCode::NOT_FOUND, &text)
            }
            None => choose(&inner, &form, &request),
        },
    }
}

/// What must be right before anybody is sent anywhere.
fn read_request<'a>(inner: &Inner, form: &'a Form) -> Result<AuthorizeRequest<'a>, &'static str> {
    let world = inner.world();
    let id = form.only("client_id").and_then(|id| id.parse::<Snowflake>().ok());
    let id = id.ok_or("client_id is missing or not an id.")?;
    let application = world
        .state
        .applications
        .get(&id)
        .ok_or("There is no application with this client_id.")?;
    let scopes: BTreeSet<String> = form
        .only("scope")
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let redirect_uri = form.only("redirect_uri");
    match redirect_uri {
        Some(uri) if application.redirect_uris.iter().any(|own| own == uri) => {}
        Some(_) => return Err("Invalid OAuth2 redirect_uri: the application did not register it."),
        None if scopes.contains("bot") => {}
        None => return Err("redirect_uri is missing."),
    }
    Ok(AuthorizeRequest {
        application: id,
        application_name: application.name.clone(),
        scopes,
        redirect_uri,
        state: form.only("state"),
        challenge: form.only("code_challenge"),
    })
}

/// What the application is told that got the rest of its request wrong.
fn refusal(form: &Form, request: &AuthorizeRequest<'_>) -> Option<&'static str> {
    let code = form.only("response_type") == Some("code");
    if !code && request.redirect_uri.is_some() {
        return Some("unsupported_response_type");
    }
    if request.scopes.is_empty()
        || request
            .scopes
            .iter()
            .any(|scope| !SCOPES.contains(&scope.as_str()))
    {
        return Some("invalid_scope");
    }
    let method = form.only("code_challenge_method");
    let pkce = match (request.challenge, method) {
        (None, None) => true,
        // 32 bytes in base64url.
        (Some(challenge), Some("S256")) => challenge.len() == 43,
        (Some(_), Some(_) | None) | (None, Some(_)) => false,
    };
    (!pkce).then_some("invalid_request")
}

impl AuthorizeRequest<'_> {
    /// A code for what this person agreed to.
    pub fn code(&self, inner: &Inner, user: Snowflake) -> String {
        let (code, now_ms) = (inner.hub.random_hex::<15>(), inner.hub.now_ms());
        let meaning = Code {
            application: self.application,
            user,
            scopes: self.scopes.clone(),
            redirect_uri: self.redirect_uri.unwrap_or_default().to_owned(),
            challenge: self.challenge.map(str::to_owned),
            made_ms: now_ms,
        };
        inner.world().grants.add_code(code.clone(), meaning, now_ms);
        code
    }

    /// Sends the browser back with these fields and the application's own state.
    pub fn back(&self, fields: &[(&str, &str)]) -> Response {
        let Some(uri) = self.redirect_uri else {
            let text = fields
                .iter()
                .map(|(name, value)| format!("<li>{name}: {}</li>", escape(value)));
            let body = format!(
                "<p>Close this page and go back to where you came from.</p><ul>{}</ul>",
                text.collect::<String>()
            );
            let title = if fields.iter().any(|(name, _)| *name == "error") {
                "Nothing was changed".to_owned()
            } else {
                format!("{} was added to the server", self.application_name)
            };
            return page::page("Discord", &title, &body);
        };
        let all = fields
            .iter()
            .copied()
            .chain(self.state.map(|state| ("state", state)));
        (StatusCode::FOUND, [(LOCATION, with_query(uri, all))]).into_response()
    }
}

fn is_person(inner: &Inner, id: Snowflake) -> bool {
    inner.world().state.users.get(&id).is_some_and(|user| !user.bot)
}

fn choose(inner: &Inner, form: &Form, request: &AuthorizeRequest<'_>) -> Response {
    let world = inner.world();
    let people = world.state.users.iter().filter(|(_, user)| !user.bot);
    let choices: Vec<Choice<'_>> = people
        .map(|(id, user)| Choice {
            id: id.to_string(),
            name: user.global_name.as_deref().unwrap_or(&user.username),
            purpose: user.purpose.as_ref(),
        })
        .collect();
    let scopes: String = request
        .scopes
        .iter()
        .map(|scope| format!("<li><code>{}</code></li>", escape(scope)))
        .collect();
    let detail = format!(
        "<p><strong>{}</strong> wants to:</p><ul>{scopes}</ul>",
        escape(&request.application_name)
    );
    page::chooser("Discord", &detail, PATH, form.fields(), &choices)
}
