//! Reading the audit log, with the names of what its entries are about.

use std::collections::BTreeSet;

use domain::audit::{Actor, AuditAction};
use domain::id::LinkId;
use serde_json::{Value, json};
use storage::records::audit::Act;
pub use storage::records::audit_names::Named;
use storage::records::audit_names::{self, WantedNames};
use storage::records::audit_pages;
pub use storage::records::audit_pages::{AuditFilter, NamedEntry};
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::{AppError, RecordsError};
use crate::memories::exports::ExportPlace;
use crate::state::App;

/// Where a detail holds an id of ours. What somebody typed never stands under these.
const IDS_IN_DETAIL: [&str; 4] = ["guild", "server", "key", "invite"];

/// Entries of an Org that fit, newest first.
pub async fn list(
    app: &App,
    scope: OrgScope,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<NamedEntry>, AppError> {
    Ok(audit_pages::list_filtered(&app.db, scope, filter, limit).await?)
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

/// Writes down that somebody takes the log home. The export lasts as long as what is returned.
pub async fn begin_export(app: &App, scope: OrgScope, actor: Actor) -> Result<ExportPlace, AppError> {
    let place = app
        .memories
        .exports
        .begin(scope)
        .ok_or(RecordsError::ExportsRunning)?;
    app.db.write_for(app.act(scope, actor), NoteExport).await?;
    Ok(place)
}

struct NoteExport;

impl Work for NoteExport {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_export";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        Ok(act.note(tx, AuditAction::AuditExported, None, &json!({})).await?)
    }
}
