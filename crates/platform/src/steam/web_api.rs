//! Steam's Web API. The key travels in the query of each call, so no address of this file is ever logged or kept.

use domain::clock::SharedClock;
use domain::platform_id::SteamId;
use domain::quota::{Purpose, Spending};
use domain::steam_group::{GroupId, Groups};
use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::answers;
pub use super::answers::PlayerSummary;
use crate::guard::{Guard, Standing};
use crate::http::{self, Answer, SetupError, Unanswered};
use crate::question::Question;

/// Steam allows 100,000 calls a day and key. The rest is for what nodes have not told each other yet.
const CALLS_PER_DAY: u32 = 90_000;
/// Players in one call for summaries.
const MOST_SUMMARIES: usize = 100;
/// Somebody in ten thousand groups has an answer of about 300 KiB.
const ANSWER_BYTES: usize = 1024 * 1024;
/// `url_type` of a name that stands for a group.
const GROUP_NAME: &str = "2";

/// A client of the Web API. It has no `Debug`: it holds the key.
pub struct WebApi {
    client: Client,
    base: Url,
    key: SecretString,
    guard: Guard,
}

impl WebApi {
    /// `base` is where the key is sent, such as `https://api.steampowered.com`.
    pub fn new(base: &str, key: SecretString, clock: SharedClock) -> Result<Self, SetupError> {
        let base = Url::parse(base).ok().filter(|url| !url.cannot_be_a_base());
        Ok(Self {
            client: http::client(http::USER_AGENT)?,
            base: base.ok_or_else(|| SetupError("steam.api_url is not an address".to_owned()))?,
            key,
            guard: Guard::new("Steam Web API", clock)
                .with_setting("steam.api_key")
                .with_calls_per_day(CALLS_PER_DAY),
        })
    }

    /// All groups of a player.
    pub async fn groups(&self, player: &SteamId, purpose: Purpose) -> Result<Groups, Unanswered> {
        let query = [("steamid", player.as_str())];
        let call = async {
            let answer = self.get("GetUserGroupList/v1", &query).await?;
            answers::groups(&answer)
        };
        self.guard
            .call(
                Question::on("GET /ISteamUser/GetUserGroupList/v1").counted(purpose),
                call,
            )
            .await
    }

    /// Names of up to 100 players, in no particular order; more are not asked for. Who is missing is unknown to Steam.
    pub async fn summaries(
        &self,
        players: &[SteamId],
        purpose: Purpose,
    ) -> Result<Vec<PlayerSummary>, Unanswered> {
        let asked = &players[..players.len().min(MOST_SUMMARIES)];
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<&str> = asked.iter().map(SteamId::as_str).collect();
        let ids = ids.join(",");
        let query = [("steamids", ids.as_str())];
        let call = async {
            let answer = self.get("GetPlayerSummaries/v2", &query).await?;
            answers::summaries(&answer, asked)
        };
        self.guard
            .call(
                Question::on("GET /ISteamUser/GetPlayerSummaries/v2").counted(purpose),
                call,
            )
            .await
    }

    /// The group that a name in an address of Steam stands for.
    pub async fn find_group(&self, name: &str, purpose: Purpose) -> Result<Option<GroupId>, Unanswered> {
        let query = [("vanityurl", name), ("url_type", GROUP_NAME)];
        let call = async {
            let answer = self.get("ResolveVanityURL/v1", &query).await?;
            answers::vanity_group(&answer)
        };
        self.guard
            .call(
                Question::on("GET /ISteamUser/ResolveVanityURL/v1").counted(purpose),
                call,
            )
            .await
    }

    /// How the calls went so far.
    pub fn standing(&self) -> Standing {
        self.guard.standing()
    }

    /// Calls since the last time this was asked, with their day, to be written down where other processes see them.
    pub fn drain_calls(&self) -> Option<(i64, Spending)> {
        self.guard.drain_calls()
    }

    /// Takes back what could not be written down.
    pub fn restore_calls(&self, day: i64, unwritten: &Spending) {
        self.guard.restore_calls(day, unwritten);
    }

    /// Learns what all processes have written down for a day.
    pub fn learn_calls(&self, day: i64, written: Spending) {
        self.guard.learn_calls(day, written);
    }

    async fn get(&self, method: &str, query: &[(&str, &str)]) -> Result<Answer, Unanswered> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("ISteamUser").extend(method.split('/'));
        }
        url.query_pairs_mut()
            .append_pair("key", self.key.expose_secret())
            .append_pair("format", "json")
            .extend_pairs(query);
        self.guard.send(self.client.get(url), ANSWER_BYTES).await
    }
}
