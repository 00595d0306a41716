//! What people take home of an Org: a few at a time, and each is written down.

use domain::audit::{Actor, AuditAction};
use serde_json::json;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::{AppError, RecordsError};
pub use crate::memories::exports::ExportPlace;
use crate::state::App;

/// Takes a place for an export that names nobody. It is free again when what is returned is dropped.
pub fn take_place(app: &App, scope: OrgScope) -> Result<ExportPlace, AppError> {
    let place = app.memories.exports.begin(scope);
    place.ok_or(RecordsError::ExportsRunning.into())
}

/// The same, and writes down what somebody takes home.
pub async fn begin(
    app: &App,
    scope: OrgScope,
    actor: Actor,
    what: AuditAction,
) -> Result<ExportPlace, AppError> {
    let place = take_place(app, scope)?;
    app.db.write_for(app.act(scope, actor), Note { what }).await?;
    Ok(place)
}

struct Note {
    what: AuditAction,
}

impl Work for Note {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_export";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        Ok(act.note(tx, self.what, None, &json!({})).await?)
    }
}
