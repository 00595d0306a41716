//! Work that waits to be done.

use crate::error::AppError;
use crate::state::App;

/// How many jobs could run now.
pub async fn count_due(app: &App) -> Result<i64, AppError> {
    Ok(storage::jobs::count_due(&app.db, app.now_ms()).await?)
}
