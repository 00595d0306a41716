//! What a bot has to know before it starts.

use std::path::PathBuf;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// Addresses have no final slash. There is no `Debug`: nobody has a reason to print it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where the service is.
    pub service_url: String,
    /// Who the bot is to the service: `platform`, or the Discord id of its account.
    pub bot_id: String,
    /// What proves it.
    #[serde(with = "secret_text")]
    pub secret: SecretString,
    /// Its token on Discord.
    #[serde(with = "secret_text")]
    pub token: SecretString,
    /// Discord's REST interface, with its version.
    pub api_url: String,
    /// Where it keeps what it needs to go on after a restart.
    pub state_dir: PathBuf,
    /// Whether the owner of the application granted the intent to hear of members.
    pub members_intent: bool,
    /// The Discord server that the bot is for; none for the shared one.
    #[serde(default)]
    pub home: Option<u64>,
    /// For a process that the service has started itself.
    pub parent: Option<Parent>,
}

/// What a process has from the service that started it. It ends when its secret is no longer known, because the next
/// one is given the new secret.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parent {
    /// Under which name it reports: 16 hex characters, by which its parent knows its own.
    pub instance: String,
    /// Ends by itself when the service was silent for so long, because another node may run the bot by then.
    pub leave_after_ms: Option<u64>,
}

/// How a process is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Another one goes on with the session.
    Leave,
    /// The bot goes offline for everybody to see.
    Pause,
}

mod secret_text {
    use secrecy::{ExposeSecret, SecretString};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(secret.expose_secret())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
        String::deserialize(deserializer).map(SecretString::from)
    }
}
