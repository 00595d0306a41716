//! What bots need somebody for.

use domain::bot::{BotFailure, BotId};
use storage::bots::processes::{self, BotStatus, SILENT_MS};

use crate::bots::processes::{MANY_IDENTIFIES, MOST_IDENTIFIES};
use crate::error::AppError;
use crate::notice::{Notice, Severity};
use crate::state::App;

/// How long it is told that two processes ran under one secret.
const TWICE_TOLD_MS: i64 = 10 * 60_000;
/// A bot that comes back within this time needs nobody.
const UNREACHABLE_MS: i64 = 60_000;
const OFFLINE_MS: i64 = 10 * 60_000;
const DAY_MS: i64 = 24 * 60 * 60_000;

/// For operators: bots that run twice, fail, are silent or begin sessions without end.
pub(crate) async fn for_operators(app: &App) -> Result<Vec<Notice>, AppError> {
    let now_ms = app.shared_now_ms().await;
    let bots = processes::list(&app.db).await?;
    let has_token = app.platforms.discord_bot.is_some();
    let is_expected = |bot: &&BotStatus| {
        let is_shared = bot.id == BotId::Platform;
        bot.heard_at_ms.is_some() || (is_shared && has_token)
    };
    let expected = bots.iter().filter(is_expected);
    Ok(expected.flat_map(|bot| of_bot(bot, now_ms)).collect())
}

/// What keeps a bot from being online; silence first, because who is silent may have been told anything before.
fn trouble(bot: &BotStatus, now_ms: i64) -> Option<(&'static str, Severity, &'static str)> {
    let is_silent = bot
        .heard_at_ms
        .is_some_and(|at_ms| at_ms <= now_ms - 4 * SILENT_MS);
    if is_silent {
        return Some(("bot_silent", Severity::Bad, "is not running."));
    }
    let failed = |text| Some(("bot_failed", Severity::Bad, text));
    let online_at_ms = bot.online_at_ms.unwrap_or(bot.created_at_ms);
    let is_offline = |for_ms| bot.state.as_deref() != Some("online") && online_at_ms <= now_ms - for_ms;
    match bot.failure.as_deref().and_then(BotFailure::parse) {
        Some(BotFailure::TokenRejected) => failed("is offline: Discord rejects its token."),
        Some(BotFailure::IdentifyBudget) => failed("is offline: it has begun too many sessions today."),
        Some(BotFailure::ShardingRequired) => {
            failed("is offline: it is in more Discord servers than one connection can serve.")
        }
        Some(BotFailure::Refused) => failed("is offline: Discord refuses its connection. Its log says why."),
        Some(BotFailure::Unreachable) if is_offline(UNREACHABLE_MS) => {
            failed("is offline: it cannot reach Discord.")
        }
        Some(BotFailure::IntentsMissing) if !is_offline(OFFLINE_MS) => Some((
            "bot_failed",
            Severity::Warn,
            "asked for the members intent, which Discord does not grant it.",
        )),
        // Its Guild is shown that.
        Some(BotFailure::NotInGuild) => None,
        Some(BotFailure::Unreachable | BotFailure::IntentsMissing) | None => is_offline(OFFLINE_MS)
            .then_some((
                "bot_offline",
                Severity::Bad,
                "has not been online for 10 minutes or more. Its log says why.",
            )),
    }
}

fn of_bot(bot: &BotStatus, now_ms: i64) -> Vec<Notice> {
    let name = match &bot.id {
        BotId::Platform => "The shared bot".to_owned(),
        BotId::Dedicated(id) => format!("The bot {id}"),
    };
    let mut told = Vec::new();
    let mut tell = |kind, severity, text: String| {
        told.push(Notice::new(kind, severity, text).about(bot.id.as_str()));
    };
    if bot
        .twice_at_ms
        .is_some_and(|at_ms| at_ms > now_ms - TWICE_TOLD_MS)
    {
        let text = format!("{name} was started twice. Stop one of the two processes.");
        tell("bot_runs_twice", Severity::Bad, text);
    }
    // What keeps a Guild's own bot from running is for its people to see and to put right.
    if let Some((kind, severity, text)) = trouble(bot, now_ms).filter(|_| !bot.is_hosted) {
        tell(kind, severity, format!("{name} {text}"));
    }
    let today = bot.identify_day == now_ms.div_euclid(DAY_MS);
    if today && bot.identifies >= MANY_IDENTIFIES {
        let text = format!(
            "{name} has begun {} sessions today; it is stopped at {MOST_IDENTIFIES}. Find out why it does not resume.",
            bot.identifies
        );
        tell("bot_identifies", Severity::Warn, text);
    }
    told
}
