//! Who is in a guild, asked and changed as our bot.

use domain::clock::SharedClock;
use domain::platform_id::DiscordId;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use url::Url;

use super::oauth::AccessToken;
use crate::guard::{Guard, Standing};
use crate::http::{self, SetupError, Unanswered};
use crate::question::Question;

const ANSWER_BYTES: usize = 64 * 1024;
/// Discord's codes for a person who is not in the guild, and for one it does not know.
const NOT_THERE: [u32; 2] = [10_007, 10_013];
/// Discord's codes for a person who is banned from the guild, whose token is not good any more or allows too little, and
/// for one who is in too many guilds.
const ABOUT_THE_PERSON: [u32; 4] = [40_007, 50_025, 50_026, 30_001];

const MEMBER_ROUTE: &str = "GET /guilds/{guild}/members/{user}";
const ADD_ROUTE: &str = "PUT /guilds/{guild}/members/{user}";
/// What the log calls the question whether our bot is in a guild.
pub const GUILD_ROUTE: &str = "GET /guilds/{guild}";

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
            guard: Guard::new("Discord members", clock)
                .with_setting("discord.bot_token")
                .that_bans(),
        })
    }

    /// How the calls went so far.
    pub fn standing(&self) -> Standing {
        self.guard.standing()
    }

    /// Asked on behalf of an Org, which answers for how often Discord refuses it.
    pub async fn is_member(
        &self,
        org_num: i64,
        guild: &DiscordId,
        person: &DiscordId,
    ) -> Result<bool, Unanswered> {
        let call = async {
            let answer = http::send(self.request(Method::GET, guild, person)?, ANSWER_BYTES).await?;
            match answer.status.as_u16() {
                200 => Ok(true),
                404 => match answer.json::<Refusal>() {
                    Ok(refusal) if NOT_THERE.contains(&refusal.code) => Ok(false),
                    // The guild itself is not known, or our bot is not in it: that says nothing about the person.
                    Ok(_) | Err(_) => Err(Unanswered::Status(404)),
                },
                _ => Err(answer.unanswered_to_us()),
            }
        };
        let question = Question::on(MEMBER_ROUTE).about(org_num, guild, Some(person));
        self.guard.call(question, call).await
    }

    /// Whether our bot is in a guild. Discord says the same of one that is not there and of one it keeps from us.
    pub async fn is_in(&self, org_num: i64, guild: &DiscordId) -> Result<bool, Unanswered> {
        let call = async {
            let request = self.at(Method::GET, &["guilds", guild.as_str()])?;
            let answer = http::send(request, ANSWER_BYTES).await?;
            match answer.status.as_u16() {
                200 => Ok(true),
                _ => Err(answer.unanswered_to_us()),
            }
        };
        let question = Question::on(GUILD_ROUTE).about(org_num, guild, None).soon_again();
        match self.guard.call(question, call).await {
            Err(
                Unanswered::Status(403 | 404)
                | Unanswered::Remembered {
                    status: 403 | 404, ..
                },
            ) => Ok(false),
            answer => answer,
        }
    }

    /// Adds a person who allowed it. Somebody who is there already stays as they are.
    pub async fn add(
        &self,
        org_num: i64,
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
            let answer = http::send(request, ANSWER_BYTES).await?;
            let status = answer.status.as_u16();
            match answer.json::<Refusal>() {
                _ if status == 201 || status == 204 => Ok(()),
                Ok(refusal) if ABOUT_THE_PERSON.contains(&refusal.code) => Err(Unanswered::Personal(status)),
                Ok(_) | Err(_) => Err(answer.unanswered_to_us()),
            }
        };
        let question = Question::on(ADD_ROUTE).about(org_num, guild, Some(person));
        self.guard.call(question, call).await
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
