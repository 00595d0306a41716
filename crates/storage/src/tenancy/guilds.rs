//! Discord communities.

use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::invite::InviteUrl;
use domain::platform_id::DiscordId;
use domain::steam_group::GroupId;

use crate::columns;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::keys::plugin_keys;
use crate::linking::flows;
use crate::params;
use crate::scope::{GuildNum, OrgScope};
use crate::tenancy::orgs::{self, LockedOrg};
use crate::tenancy::servers;

statements! {
    INSERT = "
        INSERT INTO guilds (id, org_num, discord_guild_id, slug, name, log_channel_id, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        RETURNING num";
    BY_ID: Guild = "
        SELECT {columns}
        FROM guilds
        WHERE id = $2 AND org_num = $1 AND removed_at IS NULL";
    ORG_OF = "
        SELECT g.org_num
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE g.id = $1 AND g.removed_at IS NULL AND o.removed_at IS NULL";
    ALIVE = "
        SELECT num
        FROM guilds
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    HOLD = "
        SELECT num
        FROM guilds
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL
        FOR KEY SHARE";
    BY_ORG: Guild = "
        SELECT {columns}
        FROM guilds
        WHERE org_num = $1 AND removed_at IS NULL
        ORDER BY num
        LIMIT 100";
    ACTIVE_LINKS = "
        SELECT active_links
        FROM guilds
        WHERE num = $1 AND removed_at IS NULL";
    SETTINGS: GuildSettings = "
        SELECT {columns}
        FROM guilds
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    SET_SETTINGS = "
        UPDATE guilds
        SET log_channel_id = $3, verified_roles = $4, booster_roles = $5, plugin_roles = $6, steam_group = $7,
            steam_group_id = $8, join_mode = $9, invite_url = $10, relink_cooldown_ms = $11
        WHERE num = $2 AND org_num = $1";
    STEAM_GROUP_ID = "
        SELECT steam_group_id
        FROM guilds
        WHERE num = $1 AND steam_group_id IS NOT NULL AND removed_at IS NULL";
    ROLES: Roles = "
        SELECT {columns}
        FROM guilds
        WHERE num = $2 AND org_num = $1";
    RENAME = "
        UPDATE guilds
        SET name = $3, slug = $4
        WHERE num = $2 AND org_num = $1";
    REMOVE = "
        UPDATE guilds
        SET removed_at = $3, slug = id, discord_guild_id = id
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    DELETE_SERVERS = "
        DELETE FROM servers
        WHERE guild_num = $2 AND org_num = $1";
    DELETE_KEYS = "
        DELETE FROM api_keys
        WHERE guild_num = $2 AND org_num = $1";
    REMOVED: RemovedGuild = "
        SELECT {columns}
        FROM guilds
        WHERE id = $2 AND org_num = $1 AND removed_at IS NOT NULL";
    CHANGE_LINKS = "
        UPDATE guilds
        SET active_links = active_links + $3
        WHERE num = $2 AND org_num = $1";
}

#[derive(Debug, Clone)]
pub struct Guild {
    pub num: GuildNum,
    pub id: GuildId,
    pub discord_guild_id: DiscordId,
    pub slug: String,
    pub name: String,
    /// Where linked and unlinked messages go; none switches them off.
    pub log_channel_id: Option<String>,
    pub active_links: i64,
}

impl FromRow for Guild {
    const COLUMNS: &'static str = "num, id, discord_guild_id, slug, name, log_channel_id, active_links";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: GuildNum(row.int(0)?),
            id: row.parse(1, GuildId::parse)?,
            discord_guild_id: row.parse(2, DiscordId::parse)?,
            slug: row.text(3)?,
            name: row.text(4)?,
            log_channel_id: row.opt_text(5)?,
            active_links: row.int(6)?,
        })
    }
}

pub struct NewGuild<'a> {
    pub id: &'a GuildId,
    pub discord_guild_id: &'a DiscordId,
    pub slug: &'a str,
    pub name: &'a str,
    pub log_channel_id: Option<&'a str>,
    pub now_ms: i64,
}

