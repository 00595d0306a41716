//! The registry of what needs a person's attention: for the people of an Org, and for operators. A capability that has
//! something to tell adds a line here and a function that tells it in its own area.

use storage::{OperatorScope, OrgScope};

use crate::error::AppError;
use crate::notice::Notice;
use crate::state::App;
use crate::tenancy::overview::Overview;
use crate::{identity, instance, keys, records, tenancy};

/// What the people of an Org should look at, the worst first.
pub async fn of_org(app: &App, scope: OrgScope, seen: &Overview) -> Result<Vec<Notice>, AppError> {
    let told = [
        tenancy::attention::plan(seen),
        tenancy::attention::guilds(seen),
        tenancy::attention::servers(seen, app.now_ms()),
        keys::attention::of_org(app, scope).await?,
    ];
    Ok(worst_first(told))
}

/// What operators should look at, the worst first.
pub async fn for_operators(app: &App, operator: OperatorScope) -> Result<Vec<Notice>, AppError> {
    let told = [
        records::attention::failures(app, operator).await?,
        instance::attention(app).await?,
        records::attention::losses(app),
        identity::attention::operators(app).await?,
    ];
    Ok(worst_first(told))
}

fn worst_first<const SOURCES: usize>(told: [Vec<Notice>; SOURCES]) -> Vec<Notice> {
    let mut notices: Vec<Notice> = told.into_iter().flatten().collect();
    notices.sort_by_key(|notice| notice.severity);
    notices
}
