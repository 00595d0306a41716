//! Imports of files in the dashboard: how far they are, and what somebody of the team does about them.

use domain::audit::{Actor, AuditAction};
use domain::id::{AccountId, ImportId};
use domain::import::{ImportState, ImportStop};
use domain::job::Job;
use serde_json::json;
use storage::jobs;
pub use storage::linking::import_rows::RefusedRow;
pub use storage::linking::import_runs::ImportRun;
use storage::linking::{import_rows, import_runs};
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::tally::{About, Tally};
use crate::error::{AppError, RequestError};
use crate::state::App;

const DAY_MS: i64 = 24 * 60 * 60_000;
/// Rows name people, so they are kept for so long after the last thing that happened to them.
pub const KEPT_MS: i64 = 7 * DAY_MS;
/// Storing the rows of a file takes seconds. What takes longer has been given up.
pub(super) const HALF_STORED_MS: i64 = 2 * 60_000;
/// Rows that go in one unit of work.
const FORGOTTEN_AT_ONCE: i64 = 1_000;
/// Imports that are ended in one round of housekeeping.
const DUE_AT_ONCE: i64 = 50;

/// The newest imports of an Org, the last one first.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<ImportRun>, AppError> {
    Ok(import_runs::list(&app.db, scope).await?)
}

/// One of the Org's.
pub async fn get(app: &App, scope: OrgScope, id: &ImportId) -> Result<ImportRun, AppError> {
    let found = import_runs::find(&app.db, scope, id).await?;
    found.ok_or(RequestError::NotFound.into())
}

/// The next rows that were refused. None of an import whose rows are being forgotten.
pub async fn list_refused(
    app: &App,
    scope: OrgScope,
    id: &ImportId,
    after: i64,
    limit: usize,
) -> Result<Vec<RefusedRow>, AppError> {
    let run = get(app, scope, id).await?;
    if run.forget {
        return Ok(Vec::new());
    }
    Ok(import_rows::list_refused(&app.db, scope, run.num, after, limit as i64).await?)
}

/// What somebody of the team can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// Links are made of what was checked.
    Start,
    /// No more of them are made.
    Cancel,
    /// Refused rows are not kept any longer.
    Forget,
}

/// Does it, and tells how far the import is then.
pub async fn press(
    app: &App,
    scope: OrgScope,
    import: ImportId,
    press: Press,
    by: AccountId,
) -> Result<ImportRun, AppError> {
    let act = app.act(scope, Actor::Account(by.clone()));
    let run = app.db.write_for(act, Pressed { import, press, by }).await?;
    app.bell.ring();
    Ok(run)
}

struct Pressed {
    import: ImportId,
    press: Press,
    by: AccountId,
}

impl Work for Pressed {
    type For = Act;
    type Output = ImportRun;
    type Error = AppError;
    const NAME: &'static str = "press_import";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<ImportRun, AppError> {
        orgs::lock(tx, act.scope).await?;
        let found = import_runs::find_in(tx, act.scope, &self.import).await?;
        let mut run = found.ok_or(RequestError::NotFound)?;
        let is_over = run.state.is_over();
        match (self.press, run.state) {
            // The second press of the same button.
            (Press::Start, ImportState::Importing | ImportState::Done) => return Ok(run),
            (Press::Start, ImportState::Checked) => self.begin(tx, act, &mut run).await?,
            (Press::Start, _) => {
                let problem =
                    "Only an import whose dry run has finished can be started. Look at how far it is.";
                return Err(RequestError::Conflict(problem).into());
            }
            (Press::Cancel, _) if is_over => return Ok(run),
            (Press::Cancel, _) => {
                let detail = counted(&run);
                end(&mut run, ImportState::Cancelled, act.now_ms);
                let target = Some(run.guild.as_str());
                act.note(tx, AuditAction::ImportCancelled, target, &detail)
                    .await?;
            }
            (Press::Forget, _) if is_over => run.forget = true,
            (Press::Forget, _) => {
                let problem = "This import is not over. Cancel it first.";
                return Err(RequestError::Conflict(problem).into());
            }
        }
        run.touched_at_ms = act.now_ms;
        import_runs::save(tx, &run).await?;
        enqueue(tx, &run, &self.by, act.now_ms).await?;
        Ok(run)
    }
}

