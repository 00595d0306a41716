//! What was last read of each Guild on Discord.

use domain::bot::BotId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    FIND: GuildBot = "
        SELECT {columns}
        FROM guild_bots
        WHERE guild_num = $2 AND org_num = $1";
    LIST: Listed = "
        SELECT {columns}
        FROM guilds g
        JOIN guild_bots b ON b.guild_num = g.num
        WHERE g.org_num = $1 AND g.removed_at IS NULL
        ORDER BY g.num
        LIMIT 1000";
    SET_FACTS = "
        INSERT INTO guild_bots (guild_num, org_num, present, permissions, top_position, checked_at, bot_id)
        VALUES ($2, $1, $3, $4, $5, $6, $7)
        ON CONFLICT (guild_num) DO UPDATE SET
            present = excluded.present,
            permissions = excluded.permissions,
            top_position = excluded.top_position,
            checked_at = excluded.checked_at,
            bot_id = excluded.bot_id,
            commands_hash = CASE WHEN excluded.present = 1 THEN guild_bots.commands_hash END,
            commands_at = CASE WHEN excluded.present = 1 THEN guild_bots.commands_at END";
    SET_LOG_PROBLEM = "
        INSERT INTO guild_bots (guild_num, org_num, log_problem, log_problem_at)
        VALUES ($2, $1, $3, $4)
        ON CONFLICT (guild_num) DO UPDATE SET
            log_problem = excluded.log_problem,
            log_problem_at = excluded.log_problem_at";
    SET_COMMANDS = "
        INSERT INTO guild_bots (guild_num, org_num, commands_hash, commands_at)
        VALUES ($2, $1, $3, $4)
        ON CONFLICT (guild_num) DO UPDATE SET
            commands_hash = excluded.commands_hash,
            commands_at = excluded.commands_at";
    SEEN = "
        INSERT INTO guild_bots (guild_num, org_num, last_event_at)
        VALUES ($2, $1, $3)
        ON CONFLICT (guild_num) DO UPDATE SET last_event_at = excluded.last_event_at";
    REMOVE = "
        DELETE FROM guild_bots
        WHERE guild_num = $2 AND org_num = $1";
}

/// A Guild as its bot sees it. What is none is not known yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuildBot {
    /// Whether the bot is in the Discord server.
    pub present: Option<bool>,
    /// Discord's bits, over the whole Discord server.
    pub permissions: Option<i64>,
    /// Of the bot's highest role.
    pub top_position: Option<i64>,
    /// When the facts above were read.
    pub checked_at_ms: Option<i64>,
    /// When the bot last heard of the Discord server.
    pub last_event_at_ms: Option<i64>,
    /// Why log messages do not arrive, and since when.
    pub log_problem: Option<(String, i64)>,
    /// Which commands were registered last.
    pub commands_hash: Option<String>,
    /// Which bot saw it: `platform`, or the Guild's own.
    pub seen_by: Option<String>,
}

impl FromRow for GuildBot {
    const COLUMNS: &'static str = "present, permissions, top_position, checked_at, last_event_at, log_problem, \
        log_problem_at, commands_hash, bot_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Self::at(row, 0)
    }
}

impl GuildBot {
    fn at(row: &Row<'_>, first: usize) -> Result<Self, DbError> {
        Ok(Self {
            present: row.opt_int(first)?.map(|present| present == 1),
            permissions: row.opt_int(first + 1)?,
            top_position: row.opt_int(first + 2)?,
            checked_at_ms: row.opt_int(first + 3)?,
            last_event_at_ms: row.opt_int(first + 4)?,
            log_problem: row.opt_text(first + 5)?.zip(row.opt_int(first + 6)?),
            commands_hash: row.opt_text(first + 7)?,
            seen_by: row.opt_text(first + 8)?,
        })
    }
}

struct Listed {
    guild: GuildNum,
    bot: GuildBot,
}

impl FromRow for Listed {
    const COLUMNS: &'static str = "b.guild_num, b.present, b.permissions, b.top_position, b.checked_at, \
        b.last_event_at, b.log_problem, b.log_problem_at, b.commands_hash, b.bot_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            guild: GuildNum(row.int(0)?),
            bot: GuildBot::at(row, 1)?,
        })
    }
}

/// What is known of the Guilds of an Org.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<(GuildNum, GuildBot)>, DbError> {
    let listed: Vec<Listed> = db.list(&LIST, params![scope.num()]).await?;
    Ok(listed.into_iter().map(|one| (one.guild, one.bot)).collect())
}

/// What is known of a Guild; none when nothing is.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<Option<GuildBot>, DbError> {
    tx.find(&FIND, params![scope.num(), guild]).await
}

/// What is known of a Guild; none when nothing is.
pub async fn find(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Option<GuildBot>, DbError> {
    db.find(&FIND, params![scope.num(), guild]).await
}

/// What was read just now.
pub struct Facts<'a> {
    /// Whether the bot is in the Discord server.
    pub present: bool,
    /// None when it is not there.
    pub permissions: Option<i64>,
    /// None when it is not there.
    pub top_position: Option<i64>,
    /// Which bot saw it.
    pub seen_by: &'a BotId,
    /// When that was.
    pub now_ms: i64,
}

/// Writes down what was read, in a unit that has locked the Guild.
pub async fn set_facts(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    facts: &Facts<'_>,
) -> Result<(), DbError> {
    let values = params![
        scope.num(),
        guild,
        facts.present,
        facts.permissions,
        facts.top_position,
        facts.now_ms,
        facts.seen_by.as_str()
    ];
    tx.execute_one(&SET_FACTS, values).await
}

/// Says why log messages do not arrive, or that they do, in a unit that has locked the Guild.
pub async fn set_log_problem(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    problem: Option<&str>,
    now_ms: i64,
) -> Result<(), DbError> {
    let values = params![scope.num(), guild, problem, problem.map(|_| now_ms)];
    tx.execute_one(&SET_LOG_PROBLEM, values).await
}

/// Writes down which commands the Discord server has now, in a unit that has locked the Guild.
pub async fn set_commands(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    hash: &str,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute_one(&SET_COMMANDS, params![scope.num(), guild, hash, now_ms])
        .await
}

/// Writes down that the bot heard of the Discord server, in a unit that has locked the Guild.
pub async fn note_event(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute_one(&SEEN, params![scope.num(), guild, now_ms]).await
}

/// Forgets a removed Guild.
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<u64, DbError> {
    tx.execute(&REMOVE, params![scope.num(), guild]).await
}
