//! Organisations with their Guilds and game servers.

use app::billing::{Grant, forgotten, grants};
use app::identity::accounts;
use app::tenancy::guild_changes::{self, GuildChange};
use app::tenancy::guilds::NewGuildRequest;
use app::tenancy::{guilds, orgs, servers};
use app::{App, AppError};
use clap::{Args, Subcommand};
use domain::audit::Actor;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Fields;
use super::fields::{Item, Rest};
use super::words::{fields, find_guild, find_org, find_server, named, parse};

const DAY_MS: i64 = 24 * 60 * 60_000;
/// As many organisations as are read.
const MOST_ORGS: usize = 1000;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum TenancyCommand {
    /// Create an organisation.
    CreateOrg(NewOrg),
    /// Add a Discord server (a Guild) to an organisation.
    CreateGuild(NewGuild),
    /// Set the Steam group that players of a Guild are asked to join.
    SetSteamGroup {
        /// Guild ID (gld_…).
        #[arg(long)]
        guild: String,
        /// The group's ID, or its URL on steamcommunity.com.
        #[arg(long, required_unless_present = "none")]
        group: Option<String>,
        /// Remove the group.
        #[arg(long, conflicts_with = "group")]
        none: bool,
    },
    /// Add a Server to a Guild and print its key.
    CreateServer {
        /// Guild ID (gld_…).
        #[arg(long)]
        guild: String,
        #[arg(long)]
        name: String,
    },
    /// Activate a Server.
    ActivateServer {
        #[arg(long)]
        server: String,
    },
    /// Deactivate a Server: its key is refused until it is activated again.
    DeactivateServer {
        #[arg(long)]
        server: String,
    },
    /// List organisations with what they use of their plan.
    ListOrgs,
    /// Give an organisation a plan (tier): free, standard or pro; none takes it back. Where plans are sold, it counts beside
    /// what is paid for.
    SetTier {
        #[arg(long)]
        org: String,
        #[arg(long)]
        tier: String,
        /// For so many days; without it, for good.
        #[arg(long)]
        days: Option<u32>,
    },
    /// Forget a subscription that Stripe does not know any more, so that the organisation's plan follows from the others.
    ForgetSubscription {
        /// Organisation ID (org_…).
        #[arg(long)]
        org: String,
        /// Stripe's ID of the subscription (sub_…); `symbolon doctor` lists it.
        #[arg(long)]
        subscription: String,
        /// Why; it is written to the audit log. Name no players in it.
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct NewOrg {
    /// The name people see.
    #[arg(long)]
    name: String,
    /// Discord ID of its Owner. The account is created if it does not exist.
    #[arg(long)]
    owner: String,
    /// Name of the Owner, used if the account is new.
    #[arg(long, default_value = "Owner")]
    owner_name: String,
    /// Short name for URLs; made from the name by default.
    #[arg(long)]
    slug: Option<String>,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct NewGuild {
    /// Organisation ID (org_…).
    #[arg(long)]
    org: String,
    /// The server's ID on Discord.
    #[arg(long)]
    discord_guild: String,
    #[arg(long)]
    name: String,
    /// Short name for the link page; made from the name by default.
    #[arg(long)]
    slug: Option<String>,
    /// Discord channel for linked and unlinked messages; without it, none are sent.
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
        C::SetTier { org, tier, days } => set_tier(app, &org, &tier, days).await,
        C::ForgetSubscription {
            org,
            subscription,
            reason,
        } => forget_subscription(app, &org, subscription, &reason).await,
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
    guild_changes::change(app, scope, id.clone(), change, Actor::Operator).await?;
    let (_, settings) = guilds::get(app, scope, &id).await?;
    let named = Fields::new().with("guild", guild);
    Ok(match settings.steam_group {
        Some(group) => named.with("steam_group", group.id.to_string()),
        None => named.told("steam_group", "none", Value::Null),
    })
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
    let text = if active { "yes" } else { "no" };
    Ok(Fields::new().with("server", server).told("active", text, active))
}

async fn list_orgs(app: &App) -> Result<Fields, AppError> {
    let found = orgs::list(app).await?;
    let rest = if found.len() < MOST_ORGS {
        Rest::Nothing
    } else {
        Rest::Uncounted
    };
    Ok(Fields::list(found.iter().map(|one| org(app, one)), rest))
}

fn org(app: &App, org: &orgs::Org) -> Item {
    let limits = app.plans.ceilings(org.tier);
    Item {
        name: org.id.to_string(),
        line: format!(
            "{} ({}), {}/{} Guilds, {}/{} Servers, {}/{} links",
            org.name,
            org.tier,
            org.guilds,
            limits.guilds,
            org.servers,
            limits.servers,
            org.links,
            limits.links
        ),
        object: json!({
            "id": org.id, "name": org.name, "slug": org.slug, "tier": org.tier, "owner_account_id": org.owner,
            "guilds": org.guilds, "servers": org.servers, "links": org.links,
            "limits": { "guilds": limits.guilds, "servers": limits.servers, "links": limits.links },
        }),
    }
}

async fn set_tier(app: &App, org: &str, tier: &str, days: Option<u32>) -> Result<Fields, AppError> {
    let found = find_org(app, org).await?;
    let ends_at_ms = days.map(|days| app.now_ms() + i64::from(days) * DAY_MS);
    let grant = match tier {
        "none" => None,
        tier => Some(Grant {
            tier: parse::tier(tier)?,
            ends_at_ms,
        }),
    };
    grants::give(app, found.scope, grant, Actor::Operator).await?;
    let now = find_org(app, org).await?.tier;
    Ok(fields([("org", org), ("given", tier), ("tier", now.as_str())]))
}

async fn forget_subscription(
    app: &App,
    org: &str,
    subscription: String,
    reason: &str,
) -> Result<Fields, AppError> {
    // An organisation that was removed may have one left, too.
    let scope = orgs::find_even_removed(app, &parse::org("org", org)?).await;
    let scope = scope.map_err(|error| named(error, "org", "there is no such organisation"))?;
    let forgotten = forgotten::forget(app, scope, subscription.clone(), reason, Actor::Operator).await;
    let unknown = "the organisation has no such subscription";
    forgotten.map_err(|error| named(error, "subscription", unknown))?;
    let tier = orgs::get(app, &parse::org("org", org)?).await;
    let tier = tier.map_or("removed", |org| org.tier.as_str());
    Ok(fields([
        ("org", org),
        ("forgotten", &subscription),
        ("tier", tier),
    ]))
}
