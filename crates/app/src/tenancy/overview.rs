//! What an Org's people see first: how much there is and what happened lately.

use storage::OrgScope;
use storage::records::audit;
pub use storage::records::audit::RecentLink;
use storage::tenancy::{guilds, navigation, orgs, servers};

use crate::error::{AppError, RequestError};
use crate::state::App;
use crate::tenancy::guilds::Guild;
use crate::tenancy::orgs::Org;
use crate::tenancy::servers::Server;

const RECENT: i64 = 10;

/// Read by several statements: the parts need not be of the same moment.
pub struct Overview {
    /// With its plan and counters.
    pub org: Org,
    /// How many there are.
    pub navigation_links: i64,
    /// Those that were not removed.
    pub guilds: Vec<Guild>,
    /// Of all Guilds, with when their keys were used.
    pub servers: Vec<Server>,
    /// The newest links and unlinks, from the audit log.
    pub recent: Vec<RecentLink>,
}

/// What needs attention is asked for beside it, by `attention`.
pub async fn get(app: &App, scope: OrgScope) -> Result<Overview, AppError> {
    Ok(Overview {
        org: orgs::get(&app.db, scope).await?.ok_or(RequestError::NotFound)?,
        navigation_links: navigation::count(&app.db, scope).await?,
        guilds: guilds::list(&app.db, scope).await?,
        servers: servers::list(&app.db, scope).await?,
        recent: audit::list_recent_links(&app.db, scope, RECENT).await?,
    })
}
