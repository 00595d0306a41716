//! What the public pages of a Guild show and ask for.

use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::platform_id::DiscordId;
use domain::steam_group::GroupId;

use crate::columns::group_id;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    BY_SLUG: LinkPage = "
        SELECT {columns}
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE g.slug = $1 AND g.removed_at IS NULL AND o.removed_at IS NULL";
    BY_NUM: LinkPage = "
        SELECT {columns}
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE g.num = $2 AND g.org_num = $1 AND g.removed_at IS NULL AND o.removed_at IS NULL";
}

/// A Guild as a player meets it.
#[derive(Debug, Clone)]
pub struct LinkPage {
    pub scope: OrgScope,
    pub guild: GuildNum,
    pub guild_id: GuildId,
    pub slug: String,
    pub name: String,
    pub org_name: String,
    pub discord_guild_id: DiscordId,
    pub join_mode: JoinMode,
    pub invite_url: Option<String>,
    pub relink_cooldown_ms: i64,
    /// What somebody pasted, and the number it stands for.
    pub steam_group: Option<(String, GroupId)>,
}

impl FromRow for LinkPage {
    const COLUMNS: &'static str = "\
        g.org_num, g.num, g.id, g.slug, g.name, o.name, g.discord_guild_id, g.join_mode, g.invite_url, \
        g.relink_cooldown_ms, g.steam_group, g.steam_group_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            guild: GuildNum(row.int(1)?),
            guild_id: row.parse(2, GuildId::parse)?,
            slug: row.text(3)?,
            name: row.text(4)?,
            org_name: row.text(5)?,
            discord_guild_id: row.parse(6, DiscordId::parse)?,
            join_mode: row.parse(7, |text| JoinMode::parse(text).ok_or("unknown join mode"))?,
            invite_url: row.opt_text(8)?,
            relink_cooldown_ms: row.int(9)?,
            steam_group: match (row.opt_text(10)?, row.opt_int(11)?) {
                (Some(pasted), Some(number)) => Some((pasted, group_id(number)?)),
                (_, _) => None,
            },
        })
    }
}

pub async fn find(db: &Db, slug: &str) -> Result<Option<LinkPage>, DbError> {
    db.find(&BY_SLUG, params![slug]).await
}

pub async fn find_by_num(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Option<LinkPage>, DbError> {
    db.find(&BY_NUM, params![scope.num(), guild]).await
}
