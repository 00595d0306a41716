//! What those who run Guilds' own bots read and write: which ones there are, who runs them, and how far they are.

use domain::bot::{BotFailure, BotId, BotState};
use domain::id::{BotId as OwnBotId, GuildId};
use domain::platform_id::DiscordId;
use domain::runner::{Reason, Restart, Runner, Step};

use super::guild_lists::HANDOVER_MS;
use super::leases::{LEASE_MS, Lease};
use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::jobs::Moment;
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    ALL: Seen = "
        SELECT {columns}
        FROM dedicated_bots d
        JOIN bots b ON b.id = d.bot_user_id
        JOIN guilds g ON g.num = d.guild_num
        LEFT JOIN guild_bots f ON f.guild_num = d.guild_num
        WHERE g.removed_at IS NULL
        ORDER BY d.num
        LIMIT 5000";
    /// Of a list of bots.
    TAKE_FREE = "
        UPDATE bots
        SET lease_owner = $1, lease_until = $3, fence = fence + 1
        WHERE (lease_until IS NULL OR lease_until <= $2) AND num IN (
            SELECT b.num
            FROM json_each($5) asked
            JOIN bots b ON b.id = asked.value
            WHERE b.lease_until IS NULL OR b.lease_until <= $2
            ORDER BY b.num
            LIMIT $4
        )" postgres "
        UPDATE bots
        SET lease_owner = $1, lease_until = $3, fence = fence + 1
        WHERE (lease_until IS NULL OR lease_until <= $2) AND num IN (
            SELECT b.num
            FROM bots b
            WHERE (b.lease_until IS NULL OR b.lease_until <= $2)
                AND b.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($5 AS TEXT) AS JSONB)) value))
            ORDER BY b.num
            LIMIT $4
        )";
    RENEW_ALL = "
        UPDATE bots
        SET lease_until = $2
        WHERE lease_owner = $1 AND kind = 'dedicated'";
    /// Of one process of the service that has ended, or of whichever there were.
    FREE_LEFT = "
        UPDATE bots
        SET lease_owner = NULL, lease_until = NULL, state = CASE WHEN instance = lease_owner THEN 'stopped' ELSE state END
        WHERE kind = 'dedicated' AND lease_owner IS NOT NULL AND (CAST($1 AS TEXT) IS NULL OR lease_owner = $1)";
    HOLD = "
        SELECT num
        FROM bots
        WHERE id = $1 AND lease_owner = $2 AND fence = $3
        FOR UPDATE";
    NOTE = "
        UPDATE dedicated_bots
        SET step = $4, reason = $5, attempts = $6, next_at = $7, exits = $8
        WHERE bot_user_id = $1 AND step = $2 AND token_version = $3";
    RESTARTED = "
        UPDATE dedicated_bots
        SET restarted_at = $2, restart_reason = $3
        WHERE bot_user_id = $1";
    /// What the process before this one said is no longer true. One that could not serve did not serve until now.
    BEGIN = "
        UPDATE bots
        SET instance = $2, state = 'connecting', failure = NULL, memory_bytes = 0, heard_at = $3, started_at = NULL,
            online_at = CASE WHEN COALESCE(failure, 'unreachable') IN ('intents_missing', 'unreachable') THEN online_at END
        WHERE id = $1";
    /// The shared bot serves its Guild from this commit on.
    HAND_BACK = "
        UPDATE bots
        SET online_at = NULL
        WHERE id = $1";
    /// No process is the bot's any more.
    ENDED = "
        UPDATE bots
        SET instance = CASE WHEN instance IS NOT NULL THEN '' END, state = CASE WHEN state IS NOT NULL THEN 'stopped' END,
            online_at = NULL, memory_bytes = 0, started_at = NULL
        WHERE id = $1";
}

