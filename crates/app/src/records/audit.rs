//! Reading the audit log, with the names of what its entries are about.

use std::collections::BTreeSet;

use domain::id::LinkId;
use serde_json::Value;
pub use storage::records::audit_names::Named;
use storage::records::audit_names::{self, WantedNames};
use storage::records::audit_pages;
pub use storage::records::audit_pages::{AuditFilter, NamedEntry};
use storage::{OperatorScope, OrgScope};

use crate::error::AppError;
use crate::state::App;

/// Where a detail holds an id of ours. What somebody typed never stands under these.
const IDS_IN_DETAIL: [&str; 5] = ["guild", "server", "key", "invite", "account"];
/// The same in the operators' own log.
const IDS_OF_OPERATORS: [&str; 5] = ["org", "account", "to", "guild", "server"];

/// Entries of an Org that fit, newest first.
pub async fn list(
    app: &App,
    scope: OrgScope,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<NamedEntry>, AppError> {
    Ok(audit_pages::list_filtered(&app.db, scope, filter, limit).await?)
}

/// Entries of the operators' own log that fit, newest first.
pub async fn list_for_operators(
    app: &App,
    operator: OperatorScope,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<NamedEntry>, AppError> {
    Ok(audit_pages::list_filtered_for_operators(&app.db, operator, filter, limit).await?)
}

/// What the ids in these entries are called now. Players are named only to whoever may see links.
pub async fn name(
    app: &App,
    scope: OrgScope,
    entries: &[NamedEntry],
    sees_links: bool,
) -> Result<Vec<Named>, AppError> {
    let mut wanted = WantedNames::default();
    for entry in entries {
        let detail: Value = serde_json::from_str(&entry.row.detail).unwrap_or_default();
        let ids = [entry.row.actor_id.as_deref(), entry.row.target.as_deref()];
        let others = IDS_IN_DETAIL.map(|field| detail[field].as_str());
        let shown = ids.into_iter().chain(others).flatten();
        shown
            .filter(|id| sees_links || !id.starts_with(LinkId::PREFIX))
            .for_each(|id| wanted.add(id));
    }
    Ok(audit_names::list(&app.db, scope, &wanted).await?)
}

/// The same for entries of the operators' own log.
pub async fn name_for_operators(
    app: &App,
    operator: OperatorScope,
    entries: &[NamedEntry],
) -> Result<Vec<Named>, AppError> {
    let mut wanted = WantedNames::default();
    for entry in entries {
        let detail: Value = serde_json::from_str(&entry.row.detail).unwrap_or_default();
        let ids = [entry.row.actor_id.as_deref(), entry.row.target.as_deref()];
        let others = IDS_OF_OPERATORS.map(|field| detail[field].as_str());
        ids.into_iter()
            .chain(others)
            .flatten()
            .for_each(|id| wanted.add(id));
    }
    Ok(audit_names::list_everywhere(&app.db, operator, &wanted).await?)
}

/// What the log can be filtered by, with names.
pub struct AuditChoices {
    /// Whoever did something, and the whole team.
    pub actors: Vec<Named>,
    /// Guilds, Servers and custom keys, also some that are gone.
    pub things: Vec<Named>,
}

/// Bounded by what the plans allow, and by 1,000 of each.
pub async fn choices(app: &App, scope: OrgScope) -> Result<AuditChoices, AppError> {
    let actors = audit_pages::list_actors(&app.db, scope).await?;
    let things = audit_pages::list_things(&app.db, scope).await?;
    let mut wanted = WantedNames::default();
    actors.iter().chain(&things).for_each(|id| wanted.add(id));
    let named = audit_names::list(&app.db, scope, &wanted).await?;
    let acting: BTreeSet<String> = actors.into_iter().collect();
    let things: BTreeSet<String> = things.into_iter().collect();
    let of = |ids: &BTreeSet<String>| {
        named
            .iter()
            .filter(|one| ids.contains(&one.id))
            .cloned()
            .collect()
    };
    Ok(AuditChoices {
        actors: of(&acting),
        things: of(&things),
    })
}
