//! What a game server is told about itself.

use domain::steam_group::GroupId;

use crate::columns::group_id;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::ServerNum;

statements! {
    FIND: ServerConfig = "
        SELECT {columns}
        FROM servers s
        JOIN guilds g ON g.num = s.guild_num
        WHERE s.num = $1 AND s.removed_at IS NULL";
}

/// Settings of a Server and of its Guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// For the address that players are sent to.
    pub guild_slug: String,
    /// None where no group is asked for.
    pub steam_group: Option<GroupId>,
    /// Permission groups on the game server, by what puts a player into them.
    pub linked_group: String,
    /// The permission group of boosters.
    pub booster_group: String,
    /// The permission group of members of the Steam group.
    pub steam_members_group: String,
    /// How often the plugin asks.
    pub poll_seconds: i64,
}

impl FromRow for ServerConfig {
    const COLUMNS: &'static str = "\
        g.slug, g.steam_group_id, s.linked_group, s.booster_group, s.steam_members_group, s.poll_seconds";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            guild_slug: row.text(0)?,
            steam_group: row.opt_int(1)?.map(group_id).transpose()?,
            linked_group: row.text(2)?,
            booster_group: row.text(3)?,
            steam_members_group: row.text(4)?,
            poll_seconds: row.int(5)?,
        })
    }
}

/// What the plugin of a Server is told; none once it is deleted.
pub async fn find(db: &Db, server: ServerNum) -> Result<Option<ServerConfig>, DbError> {
    db.find(&FIND, params![server]).await
}
