//! Who is in a guild.

use domain::platform_id::DiscordId;
use reqwest::Method;

use super::{Asking, GUILD_ROUTE, Refusal, Rest, unanswered};
use crate::discord::oauth::AccessToken;
use crate::http::Unanswered;

/// Discord's codes for a person who is not in the guild, and for one it does not know.
const NOT_THERE: [u32; 2] = [10_007, 10_013];
/// Discord's codes for a person who is banned from the guild, whose token is not good any more or allows too little, and
/// for one who is in too many guilds.
const ABOUT_THE_PERSON: [u32; 4] = [40_007, 50_025, 50_026, 30_001];

const MEMBER_ROUTE: &str = "GET /guilds/{guild}/members/{user}";
const ADD_ROUTE: &str = "PUT /guilds/{guild}/members/{user}";

impl Rest {
    /// Asked on behalf of an Org, which answers for how often Discord refuses it.
    pub async fn is_member(
        &self,
        org_num: i64,
        guild: &DiscordId,
        person: &DiscordId,
    ) -> Result<bool, Unanswered> {
        let question =
            Asking::for_person(org_num, guild)
                .on(MEMBER_ROUTE)
                .about(org_num, guild, Some(person));
        let request = self.at(
            Method::GET,
            &["guilds", guild.as_str(), "members", person.as_str()],
        );
        let found = self.ask(question, request, |answer| match answer.status.as_u16() {
            200 => Ok(true),
            404 => match answer.json::<Refusal>() {
                Ok(refusal) if NOT_THERE.contains(&refusal.code) => Ok(false),
                // The guild itself is not known, or our bot is not in it: that says nothing about the person.
                Ok(_) | Err(_) => Err(Unanswered::Status(404)),
            },
            _ => Err(unanswered(answer)),
        });
        Ok(found.await?)
    }

    /// Whether our bot is in a guild. Discord says the same of one that is not there and of one it keeps from us.
    pub async fn is_in(&self, org_num: i64, guild: &DiscordId) -> Result<bool, Unanswered> {
        let question = Asking::for_person(org_num, guild).on(GUILD_ROUTE).soon_again();
        let request = self.at(Method::GET, &["guilds", guild.as_str()]);
        let found = self.ask(question, request, |answer| match answer.status.as_u16() {
            200 => Ok(true),
            _ => Err(unanswered(answer)),
        });
        match found.await.map_err(Unanswered::from) {
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
        let question = Asking::for_person(org_num, guild)
            .on(ADD_ROUTE)
            .about(org_num, guild, Some(person));
        let segments = ["guilds", guild.as_str(), "members", person.as_str()];
        let request = self.sending(Method::PUT, &segments, body);
        let added = self.ask(question, request, |answer| {
            let status = answer.status.as_u16();
            match answer.json::<Refusal>() {
                _ if status == 201 || status == 204 => Ok(()),
                Ok(refusal) if ABOUT_THE_PERSON.contains(&refusal.code) => Err(Unanswered::Personal(status)),
                Ok(_) | Err(_) => Err(unanswered(answer)),
            }
        });
        Ok(added.await?)
    }
}
