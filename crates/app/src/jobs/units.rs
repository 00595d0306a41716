//! What the engine writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::job::{JobKind, LaneKind};
use storage::jobs::{self, Claim, Grip, Held, Moment};
use storage::{NoOrg, Tx, Work};

use super::metered::{self, JobEnd};
use crate::error::AppError;
use crate::state::App;

/// Takes lanes that are due.
pub(super) struct Take {
    pub kind: LaneKind,
    pub owner: Arc<str>,
    pub limit: i64,
    pub moment: Moment,
}

impl Work for Take {
    type For = NoOrg;
    type Output = Vec<Claim>;
    type Error = AppError;
    const NAME: &'static str = "take_lanes";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Vec<Claim>, AppError> {
        Ok(jobs::claim(tx, self.kind, &self.owner, self.limit, self.moment).await?)
    }
}

/// Gives a lane back, behind those that wait already.
pub(super) struct Release {
    pub claim: Claim,
    pub moment: Moment,
}

impl Work for Release {
    type For = NoOrg;
    type Output = Grip;
    type Error = AppError;
    const NAME: &'static str = "release_lane";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Grip, AppError> {
        Ok(jobs::release(tx, &self.claim, self.moment).await?)
    }
}

/// Gives back what a process took that is gone.
pub(super) struct FreeAbandoned {
    pub kind: LaneKind,
    pub moment: Moment,
}

impl Work for FreeAbandoned {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "free_left_lanes";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        Ok(jobs::free_left(tx, self.kind, self.moment).await?)
    }
}

/// What happens to a held job.
pub(super) enum Fate {
    /// Done, as far as its total was known.
    Finish(i64),
    Drop,
    Retry {
        pause_ms: i64,
        code: &'static str,
    },
    /// To be tried when it is its turn.
    PutOff {
        pause_ms: i64,
    },
    Renew,
    /// It got on.
    GoOn,
}

pub(super) struct Settle {
    pub held: Held,
    pub fate: Fate,
    pub moment: Moment,
}

impl Work for Settle {
    type For = NoOrg;
    type Output = Grip;
    type Error = AppError;
    const NAME: &'static str = "settle_job";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Grip, AppError> {
        let (held, moment) = (&self.held, self.moment);
        Ok(match self.fate {
            Fate::Finish(seen) => jobs::finish(tx, held, seen).await?,
            Fate::Drop => jobs::drop_held(tx, held).await?,
            Fate::Retry { pause_ms, code } => jobs::retry(tx, held, pause_ms, code, moment).await?,
            Fate::PutOff { pause_ms } => jobs::put_off(tx, held, pause_ms, moment).await?,
            Fate::Renew => jobs::renew(tx, held, moment).await?,
            Fate::GoOn => jobs::forget_failures(tx, held).await?,
        })
    }
}

struct Purge {
    now_ms: i64,
}

impl Work for Purge {
    type For = NoOrg;
    type Output = BTreeMap<String, u64>;
    type Error = AppError;
    const NAME: &'static str = "purge_jobs";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Self::Output, AppError> {
        Ok(jobs::purge(tx, self.now_ms).await?)
    }
}

/// Drops jobs whose time is over and that nobody is at.
pub(super) async fn purge(app: &App) -> Result<(), AppError> {
    let now_ms = app.now_ms();
    loop {
        let purged = app.db.write(Purge { now_ms }).await?;
        if purged.is_empty() {
            return Ok(());
        }
        for (kind, times) in purged {
            metered::count_many(app, JobKind::parse(&kind), JobEnd::Dropped, times);
        }
    }
}
