//! Work that runs by itself: writing down uses and failures, and clearing out what has expired.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use domain::dormancy::day_of;
use domain::quota::DailyQuota;
use futures_util::FutureExt;
use prometheus_client::metrics::counter::Counter;
use storage::bots::{interactions, log_batches};
use storage::identity::{blocklist, sessions, sign_ins};
use storage::keys::{plugin_keys, refusals as key_refusals};
use storage::linking::link_steps;
use storage::players::{daily_calls, player_seen, trust};
use storage::privacy::erased_members;
use storage::records::{error_log, idempotency};
use storage::roles::ledger;
use storage::{KeyNum, NoOrg, Tx, Work};
use tokio::sync::watch;

use crate::downloads::shelf;
use crate::error::{AppError, ServiceError};
use crate::keys::refusals;
use crate::linking;
use crate::memories::error_log::WriteGroups;
use crate::memories::gate::KeyUse;
pub use crate::players::seen::flush as flush_seen;
use crate::players::{cleanup_run, steam_calls, sweep};
use crate::records::alerts::{self, Place};
use crate::retention::Retention;
use crate::state::App;
use crate::tenancy::claims;
use crate::{billing, import, jobs, privacy, roles, webhooks, work};

const FLUSH_EVERY: Duration = Duration::from_secs(5);
const KEEP_EVERY: Duration = Duration::from_secs(1);
/// How long a build that was published elsewhere may take to be offered here.
const BUILDS_EVERY: Duration = Duration::from_secs(15);
const PURGE_EVERY: Duration = Duration::from_secs(60);
const HOUR_MS: i64 = 60 * 60_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// A Guild whose plugin is silent now and then looks back further than the longest rule.
const GUILD_DAYS_KEPT_MS: i64 = 1_100 * DAY_MS;
/// As long as Discord takes an answer to one.
const INTERACTIONS_KEPT_MS: i64 = 15 * 60_000;
const ERROR_GROUPS_KEPT: i64 = 100_000;
/// Rows written by one unit, so that others need not wait for a long one.
const SLICE: usize = 200;
/// The slice in which the statements remove rows.
const PURGED_AT_ONCE: u64 = 500;

/// Starts the tasks; they end when `stop` becomes true.
pub fn start(app: &App, stop: &watch::Receiver<bool>) {
    supervise(app, stop, "error_log", FLUSH_EVERY, |app| {
        Box::pin(async move { flush_errors(&app).await })
    });
    supervise(app, stop, "alerts", FLUSH_EVERY, |app| {
        Box::pin(async move {
            alerts::flush(&app).await;
            Ok(())
        })
    });
    supervise(app, stop, "discord_refusals", KEEP_EVERY, |app| {
        Box::pin(async move { app.platforms.keep().await })
    });
    supervise(app, stop, "plugin_builds", BUILDS_EVERY, |app| {
        Box::pin(async move { shelf::refresh(&app).await })
    });
    for (step, _) in HOUSEKEEPING {
        // Shown from the start, so that an alarm can be set on it before it is needed.
        drop(failures_of(app, step));
    }
    supervise(app, stop, "housekeeping", PURGE_EVERY, |app| {
        Box::pin(async move {
            // Each step has told of its own failure.
            drop(keep_house(&app).await);
            Ok(())
        })
    });
    let app_of_task = app.clone();
    // How much waits is told before the first round; what fails here is tried again by it.
    app.tasks
        .spawn(async move { drop(jobs::keep(&app_of_task).await) });
    work::start(app, stop);
}

fn supervise(
    app: &App,
    stop: &watch::Receiver<bool>,
    name: &'static str,
    every: Duration,
    step: fn(App) -> Step<'static>,
) {
    let (app_of_task, stop) = (app.clone(), stop.clone());
    app.tasks.supervise(name, move || {
        repeat(app_of_task.clone(), stop.clone(), name, every, step)
    });
}

type StepOf = fn(&App) -> Step<'_>;
type Step<'a> = Pin<Box<dyn Future<Output = Result<(), AppError>> + Send + 'a>>;

async fn repeat(
    app: App,
    mut stop: watch::Receiver<bool>,
    name: &'static str,
    every: Duration,
    step: fn(App) -> Step<'static>,
) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            _ = stop.wait_for(|stopped| *stopped) => return,
        }
        if let Err(error) = step(app.clone()).await {
            tracing::warn!(task = name, error = %error.internal_detail(), "background work failed and will be retried");
            alerts::note_error(&app, &error, Place::Task(name), None);
        }
    }
}

