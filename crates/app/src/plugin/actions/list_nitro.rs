//! `listNitro`: the Guild's boosters.

use serde_json::json;
use storage::players::boosters;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let found = boosters::list(&call.app.db, call.key.guild, boosters::MOST).await?;
    if found.is_empty() {
        return Ok(Reply {
            status: 404,
            ..Reply::json(r#"{"Result":0}"#.to_owned())
        });
    }
    let entries: Vec<_> = found.into_iter().map(|id| json!({ "discord_id": id })).collect();
    Reply::of(&json!({ "Result": entries }))
}
