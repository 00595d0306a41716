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

/// Whether a variable must be a setting: all of ours, but for the one that
/// names the file and those that steer tests.
pub(crate) fn is_ours(variable: &str) -> bool {
    variable.starts_with(PREFIX) && variable != "SYMBOLON_CONFIG" && !variable.starts_with("SYMBOLON_TEST_")
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
    count("ids", default, 1, 10_000)
}

const LEVELS: &[&str] = &["error", "warn", "info", "debug", "trace"];

/// In the order of the default file: top-level keys first, sections together.
#[rustfmt::skip]
pub(crate) static SETTINGS: &[Setting] = &[
    set("data_dir", Kind::Path { default: "./data" },
        "Directory for the files the service keeps."),
    set("operators", Kind::DiscordIds,
        "Discord accounts that may run the whole installation."),

    set("server.listen", Kind::Address { default: "127.0.0.1:8080" },
        "Address on which requests are answered."),
    set("server.public_url", Kind::PublicUrl { default: "http://127.0.0.1:8080" },
        "Address visitors use; left alone, it follows the port of server.listen."),
    set("server.metrics_listen", Kind::OptionalAddress { default: "127.0.0.1:9464" },
        "Address on which metrics can be read."),
    set("server.trusted_proxies", Kind::Networks,
        "Proxies that are believed when they name the client's address."),
    set("server.require_tls", Kind::Switch { default: false },
        "Refuses keys that another machine sends over plain HTTP."),
    set("server.first_byte_timeout_ms", millis(10_000, 100),
        "How long a new connection may stay silent."),
    set("server.header_timeout_ms", millis(10_000, 100),
        "How long a request head may take to arrive."),
    set("server.body_timeout_ms", millis(15_000, 100),
        "How long a request body may take to arrive."),
    set("server.request_timeout_ms", millis(30_000, 100),
        "How long a request may take from its head to its answer."),
    set("server.idle_timeout_ms", millis(60_000, 100),
        "How long a connection is kept between two requests."),
    set("server.drain_timeout_ms", millis(10_000, 0),
        "How long open requests may finish when the service stops."),
    set("server.max_connections", count("connections", 4096, 1, 1_000_000),
        "Connections open at once, over all peers."),
    set("server.max_connections_per_peer", count("connections", 256, 1, 1_000_000),
        "Connections open at once from one address that is not a trusted proxy."),

    set("database.url", Kind::DatabaseUrl { default: "sqlite" },
        "Database to use; plain sqlite is the file symbolon.db in data_dir."),
    set("database.url_file", Kind::SecretFile { target: "database.url" },
        "File to read the database address from, so that a password is in neither file nor environment."),
    set("database.write_queue", count("writes", 1024, 1, 65_536),
        "Writes that may wait before further ones are refused."),
    set("database.pool_size", count("connections", 8, 1, 256),
        "Connections kept open to the database."),
    set("database.read_clients", count("connections", 2, 0, 64),
        "Connections that only serve look-ups; with 0, look-ups use the pool."),
    set("database.tls_roots", Kind::OptionalPath { when_empty: "none" },
        "File of certificates, in PEM, that vouch for the PostgreSQL server."),
    set("database.start_wait_ms", millis(60_000, 0),
        "How long a PostgreSQL that does not answer is waited for at start."),
    set("database.statement_timeout_ms", millis(5_000, 10),
        "How long one statement may run."),
    set("database.lock_timeout_ms", millis(2_000, 10),
        "How long a statement may wait for a lock."),

    set("keys.master_key_file", Kind::OptionalPath { when_empty: "master.keys in data_dir" },
        "File of the keys that encrypt stored secrets."),

    set("steam.api_key", Kind::Secret,
        "Key of Steam's Web API, sent to steam.api_url and nowhere else; without it no group can be checked."),
    set("steam.api_key_file", Kind::SecretFile { target: "steam.api_key" },
        "File to read steam.api_key from."),
    set("steam.api_url", Kind::ServiceUrl { default: "https://api.steampowered.com" },
        "Where Steam's Web API is."),
    set("steam.openid_url", Kind::ServiceUrl { default: "https://steamcommunity.com/openid/login" },
        "Where people are sent to sign in with Steam, and where that sign-in is checked."),

    set("discord.client_id", Kind::OptionalDiscordId,
        "Id of the Discord application that people sign in through."),
    set("discord.client_secret", Kind::Secret,
        "Secret of that application."),
    set("discord.client_secret_file", Kind::SecretFile { target: "discord.client_secret" },
        "File to read discord.client_secret from."),
    set("discord.bot_token", Kind::Secret,
        "Token of the shared bot."),
    set("discord.bot_token_file", Kind::SecretFile { target: "discord.bot_token" },
        "File to read discord.bot_token from."),
    set("discord.api_url", Kind::ServiceUrl { default: "https://discord.com/api/v10" },
        "Where Discord's API is; it ends in /api/v10."),
    set("discord.authorize_url", Kind::ServiceUrl { default: "https://discord.com/oauth2/authorize" },
        "Where people are sent to sign in with Discord."),

    set("geo.country_header", Kind::Choice { default: "none", choices: &["none", "cf-ipcountry", "x-country-code", "cloudfront-viewer-country", "fastly-client-country"] },
        "Header in which a trusted proxy tells the visitor's country; none to ignore all of them."),
    set("geo.database", Kind::OptionalPath { when_empty: "the country stays unknown" },
        "Table of networks and countries in the MaxMind format, asked when no header tells the country."),

    set("limits.unknown_keys_per_minute", count("attempts", 30, 1, 100_000),
        "Attempts with an unknown key allowed to one network in a minute."),
    set("limits.dashboard_per_second", count("requests", 20, 1, 10_000),
        "Dashboard requests one account may make each second."),
    set("limits.dashboard_burst", count("requests", 100, 1, 100_000),
        "Dashboard requests one account may make at once after a rest."),
    set("limits.link_starts_per_minute", count("sign-ins", 30, 1, 100_000),
        "Sign-ins that one address may begin in a minute."),
    set("limits.link_steps_per_minute", count("steps", 60, 1, 100_000),
        "Buttons that one address may press on public pages in a minute, and ways back from a sign-in."),

    set("limits.free.per_minute", rate(240), "Requests a key of the Free tier may make each minute."),
    set("limits.free.burst", rate(480), "Requests a key of the Free tier may make at once after a rest."),
    set("limits.free.bulk_ids", ids(100), "Ids in one bulk request of the Free tier."),

    set("limits.standard.per_minute", rate(1_200), "Requests a key of the Standard tier may make each minute."),
    set("limits.standard.burst", rate(2_400), "Requests a key of the Standard tier may make at once after a rest."),
    set("limits.standard.bulk_ids", ids(500), "Ids in one bulk request of the Standard tier."),

    set("limits.pro.per_minute", rate(6_000), "Requests a key of the Pro tier may make each minute."),
    set("limits.pro.burst", rate(12_000), "Requests a key of the Pro tier may make at once after a rest."),
    set("limits.pro.bulk_ids", ids(2_000), "Ids in one bulk request of the Pro tier."),

    set("log.level", Kind::Choice { default: "info", choices: LEVELS },
        "Least important kind of event that is logged."),
    set("log.format", Kind::Choice { default: "json", choices: &["json", "text"] },
        "Form of the log: json for machines, text for reading."),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{SETTINGS, Setting};
    use crate::kind::Kind;
    use crate::{Config, Overrides};

    fn another_value(kind: &Kind) -> String {
        match kind {
            Kind::Number { default, .. } => (default + 1).to_string(),
            Kind::Switch { default } => (!default).to_string(),
            Kind::Choice { choices, default } => choices
                .iter()
                .find(|choice| *choice != default)
                .unwrap()
                .to_string(),
            Kind::Path { .. } | Kind::OptionalPath { .. } => "other".to_owned(),
            Kind::Address { .. } | Kind::OptionalAddress { .. } => "127.0.0.2:99".to_owned(),
            Kind::PublicUrl { .. } | Kind::ServiceUrl { .. } => "https://other.example".to_owned(),
            Kind::Networks => "10.0.0.0/8".to_owned(),
            Kind::DiscordIds | Kind::OptionalDiscordId => "12345678901234567".to_owned(),
            Kind::Secret => "another-secret".to_owned(),
            Kind::DatabaseUrl { .. } => "sqlite:other.db".to_owned(),
            Kind::SecretFile { .. } => {
                concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/database-url").to_owned()
            }
        }
    }

    fn load(env: &[(String, String)]) -> String {
        format!(
            "{:?}",
            Config::from_parts(None, env, &Overrides::default()).unwrap()
        )
    }

    #[test]
    fn every_setting_can_be_set_by_environment() {
        let defaults = load(&[]);
        let mut seen = HashSet::from([defaults.clone()]);
        for setting in SETTINGS {
            let changed = load(&[(setting.variable(), another_value(&setting.kind))]);
            assert_ne!(changed, defaults, "{} changes nothing", setting.key);
            // A file changes what its target changes, and a secret is not printed.
            let of_its_own = seen.insert(changed) || matches!(setting.kind, Kind::SecretFile { .. });
            assert!(of_its_own, "{} changes nothing of its own", setting.key);
        }
    }

    #[test]
    fn every_default_is_in_its_normal_form() {
        for setting in SETTINGS {
            let default = setting.kind.default();
            assert_eq!(setting.kind.check(&default), Ok(default), "{}", setting.key);
        }
    }

    #[test]
    fn both_ends_of_each_range_are_allowed_and_nothing_beyond() {
        for setting in SETTINGS {
            let Kind::Number { min, max, .. } = setting.kind else {
                continue;
            };
            for (number, allowed) in [(min - 1, false), (min, true), (max, true), (max + 1, false)] {
                let checked = setting.kind.check(&toml::Value::Integer(number));
                assert_eq!(checked.is_ok(), allowed, "{} = {number}", setting.key);
            }
        }
    }

    #[test]
    fn names_are_distinct_and_explanations_are_single_sentences() {
        let variables: HashSet<_> = SETTINGS.iter().map(Setting::variable).collect();
        assert_eq!(variables.len(), SETTINGS.len());
        for Setting { key, about, .. } in SETTINGS {
            assert!(about.ends_with('.') && !about.contains(['\n', '|']), "{key}");
        }
    }
}