pub async fn insert(tx: &mut Tx<'_>, scope: OrgScope, new: &NewGuild<'_>) -> Result<GuildNum, DbError> {
    let values = params![
        new.id.as_str(),
        scope.num(),
        new.discord_guild_id.as_str(),
        new.slug,
        new.name,
        new.log_channel_id,
        new.now_ms,
    ];
    tx.get(&INSERT, values).await.map(GuildNum)
}

pub async fn find(db: &Db, scope: OrgScope, id: &GuildId) -> Result<Option<Guild>, DbError> {
    db.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, id: &GuildId) -> Result<Option<Guild>, DbError> {
    tx.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// The Org a Guild belongs to, for operators who name only the Guild.
pub async fn find_org(db: &Db, id: &GuildId) -> Result<Option<OrgScope>, DbError> {
    Ok(db
        .find::<i64>(&ORG_OF, params![id.as_str()])
        .await?
        .map(OrgScope::new))
}

pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Guild>, DbError> {
    db.list(&BY_ORG, params![scope.num()]).await
}

pub async fn list_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<Guild>, DbError> {
    tx.list(&BY_ORG, params![scope.num()]).await
}

/// Takes the Org's lock for a change in one of its Guilds, which may be gone since the caller looked.
pub async fn lock(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<LockedOrg, DbError> {
    let org = orgs::lock(tx, scope).await?;
    let alive = tx.find::<i64>(&ALIVE, params![scope.num(), guild]).await?;
    alive.map(|_| org).ok_or(DbError::Gone)
}

/// Keeps a Guild from being removed before the end of this unit, for units that do without the Org's lock.
pub async fn hold(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<(), DbError> {
    let held = tx.find::<i64>(&HOLD, params![scope.num(), guild]).await?;
    held.map(drop).ok_or(DbError::Gone)
}

/// Moves the Guild's count of active links, together with the Org's.
pub async fn change_links(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum, by: i64) -> Result<(), DbError> {
    tx.execute_one(&CHANGE_LINKS, params![scope.num(), guild, by])
        .await
}

/// Removes a Guild: its Servers and keys go, its names go back, and it is gone for everybody. Its links and what else it
/// left behind are to be ended after that; see [`find_removed`]. Tells how many Servers went.
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum, now_ms: i64) -> Result<u64, DbError> {
    let org = scope.num();
    servers::lock_all(tx, scope).await?;
    plugin_keys::lock_all(tx, scope).await?;
    // First: who began something in the Guild is done now, and who comes later finds it gone.
    tx.execute_one(&REMOVE, params![org, guild, now_ms]).await?;
    tx.execute(&DELETE_KEYS, params![org, guild]).await?;
    let servers = tx.execute(&DELETE_SERVERS, params![org, guild]).await?;
    flows::end_of_guild(tx, scope, guild, now_ms).await?;
    Ok(servers)
}

/// A Guild that is gone and may have left something behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovedGuild {
    pub num: GuildNum,
    pub removed_at_ms: i64,
}

impl FromRow for RemovedGuild {
    const COLUMNS: &'static str = "num, removed_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: GuildNum(row.int(0)?),
            removed_at_ms: row.int(1)?,
        })
    }
}

pub async fn find_removed(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &GuildId,
) -> Result<Option<RemovedGuild>, DbError> {
    tx.find(&REMOVED, params![scope.num(), id.as_str()]).await
}

/// Gives a Guild another name and another place in addresses.
pub async fn rename(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    name: &str,
    slug: &str,
) -> Result<(), DbError> {
    tx.execute_one(&RENAME, params![scope.num(), guild, name, slug])
        .await
}

/// How many active links the Guild of a key has.
pub async fn find_active_links(db: &Db, guild: GuildNum) -> Result<Option<i64>, DbError> {
    db.find(&ACTIVE_LINKS, params![guild]).await
}

/// What an Org decides about one of its Guilds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuildSettings {
    /// Where linked and unlinked messages go; none switches them off.
    pub log_channel_id: Option<DiscordId>,
    /// Roles of everybody who is linked.
    pub verified_roles: Vec<DiscordId>,
    /// Roles of linked boosters.
    pub booster_roles: Vec<DiscordId>,
    /// Further roles that game servers may give and take.
    pub plugin_roles: Vec<DiscordId>,
    /// The Steam group that players are asked to join.
    pub steam_group: Option<SteamGroup>,
    /// Whether players have to be in the Discord server, and how they get there.
    pub join_mode: JoinMode,
    /// Where players find the way in by themselves.
    pub invite_url: Option<InviteUrl>,
    /// How long a new link stays as it is; 0 lets players relink at once.
    pub relink_cooldown_ms: i64,
}

