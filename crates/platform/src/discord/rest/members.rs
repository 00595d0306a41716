//! Who is in a guild.

use domain::platform_id::DiscordId;
use reqwest::Method;
use serde::Deserialize;

use super::facts::id;
use super::{Asking, GUILD_ROUTE, NotDone, Refusal, Rest, code_of, found, unanswered};
use crate::discord::oauth::AccessToken;
use crate::http::{Answer, Unanswered};
use crate::text::shown_name;

/// Discord's codes for a person who is not in the guild, and for one it does not know.
pub(super) const NOT_THERE: [u32; 2] = [10_007, 10_013];
/// Discord's codes for a person who is banned from the guild, whose token is not good any more or allows too little, and
/// for one who is in too many guilds.
const ABOUT_THE_PERSON: [u32; 4] = [40_007, 50_025, 50_026, 30_001];

const MEMBER_ROUTE: &str = "GET /guilds/{guild}/members/{user}";
const ADD_ROUTE: &str = "PUT /guilds/{guild}/members/{user}";
const LIST_ROUTE: &str = "GET /guilds/{guild}/members";
/// Members on one page of Discord's list.
const MOST_ON_A_PAGE: u16 = 1_000;

/// Somebody in a guild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Besides everybody's.
    pub roles: Vec<DiscordId>,
    /// What they are called in this guild, where it is not their own name.
    pub nick: Option<String>,
    /// Whether they boost the guild.
    pub boosts: bool,
    /// Their own name.
    pub name: String,
}

#[derive(Deserialize)]
struct MemberAnswer {
    user: UserAnswer,
    roles: Vec<String>,
    nick: Option<String>,
    premium_since: Option<String>,
}

#[derive(Deserialize)]
struct UserAnswer {
    id: String,
    username: Option<String>,
    global_name: Option<String>,
}

impl Rest {
    /// Somebody as the guild has them; none when they are not in it.
    pub async fn member(&self, asking: Asking<'_>, person: &DiscordId) -> Result<Option<Member>, NotDone> {
        let question = asking.on(MEMBER_ROUTE).of(person);
        let segments = ["guilds", asking.guild.as_str(), "members", person.as_str()];
        let request = self.at(Method::GET, &segments);
        let read = |answer: &Answer| {
            if code_of(answer).is_some_and(|code| NOT_THERE.contains(&code)) {
                return Ok(None);
            }
            member(found(answer)?).map(|(_, member)| Some(member))
        };
        self.ask(question, request, read).await
    }

    /// The next members in the order of their ids, at most a thousand. Discord tells them only to bots with the members
    /// intent.
    pub async fn members(
        &self,
        asking: Asking<'_>,
        after: Option<&DiscordId>,
        limit: u16,
    ) -> Result<Vec<(DiscordId, Member)>, NotDone> {
        let limit = limit.clamp(1, MOST_ON_A_PAGE).to_string();
        let mut query = vec![("limit", limit.as_str())];
        query.extend(after.map(|after| ("after", after.as_str())));
        let segments = ["guilds", asking.guild.as_str(), "members"];
        let request = self.at_with(Method::GET, &segments, &query);
        let read = |answer: &Answer| {
            let listed = found::<Vec<MemberAnswer>>(answer)?;
            listed.into_iter().map(member).collect()
        };
        self.ask(asking.on(LIST_ROUTE), request, read).await
    }

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

fn member(read: MemberAnswer) -> Result<(DiscordId, Member), Unanswered> {
    let own = id(&read.user.id)?;
    let name = read.user.global_name.or(read.user.username).unwrap_or_default();
    let member = Member {
        roles: read.roles.iter().map(|role| id(role)).collect::<Result<_, _>>()?,
        nick: read.nick,
        boosts: read.premium_since.is_some(),
        name: shown_name(&name, own.as_str()),
    };
    Ok((own, member))
}
