//! What the process of a bot says of itself, and when it may begin a session on Discord's gateway.

use domain::bot::{BotFailure, BotState};
use domain::platform_id::DiscordId;
use storage::bots::guild_lists;
use storage::bots::processes::{self, Identify, Standing};
use storage::bots::register::HeldBot;
use storage::jobs::Moment;
use storage::{BotNum, NoOrg, Tx, Work};

use crate::error::{AppError, BotsError};
use crate::state::App;

/// New sessions of a bot in a day. Discord ends a token after a thousand; one that resumes begins a few.
pub const MOST_IDENTIFIES: i64 = 50;
/// Operators are told from here on.
pub(crate) const MANY_IDENTIFIES: i64 = 20;
/// Left to people who have to start a bot by hand.
const KEPT_IDENTIFIES: i64 = 10;
const LONGEST_WAIT_MS: i64 = 24 * 60 * 60_000;

/// What a process says every five seconds.
#[derive(Debug, Clone)]
pub struct Report {
    /// Which process it is: 16 hex characters.
    pub instance: String,
    /// How far it is.
    pub state: BotState,
    /// Why it cannot be online.
    pub failure: Option<BotFailure>,
    /// Its account on Discord, once it knows it.
    pub bot_user_id: Option<DiscordId>,
    /// Discord servers that it is in.
    pub guilds: i64,
    /// Of the process.
    pub memory_bytes: i64,
    /// By its own clock.
    pub started_at_ms: i64,
}

/// What it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    /// People who are linked in the Guilds that it serves, for its presence.
    pub linked: i64,
    /// Nobody else came under the same secret of late.
    pub is_alone: bool,
}

/// Writes down what a process says. Another one that is alive has the bot: `BOT_RUNS_TWICE`.
pub async fn report(app: &App, bot: &HeldBot, report: Report) -> Result<Heard, AppError> {
    app.memories.child.heard(&report.instance, app.clock.steady_ms());
    let work = Say {
        bot: bot.num,
        report,
        moment: app.moment(),
    };
    let standing = app.db.write(work).await?;
    if standing == Standing::Second {
        return Err(BotsError::RunsTwice.into());
    }
    let linked = match bot.guild {
        Some((_, guild)) => guild_lists::count_linked_own(&app.db, guild).await?,
        None => guild_lists::count_linked_shared(&app.db, app.shared_now_ms().await).await?,
    };
    Ok(Heard {
        linked,
        is_alone: standing == Standing::Alone,
    })
}

/// Lets a bot begin a session and counts it. `remaining` and `reset_after_ms` are what Discord said about its limit.
pub async fn identify(
    app: &App,
    bot: &HeldBot,
    instance: String,
    remaining: i64,
    reset_after_ms: i64,
) -> Result<(), AppError> {
    if remaining < KEPT_IDENTIFIES {
        let retry_after_ms = reset_after_ms.clamp(1_000, LONGEST_WAIT_MS);
        return Err(BotsError::IdentifyBudget { retry_after_ms }.into());
    }
    let work = Begin {
        bot: bot.num,
        instance,
        moment: app.moment(),
    };
    match app.db.write(work).await? {
        Identify::Counted(_) => Ok(()),
        Identify::Exhausted(retry_after_ms) => Err(BotsError::IdentifyBudget { retry_after_ms }.into()),
        Identify::Second => Err(BotsError::RunsTwice.into()),
    }
}

struct Say {
    bot: BotNum,
    report: Report,
    moment: Moment,
}

impl Work for Say {
    type For = NoOrg;
    type Output = Standing;
    type Error = AppError;
    const NAME: &'static str = "hear_of_bot";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Standing, AppError> {
        let report = processes::Report {
            instance: &self.report.instance,
            state: self.report.state.as_str(),
            failure: self.report.failure.map(BotFailure::as_str),
            bot_user_id: self.report.bot_user_id.as_ref().map(DiscordId::as_str),
            guilds: self.report.guilds,
            memory_bytes: self.report.memory_bytes,
            started_at_ms: self.report.started_at_ms,
        };
        Ok(processes::report(tx, self.bot, &report, self.moment).await?)
    }
}

struct Begin {
    bot: BotNum,
    instance: String,
    moment: Moment,
}

impl Work for Begin {
    type For = NoOrg;
    type Output = Identify;
    type Error = AppError;
    const NAME: &'static str = "count_identify";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Identify, AppError> {
        let counted = processes::count_identify(tx, self.bot, &self.instance, MOST_IDENTIFIES, self.moment);
        Ok(counted.await?)
    }
}
