//! What operators see of jobs and may do with them.

use domain::audit::AuditAction;
use domain::job::JobKind;
use serde_json::json;
pub use storage::jobs::ListedJob;
use storage::jobs::{self, Changed, Found, Moment};
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{NoOrg, OrgScope, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError};
use crate::state::App;

/// The oldest jobs, `limit` at most, and how many there are beside them.
pub async fn list(app: &App, limit: u32) -> Result<(Vec<ListedJob>, i64), AppError> {
    let listed = jobs::list(&app.db, limit).await?;
    let waiting = jobs::count_waiting(&app.db).await?;
    let all: i64 = waiting.iter().map(|waiting| waiting.jobs).sum();
    // Some may have come or gone between the two.
    let more = (all - listed.len() as i64).max(0);
    Ok((listed, more))
}

/// How soon something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Soon {
    /// It is done, or due at once.
    Now,
    /// Somebody is at it.
    Running,
}

/// Tries a job again at once. Those before it in its lane come first.
pub async fn retry(app: &App, num: i64, by: impl Into<ByOperator>) -> Result<Soon, AppError> {
    let by = by.into();
    let found = jobs::find(&app.db, num).await?.ok_or(RequestError::NotFound)?;
    let (act, moment) = (app.act(NoOrg, by.actor()), app.moment());
    let work = Retry {
        num,
        found,
        moment,
        by,
    };
    let soon = soon(app.db.write_for(act, work).await?)?;
    app.bell.ring();
    Ok(soon)
}

/// Takes a job away undone, if that leaves nothing half done.
pub async fn drop_job(app: &App, num: i64, by: impl Into<ByOperator>) -> Result<Soon, AppError> {
    let by = by.into();
    let found = jobs::find(&app.db, num).await?.ok_or(RequestError::NotFound)?;
    if JobKind::parse(&found.kind).is_some_and(|kind| !kind.may_be_dropped()) {
        return Err(RequestError::Conflict(
            "This job finishes something already begun, so it cannot be dropped. You can retry it.",
        )
        .into());
    }
    let (act, moment) = (app.act(NoOrg, by.actor()), app.moment());
    let work = DropJob {
        num,
        found,
        moment,
        by,
    };
    soon(app.db.write_for(act, work).await?)
}

/// What rests in a lane goes on now, because what kept it may be over.
pub(crate) async fn wake_lane(app: &App, scope: OrgScope, lane: String) -> Result<(), AppError> {
    let moment = app.moment();
    app.db.write_for(scope, Wake { lane, moment }).await?;
    app.bell.ring();
    Ok(())
}

struct Wake {
    lane: String,
    moment: Moment,
}

impl Work for Wake {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "wake_lane";

    async fn run(&self, tx: &mut Tx<'_>, _: &OrgScope) -> Result<(), AppError> {
        Ok(jobs::wake(tx, &self.lane, self.moment).await?)
    }
}

fn soon(changed: Changed) -> Result<Soon, AppError> {
    match changed {
        Changed::Done => Ok(Soon::Now),
        Changed::Soon | Changed::Before => Ok(Soon::Running),
        Changed::Missing => Err(RequestError::NotFound.into()),
    }
}

struct Retry {
    num: i64,
    found: Found,
    moment: Moment,
    by: ByOperator,
}

impl Work for Retry {
    type For = Act<NoOrg>;
    type Output = Changed;
    type Error = AppError;
    const NAME: &'static str = "retry_job";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<Changed, AppError> {
        lock(tx, &self.found).await?;
        let changed = jobs::retry_now(tx, &self.found.lane, self.num, self.moment).await?;
        // One that is being worked on is left alone.
        if changed == Changed::Done {
            let by = (act, &self.by);
            note(tx, by, AuditAction::JobRetried, (self.num, &self.found)).await?;
        }
        Ok(changed)
    }
}

struct DropJob {
    num: i64,
    found: Found,
    moment: Moment,
    by: ByOperator,
}

impl Work for DropJob {
    type For = Act<NoOrg>;
    type Output = Changed;
    type Error = AppError;
    const NAME: &'static str = "drop_job";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<Changed, AppError> {
        lock(tx, &self.found).await?;
        let changed = jobs::drop_job(tx, &self.found.lane, self.num, self.moment).await?;
        if matches!(changed, Changed::Done | Changed::Soon) {
            let by = (act, &self.by);
            note(tx, by, AuditAction::JobDropped, (self.num, &self.found)).await?;
        }
        Ok(changed)
    }
}

/// Of the Org that the job is for, before anything of it is touched.
async fn lock(tx: &mut Tx<'_>, found: &Found) -> Result<(), AppError> {
    if let Some(scope) = found.org {
        orgs::lock_even_removed(tx, scope).await?;
    }
    Ok(())
}

/// In the operators' own log, and before that in the log of the Org that the job is for.
async fn note(
    tx: &mut Tx<'_>,
    (act, by): (&Act<NoOrg>, &ByOperator),
    action: AuditAction,
    (num, found): (i64, &Found),
) -> Result<(), AppError> {
    let mut detail = json!({ "job": num, "kind": found.kind });
    if let Some(scope) = found.org {
        act.within(scope).note(tx, action, None, &detail).await?;
        detail["org"] = json!(orgs::get_id(tx, scope).await?.as_str());
    }
    by.note(tx, act, action, None, &detail).await
}
