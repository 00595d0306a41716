//! What each command does: parse, one use case, fields to print.

use app::identity::blocklist::BlockRequest;
use app::identity::{accounts, blocklist, sessions};
use app::import::{self, ImportReport, ImportSlice};
use app::keys::{bot_keys, plugin_keys};
use app::linking::links;
use app::linking::links::{LinkRequest, Linked};
use app::tenancy::guilds::{GuildChange, NewGuildRequest};
use app::tenancy::{guilds, orgs, servers};
use app::{App, AppError, OrgScope, instance, master_keys};
use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use domain::id::{GuildId, ServerId};
use domain::platform_id::DiscordId;

use super::Fields;
use super::command::{AdminCommand, NewLink, RegistrationMode, Switch, Who, parse};

/// An operator's session is for a task at hand.
const SESSION_MS: i64 = 60 * 60_000;

pub(super) async fn run(app: &App, command: AdminCommand) -> Result<Fields, AppError> {
    match command {
        AdminCommand::CreateOrg {
            name,
            owner,
            owner_name,
            slug,
        } => create_org(app, &name, &owner, &owner_name, slug.as_deref()).await,
        AdminCommand::CreateGuild {
            org,
            discord_guild,
            name,
            slug,
            log_channel,
        } => {
            create_guild(
                app,
                &org,
                &discord_guild,
                &name,
                slug.as_deref(),
                log_channel.as_deref(),
            )
            .await
        }
        AdminCommand::SetSteamGroup {
            guild,
            group,
            none: _,
        } => set_steam_group(app, &guild, group.as_deref()).await,
        AdminCommand::CreateServer { guild, name } => create_server(app, &guild, &name).await,
        AdminCommand::CreateLink(link) => create_link(app, link).await,
        AdminCommand::PrintKey { server } => {
            let (scope, id) = find_server(app, &server).await?;
            let key = plugin_keys::reveal(app, scope, id, Actor::Operator).await?;
            Ok(fields([("key", key.expose())]))
        }
        AdminCommand::RegenerateKey { server } => {
            let (scope, id) = find_server(app, &server).await?;
            let key = plugin_keys::regenerate(app, scope, id, Actor::Operator).await?;
            Ok(fields([("key", key.expose())]))
        }
        AdminCommand::RevokeKey { server } => {
            let (scope, id) = find_server(app, &server).await?;
            plugin_keys::revoke(app, scope, id, Actor::Operator).await?;
            Ok(fields([("revoked", &server)]))
        }
        AdminCommand::IssueBotKey { server } => {
            let (scope, id) = find_server(app, &server).await?;
            let key = bot_keys::issue(app, scope, id, Actor::Operator).await?;
            Ok(fields([("key", key.expose())]))
        }
        AdminCommand::ActivateServer { server } => set_active(app, &server, true).await,
        AdminCommand::DeactivateServer { server } => set_active(app, &server, false).await,
        AdminCommand::ListOrgs => list_orgs(app).await,
        AdminCommand::SetTier { org, tier } => {
            let found = find_org(app, &org).await?;
            orgs::set_tier(app, found.scope, parse::tier(&tier)?, Actor::Operator).await?;
            Ok(fields([("org", org.as_str()), ("tier", &tier)]))
        }
        AdminCommand::Grant { discord, name } => grant(app, &discord, &name).await,
        AdminCommand::Revoke { discord } => revoke(app, &discord).await,
        AdminCommand::ListOperators => list_operators(app).await,
        AdminCommand::Session { discord } => session(app, &discord).await,
        AdminCommand::Block { who, reason, days } => block(app, &who, reason, days).await,
        AdminCommand::Unblock { who } => unblock(app, &who).await,
        AdminCommand::ListBlocks => list_blocks(app).await,
        AdminCommand::Maintenance { state, message } => maintenance(app, state, message.as_deref()).await,
        AdminCommand::Registration { mode } => registration(app, mode).await,
        AdminCommand::RegistrationCode { note, days } => registration_code(app, &note, days).await,
        AdminCommand::RotateMasterKey => rotate_master_key(app).await,
        AdminCommand::RemoveMasterKey { kid } => remove_master_key(app, &kid).await,
    }
}

async fn maintenance(app: &App, state: Switch, message: Option<&str>) -> Result<Fields, AppError> {
    let on = state == Switch::On;
    instance::set_maintenance(app, on, message, Actor::Operator).await?;
    Ok(fields([("maintenance", if on { "on" } else { "off" })]))
}

