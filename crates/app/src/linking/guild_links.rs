//! The links of a Guild, for operators who look something up.

use domain::id::GuildId;
use storage::OrgScope;
use storage::linking::guild_links;
pub use storage::linking::guild_links::{GuildLink, LinkFilter, Place};
use storage::tenancy::guilds;

use crate::error::{AppError, RequestError};
use crate::state::App;

/// Links of a Guild that fit, by when they were verified or ended, the newest first.
pub async fn list(
    app: &App,
    scope: OrgScope,
    guild: &GuildId,
    filter: &LinkFilter,
    limit: i64,
) -> Result<Vec<GuildLink>, AppError> {
    let guild = guilds::find(&app.db, scope, guild).await?;
    let guild = guild.ok_or(RequestError::NotFound)?;
    Ok(guild_links::list(&app.db, scope, guild.num, filter, limit).await?)
}
