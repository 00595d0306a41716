//! Telling operators of failures that nobody handled, in a channel of theirs. What goes wrong here is counted and
//! logged, and never told: a sink that is down must not lead to alerts about itself.

use domain::alert::{self, Budget, Told, Verdict};
use domain::job::backoff_ms;
use domain::random::bytes;
use domain::release::VERSION;
use platform::Unanswered;
use platform::discord::AlertSink;
use serde_json::Value;
use storage::records::alerts::{self, Due, Happened};
use storage::{NoOrg, Tx, Work};

use crate::error::{AppError, ServiceError};
pub use crate::memories::alerts::{AlertEnd, Place};
use crate::state::App;

/// Stands for all that are held back.
const TOO_MANY: &str = "TOO_MANY_ALERTS";
/// How long a node has for sending one before another tries.
const CLAIMED_MS: i64 = 60_000;
/// Sent in one round; what is left waits for the next.
const AT_ONCE: usize = 25;
/// Rows of what did not happen for so long are forgotten.
const KEPT_MS: i64 = 24 * 60 * 60_000;

/// A failure that nobody handled. It costs a short lock, and nothing where operators are not told.
pub fn note(app: &App, code: &'static str, place: Place, request_id: Option<&str>) {
    if app.platforms.alerts.is_some() {
        app.memories.alerts.note(code, place, request_id);
    }
}

/// The same for an error, if it is one of those.
pub fn note_error(app: &App, error: &AppError, place: Place, request_id: Option<&str>) {
    if error.status() == 500 {
        note(app, error.code(), place, request_id);
    }
}

/// Decides on what failed since the last time, and sends what is due.
pub async fn flush(app: &App) {
    let Some(sink) = &app.platforms.alerts else {
        return;
    };
    for (task, count) in app.tasks.drain_panics() {
        for _ in 0..count {
            app.memories.alerts.note("PANICKED", Place::Task(task), None);
        }
    }
    decide(app).await;
    for _ in 0..AT_ONCE {
        match send_next(app, sink).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(error = %error.internal_detail(), "alerts wait for the database");
                return;
            }
        }
    }
}

/// Forgets what did not happen for a day.
pub(crate) async fn purge(app: &App) -> Result<(), AppError> {
    let before_ms = app.now_ms() - KEPT_MS;
    while app.db.write(Purge { before_ms }).await? >= 500 {}
    Ok(())
}

async fn decide(app: &App) {
    let memory = &app.memories.alerts;
    let drained = memory.drain();
    if drained.is_empty() {
        return;
    }
    let happened = drained.iter().map(|((code, place), waiting)| Happened {
        code,
        place: place.to_string(),
        count: waiting.count,
        request_id: waiting.request_id.clone(),
    });
    let decide = Decide {
        happened: happened.collect(),
        now_ms: app.now_ms(),
    };
    match app.db.write(decide).await {
        Ok(became) => {
            for (end, count) in became {
                memory.count(end, count);
            }
        }
        Err(error) => {
            tracing::warn!(error = %error.internal_detail(), "alerts wait for the database");
            // What may have been stored is not counted twice.
            if !matches!(error, AppError::Service(ServiceError::OutcomeUnknown(_))) {
                memory.restore(drained);
            }
        }
    }
}

struct Decide {
    happened: Vec<Happened>,
    now_ms: i64,
}

