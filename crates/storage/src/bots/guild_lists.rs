//! The Guilds that a bot serves, page by page, with the sealed keys of their Servers.

use domain::id::{GuildId, KeyId, ServerId};
use domain::platform_id::DiscordId;

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

/// A dedicated bot that was online within this time keeps its Guild: a restart hands nothing over.
pub const HANDOVER_MS: i64 = 60_000;

/// Failures with which a bot can be online, or that pass without anybody's help.
const PASSING: [&str; 2] = ["intents_missing", "unreachable"];

statements! {
    /// Those without a bot of their own that is online.
    SHARED: ServedGuild = "
        SELECT {columns}
        FROM guilds g
        LEFT JOIN bots d ON d.guild_num = g.num
        WHERE g.num > $1 AND g.removed_at IS NULL
          AND (d.num IS NULL OR d.failure NOT IN ('intents_missing', 'unreachable') OR COALESCE(d.online_at, 0) <= $2)
        ORDER BY g.num
        LIMIT $3";
    OWN: ServedGuild = "
        SELECT {columns}
        FROM guilds g
        JOIN bots d ON d.guild_num = g.num
        WHERE g.num = $1 AND g.removed_at IS NULL";
    BY_DISCORD: ServedGuild = "
        SELECT {columns}
        FROM guilds g
        LEFT JOIN bots d ON d.guild_num = g.num
        WHERE g.discord_guild_id = $1 AND g.removed_at IS NULL";
    /// Each of a list of ids, with what is known of it.
    HEARD: HeardGuild = "
        SELECT {columns}
        FROM json_each($1) asked
        CROSS JOIN guilds g ON g.discord_guild_id = asked.value AND g.removed_at IS NULL
        LEFT JOIN bots d ON d.guild_num = g.num
        LEFT JOIN guild_bots b ON b.guild_num = g.num
        ORDER BY g.num" postgres "
        SELECT {columns}
        FROM guilds g
        LEFT JOIN bots d ON d.guild_num = g.num
        LEFT JOIN guild_bots b ON b.guild_num = g.num
        WHERE g.removed_at IS NULL
          AND g.discord_guild_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
        ORDER BY g.num";
    /// Of the Guilds of a page.
    SERVERS: ServerKey = "
        SELECT {columns}
        FROM servers s
        LEFT JOIN api_keys k ON k.server_num = s.num AND k.kind = 'bot' AND k.revoked_at IS NULL
        WHERE s.guild_num >= $1 AND s.guild_num <= $2 AND s.removed_at IS NULL
        ORDER BY s.guild_num, s.num
        LIMIT 5000";
    LINKED_SHARED = "
        SELECT CAST(COALESCE(SUM(g.active_links), 0) AS BIGINT)
        FROM guilds g
        LEFT JOIN bots d ON d.guild_num = g.num
        WHERE g.removed_at IS NULL
          AND (d.num IS NULL OR d.failure NOT IN ('intents_missing', 'unreachable') OR COALESCE(d.online_at, 0) <= $1)";
    LINKED_OWN = "
        SELECT active_links
        FROM guilds
        WHERE num = $1 AND removed_at IS NULL";
}

/// A Guild as a bot is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedGuild {
    /// Whose it is.
    pub scope: OrgScope,
    /// The place from which the next page goes on.
    pub num: GuildNum,
    /// Ours.
    pub id: GuildId,
    /// Discord's.
    pub discord_guild_id: DiscordId,
    /// As people see it.
    pub name: String,
    /// Of its link page.
    pub slug: String,
    /// Its own bot, if it has one: its account on Discord, whether it failed, and when it was last online.
    pub own_bot: Option<OwnBot>,
}

/// The bot that one Guild has for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnBot {
    /// It cannot be online before somebody does something about it.
    pub has_failed: bool,
    /// None before the first time.
    pub online_at_ms: Option<i64>,
}

impl ServedGuild {
    /// Whether its own bot serves it, and so the shared one does not.
    pub fn is_served_by_its_own(&self, now_ms: i64) -> bool {
        self.own_bot.as_ref().is_some_and(|bot| {
            !bot.has_failed && bot.online_at_ms.is_some_and(|at_ms| at_ms > now_ms - HANDOVER_MS)
        })
    }
}

