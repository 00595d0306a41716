//! The accounts that hang together with somebody's.

use app::App;
use app::players::accounts::{self, AccountGraph};
use domain::platform_id::EitherId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, Segments, perm};
use crate::routes::{Answer, Found};

/// Accounts of both platforms, and the links that join them.
#[derive(Serialize, ToSchema)]
pub struct UserGraph {
    /// The one that was asked for comes first; at most 400.
    accounts: Vec<GraphAccount>,
    /// At most 1,000.
    links: Vec<GraphLink>,
    /// There are more than are listed.
    cut: bool,
}

#[derive(Serialize, ToSchema)]
struct GraphAccount {
    /// On Steam; else on Discord.
    steam: bool,
    /// Nothing for an account whose owner had it erased.
    id: Option<String>,
    name: Option<String>,
    /// It has an active link.
    active: bool,
}

#[derive(Serialize, ToSchema)]
struct GraphLink {
    /// Places in the list of accounts.
    discord: usize,
    steam: usize,
    guild_name: String,
    linked_at_ms: i64,
    ended_at_ms: Option<i64>,
    cause: Option<String>,
}

impl From<AccountGraph> for UserGraph {
    fn from(graph: AccountGraph) -> Self {
        let accounts = graph.accounts.into_iter().map(|account| GraphAccount {
            steam: account.is_steam,
            id: account.id,
            name: account.name,
            active: account.is_active,
        });
        let links = graph.links.into_iter().map(|joined| GraphLink {
            discord: joined.discord,
            steam: joined.steam,
            guild_name: joined.edge.guild_name,
            linked_at_ms: joined.edge.linked_at_ms,
            ended_at_ms: joined.edge.ended_at_ms,
            cause: joined.edge.end_cause,
        });
        Self {
            accounts: accounts.collect(),
            links: links.collect(),
            cut: graph.is_cut,
        }
    }
}

pub async fn get(
    app: App,
    caller: Authorized<perm::LinksView>,
    Segments(key): Segments<EitherId>,
) -> Answer<Found<UserGraph>> {
    Ok(Found(
        accounts::graph(&app, caller.scope, &key, caller.actor)
            .await?
            .into(),
    ))
}
