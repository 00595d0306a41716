//! Who is in a guild, asked and changed as our bot.

use domain::clock::SharedClock;
use domain::platform_id::DiscordId;
use domain::quota::Purpose;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use url::Url;

use super::oauth::AccessToken;
use crate::guard::Guard;
use crate::http::{self, SetupError, Unanswered};

const ANSWER_BYTES: usize = 64 * 1024;
/// Discord's codes for a person who is not in the guild, and for one it does not know.
const NOT_THERE: [u32; 2] = [10_007, 10_013];

/// The members of guilds that our bot is in. It has no `Debug`: it holds the bot's token.
pub struct Members {
    client: Client,
    base: Url,
    token: SecretString,
    guard: Guard,
}

#[derive(Deserialize)]
struct Refusal {
    code: u32,
}

impl Members {
    /// `api_url` is such as `https://discord.com/api/v10`.
    pub fn new(api_url: &str, token: SecretString, clock: SharedClock) -> Result<Self, SetupError> {
        let base = Url::parse(api_url).ok().filter(|url| !url.cannot_be_a_base());
        Ok(Self {
            client: http::client(http::USER_AGENT)?,
            base: base.ok_or_else(|| SetupError("discord.api_url is not an address".to_owned()))?,
            token,
            guard: Guard::new("Discord members", clock, None),
        })
    }

    pub async fn is_member(&self, guild: &DiscordId, person: &DiscordId) -> Result<bool, Unanswered> {
        let call = async {
            let answer = http::send(self.request(Method::GET, guild, person)?, ANSWER_BYTES).await?;
            match answer.status.as_u16() {
                200 => Ok(true),
                404 => match answer.json::<Refusal>() {
                    Ok(refusal) if NOT_THERE.contains(&refusal.code) => Ok(false),
                    // The guild itself is not known, or our bot is not in it: that says nothing about the person.
                    Ok(_) | Err(_) => Err(Unanswered::Status(404)),
                },
                other => Err(Unanswered::from_status(other)),
            }
        };
        self.guard.call(Purpose::Verify, call).await
    }

    /// Whether our bot is in a guild. Discord says the same of one that is not there and of one it keeps from us.
    pub async fn is_in(&self, guild: &DiscordId) -> Result<bool, Unanswered> {
        let call = async {
            let request = self.at(Method::GET, &["guilds", guild.as_str()])?;
            match http::send(request, ANSWER_BYTES).await?.status.as_u16() {
                200 => Ok(true),
                403 | 404 => Ok(false),
                other => Err(Unanswered::from_status(other)),
            }
        };
        self.guard.call(Purpose::Verify, call).await
    }

    /// Adds a person who allowed it. Somebody who is there already stays as they are.
    pub async fn add(
        &self,
        guild: &DiscordId,
        person: &DiscordId,
        allowed: &AccessToken,
    ) -> Result<(), Unanswered> {
        let body = serde_json::json!({ "access_token": allowed.expose() }).to_string();
        let call = async {
            let request = self
                .request(Method::PUT, guild, person)?
                .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
                .body(body);
            match http::send(request, ANSWER_BYTES).await?.status.as_u16() {
                201 | 204 => Ok(()),
                other => Err(Unanswered::from_status(other)),
            }
        };
        self.guard.call(Purpose::Verify, call).await
    }

    fn request(
        &self,
        method: Method,
        guild: &DiscordId,
        person: &DiscordId,
    ) -> Result<RequestBuilder, Unanswered> {
        self.at(method, &["guilds", guild.as_str(), "members", person.as_str()])
    }

    fn at(&self, method: Method, segments: &[&str]) -> Result<RequestBuilder, Unanswered> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        let value = HeaderValue::from_str(&["Bot ", self.token.expose_secret()].concat());
        let mut value = value.map_err(|_| Unanswered::Refused)?;
        value.set_sensitive(true);
        Ok(self.client.request(method, url).header(AUTHORIZATION, value))
    }
}
