//! How a Guild goes, and what is left of removed Guilds and deleted Servers: how far its end is, and the slices in which
//! it is forgotten.

use domain::id::ServerId;

use crate::bots::{dedicated, register};
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::keys::plugin_keys;
use crate::linking::{flows, import_runs};
use crate::params;
use crate::roles::{grants, ledger, marks, members};
use crate::scope::{GuildNum, OrgScope, ServerNum};
use crate::tenancy::servers;

statements! {
    REMOVE_GUILD = "
        UPDATE guilds
        SET removed_at = $3, slug = id, discord_guild_id = id
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    DELETE_KEYS = "
        DELETE FROM api_keys
        WHERE guild_num = $2 AND org_num = $1";
    UNDER_WAY: Removal = "
        SELECT {columns}
        FROM jobs j
        JOIN guilds g ON g.id = substr(j.dedupe, 11) AND g.org_num = j.org_num
        WHERE j.kind = 'guild.end' AND j.org_num = $1
        ORDER BY g.num
        LIMIT 100";
    REMOVED_SERVER = "
        SELECT num
        FROM servers
        WHERE id = $2 AND org_num = $1 AND removed_at IS NOT NULL";
    NEXT_REMOVED_SERVER = "
        SELECT num
        FROM servers
        WHERE guild_num = $2 AND org_num = $1 AND removed_at IS NOT NULL
        ORDER BY num
        LIMIT 1";
    FORGET_PLAYERS = "
        DELETE FROM server_players
        WHERE server_num = $1
          AND steam_id IN (SELECT steam_id FROM server_players WHERE server_num = $1 ORDER BY steam_id LIMIT $2)";
    FORGET_PEOPLE = "
        DELETE FROM person_servers
        WHERE server_num = $1
          AND person_num IN (SELECT person_num FROM person_servers WHERE server_num = $1 ORDER BY person_num LIMIT $2)";
    FORGET_CHANGES = "
        DELETE FROM group_changes
        WHERE server_num = $1
          AND steam_id IN (SELECT steam_id FROM group_changes WHERE server_num = $1 ORDER BY steam_id, group_name LIMIT $2)";
    FORGET_SERVER = "
        DELETE FROM servers
        WHERE num = $2 AND org_num = $1 AND removed_at IS NOT NULL";
}

/// Removes a Guild: its Servers and keys go, its names go back, and it is gone for everybody. Its links and what else it
/// left behind are to be ended after that. Under the Org's lock; tells how many Servers went.
pub async fn remove_guild(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    now_ms: i64,
) -> Result<u64, DbError> {
    let org = scope.num();
    servers::lock_all(tx, scope).await?;
    plugin_keys::lock_all(tx, scope).await?;
    // First: who began something in the Guild is done now, and who comes later finds it gone.
    tx.execute_one(&REMOVE_GUILD, params![org, guild, now_ms]).await?;
    tx.execute(&DELETE_KEYS, params![org, guild]).await?;
    let servers = servers::remove_all(tx, scope, guild, now_ms).await?;
    flows::end_of_guild(tx, scope, guild, now_ms).await?;
    import_runs::stop_of_guild(tx, scope, guild, now_ms).await?;
    register::remove_of_guild(tx, scope, guild).await?;
    dedicated::remove(tx, scope, guild).await?;
    Ok(servers)
}

/// A Guild that is gone for everybody, and whose links are being ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Of the Guild.
    pub name: String,
    /// Links that ended so far.
    pub ended: i64,
    /// Links that it had.
    pub links: i64,
}

impl FromRow for Removal {
    const COLUMNS: &'static str = "g.name, j.done, j.total";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            name: row.text(0)?,
            ended: row.int(1)?,
            links: row.int(2)?,
        })
    }
}

/// Removals of an Org's Guilds that are not finished.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Removal>, DbError> {
    db.list(&UNDER_WAY, params![scope.num()]).await
}

/// The row of a Server that is gone for everybody; none when it is forgotten.
pub async fn find_server(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &ServerId,
) -> Result<Option<ServerNum>, DbError> {
    let found: Option<i64> = tx
        .find(&REMOVED_SERVER, params![scope.num(), id.as_str()])
        .await?;
    Ok(found.map(ServerNum))
}

/// The same for the next Server of a removed Guild.
pub async fn find_server_of(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
) -> Result<Option<ServerNum>, DbError> {
    let found: Option<i64> = tx.find(&NEXT_REMOVED_SERVER, params![scope.num(), guild]).await?;
    Ok(found.map(ServerNum))
}

/// Forgets some of what a removed Server knew of players, and the Server after the last of it. Returns how many rows went.
pub async fn forget_server(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    server: ServerNum,
    limit: i64,
) -> Result<u64, DbError> {
    let players = tx.execute(&FORGET_PLAYERS, params![server, limit]).await?;
    if players > 0 {
        return Ok(players);
    }
    let people = tx.execute(&FORGET_PEOPLE, params![server, limit]).await?;
    if people > 0 {
        return Ok(people);
    }
    let changes = tx.execute(&FORGET_CHANGES, params![server, limit]).await?;
    if changes > 0 {
        return Ok(changes);
    }
    tx.execute(&FORGET_SERVER, params![scope.num(), server]).await
}

/// Forgets some of what was remembered of roles in a removed Guild. Returns how many rows went.
pub async fn forget_roles(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    let mut gone = marks::forget_slice(tx, scope, guild, limit).await?;
    if gone == 0 {
        gone = grants::forget_slice(tx, scope, guild, limit).await?;
    }
    if gone == 0 {
        gone = members::forget_slice(tx, scope, guild, limit).await?;
    }
    if gone == 0 {
        gone = ledger::forget_slice(tx, scope, guild, limit).await?;
    }
    Ok(gone)
}