/// Writes the collected failures. They wait when the store is away.
pub async fn flush_errors(app: &App) -> Result<(), AppError> {
    let mut waiting = app.memories.errors.drain();
    while !waiting.is_empty() {
        let rest = waiting.split_off(waiting.len().min(SLICE));
        let groups = waiting.iter().map(|(_, group)| group.clone()).collect();
        match app.db.write(WriteGroups(groups)).await {
            Ok(()) => waiting = rest,
            Err(error) => {
                // What the store does not take at all would be in the way forever; it is in the process log.
                if !matches!(
                    error,
                    AppError::Service(ServiceError::StorageUnavailable(_) | ServiceError::Overloaded)
                ) {
                    waiting.clear();
                }
                waiting.extend(rest);
                app.memories.errors.restore(waiting);
                return Err(error);
            }
        }
    }
    Ok(())
}

/// The steps of housekeeping, by the names under which their failures are counted.
const HOUSEKEEPING: [(&str, StepOf); 34] = [
    ("last_uses", |app| Box::pin(flush_uses(app))),
    ("seen", |app| Box::pin(flush_seen(app))),
    ("refusals", |app| {
        Box::pin(app.memories.refusals.flush(&app.db, app.clock.steady_ms()))
    }),
    ("link_steps", |app| {
        Box::pin(app.memories.link_steps.flush(&app.db))
    }),
    ("plugins", |app| {
        Box::pin(app.memories.plugins.flush(&app.db, app.clock.steady_ms()))
    }),
    ("refused_calls", |app| {
        Box::pin(app.memories.refused_calls.flush(&app.db))
    }),
    ("steam_calls", |app| Box::pin(steam_calls::share(app))),
    ("flows", |app| Box::pin(linking::clear_expired(app))),
    ("sessions", |app| Box::pin(purge(app, Expired::Sessions))),
    ("jobs", |app| Box::pin(jobs::keep(app))),
    ("retired_keys", |app| Box::pin(purge(app, Expired::RetiredKeys))),
    ("error_log", |app| Box::pin(purge(app, Expired::Errors))),
    ("old_alerts", |app| Box::pin(alerts::purge(app))),
    ("sign_ins", |app| Box::pin(purge(app, Expired::SignIns))),
    ("blocks", |app| Box::pin(purge(app, Expired::Blocks))),
    ("daily_calls", |app| Box::pin(purge(app, Expired::DailyCalls))),
    ("old_link_steps", |app| Box::pin(purge(app, Expired::LinkSteps))),
    ("old_refused_calls", |app| {
        Box::pin(purge(app, Expired::RefusedCalls))
    }),
    ("interactions", |app| Box::pin(purge(app, Expired::Interactions))),
    ("log_batches", |app| Box::pin(purge(app, Expired::LogBatches))),
    ("role_sweep", |app| Box::pin(roles::sweep(app))),
    ("imports", |app| Box::pin(import::runs::end_due(app))),
    ("people_sweep", |app| Box::pin(sweep::begin_due(app))),
    ("people_cleanup", |app| Box::pin(cleanup_run::begin_due(app))),
    ("old_guild_days", |app| Box::pin(purge(app, Expired::GuildDays))),
    ("role_ledger", |app| Box::pin(purge(app, Expired::RoleLedger))),
    ("old_trust", |app| Box::pin(purge(app, Expired::TrustPoints))),
    ("erased_members", |app| {
        Box::pin(purge(app, Expired::ErasedMembers))
    }),
    ("tombstones", |app| Box::pin(privacy::keep(app))),
    ("tiers", |app| Box::pin(billing::keep::derive_due(app))),
    ("payers", |app| Box::pin(billing::keep::ask_due(app))),
    ("old_billing", |app| Box::pin(billing::keep::forget(app))),
    ("webhooks", |app| Box::pin(webhooks::keep(app))),
    ("idempotency_keys", |app| {
        Box::pin(purge(app, Expired::IdempotencyKeys))
    }),
];

/// One round of housekeeping. Each step is on its own: one that fails is counted and tried again in the next round, and
/// the others are done all the same. Returns the first failure.
pub async fn keep_house(app: &App) -> Result<(), AppError> {
    let mut first = Ok(());
    for (name, step) in HOUSEKEEPING {
        let done = AssertUnwindSafe(step(app)).catch_unwind().await;
        let done = done.unwrap_or_else(|_| Err(AppError::internal(format!("{name} panicked"))));
        if let Err(error) = done {
            failures_of(app, name).inc();
            alerts::note_error(app, &error, Place::Task(name), None);
            tracing::warn!(step = name, error = %error.internal_detail(), "a housekeeping step failed and will be retried");
            first = first.and(Err(error));
        }
    }
    first
}

