//! `sandbox.json`: the demo world for people who automate.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use app::bots::register;
use app::keys::plugin_keys;
use app::tenancy::{guilds, orgs, servers};
use app::{App, AppError};
use domain::audit::Actor;
use domain::bot::BotId;
use serde::Serialize;

use super::people::Person;
use crate::output::Failure;

#[derive(Serialize)]
pub struct SandboxFile<'a> {
    #[serde(flatten)]
    addresses: Addresses,
    orgs: Vec<OrgEntry>,
    people: &'a [Person],
    bots: Vec<BotEntry>,
}

/// Where everything listens.
#[derive(Serialize)]
pub struct Addresses {
    pub base_url: String,
    pub control: String,
    pub discord: DiscordAddresses,
    pub steam: SteamAddresses,
    pub stripe: StripeAddresses,
}

#[derive(Serialize)]
pub struct DiscordAddresses {
    pub api: String,
    pub gateway: String,
    pub control: String,
}

#[derive(Serialize)]
pub struct SteamAddresses {
    pub openid: String,
    pub api: String,
    pub control: String,
}

#[derive(Serialize)]
pub struct StripeAddresses {
    pub api: String,
    pub control: String,
    pub webhook_secret: String,
}

/// A bot and the secret with which its process calls the service.
#[derive(Serialize)]
struct BotEntry {
    id: String,
    secret: String,
}

#[derive(Serialize)]
struct OrgEntry {
    id: String,
    name: String,
    slug: String,
    tier: &'static str,
    guilds: Vec<GuildEntry>,
}

#[derive(Serialize)]
struct GuildEntry {
    id: String,
    slug: String,
    discord_guild_id: String,
    log_channel_id: Option<String>,
    servers: Vec<ServerEntry>,
}

#[derive(Serialize)]
struct ServerEntry {
    id: String,
    name: String,
    key: String,
}

pub async fn describe<'a>(
    app: &App,
    people: &'a [Person],
    addresses: Addresses,
) -> Result<SandboxFile<'a>, AppError> {
    let mut entries = Vec::new();
    for org in orgs::list(app).await? {
        let mut guild_entries = Vec::new();
        let all_servers = servers::list(app, org.scope).await?;
        for guild in guilds::list(app, org.scope).await? {
            let mut server_entries = Vec::new();
            for server in all_servers.iter().filter(|server| server.guild == guild.num) {
                let key = plugin_keys::reveal(app, org.scope, server.id.clone(), Actor::System).await?;
                server_entries.push(ServerEntry {
                    id: server.id.as_str().to_owned(),
                    name: server.name.clone(),
                    key: key.expose().to_owned(),
                });
            }
            guild_entries.push(GuildEntry {
                id: guild.id.as_str().to_owned(),
                slug: guild.slug,
                discord_guild_id: guild.discord_guild_id.as_str().to_owned(),
                log_channel_id: guild.log_channel_id,
                servers: server_entries,
            });
        }
        entries.push(OrgEntry {
            id: org.id.as_str().to_owned(),
            name: org.name,
            slug: org.slug,
            tier: org.tier.as_str(),
            guilds: guild_entries,
        });
    }
    let secret = register::secret(app, &BotId::Platform).await?;
    Ok(SandboxFile {
        addresses,
        orgs: entries,
        people,
        bots: vec![BotEntry {
            id: BotId::Platform.as_str().to_owned(),
            secret: secret.expose().to_owned(),
        }],
    })
}

impl SandboxFile<'_> {
    /// Keys of the Servers of the first Org, where everything is set up.
    pub fn keys_in_use(&self) -> Vec<String> {
        let guilds = self.orgs.iter().take(1).flat_map(|org| &org.guilds);
        let servers = guilds.flat_map(|guild| &guild.servers);
        servers.map(|server| server.key.clone()).collect()
    }
}

/// Written beside and renamed: whoever sees the file sees all of it.
pub fn write(path: &Path, file: &SandboxFile<'_>) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(file)?;
    let temporary = path.with_extension("json.new");
    // It holds keys.
    let mut target = std::fs::OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(&temporary)?;
    target.write_all(text.as_bytes())?;
    std::fs::rename(&temporary, path)?;
    Ok(())
}
