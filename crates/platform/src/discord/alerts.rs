//! Where operators are told of failures: a webhook of a Discord channel, or a channel that the shared bot posts to.

use domain::clock::SharedClock;
use domain::platform_id::DiscordId;
use reqwest::Client;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::guard::{Guard, Standing};
use crate::http::{self, SetupError, Unanswered};
use crate::question::Question;

/// What Discord calls itself in the addresses of webhooks.
const HOSTS: [&str; 4] = [
    "discord.com",
    "discordapp.com",
    "ptb.discord.com",
    "canary.discord.com",
];
const ROUTE: &str = "POST /webhooks/{webhook}/{token}";
/// The message as it was posted comes back.
const ANSWER_BYTES: usize = 64 * 1024;

/// One of two ways to the same kind of place.
pub enum AlertSink {
    Webhook(Box<Webhook>),
    Channel(DiscordId),
}

impl AlertSink {
    /// How the calls went so far; those of the bot are told with it.
    pub fn standing(&self) -> Option<Standing> {
        match self {
            Self::Webhook(webhook) => Some(webhook.guard.standing()),
            Self::Channel(_) => None,
        }
    }
}

/// A webhook that an operator made. Whoever has its token can post there, so it has no `Debug`.
pub struct Webhook {
    client: Client,
    base: Url,
    id: String,
    token: SecretString,
    guard: Guard,
}

impl Webhook {
    /// Takes the address as Discord shows it. Only what identifies the webhook is used of it: what is called is
    /// `api_url`, whatever the address says.
    pub fn new(api_url: &str, address: &SecretString, clock: SharedClock) -> Result<Self, SetupError> {
        let base = Url::parse(api_url).ok().filter(|url| !url.cannot_be_a_base());
        let base = base.ok_or_else(|| SetupError("discord.api_url is not an address".to_owned()))?;
        let (id, token) = parts(address.expose_secret(), &base).ok_or_else(|| {
            SetupError(
                "alerts.discord_webhook is not the URL of a Discord webhook, such as https://discord.com/api/webhooks/…/…"
                    .to_owned(),
            )
        })?;
        Ok(Self {
            client: http::client(http::USER_AGENT)?,
            base,
            id,
            token,
            guard: Guard::new("Discord alerts", clock).with_setting("alerts.discord_webhook"),
        })
    }

    /// Posts a message and waits until Discord has it.
    pub async fn post(&self, message: &Value) -> Result<(), Unanswered> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty()
                .extend(["webhooks", &self.id, self.token.expose_secret()]);
        }
        url.query_pairs_mut().append_pair("wait", "true");
        let json = HeaderValue::from_static("application/json");
        let request = self.client.post(url).header(CONTENT_TYPE, json);
        let request = request.body(message.to_string());
        let call = async {
            let answer = http::send(request, ANSWER_BYTES).await?;
            if answer.is_ok() {
                return Ok(());
            }
            Err(answer.unanswered_to_us())
        };
        self.guard.call(Question::on(ROUTE), call).await
    }
}

/// Id and token of `https://discord.com/api/webhooks/{id}/{token}`; between `api` and `webhooks` a version may stand.
fn parts(address: &str, base: &Url) -> Option<(String, SecretString)> {
    let url = Url::parse(address.trim()).ok()?;
    let is_discord = url.scheme() == "https"
        && url.port().is_none()
        && url.host_str().is_some_and(|host| HOSTS.contains(&host));
    if !is_discord && url.origin() != base.origin() {
        return None;
    }
    let is_bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    if !is_bare || url.fragment().is_some() {
        return None;
    }
    let mut segments: Vec<&str> = url.path_segments()?.collect();
    if segments.len() == 5 && segments.get(1)?.starts_with('v') {
        segments.remove(1);
    }
    let [api, webhooks, id, token] = *segments.as_slice() else {
        return None;
    };
    let is_plain = |sign: u8| sign.is_ascii_alphanumeric() || sign == b'-' || sign == b'_';
    let is_known = api == "api" && webhooks == "webhooks" && DiscordId::parse(id).is_ok();
    (is_known && !token.is_empty() && token.bytes().all(is_plain)).then(|| (id.to_owned(), token.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_discords_webhooks_are_taken() {
        let base = Url::parse("http://127.0.0.1:9001/api/v10").unwrap();
        let id = "600000000000000009";
        for good in [
            "https://discord.com/api/webhooks/600000000000000009/To-ken_1",
            "https://canary.discord.com/api/v10/webhooks/600000000000000009/To-ken_1",
            "http://127.0.0.1:9001/api/v10/webhooks/600000000000000009/To-ken_1",
        ] {
            let (found, token) = parts(good, &base).expect(good);
            assert_eq!((found.as_str(), token.expose_secret()), (id, "To-ken_1"));
        }
        for bad in [
            "",
            "discord.com/api/webhooks/600000000000000009/x",
            "http://discord.com/api/webhooks/600000000000000009/x",
            "https://discord.com:8443/api/webhooks/600000000000000009/x",
            "https://discord.com.evil.example/api/webhooks/600000000000000009/x",
            "https://user@discord.com/api/webhooks/600000000000000009/x",
            "https://discord.com/api/webhooks/600000000000000009/x?wait=true",
            "https://discord.com/api/webhooks/600000000000000009/x/slack",
            "https://discord.com/api/webhooks/600000000000000009/",
            "https://discord.com/api/webhooks/6000/x",
            "https://discord.com/api/webhooks/600000000000000009/a%2Fb",
            "http://127.0.0.1:9002/api/webhooks/600000000000000009/x",
            "http://169.254.169.254/api/webhooks/600000000000000009/x",
        ] {
            assert!(parts(bad, &base).is_none(), "{bad}");
        }
    }
}
