//! Game servers.

use domain::id::{GuildId, KeyId, ServerId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::keys::plugin_keys;
use crate::params;
use crate::players::group_changes::ServerPlace;
use crate::scope::{GuildNum, KeyNum, OrgScope, ServerNum};
use crate::tenancy::guilds;

statements! {
    INSERT = "
        INSERT INTO servers (id, org_num, guild_num, name, created_at)
        VALUES ($1, $2, $3, $4, $5)
        RETURNING num";
    BY_ID: Server = "
        SELECT {columns}
        FROM servers s
        JOIN guilds g ON g.num = s.guild_num
        JOIN api_keys k ON k.server_num = s.num AND k.kind = 'plugin'
        WHERE s.id = $2 AND s.org_num = $1 AND s.removed_at IS NULL";
    BY_ORG: Server = "
        SELECT {columns}
        FROM servers s
        JOIN guilds g ON g.num = s.guild_num
        JOIN api_keys k ON k.server_num = s.num AND k.kind = 'plugin'
        WHERE s.org_num = $1 AND s.removed_at IS NULL
        ORDER BY s.num
        LIMIT 200";
    ORG_OF = "
        SELECT org_num
        FROM servers
        WHERE id = $1 AND removed_at IS NULL";
    IN_GUILD: NamedServer = "
        SELECT {columns}
        FROM servers
        WHERE id = $3 AND guild_num = $2 AND org_num = $1 AND removed_at IS NULL";
    LOCK_ALL = "
        SELECT num
        FROM servers
        WHERE org_num = $1 AND removed_at IS NULL
        ORDER BY num
        FOR UPDATE";
    HOLD = "
        SELECT num
        FROM servers
        WHERE num = $1 AND removed_at IS NULL
        FOR KEY SHARE";
    ALIVE = "
        SELECT num
        FROM servers
        WHERE num = $3 AND guild_num = $2 AND org_num = $1 AND removed_at IS NULL";
    SET_ACTIVE = "
        UPDATE servers
        SET active = $3
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    SET_BARE_IDS = "
        UPDATE servers
        SET bare_ids = $3
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    SET_GAME_SETTINGS = "
        UPDATE servers
        SET linked_group = $3, booster_group = $4, steam_members_group = $5, poll_seconds = $6
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    NOTE_PLUGIN = "
        UPDATE servers
        SET plugin_version = $2, plugin_stamp = $3
        WHERE num = $1 AND removed_at IS NULL";
    TOUCH = "
        UPDATE servers
        SET revision = revision + 1
        WHERE num = $2 AND org_num = $1 AND revision = $3 AND removed_at IS NULL";
    RENAME = "
        UPDATE servers
        SET name = $3
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    REMOVE = "
        UPDATE servers
        SET removed_at = $3
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    REMOVE_ALL = "
        UPDATE servers
        SET removed_at = $3
        WHERE guild_num = $2 AND org_num = $1 AND removed_at IS NULL";
    DELETE_KEYS = "
        DELETE FROM api_keys
        WHERE server_num = $2 AND org_num = $1";
}

/// A Server and what may be shown of its key.
#[derive(Debug, Clone)]
pub struct Server {
    /// For joins; `id` is what others are told.
    pub num: ServerNum,
    /// Stays when the name changes.
    pub id: ServerId,
    /// As its people call it.
    pub name: String,
    /// Repeated in the rows of its keys.
    pub active: bool,
    /// Whose links its key sees.
    pub guild: GuildNum,
    /// The same by its public id.
    pub guild_id: GuildId,
    /// Exactly one.
    pub key: PluginKey,
    /// The list is in this order.
    pub created_at_ms: i64,
    /// The id look-ups answer digits without quotes, for one very old client.
    pub bare_ids: bool,
    /// As the plugin last said.
    pub plugin_version: Option<String>,
    /// The settings that the plugin's file was made from, as it last said.
    pub plugin_stamp: Option<String>,
    /// Where the Guild's players link.
    pub guild_slug: String,
    /// What its plugin is told.
    pub game: GameSettings,
    /// One more with every save of its settings. Switching it on or off is none.
    pub revision: i64,
}

/// What a game server is told: the permission groups that follow from a link, and how often to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSettings {
    /// The permission group of linked players.
    pub linked_group: String,
    /// The permission group of boosters.
    pub booster_group: String,
    /// The permission group of members of the Steam group.
    pub steam_members_group: String,
    /// How often the plugin asks.
    pub poll_seconds: i64,
}

