//! The first page of an Org.

use app::tenancy::overview;
use app::{App, attention};
use domain::id::GuildId;
use domain::permission::Permission;
use serde::Serialize;
use utoipa::ToSchema;

use crate::attention::Attention;
use crate::extract::{Authorized, perm};
use crate::openapi::words;
use crate::routes::{Answer, Found};
use crate::tenancy::guilds::GuildView;
use crate::tenancy::orgs::Usage;
use crate::tenancy::servers::ServerView;

#[derive(Serialize, ToSchema)]
pub struct Overview {
    #[schema(value_type = words::Tier)]
    tier: &'static str,
    usage: Usage,
    ceilings: Usage,
    guilds: Vec<GuildView>,
    servers: Vec<ServerView>,
    /// Nothing for members who may not see links.
    recent: Option<Vec<RecentLink>>,
    attention: Vec<Attention>,
}

#[derive(Serialize, ToSchema)]
pub struct RecentLink {
    at_ms: i64,
    /// False when a link ended; the cause says why.
    linked: bool,
    cause: Option<String>,
    #[schema(value_type = String)]
    guild_id: GuildId,
    discord_id: String,
    discord_name: Option<String>,
    steam_id: String,
    steam_name: Option<String>,
    country: Option<String>,
}

impl From<overview::RecentLink> for RecentLink {
    fn from(link: overview::RecentLink) -> Self {
        Self {
            at_ms: link.at_ms,
            linked: link.linked,
            cause: link.cause,
            guild_id: link.guild_id,
            discord_id: link.discord_id,
            discord_name: link.discord_name,
            steam_id: link.steam_id,
            steam_name: link.steam_name,
            country: link.country,
        }
    }
}

pub async fn get(app: App, caller: Authorized<perm::ServersView>, (): ()) -> Answer<Found<Overview>> {
    let seen = overview::get(&app, caller.scope).await?;
    let attention = attention::of_org(&app, caller.scope, &seen, caller.permissions).await?;
    let sees_links = caller.permissions.contains(Permission::LinksView);
    let recent = seen.recent.into_iter().map(RecentLink::from);
    let attention = attention
        .into_iter()
        .map(|notice| Attention::of(notice, Some(&seen.org.id)));
    let attention = attention.collect();
    let servers = seen
        .servers
        .into_iter()
        .map(|server| ServerView::of(&app, server));
    Ok(Found(Overview {
        tier: seen.org.tier.as_str(),
        usage: Usage::of(&seen.org, seen.navigation_links),
        ceilings: app.plans.ceilings(seen.org.tier).into(),
        guilds: seen.guilds.into_iter().map(GuildView::from).collect(),
        servers: servers.collect(),
        recent: sees_links.then(|| recent.collect()),
        attention,
    }))
}