/// A bot as whoever runs bots sees it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Ours.
    pub id: OwnBotId,
    /// Its account on Discord.
    pub bot_user_id: DiscordId,
    /// Whose it is.
    pub scope: OrgScope,
    /// The Guild that it is for.
    pub guild: GuildId,
    /// The row of that.
    pub guild_num: GuildNum,
    /// What Discord calls that.
    pub discord_guild_id: DiscordId,
    /// How far it is.
    pub runner: Runner,
    /// When its token was saved.
    pub token_saved_at_ms: i64,
    /// Whether somebody pays for it.
    pub is_paid: bool,
    /// Which node has it, under which fence.
    pub held_by: Option<(String, i64)>,
    /// Until when; whoever comes later takes it.
    pub held_until_ms: Option<i64>,
    /// Which process was heard of, how far that is, and what is wrong.
    pub said: Option<(String, BotState, Option<BotFailure>)>,
    /// When its process last said something.
    pub heard_at_ms: Option<i64>,
    /// When that began, by its own clock; none before its first word.
    pub started_at_ms: Option<i64>,
    /// When it was last heard of as online.
    pub online_at_ms: Option<i64>,
    /// Which bot saw what is known of the Guild on Discord.
    pub seen_by: Option<String>,
    /// Whether the commands that people are offered there are its own.
    pub offers_commands: bool,
}

impl FromRow for Seen {
    const COLUMNS: &'static str = "d.id, d.bot_user_id, d.org_num, g.id, g.num, d.step, d.reason, d.token_version, \
        d.attempts, d.next_at, d.exits, b.lease_owner, b.fence, b.instance, b.state, b.failure, b.online_at, f.bot_id, \
        CAST(CASE WHEN EXISTS (SELECT 1 FROM subscriptions s WHERE s.guild_num = d.guild_num AND s.org_num = d.org_num \
        AND s.bot = 1 AND s.status IN ('trialing', 'active', 'past_due')) THEN 1 ELSE 0 END AS BIGINT), g.discord_guild_id, \
        b.heard_at, b.lease_until, b.started_at, f.commands_hash, d.token_saved_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let state = row.opt_text(14)?.as_deref().and_then(BotState::parse);
        let failure = row.opt_text(15)?.as_deref().and_then(BotFailure::parse);
        let said = row.opt_text(13)?.zip(state);
        let bot_user_id = row.parse(1, DiscordId::parse)?;
        let commands = row.opt_text(23)?;
        let of_whom = commands.as_deref().and_then(|commands| commands.split_once(':'));
        Ok(Self {
            id: row.parse(0, OwnBotId::parse)?,
            offers_commands: of_whom.is_some_and(|(whose, _)| whose == bot_user_id.as_str()),
            bot_user_id,
            scope: OrgScope::new(row.int(2)?),
            guild: row.parse(3, GuildId::parse)?,
            guild_num: GuildNum(row.int(4)?),
            runner: Runner {
                step: step(row, 5)?,
                reason: reason(row, 6)?,
                token_version: row.int(7)?,
                attempts: row.int(8)?,
                next_at_ms: row.int(9)?,
                exits: exits(row, 10)?,
            },
            held_by: row.opt_text(11)?.zip(row.opt_int(12)?),
            said: said.map(|(instance, state)| (instance, state, failure)),
            online_at_ms: row.opt_int(16)?,
            seen_by: row.opt_text(17)?,
            is_paid: row.flag(18)?,
            discord_guild_id: row.parse(19, DiscordId::parse)?,
            heard_at_ms: row.opt_int(20)?,
            held_until_ms: row.opt_int(21)?,
            started_at_ms: row.opt_int(22)?,
            token_saved_at_ms: row.int(24)?,
        })
    }
}

impl Seen {
    /// Whether something may run for it that nobody has seen end.
    pub fn has_process(&self) -> bool {
        self.said
            .as_ref()
            .is_some_and(|(instance, ..)| !instance.is_empty())
    }

    /// Whether Discord told its last process that the token is none. One that began before the token was saved had another.
    pub fn was_rejected(&self) -> bool {
        let failure = self.said.as_ref().and_then(|(_, _, failure)| *failure);
        let had_it = self
            .started_at_ms
            .is_some_and(|at_ms| at_ms >= self.token_saved_at_ms);
        had_it && failure == Some(BotFailure::TokenRejected)
    }

    /// Whether a node can take it.
    pub fn is_free(&self, now_ms: i64) -> bool {
        self.held_until_ms.is_none_or(|until_ms| until_ms <= now_ms)
    }

    /// Which bot serves its Guild now.
    pub fn serving(&self, now_ms: i64) -> BotId {
        let failure = self.said.as_ref().and_then(|(_, _, failure)| *failure);
        let is_fit = failure
            .is_none_or(|failure| matches!(failure, BotFailure::IntentsMissing | BotFailure::Unreachable));
        if is_fit
            && self
                .online_at_ms
                .is_some_and(|at_ms| at_ms > now_ms - HANDOVER_MS)
        {
            BotId::Dedicated(self.bot_user_id.clone())
        } else {
            BotId::Platform
        }
    }
}

