//! The one table of settings.

use crate::kind::Kind;

/// One setting. Its variable is made from its key.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) kind: Kind,
    /// One sentence, shown in the default file and the reference page.
    pub(crate) about: &'static str,
}

impl Setting {
    pub(crate) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.key.replace('.', "_").to_ascii_uppercase())
    }

    pub(crate) fn section(&self) -> &'static str {
        self.key.rsplit_once('.').map_or("", |(section, _)| section)
    }

    pub(crate) fn name(&self) -> &'static str {
        self.key.rsplit_once('.').map_or(self.key, |(_, name)| name)
    }
}

const PREFIX: &str = "SYMBOLON_";

/// What is no setting: variables that steer tests, and those that were given to
/// the build and may still be there in its image.
const FOR_OTHERS: [&str; 2] = ["SYMBOLON_TEST_", "SYMBOLON_BUILD_"];

/// Whether a variable must be a setting: all of ours, but for the one that
/// names the file.
pub(crate) fn is_ours(variable: &str) -> bool {
    let is_for_others = FOR_OTHERS.iter().any(|start| variable.starts_with(start));
    variable.starts_with(PREFIX) && variable != "SYMBOLON_CONFIG" && !is_for_others
}

/// Whether Kubernetes set the variable, which tells every container where each
/// Service is; one called `symbolon` gets names that begin like ours.
pub(crate) fn is_of_a_service(variable: &str, value: &str) -> bool {
    let is_protocol = |word: &str| ["TCP", "UDP", "SCTP"].contains(&word);
    let words: Vec<&str> = variable.split('_').collect();
    match words.as_slice() {
        [_, .., "SERVICE", "HOST"] => true,
        words if words.windows(2).any(|pair| pair == ["SERVICE", "PORT"]) => true,
        [_, .., "PORT", port, protocol] | [_, .., "PORT", port, protocol, "PROTO" | "PORT" | "ADDR"] => {
            port.parse::<u16>().is_ok() && is_protocol(protocol)
        }
        // A person who means server.listen would write a number, and is told so.
        [_, .., "PORT"] => value
            .split_once("://")
            .is_some_and(|(scheme, _)| is_protocol(&scheme.to_ascii_uppercase())),
        _ => false,
    }
}

pub(crate) fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

pub(crate) fn is_section(key: &str) -> bool {
    SETTINGS.iter().any(|setting| {
        setting.section() == key
            || setting
                .section()
                .strip_prefix(key)
                .is_some_and(|rest| rest.starts_with('.'))
    })
}

/// Every name a file may use: keys and sections.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let sections = SETTINGS
        .iter()
        .map(Setting::section)
        .filter(|section| !section.is_empty());
    SETTINGS.iter().map(|setting| setting.key).chain(sections)
}

const fn set(key: &'static str, kind: Kind, about: &'static str) -> Setting {
    Setting { key, kind, about }
}

const fn count(unit: &'static str, default: i64, min: i64, max: i64) -> Kind {
    Kind::Number {
        default,
        min,
        max,
        unit,
    }
}

const fn millis(default: i64, min: i64) -> Kind {
    count("milliseconds", default, min, 600_000)
}

const fn rate(default: i64) -> Kind {
    count("requests", default, 1, 1_000_000)
}

const fn ids(default: i64) -> Kind {
    count("IDs", default, 1, 10_000)
}

const fn most(unit: &'static str, default: i64) -> Kind {
    count(unit, default, 0, 10_000_000)
}

const LEVELS: &[&str] = &["error", "warn", "info", "debug", "trace"];

