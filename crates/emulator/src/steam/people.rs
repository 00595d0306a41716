//! `ISteamUser`: profiles, groups and chosen names.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use domain::platform_id::SteamId;
use http::StatusCode;
use serde_json::{Value, json};

use super::web_api::{bad_request, refused_key};
use super::{Account, Inner};
use crate::common::forms::Form;

const MAX_IDS: usize = 100;
const NO_MATCH: u8 = 42;

/// Unknown accounts are left out of the answer.
pub async fn summaries(State(steam): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let state = steam.state();
    if let Some(refusal) = refused_key(&state, &query) {
        return refusal;
    }
    let Some(ids) = query.only("steamids") else {
        return bad_request("Required parameter 'steamids' is missing");
    };
    let ids: Vec<&str> = ids.split(',').collect();
    if ids.len() > MAX_IDS {
        return bad_request("Too many steamids");
    }
    let known = ids.iter().filter_map(|id| {
        let id = SteamId::parse(id).ok()?;
        state.accounts.get(&id).map(|account| summary(&id, account))
    });
    Json(json!({"response": {"players": known.collect::<Vec<_>>()}})).into_response()
}

fn summary(id: &SteamId, account: &Account) -> Value {
    let profile = match &account.vanity {
        Some(vanity) => format!("https://steamcommunity.com/id/{vanity}/"),
        None => format!("https://steamcommunity.com/profiles/{id}/"),
    };
    let hash = "fef49e7fa7e1997310d705b2a6158ff8dc1cdfeb";
    let avatar = |size: &str| format!("https://avatars.steamstatic.com/{hash}{size}.jpg");
    let mut fields = json!({
        "steamid": id,
        "communityvisibilitystate": if account.private { 1 } else { 3 },
        "profilestate": 1,
        "personaname": account.name,
        "profileurl": profile,
        "avatar": avatar(""),
        "avatarmedium": avatar("_medium"),
        "avatarfull": avatar("_full"),
        "avatarhash": hash,
        "personastate": 0,
    });
    if !account.private {
        fields["personastateflags"] = 0.into();
        fields["timecreated"] = 1_262_304_000.into();
    }
    fields
}

/// 32-bit ids of the account's groups; a private account answers 403.
pub async fn groups(State(steam): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let state = steam.state();
    if let Some(refusal) = refused_key(&state, &query) {
        return refusal;
    }
    let Some(id) = query.only("steamid").and_then(|id| SteamId::parse(id).ok()) else {
        return bad_request("Required parameter 'steamid' is missing");
    };
    let failed = |status: StatusCode, error: &str| {
        (
            status,
            Json(json!({"response": {"success": false, "error": error}})),
        )
            .into_response()
    };
    match state.accounts.get(&id) {
        None => failed(StatusCode::OK, "Failed to get information about this user"),
        Some(account) if account.private => failed(StatusCode::FORBIDDEN, "Private profile"),
        Some(account) => {
            let groups: Vec<Value> = account.groups.iter().map(|gid| json!({"gid": gid})).collect();
            Json(json!({"response": {"success": true, "groups": groups}})).into_response()
        }
    }
}

/// The id behind a chosen name, of a profile or (`url_type=2`) of a group.
pub async fn vanity(State(steam): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let state = steam.state();
    if let Some(refusal) = refused_key(&state, &query) {
        return refusal;
    }
    let Some(name) = query.only("vanityurl") else {
        return bad_request("Required parameter 'vanityurl' is missing");
    };
    let same = |own: &str| own.eq_ignore_ascii_case(name);
    let found = if query.only("url_type") == Some("2") {
        let group = state.groups.iter().find(|(_, group)| same(&group.vanity));
        group
            .and_then(|(gid, _)| super::groups::long_id(gid))
            .map(|id| id.to_string())
    } else {
        let named = |account: &Account| account.vanity.as_deref().is_some_and(same);
        let account = state.accounts.iter().find(|(_, account)| named(account));
        account.map(|(id, _)| id.to_string())
    };
    let response = match found {
        Some(id) => json!({"steamid": id, "success": 1}),
        None => json!({"success": NO_MATCH, "message": "No match"}),
    };
    Json(json!({"response": response})).into_response()
}

/// Backgrounds and frames of a profile: nobody here has any. Steam asks for no key.
pub async fn ornaments() -> Response {
    let none = json!({});
    let response = json!({
        "profile_background": none,
        "mini_profile_background": none,
        "avatar_frame": none,
        "animated_avatar": none,
        "profile_modifier": none,
    });
    Json(json!({ "response": response })).into_response()
}
