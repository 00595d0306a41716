//! What the rest of the program sees. The meaning of each field is in
//! `settings`, next to its default and range.

use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::IpNet;
use secrecy::SecretString;
use serde::Deserialize;

use crate::database_url::DatabaseUrl;

/// The whole configuration. `Debug` is safe to log: secrets print as a marker.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub data_dir: PathBuf,
    pub operators: Vec<String>,
    pub server: Server,
    pub database: Database,
    pub keys: Keys,
    pub steam: Steam,
    pub discord: Discord,
    pub bot: Bot,
    pub blobs: Blobs,
    pub geo: Geo,
    pub roles: Roles,
    pub retention: Retention,
    pub trust: Trust,
    pub limits: Limits,
    pub plans: Plans,
    pub billing: Billing,
    pub alerts: Alerts,
    pub webhooks: Webhooks,
    pub backup: Backup,
    pub log: Log,
    /// Files in which secrets were found, with the setting that each is for.
    #[serde(skip)]
    pub secret_files: Vec<(&'static str, PathBuf)>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub listen: SocketAddr,
    /// Scheme, host and port only: no trailing slash, no default port, lower case.
    pub public_url: String,
    #[serde(deserialize_with = "unless_empty")]
    pub metrics_listen: Option<SocketAddr>,
    pub trusted_proxies: Vec<IpNet>,
    pub require_tls: bool,
    pub first_byte_timeout_ms: u64,
    pub header_timeout_ms: u64,
    pub body_timeout_ms: u64,
    pub request_timeout_ms: u64,
    pub idle_timeout_ms: u64,
    pub drain_timeout_ms: u64,
    pub max_connections: usize,
    pub max_connections_per_peer: usize,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    pub url: DatabaseUrl,
    pub write_queue: usize,
    pub pool_size: usize,
    /// 0 means that reads use the pool.
    pub read_clients: usize,
    #[serde(deserialize_with = "unless_empty")]
    pub tls_roots: Option<PathBuf>,
    pub start_wait_ms: u64,
    pub statement_timeout_ms: u64,
    pub lock_timeout_ms: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    pub master_key_file: PathBuf,
}

/// Addresses have no final slash.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steam {
    #[serde(deserialize_with = "secret_unless_empty")]
    pub api_key: Option<SecretString>,
    pub api_url: String,
    pub openid_url: String,
}

/// Addresses have no final slash.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discord {
    #[serde(deserialize_with = "unless_empty")]
    pub client_id: Option<String>,
    #[serde(deserialize_with = "secret_unless_empty")]
    pub client_secret: Option<SecretString>,
    #[serde(deserialize_with = "secret_unless_empty")]
    pub bot_token: Option<SecretString>,
    pub api_url: String,
    pub authorize_url: String,
    pub cdn_url: String,
    pub members_intent: bool,
}

/// The bots that this service runs, and what `symbolon bot` needs where it runs by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bot {
    pub shared: bool,
    #[serde(deserialize_with = "unless_empty")]
    pub id: Option<String>,
    #[serde(deserialize_with = "secret_unless_empty")]
    pub secret: Option<SecretString>,
    /// Without a final slash.
    pub service_url: String,
    pub state_dir: PathBuf,
    /// Custom Bots that this node runs at most.
    pub capacity: i64,
    /// Memory that one of them may take.
    pub memory_mib: u64,
    /// The first of the users that they run as where the service is root; 0 for root itself.
    pub first_uid: u32,
    /// What they run as.
    pub host: BotHost,
    /// Where the engine of containers listens.
    pub docker_socket: PathBuf,
    /// What containers are started from.
    #[serde(deserialize_with = "unless_empty")]
    pub image: Option<String>,
    /// The network of containers, if not the engine's own choice.
    #[serde(deserialize_with = "unless_empty")]
    pub network: Option<String>,
}

/// What Custom Bots run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BotHost {
    /// Processes of this machine.
    Process,
    /// Containers of this machine's engine.
    Docker,
    /// Services of a Swarm.
    Swarm,
}

/// Where files are kept that are too large for the database.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blobs {
    #[serde(deserialize_with = "unless_empty")]
    pub bucket: Option<String>,
    pub endpoint: String,
    pub region: String,
    pub access_key_id: String,
    #[serde(deserialize_with = "secret_unless_empty")]
    pub secret_access_key: Option<SecretString>,
}

/// Backups that the service makes by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// None when somebody else makes them.
    #[serde(deserialize_with = "unless_empty")]
    pub directory: Option<PathBuf>,
    pub every_hours: u32,
    pub keep: u32,
}

/// Where the country of a visitor comes from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Geo {
    /// Believed from trusted proxies only; "none" reads no header.
    pub country_header: String,
    #[serde(deserialize_with = "unless_empty")]
    pub database: Option<PathBuf>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roles {
    pub history_days: u32,
}

/// How long things are kept.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    pub trust_history_days: u32,
    pub error_log_days: u32,
    pub link_steps_days: u32,
    pub retired_key_days: u32,
    pub tombstone_days: u32,
    pub session_idle_days: u32,
    pub session_days: u32,
}

/// The least score of each tier.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trust {
    pub trusted_from: u8,
    pub normal_from: u8,
    pub watch_from: u8,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub free: RateLimits,
    pub standard: RateLimits,
    pub pro: RateLimits,
    pub unknown_keys_per_minute: u32,
    pub dashboard_per_second: u32,
    pub dashboard_burst: u32,
    pub link_starts_per_minute: u32,
    pub link_steps_per_minute: u32,
}

/// The limits of one tier, counted per key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimits {
    pub per_minute: u32,
    pub burst: u32,
    pub bulk_ids: u32,
}

/// What each plan allows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plans {
    pub default_tier: String,
    pub custom_bots: bool,
    pub free: PlanCeilings,
    pub standard: PlanCeilings,
    pub pro: PlanCeilings,
}

/// The ceilings of one plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanCeilings {
    pub orgs: i64,
    pub guilds: i64,
    pub servers: i64,
    pub links: i64,
    pub navigation_links: i64,
}

/// The Stripe account that plans are sold through.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Billing {
    #[serde(deserialize_with = "secret_unless_empty")]
    pub secret_key: Option<SecretString>,
    #[serde(deserialize_with = "secret_unless_empty")]
    pub webhook_secret: Option<SecretString>,
    #[serde(deserialize_with = "secret_unless_empty")]
    pub previous_webhook_secret: Option<SecretString>,
    #[serde(deserialize_with = "unless_empty")]
    pub portal_configuration: Option<String>,
    /// Without a final slash.
    pub api_url: String,
    pub prices: Prices,
}

/// IDs of prices; of each list the first is sold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub standard_month: Vec<String>,
    pub standard_year: Vec<String>,
    pub pro_month: Vec<String>,
    pub pro_year: Vec<String>,
    pub bot_month: Vec<String>,
}

/// Where operators are told of failures; nowhere unless one of these is set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alerts {
    #[serde(deserialize_with = "secret_unless_empty")]
    pub discord_webhook: Option<SecretString>,
    #[serde(deserialize_with = "unless_empty")]
    pub channel_id: Option<String>,
}

/// Where operators have changes of links sent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhooks {
    /// To addresses that are not of the public internet too.
    pub allow_private: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub level: String,
    pub format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Json,
    Text,
}

/// TOML has no null, so an empty text stands for "not set".
fn unless_empty<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

fn secret_unless_empty<'de, D>(deserializer: D) -> Result<Option<SecretString>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let text = String::deserialize(deserializer)?;
    Ok((!text.is_empty()).then(|| SecretString::from(text)))
}
