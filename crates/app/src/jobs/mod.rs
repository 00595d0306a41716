//! The engine that does jobs: it takes lanes, keeps them while their jobs are done, tries again what failed and gives up
//! what is over. What a kind of job does is not known here; the engine is given a [`Worker`].

mod carry;
mod engine;
mod metered;
pub mod operate;
mod units;

use std::sync::Arc;
use std::time::Duration;

use domain::job::{Job, JobKind};
use futures_util::future::BoxFuture;
use storage::OrgScope;
pub use storage::jobs::Held;

pub use carry::carry;
pub use engine::{Engine, Pace};

use crate::error::AppError;
use crate::state::App;

/// A job whose turn it is.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// For units of work that write down how far they got: whoever lost the lane must not.
    pub held: Held,
    /// What is to be done, by our own ids.
    pub job: Job,
    /// None for a job of the instance.
    pub org: Option<OrgScope>,
    /// Where long work goes on.
    pub cursor: Option<String>,
    /// How much of `total` the steps before this one wrote down as done.
    pub done: i64,
    /// More may be added to it while the job waits.
    pub total: i64,
}

/// How a step of a job ended. A failure of ours is no outcome: it is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its row goes, unless there is more of it by now.
    Done,
    /// It got on and wrote down how far; there is more to do.
    Again,
    /// To be tried again, not before the other side wants to be asked.
    Retry {
        /// What the other side asked for; none leaves it to the engine, which waits longer each time.
        after: Option<Duration>,
        /// For operators, who see why a job waits.
        code: &'static str,
    },
    /// It was not tried, because it is not its turn on the other side; that is no failure.
    Later {
        /// When it will be.
        after: Duration,
    },
    /// It gave its lane back by itself.
    Away,
    /// It will never work.
    Drop {
        /// Logged with the job, which is gone then.
        code: &'static str,
    },
    /// Somebody else has the lane.
    Lost,
}

/// Counts jobs that a step took off its lane by itself, by their kinds.
pub(crate) fn count_gone(app: &App, kinds: &[String], is_done: bool) {
    let became = if is_done {
        metered::JobEnd::Done
    } else {
        metered::JobEnd::Dropped
    };
    for kind in kinds {
        metered::count(app, JobKind::parse(kind), became);
    }
}

/// Does one step of a job. It may be dropped at any await, and may run twice; neither may do harm.
pub type Worker = Arc<dyn Fn(App, Claimed) -> BoxFuture<'static, Result<Outcome, AppError>> + Send + Sync>;

/// Drops what is over and tells how much waits.
pub async fn keep(app: &App) -> Result<(), AppError> {
    units::purge(app).await?;
    metered::measure(app).await
}