async fn registration(app: &App, mode: RegistrationMode) -> Result<Fields, AppError> {
    let invite_only = mode == RegistrationMode::InviteOnly;
    instance::set_invite_only(app, invite_only, Actor::Operator).await?;
    let word = if invite_only { "invite-only" } else { "open" };
    Ok(fields([("registration", word)]))
}

async fn registration_code(app: &App, note: &str, days: Option<u32>) -> Result<Fields, AppError> {
    let code = instance::make_registration_code(app, note, days, Actor::Operator).await?;
    Ok(fields([("code", code.expose())]))
}

/// A slice of an import. Only the Guild is named, as in all commands.
pub(super) async fn import(app: &App, slice: ImportSlice) -> Result<ImportReport, AppError> {
    let found = guilds::find_org(app, &slice.guild).await;
    let scope = found.map_err(|error| named(error, "guild", "there is no such Guild"))?;
    import::run(app, scope, slice).await
}

async fn grant(app: &App, discord: &str, name: &str) -> Result<Fields, AppError> {
    let id = parse::discord("discord", discord)?;
    let account = accounts::ensure(app, id, parse::name("name", name)?).await?;
    accounts::grant_operator(app, account.clone()).await?;
    Ok(fields([("operator", account.id.as_str())]))
}

async fn revoke(app: &App, discord: &str) -> Result<Fields, AppError> {
    let account = find_account(app, discord).await?;
    accounts::revoke_operator(app, account.clone()).await?;
    Ok(fields([("revoked", account.id.as_str())]))
}

async fn list_operators(app: &App) -> Result<Fields, AppError> {
    let described = |operator: accounts::Operator| {
        let granted = operator.account.as_ref().is_some_and(|account| account.operator);
        let why = match (operator.in_setting, granted) {
            (true, true) => "by the setting `operators` and by a grant",
            (true, false) => "by the setting `operators`",
            (false, _) => "by a grant",
        };
        let who = operator
            .account
            .map(|account| format!("{}, {}, ", account.name, account.id));
        let shown = [who.as_deref().unwrap_or("never signed in, "), why].concat();
        (operator.discord_id.to_string(), shown)
    };
    Ok(accounts::list_operators(app)
        .await?
        .into_iter()
        .map(described)
        .collect())
}

async fn list_blocks(app: &App) -> Result<Fields, AppError> {
    let found = blocklist::list(app, "").await?;
    let pair = |blocked: blocklist::Blocked| {
        let shown = [blocked.id.as_str(), " ", &blocked.reason].concat();
        (blocked.entry, shown)
    };
    Ok(found.into_iter().map(pair).collect())
}

async fn block(app: &App, who: &Who, reason: String, days: Option<u32>) -> Result<Fields, AppError> {
    let (entry, discord_id) = entry_of(who)?;
    let shown = entry.as_str().to_owned();
    let request = BlockRequest {
        entry,
        discord_id,
        reason,
        days,
    };
    let id = blocklist::block(app, request, Actor::Operator).await?;
    Ok(fields([("blocked", shown.as_str()), ("block", id.as_str())]))
}

async fn unblock(app: &App, who: &Who) -> Result<Fields, AppError> {
    let (entry, _) = entry_of(who)?;
    let shown = entry.as_str().to_owned();
    let lifted = blocklist::unblock(app, entry, Actor::Operator).await;
    lifted.map_err(|error| named(error, "who", "this is not blocked"))?;
    Ok(fields([("unblocked", shown.as_str())]))
}

/// The entry that was named, and the account whose sessions end with it.
fn entry_of(who: &Who) -> Result<(BlockEntry, Option<DiscordId>), AppError> {
    match (&who.discord, &who.steam, &who.network) {
        (Some(text), None, None) => {
            let id = parse::discord("discord", text)?;
            Ok((BlockEntry::discord(&id), Some(id)))
        }
        (None, Some(text), None) => Ok((BlockEntry::steam(&parse::steam("steam", text)?), None)),
        (None, None, Some(text)) => {
            let entry = BlockEntry::network(text).map_err(|error| AppError::invalid("network", error))?;
            Ok((entry, None))
        }
        (_, _, _) => Err(AppError::invalid("who", "give one of discord, steam and network")),
    }
}

