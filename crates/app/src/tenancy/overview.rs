//! What an Org's people see first: how much there is, what happened lately, and what needs somebody.

use domain::plan::Dimension;
use storage::OrgScope;
use storage::keys::{custom_keys, plugin_keys};
use storage::records::audit;
pub use storage::records::audit::RecentLink;
use storage::tenancy::{guilds, navigation, orgs, servers};

use crate::error::AppError;
use crate::state::App;
use crate::tenancy::guilds::Guild;
use crate::tenancy::orgs::Org;
use crate::tenancy::servers::Server;

const RECENT: i64 = 10;
const DAY_MS: i64 = 24 * 60 * 60_000;

pub struct Overview {
    pub org: Org,
    pub navigation_links: i64,
    pub guilds: Vec<Guild>,
    pub servers: Vec<Server>,
    pub recent: Vec<RecentLink>,
    pub attention: Vec<Attention>,
}

/// Something that somebody should look at, and what it is about: an id of ours or a dimension of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attention {
    pub kind: &'static str,
    pub subject: Option<String>,
}

impl Attention {
    fn of(kind: &'static str, subject: impl Into<String>) -> Self {
        Self {
            kind,
            subject: Some(subject.into()),
        }
    }
}

pub async fn get(app: &App, scope: OrgScope) -> Result<Overview, AppError> {
    let org = orgs::get(&app.db, scope).await?.ok_or(AppError::NotFound)?;
    let mut overview = Overview {
        navigation_links: navigation::count(&app.db, scope).await?,
        guilds: guilds::list(&app.db, scope).await?,
        servers: servers::list(&app.db, scope).await?,
        recent: audit::list_recent_links(&app.db, scope, RECENT).await?,
        attention: Vec::new(),
        org,
    };
    overview.attention = attention(&overview, app.now_ms());
    for key in custom_keys::list(&app.db, scope).await? {
        if key.query_calls > 0 && key.revoked_at_ms.is_none() {
            let found = Attention::of("query_keys", key.id.as_str());
            overview.attention.push(found);
        }
    }
    for key in plugin_keys::list_retired_in_use(&app.db, scope).await? {
        overview.attention.push(Attention::of("retired_key_used", key));
    }
    Ok(overview)
}

fn attention(seen: &Overview, now_ms: i64) -> Vec<Attention> {
    let mut found = Vec::new();
    let (org, ceilings) = (&seen.org, seen.org.tier.ceilings());
    let usage = [
        (Dimension::Guilds, org.guilds),
        (Dimension::Servers, org.servers),
        (Dimension::Links, org.links),
        (Dimension::NavigationLinks, seen.navigation_links),
    ];
    let over = usage
        .iter()
        .filter(|(dimension, count)| *count > ceilings.of(*dimension));
    found.extend(over.map(|(dimension, _)| Attention::of("over_limit", dimension.as_str())));
    if seen.guilds.is_empty() {
        found.push(Attention {
            kind: "no_guild",
            subject: None,
        });
    }
    for guild in &seen.guilds {
        if !seen.servers.iter().any(|server| server.guild == guild.num) {
            found.push(Attention::of("no_server", guild.id.as_str()));
        }
        if guild.log_channel_id.is_none() {
            found.push(Attention::of("no_log_channel", guild.id.as_str()));
        }
    }
    for server in &seen.servers {
        let kind = match server.key.last_used_at_ms {
            _ if !server.active => Some("inactive"),
            _ if server.key.revoked_at_ms.is_some() => Some("key_revoked"),
            None => Some("never_called"),
            Some(last) if last < now_ms - DAY_MS => Some("silent"),
            Some(_) => None,
        };
        found.extend(kind.map(|kind| Attention::of(kind, server.id.as_str())));
        if server.key.query_calls > 0 {
            found.push(Attention::of("query_keys", server.id.as_str()));
        }
    }
    found
}
