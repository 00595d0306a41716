//! What others are asked before a Guild's settings are saved.

use domain::id::GuildId;
use domain::platform_id::DiscordId;
use domain::steam_group::PastedGroup;
use platform::discord::rest::Asking;
use storage::OrgScope;
use storage::bots::places;
use storage::tenancy::guild_settings::SteamGroup;
use storage::tenancy::guilds;

use crate::error::{AppError, RequestError};
use crate::players::steam_group_names;
use crate::serving;
use crate::state::App;

/// Longer than any address of a Steam group.
const PASTED_MAX_BYTES: usize = 200;

/// Steam is asked only where somebody pasted a name: nobody else can turn it into a number.
pub(super) async fn steam_group(app: &App, scope: OrgScope, text: &str) -> Result<SteamGroup, AppError> {
    let refused = |problem: &str| AppError::invalid("steam_group", problem);
    if text.len() > PASTED_MAX_BYTES {
        return Err(refused("it is too long"));
    }
    let id = match PastedGroup::parse(text).map_err(|error| refused(&error.to_string()))? {
        PastedGroup::Id(id) => id,
        PastedGroup::Name(name) => {
            let found = steam_group_names::find(app, scope.num(), &name).await?;
            found.ok_or_else(|| refused("Steam knows no group of this name"))?
        }
    };
    Ok(SteamGroup {
        pasted: text.to_owned(),
        id,
    })
}

/// A channel of another Discord server is refused. One that the bot cannot see, and any while Discord is silent, is saved:
/// nothing is posted in it before it is known to be this Guild's.
pub(super) async fn refuse_foreign_channel(
    app: &App,
    scope: OrgScope,
    id: &GuildId,
    channel: &DiscordId,
) -> Result<(), AppError> {
    let guild = guilds::find(&app.db, scope, id).await?;
    let guild = guild.ok_or(RequestError::NotFound)?;
    let is_known = guild.log_channel_id.as_deref() == Some(channel.as_str())
        || places::is_channel(&app.db, scope, guild.num, channel).await?;
    if is_known {
        return Ok(());
    }
    let Some(bot) = serving::find(app, guild.num).await? else {
        return Ok(());
    };
    let asking = Asking::for_person(scope.num(), &guild.discord_guild_id).again();
    match bot.is_channel_of(asking, channel).await {
        Ok(false) => Err(AppError::invalid(
            "log_channel_id",
            "it is a channel of another Discord server",
        )),
        Ok(true) | Err(_) => Ok(()),
    }
}