/// A Steam group as somebody wrote it down, and the number it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteamGroup {
    pub pasted: String,
    pub id: GroupId,
}

impl FromRow for GuildSettings {
    const COLUMNS: &'static str = "\
        log_channel_id, verified_roles, booster_roles, plugin_roles, steam_group, steam_group_id, \
        join_mode, invite_url, relink_cooldown_ms";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let roles = |column| row.parse(column, |text| serde_json::from_str(text));
        Ok(Self {
            log_channel_id: match row.opt_text(0)? {
                Some(_) => Some(row.parse(0, DiscordId::parse)?),
                None => None,
            },
            verified_roles: roles(1)?,
            booster_roles: roles(2)?,
            plugin_roles: roles(3)?,
            steam_group: match (row.opt_text(4)?, row.opt_int(5)?) {
                (Some(pasted), Some(number)) => Some(SteamGroup {
                    pasted,
                    id: columns::group_id(number)?,
                }),
                (_, _) => None,
            },
            join_mode: row.parse(6, |text| JoinMode::parse(text).ok_or("unknown join mode"))?,
            invite_url: match row.opt_text(7)? {
                Some(_) => Some(row.parse(7, InviteUrl::parse)?),
                None => None,
            },
            relink_cooldown_ms: row.int(8)?,
        })
    }
}

pub async fn find_settings(
    db: &Db,
    scope: OrgScope,
    guild: GuildNum,
) -> Result<Option<GuildSettings>, DbError> {
    db.find(&SETTINGS, params![scope.num(), guild]).await
}

pub async fn get_settings_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
) -> Result<GuildSettings, DbError> {
    tx.get(&SETTINGS, params![scope.num(), guild]).await
}

pub async fn set_settings(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    settings: &GuildSettings,
) -> Result<(), DbError> {
    let list = |roles: &[DiscordId]| {
        serde_json::to_string(roles).map_err(|error| DbError::Bug(format!("a list of roles: {error}")))
    };
    let (verified, booster, plugin) = (
        list(&settings.verified_roles)?,
        list(&settings.booster_roles)?,
        list(&settings.plugin_roles)?,
    );
    let channel = settings.log_channel_id.as_ref().map(DiscordId::as_str);
    let pasted = settings.steam_group.as_ref().map(|group| group.pasted.as_str());
    let number = settings
        .steam_group
        .as_ref()
        .map(|group| i64::from(group.id.number()));
    let values = params![
        scope.num(),
        guild,
        channel,
        &verified,
        &booster,
        &plugin,
        pasted,
        number,
        settings.join_mode.as_str(),
        settings.invite_url.as_ref().map(InviteUrl::as_str),
        settings.relink_cooldown_ms,
    ];
    tx.execute_one(&SET_SETTINGS, values).await
}

/// The Steam group of a key's Guild, if it has one.
pub async fn find_steam_group(db: &Db, guild: GuildNum) -> Result<Option<GroupId>, DbError> {
    let number = db.find::<i64>(&STEAM_GROUP_ID, params![guild]).await?;
    number.map(columns::group_id).transpose()
}

/// The three role lists of a Guild, each a JSON array of Discord ids.
struct Roles([String; 3]);

impl FromRow for Roles {
    const COLUMNS: &'static str = "verified_roles, booster_roles, plugin_roles";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self([row.text(0)?, row.text(1)?, row.text(2)?]))
    }
}

/// Whether plugins may give and take this role: the Guild's settings must name it.
pub async fn may_grant(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    role: &DiscordId,
) -> Result<bool, DbError> {
    let roles: Roles = tx.get(&ROLES, params![scope.num(), guild]).await?;
    let quoted = ["\"", role.as_str(), "\""].concat();
    Ok(roles.0.iter().any(|list| list.contains(&quoted)))
}
