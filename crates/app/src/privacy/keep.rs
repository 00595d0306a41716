//! What remains of erased accounts is kept for its time and not longer.

use storage::privacy::tombstones;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::AppError;
use crate::state::App;

const DAY_MS: i64 = 24 * 60 * 60_000;
/// In one round of housekeeping.
const AT_ONCE: i64 = 100;

/// Forgets digests whose time is over.
pub(crate) async fn keep(app: &App) -> Result<(), AppError> {
    let before_ms = app.now_ms() - i64::from(app.retention.tombstone_days) * DAY_MS;
    // One Org's trouble is not another's.
    let mut first_failure = Ok(());
    for due in tombstones::list_due(&app.db, before_ms, AT_ONCE).await? {
        let work = Forget {
            tombstone: due.tombstone,
            before_ms,
        };
        let forgotten = app.db.write_for(due.scope, work).await;
        first_failure = first_failure.and(forgotten);
    }
    first_failure
}

struct Forget {
    tombstone: String,
    before_ms: i64,
}

impl Work for Forget {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "forget_tombstone";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        Ok(tombstones::forget(tx, scope, &self.tombstone, self.before_ms).await?)
    }
}