fn fields<const N: usize>(pairs: [(&str, &str); N]) -> Fields {
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

async fn create_org(
    app: &App,
    name: &str,
    owner: &str,
    owner_name: &str,
    slug: Option<&str>,
) -> Result<Fields, AppError> {
    let name = parse::name("name", name)?;
    let slug = parse::slug_or_from(slug, &name)?;
    let owner = accounts::ensure(
        app,
        parse::discord("owner", owner)?,
        parse::name("owner_name", owner_name)?,
    )
    .await?;
    let (id, _) = orgs::create(app, &owner, name, slug.clone(), Actor::Operator).await?;
    Ok(fields([
        ("org", id.as_str()),
        ("slug", slug.as_str()),
        ("owner", owner.id.as_str()),
    ]))
}

async fn create_guild(
    app: &App,
    org: &str,
    discord_guild: &str,
    name: &str,
    slug: Option<&str>,
    log_channel: Option<&str>,
) -> Result<Fields, AppError> {
    let org = find_org(app, org).await?;
    let name = parse::name("name", name)?;
    let slug = parse::slug_or_from(slug, &name)?;
    let request = NewGuildRequest {
        discord_guild_id: parse::discord("discord_guild", discord_guild)?,
        name,
        slug: slug.clone(),
        log_channel_id: log_channel
            .map(|text| parse::discord("log_channel", text))
            .transpose()?,
    };
    let (id, _) = guilds::create(app, org.scope, request, Actor::Operator).await?;
    Ok(fields([("guild", id.as_str()), ("slug", slug.as_str())]))
}

async fn create_server(app: &App, guild: &str, name: &str) -> Result<Fields, AppError> {
    let (scope, guild) = find_guild(app, guild).await?;
    let created = servers::create(app, scope, guild, parse::name("name", name)?, Actor::Operator).await?;
    Ok(fields([
        ("server", created.id.as_str()),
        ("key", created.key.expose()),
    ]))
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

async fn create_link(app: &App, link: NewLink) -> Result<Fields, AppError> {
    let (scope, guild) = find_guild(app, &link.guild).await?;
    let country = link.country.as_deref();
    let request = LinkRequest {
        guild,
        discord_id: parse::discord("discord", &link.discord)?,
        steam_id: parse::steam("steam", &link.steam)?,
        country: country.map(|text| parse::country("country", text)).transpose()?,
        actor: Actor::Operator,
    };
    let linked = match link.discord_name.zip(link.steam_name) {
        None => links::link(app, scope, request).await?,
        Some((discord, steam)) => {
            let discord = parse::given_name("discord-name", &discord)?;
            let steam = parse::given_name("steam-name", &steam)?;
            links::link_named(app, scope, request, discord, steam).await?
        }
    };
    Ok(match linked {
        Linked::Created { id, relinked } => {
            fields([("link", id.as_str()), ("relinked", &relinked.len().to_string())])
        }
        Linked::Already { id } => fields([("link", id.as_str()), ("relinked", "0")]),
    })
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

async fn session(app: &App, discord: &str) -> Result<Fields, AppError> {
    let account = find_account(app, discord).await?;
    let token = sessions::start(app, &account, SESSION_MS).await?;
    Ok(fields([
        ("account", account.id.as_str()),
        ("session", token.expose()),
    ]))
}

async fn find_account(app: &App, discord: &str) -> Result<accounts::Account, AppError> {
    let found = accounts::get_by_discord(app, &parse::discord("discord", discord)?).await;
    found.map_err(|error| named(error, "discord", "no account has this Discord id"))
}

async fn rotate_master_key(app: &App) -> Result<Fields, AppError> {
    let rotation = master_keys::rotate(app).await?;
    Ok(fields([
        ("active", rotation.kid.as_str()),
        ("resealed", &rotation.resealed.to_string()),
    ]))
}

async fn remove_master_key(app: &App, kid: &str) -> Result<Fields, AppError> {
    master_keys::remove(app, kid).await?;
    Ok(fields([("removed", kid)]))
}

async fn find_org(app: &App, text: &str) -> Result<orgs::Org, AppError> {
    let found = orgs::get(app, &parse::org("org", text)?).await;
    found.map_err(|error| named(error, "org", "there is no such organisation"))
}

async fn find_guild(app: &App, text: &str) -> Result<(OrgScope, GuildId), AppError> {
    let id = parse::guild("guild", text)?;
    let found = guilds::find_org(app, &id).await;
    let scope = found.map_err(|error| named(error, "guild", "there is no such Guild"))?;
    Ok((scope, id))
}

async fn find_server(app: &App, text: &str) -> Result<(OrgScope, ServerId), AppError> {
    let id = parse::server("server", text)?;
    let found = servers::find_org(app, &id).await;
    let scope = found.map_err(|error| named(error, "server", "there is no such game server"))?;
    Ok((scope, id))
}

/// A command names several things; the answer says which of them does not exist.
fn named(error: AppError, argument: &'static str, problem: &str) -> AppError {
    if matches!(error, AppError::NotFound) {
        AppError::invalid(argument, problem)
    } else {
        error
    }
}
