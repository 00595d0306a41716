//! What a bot changes about members.

use domain::platform_id::DiscordId;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::json;

use super::members::NOT_THERE;
use super::{Asking, NotDone, Rest, code_of, unanswered};
use crate::http::{Answer, Unanswered};
use crate::question::Question;

const GIVE_ROUTE: &str = "PUT /guilds/{guild}/members/{user}/roles/{role}";
const TAKE_ROUTE: &str = "DELETE /guilds/{guild}/members/{user}/roles/{role}";
const CHANGE_ROUTE: &str = "PATCH /guilds/{guild}/members/{user}";
/// What people read in the guild's audit log.
const REASON: HeaderName = HeaderName::from_static("x-audit-log-reason");
/// Discord's codes for a guild that it does not know, and for one that our bot is not in.
const ABOUT_THE_GUILD: [u32; 2] = [10_004, 50_001];

impl Rest {
    /// Gives somebody a role. Who has it already keeps it. `why` stands in the guild's audit log.
    pub async fn give_role(
        &self,
        asking: Asking<'_>,
        person: &DiscordId,
        role: &DiscordId,
        why: &'static str,
    ) -> Result<(), NotDone> {
        let request = self.at(Method::PUT, &role_of(asking.guild, person, role));
        self.change(asking.on(GIVE_ROUTE).of(role), request, why).await
    }

    /// Takes a role from somebody, whether they have it or not.
    pub async fn take_role(
        &self,
        asking: Asking<'_>,
        person: &DiscordId,
        role: &DiscordId,
        why: &'static str,
    ) -> Result<(), NotDone> {
        let request = self.at(Method::DELETE, &role_of(asking.guild, person, role));
        self.change(asking.on(TAKE_ROUTE).of(role), request, why).await
    }

    /// Sets what somebody is called in the guild; with none it is their own name again.
    pub async fn set_nickname(
        &self,
        asking: Asking<'_>,
        person: &DiscordId,
        nick: Option<&str>,
        why: &'static str,
    ) -> Result<(), NotDone> {
        let body = json!({ "nick": nick }).to_string();
        let segments = ["guilds", asking.guild.as_str(), "members", person.as_str()];
        let request = self.sending(Method::PATCH, &segments, body);
        self.change(asking.on(CHANGE_ROUTE).of(person), request, why)
            .await
    }

    async fn change(
        &self,
        question: Question<'_>,
        request: Result<RequestBuilder, Unanswered>,
        why: &'static str,
    ) -> Result<(), NotDone> {
        let reason = HeaderValue::from_str(&["Symbolon: ", why].concat());
        let reason = reason.unwrap_or(HeaderValue::from_static("Symbolon"));
        let request = request.map(|request| request.header(REASON, reason));
        match self.ask(question, request, read).await? {
            Outcome::Done => Ok(()),
            Outcome::NotThere(code) => Err(NotDone {
                cause: Unanswered::Status(404),
                code: Some(code),
            }),
        }
    }
}

enum Outcome {
    Done,
    /// The person is not in the guild, which says nothing about the role.
    NotThere(u32),
}

fn read(answer: &Answer) -> Result<Outcome, Unanswered> {
    if answer.status.is_success() {
        return Ok(Outcome::Done);
    }
    match (answer.status.as_u16(), code_of(answer)) {
        (404, Some(code)) if NOT_THERE.contains(&code) => Ok(Outcome::NotThere(code)),
        // About this role, or about this person: the others have their own.
        (status @ (403 | 404), Some(code)) if !ABOUT_THE_GUILD.contains(&code) => {
            Err(Unanswered::Personal(status))
        }
        _ => Err(unanswered(answer)),
    }
}

fn role_of<'a>(guild: &'a DiscordId, person: &'a DiscordId, role: &'a DiscordId) -> [&'a str; 6] {
    [
        "guilds",
        guild.as_str(),
        "members",
        person.as_str(),
        "roles",
        role.as_str(),
    ]
}
