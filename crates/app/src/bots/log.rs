//! Messages to the log channels of Guilds: sent in the order of the changes, several in one, and each once.

use std::time::Duration;

use domain::id::GuildId;
use domain::job::LaneKind;
pub use domain::log_message::LogProblem;
use domain::log_message::test;
use domain::platform_id::DiscordId;
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::{Asking, NotDone};
use serde_json::{Value, json};
use storage::bots::{guild_bots, places};
use storage::tenancy::guilds;
use storage::{GuildNum, OrgScope};

use super::log_batch::{Batch, Note, Noted, Prepare, Prepared, Settle, Tell};
use crate::error::{AppError, RequestError};
use crate::jobs::{self, Claimed, Outcome};
use crate::serving;
use crate::state::App;

/// How long a Guild's messages rest after one could not be posted.
const REST_MS: i64 = 10 * 60_000;
/// One test message of a Guild in this time.
const TEST_EVERY_MS: i64 = 10_000;
/// For an answer that does not say when to come back.
const SOON_MS: i64 = 5_000;

/// Where messages go.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub guild: GuildNum,
    pub discord_guild: DiscordId,
    pub channel: DiscordId,
}

/// Posts the next messages of a Guild as one.
pub(crate) async fn step(app: &App, claimed: &Claimed, guild: &GuildId) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let rest = Outcome::Later {
        after: Duration::from_millis(REST_MS.unsigned_abs()),
    };
    if app.platforms.discord_bot.is_none() {
        return Ok(rest);
    }
    let prepare = Prepare {
        held: claimed.held.clone(),
        guild: guild.clone(),
        now_ms: app.now_ms(),
    };
    let (target, batch) = match app.db.write_for(scope, prepare).await? {
        Prepared::Lost => return Ok(Outcome::Lost),
        Prepared::Nothing => return Ok(Outcome::Again),
        Prepared::Waits { target, batch } => (target, batch),
    };
    let Some(bot) = serving::find(app, target.guild).await? else {
        return Ok(rest);
    };
    let asking = Asking::in_background(scope.num(), &target.discord_guild).patiently();
    if batch.is_past_its_nonce(app.now_ms()) {
        // A second copy is the most that anybody gets.
        if batch.resent {
            return settle(app, claimed, scope, &target, batch, End::Unsure).await;
        }
        // Discord does not answer every message: ask for something that can be asked twice first.
        if let Err(not) = bot.is_channel_of(asking, &target.channel).await
            && problem_of(not).is_none()
        {
            return Ok(again(not.cause));
        }
        note(app, scope, &target, Noted::Resent).await?;
    }
    match post(app, &bot, asking, scope, &target, &batch).await? {
        Ok(()) => settle(app, claimed, scope, &target, batch, End::Posted).await,
        Err(not) => match problem_of(not) {
            Some(problem) => settle(app, claimed, scope, &target, batch, End::Problem(problem)).await,
            None => not_yet(app, scope, &target, not.cause).await,
        },
    }
}

/// What follows when nobody said yes or no.
async fn not_yet(
    app: &App,
    scope: OrgScope,
    target: &Target,
    cause: Unanswered,
) -> Result<Outcome, AppError> {
    if let Unanswered::Remembered { status: 401, .. } = cause {
        note(app, scope, target, Noted::TokenRejected).await?;
        return Ok(Outcome::Later {
            after: Duration::from_millis(REST_MS.unsigned_abs()),
        });
    }
    if may_have_arrived(cause) {
        note(app, scope, target, Noted::Unsure).await?;
    }
    Ok(again(cause))
}

async fn note(app: &App, scope: OrgScope, target: &Target, noted: Noted) -> Result<(), AppError> {
    let work = Note {
        guild: target.guild,
        noted,
        now_ms: app.now_ms(),
    };
    app.db.write_for(scope, work).await
}

/// Messages of a Guild that rest because of a problem go on, if there is one: something is other than it was.
pub(super) async fn wake(app: &App, scope: OrgScope, guild: GuildNum, id: &GuildId) -> Result<(), AppError> {
    let known = guild_bots::find(&app.db, scope, guild).await?;
    if known.and_then(|known| known.log_problem).is_some() {
        jobs::operate::wake_lane(app, scope, LaneKind::Log.of(id.as_str())).await?;
    }
    Ok(())
}

async fn post(
    app: &App,
    bot: &Rest,
    asking: Asking<'_>,
    scope: OrgScope,
    target: &Target,
    batch: &Batch,
) -> Result<Result<(), NotDone>, AppError> {
    let Ok(message) = serde_json::from_str::<Value>(&batch.body) else {
        return Err(AppError::internal("a stored message that is no JSON"));
    };
    if message["embeds"].as_array().is_none_or(Vec::is_empty) {
        return Ok(Ok(()));
    }
    if let Err(not) = refuse_foreign(app, bot, asking, scope, target).await? {
        return Ok(Err(not));
    }
    Ok(bot.post(asking, &target.channel, message, batch.num).await)
}

/// A channel of another Discord server gets none of this Guild's messages, whoever wrote it into the settings.
pub(super) async fn refuse_foreign(
    app: &App,
    bot: &Rest,
    asking: Asking<'_>,
    scope: OrgScope,
    target: &Target,
) -> Result<Result<(), NotDone>, AppError> {
    if places::is_channel(&app.db, scope, target.guild, &target.channel).await? {
        return Ok(Ok(()));
    }
    Ok(match bot.is_channel_of(asking, &target.channel).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(FOREIGN),
        Err(not) => Err(not),
    })
}

/// A number that Discord does not use: nobody was asked to post anything.
const FOREIGN: NotDone = NotDone {
    cause: Unanswered::Status(403),
    code: Some(u32::MAX),
};

