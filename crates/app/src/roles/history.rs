//! What was done about roles and groups, and why.

use std::collections::BTreeMap;

use domain::id::GuildId;
use domain::platform_id::EitherId;
use storage::OrgScope;
use storage::bots::places;
use storage::roles::ledger;
pub use storage::roles::ledger::{Entry, PAGE};
use storage::tenancy::guilds;

use crate::error::{AppError, RequestError};
use crate::state::App;

/// A page of changes, and what the roles in it are called, by their ids.
pub type Page = (Vec<Entry>, BTreeMap<String, String>);

/// A page of changes, the newest first; of one person, or of everybody.
pub async fn list(
    app: &App,
    scope: OrgScope,
    guild: &GuildId,
    member: Option<&EitherId>,
    before: Option<i64>,
) -> Result<Page, AppError> {
    let found = guilds::find(&app.db, scope, guild).await?;
    let guild = found.ok_or(RequestError::NotFound)?;
    let before = before.unwrap_or(i64::MAX);
    let found = ledger::list(&app.db, scope, guild.num, member, before).await?;
    let roles = places::list_roles(&app.db, scope, guild.num).await?;
    let named = roles.into_iter().map(|role| (role.id.to_string(), role.name));
    Ok((found, named.collect()))
}
