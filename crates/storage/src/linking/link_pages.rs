//! What the public pages of a Guild show and ask for.

use domain::face::Accent;
use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::platform_id::DiscordId;
use domain::steam_group::GroupId;

use crate::columns::{self, group_id};
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
    /// The visitor is nobody yet, but what they write is this Org's.
    pub scope: OrgScope,
    /// Flows and links of the page belong to it.
    pub guild: GuildNum,
    /// Part of a flow's hash, so a flow is good for one Guild.
    pub guild_id: GuildId,
    /// The page's address.
    pub slug: String,
    /// Of the Guild, in the title.
    pub name: String,
    /// Who asks for the link.
    pub org_name: String,
    /// What its buttons and its tile are coloured with.
    pub accent: Accent,
    /// The digest of the Guild's picture.
    pub picture: Option<String>,
    /// Where membership is looked up.
    pub discord_guild_id: DiscordId,
    /// Whether joining is asked for, and how.
    pub join_mode: JoinMode,
    /// For those who join by themselves.
    pub invite_url: Option<String>,
    /// How long another account has to wait after an unlink; 0 is no wait.
    pub relink_cooldown_ms: i64,
    /// What somebody pasted, and the number it stands for.
    pub steam_group: Option<(String, GroupId)>,
}

impl FromRow for LinkPage {
    const COLUMNS: &'static str = "\
        g.org_num, g.num, g.id, g.slug, g.name, o.name, g.discord_guild_id, g.join_mode, g.invite_url, \
        g.relink_cooldown_ms, g.steam_group, g.steam_group_id, g.accent, \
        (SELECT digest FROM pictures WHERE owner = g.id)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            guild: GuildNum(row.int(1)?),
            guild_id: row.parse(2, GuildId::parse)?,
            slug: row.text(3)?,
            name: row.text(4)?,
            org_name: row.text(5)?,
            accent: columns::accent(row, 12)?,
            picture: row.opt_text(13)?,
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

/// The page at this address; none for removed Guilds and Orgs.
pub async fn find(db: &Db, slug: &str) -> Result<Option<LinkPage>, DbError> {
    db.find(&BY_SLUG, params![slug]).await
}

/// The same for a flow under way; none when its Guild was removed meanwhile.
pub async fn find_by_num(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Option<LinkPage>, DbError> {
    db.find(&BY_NUM, params![scope.num(), guild]).await
}
