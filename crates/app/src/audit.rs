//! Reading the audit log.

use storage::OrgScope;
use storage::audit::{self, AuditRow};

use crate::error::AppError;
use crate::state::App;

/// The newest entries of an Org, newest first.
pub async fn list_newest(app: &App, scope: OrgScope, limit: i64) -> Result<Vec<AuditRow>, AppError> {
    Ok(audit::list_newest(&app.db, scope, limit).await?)
}
