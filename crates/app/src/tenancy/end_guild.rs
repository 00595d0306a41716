//! What is left of a removed Guild: it is gone for everybody at once, and this ends its links in slices afterwards.

use domain::id::GuildId;
use domain::link::UnlinkCause;
use storage::jobs::{self, Grip, Held};
use storage::linking::links;
use storage::players::boosters;
pub use storage::tenancy::removals::Removal;
use storage::tenancy::{guilds, orgs, removals};
use storage::{OrgScope, Tx, Work};

use crate::error::AppError;
use crate::jobs::{Claimed, Outcome};
use crate::linking;
use crate::state::App;

/// Links in one unit of work, so that others need not wait for a long one.
const SLICE: i64 = 200;

/// Tokens go back first, because they are somebody's; then links end and boosters are forgotten.
const LINKS: &str = "links";

/// Removals that are under way, for those who see the Org's Guilds.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<Removal>, AppError> {
    Ok(removals::list(&app.db, scope).await?)
}

pub(crate) async fn step(app: &App, claimed: &Claimed, guild: &GuildId) -> Result<Outcome, AppError> {
    let no_org = || AppError::internal("a Guild of no Org");
    if claimed.cursor.is_none() {
        linking::give_back_left(app).await?;
    }
    let scope = claimed.org.ok_or_else(no_org)?;
    let slice = EndSlice {
        guild: guild.clone(),
        held: claimed.held.clone(),
        done: claimed.done,
    };
    app.db.write_for(scope, slice).await
}

struct EndSlice {
    guild: GuildId,
    held: Held,
    done: i64,
}

impl Work for EndSlice {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "end_guild";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let Some(guild) = guilds::find_removed(tx, scope, &self.guild).await? else {
            return Err(AppError::internal("the end of a Guild that is there"));
        };
        // The Guild was gone from then on, however late its links are told.
        let at_ms = guild.removed_at_ms;
        let ended = links::end_slice(tx, scope, guild.num, at_ms, UnlinkCause::Admin, SLICE).await?;
        orgs::drop_links(tx, scope, ended).await?;
        guilds::change_links(tx, scope, guild.num, -ended).await?;
        let forgotten = boosters::remove_slice(tx, scope, guild.num, SLICE).await?;
        jobs::advance(tx, &self.held, Some(LINKS), self.done + ended).await?;
        Ok(if ended == 0 && forgotten == 0 {
            Outcome::Done
        } else {
            Outcome::Again
        })
    }
}