/// In the order of the default file: top-level keys first, sections together.
#[rustfmt::skip]
pub(crate) static SETTINGS: &[Setting] = &[
    set("data_dir", Kind::Path { default: "./data" },
        "Directory for the service's files."),
    set("operators", Kind::DiscordIds,
        "Discord accounts that are operators of this installation."),

    set("server.listen", Kind::Address { default: "127.0.0.1:8080" },
        "Address to listen on."),
    set("server.public_url", Kind::PublicUrl { default: "http://127.0.0.1:8080" },
        "URL visitors use; by default it follows the port of server.listen."),
    set("server.metrics_listen", Kind::OptionalAddress { default: "127.0.0.1:9464" },
        "Address that serves metrics."),
    set("server.trusted_proxies", Kind::Networks,
        "Proxies trusted to name the client's address."),
    set("server.require_tls", Kind::Switch { default: false },
        "Refuse keys that other machines send over plain HTTP."),
    set("server.first_byte_timeout_ms", millis(10_000, 100),
        "How long a new connection may stay silent."),
    set("server.header_timeout_ms", millis(10_000, 100),
        "How long a request head may take to arrive."),
    set("server.body_timeout_ms", millis(15_000, 100),
        "How long a request body may take to arrive."),
    set("server.request_timeout_ms", millis(30_000, 100),
        "How long a request may take from head to response."),
    set("server.idle_timeout_ms", millis(60_000, 100),
        "How long an idle connection is kept open."),
    set("server.drain_timeout_ms", millis(10_000, 0),
        "How long open requests may take to finish when the service stops."),
    set("server.max_connections", count("connections", 4096, 1, 1_000_000),
        "Open connections in total."),
    set("server.max_connections_per_peer", count("connections", 256, 1, 1_000_000),
        "Open connections from one address that is not a trusted proxy."),

    set("database.url", Kind::DatabaseUrl { default: "sqlite" },
        "Database to use; sqlite alone means the file symbolon.db in data_dir."),
    set("database.url_file", Kind::SecretFile { target: "database.url" },
        "File to read database.url from, to keep a password out of the configuration and environment."),
    set("database.write_queue", count("writes", 1024, 1, 65_536),
        "Writes that can queue before more are refused."),
    set("database.pool_size", count("connections", 8, 1, 256),
        "Connections kept open to the database."),
    set("database.read_clients", count("connections", 2, 0, 64),
        "Connections reserved for look-ups; with 0, look-ups use the pool."),
    set("database.tls_roots", Kind::OptionalPath { when_empty: "none" },
        "PEM file with the root certificates to trust for PostgreSQL."),
    set("database.start_wait_ms", millis(60_000, 0),
        "How long to wait for PostgreSQL at start."),
    set("database.statement_timeout_ms", millis(5_000, 10),
        "How long one statement may run."),
    set("database.lock_timeout_ms", millis(2_000, 10),
        "How long a statement may wait for a lock."),

    set("keys.master_key_file", Kind::OptionalPath { when_empty: "master.keys in data_dir" },
        "File with the master keys that encrypt stored secrets."),

    set("steam.api_key", Kind::Secret,
        "Steam Web API key, sent only to steam.api_url; without it no Steam group can be checked."),
    set("steam.api_key_file", Kind::SecretFile { target: "steam.api_key" },
        "File to read steam.api_key from."),
    set("steam.api_url", Kind::ServiceUrl { default: "https://api.steampowered.com" },
        "URL of Steam's Web API."),
    set("steam.openid_url", Kind::ServiceUrl { default: "https://steamcommunity.com/openid/login" },
        "URL where people sign in with Steam and where that sign-in is verified."),

    set("discord.client_id", Kind::OptionalDiscordId,
        "ID of the Discord application people sign in with."),
    set("discord.client_secret", Kind::Secret,
        "Secret of that application."),
    set("discord.client_secret_file", Kind::SecretFile { target: "discord.client_secret" },
        "File to read discord.client_secret from."),
    set("discord.bot_token", Kind::Secret,
        "Token of the shared bot."),
    set("discord.bot_token_file", Kind::SecretFile { target: "discord.bot_token" },
        "File to read discord.bot_token from."),
    set("discord.api_url", Kind::ServiceUrl { default: "https://discord.com/api/v10" },
        "URL of Discord's API; it ends in /api/v10."),
    set("discord.authorize_url", Kind::ServiceUrl { default: "https://discord.com/oauth2/authorize" },
        "URL where people sign in with Discord."),
    set("discord.cdn_url", Kind::ServiceUrl { default: "https://cdn.discordapp.com" },
        "URL of Discord's CDN, which serves avatars and server icons."),
    set("discord.members_intent", Kind::Switch { default: true },
        "Whether the bot asks for the Server Members Intent, to see role changes at once; enable it in Discord's developer portal."),

    set("bot.shared", Kind::Switch { default: true },
        "Whether the service runs the shared bot itself; if false, run symbolon bot elsewhere."),
    set("bot.id", Kind::OptionalDiscordId,
        "For symbolon bot: Discord ID of a dedicated bot; empty for the shared one."),
    set("bot.secret", Kind::Secret,
        "For symbolon bot: the secret it authenticates with; symbolon admin bot-secret show prints it."),
    set("bot.secret_file", Kind::SecretFile { target: "bot.secret" },
        "File to read bot.secret from."),
    set("bot.service_url", Kind::ServiceUrl { default: "http://127.0.0.1:8080" },
        "For symbolon bot and Custom Bots in containers: URL of the service."),
    set("bot.state_dir", Kind::OptionalPath { when_empty: "bot in data_dir" },
        "Directory where a bot keeps what it needs to resume its session after a restart."),
    set("bot.capacity", Kind::Number { default: 100, min: 0, max: 5_000, unit: "bots" },
        "Custom Bots that this node runs at most; 0 leaves all of them to other nodes."),
    set("bot.memory_mib", Kind::Number { default: 64, min: 16, max: 4_096, unit: "MiB" },
        "Memory that a Custom Bot may take; one that takes more is restarted."),
    set("bot.first_uid", Kind::Number { default: 60_706, min: 0, max: 4_000_000_000, unit: "user IDs" },
        "Where the service runs as root, its Custom Bots run as users of their own: this uid and those after it. 0 leaves them root."),
    set("bot.host", Kind::Choice { default: "process", choices: &["process", "docker", "swarm"] },
        "What Custom Bots run as: processes of this machine, containers of its engine (Docker or podman), or services of a Docker Swarm."),
    set("bot.docker_socket", Kind::Path { default: "/var/run/docker.sock" },
        "Socket of that engine; for a Swarm, of a manager."),
    set("bot.image", Kind::Word { default: "" },
        "Image that containers of Custom Bots are started from; the program symbolon has to be in its path."),
    set("bot.network", Kind::Word { default: "" },
        "Network of those containers; if empty, the one that the engine gives them. They reach the service at bot.service_url."),

    set("blobs.bucket", Kind::Word { default: "" },
        "Bucket of an S3-compatible store for files such as pictures; if empty, they are stored in the directory blobs in data_dir."),
    set("blobs.endpoint", Kind::ServiceUrl { default: "https://s3.amazonaws.com" },
        "URL of that store."),
    set("blobs.region", Kind::Word { default: "us-east-1" },
        "Region of the bucket."),
    set("blobs.access_key_id", Kind::Word { default: "" },
        "ID of the access key for the bucket."),
    set("blobs.secret_access_key", Kind::Secret,
        "Secret of that access key."),
    set("blobs.secret_access_key_file", Kind::SecretFile { target: "blobs.secret_access_key" },
        "File to read blobs.secret_access_key from."),

    set("geo.country_header", Kind::Choice { default: "none", choices: &["none", "cf-ipcountry", "x-country-code", "cloudfront-viewer-country", "fastly-client-country"] },
        "Header in which a trusted proxy sends the visitor's country; none ignores them all."),
    set("geo.database", Kind::OptionalPath { when_empty: "the country stays unknown" },
        "Country database in MaxMind format, used when no header names the country."),

    set("roles.history_days", count("days", 90, 1, 3_650),
        "How long the role history of a server tells who got or lost which role, and why."),

    set("retention.trust_history_days", count("days", 730, 1, 3_650),
        "How long it is kept what the Trust Score of a person was."),
    set("retention.error_log_days", count("days", 30, 1, 365),
        "How long the error log goes back."),
    set("retention.link_steps_days", count("days", 800, 31, 3_650),
        "How long it is kept how far people got on link pages, as numbers by the hour."),
    set("retention.retired_key_days", count("days", 90, 1, 365),
        "How long a regenerated API key is still recognized when somebody tries it."),
    set("retention.tombstone_days", count("days", 730, 30, 3_650),
        "How long an erased account is still recognized when it comes back. A block is recognized as long as it lasts."),
    set("retention.session_idle_days", count("days", 30, 1, 90),
        "How long a session of the dashboard lasts that nobody uses."),
    set("retention.session_days", count("days", 90, 1, 90),
        "How long a session of the dashboard lasts, used or not."),

    set("trust.trusted_from", count("points", 90, 3, 100),
        "Least Trust Score of the tier Trusted."),
    set("trust.normal_from", count("points", 70, 2, 99),
        "Least Trust Score of the tier Normal."),
    set("trust.watch_from", count("points", 40, 1, 98),
        "Least Trust Score of the tier Watch; below it is Risk."),

    set("limits.unknown_keys_per_minute", count("attempts", 30, 1, 100_000),
        "Attempts with unknown keys per network and minute."),
    set("limits.dashboard_per_second", count("requests", 20, 1, 10_000),
        "Dashboard requests per account and second."),
    set("limits.dashboard_burst", count("requests", 100, 1, 100_000),
        "Dashboard requests an account can make in a burst."),
    set("limits.link_starts_per_minute", count("sign-ins", 30, 1, 100_000),
        "Sign-ins one address can start per minute."),
    set("limits.link_steps_per_minute", count("steps", 60, 1, 100_000),
        "Form posts and sign-in returns on public pages per address and minute."),

    set("limits.free.per_minute", rate(240), "Requests per minute for a key on the Free plan."),
    set("limits.free.burst", rate(480), "Burst of requests for a key on the Free plan."),
    set("limits.free.bulk_ids", ids(100), "IDs per bulk request on the Free plan."),

    set("limits.standard.per_minute", rate(1_200), "Requests per minute for a key on the Standard plan."),
    set("limits.standard.burst", rate(2_400), "Burst of requests for a key on the Standard plan."),
    set("limits.standard.bulk_ids", ids(500), "IDs per bulk request on the Standard plan."),

    set("limits.pro.per_minute", rate(6_000), "Requests per minute for a key on the Pro plan."),
    set("limits.pro.burst", rate(12_000), "Burst of requests for a key on the Pro plan."),
    set("limits.pro.bulk_ids", ids(2_000), "IDs per bulk request on the Pro plan."),

    set("plans.default_tier", Kind::Choice { default: "free", choices: &["free", "standard", "pro"] },
        "Plan of every organisation without another one, on an installation that sells no plans."),
    set("plans.custom_bots", Kind::Switch { default: false },
        "Whether every Guild may run a Custom Bot without a subscription."),

    set("plans.free.orgs", most("organisations", 1), "Organisations somebody can own whose best plan is Free."),
    set("plans.free.guilds", most("Guilds", 1), "Guilds of an organisation on the Free plan."),
    set("plans.free.servers", most("Servers", 2), "Servers of an organisation on the Free plan."),
    set("plans.free.links", most("links", 500), "Active links of an organisation on the Free plan."),
    set("plans.free.navigation_links", most("buttons", 3), "Buttons on the link pages of an organisation on the Free plan."),

    set("plans.standard.orgs", most("organisations", 3), "Organisations somebody can own whose best plan is Standard."),
    set("plans.standard.guilds", most("Guilds", 3), "Guilds of an organisation on the Standard plan."),
    set("plans.standard.servers", most("Servers", 15), "Servers of an organisation on the Standard plan."),
    set("plans.standard.links", most("links", 20_000), "Active links of an organisation on the Standard plan."),
    set("plans.standard.navigation_links", most("buttons", 5), "Buttons on the link pages of an organisation on the Standard plan."),

    set("plans.pro.orgs", most("organisations", 10), "Organisations somebody can own whose best plan is Pro."),
    set("plans.pro.guilds", most("Guilds", 10), "Guilds of an organisation on the Pro plan."),
    set("plans.pro.servers", most("Servers", 50), "Servers of an organisation on the Pro plan."),
    set("plans.pro.links", most("links", 100_000), "Active links of an organisation on the Pro plan."),
    set("plans.pro.navigation_links", most("buttons", 10), "Buttons on the link pages of an organisation on the Pro plan."),

    set("billing.secret_key", Kind::Secret,
        "Secret or restricted API key of the Stripe account that plans are sold through; without it nothing is sold."),
    set("billing.secret_key_file", Kind::SecretFile { target: "billing.secret_key" },
        "File to read billing.secret_key from."),
    set("billing.webhook_secret", Kind::Secret,
        "Signing secret of the webhook endpoint that Stripe sends its events to."),
    set("billing.webhook_secret_file", Kind::SecretFile { target: "billing.webhook_secret" },
        "File to read billing.webhook_secret from."),
    set("billing.previous_webhook_secret", Kind::Secret,
        "The secret before it, accepted too while it is being replaced."),
    set("billing.previous_webhook_secret_file", Kind::SecretFile { target: "billing.previous_webhook_secret" },
        "File to read billing.previous_webhook_secret from."),
    set("billing.portal_configuration", Kind::Word { default: "" },
        "ID of the configuration of Stripe's customer portal; if empty, the account's default one is used."),
    set("billing.api_url", Kind::ServiceUrl { default: "https://api.stripe.com" },
        "URL of Stripe's API."),

    set("billing.prices.standard_month", Kind::Words, "Price IDs of the Standard plan by the month; the first is sold, all are recognised."),
    set("billing.prices.standard_year", Kind::Words, "Price IDs of the Standard plan by the year."),
    set("billing.prices.pro_month", Kind::Words, "Price IDs of the Pro plan by the month."),
    set("billing.prices.pro_year", Kind::Words, "Price IDs of the Pro plan by the year."),
    set("billing.prices.bot_month", Kind::Words, "Price IDs of a Custom Bot by the month."),

    set("alerts.discord_webhook", Kind::Secret,
        "URL of a Discord webhook to which unexpected errors are reported; whoever has it can post there."),
    set("alerts.discord_webhook_file", Kind::SecretFile { target: "alerts.discord_webhook" },
        "File to read alerts.discord_webhook from."),
    set("alerts.channel_id", Kind::OptionalDiscordId,
        "Discord ID of a channel to which the shared bot reports them instead."),

    set("webhooks.allow_private", Kind::Switch { default: false },
        "Whether webhooks that operators add may lead to private addresses, to any port and over plain http, for receivers beside the service."),

    set("backup.directory", Kind::OptionalPath { when_empty: "no backups are made by the service" },
        "Directory in which the service makes a backup of its own now and then; it must exist."),
    set("backup.every_hours", count("hours", 24, 1, 8_760),
        "Hours from one of these backups to the next."),
    set("backup.keep", count("backups", 14, 1, 10_000),
        "How many of these backups are kept; older ones are removed after a new one is finished."),

    set("log.level", Kind::Choice { default: "info", choices: LEVELS },
        "Lowest level that is logged."),
    set("log.format", Kind::Choice { default: "json", choices: &["json", "text"] },
        "Log format: json for machines, text for people."),
];

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
