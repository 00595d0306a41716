//! The end of what is held about an account: a digest stands in its place in ended links, and all else goes. Everything of an
//! Org is written under its lock.

use domain::blocklist::BlockEntry;
use domain::erased::Tombstone;
use domain::id::GuildId;
use domain::link::ActiveLink;
use domain::platform_id::{DiscordId, EitherId, SteamId};

use crate::db::statement::statements;
use crate::db::{DbError, FromRow, Row, Statement, Tx};
use crate::linking::flows::LeftToken;
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    LINKED_DISCORD: Standing = "
        SELECT {columns}
        FROM links l
        JOIN guilds g ON g.num = l.guild_num
        WHERE l.org_num = $1 AND l.discord_id = $2 AND l.ended_at IS NULL
        ORDER BY l.num";
    LINKED_STEAM: Standing = "
        SELECT {columns}
        FROM links l
        JOIN guilds g ON g.num = l.guild_num
        WHERE l.org_num = $1 AND l.steam_id = $2 AND l.ended_at IS NULL
        ORDER BY l.num";
    GUILDS: PlaceOfOrg = "
        SELECT {columns}
        FROM guilds g
        WHERE g.org_num = $1
        ORDER BY g.num";
    /// Whoever writes down what a game server says of players holds its Server.
    LOCK_SERVERS = "
        SELECT num
        FROM servers
        WHERE org_num = $1
        ORDER BY num
        FOR UPDATE";
    DISCORD_IN_LINKS = "
        UPDATE links
        SET discord_id = $3, discord_name = NULL, nickname = NULL, nickname_pending = 0, country = NULL
        WHERE org_num = $1 AND discord_id = $2";
    STEAM_IN_LINKS = "
        UPDATE links
        SET steam_id = $3, steam_name = NULL, nickname = NULL, nickname_pending = 0, country = NULL
        WHERE org_num = $1 AND steam_id = $2";
    OTHER_SIDES = "
        SELECT DISTINCT discord_id
        FROM links
        WHERE org_num = $1 AND steam_id = $2
        ORDER BY discord_id";
    PERSON = "
        DELETE FROM people
        WHERE org_num = $1 AND discord_id = $2";
    BOOSTS = "
        DELETE FROM boosters
        WHERE discord_id = $2 AND guild_num IN (SELECT num FROM guilds WHERE org_num = $1)";
    MARKS = "
        DELETE FROM role_marks
        WHERE discord_id = $2 AND guild_num IN (SELECT num FROM guilds WHERE org_num = $1)";
    GRANTS = "
        DELETE FROM role_grants
        WHERE discord_id = $2 AND guild_num IN (SELECT num FROM guilds WHERE org_num = $1)";
    MEMBERS = "
        DELETE FROM role_members
        WHERE discord_id = $2 AND guild_num IN (SELECT num FROM guilds WHERE org_num = $1)";
    ON_SERVERS = "
        DELETE FROM server_players
        WHERE org_num = $1 AND steam_id = $2";
    SEEN = "
        DELETE FROM player_seen
        WHERE org_num = $1 AND steam_id = $2";
    PLAYER_MARK = "
        DELETE FROM person_marks
        WHERE org_num = $1 AND steam_id = $2";
    /// What we put there is taken back when a plugin asks about the player, whose digest is then known.
    CHANGES = "
        UPDATE group_changes
        SET steam_id = $3, taken_at = NULL
        WHERE steam_id = $2 AND rule = 'end' AND server_num IN (SELECT num FROM servers WHERE org_num = $1)
          AND NOT EXISTS (SELECT 1 FROM group_changes c
                          WHERE c.server_num = group_changes.server_num AND c.steam_id = $3 AND c.group_name = group_changes.group_name)";
    OTHER_CHANGES = "
        DELETE FROM group_changes
        WHERE steam_id = $2 AND server_num IN (SELECT num FROM servers WHERE org_num = $1)";
    IMPORT_ROWS = "
        DELETE FROM import_rows
        WHERE import_num IN (SELECT num FROM imports WHERE org_num = $1 AND has_rows = 1) AND body LIKE $2";
    FLOWS: FlowOf = "
        DELETE FROM flows
        WHERE (discord_id = $2 OR steam_id = $2) AND (CAST($1 AS BIGINT) = 0 OR org_num = $1)
        RETURNING {columns}";
    TRIPS = "
        DELETE FROM flow_trips
        WHERE discord_id = $1";
    /// Of two blocks the one that lasts longer stays.
    SHORTER_BLOCK = "
        DELETE FROM blocklist
        WHERE entry = $2 AND EXISTS (
            SELECT 1 FROM blocklist b
            WHERE b.entry = $1 AND (b.expires_at IS NULL OR b.expires_at >= blocklist.expires_at))";
    BLOCK = "
        UPDATE blocklist
        SET entry = $2
        WHERE entry = $1 AND NOT EXISTS (SELECT 1 FROM blocklist b WHERE b.entry = $2)";
    OLD_BLOCK = "
        DELETE FROM blocklist
        WHERE entry = $1";
}

/// A flow that was forgotten, with the token that it held.
struct FlowOf(Option<LeftToken>);

