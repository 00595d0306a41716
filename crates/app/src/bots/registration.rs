//! Tells Discord which commands a Guild has, once until they change.

use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::Asking;
use storage::bots::guild_bots;
use storage::tenancy::guilds::{self, Guild};
use storage::{GuildNum, OrgScope, Tx, Work};

use super::commands::{definitions, definitions_hash};
use super::look::is_refusal;
use crate::error::AppError;
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
    let note = NoteCommands {
        guild: guild.num,
        hash,
        now_ms: app.now_ms(),
    };
    app.db.write_for(scope, note).await?;
    Ok(None)
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