impl FromRow for ServedGuild {
    const COLUMNS: &'static str =
        "g.org_num, g.num, g.id, g.discord_guild_id, g.name, g.slug, d.num, d.failure, d.online_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let failure = row.opt_text(7)?;
        let has_failed = failure.is_some_and(|failure| !PASSING.contains(&failure.as_str()));
        let online_at_ms = row.opt_int(8)?;
        let own_bot = row.opt_int(6)?.map(|_| OwnBot {
            has_failed,
            online_at_ms,
        });
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            num: GuildNum(row.int(1)?),
            id: row.parse(2, GuildId::parse)?,
            discord_guild_id: row.parse(3, DiscordId::parse)?,
            name: row.text(4)?,
            slug: row.text(5)?,
            own_bot,
        })
    }
}

/// A Guild that a bot heard of.
#[derive(Debug, Clone)]
pub struct HeardGuild {
    /// As bots are told of it.
    pub guild: ServedGuild,
    /// Whether the bot was there when it was last looked at.
    pub present: Option<bool>,
    /// When that was.
    pub checked_at_ms: Option<i64>,
    /// When it was last heard of.
    pub last_event_at_ms: Option<i64>,
}

impl FromRow for HeardGuild {
    const COLUMNS: &'static str = "g.org_num, g.num, g.id, g.discord_guild_id, g.name, g.slug, d.num, d.failure, \
        d.online_at, b.present, b.checked_at, b.last_event_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            guild: ServedGuild::from_row(row)?,
            present: row.opt_int(9)?.map(|present| present == 1),
            checked_at_ms: row.opt_int(10)?,
            last_event_at_ms: row.opt_int(11)?,
        })
    }
}

/// A Server and its bot key.
#[derive(Debug, Clone)]
pub struct ServerKey {
    /// Whose Guild it stands in.
    pub scope: OrgScope,
    /// Where it stands.
    pub guild: GuildNum,
    /// Ours.
    pub server_id: ServerId,
    /// None before the platform made one.
    pub key: Option<SealedBotKey>,
}

/// The sealed copy of a bot key.
#[derive(Debug, Clone)]
pub struct SealedBotKey {
    /// Part of what the copy is bound to.
    pub id: KeyId,
    /// The other part.
    pub version: i64,
    /// The copy.
    pub sealed: String,
}

impl FromRow for ServerKey {
    const COLUMNS: &'static str = "s.org_num, s.guild_num, s.id, k.id, k.version, k.sealed";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let key = match (row.opt_text(3)?, row.opt_int(4)?, row.opt_text(5)?) {
            (Some(id), Some(version), Some(sealed)) => Some(SealedBotKey {
                id: KeyId::parse(&id).map_err(|error| DbError::Bug(error.to_string()))?,
                version,
                sealed,
            }),
            _ => None,
        };
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            guild: GuildNum(row.int(1)?),
            server_id: row.parse(2, ServerId::parse)?,
            key,
        })
    }
}

/// The next Guilds that the shared bot serves.
pub async fn list_shared(
    db: &Db,
    after: GuildNum,
    limit: i64,
    now_ms: i64,
) -> Result<Vec<ServedGuild>, DbError> {
    db.list(&SHARED, params![after, now_ms - HANDOVER_MS, limit])
        .await
}

/// The Guild of a dedicated bot.
pub async fn find_own(db: &Db, guild: GuildNum) -> Result<Option<ServedGuild>, DbError> {
    db.find(&OWN, params![guild]).await
}

/// A Guild by what Discord calls it.
pub async fn find_by_discord(db: &Db, id: &DiscordId) -> Result<Option<ServedGuild>, DbError> {
    db.find(&BY_DISCORD, params![id.as_str()]).await
}

/// The Guilds among these Discord servers.
pub async fn list_heard(db: &Db, ids: &[&DiscordId]) -> Result<Vec<HeardGuild>, DbError> {
    let list = json_list(ids.iter().map(|id| id.as_str()));
    db.list(&HEARD, params![&list]).await
}

/// The Servers of all Guilds with these numbers or ones in between.
pub async fn list_server_keys(db: &Db, first: GuildNum, last: GuildNum) -> Result<Vec<ServerKey>, DbError> {
    db.list_heavy(&SERVERS, params![first, last]).await
}

/// People who are linked in the Guilds that the shared bot serves.
pub async fn count_linked_shared(db: &Db, now_ms: i64) -> Result<i64, DbError> {
    let counted: Vec<i64> = db
        .list_heavy(&LINKED_SHARED, params![now_ms - HANDOVER_MS])
        .await?;
    Ok(counted.first().copied().unwrap_or(0))
}

/// The same for the Guild of a dedicated bot.
pub async fn count_linked_own(db: &Db, guild: GuildNum) -> Result<i64, DbError> {
    let counted: Option<i64> = db.find(&LINKED_OWN, params![guild]).await?;
    Ok(counted.unwrap_or(0))
}
