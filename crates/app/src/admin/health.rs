//! What operators see of the service itself: whether its logs are intact, jobs, and the bots that run.

use domain::id::OrgId;
use storage::OperatorScope;
pub use storage::admin::waiting_jobs::{JobFilter, KindCount};
use storage::admin::{search, waiting_jobs};
pub use storage::bots::processes::BotStatus;
pub use storage::bots::runners::Seen;
use storage::bots::{processes, runners};
pub use storage::jobs::{ListedJob, Waiting};
use storage::records::audit;
pub use storage::records::audit::Verified;

use crate::error::{AppError, RequestError};
use crate::state::App;

/// Recomputes the chain of an Org, or that of the operators.
pub async fn verify(app: &App, operator: OperatorScope, org: Option<&OrgId>) -> Result<Verified, AppError> {
    let scope = match org {
        Some(id) => {
            let found = search::find_org(&app.db, operator, id.as_str()).await?;
            Some(found.ok_or(RequestError::NotFound)?.scope)
        }
        None => None,
    };
    Ok(audit::verify(&app.db, operator, scope).await?)
}

/// Jobs that fit, with how many there are of each kind and in lanes of each kind.
pub struct Jobs {
    /// The oldest first.
    pub jobs: Vec<ListedJob>,
    /// Of all jobs.
    pub kinds: Vec<KindCount>,
    /// Of all jobs.
    pub lanes: Vec<Waiting>,
}

/// What waits to be done.
pub async fn jobs(
    app: &App,
    operator: OperatorScope,
    filter: &JobFilter,
    limit: i64,
) -> Result<Jobs, AppError> {
    Ok(Jobs {
        jobs: waiting_jobs::list(&app.db, operator, filter, limit).await?,
        kinds: waiting_jobs::count(&app.db, operator).await?,
        lanes: storage::jobs::count_waiting(&app.db).await?,
    })
}

/// All bots, with what is known of those that the service runs itself.
pub async fn bots(app: &App, _: OperatorScope) -> Result<Vec<(BotStatus, Option<Seen>)>, AppError> {
    let mut hosted = runners::list(&app.db).await?;
    let bots = processes::list(&app.db).await?;
    let paired = bots.into_iter().map(|bot| {
        let place = hosted
            .iter()
            .position(|one| one.bot_user_id.as_str() == bot.id.as_str());
        (bot, place.map(|place| hosted.swap_remove(place)))
    });
    Ok(paired.collect())
}
