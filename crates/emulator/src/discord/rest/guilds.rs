//! Guilds as a whole.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;

use super::guild_of;
use crate::common::forms::Form;
use crate::discord::Inner;
use crate::discord::caller::{Bot, Ids};
use crate::discord::error::Answer;
use crate::discord::snowflake::Snowflake;
use crate::discord::wire;

pub async fn get(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(id): Ids<Snowflake>,
    RawQuery(query): RawQuery,
) -> Answer {
    let world = inner.world();
    let guild = guild_of(&world.state, id, bot)?;
    let mut body = wire::guild(id, guild);
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    if query.get("with_counts") == Some("true") {
        body["approximate_member_count"] = guild.members.len().into();
        body["approximate_presence_count"] = 1.into();
    }
    Ok(Json(body).into_response())
}
