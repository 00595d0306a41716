//! Discord's content network: the pictures of guilds and people.
//!
//! A picture is known by its hash, and its colour and pattern follow from that, so that another hash is another picture.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use sha2::{Digest, Sha256};

use super::Inner;
use super::picture;
use super::snowflake::Snowflake;
use crate::common::forms::Form;

const USUAL_SIDE: u32 = 128;

pub async fn icon(
    State(inner): State<Arc<Inner>>,
    path: Path<(Snowflake, String)>,
    query: RawQuery,
) -> Response {
    let Path((guild, file)) = path;
    let known = inner
        .world()
        .state
        .guilds
        .get(&guild)
        .and_then(|guild| guild.icon.clone());
    serve(known, &file, query)
}

pub async fn avatar(
    State(inner): State<Arc<Inner>>,
    path: Path<(Snowflake, String)>,
    query: RawQuery,
) -> Response {
    let Path((user, file)) = path;
    let known = inner
        .world()
        .state
        .users
        .get(&user)
        .and_then(|user| user.avatar.clone());
    serve(known, &file, query)
}

/// Who has no picture of their own gets one of six.
pub async fn usual_avatar(Path(file): Path<String>, query: RawQuery) -> Response {
    let number = file
        .strip_suffix(".png")
        .filter(|number| matches!(number.as_bytes(), [b'0'..=b'5']));
    serve(number.map(str::to_owned), &file, query)
}

fn serve(known: Option<String>, file: &str, RawQuery(query): RawQuery) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let side = match query.get("size").map(str::parse::<u32>) {
        None => USUAL_SIDE,
        Some(Ok(side)) if side.is_power_of_two() && (16..=4_096).contains(&side) => side,
        Some(_) => return (StatusCode::BAD_REQUEST, "Invalid size").into_response(),
    };
    let found = file
        .rsplit_once('.')
        .filter(|(hash, _)| known.as_deref() == Some(*hash));
    let Some((hash, ending)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let [red, green, blue, pattern @ ..] = <[u8; 32]>::from(Sha256::digest(hash.as_bytes()));
    let pattern = pattern
        .into_iter()
        .take(3)
        .fold(0, |bits, byte| bits << 8 | u32::from(byte));
    let (kind, bytes) = match ending {
        "png" => ("image/png", picture::png(side, [red, green, blue], pattern)),
        "webp" => ("image/webp", picture::webp(side, [red, green, blue])),
        _ => return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported image format").into_response(),
    };
    let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "public, max-age=31536000")];
    (headers, bytes).into_response()
}
