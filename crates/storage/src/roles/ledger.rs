//! Every change of a role or a group, by our own ids.

use domain::erased::is_erased;
use domain::id::{LinkId, ServerId};
use domain::platform_id::{DiscordId, EitherId, SteamId};
use domain::roles::{Cause, Change, Outcome, Side, Source};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope, ServerNum};

/// Changes in one page.
pub const PAGE: i64 = 50;

statements! {
    WRITE = "
        INSERT INTO role_ledger (guild_num, org_num, link_num, server_num, side, change, role_id, group_name, source, rule,
            cause, was, became, result, reason, at)
        VALUES ($2, $1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    OF_GUILD: Entry = "
        SELECT {columns}
        FROM role_ledger e
        JOIN links l ON l.num = e.link_num
        LEFT JOIN servers s ON s.num = e.server_num AND s.removed_at IS NULL
        WHERE e.guild_num = $2 AND e.org_num = $1 AND e.num < $3
        ORDER BY e.num DESC
        LIMIT $4";
    OF_DISCORD: Entry = "
        SELECT {columns}
        FROM links l
        CROSS JOIN role_ledger e ON e.link_num = l.num
        LEFT JOIN servers s ON s.num = e.server_num AND s.removed_at IS NULL
        WHERE l.guild_num = $2 AND l.org_num = $1 AND l.discord_id = $5 AND e.num < $3
        ORDER BY e.num DESC
        LIMIT $4" postgres "
        SELECT {columns}
        FROM links l
        JOIN role_ledger e ON e.link_num = l.num
        LEFT JOIN servers s ON s.num = e.server_num AND s.removed_at IS NULL
        WHERE l.guild_num = $2 AND l.org_num = $1 AND l.discord_id = $5 AND e.num < $3
        ORDER BY e.num DESC
        LIMIT $4";
    OF_STEAM: Entry = "
        SELECT {columns}
        FROM links l
        CROSS JOIN role_ledger e ON e.link_num = l.num
        LEFT JOIN servers s ON s.num = e.server_num AND s.removed_at IS NULL
        WHERE l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = $5 AND e.num < $3
        ORDER BY e.num DESC
        LIMIT $4" postgres "
        SELECT {columns}
        FROM links l
        JOIN role_ledger e ON e.link_num = l.num
        LEFT JOIN servers s ON s.num = e.server_num AND s.removed_at IS NULL
        WHERE l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = $5 AND e.num < $3
        ORDER BY e.num DESC
        LIMIT $4";
    SHOWN = "
        UPDATE role_ledger
        SET result = 'done'
        WHERE link_num = $1 AND server_num = $2 AND group_name = $3 AND result = 'waiting'";
    END_SHOWN = "
        UPDATE role_ledger
        SET result = 'done'
        WHERE link_num IN (
            SELECT l.num
            FROM links l
            WHERE l.org_num = (SELECT g.org_num FROM guilds g WHERE g.num = $1) AND l.steam_id = $3 AND +l.guild_num = $1)
          AND server_num = $2 AND group_name = $4 AND source = 'end' AND result = 'waiting'";
    WITHDRAWN = "
        UPDATE role_ledger
        SET result = 'cannot', reason = 'withdrawn'
        WHERE link_num = $1 AND server_num = $2 AND group_name = $3 AND result = 'waiting'";
    PURGE = "
        DELETE FROM role_ledger
        WHERE num IN (SELECT num FROM role_ledger WHERE at < $1 ORDER BY at LIMIT 500)";
    FORGET = "
        DELETE FROM role_ledger
        WHERE num IN (SELECT num FROM role_ledger WHERE guild_num = $2 AND org_num = $1 ORDER BY num LIMIT $3)";
}

/// A change to be written down.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// Whose it is.
    pub link_num: i64,
    /// Of a change in the game.
    pub server: Option<ServerNum>,
    /// Where it happened.
    pub side: Side,
    /// What was done.
    pub change: Change,
    /// On Discord.
    pub role: Option<&'a DiscordId>,
    /// In the game.
    pub group: Option<&'a str>,
    /// What wanted it.
    pub source: Source,
    /// The rule in words, as it was then.
    pub rule: Option<&'a str>,
    /// Why they were looked at.
    pub cause: Cause,
    /// Whether it was there before, where that is known.
    pub was: Option<bool>,
    /// Whether it is there now, where that is known.
    pub became: Option<bool>,
    /// What became of it.
    pub result: Outcome,
    /// Why it could not be done.
    pub reason: Option<&'a str>,
    /// When.
    pub at_ms: i64,
}

/// Writes a change down.
pub async fn write(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    line: &Line<'_>,
) -> Result<(), DbError> {
    let values = params![
        scope.num(),
        guild,
        line.link_num,
        line.server.map(|server| server.0),
        line.side.as_str(),
        line.change.as_str(),
        line.role.map(DiscordId::as_str),
        line.group,
        line.source.as_str(),
        line.rule,
        line.cause.as_str(),
        line.was.map(i64::from),
        line.became.map(i64::from),
        line.result.as_str(),
        line.reason,
        line.at_ms,
    ];
    tx.execute_one(&WRITE, values).await
}