pub(super) fn step(row: &Row<'_>, column: usize) -> Result<Step, DbError> {
    let text = row.str(column)?;
    Step::parse(text).ok_or_else(|| DbError::Bug(format!("{text} is no step")))
}

pub(super) fn reason(row: &Row<'_>, column: usize) -> Result<Option<Reason>, DbError> {
    Ok(row.opt_text(column)?.as_deref().and_then(Reason::parse))
}

pub(super) fn exits(row: &Row<'_>, column: usize) -> Result<Vec<i64>, DbError> {
    serde_json::from_str(row.str(column)?).map_err(|error| DbError::Bug(error.to_string()))
}

/// All of them, 5,000 at most.
pub async fn list(db: &Db) -> Result<Vec<Seen>, DbError> {
    db.list_heavy(&ALL, params![]).await
}

/// Takes so many of these that nobody runs.
pub async fn take_free(
    tx: &mut Tx<'_>,
    owner: &str,
    bots: &[DiscordId],
    most: i64,
    moment: Moment,
) -> Result<u64, DbError> {
    let now_ms = moment.read(tx).await?;
    let list = json_list(bots.iter().map(DiscordId::as_str));
    let values = params![owner, now_ms, now_ms + LEASE_MS, most, &list];
    tx.execute(&TAKE_FREE, values).await
}

/// Keeps all that this node has.
pub async fn renew_all(tx: &mut Tx<'_>, owner: &str, moment: Moment) -> Result<u64, DbError> {
    let until_ms = moment.read(tx).await? + LEASE_MS;
    tx.execute(&RENEW_ALL, params![owner, until_ms]).await
}

/// Frees what a process of the service held that has ended, and all that it had started with it. None is for an embedded
/// database: nobody else can have had it.
pub async fn free_left(tx: &mut Tx<'_>, owner: Option<&str>) -> Result<u64, DbError> {
    tx.execute(&FREE_LEFT, params![owner]).await
}

/// Whether the bot is still this node's, and nobody takes it before the unit ends.
pub async fn hold(tx: &mut Tx<'_>, lease: &Lease) -> Result<bool, DbError> {
    let values = params![lease.bot.as_str(), &lease.owner, lease.fence];
    let held: Option<i64> = tx.find(&HOLD, values).await?;
    Ok(held.is_some())
}

/// Writes down how far a bot is, in a unit that holds it; false when somebody changed it meanwhile.
pub async fn note(tx: &mut Tx<'_>, bot: &BotId, from: &Runner, to: &Runner) -> Result<bool, DbError> {
    let exits = serde_json::to_string(&to.exits).map_err(|error| DbError::Bug(error.to_string()))?;
    let values = params![
        bot.as_str(),
        from.step.as_str(),
        from.token_version,
        to.step.as_str(),
        to.reason.map(Reason::as_str),
        to.attempts,
        to.next_at_ms,
        &exits
    ];
    Ok(tx.execute(&NOTE, values).await? == 1)
}

/// Writes down why it is started again, in a unit that holds it.
pub async fn note_restart(
    tx: &mut Tx<'_>,
    bot: &BotId,
    restart: Restart,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&RESTARTED, params![bot.as_str(), now_ms, restart.as_str()])
        .await?;
    Ok(())
}

/// A new process begins, in a unit that holds the bot.
pub async fn begin(tx: &mut Tx<'_>, bot: &BotId, instance: &str, moment: Moment) -> Result<(), DbError> {
    let now_ms = moment.read(tx).await?;
    tx.execute_one(&BEGIN, params![bot.as_str(), instance, now_ms])
        .await
}

/// The shared bot takes over at once, in a unit that holds the bot. Its own process may still answer.
pub async fn hand_back(tx: &mut Tx<'_>, bot: &BotId) -> Result<(), DbError> {
    tx.execute_one(&HAND_BACK, params![bot.as_str()]).await
}

/// Nothing runs for it any more, in a unit that holds the bot.
pub async fn end(tx: &mut Tx<'_>, bot: &BotId) -> Result<(), DbError> {
    tx.execute_one(&ENDED, params![bot.as_str()]).await
}
