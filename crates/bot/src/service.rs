//! The service, as the bot asks it.

use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::heard::Asked;
use crate::hints::Hint;
use crate::http::{Answer, Silence, send, with_json};
use crate::members;
use crate::settings::Settings;
use crate::status::{Failure, State};

/// How long somebody who used a command waits for more than a plain sentence.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Service {
    client: Client,
    base: String,
    bot_id: String,
    secret: SecretString,
    /// Tells this process from every other one of the same bot.
    instance: String,
}

/// Guilds on a page.
const A_PAGE: u32 = 50;
/// Another 429 only means that too much was asked at once.
const OVER_BUDGET: &str = "IDENTIFY_BUDGET";

/// The Guilds that the bot serves, as far as it needs to know them.
#[derive(Deserialize)]
pub struct Guilds {
    pub guilds: Vec<Guild>,
    /// Where the next page begins.
    pub next: Option<String>,
}

#[derive(Deserialize)]
pub struct Guild {
    pub discord_guild_id: String,
}

/// A sign of life.
#[derive(Serialize)]
pub struct Report<'a> {
    pub state: State,
    pub failure: Option<Failure>,
    pub bot_user_id: Option<&'a str>,
    pub guilds: usize,
    pub memory_bytes: u64,
    pub started_ms: i64,
}

/// What the service made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// This process is the bot's; so many accounts are linked. `disputed` when another process came a moment ago.
    Ours { linked: u64, disputed: bool },
    /// Another process is.
    Anothers,
    /// The service answers, but not to us.
    Refused(u16),
}

#[derive(Deserialize)]
struct Accepted {
    linked: u64,
    instance_ok: bool,
}

/// Whether a session may begin on Discord's gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permit {
    Go,
    /// Too many were begun.
    OverBudget(Duration),
    /// Not now, for another reason.
    Later,
}

impl Service {
    pub fn new(client: Client, settings: &Settings, instance: String) -> Self {
        Self {
            client,
            base: settings.service_url.clone(),
            bot_id: settings.bot_id.clone(),
            secret: settings.secret.clone(),
            instance,
        }
    }

    pub async fn report(&self, report: &Report<'_>) -> Result<Told, Silence> {
        let answer = self.post("session", report).await?;
        Ok(match answer.status {
            200 => {
                let Accepted { linked, instance_ok } = answer.json()?;
                let disputed = !instance_ok;
                Told::Ours { linked, disputed }
            }
            409 => Told::Anothers,
            other => Told::Refused(other),
        })
    }

    /// Asks before a session is begun; `remaining` and `reset_after_ms` as Discord told.
    pub async fn may_identify(&self, remaining: u64, reset_after_ms: u64) -> Result<Permit, Silence> {
        let body = json!({"remaining": remaining, "reset_after_ms": reset_after_ms});
        let answer = self.post("identify", &body).await?;
        Ok(match answer.status {
            200..300 => Permit::Go,
            429 if answer.code() == OVER_BUDGET => Permit::OverBudget(answer.retry_after()),
            _ => Permit::Later,
        })
    }

    pub async fn guilds(&self, cursor: Option<&str>) -> Result<Guilds, Silence> {
        let from = cursor
            .map(|cursor| format!("&cursor={cursor}"))
            .unwrap_or_default();
        let url = format!("{}/bot/guilds?limit={A_PAGE}{from}", self.base);
        let answer = send(self.signed(self.client.get(url))).await?;
        if answer.is_ok() {
            return answer.json();
        }
        Err(Silence::Refused(answer.status))
    }

    /// Says whether they arrived.
    pub async fn hint(&self, events: &[Hint]) -> bool {
        let sent = self.post("events", &json!({ "events": events })).await;
        sent.is_ok_and(|answer| is_settled(&answer))
    }

    /// The same for members of a guild.
    pub async fn tell_members(&self, guild: u64, members: &[members::Told]) -> bool {
        let body = json!({"discord_guild_id": guild.to_string(), "members": members});
        let Ok(request) = with_json(self.request("members"), &body) else {
            return true;
        };
        send(request).await.is_ok_and(|answer| is_settled(&answer))
    }

    /// What somebody is answered who used a command or a button: `content`, `embeds`, `components`.
    pub async fn ask(&self, asked: &Asked) -> Result<Map<String, Value>, Silence> {
        let request = self.request("interactions").timeout(PATIENCE);
        let answer = send(with_json(request, asked)?).await?;
        if answer.is_ok() {
            return answer.json();
        }
        Err(Silence::Refused(answer.status))
    }

    async fn post(&self, what: &str, body: &impl Serialize) -> Result<Answer, Silence> {
        let mut body = serde_json::to_value(body).map_err(|_| Silence::Unreadable)?;
        body["instance"] = self.instance.as_str().into();
        send(with_json(self.request(what), &body)?).await
    }

    fn request(&self, what: &str) -> RequestBuilder {
        self.signed(self.client.post(format!("{}/bot/{what}", self.base)))
    }

    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request
            .header("x-bot-id", &self.bot_id)
            .bearer_auth(self.secret.expose_secret());
        // Plain HTTP is for this machine only, as over a proxy that ends TLS here.
        if self.base.starts_with("http://") {
            return request.header("x-forwarded-proto", "https");
        }
        request
    }
}

/// What is refused as it stands would be refused again.
fn is_settled(answer: &Answer) -> bool {
    answer.is_ok() || matches!(answer.status, 400 | 404 | 413 | 422)
}
