//! What the processes of bots say of themselves, and how often they begin a session on Discord's gateway.

use crate::bots::register::bot_id;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::jobs::Moment;
use crate::params;
use crate::scope::BotNum;
use domain::bot::BotId;
use domain::runner::Step;

/// A process that is not heard of for this long is gone.
pub const SILENT_MS: i64 = 15_000;
const DAY_MS: i64 = 86_400_000;

statements! {
    LOCK: Heard = "
        SELECT {columns}
        FROM bots
        WHERE num = $1
        FOR UPDATE";
    REPORT = "
        UPDATE bots
        SET instance = $2, state = $3, failure = $4, bot_user_id = COALESCE($5, bot_user_id), guilds = $6,
            memory_bytes = $7, started_at = $8, heard_at = $9,
            online_at = CASE WHEN CAST($10 AS BIGINT) = 1 THEN $9 ELSE online_at END
        WHERE num = $1";
    /// Of a Guild's own bot, by its account.
    STEP = "
        SELECT step
        FROM dedicated_bots
        WHERE bot_user_id = $1";
    /// A token that was rejected says nothing about the next one.
    FORGET_REJECTION = "
        UPDATE bots
        SET failure = NULL
        WHERE id = $1 AND failure = 'token_rejected'";
    SHARED_ACCOUNT = "
        SELECT bot_user_id
        FROM bots
        WHERE id = 'platform' AND bot_user_id IS NOT NULL";
    TWICE = "
        UPDATE bots
        SET twice_at = $2
        WHERE num = $1";
    IDENTIFY = "
        UPDATE bots
        SET identify_day = $2, identifies = $3
        WHERE num = $1";
    ALL: BotStatus = "
        SELECT {columns}
        FROM bots
        ORDER BY num
        LIMIT 1000";
}

/// What was last heard of a bot.
struct Heard {
    id: BotId,
    instance: Option<String>,
    is_stopped: bool,
    heard_at_ms: Option<i64>,
    twice_at_ms: Option<i64>,
    identify_day: i64,
    identifies: i64,
}

impl FromRow for Heard {
    const COLUMNS: &'static str = "instance, state, heard_at, twice_at, identify_day, identifies, id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            instance: row.opt_text(0)?,
            is_stopped: row.opt_text(1)?.as_deref() == Some("stopped"),
            heard_at_ms: row.opt_int(2)?,
            twice_at_ms: row.opt_int(3)?,
            identify_day: row.int(4)?,
            identifies: row.int(5)?,
            id: bot_id(row, 6)?,
        })
    }
}

impl Heard {
    /// Whether another process than this one has the bot.
    fn is_anothers(&self, instance: &str, now_ms: i64) -> bool {
        let is_alive = self.heard_at_ms.is_some_and(|at_ms| now_ms - at_ms < SILENT_MS);
        is_alive && !self.is_stopped && self.instance.as_deref().is_some_and(|other| other != instance)
    }

    /// Whether nothing is to run for the bot: it is paused or has failed.
    async fn rests(&self, tx: &mut Tx<'_>) -> Result<bool, DbError> {
        let step = match &self.id {
            BotId::Platform => None,
            BotId::Dedicated(account) => step_of(tx, account.as_str()).await?,
        };
        Ok(matches!(step, Some(Step::Paused | Step::Failed)))
    }

    /// Whether this process may still be there. Of a bot that rests only the one that is being ended: what somebody
    /// lost sight of does not become it again.
    fn is_let_in(&self, instance: &str, rests: bool) -> bool {
        !rests || self.instance.as_deref() == Some(instance)
    }
}

async fn step_of(tx: &mut Tx<'_>, account: &str) -> Result<Option<Step>, DbError> {
    let step: Option<String> = tx.find(&STEP, params![account]).await?;
    Ok(step.as_deref().and_then(Step::parse))
}

/// What a process says.
pub struct Report<'a> {
    /// Which process it is. Those that one node starts, one after the other, have the same name.
    pub instance: &'a str,
    /// `connecting`, `online` or `stopped`.
    pub state: &'a str,
    /// Why it cannot be online.
    pub failure: Option<&'a str>,
    /// The account on Discord, once it is known.
    pub bot_user_id: Option<&'a str>,
    /// Discord servers that it is in.
    pub guilds: i64,
    /// Of its process.
    pub memory_bytes: i64,
    /// Of its process, by its own clock.
    pub started_at_ms: i64,
}

/// Whether a process is the one that a bot has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is.
    Alone,
    /// It is, and another one came under the same secret a moment ago.
    Disputed,
    /// Another one is.
    Second,
}

