use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use toml::Value;

use crate::database_url::DatabaseUrl;
use crate::{public_url, service_url};

/// The shape of a setting: its default, and what may stand in its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Number {
        default: i64,
        min: i64,
        max: i64,
        unit: &'static str,
    },
    Switch {
        default: bool,
    },
    Choice {
        default: &'static str,
        choices: &'static [&'static str],
    },
    Path {
        default: &'static str,
    },
    OptionalPath {
        when_empty: &'static str,
    },
    Address {
        default: &'static str,
    },
    OptionalAddress {
        default: &'static str,
    },
    PublicUrl {
        default: &'static str,
    },
    /// Where another system is reached, with a path if it has one.
    ServiceUrl {
        default: &'static str,
    },
    Networks,
    DiscordIds,
    OptionalDiscordId,
    /// A name that somebody else gave.
    Word {
        default: &'static str,
    },
    /// Names that somebody else gave.
    Words,
    /// Never printed, and empty unless it is set.
    Secret,
    DatabaseUrl {
        default: &'static str,
    },
    /// Names a file whose contents become the value of another setting.
    SecretFile {
        target: &'static str,
    },
}

impl Kind {
    pub(crate) fn default(&self) -> Value {
        match *self {
            Self::Number { default, .. } => Value::Integer(default),
            Self::Switch { default } => Value::Boolean(default),
            Self::Choice { default, .. }
            | Self::Path { default }
            | Self::Address { default }
            | Self::OptionalAddress { default }
            | Self::PublicUrl { default }
            | Self::ServiceUrl { default }
            | Self::Word { default }
            | Self::DatabaseUrl { default } => Value::String(default.to_owned()),
            Self::OptionalPath { .. } | Self::OptionalDiscordId | Self::Secret | Self::SecretFile { .. } => {
                Value::String(String::new())
            }
            Self::Networks | Self::DiscordIds | Self::Words => Value::Array(Vec::new()),
        }
    }

    /// What may be set, worded to follow "must be".
    pub(crate) fn allowed(&self) -> String {
        match *self {
            Self::Number { min, max, unit, .. } => {
                format!("a whole number of {unit} from {min} to {max}")
            }
            Self::Switch { .. } => "true or false".to_owned(),
            Self::Choice { choices, .. } => format!("one of {}", choices.join(", ")),
            Self::Path { .. } => "a path".to_owned(),
            Self::OptionalPath { when_empty } => format!("a path, or empty for {when_empty}"),
            Self::Address { .. } => "an IP address and port".to_owned(),
            Self::OptionalAddress { .. } => "an IP address and port, or empty for none".to_owned(),
            Self::PublicUrl { .. } => {
                "an http or https URL with a host and an optional port, nothing else".to_owned()
            }
            Self::ServiceUrl { .. } => {
                "an https URL without user, query or fragment; http only on this machine".to_owned()
            }
            Self::Networks => "a list of networks or IP addresses".to_owned(),
            Self::DiscordIds => "a list of Discord user IDs of 17 to 20 digits".to_owned(),
            Self::OptionalDiscordId => "a Discord ID of 17 to 20 digits, or empty".to_owned(),
            Self::Word { .. } => {
                "a name of 1 to 256 letters, digits and symbols without spaces, or empty".to_owned()
            }
            Self::Words => {
                "a list of names of 1 to 256 letters, digits and symbols without spaces".to_owned()
            }
            Self::Secret => {
                "a secret of 1 to 256 letters, digits and symbols without spaces, or empty".to_owned()
            }
            Self::DatabaseUrl { .. } => "sqlite, sqlite:PATH, postgres://… or postgresql://…".to_owned(),
            Self::SecretFile { target } => format!("the path of a file containing {target}"),
        }
    }

