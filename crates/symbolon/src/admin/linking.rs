//! Links made by an operator, one by one or by an import.

use app::import::{self, ImportReport, ImportSlice};
use app::linking::links;
use app::linking::links::{LinkRequest, Linked};
use app::tenancy::guilds;
use app::{App, AppError};
use clap::{Args, Subcommand};
use domain::audit::Actor;
use domain::platform_id::EitherId;
use domain::visit::Reason;
use serde::{Deserialize, Serialize};

use super::Fields;
use super::words::{either, fields, find_guild, named, parse};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum LinkingCommand {
    /// Link a Discord account to a Steam account in a Guild.
    CreateLink(NewLink),
    /// End a link in a Guild. The log message is sent and the roles are taken back as usual.
    Unlink(Unlinking),
}

/// A link to be ended.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Unlinking {
    /// Guild ID (gld_…).
    #[arg(long)]
    guild: String,
    /// Discord ID of the player.
    #[arg(long, required_unless_present = "steam", conflicts_with = "steam")]
    discord: Option<String>,
    /// SteamID64 of the player.
    #[arg(long)]
    steam: Option<String>,
    /// Why; the organisation's audit log keeps it. Name nobody in it.
    #[arg(long)]
    reason: String,
}

/// A pair to be linked.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct NewLink {
    /// Guild ID (gld_…).
    #[arg(long)]
    pub guild: String,
    #[arg(long)]
    pub discord: String,
    #[arg(long)]
    pub steam: String,
    /// Two-letter country of the verification, if known.
    #[arg(long)]
    pub country: Option<String>,
    /// Name on Discord.
    #[arg(long, requires = "steam_name")]
    pub discord_name: Option<String>,
    /// Name on Steam.
    #[arg(long, requires = "discord_name")]
    pub steam_name: Option<String>,
}

pub(super) async fn run(app: &App, command: LinkingCommand) -> Result<Fields, AppError> {
    use LinkingCommand as C;
    match command {
        C::CreateLink(link) => create_link(app, link).await,
        C::Unlink(asked) => unlink(app, asked).await,
    }
}

async fn create_link(app: &App, link: NewLink) -> Result<Fields, AppError> {
    let (scope, guild) = find_guild(app, &link.guild).await?;
    let country = link.country.as_deref();
    let request = LinkRequest {
        guild,
        discord_id: parse::discord("discord", &link.discord)?,
        steam_id: parse::steam("steam", &link.steam)?,
        country: country.map(|text| parse::country("country", text)).transpose()?,
    };
    let actor = Actor::Operator;
    let linked = match link.discord_name.zip(link.steam_name) {
        None => links::link(app, scope, request, actor).await?,
        Some((discord, steam)) => {
            let discord = parse::given_name("discord-name", &discord)?;
            let steam = parse::given_name("steam-name", &steam)?;
            links::link_named(app, scope, request, discord, steam, actor).await?
        }
    };
    let (id, relinked) = match linked {
        Linked::Created { id, relinked } => (id, relinked.len()),
        Linked::Already { id } => (id, 0),
    };
    Ok(Fields::new().with("link", id.as_str()).with("relinked", relinked))
}

async fn unlink(app: &App, asked: Unlinking) -> Result<Fields, AppError> {
    let (scope, guild) = find_guild(app, &asked.guild).await?;
    let whose = either(asked.discord.as_deref(), asked.steam.as_deref())?;
    let whose = whose.ok_or_else(|| AppError::invalid("discord", "name a Discord or a Steam account"))?;
    let reason = Reason::parse(&asked.reason).map_err(|error| AppError::invalid("reason", error))?;
    let argument = match whose {
        EitherId::Discord(_) => "discord",
        EitherId::Steam(_) => "steam",
    };
    let ended = links::unlink_for_reason(app, scope, guild, whose, reason, Actor::Operator).await?;
    let ended = ended.ok_or_else(|| AppError::invalid(argument, "is not linked in this Guild"))?;
    Ok(fields([("unlinked", ended.as_str())]))
}

/// A slice of an import. Only the Guild is named, as in all commands.
pub(super) async fn import(app: &App, slice: ImportSlice) -> Result<ImportReport, AppError> {
    let found = guilds::find_org(app, &slice.guild).await;
    let scope = found.map_err(|error| named(error, "guild", "there is no such Guild"))?;
    import::run(app, scope, slice).await
}
