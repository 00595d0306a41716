//! Reads of many links at once. Lists travel as one JSON text, so the statement stays the same for any length.

use domain::platform_id::{DiscordId, SteamAccount, SteamId};

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, ReaderMemory, Row, Snapshot};
use crate::linking::whole_guilds;
use crate::params;
use crate::scope::GuildNum;

/// Longer lists are read off the threads that serve requests.
const INLINE: usize = 200;

statements! {
    LINKED = "
        SELECT l.steam_id
        FROM json_each($2) asked
        CROSS JOIN links l ON l.guild_num = $1 AND l.steam_id = asked.value AND l.ended_at IS NULL" postgres "
        SELECT l.steam_id
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL
          AND l.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    /// Everybody who is linked in a Guild that has at most so many links.
    ALL_LINKED = "
        SELECT l.steam_id
        FROM guilds g
        JOIN links l ON l.guild_num = g.num AND l.ended_at IS NULL
        WHERE g.num = $1 AND g.active_links <= $2
        ORDER BY l.steam_id";
    BOOSTING = "
        SELECT l.steam_id
        FROM json_each($2) asked
        CROSS JOIN links l ON l.guild_num = $1 AND l.steam_id = asked.value AND l.ended_at IS NULL
        CROSS JOIN boosters b ON b.guild_num = l.guild_num AND b.discord_id = l.discord_id" postgres "
        SELECT l.steam_id
        FROM links l
        JOIN boosters b ON b.guild_num = l.guild_num AND b.discord_id = l.discord_id
        WHERE l.guild_num = $1 AND l.ended_at IS NULL
          AND l.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    STEAM_NAMES: Named = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN links l ON l.guild_num = $1 AND l.discord_id = asked.value AND l.ended_at IS NULL
        WHERE l.steam_name IS NOT NULL" postgres "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL AND l.steam_name IS NOT NULL
          AND l.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    BY_DISCORD: LinkedPlayer = "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.discord_id = $2 AND l.ended_at IS NULL";
    BY_STEAM: LinkedPlayer = "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.steam_id = $2 AND l.ended_at IS NULL";
    LIST_BY_DISCORD: LinkedPlayer = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN links l ON l.guild_num = $1 AND l.discord_id = asked.value AND l.ended_at IS NULL" postgres "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL
          AND l.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    LIST_BY_STEAM: LinkedPlayer = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN links l ON l.guild_num = $1 AND l.steam_id = asked.value AND l.ended_at IS NULL" postgres "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL
          AND l.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    /// The index `links_changed` holds the rows in this order. Erased people are nobody's to tell.
    CHANGED: ChangedLink = "
        SELECT {columns}
        FROM links
        WHERE guild_num = $1 AND COALESCE(ended_at, verified_at) >= $2
          AND (COALESCE(ended_at, verified_at) > $2 OR id > $3)
          AND substr(discord_id, 1, 2) <> 'x:' AND substr(steam_id, 1, 2) <> 'x:'
        ORDER BY COALESCE(ended_at, verified_at), id
        LIMIT $4";
    PAGE: LinkedPlayer = "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL AND l.discord_id > $2
        ORDER BY l.discord_id
        LIMIT $3";
}

/// An active link with what is known about both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedPlayer {
    /// Of the active link.
    pub discord_id: DiscordId,
    /// Of the active link.
    pub steam_id: SteamId,
    /// As of the last verification.
    pub discord_name: Option<String>,
    /// As the game server or a sign-in told it last.
    pub steam_name: Option<String>,
    /// When this link was made; a relink begins anew.
    pub linked_at_ms: i64,
    /// Never before `linked_at_ms`.
    pub verified_at_ms: i64,
    /// Two letters, from the last verification that knew one.
    pub country: Option<String>,
}

impl FromRow for LinkedPlayer {
    const COLUMNS: &'static str = "\
        l.discord_id, l.steam_id, l.discord_name, l.steam_name, l.linked_at, l.verified_at, l.country";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.parse(0, DiscordId::parse)?,
            steam_id: row.parse(1, SteamId::parse)?,
            discord_name: row.opt_text(2)?,
            steam_name: row.opt_text(3)?,
            linked_at_ms: row.int(4)?,
            verified_at_ms: row.int(5)?,
            country: row.opt_text(6)?,
        })
    }
}

impl FromRow for SteamAccount {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        row.parse(0, |text| SteamAccount::of(text).ok_or("no Steam id"))
    }
}

/// A Discord id and a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Of an active link.
    pub discord_id: String,
    /// On Steam.
    pub name: String,
}

impl FromRow for Named {
    const COLUMNS: &'static str = "l.discord_id, l.steam_name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.text(0)?,
            name: row.text(1)?,
        })
    }
}

/// A link with the time of its last change: it was made, verified or ended then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLink {
    /// Breaks ties between changes of one moment.
    pub id: String,
    /// Never of an erased person.
    pub discord_id: String,
    /// Never of an erased person.
    pub steam_id: String,
    /// As of the last verification.
    pub discord_name: Option<String>,
    /// As told last.
    pub steam_name: Option<String>,
    /// When the pair was tied.
    pub linked_at_ms: i64,
    /// None while it is active.
    pub ended_at_ms: Option<i64>,
    /// What the list is ordered by, with the id.
    pub changed_at_ms: i64,
}

