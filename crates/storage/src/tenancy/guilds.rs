//! Discord communities.

use domain::face::Accent;
use domain::id::GuildId;
use domain::platform_id::DiscordId;

use crate::columns;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};
use crate::tenancy::orgs::{self, LockedOrg};

statements! {
    NUM_OF = "
        SELECT num
        FROM guilds
        WHERE org_num = $1 AND id = $2";
    ID_OF = "
        SELECT id
        FROM guilds
        WHERE num = $2 AND org_num = $1";
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
    TOUCH = "
        UPDATE guilds
        SET revision = revision + 1
        WHERE num = $2 AND org_num = $1 AND revision = $3";
    RENAME = "
        UPDATE guilds
        SET name = $3, slug = $4
        WHERE num = $2 AND org_num = $1";
    SET_ACCENT = "
        UPDATE guilds
        SET accent = $3
        WHERE num = $2 AND org_num = $1";
    REMOVED: RemovedGuild = "
        SELECT {columns}
        FROM guilds
        WHERE id = $2 AND org_num = $1 AND removed_at IS NOT NULL";
    CHANGE_LINKS = "
        UPDATE guilds
        SET active_links = active_links + $3
        WHERE num = $2 AND org_num = $1";
}

/// A Guild that is there; removed ones are found by [`find_removed`] only.
#[derive(Debug, Clone)]
pub struct Guild {
    /// For joins; `id` is what others are told.
    pub num: GuildNum,
    /// Stays when name and address change.
    pub id: GuildId,
    /// Belongs to one Org at a time.
    pub discord_guild_id: DiscordId,
    /// The address of its link page, unique among all.
    pub slug: String,
    /// As its people call it.
    pub name: String,
    /// Where linked and unlinked messages go; none switches them off.
    pub log_channel_id: Option<String>,
    /// A counter, changed with the links in the same transaction.
    pub active_links: i64,
    /// One more with every save of its settings.
    pub revision: i64,
    /// The colour of its link page.
    pub accent: Accent,
    /// The digest of its picture.
    pub picture: Option<String>,
}

impl FromRow for Guild {
    const COLUMNS: &'static str = "num, id, discord_guild_id, slug, name, log_channel_id, active_links, revision, accent, \
         (SELECT digest FROM pictures WHERE owner = guilds.id)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: GuildNum(row.int(0)?),
            id: row.parse(1, GuildId::parse)?,
            discord_guild_id: row.parse(2, DiscordId::parse)?,
            slug: row.text(3)?,
            name: row.text(4)?,
            log_channel_id: row.opt_text(5)?,
            active_links: row.int(6)?,
            revision: row.int(7)?,
            accent: columns::accent(row, 8)?,
            picture: row.opt_text(9)?,
        })
    }
}

/// A Guild to be added. Its place in the plan is counted before.
pub struct NewGuild<'a> {
    /// Made before the unit.
    pub id: &'a GuildId,
    /// One that is taken breaks a unique index.
    pub discord_guild_id: &'a DiscordId,
    /// One that is taken breaks a unique index.
    pub slug: &'a str,
    /// Need not be unique.
    pub name: &'a str,
    /// None switches log messages off.
    pub log_channel_id: Option<&'a str>,
    /// When it was claimed.
    pub now_ms: i64,
}

/// Adds a Guild. Under the Org's lock; counters are the caller's.
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

/// A Guild of the Org by its public id.
pub async fn find(db: &Db, scope: OrgScope, id: &GuildId) -> Result<Option<Guild>, DbError> {
    db.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, id: &GuildId) -> Result<Option<Guild>, DbError> {
    tx.find(&BY_ID, params![scope.num(), id.as_str()]).await
}

/// A Guild by its number, removed or not: whoever pays for it pays all the same.
pub async fn find_num(tx: &mut Tx<'_>, scope: OrgScope, id: &GuildId) -> Result<Option<GuildNum>, DbError> {
    let num: Option<i64> = tx.find(&NUM_OF, params![scope.num(), id.as_str()]).await?;
    Ok(num.map(GuildNum))
}

/// The Org a Guild belongs to, for operators who name only the Guild.
pub async fn find_org(db: &Db, id: &GuildId) -> Result<Option<OrgScope>, DbError> {
    Ok(db
        .find::<i64>(&ORG_OF, params![id.as_str()])
        .await?
        .map(OrgScope::new))
}

/// The Guilds of an Org, oldest first, 100 at most.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Guild>, DbError> {
    db.list(&BY_ORG, params![scope.num()]).await
}

/// The same inside a unit of work.
pub async fn list_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<Guild>, DbError> {
    tx.list(&BY_ORG, params![scope.num()]).await
}

/// Takes the Org's lock for a change in one of its Guilds, which may be gone since the caller looked.
pub async fn lock(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<LockedOrg, DbError> {
    let org = orgs::lock(tx, scope).await?;
    let alive = tx.find::<i64>(&ALIVE, params![scope.num(), guild]).await?;
    alive.map(|_| org).ok_or(DbError::Gone)
}

/// The id of a Guild whose number the unit has.
pub async fn get_id(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<GuildId, DbError> {
    let id: String = tx.get(&ID_OF, params![scope.num(), guild]).await?;
    GuildId::parse(&id).map_err(|error| DbError::Bug(format!("a Guild's id: {error}")))
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

/// A Guild that is gone and may have left something behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovedGuild {
    /// Of the row that stays, for links and history.
    pub num: GuildNum,
    /// From then on nobody saw it any more.
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

/// For the job that ends its links; none while the Guild is there.
pub async fn find_removed(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &GuildId,
) -> Result<Option<RemovedGuild>, DbError> {
    tx.find(&REMOVED, params![scope.num(), id.as_str()]).await
}

/// Counts a save of the settings, or refuses one that began from another revision. Under the Org's lock.
pub async fn touch(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum, seen: i64) -> Result<(), DbError> {
    tx.execute_unless_stale(&TOUCH, params![scope.num(), guild, seen])
        .await
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

/// Gives the link page of a Guild another colour.
pub async fn set_accent(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    accent: Accent,
) -> Result<(), DbError> {
    tx.execute_one(&SET_ACCENT, params![scope.num(), guild, accent.as_str()])
        .await
}

/// How many active links the Guild of a key has.
pub async fn find_active_links(db: &Db, guild: GuildNum) -> Result<Option<i64>, DbError> {
    db.find(&ACTIVE_LINKS, params![guild]).await
}
