//! What a guild consists of.

use domain::discord::{Channel, Overwrite, Permissions, Role};
use domain::platform_id::DiscordId;
use reqwest::Method;
use serde::Deserialize;

use super::{Asking, NotDone, Rest, found};
use crate::http::{Answer, Unanswered};
use crate::text::shown_name;

/// What the log calls the questions.
pub const GUILD_ROUTE: &str = "GET /guilds/{guild}";
const ROLES_ROUTE: &str = "GET /guilds/{guild}/roles";
const CHANNELS_ROUTE: &str = "GET /guilds/{guild}/channels";
/// Its own route, so that what is refused about other members is not held against it.
const OWN_MEMBER_ROUTE: &str = "GET /guilds/{guild}/members/{bot}";
const OWN_ROUTE: &str = "GET /users/@me";

/// A guild as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuildFacts {
    pub name: String,
    /// Discord's name for its picture.
    pub icon: Option<String>,
    pub owner: DiscordId,
}

#[derive(Deserialize)]
struct GuildAnswer {
    #[serde(default)]
    name: String,
    icon: Option<String>,
    owner_id: String,
}

#[derive(Deserialize)]
struct RoleAnswer {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    color: u32,
    #[serde(default)]
    position: i64,
    permissions: String,
    #[serde(default)]
    managed: bool,
}

#[derive(Deserialize)]
struct ChannelAnswer {
    id: String,
    #[serde(rename = "type")]
    kind: i64,
    name: Option<String>,
    #[serde(default)]
    position: i64,
    parent_id: Option<String>,
    #[serde(default)]
    permission_overwrites: Vec<OverwriteAnswer>,
}

#[derive(Deserialize)]
struct OverwriteAnswer {
    id: String,
    #[serde(rename = "type")]
    kind: u8,
    allow: String,
    deny: String,
}

#[derive(Deserialize)]
struct MemberAnswer {
    roles: Vec<String>,
}

#[derive(Deserialize)]
struct OwnAnswer {
    id: String,
    #[serde(default)]
    username: String,
    #[serde(default)]
    bot: bool,
}

/// Whose token it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    pub id: DiscordId,
    pub name: String,
    /// People have tokens too.
    pub is_bot: bool,
}

impl Rest {
    /// The guild, if our bot is in it.
    pub async fn guild(&self, asking: Asking<'_>) -> Result<GuildFacts, NotDone> {
        let question = asking.on(GUILD_ROUTE).soon_again();
        let request = self.at(Method::GET, &["guilds", asking.guild.as_str()]);
        let read = |answer: &Answer| {
            let guild = found::<GuildAnswer>(answer)?;
            Ok(GuildFacts {
                name: shown_name(&guild.name, asking.guild.as_str()),
                icon: guild.icon,
                owner: id(&guild.owner_id)?,
            })
        };
        self.ask(question, request, read).await
    }

    /// Its roles, everybody's too.
    pub async fn roles(&self, asking: Asking<'_>) -> Result<Vec<Role>, NotDone> {
        let request = self.at(Method::GET, &["guilds", asking.guild.as_str(), "roles"]);
        let read = |answer: &Answer| found::<Vec<RoleAnswer>>(answer)?.into_iter().map(role).collect();
        self.ask(asking.on(ROLES_ROUTE), request, read).await
    }

    /// Its channels and categories, also those that our bot cannot see.
    pub async fn channels(&self, asking: Asking<'_>) -> Result<Vec<Channel>, NotDone> {
        let request = self.at(Method::GET, &["guilds", asking.guild.as_str(), "channels"]);
        let read = |answer: &Answer| {
            let listed = found::<Vec<ChannelAnswer>>(answer)?;
            listed.into_iter().map(channel).collect()
        };
        self.ask(asking.on(CHANNELS_ROUTE), request, read).await
    }

    /// The roles of our bot itself, besides everybody's.
    pub async fn own_roles(&self, asking: Asking<'_>) -> Result<Vec<DiscordId>, NotDone> {
        let own = self.own_id(asking).await?;
        let segments = ["guilds", asking.guild.as_str(), "members", own.as_str()];
        let read = |answer: &Answer| {
            let member = found::<MemberAnswer>(answer)?;
            member.roles.iter().map(|role| id(role)).collect()
        };
        let request = self.at(Method::GET, &segments);
        self.ask(asking.on(OWN_MEMBER_ROUTE), request, read).await
    }

    /// Whose token it is, for somebody who waits.
    pub async fn own(&self, asking: Asking<'_>) -> Result<Own, NotDone> {
        let request = self.at(Method::GET, &["users", "@me"]);
        let read = |answer: &Answer| {
            let own = found::<OwnAnswer>(answer)?;
            let id = id(&own.id)?;
            Ok(Own {
                name: shown_name(&own.username, id.as_str()),
                id,
                is_bot: own.bot,
            })
        };
        self.ask(asking.on(OWN_ROUTE), request, read).await
    }

    /// Who our bot is. It is asked once, on behalf of whoever needs it first.
    pub async fn own_id(&self, asking: Asking<'_>) -> Result<DiscordId, NotDone> {
        if let Some(own) = self.own_id.get() {
            return Ok(own.clone());
        }
        let request = self.at(Method::GET, &["users", "@me"]);
        let read = |answer: &Answer| id(&found::<OwnAnswer>(answer)?.id);
        let own = self.ask(asking.on(OWN_ROUTE), request, read).await?;
        Ok(self.own_id.get_or_init(|| own).clone())
    }
}

pub(super) fn id(text: &str) -> Result<DiscordId, Unanswered> {
    DiscordId::parse(text).map_err(|_| Unanswered::Unreadable)
}

fn bits(text: &str) -> Result<Permissions, Unanswered> {
    text.parse().map(Permissions).map_err(|_| Unanswered::Unreadable)
}

fn role(read: RoleAnswer) -> Result<Role, Unanswered> {
    let id = id(&read.id)?;
    Ok(Role {
        name: shown_name(&read.name, id.as_str()),
        id,
        colour: read.color,
        position: read.position,
        permissions: bits(&read.permissions)?,
        managed: read.managed,
    })
}

fn channel(read: ChannelAnswer) -> Result<Channel, Unanswered> {
    let own = id(&read.id)?;
    Ok(Channel {
        name: shown_name(read.name.as_deref().unwrap_or_default(), own.as_str()),
        id: own,
        kind: read.kind,
        position: read.position,
        parent: read.parent_id.as_deref().map(id).transpose()?,
        overwrites: read
            .permission_overwrites
            .into_iter()
            .map(overwrite)
            .collect::<Result<_, _>>()?,
    })
}

fn overwrite(read: OverwriteAnswer) -> Result<Overwrite, Unanswered> {
    Ok(Overwrite {
        of: id(&read.id)?,
        is_member: read.kind == 1,
        allow: bits(&read.allow)?,
        deny: bits(&read.deny)?,
    })
}
