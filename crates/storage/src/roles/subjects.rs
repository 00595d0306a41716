//! Whose roles are looked at: somebody with a link, or with one that ended.

use domain::erased::is_erased;
use domain::id::GuildId;
use domain::platform_id::{DiscordId, EitherId, SteamId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    ACTIVE: Subject = "
        SELECT {columns}
        FROM links
        WHERE guild_num = $1 AND discord_id = $2 AND ended_at IS NULL";
    LAST: Subject = "
        SELECT {columns}
        FROM links
        WHERE guild_num = $1 AND discord_id = $2 AND ended_at IS NOT NULL
        ORDER BY ended_at DESC, num DESC
        LIMIT 1";
    IS_OF = "
        SELECT num
        FROM links
        WHERE num = $1 AND discord_id = $2";
    /// A block is rare, and a look into each Guild's index is cheap.
    PLACES_OF_DISCORD: Place = "
        SELECT {columns}
        FROM guilds g
        CROSS JOIN links l ON l.guild_num = g.num AND l.discord_id = $1 AND l.ended_at IS NULL
        WHERE g.removed_at IS NULL
        ORDER BY g.num" postgres "
        SELECT {columns}
        FROM guilds g
        JOIN links l ON l.guild_num = g.num AND l.discord_id = $1 AND l.ended_at IS NULL
        WHERE g.removed_at IS NULL
        ORDER BY g.num";
    PLACES_OF_STEAM: Place = "
        SELECT {columns}
        FROM guilds g
        CROSS JOIN links l ON l.guild_num = g.num AND l.steam_id = $1 AND l.ended_at IS NULL
        WHERE g.removed_at IS NULL
        ORDER BY g.num" postgres "
        SELECT {columns}
        FROM guilds g
        JOIN links l ON l.guild_num = g.num AND l.steam_id = $1 AND l.ended_at IS NULL
        WHERE g.removed_at IS NULL
        ORDER BY g.num";
}

/// Where somebody is linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whose Guild it is.
    pub scope: OrgScope,
    /// Which.
    pub guild: GuildNum,
    /// The same by its id.
    pub guild_id: GuildId,
    /// As whom.
    pub member: DiscordId,
}

impl FromRow for Place {
    const COLUMNS: &'static str = "g.org_num, g.num, g.id, l.discord_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            guild: GuildNum(row.int(1)?),
            guild_id: row.parse(2, GuildId::parse)?,
            member: row.parse(3, DiscordId::parse)?,
        })
    }
}

/// Every Guild in which an account is linked, whoever's it is.
pub async fn list_places(db: &Db, account: &EitherId) -> Result<Vec<Place>, DbError> {
    match account {
        EitherId::Discord(id) => db.list_heavy(&PLACES_OF_DISCORD, params![id.as_str()]).await,
        EitherId::Steam(id) => db.list_heavy(&PLACES_OF_STEAM, params![id.as_str()]).await,
    }
}

/// Somebody who is linked, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Of the link.
    pub link_num: i64,
    /// Of the link; none where the account was erased.
    pub steam_id: Option<SteamId>,
    /// On Discord, where it is known.
    pub discord_name: Option<String>,
    /// On Steam, where it is known.
    pub steam_name: Option<String>,
    /// Whether the link stands.
    pub is_linked: bool,
}

impl FromRow for Subject {
    const COLUMNS: &'static str = "num, steam_id, discord_name, steam_name, CAST(CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            link_num: row.int(0)?,
            steam_id: match row.text(1)? {
                id if is_erased(&id) => None,
                _ => Some(row.parse(1, SteamId::parse)?),
            },
            discord_name: row.opt_text(2)?,
            steam_name: row.opt_text(3)?,
            is_linked: row.flag(4)?,
        })
    }
}

/// By the link that stands, or by the last one.
pub async fn find(db: &Db, guild: GuildNum, member: &DiscordId) -> Result<Option<Subject>, DbError> {
    let values = params![guild, member.as_str()];
    if let Some(found) = db.find(&ACTIVE, values).await? {
        return Ok(Some(found));
    }
    db.find(&LAST, params![guild, member.as_str()]).await
}

/// Whether a link is still of this member: an erased one is nobody's.
pub async fn is_of(tx: &mut Tx<'_>, link_num: i64, member: &DiscordId) -> Result<bool, DbError> {
    let found: Option<i64> = tx.find(&IS_OF, params![link_num, member.as_str()]).await?;
    Ok(found.is_some())
}
