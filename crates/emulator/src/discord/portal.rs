//! The developer portal: where a person makes an application and copies the token of its bot.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http::header::LOCATION;

use super::Inner;
use super::caller::Ids;
use super::oauth::authorize;
use super::snowflake::Snowflake;
use super::state::{Application, DiscordState};
use super::world::INTENT_MEMBERS;
use crate::common::forms::{Form, with_query};
use crate::common::page::{self, escape};

pub const PATH: &str = "/developers/applications";
const LONGEST_NAME: usize = 32;

pub async fn list(State(inner): State<Arc<Inner>>) -> Response {
    let world = inner.world();
    let all = world.state.applications.iter().map(|(id, application)| {
        let name = escape(&application.name);
        format!("<li><a href=\"{PATH}/{id}\">{name}</a> <small>{id}</small></li>")
    });
    let body = format!(
        "<p><a href=\"/\">All servers</a></p><ul>{}</ul><h2>New application</h2><form method=\"post\">\
         <p><label for=\"name\">Name</label> \
         <input id=\"name\" name=\"name\" maxlength=\"{LONGEST_NAME}\" required> <button>Create</button></p></form>",
        all.collect::<String>()
    );
    page::page("Discord", "Applications", &body)
}

pub async fn create(State(inner): State<Arc<Inner>>, body: Bytes) -> Response {
    let form = Form::parse(&body);
    let name = form.get("name").unwrap_or_default().trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        let text = "An application needs a name of at most 32 characters.";
        return page::problem("Discord", StatusCode::BAD_REQUEST, text);
    }
    let id = inner.world().snowflake(inner.hub.now_ms());
    let application = Application {
        name: name.to_owned(),
        token: new_token(&inner, id),
        secret: inner.hub.random_hex::<16>(),
        ..Application::default()
    };
    change(&inner, id, |state| {
        state.applications.insert(id, application);
    })
}

pub async fn show(State(inner): State<Arc<Inner>>, Ids(id): Ids<Snowflake>) -> Response {
    let world = inner.world();
    let Some(application) = world.state.applications.get(&id) else {
        return unknown();
    };
    let invitation = with_query(
        authorize::PATH,
        [
            ("client_id", id.to_string().as_str()),
            ("scope", "bot applications.commands"),
        ],
    );
    let (members, other) = if application.privileged_intents & INTENT_MEMBERS == 0 {
        ("off", "Turn on")
    } else {
        ("on", "Turn off")
    };
    let body = format!(
        "<p><a href=\"{PATH}\">All applications</a></p>\
         <dl><dt>Application ID</dt><dd><code>{id}</code></dd>\
         <dt>Client secret</dt><dd><code>{}</code></dd>\
         <dt>Bot token</dt><dd><code>{}</code></dd></dl>\
         <form method=\"post\"><p><button name=\"do\" value=\"token\">Reset token</button></p>\
         <p>Server Members Intent is {members}. <button name=\"do\" value=\"members\">{other}</button></p></form>\
         <p><a href=\"{}\">Add the bot to a server</a></p>",
        escape(&application.secret),
        escape(&application.token),
        escape(&invitation),
    );
    page::page("Discord", &application.name, &body)
}

/// A button on an application's page.
pub async fn act(State(inner): State<Arc<Inner>>, Ids(id): Ids<Snowflake>, body: Bytes) -> Response {
    let token = new_token(&inner, id);
    let form = Form::parse(&body);
    let wish = form.get("do");
    change(&inner, id, |state| {
        let Some(application) = state.applications.get_mut(&id) else {
            return;
        };
        match wish {
            Some("token") => application.token = token,
            Some("members") => application.privileged_intents ^= INTENT_MEMBERS,
            Some(_) | None => {}
        }
    })
}

/// Changes what is known and shows the application. Who is connected with a token that is no longer one is cut off.
fn change(inner: &Inner, id: Snowflake, change: impl FnOnce(&mut DiscordState)) -> Response {
    let mut world = inner.world();
    let mut state = world.state.clone();
    change(&mut state);
    if !state.applications.contains_key(&id) {
        return unknown();
    }
    match state.complete(inner.hub.now_ms()) {
        Ok(()) => world.replace(state),
        Err(problem) => return page::problem("Discord", StatusCode::CONFLICT, &problem),
    }
    (StatusCode::SEE_OTHER, [(LOCATION, format!("{PATH}/{id}"))]).into_response()
}

fn unknown() -> Response {
    page::problem("Discord", StatusCode::NOT_FOUND, "There is no such application.")
}

/// In the form of Discord's own: the id of the bot, a time, and a secret.
fn new_token(inner: &Inner, id: Snowflake) -> String {
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let minutes = inner.hub.now_ms() / 60_000;
    format!(
        "{}.{}.{}",
        encode(id.to_string().as_bytes()),
        encode(&minutes.to_be_bytes()[4..]),
        encode(&inner.hub.random_bytes::<28>())
    )
}