/// What keeps a message from ever arriving; none for what may pass.
fn problem_of(not: NotDone) -> Option<LogProblem> {
    if not == FOREIGN {
        return Some(LogProblem::OtherServer);
    }
    match not.cause {
        Unanswered::Refused => LogProblem::of(401, None),
        Unanswered::Status(status) => LogProblem::of(status, not.code),
        Unanswered::Timeout
        | Unanswered::Unreachable
        | Unanswered::Throttled { .. }
        | Unanswered::Crowded { .. }
        | Unanswered::Personal(_)
        | Unanswered::TooLong
        | Unanswered::Unreadable
        | Unanswered::Paused { .. }
        | Unanswered::Held { .. }
        | Unanswered::OverQuota { .. }
        | Unanswered::Remembered { .. }
        | Unanswered::OverShare { .. } => None,
    }
}

/// Whether the message may be in the channel although nobody said so.
fn may_have_arrived(cause: Unanswered) -> bool {
    match cause {
        Unanswered::Timeout | Unanswered::Unreachable | Unanswered::TooLong | Unanswered::Unreadable => true,
        Unanswered::Status(status) | Unanswered::Personal(status) => status >= 500,
        Unanswered::Refused
        | Unanswered::Throttled { .. }
        | Unanswered::Crowded { .. }
        | Unanswered::Paused { .. }
        | Unanswered::Held { .. }
        | Unanswered::OverQuota { .. }
        | Unanswered::Remembered { .. }
        | Unanswered::OverShare { .. } => false,
    }
}

/// When it is tried again. Nobody was asked: that is no failure of Discord.
pub(super) fn again(cause: Unanswered) -> Outcome {
    let after_ms = cause.retry_after_ms();
    let after = after_ms.map(|ms| Duration::from_millis(ms.max(1).unsigned_abs()));
    if cause.was_asked() {
        return Outcome::Retry {
            after,
            code: "DISCORD_UNAVAILABLE",
        };
    }
    Outcome::Later {
        after: after.unwrap_or(Duration::from_millis(SOON_MS.unsigned_abs())),
    }
}

async fn settle(
    app: &App,
    claimed: &Claimed,
    scope: OrgScope,
    target: &Target,
    batch: Batch,
    end: End,
) -> Result<Outcome, AppError> {
    let problem = match end {
        End::Problem(problem) => Some(problem),
        End::Posted | End::Unsure => None,
    };
    let known = guild_bots::find(&app.db, scope, target.guild).await?;
    let known = known.and_then(|bot| bot.log_problem).map(|(problem, _)| problem);
    let work = Settle {
        held: claimed.held.clone(),
        guild: target.guild,
        last_job: batch.last_job,
        problem,
        // What is as it was needs no lock of the Org.
        tells: known.as_deref() != problem.map(LogProblem::as_str),
        pause_ms: REST_MS,
        moment: app.moment(),
        now_ms: app.now_ms(),
    };
    let Some(gone) = app.db.write_for(scope, work).await? else {
        return Ok(Outcome::Lost);
    };
    jobs::count_gone(app, &gone, end == End::Posted);
    if let Some(problem) = problem {
        tracing::info!(job = claimed.held.num, %problem, dropped = gone.len(), "log messages cannot be posted");
        return Ok(Outcome::Away);
    }
    Ok(Outcome::Again)
}

/// How it ended with a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Posted,
    /// It never will be.
    Problem(LogProblem),
    /// It may be in the channel, and is not sent any more.
    Unsure,
}

/// What became of a test message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tested {
    /// It is in the channel.
    Posted,
    /// Discord refuses it.
    Problem(LogProblem),
    /// Discord did not answer, or is not to be asked just now.
    Unavailable,
}

/// Posts a message that somebody wants to see in the log channel, and says what Discord said.
pub async fn send_test(app: &App, scope: OrgScope, id: &GuildId) -> Result<Tested, AppError> {
    let guild = guilds::find(&app.db, scope, id).await?;
    let guild = guild.ok_or(RequestError::NotFound)?;
    let Some(bot) = serving::find(app, guild.num).await? else {
        return Ok(Tested::Unavailable);
    };
    let channel = guild.log_channel_id.as_deref().map(DiscordId::parse);
    let Some(Ok(channel)) = channel else {
        return Err(RequestError::Conflict("Set a log channel first, then send the test message.").into());
    };
    let turn = app
        .memories
        .log_tests
        .take(guild.num, TEST_EVERY_MS, app.clock.steady_ms());
    turn.map_err(|retry_after_ms| RequestError::RateLimited { retry_after_ms })?;
    let target = Target {
        guild: guild.num,
        discord_guild: guild.discord_guild_id,
        channel,
    };
    let asking = Asking::for_person(scope.num(), &target.discord_guild).again();
    let message = json!({ "embeds": [test()] });
    let posted = match refuse_foreign(app, &bot, asking, scope, &target).await? {
        // Never the number of a batch, and another one each time.
        Ok(()) => bot.post(asking, &target.channel, message, -app.now_ms()).await,
        Err(not) => Err(not),
    };
    let problem = match posted {
        Ok(()) => None,
        Err(not) => match problem_of(not) {
            Some(problem) => Some(problem),
            None => return Ok(Tested::Unavailable),
        },
    };
    let told = Tell {
        guild: target.guild,
        lane: LaneKind::Log.of(id.as_str()),
        problem,
        moment: app.moment(),
        now_ms: app.now_ms(),
    };
    app.db.write_for(scope, told).await?;
    // What rested because of a problem that is gone goes on.
    app.bell.ring();
    Ok(problem.map_or(Tested::Posted, Tested::Problem))
}
