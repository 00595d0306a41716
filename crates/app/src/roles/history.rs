//! What was done about roles and groups, and why.

use domain::id::GuildId;
use domain::platform_id::EitherId;
pub use storage::roles::ledger::{Entry, PAGE};
use storage::roles::ledger;
use storage::tenancy::guilds;
use storage::OrgScope;

use crate::error::{AppError, RequestError};
use crate::state::App;

/// A page of changes, the newest first; of one person, or of everybody.
pub async fn list(
    app: &App,
    scope: OrgScope,
    guild: &GuildId,
    member: Option<&EitherId>,
    before: Option<i64>,
) -> Result<Vec<Entry>, AppError> {
    let found = guilds::find(&app.db, scope, guild).await?;
    let guild = found.ok_or(RequestError::NotFound)?;
    let before = before.unwrap_or(i64::MAX);
    Ok(ledger::list(&app.db, scope, guild.num, member, before).await?)
}
