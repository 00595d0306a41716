//! The public member list of a group. It also shows private accounts.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;

use super::{Inner, SteamState, unknown};
use crate::common::forms::Form;
use crate::common::page::escape;

/// Where the 64-bit ids of groups begin; the rest is the 32-bit id.
const FIRST_LONG_ID: u64 = 103_582_791_429_521_408;
const PAGE: usize = 1_000;

/// The 64-bit id of a group.
pub fn long_id(gid: &str) -> Option<u64> {
    gid.parse::<u32>()
        .ok()
        .map(|short| FIRST_LONG_ID + u64::from(short))
}

pub async fn by_name(
    State(steam): State<Arc<Inner>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let state = steam.state();
    let named = state
        .groups
        .iter()
        .find(|(_, group)| group.vanity.eq_ignore_ascii_case(&name));
    match named {
        Some((gid, _)) => members(&state, gid, query),
        None => unknown(),
    }
}

/// By the 64-bit or the 32-bit id.
pub async fn by_id(
    State(steam): State<Arc<Inner>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let short = id
        .parse::<u64>()
        .ok()
        .map(|id| id.checked_sub(FIRST_LONG_ID).unwrap_or(id));
    match short {
        Some(gid) => members(&steam.state(), &gid.to_string(), query),
        None => unknown(),
    }
}

fn members(state: &SteamState, gid: &str, query: Option<String>) -> Response {
    let (Some(group), Some(long)) = (state.group(gid), long_id(gid)) else {
        return unknown();
    };
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let ids: Vec<String> = state
        .members(gid)
        .map(|id| format!("<steamID64>{id}</steamID64>"))
        .collect();
    let pages = ids.len().div_ceil(PAGE).max(1);
    let page = query
        .get("p")
        .and_then(|page| page.parse().ok())
        .unwrap_or(1)
        .clamp(1, pages);
    let start = (page - 1) * PAGE;
    let shown = &ids[start..ids.len().min(start + PAGE)];
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><memberList>\
         <groupID64>{long}</groupID64><groupDetails><groupName>{name}</groupName><groupURL>{vanity}</groupURL>\
         <memberCount>{count}</memberCount></groupDetails><memberCount>{count}</memberCount>\
         <totalPages>{pages}</totalPages><currentPage>{page}</currentPage><startingMember>{start}</startingMember>\
         <members>{members}</members></memberList>",
        name = escape(&group.name),
        vanity = escape(&group.vanity),
        count = ids.len(),
        members = shown.concat(),
    );
    ([(CONTENT_TYPE, "text/xml; charset=utf-8")], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_id_is_the_short_one_plus_the_first() {
        assert_eq!(long_id("4"), Some(103_582_791_429_521_412));
        assert_eq!(long_id("4294967296"), None);
    }
}