impl Work for Decide {
    type For = NoOrg;
    type Output = Vec<(AlertEnd, u64)>;
    type Error = AppError;
    const NAME: &'static str = "decide_alerts";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Vec<(AlertEnd, u64)>, AppError> {
        let now_ms = self.now_ms;
        let mut spent = alerts::lock_budget(tx).await?;
        let mut budget = Budget::restore(&spent.told, spent.open_until_ms);
        let mut became = Vec::new();
        for happened in &self.happened {
            let told_ms = alerts::note(tx, happened, now_ms).await?;
            let count = happened.count.unsigned_abs();
            if alert::is_quiet(told_ms, now_ms) {
                became.push((AlertEnd::Repeated, count));
                continue;
            }
            match budget.ask(now_ms) {
                Verdict::Tell => {
                    spent.number += 1;
                    alerts::tell(tx, happened, spent.number, now_ms).await?;
                    became.push((AlertEnd::Repeated, count - 1));
                }
                Verdict::Open { .. } => {
                    spent.number += 1;
                    let notice = Happened {
                        code: TOO_MANY,
                        place: String::new(),
                        count: 1,
                        request_id: None,
                    };
                    alerts::note(tx, &notice, now_ms).await?;
                    alerts::tell(tx, &notice, spent.number, now_ms).await?;
                    became.push((AlertEnd::Held, count));
                }
                Verdict::Hold => became.push((AlertEnd::Held, count)),
            }
        }
        spent.told = budget.told();
        spent.open_until_ms = budget.open_until_ms();
        alerts::spend(tx, &spent).await?;
        Ok(became)
    }
}

/// Sends the message that has waited longest. False when none is due.
async fn send_next(app: &App, sink: &AlertSink) -> Result<bool, AppError> {
    let now_ms = app.now_ms();
    let Some(mut due) = alerts::find_due(&app.db, now_ms).await? else {
        return Ok(false);
    };
    if now_ms - due.told_at_ms >= alert::WORTH_MS {
        app.db.write(Settle { due, again_ms: None }).await?;
        app.memories.alerts.count(AlertEnd::Expired, 1);
        return Ok(true);
    }
    let until_ms = now_ms + CLAIMED_MS;
    let claim = Claim {
        due: due.clone(),
        until_ms,
    };
    if !app.db.write(claim).await? {
        return Ok(true);
    }
    due.due_at_ms = until_ms;
    let sent = post(app, sink, &due).await;
    let memory = &app.memories.alerts;
    memory.set_trouble(sent.err().map(Unanswered::kind));
    let again_ms = match sent {
        Ok(()) => {
            memory.count(AlertEnd::Sent, 1);
            None
        }
        Err(cause) => {
            memory.count(AlertEnd::Failed, 1);
            let [dice] = bytes::<1>(&*app.random);
            Some(app.now_ms() + backoff_ms(due.attempts, dice, cause.retry_after_ms()))
        }
    };
    app.db.write(Settle { due, again_ms }).await?;
    // The others would fail as this one did.
    Ok(sent.is_ok())
}

async fn post(app: &App, sink: &AlertSink, due: &Due) -> Result<(), Unanswered> {
    let message = message(app, due);
    match sink {
        AlertSink::Webhook(webhook) => webhook.post(&message).await,
        AlertSink::Channel(channel) => match &app.platforms.discord_bot {
            Some(bot) => Ok(bot.post_alert(channel, message, due.number).await?),
            None => Err(Unanswered::Refused),
        },
    }
}

fn message(app: &App, due: &Due) -> Value {
    let log_url = [&app.public_url, "/app/admin/errors"].concat();
    if due.code == TOO_MANY {
        let until_ms = due.told_at_ms + alert::HOUR_MS;
        return alert::held_back(until_ms, due.told_at_ms, VERSION, &log_url);
    }
    let told = Told {
        code: &due.code,
        place: &due.place,
        count: due.count,
        request_id: due.request_id.as_deref(),
        at_ms: due.told_at_ms,
        version: VERSION,
        log_url: &log_url,
    };
    told.message()
}

struct Claim {
    due: Due,
    until_ms: i64,
}

impl Work for Claim {
    type For = NoOrg;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "claim_alert";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<bool, AppError> {
        Ok(alerts::claim(tx, &self.due, self.until_ms).await?)
    }
}

/// Ends a message, or has it tried again.
struct Settle {
    due: Due,
    again_ms: Option<i64>,
}

impl Work for Settle {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "settle_alert";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        match self.again_ms {
            Some(again_ms) => Ok(alerts::put_off(tx, &self.due, again_ms).await?),
            None => Ok(alerts::end(tx, &self.due).await?),
        }
    }
}

struct Purge {
    before_ms: i64,
}

impl Work for Purge {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "purge_alerts";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        Ok(alerts::purge(tx, self.before_ms).await?)
    }
}
