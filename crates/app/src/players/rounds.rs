//! Rounds through everybody of an Org that begin once a day.

use domain::job::Job;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work, jobs};

use crate::error::AppError;
use crate::state::App;

/// Orgs whose turn begins in one go.
pub(super) const AT_ONCE: i64 = 20;

/// Begins these rounds, unless another node has begun one just now.
pub(super) async fn begin(app: &App, due: impl IntoIterator<Item = (OrgScope, Job)>) -> Result<(), AppError> {
    let now_ms = app.now_ms();
    let mut is_any = false;
    for (scope, job) in due {
        app.db.write_for(scope, Begin { job, now_ms }).await?;
        is_any = true;
    }
    if is_any {
        app.bell.ring();
    }
    Ok(())
}

struct Begin {
    job: Job,
    now_ms: i64,
}

impl Work for Begin {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "begin_round";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::find_running_in(tx, &self.job.dedupe()).await?.is_none() {
            jobs::enqueue(tx, scope, &self.job, self.now_ms).await?;
        }
        Ok(())
    }
}