/// The one plugin key of a Server, without the key itself.
#[derive(Debug, Clone)]
pub struct PluginKey {
    /// For statements; `id` is what others are told.
    pub num: KeyNum,
    /// Stays when the key is regenerated.
    pub id: KeyId,
    /// All that lists show of it.
    pub prefix: String,
    /// One more with every regeneration; part of what the sealed copy is bound to.
    pub version: i64,
    /// The key itself, to be revealed; never leaves the process like this.
    pub sealed: String,
    /// Until it is regenerated.
    pub revoked_at_ms: Option<i64>,
    /// To the minute; none until the first call.
    pub last_used_at_ms: Option<i64>,
    /// When this version was made.
    pub rotated_at_ms: i64,
    /// Calls that carried the key in the query string.
    pub query_calls: i64,
}

impl FromRow for Server {
    const COLUMNS: &'static str = "\
        s.num, s.id, s.name, s.active, g.num, g.id, k.num, k.id, k.prefix, k.version, k.sealed, \
        k.revoked_at, k.last_used_at, k.rotated_at, k.query_calls, s.created_at, s.bare_ids, \
        s.plugin_version, s.linked_group, s.booster_group, s.steam_members_group, s.poll_seconds, \
        s.revision, s.plugin_stamp, g.slug";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: ServerNum(row.int(0)?),
            id: row.parse(1, ServerId::parse)?,
            name: row.text(2)?,
            active: row.flag(3)?,
            guild: GuildNum(row.int(4)?),
            guild_id: row.parse(5, GuildId::parse)?,
            key: PluginKey {
                num: KeyNum(row.int(6)?),
                id: row.parse(7, KeyId::parse)?,
                prefix: row.text(8)?,
                version: row.int(9)?,
                sealed: row.text(10)?,
                revoked_at_ms: row.opt_int(11)?,
                last_used_at_ms: row.opt_int(12)?,
                rotated_at_ms: row.int(13)?,
                query_calls: row.int(14)?,
            },
            created_at_ms: row.int(15)?,
            bare_ids: row.flag(16)?,
            plugin_version: row.opt_text(17)?,
            game: GameSettings {
                linked_group: row.text(18)?,
                booster_group: row.text(19)?,
                steam_members_group: row.text(20)?,
                poll_seconds: row.int(21)?,
            },
            revision: row.int(22)?,
            plugin_stamp: row.opt_text(23)?,
            guild_slug: row.text(24)?,
        })
    }
}

/// Adds a Server without its key, which the same unit adds. Under the Org's lock; counters are the caller's.
pub async fn insert(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    id: &ServerId,
    name: &str,
    now_ms: i64,
) -> Result<ServerNum, DbError> {
    tx.get(&INSERT, params![id.as_str(), scope.num(), guild, name, now_ms])
        .await
        .map(ServerNum)
}

/// A Server of the Org by its public id.
pub async fn find(db: &Db, scope: OrgScope, id: &ServerId) -> Result<Option<Server>, DbError> {
    db.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, id: &ServerId) -> Result<Option<Server>, DbError> {
    tx.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// The Org a Server belongs to, for operators who name only the Server.
pub async fn find_org(db: &Db, id: &ServerId) -> Result<Option<OrgScope>, DbError> {
    Ok(db
        .find::<i64>(&ORG_OF, params![id.as_str()])
        .await?
        .map(OrgScope::new))
}

/// The Servers of an Org, oldest first, 200 at most.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Server>, DbError> {
    db.list(&BY_ORG, params![scope.num()]).await
}

/// The same inside a unit of work.
pub async fn list_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<Server>, DbError> {
    tx.list(&BY_ORG, params![scope.num()]).await
}

/// Takes the Org's lock for a change on one of its Servers, which may be gone since the caller looked.
pub async fn lock(tx: &mut Tx<'_>, place: ServerPlace) -> Result<(), DbError> {
    guilds::lock(tx, place.scope, place.guild).await?;
    let values = params![place.scope.num(), place.guild, place.server];
    let alive = tx.find::<i64>(&ALIVE, values).await?;
    alive.map(drop).ok_or(DbError::Gone)
}

