//! The job of an import: decides on the rows of a file slice by slice, first without writing, then with it, and forgets
//! them when the import is over. How far it is stands in the same transaction as what it did.

use domain::audit::{Actor, AuditAction};
use domain::id::{AccountId, ImportId, LinkId};
use domain::import::{ImportRefusal, ImportState, ImportStop};
use storage::jobs::{self, Grip, Held};
use storage::linking::import_rows::{self, OpenRow, Refusal};
use storage::linking::import_runs::{self, ImportRun};
use storage::records::audit::Act;
use storage::tenancy::{guilds, orgs};
use storage::{Tx, Work};

use super::runs;
use super::tally::{RowPlace, Tally};
use super::work::{BOOSTERS, Import};
use super::{ImportReport, ImportRow, ImportSlice, MOST_ROWS, RowOutcome};
use crate::error::{AppError, RequestError};
use crate::jobs::{Claimed, Outcome};
use crate::people;
use crate::state::App;

/// For a row that was stored by another version.
const UNKNOWN_FORM: &str = "it was stored by another version of the service; send the file again";

/// The next slice.
pub(crate) async fn step(
    app: &App,
    claimed: &Claimed,
    import: &ImportId,
    by: &AccountId,
) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let slice = |stop| Slice {
        held: claimed.held.clone(),
        import: import.clone(),
        app: app.clone(),
        ids: (0..MOST_ROWS)
            .map(|_| LinkId::generate(app.now_ms(), &*app.random))
            .collect(),
        stop,
    };
    let act = || app.act(scope, Actor::Account(by.clone()));
    let outcome = match app.db.write_for(act(), slice(None)).await {
        // Nothing of the slice was written.
        Err(AppError::Request(RequestError::InvalidParameter { parameter, .. })) if parameter == BOOSTERS => {
            let stop = Some(ImportStop::TooManyBoosters);
            app.db.write_for(act(), slice(stop)).await?
        }
        other => other?,
    };
    app.bell.ring();
    Ok(outcome)
}

struct Slice {
    held: Held,
    import: ImportId,
    app: App,
    /// One for each row, used or not.
    ids: Vec<LinkId>,
    /// Ends the import for this reason.
    stop: Option<ImportStop>,
}

impl Work for Slice {
    type For = Act;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "import_slice";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Outcome, AppError> {
        orgs::lock_even_removed(tx, act.scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let Some(mut run) = import_runs::find_in(tx, act.scope, &self.import).await? else {
            return Ok(Outcome::Done);
        };
        let outcome = match run.state {
            ImportState::Checking | ImportState::Importing => self.decide(tx, act, &mut run).await?,
            ImportState::Done | ImportState::Cancelled | ImportState::Stopped => {
                if runs::forget_some(tx, &mut run).await? {
                    return Ok(Outcome::Again);
                }
                // Once for all slices: each would have the round begin anew.
                if Tally::from_json(&run.result).has_written() {
                    people::sweep_later(tx, act.scope, act.now_ms).await?;
                }
                return Ok(Outcome::Done);
            }
            // Nothing to do until somebody says so.
            ImportState::Reading | ImportState::Checked => return Ok(Outcome::Done),
        };
        jobs::advance(tx, &self.held, None, run.done).await?;
        Ok(outcome)
    }
}

impl Slice {
    async fn decide(&self, tx: &mut Tx<'_>, act: &Act, run: &mut ImportRun) -> Result<Outcome, AppError> {
        if let Some(why) = self.stop {
            return self.stop(tx, act, run, why).await;
        }
        let org = orgs::lock(tx, act.scope).await?;
        let Some(guild) = guilds::find_in(tx, act.scope, &run.guild).await? else {
            return self.stop(tx, act, run, ImportStop::GuildRemoved).await;
        };
        let rows = import_rows::list_next(tx, act.scope, run.num, run.done, MOST_ROWS as i64).await?;
        let Some(last) = rows.last().map(|row| row.row_no) else {
            return self.end(tx, act, run).await;
        };
        let mut tally = Tally::from_json(&run.result);
        let for_good = run.state == ImportState::Importing;
        let (known, import) = self.readable(run, &rows, if for_good { 0 } else { tally.links });
        let place = import.find_server(tx, act.scope, &guild).await?;
        if place.is_none() && run.server.is_some() {
            return self.stop(tx, act, run, ImportStop::ServerDeleted).await;
        }
        let report = import.take(tx, act, &org, &guild, place).await?;
        let refused = count(&mut tally, &import, &rows, &known, &report);
        let refusals: Vec<Refusal<'_>> = refused
            .iter()
            .map(|(row_no, reason)| Refusal {
                row_no: *row_no,
                reason,
            })
            .collect();
        import_rows::decide(tx, act.scope, run.num, (run.done, last), &refusals, for_good).await?;
        let erased = ImportRefusal::Erased.to_string();
        let erased = refusals.iter().filter(|row| *row.reason == erased);
        let erased: Vec<i64> = erased.map(|row| row.row_no).collect();
        import_rows::forget_erased(tx, act.scope, run.num, &erased).await?;
        (run.done, run.touched_at_ms, run.result) = (last, act.now_ms, tally.to_json());
        import_runs::save(tx, run).await?;
        Ok(Outcome::Again)
    }

