//! `remove`: ends the link of either id. Asking twice is the same as asking once.

use domain::audit::Actor;
use domain::link::UnlinkCause;

use storage::keys::plugin_keys;

use crate::error::{AppError, PluginError};
use crate::linking::links;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let either = call.either_id()?;
    let scope = plugin_keys::find_scope(&call.app.db, call.key.num).await?;
    let scope = scope.ok_or(PluginError::ScopeMismatch {
        parameter: "guild_id",
    })?;
    let (guild, actor) = (scope.guild_id, Actor::Key(scope.key_id));
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
