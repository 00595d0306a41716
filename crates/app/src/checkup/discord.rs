//! The bot of a Guild, what it may do, and whether log messages arrive.

use domain::discord::ChannelReason;
use domain::log_message::LogProblem;

use super::{Check, State, Topic};
use crate::bots::facts::{Channel, OnDiscord};
use crate::notice::{Notice, Page};
use crate::state::App;
use crate::tenancy::attention;
use crate::tenancy::guilds::Guild;

pub(super) fn of(app: &App, guild: &Guild, seen: &OnDiscord) -> [Check; 3] {
    [bot(app, guild, seen), permissions(seen), log_channel(guild, seen)]
}

fn told(seen: &OnDiscord, kind: &str) -> Option<Notice> {
    seen.notices.iter().find(|notice| notice.kind == kind).cloned()
}

fn bot(app: &App, guild: &Guild, seen: &OnDiscord) -> Check {
    let check = |state, text: &str| Check::new(Topic::Bot, state, text);
    if app.platforms.discord_bot.is_none() {
        let text = "This installation has no bot, so nothing is posted and no roles are given. Tell whoever runs it.";
        return check(State::Bad, text);
    }
    if let Some(absent) = told(seen, "bot_absent") {
        return Check::told(Topic::Bot, absent);
    }
    let page = Page::Guild(guild.id.clone());
    match seen.present {
        Some(_) if !seen.online => check(
            State::Bad,
            "The bot is offline, so commands get no answer. Log messages still arrive. If it stays offline, tell whoever runs \
             this installation.",
        ),
        Some(_) if !seen.has_commands => check(
            State::Warn,
            "Discord hasn’t registered the bot’s commands. If they don’t appear in a minute, add the bot again.",
        )
        .fixed_at("Look at the bot", page),
        Some(_) => check(State::Ok, "The bot is in the Discord server and online."),
        None => check(State::Unknown, "Nobody has looked at the Discord server yet.")
            .fixed_at("Look at the bot", page),
    }
}

fn permissions(seen: &OnDiscord) -> Check {
    if let Some(lacking) = told(seen, "bot_lacks_permissions") {
        return Check::told(Topic::Permissions, lacking);
    }
    let has_all = seen.permissions.iter().all(|(_, held)| *held);
    let (state, text) = match seen.present {
        Some(true) if has_all => (State::Ok, "The bot has all the permissions it needs."),
        Some(_) | None => (
            State::Unknown,
            "What the bot may do is known once it’s in the Discord server.",
        ),
    };
    Check::new(Topic::Permissions, state, text)
}

fn log_channel(guild: &Guild, seen: &OnDiscord) -> Check {
    let Some(set) = &guild.log_channel_id else {
        return Check::told(Topic::LogChannel, attention::no_log_channel(guild));
    };
    if let Some(unreachable) = told(seen, "log_unreachable") {
        return Check::told(Topic::LogChannel, unreachable);
    }
    let check = |state, text: String| Check::new(Topic::LogChannel, state, text);
    let page = Page::Guild(guild.id.clone());
    let channel = seen.channels.iter().find(|channel| channel.id.as_str() == set);
    match (seen.present, channel) {
        (Some(true), Some(channel)) => match problem(channel) {
            Some(problem) => {
                let text = format!("Log messages can’t arrive in #{}. {problem}", channel.name);
                check(State::Bad, text).fixed_at("Look at the channel", page)
            }
            None => check(
                State::Ok,
                format!("The bot can post log messages in #{}.", channel.name),
            ),
        },
        // Threads are none of those that are listed.
        (Some(true), None) => {
            let text = "The bot doesn’t see the log channel among those of the Discord server.";
            check(State::Unknown, text.to_owned()).fixed_at("Send a test message", page)
        }
        (Some(false) | None, _) => {
            let text = "Whether log messages arrive is known once the bot is in the Discord server.";
            check(State::Unknown, text.to_owned())
        }
    }
}

/// Why the bot cannot post there, with what to do.
fn problem(channel: &Channel) -> Option<&'static str> {
    if channel.gone_at.is_some() {
        return Some(LogProblem::UnknownChannel.text());
    }
    let reason = channel.reason.as_deref().and_then(ChannelReason::parse)?;
    Some(match reason {
        ChannelReason::NotText => "Choose a text channel that the bot can post in.",
        ChannelReason::CannotSee => LogProblem::NoAccess.text(),
        ChannelReason::CannotPost | ChannelReason::CannotEmbed => LogProblem::NoPermission.text(),
    })
}