    /// The rows of the slice that this version can read, and which they are.
    fn readable(&self, run: &ImportRun, rows: &[OpenRow], planned: i64) -> (Vec<bool>, Import) {
        let read: Vec<Option<ImportRow>> = rows
            .iter()
            .map(|row| serde_json::from_str(&row.body).ok())
            .collect();
        let known = read.iter().map(Option::is_some).collect();
        let rows: Vec<ImportRow> = read.into_iter().flatten().collect();
        let import = Import {
            app: self.app.clone(),
            ids: self.ids.iter().take(rows.len()).cloned().collect(),
            slice: ImportSlice {
                guild: run.guild.clone(),
                server: run.server.clone(),
                rows,
                write: run.state == ImportState::Importing,
                planned,
            },
        };
        (known, import)
    }

    /// All rows are decided on.
    async fn end(&self, tx: &mut Tx<'_>, act: &Act, run: &mut ImportRun) -> Result<Outcome, AppError> {
        run.done = run.total;
        if run.state == ImportState::Checking {
            (run.state, run.touched_at_ms) = (ImportState::Checked, act.now_ms);
            import_runs::save(tx, run).await?;
            return Ok(Outcome::Done);
        }
        let detail = runs::counted(run);
        runs::end(run, ImportState::Done, act.now_ms);
        self.note_end(tx, act, run, &detail).await?;
        Ok(Outcome::Again)
    }

    async fn stop(
        &self,
        tx: &mut Tx<'_>,
        act: &Act,
        run: &mut ImportRun,
        why: ImportStop,
    ) -> Result<Outcome, AppError> {
        let mut detail = runs::counted(run);
        detail["stop"] = why.as_str().into();
        runs::stop(run, why, act.now_ms);
        self.note_end(tx, act, run, &detail).await?;
        Ok(Outcome::Again)
    }

    async fn note_end(
        &self,
        tx: &mut Tx<'_>,
        act: &Act,
        run: &ImportRun,
        detail: &serde_json::Value,
    ) -> Result<(), AppError> {
        import_runs::save(tx, run).await?;
        let target = Some(run.guild.as_str());
        Ok(act.note(tx, AuditAction::ImportFinished, target, detail).await?)
    }
}

/// Counts what became of the rows, and tells which of them are refused and why.
fn count(
    tally: &mut Tally,
    import: &Import,
    rows: &[OpenRow],
    known: &[bool],
    report: &ImportReport,
) -> Vec<(i64, String)> {
    let (links, history) = import.count_added(report);
    tally.links += links;
    tally.history += history;
    tally.boosters += report.boosters as i64;
    tally.groups += report.groups as i64;
    let mut outcomes = report.rows.iter();
    let mut refused = Vec::new();
    for (row, is_known) in rows.iter().zip(known) {
        let reason = match is_known.then(|| outcomes.next()).flatten() {
            Some(RowOutcome::Added) => continue,
            Some(RowOutcome::Known) => {
                tally.known += 1;
                continue;
            }
            Some(RowOutcome::Refused(reason)) => reason.as_str(),
            None => UNKNOWN_FORM,
        };
        let place = RowPlace {
            table: row.part.clone(),
            row: row.place,
            line: row.line,
        };
        tally.refuse(reason, place);
        refused.push((row.row_no, reason.to_owned()));
    }
    refused
}