/// Locks the Servers of an Org in the order in which marks of players are written, which happens without the Org's lock.
/// To be called before several Servers go at once.
pub(crate) async fn lock_all(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.list::<i64>(&LOCK_ALL, params![scope.num()]).await.map(drop)
}

/// Keeps a Server from going before the end of this unit; false when it is gone. Whoever holds several takes them in
/// their order.
pub async fn hold(tx: &mut Tx<'_>, server: ServerNum) -> Result<bool, DbError> {
    Ok(tx.find::<i64>(&HOLD, params![server]).await?.is_some())
}

/// Replaces all of them. Under the Org's lock.
pub async fn set_game_settings(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    server: ServerNum,
    game: &GameSettings,
) -> Result<(), DbError> {
    let values = params![
        scope.num(),
        server,
        &game.linked_group,
        &game.booster_group,
        &game.steam_members_group,
        game.poll_seconds,
    ];
    tx.execute_one(&SET_GAME_SETTINGS, values).await
}

/// Writes down what a plugin said about itself. A Server that is gone is no error.
pub async fn note_plugin(
    tx: &mut Tx<'_>,
    server: ServerNum,
    version: &str,
    stamp: Option<&str>,
) -> Result<(), DbError> {
    tx.execute(&NOTE_PLUGIN, params![server, version, stamp])
        .await
        .map(drop)
}

/// In the Server's row and in those of its keys, which calls are judged by. Under the Org's lock.
pub async fn set_active(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    server: ServerNum,
    active: bool,
) -> Result<(), DbError> {
    tx.execute_one(&SET_ACTIVE, params![scope.num(), server, active])
        .await?;
    plugin_keys::set_server_active(tx, scope, server, active).await
}

/// In the Server's row and in those of its keys, which calls are judged by. Under the Org's lock.
pub async fn set_bare_ids(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    server: ServerNum,
    bare: bool,
) -> Result<(), DbError> {
    tx.execute_one(&SET_BARE_IDS, params![scope.num(), server, bare])
        .await?;
    plugin_keys::set_bare_ids(tx, scope, server, bare).await
}

/// Counts a save of the settings, or refuses one that began from another revision. Under the Org's lock.
pub async fn touch(tx: &mut Tx<'_>, scope: OrgScope, server: ServerNum, seen: i64) -> Result<(), DbError> {
    tx.execute_unless_stale(&TOUCH, params![scope.num(), server, seen])
        .await
}

/// Nothing hangs on the name.
pub async fn rename(tx: &mut Tx<'_>, scope: OrgScope, server: ServerNum, name: &str) -> Result<(), DbError> {
    tx.execute_one(&RENAME, params![scope.num(), server, name]).await
}

/// Removes a Server: it is gone for everybody and its keys with it, links stay. What it knew of players is to be
/// forgotten after that; see [`crate::tenancy::removals`].
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, server: ServerNum, now_ms: i64) -> Result<(), DbError> {
    lock_all(tx, scope).await?;
    plugin_keys::lock_all(tx, scope).await?;
    let values = params![scope.num(), server, now_ms];
    tx.execute_one(&REMOVE, values).await?;
    tx.execute(&DELETE_KEYS, params![scope.num(), server])
        .await
        .map(drop)
}

/// The same for all Servers of a Guild, which takes the locks and the keys itself. Tells how many went.
pub(crate) async fn remove_all(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    now_ms: i64,
) -> Result<u64, DbError> {
    tx.execute(&REMOVE_ALL, params![scope.num(), guild, now_ms]).await
}

/// A Server that a key of its Guild named.
#[derive(Debug, Clone, Copy)]
pub struct NamedServer {
    /// Of the Server in the key's Guild.
    pub num: ServerNum,
    /// A Server that is off answers for nobody.
    pub active: bool,
}

impl FromRow for NamedServer {
    const COLUMNS: &'static str = "num, active";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: ServerNum(row.int(0)?),
            active: row.flag(1)?,
        })
    }
}

/// The Server with this id, if it is the Guild's.
pub async fn find_in_guild(
    db: &Db,
    scope: OrgScope,
    guild: GuildNum,
    id: &str,
) -> Result<Option<NamedServer>, DbError> {
    db.find(&IN_GUILD, params![scope.num(), guild, id]).await
}