/// Writes down what a process says, unless another one has the bot.
pub async fn report(
    tx: &mut Tx<'_>,
    bot: BotNum,
    report: &Report<'_>,
    moment: Moment,
) -> Result<Standing, DbError> {
    let now_ms = moment.read(tx).await?;
    let heard: Heard = tx.get(&LOCK, params![bot]).await?;
    let is_of_a_guild = match (&heard.id, report.bot_user_id) {
        // Whoever runs the service was given the token of a Guild's own bot.
        (BotId::Platform, Some(account)) => step_of(tx, account).await?.is_some(),
        (BotId::Platform, None) | (BotId::Dedicated(_), _) => false,
    };
    if is_of_a_guild || heard.is_anothers(report.instance, now_ms) {
        tx.execute_one(&TWICE, params![bot, now_ms]).await?;
        return Ok(Standing::Second);
    }
    let rests = heard.rests(tx).await?;
    if !heard.is_let_in(report.instance, rests) {
        return Ok(Standing::Second);
    }
    // Where it cannot serve its Guild, or is not to any more, it is not online.
    let is_online = report.state == "online" && report.failure != Some("not_in_guild") && !rests;
    let values = params![
        bot,
        report.instance,
        report.state,
        report.failure,
        report.bot_user_id,
        report.guilds,
        report.memory_bytes,
        report.started_at_ms,
        now_ms,
        is_online
    ];
    tx.execute_one(&REPORT, values).await?;
    let is_disputed = heard.twice_at_ms.is_some_and(|at_ms| now_ms - at_ms < SILENT_MS);
    Ok(if is_disputed {
        Standing::Disputed
    } else {
        Standing::Alone
    })
}

/// A bot gets another token.
pub async fn forget_rejection(tx: &mut Tx<'_>, bot: &BotId) -> Result<(), DbError> {
    tx.execute(&FORGET_REJECTION, params![bot.as_str()]).await?;
    Ok(())
}

/// The shared bot's account on Discord, once its process has said it.
pub async fn find_shared_account(db: &Db) -> Result<Option<String>, DbError> {
    db.find(&SHARED_ACCOUNT, params![]).await
}

/// Whether a bot may begin a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identify {
    /// It may; so many it began today.
    Counted(i64),
    /// It began too many today; how long the day goes on.
    Exhausted(i64),
    /// Another process has the bot.
    Second,
}

/// Counts a new session of a bot, if it has begun fewer than `most` today.
pub async fn count_identify(
    tx: &mut Tx<'_>,
    bot: BotNum,
    instance: &str,
    most: i64,
    moment: Moment,
) -> Result<Identify, DbError> {
    let now_ms = moment.read(tx).await?;
    let heard: Heard = tx.get(&LOCK, params![bot]).await?;
    if heard.is_anothers(instance, now_ms) {
        tx.execute_one(&TWICE, params![bot, now_ms]).await?;
        return Ok(Identify::Second);
    }
    let rests = heard.rests(tx).await?;
    if !heard.is_let_in(instance, rests) {
        return Ok(Identify::Second);
    }
    let day = now_ms.div_euclid(DAY_MS);
    let before = if heard.identify_day == day {
        heard.identifies
    } else {
        0
    };
    if before >= most {
        return Ok(Identify::Exhausted((day + 1) * DAY_MS - now_ms));
    }
    tx.execute_one(&IDENTIFY, params![bot, day, before + 1]).await?;
    Ok(Identify::Counted(before + 1))
}

/// What operators see of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotStatus {
    /// Which one.
    pub id: BotId,
    /// Its account on Discord, once it was there.
    pub bot_user_id: Option<String>,
    /// None until a process was heard of.
    pub state: Option<String>,
    /// Why it cannot be online.
    pub failure: Option<String>,
    /// Discord servers that it is in.
    pub guilds: i64,
    /// Of its process.
    pub memory_bytes: i64,
    /// When its process was last heard of.
    pub heard_at_ms: Option<i64>,
    /// When it was last heard of as online.
    pub online_at_ms: Option<i64>,
    /// When it was made.
    pub created_at_ms: i64,
    /// When a second process came under its secret.
    pub twice_at_ms: Option<i64>,
    /// The day in UTC that `identifies` is of.
    pub identify_day: i64,
    /// Sessions that it began on that day.
    pub identifies: i64,
    /// Whether it is a Guild's own that the service runs.
    pub is_hosted: bool,
}

impl FromRow for BotStatus {
    const COLUMNS: &'static str = "id, bot_user_id, state, failure, guilds, memory_bytes, heard_at, online_at, \
        twice_at, identify_day, identifies, created_at, \
        CAST(CASE WHEN EXISTS (SELECT 1 FROM dedicated_bots d WHERE d.bot_user_id = bots.id) THEN 1 ELSE 0 END AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            created_at_ms: row.int(11)?,
            is_hosted: row.flag(12)?,
            id: bot_id(row, 0)?,
            bot_user_id: row.opt_text(1)?,
            state: row.opt_text(2)?,
            failure: row.opt_text(3)?,
            guilds: row.int(4)?,
            memory_bytes: row.int(5)?,
            heard_at_ms: row.opt_int(6)?,
            online_at_ms: row.opt_int(7)?,
            twice_at_ms: row.opt_int(8)?,
            identify_day: row.int(9)?,
            identifies: row.int(10)?,
        })
    }
}

/// All of them, 1,000 at most.
pub async fn list(db: &Db) -> Result<Vec<BotStatus>, DbError> {
    db.list_heavy(&ALL, params![]).await
}
