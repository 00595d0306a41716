//! The address where people sign in and where relying parties ask whether an assertion is genuine.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use domain::platform_id::SteamId;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderMap, StatusCode, Uri};

use super::assertion::NAMESPACE;
use super::{Check, Inner};
use crate::common::forms::{Form, with_query};
use crate::common::page::{self, Choice, escape};
use crate::common::person;

const SELECT: &str = "http://specs.openid.net/auth/2.0/identifier_select";

/// A browser arrives.
pub async fn login(
    State(steam): State<Arc<Inner>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    indirect(
        &steam,
        &Form::parse(query.unwrap_or_default().as_bytes()),
        &headers,
    )
}

/// A relying party asks, or a browser arrives with a form.
pub async fn direct(State(steam): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> Response {
    let form = Form::parse(&body);
    match form.only("openid.mode") {
        Some("check_authentication") => check(&steam, &form),
        Some("checkid_setup" | "checkid_immediate") => indirect(&steam, &form, &headers),
        // Steam shares no secrets: relying parties have to ask each time.
        Some("associate") => key_values(
            StatusCode::BAD_REQUEST,
            &[("error", "Associations are not supported")],
        ),
        Some(_) | None => key_values(StatusCode::BAD_REQUEST, &[("error", "Invalid mode")]),
    }
}

fn check(steam: &Inner, form: &Form) -> Response {
    let policy = steam.state().check;
    let valid = match policy {
        Check::Honest => steam.is_genuine(form),
        Check::AlwaysValid => true,
        Check::AlwaysInvalid => false,
    };
    key_values(
        StatusCode::OK,
        &[("is_valid", if valid { "true" } else { "false" })],
    )
}

fn key_values(status: StatusCode, pairs: &[(&str, &str)]) -> Response {
    let mut text = format!("ns:{NAMESPACE}\n");
    for (name, value) in pairs {
        text.push_str(&format!("{name}:{value}\n"));
    }
    (status, [(CONTENT_TYPE, "text/plain;charset=utf-8")], text).into_response()
}

fn indirect(steam: &Inner, form: &Form, headers: &HeaderMap) -> Response {
    let (return_to, realm) = match addresses(form) {
        Ok(found) => found,
        Err(problem) => return page::problem("Steam", StatusCode::BAD_REQUEST, problem),
    };
    let asked = person::asked_for(form, headers);
    if asked.contains(&person::CANCEL) {
        return back(return_to, "cancel");
    }
    let known = |id: &SteamId| steam.state().accounts.contains_key(id);
    let chosen = asked.iter().filter_map(|id| SteamId::parse(id).ok()).find(known);
    if let Some(id) = chosen {
        return redirect(&steam.assert(&id, return_to));
    }
    if form.only("openid.mode") == Some("checkid_immediate") {
        return back(return_to, "setup_needed");
    }
    if let Some(id) = form.get(person::FIELD) {
        let text = format!("There is no account {id} in this sandbox.");
        return page::problem("Steam", StatusCode::NOT_FOUND, &text);
    }
    choose(steam, form, realm)
}

/// Where to return and on whose behalf, if the request is one that Steam would accept.
fn addresses(form: &Form) -> Result<(&str, &str), &'static str> {
    if form.only("openid.ns") != Some(NAMESPACE) {
        return Err("openid.ns must name OpenID 2.0.");
    }
    if !matches!(
        form.only("openid.mode"),
        Some("checkid_setup" | "checkid_immediate")
    ) {
        return Err("openid.mode must be checkid_setup.");
    }
    if form.only("openid.identity") != Some(SELECT) || form.only("openid.claimed_id") != Some(SELECT) {
        return Err("openid.identity and openid.claimed_id must be identifier_select.");
    }
    let return_to = form
        .only("openid.return_to")
        .ok_or("openid.return_to is missing.")?;
    let realm = form.only("openid.realm").unwrap_or(return_to);
    if !is_below(return_to, realm) {
        return Err(
            "openid.return_to must lie below openid.realm, and both must be http or https addresses.",
        );
    }
    Ok((return_to, realm))
}

/// Same scheme, host and port, and a path that starts with the realm's.
fn is_below(return_to: &str, realm: &str) -> bool {
    let (Ok(inner), Ok(outer)) = (return_to.parse::<Uri>(), realm.parse::<Uri>()) else {
        return false;
    };
    let web = matches!(inner.scheme_str(), Some("http" | "https"));
    let folder = outer.path().trim_end_matches('/');
    let below = inner.path().strip_prefix(folder);
    web && inner.scheme() == outer.scheme()
        && inner.authority() == outer.authority()
        && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn choose(steam: &Inner, form: &Form, realm: &str) -> Response {
    let state = steam.state();
    let people: Vec<Choice<'_>> = state
        .accounts
        .iter()
        .map(|(id, account)| Choice {
            id: id.to_string(),
            name: &account.name,
            purpose: account.purpose.as_ref(),
        })
        .collect();
    let detail = format!(
        "<p><strong>{}</strong> wants to know your SteamID.</p>",
        escape(realm)
    );
    page::chooser("Steam", &detail, "/openid/login", form.fields(), &people)
}

fn back(return_to: &str, mode: &str) -> Response {
    redirect(&with_query(
        return_to,
        [("openid.ns", NAMESPACE), ("openid.mode", mode)],
    ))
}

fn redirect(location: &str) -> Response {
    (StatusCode::FOUND, [(LOCATION, location)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_lies_below_its_realm_or_not() {
        for (return_to, realm, below) in [
            ("http://a.example/x", "http://a.example", true),
            ("http://a.example/x?y=1", "http://a.example/", true),
            ("http://a.example/x/y", "http://a.example/x", true),
            ("http://a.example/xy", "http://a.example/x", false),
            ("http://a.example:81/x", "http://a.example", false),
            ("https://a.example/x", "http://a.example", false),
            ("http://b.example/x", "http://a.example", false),
            ("javascript:alert(1)", "javascript:alert(1)", false),
            ("/x", "/x", false),
        ] {
            assert_eq!(is_below(return_to, realm), below, "{return_to} {realm}");
        }
    }
}
