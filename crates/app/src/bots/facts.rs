//! What the dashboard shows of a Guild on Discord: the bot, what it may do, roles and channels.

use domain::bot::BotId;
use domain::discord::Permissions;
use domain::id::GuildId;
use domain::log_message::LogProblem;
use storage::OrgScope;
pub use storage::bots::places::{Channel, Role};
use storage::bots::processes::{self, SILENT_MS};
use storage::bots::{dedicated, guild_bots, places};
use storage::tenancy::guilds;

use super::{look, notices};
use crate::error::{AppError, RequestError};
use crate::notice::Notice;
use crate::serving;
use crate::state::App;
use crate::tenancy::guilds::Guild;

/// What is older is read anew while it is shown.
const FRESH_MS: i64 = 60_000;
/// Somebody who does not want to wait for that asks at most this often.
const AGAIN_MS: i64 = 5_000;

/// A Guild as it was last read on Discord. What is none is not known.
pub struct OnDiscord {
    /// Whether the bot is there.
    pub present: Option<bool>,
    /// Whether the bot is connected to Discord, so that commands are answered.
    pub online: bool,
    /// Whether Discord took our commands for this Discord server.
    pub has_commands: bool,
    /// What it may do of what it needs, by Discord's names.
    pub permissions: Vec<(&'static str, bool)>,
    /// Adds the bot, or what it lacks; none where it lacks nothing or Discord is not set up.
    pub invite_url: Option<String>,
    /// When this was read.
    pub checked_at_ms: Option<i64>,
    /// When the bot last heard of it.
    pub last_event_at_ms: Option<i64>,
    /// Why log messages do not arrive, and since when.
    pub log_problem: Option<(LogProblem, i64)>,
    /// The highest first; also those that are gone.
    pub roles: Vec<Role>,
    /// By position; also those that are gone.
    pub channels: Vec<Channel>,
    /// It is being read anew.
    pub is_looking: bool,
    /// What somebody has to put right.
    pub notices: Vec<Notice>,
}

/// What was read last; when that was a while ago, it is read again meanwhile.
pub async fn get(app: &App, scope: OrgScope, id: &GuildId) -> Result<OnDiscord, AppError> {
    let guild = guilds::find(&app.db, scope, id)
        .await?
        .ok_or(RequestError::NotFound)?;
    of(app, scope, &guild).await
}

/// The same of a Guild that was found.
pub(crate) async fn of(app: &App, scope: OrgScope, guild: &Guild) -> Result<OnDiscord, AppError> {
    let known = guild_bots::find(&app.db, scope, guild.num)
        .await?
        .unwrap_or_default();
    let is_old = known
        .checked_at_ms
        .is_none_or(|at_ms| app.now_ms() - at_ms > FRESH_MS);
    let is_looking = is_old && app.platforms.discord_bot.is_some();
    if is_looking {
        look::enqueue(app, scope, guild.id.clone()).await?;
    }
    let held = permissions(known.permissions);
    let invite_url = match (known.present, held) {
        (Some(true), Some(held)) if held.contain(Permissions::needed()) => None,
        // Discord gives the bot exactly what the address names, so what it has is named too.
        (Some(true), held) => Some(held.unwrap_or_default().with(Permissions::needed())),
        (Some(false) | None, _) => Some(Permissions::needed()),
    };
    let own = dedicated::find(&app.db, scope, guild.num).await?;
    let now_ms = app.shared_now_ms().await;
    let own = own.filter(|own| own.is_serving(now_ms));
    let sign_in = app.platforms.discord_sign_in.as_ref();
    let place = &guild.discord_guild_id;
    let invite_url = invite_url.zip(sign_in).map(|(permissions, sign_in)| match &own {
        Some(own) => sign_in.bot_invite_of(&own.bot_user_id, place, permissions),
        None => sign_in.bot_invite_with(place, permissions),
    });
    let of_bot = |needed: Permissions| held.is_some_and(|held| held.contain(needed));
    Ok(OnDiscord {
        notices: notices::of_bot(guild, &known),
        present: known.present,
        online: own.is_some() || is_online(app).await?,
        has_commands: known.commands_hash.is_some(),
        permissions: Permissions::NEEDED
            .iter()
            .map(|(needed, name)| (*name, of_bot(*needed)))
            .collect(),
        invite_url,
        checked_at_ms: known.checked_at_ms,
        last_event_at_ms: known.last_event_at_ms,
        log_problem: known
            .log_problem
            .and_then(|(problem, at_ms)| LogProblem::parse(&problem).map(|problem| (problem, at_ms))),
        roles: places::list_roles(&app.db, scope, guild.num).await?,
        channels: places::list_channels(&app.db, scope, guild.num).await?,
        is_looking,
    })
}

/// Whether the shared bot was heard of as online a moment ago.
async fn is_online(app: &App) -> Result<bool, AppError> {
    let bots = processes::list(&app.db).await?;
    let shared = bots.iter().find(|bot| bot.id == BotId::Platform);
    let since_ms = app.shared_now_ms().await - 4 * SILENT_MS;
    Ok(shared.is_some_and(|bot| bot.online_at_ms.is_some_and(|at_ms| at_ms > since_ms)))
}

pub(super) fn permissions(stored: Option<i64>) -> Option<Permissions> {
    stored.map(|bits| Permissions(bits.cast_unsigned()))
}

/// Has it read anew at once, for somebody who just changed something on Discord.
pub async fn look_again(app: &App, scope: OrgScope, id: &GuildId) -> Result<(), AppError> {
    let guild = guilds::find(&app.db, scope, id)
        .await?
        .ok_or(RequestError::NotFound)?;
    let Some(bot) = serving::find(app, guild.num).await? else {
        return Ok(());
    };
    let steady_ms = app.clock.steady_ms();
    let turn = app.memories.looks.take(guild.num, AGAIN_MS, steady_ms);
    turn.map_err(|retry_after_ms| RequestError::RateLimited { retry_after_ms })?;
    bot.forget_refusals(&guild.discord_guild_id);
    look::enqueue(app, scope, id.clone()).await
}
