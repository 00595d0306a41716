//! Tells Discord which commands a Guild has, once until they change.

use domain::platform_id::DiscordId;
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::Asking;
use serde_json::json;
use storage::bots::{dedicated, guild_bots};
use storage::tenancy::guilds::{self, Guild};
use storage::{GuildNum, OrgScope, Tx, Work};

use super::commands::{definitions, definitions_hash};
use super::look::is_refusal;
use crate::error::AppError;
use crate::serving::{self, Bot};
use crate::state::App;

/// Puts our commands in the place of those that the bot has in a Discord server, unless it has them. What Discord refuses
/// is tried again when the Guild is looked at next; what it did not answer comes back, for whoever asks to try again.
pub(crate) async fn ensure(
    app: &App,
    bot: &Rest,
    scope: OrgScope,
    guild: &Guild,
) -> Result<Option<Unanswered>, AppError> {
    let known = guild_bots::find(&app.db, scope, guild.num).await?;
    let known = known.and_then(|known| known.commands_hash);
    let asking = Asking::when_there_is_room(scope.num(), &guild.discord_guild_id).patiently();
    let own = match bot.own_id(asking).await {
        Ok(own) => own,
        Err(not) => return Ok(Some(not.cause)),
    };
    // Each bot has its own.
    let hash = [own.as_str(), ":", &definitions_hash()].concat();
    if known.as_deref() == Some(hash.as_str()) {
        return Ok(None);
    }
    match bot.set_commands(asking, &definitions()).await {
        Ok(()) => {}
        // The bot was added without commands, or is gone.
        Err(not) if is_refusal(not) => return Ok(None),
        Err(not) => return Ok(Some(not.cause)),
    }
    // Two bots that offer the same confuse people.
    if let Some((other, _)) = known.as_deref().and_then(|known| known.split_once(':'))
        && other != own.as_str()
        && let Some(cause) = withdraw(app, scope, guild, other).await?
    {
        return Ok(Some(cause));
    }
    let note = NoteCommands {
        guild: guild.num,
        hash,
        now_ms: app.now_ms(),
    };
    app.db.write_for(scope, note).await?;
    Ok(None)
}

/// Takes back what a Guild's own bot offers in its Discord server, where it has one.
pub(crate) async fn withdraw_own(
    app: &App,
    scope: OrgScope,
    guild: &Guild,
) -> Result<Option<Unanswered>, AppError> {
    match dedicated::find(&app.db, scope, guild.num).await? {
        Some(own) => withdraw(app, scope, guild, own.bot_user_id.as_str()).await,
        None => Ok(None),
    }
}

/// Takes back what another bot offers in a Discord server, if we know its token. What it may not do is left.
async fn withdraw(
    app: &App,
    scope: OrgScope,
    guild: &Guild,
    other: &str,
) -> Result<Option<Unanswered>, AppError> {
    let Ok(other) = DiscordId::parse(other) else {
        return Ok(None);
    };
    let asking = Asking::when_there_is_room(scope.num(), &guild.discord_guild_id).patiently();
    let Some(bot) = known_bot(app, scope, guild, other, asking).await? else {
        return Ok(None);
    };
    match bot.set_commands(asking, &json!([])).await {
        Ok(()) => Ok(None),
        Err(not) if not.cause.is_refusal() => Ok(None),
        Err(not) => Ok(Some(not.cause)),
    }
}

/// The bot with this account, if it is the Guild's own or the shared one.
async fn known_bot<'a>(
    app: &'a App,
    scope: OrgScope,
    guild: &Guild,
    account: DiscordId,
    asking: Asking<'_>,
) -> Result<Option<Bot<'a>>, AppError> {
    let own = dedicated::find(&app.db, scope, guild.num).await?;
    if own.is_some_and(|own| own.bot_user_id == account && !own.is_rejected())
        && let Some(clients) = &app.platforms.own_bots
        && let Some(token) = dedicated::find_token(&app.db, &account).await?
    {
        return Ok(Some(Bot::Own(account, serving::client(app, clients, &token)?)));
    }
    let Some(shared) = &app.platforms.discord_bot else {
        return Ok(None);
    };
    let is_shared = shared.own_id(asking).await.is_ok_and(|shared| shared == account);
    Ok(is_shared.then_some(Bot::Shared(shared)))
}

struct NoteCommands {
    guild: GuildNum,
    hash: String,
    now_ms: i64,
}

impl Work for NoteCommands {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_commands";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        Ok(guild_bots::set_commands(tx, scope, self.guild, &self.hash, self.now_ms).await?)
    }
}
