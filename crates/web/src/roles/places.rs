//! Where an organisation has rules.

use app::App;
use app::roles::places::{self, RolePlace};
use domain::id::{GuildId, ServerId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, perm};
use crate::routes::{Answer, Found};

/// The Guilds of an organisation, and the rules of their Servers.
#[derive(Serialize, ToSchema)]
pub struct RolePlaces {
    guilds: Vec<RoleGuild>,
}

#[derive(Serialize, ToSchema)]
struct RoleGuild {
    #[schema(value_type = String)]
    id: GuildId,
    name: String,
    servers: Vec<RoleServer>,
}

#[derive(Serialize, ToSchema)]
struct RoleServer {
    #[schema(value_type = String)]
    id: ServerId,
    name: String,
    active: bool,
    /// How many it has.
    rules: i64,
}

impl From<RolePlace> for RoleGuild {
    fn from(place: RolePlace) -> Self {
        let servers = place.servers.into_iter().map(|server| RoleServer {
            id: server.id,
            name: server.name,
            active: server.is_active,
            rules: server.rules,
        });
        Self {
            servers: servers.collect(),
            id: place.id,
            name: place.name,
        }
    }
}

pub async fn list(app: App, caller: Authorized<perm::ServersRoles>, (): ()) -> Answer<Found<RolePlaces>> {
    let found = places::list(&app, caller.scope).await?;
    Ok(Found(RolePlaces {
        guilds: found.into_iter().map(RoleGuild::from).collect(),
    }))
}
