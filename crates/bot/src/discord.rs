//! Discord's REST interface, of which the bot needs little: where the gateway is, and the answers to interactions. All
//! other calls are the service's.

use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::heard::Interaction;
use crate::http::{Answer, Silence, send, with_json};
use crate::resume::is_gateway;
use crate::settings::Settings;

/// Only the one who asked sees it.
const EPHEMERAL: u64 = 1 << 6;
const MESSAGE: u8 = 4;
const DEFERRED: u8 = 5;

pub struct Discord {
    client: Client,
    base: String,
    token: SecretString,
}

/// Where the gateway is, and how many sessions may begin there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayFacts {
    pub url: String,
    pub remaining: u64,
    pub reset_after_ms: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Gateway {
    Open(GatewayFacts),
    /// The token is none.
    Rejected,
    /// No use asking before that time.
    Later(std::time::Duration),
}

/// Whether the bot may hear of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Granted(bool),
    /// The token is none.
    Rejected,
}

/// Of the bot's application; the second is for bots in few Discord servers.
const MEMBERS_FLAGS: u64 = 1 << 14 | 1 << 15;

#[derive(Deserialize)]
struct OwnApplication {
    flags: u64,
}

#[derive(Deserialize)]
struct ForBot {
    url: String,
    session_start_limit: StartLimit,
}

#[derive(Deserialize)]
struct StartLimit {
    remaining: u64,
    reset_after: u64,
}

impl Discord {
    pub fn new(client: Client, settings: &Settings) -> Self {
        Self {
            client,
            base: settings.api_url.clone(),
            token: settings.token.clone(),
        }
    }

    async fn get(&self, path: &str) -> Result<Answer, Silence> {
        let request = self.client.get(format!("{}{path}", self.base));
        let token = format!("Bot {}", self.token.expose_secret());
        send(request.header("authorization", token)).await
    }

    pub async fn members(&self) -> Result<Members, Silence> {
        let answer = self.get("/applications/@me").await?;
        match answer.status {
            200 => {
                let own: OwnApplication = answer.json()?;
                Ok(Members::Granted(own.flags & MEMBERS_FLAGS != 0))
            }
            401 => Ok(Members::Rejected),
            other => Err(Silence::Refused(other)),
        }
    }

    pub async fn gateway(&self) -> Result<Gateway, Silence> {
        let answer = self.get("/gateway/bot").await?;
        match answer.status {
            200 => {
                let ForBot {
                    url,
                    session_start_limit: limit,
                } = answer.json()?;
                let url = url.trim_end_matches('/').to_owned();
                if !is_gateway(&url) {
                    return Err(Silence::Unreadable);
                }
                Ok(Gateway::Open(GatewayFacts {
                    url,
                    remaining: limit.remaining,
                    reset_after_ms: limit.reset_after,
                }))
            }
            401 => Ok(Gateway::Rejected),
            429 => Ok(Gateway::Later(answer.retry_after())),
            other => Err(Silence::Refused(other)),
        }
    }

    /// Answers for good.
    pub async fn reply(&self, to: &Interaction, message: Map<String, Value>) {
        let mut data = without_pings(message);
        data.insert("flags".to_owned(), EPHEMERAL.into());
        self.call_back(to, &json!({"type": MESSAGE, "data": data})).await;
    }

    /// Promises an answer.
    pub async fn defer(&self, to: &Interaction) {
        self.call_back(to, &json!({"type": DEFERRED, "data": {"flags": EPHEMERAL}}))
            .await;
    }

    /// Keeps the promise.
    pub async fn complete(&self, to: &Interaction, message: Map<String, Value>) {
        let (application, token) = (&to.application_id, &to.token);
        let url = format!("{}/webhooks/{application}/{token}/messages/@original", self.base);
        twice(|| self.client.patch(&url), &without_pings(message)).await;
    }

    async fn call_back(&self, to: &Interaction, body: &Value) {
        let url = format!("{}/interactions/{}/{}/callback", self.base, to.id, to.token);
        twice(|| self.client.post(&url), body).await;
    }
}

/// Once more if nothing came back: Discord takes each answer only once.
async fn twice(request: impl Fn() -> RequestBuilder, body: &impl Serialize) {
    let attempt = async || send(with_json(request(), body)?).await;
    let mut answered = attempt().await;
    if answered.as_ref().map_or(true, |answer| answer.status >= 500) {
        answered = attempt().await;
    }
    match answered {
        Ok(answer) if answer.is_ok() => {}
        Ok(answer) if matches!(answer.status, 400 | 404) => {
            tracing::info!(
                status = answer.status,
                "an answer came too late, or somebody else gave one"
            );
        }
        Ok(answer) => tracing::warn!(status = answer.status, "Discord did not take an answer"),
        Err(error) => tracing::warn!(%error, "Discord did not take an answer"),
    }
}

fn without_pings(mut message: Map<String, Value>) -> Map<String, Value> {
    message.insert("allowed_mentions".to_owned(), json!({"parse": []}));
    message
}
