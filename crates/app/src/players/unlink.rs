//! Ends the links of one person, at the word of the team.

use domain::audit::Actor;
use domain::id::GuildId;
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;
use storage::players::chosen_links;
use storage::records::audit::Act;
use storage::tenancy::{guilds, orgs};
use storage::{OrgScope, Tx, Work};

use super::users;
use crate::error::{AppError, RequestError};
use crate::linking::links;
use crate::people;
use crate::state::App;

/// Ends somebody's active links, in one Guild where that is named, and tells how many they were.
pub async fn unlink(
    app: &App,
    scope: OrgScope,
    key: &EitherId,
    guild: Option<GuildId>,
    actor: Actor,
) -> Result<usize, AppError> {
    let found = users::find(app, scope, key)
        .await?
        .ok_or(RequestError::NotFound)?;
    let work = Unlink {
        discord_id: found.discord_id,
        guild,
    };
    let ended = app.db.write_for(app.act(scope, actor), work).await?;
    if ended > 0 {
        app.bell.ring();
    }
    Ok(ended)
}

struct Unlink {
    discord_id: String,
    guild: Option<GuildId>,
}

impl Work for Unlink {
    type For = Act;
    type Output = usize;
    type Error = AppError;
    const NAME: &'static str = "unlink_person";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<usize, AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        if let Some(id) = &self.guild {
            guilds::find_in(tx, scope, id)
                .await?
                .ok_or(RequestError::NotFound)?;
        }
        let mut ended = 0;
        for active in chosen_links::list_active_of(tx, scope, &self.discord_id).await? {
            if self.guild.as_ref().is_some_and(|wanted| *wanted != active.guild) {
                continue;
            }
            // The end of a removed Guild ends its links.
            if let Some(guild) = guilds::find_in(tx, scope, &active.guild).await? {
                links::end_in(tx, act, &guild, &active.link, UnlinkCause::Admin).await?;
                ended += 1;
            }
        }
        people::follow(tx, scope, [&*self.discord_id], act.now_ms).await?;
        Ok(ended)
    }
}
