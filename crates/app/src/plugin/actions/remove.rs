//! `remove`: ends the link of either id. Asking twice is the same as asking once.

use domain::audit::Actor;
use domain::id::KeyId;
use domain::link::UnlinkCause;

use storage::keys;

use crate::error::AppError;
use crate::links;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let either = call.either_id()?;
    let scope = keys::find_scope(&call.app.db, call.key.num).await?;
    let guild = scope
        .ok_or(AppError::ScopeMismatch {
            parameter: "guild_id",
        })?
        .guild_id;
    let key = KeyId::parse(&call.key.id).map_err(|error| AppError::Internal(error.to_string()))?;
    let actor = Actor::Key(key);
    links::unlink(
        call.app,
        call.key.scope,
        guild,
        either,
        UnlinkCause::Plugin,
        actor,
    )
    .await?;
    Ok(Reply::text(200, "User Removed"))
}
