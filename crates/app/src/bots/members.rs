//! What a bot hears of members. Only who is to be looked at: a job reads what they are like now.

use domain::platform_id::DiscordId;
use domain::roles::Cause;
use storage::bots::guild_lists;
use storage::bots::register::HeldBot;

use crate::error::{AppError, RequestError};
use crate::role_marks;
use crate::state::App;

/// Members in one call.
pub const MOST_AT_ONCE: usize = 200;

/// What happened to a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange {
    /// They came to the Discord server.
    Joined,
    /// They are there no more.
    Left,
    /// Something of them is not what it was.
    Changed,
}

impl From<MemberChange> for Cause {
    fn from(change: MemberChange) -> Self {
        match change {
            MemberChange::Joined => Self::Joined,
            MemberChange::Left => Self::Left,
            MemberChange::Changed => Self::Changed,
        }
    }
}

/// Has these members looked at. Nothing is done about Discord servers that are no Guild of this bot.
pub async fn heard(
    app: &App,
    bot: &HeldBot,
    guild_id: DiscordId,
    members: Vec<(DiscordId, MemberChange)>,
) -> Result<(), AppError> {
    if members.is_empty() {
        return Ok(());
    }
    let now_ms = app.shared_now_ms().await;
    let found = guild_lists::find_by_discord(&app.db, &guild_id).await?;
    let own = found.filter(|guild| match bot.guild {
        Some((_, own)) => guild.num == own,
        None => !guild.is_served_by_its_own(now_ms),
    });
    let Some(guild) = own else {
        return Ok(());
    };
    let marks: Vec<(DiscordId, Cause)> = members
        .into_iter()
        .map(|(member, change)| (member, change.into()))
        .collect();
    match role_marks::mark_members(app, guild.scope, guild.num, &guild.id, &marks).await {
        // Removed meanwhile.
        Err(AppError::Request(RequestError::NotFound)) => Ok(()),
        marked => marked.map(drop),
    }
}
