//! `getServerConfig`: what a game server needs to know about itself.

use std::collections::BTreeMap;

use domain::steam_group::GroupId;
use serde::Serialize;
use storage::roles::mappings;
use storage::tenancy::server_config;

use crate::error::{AppError, RequestError};
use crate::plugin::{Call, Reply};

#[derive(Serialize)]
struct Config {
    /// Where players link.
    link_url: String,
    groups: GroupNames,
    /// From group to the Discord roles that rules tie it to.
    group_roles: BTreeMap<String, Vec<String>>,
    steam_group: Option<SteamGroup>,
    poll_seconds: i64,
}

/// Permission groups on the game server, by what puts a player into them.
#[derive(Serialize)]
struct GroupNames {
    linked: String,
    booster: String,
    steam_group: String,
}

/// Both ids of a Steam group are text: the long one does not fit a JSON number.
#[derive(Serialize)]
struct SteamGroup {
    id: String,
    long_id: String,
    url: String,
}

impl From<GroupId> for SteamGroup {
    fn from(group: GroupId) -> Self {
        let long_id = group.long().to_string();
        Self {
            id: group.to_string(),
            url: ["https://steamcommunity.com/gid/", &long_id].concat(),
            long_id,
        }
    }
}

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let found = server_config::find(&call.app.db, call.server()?).await?;
    let config = found.ok_or(RequestError::NotFound)?;
    let mut group_roles: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (group, role) in mappings::list_pairs(&call.app.db, call.server()?).await? {
        group_roles.entry(group).or_default().push(role);
    }
    Reply::of(&Config {
        link_url: [&call.app.public_url, "/link/", &config.guild_slug].concat(),
        groups: GroupNames {
            linked: config.linked_group,
            booster: config.booster_group,
            steam_group: config.steam_members_group,
        },
        group_roles,
        steam_group: config.steam_group.map(SteamGroup::from),
        poll_seconds: config.poll_seconds,
    })
}
