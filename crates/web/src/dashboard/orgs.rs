//! An Org's own settings.

use app::orgs::{self, Org, OrgChange};
use app::{App, AppError};
use domain::id::OrgId;
use domain::plan::Ceilings;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::display_name;
use crate::extract::{Authorized, JsonBody, perm};
use crate::routes::{Answer, Done, Found};

#[derive(Serialize, ToSchema)]
pub struct OrgView {
    #[schema(value_type = String)]
    id: OrgId,
    slug: String,
    name: String,
    tier: &'static str,
    refuse_query_keys: bool,
    usage: Usage,
    ceilings: Usage,
}

/// How much there is, and how much the plan allows.
#[derive(Serialize, ToSchema)]
pub struct Usage {
    guilds: i64,
    servers: i64,
    links: i64,
}

impl From<Ceilings> for Usage {
    fn from(ceilings: Ceilings) -> Self {
        Self {
            guilds: ceilings.guilds,
            servers: ceilings.servers,
            links: ceilings.links,
        }
    }
}

impl From<Org> for OrgView {
    fn from(org: Org) -> Self {
        Self {
            id: org.id,
            slug: org.slug,
            name: org.name,
            tier: org.tier.as_str(),
            refuse_query_keys: org.refuse_query_keys,
            usage: Usage {
                guilds: org.guilds,
                servers: org.servers,
                links: org.links,
            },
            ceilings: org.tier.ceilings().into(),
        }
    }
}

/// What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[schema(as = OrgChange)]
#[serde(deny_unknown_fields)]
pub struct Change {
    name: Option<String>,
    refuse_query_keys: Option<bool>,
}

pub async fn get(app: App, caller: Authorized<perm::OrgSettings>, (): ()) -> Answer<Found<OrgView>> {
    Ok(Found(orgs::get_own(&app, caller.scope).await?.into()))
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
    };
    orgs::change(&app, caller.scope, change, caller.actor).await?;
    Ok(Done)
}
