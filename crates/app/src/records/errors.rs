//! Looking through the error log.

use domain::id::OrgId;
use storage::records::error_log;
pub use storage::records::error_log::{ErrorFilter, Listed, Place};
use storage::{OperatorScope, OrgScope};

use crate::error::AppError;
use crate::state::App;

/// Failures of an Org that fit, newest first.
pub async fn list(
    app: &App,
    scope: OrgScope,
    filter: &ErrorFilter,
    limit: i64,
) -> Result<Vec<Listed>, AppError> {
    Ok(error_log::list(&app.db, scope, filter, limit).await?)
}

/// Failures that fit, of one Org or of all and of none, newest first.
pub async fn list_for_operators(
    app: &App,
    operator: OperatorScope,
    org: Option<&OrgId>,
    filter: &ErrorFilter,
    limit: i64,
) -> Result<Vec<Listed>, AppError> {
    let Some(org) = org else {
        return Ok(error_log::list_all(&app.db, operator, filter, limit).await?);
    };
    error_log::list_of_any_org(&app.db, operator, org, filter, limit)
        .await?
        .ok_or_else(|| AppError::invalid("org", "there is no such organisation"))
}

/// The failures that a request is among, of all Orgs and of none.
pub async fn list_with_request(
    app: &App,
    operator: OperatorScope,
    request_id: &str,
) -> Result<Vec<Listed>, AppError> {
    Ok(error_log::list_with_request(&app.db, operator, request_id).await?)
}