fn failures_of(app: &App, step: &'static str) -> Counter {
    app.memories.failed_steps.get_or_create_owned(&[("step", step)])
}

/// Writes down when keys were last used.
pub async fn flush_uses(app: &App) -> Result<(), AppError> {
    let uses = app.memories.gate.drain_uses();
    for (index, slice) in uses.chunks(SLICE).enumerate() {
        if let Err(error) = app.db.write(RecordUses(slice.to_vec())).await {
            // What may have been stored is not counted twice.
            let in_doubt = matches!(error, AppError::Service(ServiceError::OutcomeUnknown(_)));
            let unwritten = index + usize::from(in_doubt);
            app.memories
                .gate
                .restore_uses(uses.get(unwritten * SLICE..).unwrap_or_default());
            return Err(error);
        }
    }
    Ok(())
}

struct RecordUses(Vec<KeyUse>);

impl Work for RecordUses {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "record_key_uses";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for used in &self.0 {
            // Kept to the minute: finer would tell more about players than anyone needs.
            let minute = used.last_used_ms - used.last_used_ms.rem_euclid(60_000);
            plugin_keys::record_use(tx, KeyNum(used.key_num), minute, used.query_calls).await?;
        }
        let day_of_use = |used: &KeyUse| day_of(used.last_used_ms);
        for day in self.0.iter().map(day_of_use).collect::<BTreeSet<_>>() {
            let keys = self.0.iter().filter(|used| day_of_use(used) == day);
            player_seen::note_heard(tx, keys.map(|used| KeyNum(used.key_num)), day).await?;
        }
        Ok(())
    }
}

/// What is removed when its time is over.
#[derive(Clone, Copy)]
enum Expired {
    Sessions,
    RetiredKeys,
    Errors,
    SignIns,
    Blocks,
    DailyCalls,
    LinkSteps,
    GuildDays,
    RefusedCalls,
    IdempotencyKeys,
    Interactions,
    LogBatches,
    RoleLedger,
    TrustPoints,
    ErasedMembers,
}

/// Removes everything of a kind that has expired, in bounded slices.
async fn purge(app: &App, what: Expired) -> Result<(), AppError> {
    let now_ms = app.now_ms();
    let purge = || Purge {
        what,
        retention: app.retention,
        now_ms,
    };
    while app.db.write(purge()).await? >= PURGED_AT_ONCE {}
    Ok(())
}

struct Purge {
    what: Expired,
    retention: Retention,
    now_ms: i64,
}

impl Work for Purge {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "purge";

    /// How many rows went; the caller goes on while there may be more.
    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        let (now_ms, kept) = (self.now_ms, self.retention);
        let before_ms = |days: u32| now_ms - i64::from(days) * DAY_MS;
        Ok(match self.what {
            Expired::Sessions => sessions::purge(tx, now_ms).await?,
            Expired::RetiredKeys => plugin_keys::purge_retired(tx, before_ms(kept.retired_key_days)).await?,
            Expired::Errors => {
                let oldest_minute = before_ms(kept.error_log_days).div_euclid(60_000);
                error_log::purge(tx, oldest_minute, ERROR_GROUPS_KEPT).await?
            }
            Expired::Blocks => blocklist::purge(tx, now_ms).await?,
            Expired::SignIns => sign_ins::purge(tx, now_ms, now_ms - claims::MANAGED_MS).await?,
            Expired::DailyCalls => daily_calls::purge(tx, DailyQuota::day_of(now_ms) - 1).await?,
            Expired::LinkSteps => {
                link_steps::purge(tx, before_ms(kept.link_steps_days).div_euclid(HOUR_MS)).await?
            }
            Expired::GuildDays => {
                let oldest = day_of(now_ms - GUILD_DAYS_KEPT_MS);
                player_seen::forget_days(tx, oldest, PURGED_AT_ONCE as i64).await?
            }
            Expired::RefusedCalls => key_refusals::purge(tx, refusals::since_hour(now_ms)).await?,
            Expired::IdempotencyKeys => idempotency::purge(tx, now_ms).await?,
            Expired::Interactions => interactions::purge(tx, now_ms - INTERACTIONS_KEPT_MS).await?,
            Expired::LogBatches => log_batches::purge(tx, now_ms - DAY_MS).await?,
            Expired::RoleLedger => ledger::purge(tx, before_ms(kept.role_history_days)).await?,
            Expired::TrustPoints => trust::purge(tx, before_ms(kept.trust_history_days)).await?,
            Expired::ErasedMembers => erased_members::purge(tx, now_ms).await?,
        })
    }
}
