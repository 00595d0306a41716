//! What a bot hears of the members of a Discord server.

use app::App;
use app::AppError;
use app::bots::members::{self, MOST_AT_ONCE, MemberChange};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Caller, discord_id};
use crate::extract::JsonBody;
use crate::routes::{Answer, Done};

/// Members of one Discord server, at most 200 at once.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BotMembers {
    /// Discord's own id.
    discord_guild_id: String,
    members: Vec<BotMember>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BotMember {
    id: String,
    change: BotMemberChange,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum BotMemberChange {
    Joined,
    Left,
    /// Their roles, their nickname or something else.
    Changed,
}

pub async fn tell(app: App, bot: Caller, JsonBody(told): JsonBody<BotMembers>) -> Answer<Done> {
    if told.members.len() > MOST_AT_ONCE {
        let problem = format!("at most {MOST_AT_ONCE} at once");
        return Err(AppError::invalid("members", problem).into());
    }
    let guild = discord_id("discord_guild_id", &told.discord_guild_id)?;
    let heard = told.members.into_iter().map(|member| {
        let change = match member.change {
            BotMemberChange::Joined => MemberChange::Joined,
            BotMemberChange::Left => MemberChange::Left,
            BotMemberChange::Changed => MemberChange::Changed,
        };
        Ok((discord_id("id", &member.id)?, change))
    });
    let heard = heard.collect::<Result<Vec<_>, AppError>>()?;
    members::heard(&app, bot.record(), guild, heard).await?;
    Ok(Done)
}
