//! Changes of links, told to receivers that operators added, while the flag for it is on. What is to be sent is noted with
//! the change and sent by a job; each receiver has a lane of its own.

mod deliver;
pub(crate) mod events;
pub mod manage;

use domain::flag::Flag;
use domain::job::Job;
use domain::seal::Aad;
use domain::webhook::LIFETIME_MS;
use storage::webhooks::deliveries::Waiting;
use storage::webhooks::{deliveries, endpoints, signing_secrets};
use storage::{NoOrg, OrgScope, Tx, Work, jobs};

pub(crate) use deliver::step;

use crate::error::AppError;
use crate::flags;
use crate::state::App;

/// What was delivered or given up is shown for so long.
const KEPT_MS: i64 = 30 * 24 * 60 * 60_000;

/// Where the sealed copy of a secret lives; it opens nowhere else.
pub(crate) fn secret_place(id: &str) -> Aad<'_> {
    Aad {
        table: "webhook_secrets",
        column: "sealed",
        row: id,
        version: 1,
    }
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageEnd {
    /// A receiver took it.
    Delivered,
    /// It is tried again.
    Failed,
    /// It was given up.
    Dead,
    /// Its receiver is gone for good.
    Gone,
}

impl MessageEnd {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Delivered, Self::Failed, Self::Dead, Self::Gone];

    /// Its name in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Dead => "dead",
            Self::Gone => "gone",
        }
    }
}

fn count(app: &App, end: MessageEnd, times: u64) {
    let outcomes = &app.memories.webhooks;
    outcomes.get_or_create(&[("outcome", end.as_str())]).inc_by(times);
}

/// Gives up what has waited for too long, forgets what is over, and leaves a job to each receiver for which something is
/// due.
pub(crate) async fn keep(app: &App) -> Result<(), AppError> {
    let now_ms = app.now_ms();
    loop {
        let cleared = app.db.write(Clear { now_ms }).await?;
        count(app, MessageEnd::Dead, cleared.given_up);
        if !cleared.is_more {
            break;
        }
    }
    if app.platforms.webhooks.is_none() || !flags::is_on(app, Flag::Webhooks).await? {
        return Ok(());
    }
    let mut after = 0;
    loop {
        let slice = deliveries::list_waiting(&app.db, after, now_ms).await?;
        let Some(last) = slice.last() else {
            return Ok(());
        };
        after = last.num;
        for waiting in slice {
            let scope = waiting.scope;
            app.db.write_for(scope, Wake { waiting, now_ms }).await?;
        }
        app.bell.ring();
    }
}

struct Clear {
    now_ms: i64,
}

struct Cleared {
    given_up: u64,
    is_more: bool,
}

impl Work for Clear {
    type For = NoOrg;
    type Output = Cleared;
    type Error = AppError;
    const NAME: &'static str = "clear_webhooks";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Cleared, AppError> {
        let now_ms = self.now_ms;
        let given_up = deliveries::give_up(tx, now_ms - LIFETIME_MS, now_ms).await?;
        let purged = deliveries::purge(tx, now_ms - KEPT_MS).await?
            + deliveries::purge_removed(tx).await?
            + signing_secrets::purge(tx, now_ms).await?
            + endpoints::forget_removed(tx).await?;
        Ok(Cleared {
            given_up,
            is_more: given_up + purged > 0,
        })
    }
}

struct Wake {
    waiting: Waiting,
    now_ms: i64,
}

impl Work for Wake {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "wake_webhook";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        let webhook = self.waiting.id.clone();
        Ok(jobs::enqueue(tx, scope, &Job::SendWebhook { webhook }, self.now_ms).await?)
    }
}