impl Pressed {
    async fn begin(&self, tx: &mut Tx<'_>, act: &Act, run: &mut ImportRun) -> Result<(), AppError> {
        let forecast = Tally::from_json(&run.result);
        let detail = json!({
            "guild": run.guild.as_str(), "rows": run.total, "active": forecast.links, "ended": forecast.history,
        });
        // What was refused for its form stays refused; all else is decided anew.
        run.result = About::from_json(&run.about).tally.to_json();
        (run.state, run.done) = (ImportState::Importing, 0);
        let target = Some(run.guild.as_str());
        Ok(act.note(tx, AuditAction::ImportStarted, target, &detail).await?)
    }
}

/// What was imported so far, in numbers. A dry run imports nothing.
pub(super) fn counted(run: &ImportRun) -> serde_json::Value {
    let tally = Tally::from_json(&run.result);
    let has_written = matches!(run.state, ImportState::Importing | ImportState::Done);
    let (active, ended) = if has_written {
        (tally.links, tally.history)
    } else {
        (0, 0)
    };
    json!({ "guild": run.guild.as_str(), "rows": run.total, "active": active, "ended": ended, "refused": tally.refused })
}

/// Nothing more comes. A dry run that ends so has imported nothing, and says so.
pub(super) fn end(run: &mut ImportRun, state: ImportState, now_ms: i64) {
    let was_importing = run.state == ImportState::Importing;
    if !was_importing {
        let refused = Tally::from_json(&run.result);
        let nothing = Tally {
            links: 0,
            history: 0,
            boosters: 0,
            groups: 0,
            ..refused
        };
        run.result = nothing.to_json();
    }
    (run.state, run.touched_at_ms, run.ended_at_ms) = (state, now_ms, Some(now_ms));
}

/// It cannot go on.
pub(super) fn stop(run: &mut ImportRun, why: ImportStop, now_ms: i64) {
    end(run, ImportState::Stopped, now_ms);
    run.stop = Some(why);
}

/// Has the job look at it: it decides on rows, or forgets them.
pub(super) async fn enqueue(
    tx: &mut Tx<'_>,
    run: &ImportRun,
    by: &AccountId,
    now_ms: i64,
) -> Result<(), AppError> {
    let job = Job::ImportLinks {
        org: run.org.clone(),
        import: run.id.clone(),
        by: by.clone(),
    };
    jobs::enqueue_counted(tx, run.scope, &job, run.total, now_ms).await?;
    Ok(())
}

/// Ends what nobody went on with, and forgets rows whose time is over.
pub async fn end_due(app: &App) -> Result<(), AppError> {
    let now_ms = app.now_ms();
    let due = import_runs::list_due(&app.db, now_ms - KEPT_MS, now_ms - HALF_STORED_MS, DUE_AT_ONCE).await?;
    for run in due {
        let end = || EndDue {
            import: run.id.clone(),
        };
        while app.db.write_for(app.act(run.scope, Actor::System), end()).await? {}
    }
    Ok(())
}

struct EndDue {
    import: ImportId,
}

impl Work for EndDue {
    type For = Act;
    /// Whether there is more to forget.
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "end_due_import";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<bool, AppError> {
        orgs::lock_even_removed(tx, act.scope).await?;
        let Some(mut run) = import_runs::find_in(tx, act.scope, &self.import).await? else {
            return Ok(false);
        };
        end_if_due(&mut run, act.now_ms);
        forget_some(tx, &mut run).await
    }
}

/// Forgets some rows of an import that is over: those that were not refused, and refused ones too where that was asked
/// for. True while there is more to forget.
pub(super) async fn forget_some(tx: &mut Tx<'_>, run: &mut ImportRun) -> Result<bool, AppError> {
    if !run.state.is_over() {
        return Ok(false);
    }
    let gone = import_rows::forget(tx, run.scope, run.num, run.forget, FORGOTTEN_AT_ONCE).await?;
    let is_more = gone >= FORGOTTEN_AT_ONCE as u64;
    run.has_rows = is_more || import_rows::is_any(tx, run.scope, run.num).await?;
    import_runs::save(tx, run).await?;
    Ok(is_more)
}

/// What was half stored, or nobody touched for days, is over, and its rows are to go.
pub(super) fn end_if_due(run: &mut ImportRun, now_ms: i64) {
    let untouched_ms = now_ms - run.touched_at_ms;
    let why = if run.state == ImportState::Reading && untouched_ms > HALF_STORED_MS {
        ImportStop::Interrupted
    } else if untouched_ms > KEPT_MS {
        ImportStop::Expired
    } else {
        return;
    };
    let touched_at_ms = run.touched_at_ms;
    if !run.state.is_over() {
        stop(run, why, now_ms);
    }
    // The time goes on from where it was, so that the rest is found in the next round.
    (run.forget, run.touched_at_ms) = (true, touched_at_ms);
}