impl FromRow for FlowOf {
    const COLUMNS: &'static str = LeftToken::COLUMNS;

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let held = row.opt_text(1)?.is_some();
        Ok(Self(held.then(|| LeftToken::from_row(row)).transpose()?))
    }
}

/// A link that stands, and where.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The link.
    pub link: ActiveLink,
    /// Its Guild.
    pub guild: GuildNum,
    /// The same by its id.
    pub guild_id: GuildId,
    /// The Guild is gone, and the link goes with it in its turn.
    pub is_removed: bool,
}

impl FromRow for Standing {
    const COLUMNS: &'static str = "l.num, l.id, l.discord_id, l.steam_id, l.linked_at, g.num, g.id, \
        CAST(CASE WHEN g.removed_at IS NULL THEN 0 ELSE 1 END AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            link: ActiveLink::from_row(row)?,
            guild: GuildNum(row.int(5)?),
            guild_id: row.parse(6, GuildId::parse)?,
            is_removed: row.flag(7)?,
        })
    }
}

/// The links of an account that stand in an Org.
pub async fn list_standing(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    account: &EitherId,
) -> Result<Vec<Standing>, DbError> {
    let statement = match account {
        EitherId::Discord(_) => &LINKED_DISCORD,
        EitherId::Steam(_) => &LINKED_STEAM,
    };
    tx.list(statement, params![scope.num(), account.as_str()]).await
}

/// A Guild of an Org, also one that is gone.
#[derive(Debug, Clone)]
pub struct PlaceOfOrg {
    /// The Guild.
    pub num: GuildNum,
    /// The same by its id.
    pub id: GuildId,
    /// It is gone.
    pub is_removed: bool,
}

impl FromRow for PlaceOfOrg {
    const COLUMNS: &'static str =
        "g.num, g.id, CAST(CASE WHEN g.removed_at IS NULL THEN 0 ELSE 1 END AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: GuildNum(row.int(0)?),
            id: row.parse(1, GuildId::parse)?,
            is_removed: row.flag(2)?,
        })
    }
}

/// All Guilds that an Org has or had.
pub async fn list_guilds(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<PlaceOfOrg>, DbError> {
    tx.list(&GUILDS, params![scope.num()]).await
}

/// Waits for reports of game servers that are being written, and keeps others waiting until the end of the unit: they find
/// nobody then. After the Org's lock.
pub async fn lock_servers(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    let _: Vec<i64> = tx.list(&LOCK_SERVERS, params![scope.num()]).await?;
    Ok(())
}

/// Erases what an Org holds about an account on Discord. No link of it stands any more.
pub async fn erase_discord(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &DiscordId,
    tombstone: &Tombstone,
) -> Result<(), DbError> {
    let values = params![scope.num(), id.as_str(), tombstone.as_str()];
    tx.execute(&DISCORD_IN_LINKS, values).await?;
    let all: [&'static Statement; 5] = [&PERSON, &BOOSTS, &MARKS, &GRANTS, &MEMBERS];
    for statement in all {
        tx.execute(statement, params![scope.num(), id.as_str()]).await?;
    }
    forget_rows(tx, scope, id.as_str()).await
}

/// Erases what an Org holds about an account on Steam, and tells whose links it stood in. No link of it stands any more.
pub async fn erase_steam(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &SteamId,
    tombstone: &Tombstone,
) -> Result<Vec<String>, DbError> {
    for statement in [&STEAM_IN_LINKS, &CHANGES] {
        let values = params![scope.num(), id.as_str(), tombstone.as_str()];
        tx.execute(statement, values).await?;
    }
    for statement in [&OTHER_CHANGES, &ON_SERVERS, &SEEN, &PLAYER_MARK] {
        tx.execute(statement, params![scope.num(), id.as_str()]).await?;
    }
    forget_rows(tx, scope, id.as_str()).await?;
    tx.list(&OTHER_SIDES, params![scope.num(), tombstone.as_str()])
        .await
}

/// Rows of files that wait to be taken over, or were refused.
async fn forget_rows(tx: &mut Tx<'_>, scope: OrgScope, id: &str) -> Result<(), DbError> {
    let anywhere = ["%", id, "%"].concat();
    tx.execute(&IMPORT_ROWS, params![scope.num(), &anywhere])
        .await
        .map(drop)
}

/// Forgets sign-ins of an account that are under way, on the pages of an Org or on all, and tells which tokens they held.
pub async fn forget_flows(
    tx: &mut Tx<'_>,
    scope: Option<OrgScope>,
    account: &EitherId,
) -> Result<Vec<LeftToken>, DbError> {
    let org = scope.map_or(0, OrgScope::num);
    tx.execute(&TRIPS, params![account.as_str()]).await?;
    let left: Vec<FlowOf> = tx.list(&FLOWS, params![org, account.as_str()]).await?;
    Ok(left.into_iter().filter_map(|flow| flow.0).collect())
}

/// A block then stands for what remains of the account.
pub async fn erase_block(tx: &mut Tx<'_>, [plain, erased]: &[BlockEntry; 2]) -> Result<(), DbError> {
    for statement in [&SHORTER_BLOCK, &BLOCK] {
        tx.execute(statement, params![plain.as_str(), erased.as_str()])
            .await?;
    }
    tx.execute(&OLD_BLOCK, params![plain.as_str()]).await.map(drop)
}
