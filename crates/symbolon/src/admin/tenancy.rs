//! Organisations with their Guilds and game servers.

use app::identity::accounts;
use app::tenancy::guilds::{GuildChange, NewGuildRequest};
use app::tenancy::{guilds, orgs, servers};
use app::{App, AppError};
use clap::{Args, Subcommand};
use domain::audit::Actor;
use serde::{Deserialize, Serialize};

use super::Fields;
use super::words::{fields, find_guild, find_server, named, parse};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum TenancyCommand {
    /// Create an organisation.
    CreateOrg(NewOrg),
    /// Add a Discord server (a Guild) to an organisation.
    CreateGuild(NewGuild),
    /// Set the Steam group that players of a Guild are asked to join.
    SetSteamGroup {
        /// Guild id (gld_…).
        #[arg(long)]
        guild: String,
        /// The group's number, or its address on steamcommunity.com.
        #[arg(long, required_unless_present = "none")]
        group: Option<String>,
        /// Take the group away.
        #[arg(long, conflicts_with = "group")]
        none: bool,
    },
    /// Add a game server to a Guild and print its key.
    CreateServer {
        /// Guild id (gld_…).
        #[arg(long)]
        guild: String,
        #[arg(long)]
        name: String,
    },
    /// Switch a game server on.
    ActivateServer {
        #[arg(long)]
        server: String,
    },
    /// Switch a game server off: its key is refused until it is on again.
    DeactivateServer {
        #[arg(long)]
        server: String,
    },
    /// List organisations with their use of the plan.
    ListOrgs,
    /// Set an organisation's tier: free, standard or pro.
    SetTier {
        #[arg(long)]
        org: String,
        #[arg(long)]
        tier: String,
    },
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct NewOrg {
    /// Its name, as people see it.
    #[arg(long)]
    name: String,
    /// Discord id of its owner. The account is made if it is new.
    #[arg(long)]
    owner: String,
    /// Name of the owner, used when the account is new.
    #[arg(long, default_value = "Owner")]
    owner_name: String,
    /// Short name for addresses; made from the name if left out.
    #[arg(long)]
    slug: Option<String>,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct NewGuild {
    /// Organisation id (org_…).
    #[arg(long)]
    org: String,
    /// Discord's id of the server.
    #[arg(long)]
    discord_guild: String,
    #[arg(long)]
    name: String,
    /// Short name for the link page; made from the name if left out.
    #[arg(long)]
    slug: Option<String>,
    /// Discord channel for linked and unlinked messages; left out, none are sent.
    #[arg(long)]
    log_channel: Option<String>,
}

pub(super) async fn run(app: &App, command: TenancyCommand) -> Result<Fields, AppError> {
    use TenancyCommand as C;
    match command {
        C::CreateOrg(org) => create_org(app, org).await,
        C::CreateGuild(guild) => create_guild(app, guild).await,
        C::SetSteamGroup {
            guild,
            group,
            none: _,
        } => set_steam_group(app, &guild, group.as_deref()).await,
        C::CreateServer { guild, name } => create_server(app, &guild, &name).await,
        C::ActivateServer { server } => set_active(app, &server, true).await,
        C::DeactivateServer { server } => set_active(app, &server, false).await,
        C::ListOrgs => list_orgs(app).await,
        C::SetTier { org, tier } => set_tier(app, &org, &tier).await,
    }
}

async fn create_org(app: &App, org: NewOrg) -> Result<Fields, AppError> {
    let name = parse::name("name", &org.name)?;
    let slug = parse::slug_or_from(org.slug.as_deref(), &name)?;
    let owner = accounts::ensure(
        app,
        parse::discord("owner", &org.owner)?,
        parse::name("owner_name", &org.owner_name)?,
    )
    .await?;
    let (id, _) = orgs::create(app, &owner, name, slug.clone(), Actor::Operator).await?;
    Ok(fields([
        ("org", id.as_str()),
        ("slug", slug.as_str()),
        ("owner", owner.id.as_str()),
    ]))
}

async fn create_guild(app: &App, guild: NewGuild) -> Result<Fields, AppError> {
    let org = find_org(app, &guild.org).await?;
    let name = parse::name("name", &guild.name)?;
    let slug = parse::slug_or_from(guild.slug.as_deref(), &name)?;
    let log_channel = guild.log_channel.as_deref();
    let request = NewGuildRequest {
        discord_guild_id: parse::discord("discord_guild", &guild.discord_guild)?,
        name,
        slug: slug.clone(),
        log_channel_id: log_channel
            .map(|text| parse::discord("log_channel", text))
            .transpose()?,
    };
    let (id, _) = guilds::create(app, org.scope, request, Actor::Operator).await?;
    Ok(fields([("guild", id.as_str()), ("slug", slug.as_str())]))
}

async fn set_steam_group(app: &App, guild: &str, group: Option<&str>) -> Result<Fields, AppError> {
    let (scope, id) = find_guild(app, guild).await?;
    let change = GuildChange {
        steam_group: Some(group.map(str::to_owned)),
        ..GuildChange::default()
    };
    guilds::change(app, scope, id.clone(), change, Actor::Operator).await?;
    let (_, settings) = guilds::get(app, scope, &id).await?;
    let group = settings.steam_group;
    let number = group.map_or_else(|| "none".to_owned(), |group| group.id.to_string());
    Ok(fields([("guild", guild), ("steam_group", &number)]))
}

async fn create_server(app: &App, guild: &str, name: &str) -> Result<Fields, AppError> {
    let (scope, guild) = find_guild(app, guild).await?;
    let created = servers::create(app, scope, guild, parse::name("name", name)?, Actor::Operator).await?;
    Ok(fields([
        ("server", created.id.as_str()),
        ("key", created.key.expose()),
    ]))
}

async fn set_active(app: &App, server: &str, active: bool) -> Result<Fields, AppError> {
    let (scope, id) = find_server(app, server).await?;
    servers::set_active(app, scope, id, active, Actor::Operator).await?;
    Ok(fields([
        ("server", server),
        ("active", if active { "yes" } else { "no" }),
    ]))
}

async fn list_orgs(app: &App) -> Result<Fields, AppError> {
    let found = orgs::list(app).await?;
    let line = |org: &orgs::Org| {
        let limits = org.tier.ceilings();
        format!(
            "{} ({}), {}/{} guilds, {}/{} servers, {}/{} links",
            org.name,
            org.tier,
            org.guilds,
            limits.guilds,
            org.servers,
            limits.servers,
            org.links,
            limits.links
        )
    };
    Ok(found
        .iter()
        .map(|org| (org.id.as_str().to_owned(), line(org)))
        .collect())
}

async fn set_tier(app: &App, org: &str, tier: &str) -> Result<Fields, AppError> {
    let found = find_org(app, org).await?;
    orgs::set_tier(app, found.scope, parse::tier(tier)?, Actor::Operator).await?;
    Ok(fields([("org", org), ("tier", tier)]))
}

async fn find_org(app: &App, text: &str) -> Result<orgs::Org, AppError> {
    let found = orgs::get(app, &parse::org("org", text)?).await;
    found.map_err(|error| named(error, "org", "there is no such organisation"))
}