    /// Reads the text of an environment variable. Text of the wrong form stays
    /// text, and `check` then refuses it.
    pub(crate) fn value_of(&self, text: &str) -> Value {
        let as_text = || Value::String(text.to_owned());
        match self {
            Self::Number { .. } => text.trim().parse().map_or_else(|_| as_text(), Value::Integer),
            Self::Switch { .. } => text.trim().parse().map_or_else(|_| as_text(), Value::Boolean),
            Self::Networks | Self::DiscordIds | Self::Words => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
            }
            Self::Choice { .. }
            | Self::Path { .. }
            | Self::OptionalPath { .. }
            | Self::Address { .. }
            | Self::OptionalAddress { .. }
            | Self::PublicUrl { .. }
            | Self::ServiceUrl { .. }
            | Self::OptionalDiscordId
            | Self::Word { .. }
            | Self::Secret
            | Self::DatabaseUrl { .. }
            | Self::SecretFile { .. } => as_text(),
        }
    }

    /// The value in its normal form, or what it must be instead. The answer
    /// repeats nothing but numbers: text may be a password in the wrong place.
    pub(crate) fn check(&self, value: &Value) -> Result<Value, String> {
        let text = value.as_str();
        let checked = match *self {
            Self::Number { min, max, .. } => return self.check_number(value, min, max),
            Self::Networks => return self.check_list(value, network),
            Self::DiscordIds => return self.check_list(value, discord_id),
            Self::Words => return self.check_list(value, word),
            Self::Switch { .. } => value.as_bool().map(Value::Boolean),
            Self::Choice { choices, .. } => text.filter(|text| choices.contains(text)).map(owned),
            Self::Path { .. } => text.filter(|text| !text.is_empty()).map(owned),
            Self::OptionalPath { .. } | Self::SecretFile { .. } => text.map(owned),
            Self::Address { .. } => text.filter(|text| is_address(text)).map(owned),
            Self::OptionalAddress { .. } => {
                text.filter(|text| text.is_empty() || is_address(text)).map(owned)
            }
            Self::PublicUrl { .. } => text.and_then(public_url::normalize).map(Value::String),
            Self::ServiceUrl { .. } => text.and_then(service_url::normalize).map(Value::String),
            Self::OptionalDiscordId => text
                .filter(|text| text.is_empty() || discord_id(text).is_some())
                .map(owned),
            Self::Word { .. } | Self::Secret => text.filter(|text| is_secret(text)).map(owned),
            Self::DatabaseUrl { .. } => text.filter(|text| DatabaseUrl::parse(text).is_some()).map(owned),
        };
        checked.ok_or_else(|| self.allowed())
    }

    fn check_number(&self, value: &Value, min: i64, max: i64) -> Result<Value, String> {
        match value.as_integer() {
            Some(number) if (min..=max).contains(&number) => Ok(Value::Integer(number)),
            Some(number) => Err(format!("{}, not {number}", self.allowed())),
            None => Err(self.allowed()),
        }
    }

    fn check_list(&self, value: &Value, item: fn(&str) -> Option<String>) -> Result<Value, String> {
        let items = value.as_array().ok_or_else(|| self.allowed())?;
        let checked = items.iter().zip(1..).map(|(entry, number)| {
            let normal = entry.as_str().and_then(item).map(Value::String);
            normal.ok_or_else(|| format!("{}; entry {number} is not", self.allowed()))
        });
        checked.collect::<Result<_, _>>().map(Value::Array)
    }
}

fn owned(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn is_address(text: &str) -> bool {
    text.parse::<SocketAddr>().is_ok()
}

/// What can travel in a header or an address; a space inside is a mistake in pasting.
fn is_secret(text: &str) -> bool {
    text.len() <= 256 && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn network(text: &str) -> Option<String> {
    let single = || text.parse::<IpAddr>().ok().map(IpNet::from);
    text.parse()
        .ok()
        .or_else(single)
        .map(|network: IpNet| network.to_string())
}

fn word(text: &str) -> Option<String> {
    (!text.is_empty() && is_secret(text)).then(|| text.to_owned())
}

fn discord_id(text: &str) -> Option<String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let fits = (17..=20).contains(&text.len()) && text.parse::<u64>().is_ok();
    (digits && fits).then(|| text.to_owned())
}
