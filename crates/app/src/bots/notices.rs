//! What a Guild's bot needs somebody for.

use domain::discord::Permissions;
use domain::log_message::LogProblem;
use storage::OrgScope;
use storage::bots::guild_bots::{self, GuildBot};

use super::facts::permissions;
use crate::error::AppError;
use crate::notice::{Notice, Page, Severity};
use crate::state::App;
use crate::tenancy::guilds::Guild;

/// A bot that is gone or lacks something, and log channels that cannot be reached.
pub(crate) async fn of_guilds(app: &App, scope: OrgScope, seen: &[Guild]) -> Result<Vec<Notice>, AppError> {
    let known = guild_bots::list(&app.db, scope).await?;
    let mut notices = Vec::new();
    for guild in seen {
        let bot = known.iter().find(|(num, _)| *num == guild.num);
        if let Some((_, bot)) = bot {
            notices.extend(of_bot(guild, bot));
        }
    }
    Ok(notices)
}

/// The same of one Guild.
pub(super) fn of_bot(guild: &Guild, bot: &GuildBot) -> Vec<Notice> {
    let name = &guild.name;
    let at = |notice: Notice, label| {
        notice
            .about(guild.id.as_str())
            .fixed_at(label, Page::Guild(guild.id.clone()))
    };
    if bot.present == Some(false) {
        let text =
            format!("The bot is not in the Discord server of {name}: nothing is posted and nobody is added.");
        return vec![at(Notice::new("bot_absent", Severity::Bad, text), "Add the bot")];
    }
    let mut notices = Vec::new();
    let problem = bot.log_problem.as_ref();
    let problem = problem.and_then(|(problem, _)| LogProblem::parse(problem));
    if let Some(problem) = problem.filter(|_| guild.log_channel_id.is_some()) {
        let text = format!("Log messages of {name} do not arrive. {}", problem.text());
        let notice = Notice::new("log_unreachable", Severity::Bad, text);
        notices.push(at(notice, "Look at the channel"));
    }
    let lacking: Vec<&str> = match permissions(bot.permissions) {
        Some(held) => Permissions::NEEDED
            .iter()
            .filter(|(needed, _)| !held.contain(*needed))
            .map(|(_, name)| *name)
            .collect(),
        None => Vec::new(),
    };
    if !lacking.is_empty() {
        let text = format!("The bot lacks permissions in {name}: {}.", lacking.join(", "));
        let notice = Notice::new("bot_lacks_permissions", Severity::Warn, text);
        notices.push(at(notice, "Grant them"));
    }
    notices
}
