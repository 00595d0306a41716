//! Where an Org has rules, for those who look after them.

use std::collections::HashMap;

use domain::id::{GuildId, ServerId};
use storage::OrgScope;
use storage::roles::mappings;

use crate::error::AppError;
use crate::state::App;
use crate::tenancy::{guilds, servers};

/// A Guild, and the Servers whose groups its roles can be tied to.
pub struct RolePlace {
    /// What programs name it by.
    pub id: GuildId,
    /// As people read it.
    pub name: String,
    /// Its Servers, in the order they were made.
    pub servers: Vec<RuledServer>,
}

/// A Server, and how many rules it has.
pub struct RuledServer {
    /// What programs name it by.
    pub id: ServerId,
    /// As people read it.
    pub name: String,
    /// A Server that is off keeps its rules.
    pub is_active: bool,
    /// How many it has.
    pub rules: i64,
}

/// All Guilds of an Org with their Servers.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<RolePlace>, AppError> {
    let counts = mappings::count_by_server(&app.db, scope).await?;
    let counts: HashMap<i64, i64> = counts
        .into_iter()
        .map(|(server, rules)| (server.0, rules))
        .collect();
    let mut of_guild: HashMap<i64, Vec<RuledServer>> = HashMap::new();
    for server in servers::list(app, scope).await? {
        of_guild.entry(server.guild.0).or_default().push(RuledServer {
            rules: counts.get(&server.num.0).copied().unwrap_or_default(),
            id: server.id,
            name: server.name,
            is_active: server.active,
        });
    }
    let guilds = guilds::list(app, scope).await?;
    let place = |guild: guilds::Guild| RolePlace {
        servers: of_guild.remove(&guild.num.0).unwrap_or_default(),
        id: guild.id,
        name: guild.name,
    };
    Ok(guilds.into_iter().map(place).collect())
}
