//! Work that runs by itself: writing down uses and failures, and clearing out what has expired.

use std::time::Duration;

use domain::quota::DailyQuota;
use storage::{KeyNum, Tx, Work, daily_calls, error_log, jobs, keys, sessions, settings, sign_ins};
use tokio::sync::watch;

use crate::claims;
use crate::error::AppError;
use crate::error_log::WriteGroups;
use crate::gate::KeyUse;
use crate::linking;
use crate::seen::WriteMarks;
use crate::state::App;
use crate::steam_calls;
use crate::versions;

const FLUSH_EVERY: Duration = Duration::from_secs(5);
const PURGE_EVERY: Duration = Duration::from_secs(60);
const DAY_MS: i64 = 24 * 60 * 60_000;
const RETIRED_KEPT_MS: i64 = 90 * DAY_MS;
const ERRORS_KEPT_MS: i64 = 30 * DAY_MS;
const ERROR_GROUPS_KEPT: i64 = 100_000;
const PROBE: &str = "write_probe";
/// Rows written by one unit, so that others need not wait for a long one.
const SLICE: usize = 200;

/// Starts the tasks; they end when `stop` becomes true.
pub fn start(app: &App, stop: &watch::Receiver<bool>) {
    supervise(app, stop, "error_log", FLUSH_EVERY, |app| {
        Box::pin(async move { flush_errors(&app).await })
    });
    supervise(app, stop, "housekeeping", PURGE_EVERY, |app| {
        Box::pin(async move { keep_house(&app).await })
    });
}

fn supervise(
    app: &App,
    stop: &watch::Receiver<bool>,
    name: &'static str,
    every: Duration,
    step: fn(App) -> Step,
) {
    let (app_of_task, stop) = (app.clone(), stop.clone());
    app.tasks.supervise(name, move || {
        repeat(app_of_task.clone(), stop.clone(), name, every, step)
    });
}

type Step = std::pin::Pin<Box<dyn Future<Output = Result<(), AppError>> + Send>>;

async fn repeat(
    app: App,
    mut stop: watch::Receiver<bool>,
    name: &'static str,
    every: Duration,
    step: fn(App) -> Step,
) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            _ = stop.wait_for(|stopped| *stopped) => return,
        }
        if let Err(error) = step(app.clone()).await {
            tracing::warn!(task = name, error = %error.internal_detail(), "background work failed and will be tried again");
        }
    }
}

/// Writes the collected failures. What cannot be written is in the process log all the same.
pub async fn flush_errors(app: &App) -> Result<(), AppError> {
    let mut groups = app.errors.drain();
    while !groups.is_empty() {
        let rest = groups.split_off(groups.len().min(SLICE));
        app.db
            .write(WriteGroups(std::mem::replace(&mut groups, rest)))
            .await?;
    }
    Ok(())
}

/// One round of housekeeping; each purge removes a bounded slice.
pub async fn keep_house(app: &App) -> Result<(), AppError> {
    flush_uses(app).await?;
    flush_seen(app).await?;
    versions::flush(app).await?;
    steam_calls::share(app).await?;
    let now_ms = app.now_ms();
    linking::clear_expired(app).await?;
    while app.db.write(Purge { now_ms }).await? >= 500 {}
    Ok(())
}

/// Writes down when keys were last used.
pub async fn flush_uses(app: &App) -> Result<(), AppError> {
    let uses = app.gate.drain_uses(app.now_ms());
    for (index, slice) in uses.chunks(SLICE).enumerate() {
        if let Err(error) = app.db.write(RecordUses(slice.to_vec())).await {
            app.gate.restore_uses(&uses[index * SLICE..]);
            return Err(error);
        }
    }
    Ok(())
}

/// Writes down who was seen where.
pub async fn flush_seen(app: &App) -> Result<(), AppError> {
    for slice in app.seen.drain(app.now_ms()).chunks(SLICE) {
        app.db.write(WriteMarks(slice.to_vec())).await?;
    }
    Ok(())
}

/// Whether writes go through. After a failed one it takes a real write to be believed again.
pub async fn probe(app: &App) -> Result<(), AppError> {
    settings::find(&app.db, PROBE).await?;
    if app.db.last_write_failed() {
        app.db.write(Probe { now_ms: app.now_ms() }).await?;
    }
    Ok(())
}

struct Probe {
    now_ms: i64,
}

impl Work for Probe {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "probe";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        Ok(settings::put(tx, PROBE, "ok", self.now_ms).await?)
    }
}

struct RecordUses(Vec<KeyUse>);

impl Work for RecordUses {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "record_key_uses";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        for used in &self.0 {
            // Kept to the minute: finer would tell more about players than anyone needs.
            let minute = used.last_used_ms - used.last_used_ms.rem_euclid(60_000);
            keys::record_use(tx, KeyNum(used.key_num), minute, used.query_calls).await?;
        }
        Ok(())
    }
}

struct Purge {
    now_ms: i64,
}

impl Work for Purge {
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "purge";

    /// The most rows that any one table lost; the caller goes on while a table may have more.
    async fn run(&self, tx: &mut Tx<'_>) -> Result<u64, AppError> {
        let sessions = sessions::purge(tx, self.now_ms).await?;
        let jobs = jobs::purge(tx, self.now_ms).await?;
        let retired = keys::purge_retired(tx, self.now_ms - RETIRED_KEPT_MS).await?;
        let errors = error_log::purge(
            tx,
            (self.now_ms - ERRORS_KEPT_MS).div_euclid(60_000),
            ERROR_GROUPS_KEPT,
        )
        .await?;
        let sign_ins = sign_ins::purge(tx, self.now_ms, self.now_ms - claims::MANAGED_MS).await?;
        let calls = daily_calls::purge(tx, DailyQuota::day_of(self.now_ms) - 1).await?;
        Ok(sessions
            .max(jobs)
            .max(retired)
            .max(errors)
            .max(calls)
            .max(sign_ins))
    }
}
