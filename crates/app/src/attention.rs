//! The registry of what needs a person's attention: for the people of an Org, and for operators. A capability that has
//! something to tell adds a line here and a function that tells it in its own area. A line for the people of an Org
//! begins with the permission that shows them the same elsewhere: nobody learns more here than there.

use domain::permission::{Permission, PermissionSet};
use storage::{OperatorScope, OrgScope};

use crate::error::AppError;
use crate::notice::Notice;
use crate::state::App;
use crate::tenancy::overview::Overview;
use crate::{admin, bots, identity, instance, keys, records, roles, tenancy};

/// What somebody of an Org should look at, as far as they may see it, the worst first.
pub async fn of_org(
    app: &App,
    scope: OrgScope,
    seen: &Overview,
    held: PermissionSet,
) -> Result<Vec<Notice>, AppError> {
    use Permission::{AuditView, OrgSettings, ServersKeys, ServersRoles, ServersView};
    let told = [
        (ServersView, tenancy::attention::plan(&app.plans, seen)),
        (ServersView, tenancy::attention::guilds(seen)),
        (OrgSettings, tenancy::attention::log_channels(seen)),
        (
            OrgSettings,
            bots::notices::of_guilds(app, scope, &seen.guilds).await?,
        ),
        (
            ServersRoles,
            roles::attention::of_guilds(app, scope, &seen.guilds).await?,
        ),
        (ServersView, tenancy::attention::servers(seen, app.now_ms())),
        (ServersKeys, keys::attention::of_org(app, scope).await?),
        (AuditView, admin::visits::attention(app, scope).await?),
    ];
    let shown = told.into_iter().filter(|(needed, _)| held.contains(*needed));
    Ok(worst_first(shown.map(|(_, notices)| notices)))
}

/// What operators should look at, the worst first.
pub async fn for_operators(app: &App, operator: OperatorScope) -> Result<Vec<Notice>, AppError> {
    let told = [
        records::attention::failures(app, operator).await?,
        instance::attention(app).await?,
        records::attention::losses(app),
        identity::attention::operators(app).await?,
        bots::attention::for_operators(app).await?,
    ];
    Ok(worst_first(told))
}

fn worst_first(told: impl IntoIterator<Item = Vec<Notice>>) -> Vec<Notice> {
    let mut notices: Vec<Notice> = told.into_iter().flatten().collect();
    notices.sort_by_key(|notice| notice.severity);
    notices
}