impl FromRow for ChangedLink {
    const COLUMNS: &'static str = "\
        id, discord_id, steam_id, discord_name, steam_name, linked_at, ended_at, \
        COALESCE(ended_at, verified_at)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.text(0)?,
            discord_id: row.text(1)?,
            steam_id: row.text(2)?,
            discord_name: row.opt_text(3)?,
            steam_name: row.opt_text(4)?,
            linked_at_ms: row.int(5)?,
            ended_at_ms: row.opt_int(6)?,
            changed_at_ms: row.int(7)?,
        })
    }
}

/// Which of these Steam ids are linked in the Guild, in no particular order.
pub async fn linked(db: &Db, guild: GuildNum, asked: &[SteamId]) -> Result<Vec<SteamAccount>, DbError> {
    if asked.len() > INLINE {
        return db.list_heavy(&LINKED, params![guild, &steam_list(asked)]).await;
    }
    match db {
        Db::Sqlite(db) => db.with_known(|snapshot, known| linked_in(snapshot, known, guild, asked)),
        Db::Postgres(_) => db.list(&LINKED, params![guild, &steam_list(asked)]).await,
    }
}

/// The same in one state of an embedded database. A Guild that is asked about a lot is read once in it.
fn linked_in(
    snapshot: Snapshot<'_>,
    known: &mut ReaderMemory,
    guild: GuildNum,
    asked: &[SteamId],
) -> Result<Vec<SteamAccount>, DbError> {
    let those_of = |linked: &[SteamAccount]| {
        let accounts = asked.iter().map(SteamId::account);
        accounts.filter(|id| linked.binary_search(id).is_ok()).collect()
    };
    if let Some(linked) = whole_guilds::linked(known, guild) {
        return Ok(those_of(linked));
    }
    let most = whole_guilds::worth_reading(known, guild, asked.len()) as i64;
    let all = snapshot.list(&ALL_LINKED, params![guild, most])?;
    if all.is_empty() {
        return snapshot.list(&LINKED, params![guild, &steam_list(asked)]);
    }
    Ok(those_of(whole_guilds::keep(known, guild, all)))
}

/// Which of these Steam ids belong to boosters of the Guild.
pub async fn boosting(db: &Db, guild: GuildNum, asked: &[SteamId]) -> Result<Vec<SteamAccount>, DbError> {
    let list = steam_list(asked);
    if asked.len() <= INLINE {
        return db.list(&BOOSTING, params![guild, &list]).await;
    }
    db.list_heavy(&BOOSTING, params![guild, &list]).await
}

/// The known Steam names of these Discord ids.
pub async fn steam_names(db: &Db, guild: GuildNum, asked: &[DiscordId]) -> Result<Vec<Named>, DbError> {
    let list = json_list(asked.iter().map(DiscordId::as_str));
    db.list_heavy(&STEAM_NAMES, params![guild, &list]).await
}

/// The active link of a Discord account, with names.
pub async fn find_by_discord(
    db: &Db,
    guild: GuildNum,
    id: &DiscordId,
) -> Result<Option<LinkedPlayer>, DbError> {
    db.find(&BY_DISCORD, params![guild, id.as_str()]).await
}

/// The active link of a Steam account, with names.
pub async fn find_by_steam(db: &Db, guild: GuildNum, id: &SteamId) -> Result<Option<LinkedPlayer>, DbError> {
    db.find(&BY_STEAM, params![guild, id.as_str()]).await
}

/// The active links of these Discord ids, in no particular order.
pub async fn list_by_discord(
    db: &Db,
    guild: GuildNum,
    asked: &[DiscordId],
) -> Result<Vec<LinkedPlayer>, DbError> {
    let list = json_list(asked.iter().map(DiscordId::as_str));
    db.list_heavy(&LIST_BY_DISCORD, params![guild, &list]).await
}

/// The active links of these Steam ids, in no particular order.
pub async fn list_by_steam(
    db: &Db,
    guild: GuildNum,
    asked: &[SteamId],
) -> Result<Vec<LinkedPlayer>, DbError> {
    db.list_heavy(&LIST_BY_STEAM, params![guild, &steam_list(asked)])
        .await
}

/// Links, ended ones included, that changed at `from_ms` or later, oldest change first. Of those at exactly `from_ms` only
/// the ones after the link `after`.
pub async fn list_changed(
    db: &Db,
    guild: GuildNum,
    from_ms: i64,
    after: &str,
    limit: i64,
) -> Result<Vec<ChangedLink>, DbError> {
    db.list_heavy(&CHANGED, params![guild, from_ms, after, limit])
        .await
}

/// The active links after `after`, in the order of Discord ids.
pub async fn page(db: &Db, guild: GuildNum, after: &str, limit: i64) -> Result<Vec<LinkedPlayer>, DbError> {
    db.list_heavy(&PAGE, params![guild, after, limit]).await
}

fn steam_list(ids: &[SteamId]) -> String {
    json_list(ids.iter().map(SteamId::as_str))
}
