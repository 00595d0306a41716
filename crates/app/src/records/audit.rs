//! Reading the audit log.

use domain::audit::{Actor, AuditAction};
use serde_json::json;
use storage::records::audit::{self, Act};
pub use storage::records::audit::{AuditFilter, NamedEntry};
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::{AppError, RecordsError};
use crate::memories::exports::ExportPlace;
use crate::state::App;

/// Entries of an Org that fit, newest first.
pub async fn list(
    app: &App,
    scope: OrgScope,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<NamedEntry>, AppError> {
    Ok(audit::list_filtered(&app.db, scope, filter, limit).await?)
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
