//! What was refused to the keys of an Org.

use storage::OrgScope;
use storage::keys::refusals;
pub use storage::keys::refusals::Refused;

use crate::error::AppError;
use crate::state::App;

const HOUR_MS: i64 = 60 * 60_000;
/// The running hour is one of them.
const HOURS: i64 = 24;

/// The first hour that is looked at, since 1970.
pub(crate) fn since_hour(now_ms: i64) -> i64 {
    now_ms.div_euclid(HOUR_MS) - (HOURS - 1)
}

/// Refused calls of the last 24 hours, by key and code. The last minute is on its way.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<Refused>, AppError> {
    Ok(refusals::list(&app.db, scope, since_hour(app.now_ms())).await?)
}
