//! An Org's own settings.

use app::identity::sessions;
use app::tenancy::navigation;
use app::tenancy::orgs::{self, Org, OrgChange};
use app::{App, AppError};
use domain::id::OrgId;
use domain::plan::Ceilings;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, perm};
use crate::fields::{confirmed, display_name};
use crate::openapi::words;
use crate::routes::{Answer, Done, Found};

#[derive(Serialize, ToSchema)]
pub struct OrgView {
    #[schema(value_type = String)]
    id: OrgId,
    slug: String,
    name: String,
    #[schema(value_type = words::Tier)]
    tier: &'static str,
    refuse_query_keys: bool,
    /// One more with every save of the settings.
    revision: i64,
    usage: Usage,
    ceilings: Usage,
}

/// How much there is, and how much the plan allows.
#[derive(Serialize, ToSchema)]
pub struct Usage {
    pub guilds: i64,
    pub servers: i64,
    pub links: i64,
    pub navigation_links: i64,
}

impl Usage {
    pub fn of(org: &Org, navigation_links: i64) -> Self {
        Self {
            guilds: org.guilds,
            servers: org.servers,
            links: org.links,
            navigation_links,
        }
    }
}

impl From<Ceilings> for Usage {
    fn from(ceilings: Ceilings) -> Self {
        Self {
            guilds: ceilings.guilds,
            servers: ceilings.servers,
            links: ceilings.links,
            navigation_links: ceilings.navigation_links,
        }
    }
}

impl OrgView {
    fn of(app: &App, org: Org, navigation_links: i64) -> Self {
        Self {
            usage: Usage::of(&org, navigation_links),
            id: org.id,
            slug: org.slug,
            name: org.name,
            tier: org.tier.as_str(),
            refuse_query_keys: org.refuse_query_keys,
            revision: org.revision,
            ceilings: app.plans.ceilings(org.tier).into(),
        }
    }
}

/// What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[schema(as = OrgChange)]
#[serde(deny_unknown_fields)]
pub struct Change {
    #[schema(min_length = 1, max_length = 64)]
    name: Option<String>,
    refuse_query_keys: Option<bool>,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

pub async fn get(app: App, caller: Authorized<perm::OrgSettings>, (): ()) -> Answer<Found<OrgView>> {
    let org = orgs::get_own(&app, caller.scope).await?;
    let navigation_links = navigation::count(&app, caller.scope).await?;
    Ok(Found(OrgView::of(&app, org, navigation_links)))
}

pub async fn change(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    JsonBody(change): JsonBody<Change>,
) -> Answer<Done> {
    let name: Option<Result<_, AppError>> = change.name.as_deref().map(display_name);
    let change = OrgChange {
        name: name.transpose()?,
        refuse_query_keys: change.refuse_query_keys,
        revision: change.revision,
    };
    orgs::change(&app, caller.scope, change, caller.actor).await?;
    Ok(Done)
}

/// The short name of what is removed, typed by hand.
#[derive(Deserialize, ToSchema)]
#[schema(as = OrgRemoval)]
#[serde(deny_unknown_fields)]
pub struct Removal {
    #[schema(min_length = 3, max_length = 40, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")]
    confirm: String,
}

pub async fn remove(
    app: App,
    caller: Authorized<perm::OwnerOfSettings>,
    JsonBody(removal): JsonBody<Removal>,
) -> Answer<Done> {
    sessions::require_fresh(&app, caller.signed_in_at_ms)?;
    confirmed(&app, caller.scope, &removal.confirm).await?;
    orgs::remove(&app, caller.scope, caller.team_actor()).await?;
    Ok(Done)
}
