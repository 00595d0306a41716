//! `/unlink`: one's own link, or another member's by staff. Each interaction ends a link once.

use domain::audit::Actor;
use domain::id::GuildId;
use domain::link::UnlinkCause;
use domain::permission::Permission;
use domain::platform_id::{DiscordId, EitherId};
use storage::bots::guild_lists::ServedGuild;
use storage::bots::interactions;
use storage::records::audit::Act;
use storage::tenancy::team::{self, Staff};
use storage::tenancy::{guilds, orgs};
use storage::{GuildNum, Tx, Work};

use crate::error::AppError;
use crate::linking::links::{self, UnlinkRequest};
use crate::state::App;

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unlinked {
    /// The link is over, now or since the first time that this was asked.
    Done,
    /// There was none.
    NotLinked,
    /// Whoever asked is no longer allowed to.
    Denied,
}

/// Who ends whose link.
pub(super) struct Ending<'a> {
    pub interaction: &'a str,
    pub guild: &'a ServedGuild,
    pub whose: DiscordId,
    /// Staff who ends somebody else's; none who ends their own.
    pub staff: Option<(DiscordId, Staff)>,
}

pub(super) async fn end(app: &App, ending: Ending<'_>) -> Result<Unlinked, AppError> {
    let (actor, cause, asked_by) = match ending.staff {
        Some((id, staff)) => (Actor::Account(staff.account), UnlinkCause::Admin, Some(id)),
        None => (Actor::Player, UnlinkCause::User, None),
    };
    let work = End {
        interaction: ending.interaction.to_owned(),
        guild: ending.guild.num,
        guild_id: ending.guild.id.clone(),
        whose: ending.whose,
        cause,
        asked_by,
    };
    let ended = app.db.write_for(app.act(ending.guild.scope, actor), work).await?;
    app.bell.ring();
    Ok(ended)
}

struct End {
    interaction: String,
    guild: GuildNum,
    guild_id: GuildId,
    whose: DiscordId,
    cause: UnlinkCause,
    /// Whose permission is looked up again.
    asked_by: Option<DiscordId>,
}

impl Work for End {
    type For = Act;
    type Output = Unlinked;
    type Error = AppError;
    const NAME: &'static str = "unlink_by_command";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Unlinked, AppError> {
        orgs::lock(tx, act.scope).await?;
        guilds::lock(tx, act.scope, self.guild).await?;
        if let Some(id) = &self.asked_by {
            let staff = team::find_staff_in(tx, act.scope, id).await?;
            let may = staff.is_some_and(|staff| staff.permissions.contains(Permission::LinksUnlink));
            if !may {
                return Ok(Unlinked::Denied);
            }
        }
        if interactions::is_accepted_in(tx, &self.interaction).await? {
            return Ok(Unlinked::Done);
        }
        let request = UnlinkRequest {
            guild: self.guild_id.clone(),
            either: EitherId::Discord(self.whose.clone()),
            cause: self.cause,
            reason: None,
        };
        if links::unlink_in(tx, act, &request).await?.is_none() {
            return Ok(Unlinked::NotLinked);
        }
        interactions::accept(tx, &self.interaction, act.now_ms).await?;
        Ok(Unlinked::Done)
    }
}
