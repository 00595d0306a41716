//! What remains of erased accounts is kept for its time and not longer.

use storage::privacy::tombstones;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::AppError;
use crate::state::App;

const DAY_MS: i64 = 24 * 60 * 60_000;
/// In one go.
const AT_ONCE: i64 = 100;
/// Orgs that can fail in one round before the others have to wait for the next.
const MOST_FAILED: usize = 10;

/// Forgets digests whose time is over. One Org's trouble is not another's: where it fails, its digests wait for the next round.
pub(crate) async fn keep(app: &App) -> Result<(), AppError> {
    let before_ms = app.now_ms() - i64::from(app.retention.tombstone_days) * DAY_MS;
    let (mut first_failure, mut failed) = (Ok(()), Vec::new());
    for _ in 0..=MOST_FAILED {
        let known = failed.len();
        for due in tombstones::list_due(&app.db, before_ms, &failed, AT_ONCE).await? {
            if failed.contains(&due.scope) {
                continue;
            }
            let work = Forget {
                tombstone: due.tombstone,
                before_ms,
            };
            if let Err(error) = app.db.write_for(due.scope, work).await {
                failed.push(due.scope);
                first_failure = first_failure.and(Err(error));
            }
        }
        if failed.len() == known {
            break;
        }
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