/// The game server shows a change that was waited for.
pub async fn note_shown(
    tx: &mut Tx<'_>,
    link_num: i64,
    server: ServerNum,
    group: &str,
) -> Result<(), DbError> {
    tx.execute(&SHOWN, params![link_num, server, group])
        .await
        .map(drop)
}

/// The game server shows that what the end of a link takes back is gone. Whose link it was is told by the player.
pub async fn note_end_shown(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    server: ServerNum,
    player: &str,
    group: &str,
) -> Result<(), DbError> {
    tx.execute(&END_SHOWN, params![guild, server, player, group])
        .await
        .map(drop)
}

/// The rule went before the plugin saw what it asked for.
pub async fn note_withdrawn(
    tx: &mut Tx<'_>,
    link_num: i64,
    server: ServerNum,
    group: &str,
) -> Result<(), DbError> {
    tx.execute(&WITHDRAWN, params![link_num, server, group])
        .await
        .map(drop)
}

/// A change as it is told.
#[derive(Debug, Clone)]
pub struct Entry {
    /// In the order of changes.
    pub num: i64,
    /// Whose it is.
    pub link: LinkId,
    /// Of the link; none where the account was erased.
    pub discord_id: Option<DiscordId>,
    /// As they were called, where that is known.
    pub discord_name: Option<String>,
    /// Of the link; none where the account was erased.
    pub steam_id: Option<SteamId>,
    /// As they were called, where that is known.
    pub steam_name: Option<String>,
    /// Of a change in the game, while the Server is there.
    pub server: Option<(ServerId, String)>,
    /// Where it happened.
    pub side: Side,
    /// What was done.
    pub change: Change,
    /// On Discord.
    pub role_id: Option<String>,
    /// In the game.
    pub group: Option<String>,
    /// What wanted it.
    pub source: Source,
    /// The rule in words, as it was then.
    pub rule: Option<String>,
    /// Why they were looked at.
    pub cause: Cause,
    /// Whether it was there before.
    pub was: Option<bool>,
    /// Whether it is there now.
    pub became: Option<bool>,
    /// What became of it.
    pub result: Outcome,
    /// Why it could not be done.
    pub reason: Option<String>,
    /// When.
    pub at_ms: i64,
}

impl FromRow for Entry {
    const COLUMNS: &'static str = "e.num, l.id, l.discord_id, l.steam_id, s.id, s.name, e.side, e.change, e.role_id, \
        e.group_name, e.source, e.rule, e.cause, e.was, e.became, e.result, e.reason, e.at, \
        l.discord_name, l.steam_name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let server = match (row.opt_text(4)?, row.opt_text(5)?) {
            (Some(_), Some(name)) => Some((row.parse(4, ServerId::parse)?, name)),
            (_, _) => None,
        };
        Ok(Self {
            num: row.int(0)?,
            link: row.parse(1, LinkId::parse)?,
            discord_id: match row.text(2)? {
                id if is_erased(&id) => None,
                _ => Some(row.parse(2, DiscordId::parse)?),
            },
            steam_id: match row.text(3)? {
                id if is_erased(&id) => None,
                _ => Some(row.parse(3, SteamId::parse)?),
            },
            server,
            side: row.parse(6, |text| Side::parse(text).ok_or("unknown side"))?,
            change: row.parse(7, |text| Change::parse(text).ok_or("unknown change"))?,
            role_id: row.opt_text(8)?,
            group: row.opt_text(9)?,
            source: row.parse(10, |text| Source::parse(text).ok_or("unknown source"))?,
            rule: row.opt_text(11)?,
            cause: row.parse(12, |text| Cause::parse(text).ok_or("unknown cause"))?,
            was: row.opt_int(13)?.map(|was| was == 1),
            became: row.opt_int(14)?.map(|became| became == 1),
            result: row.parse(15, |text| Outcome::parse(text).ok_or("unknown result"))?,
            reason: row.opt_text(16)?,
            at_ms: row.int(17)?,
            discord_name: row.opt_text(18)?,
            steam_name: row.opt_text(19)?,
        })
    }
}

/// A page of changes before this one, the newest first; of one person, or of everybody.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    guild: GuildNum,
    member: Option<&EitherId>,
    before: i64,
) -> Result<Vec<Entry>, DbError> {
    let org = scope.num();
    match member {
        None => db.list_heavy(&OF_GUILD, params![org, guild, before, PAGE]).await,
        Some(EitherId::Discord(id)) => {
            let values = params![org, guild, before, PAGE, id.as_str()];
            db.list_heavy(&OF_DISCORD, values).await
        }
        Some(EitherId::Steam(id)) => {
            let values = params![org, guild, before, PAGE, id.as_str()];
            db.list_heavy(&OF_STEAM, values).await
        }
    }
}

/// Removes some hundred changes that are older than this.
pub async fn purge(tx: &mut Tx<'_>, before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![before_ms]).await
}

/// Forgets up to `limit` changes of a removed Guild.
pub async fn forget_slice(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    tx.execute(&FORGET, params![scope.num(), guild, limit]).await
}
