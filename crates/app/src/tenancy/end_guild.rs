//! What is left of a removed Guild or a deleted Server: it is gone for everybody at once, and this forgets the rest in
//! slices afterwards.

use domain::id::{GuildId, ServerId};
use domain::job::LaneKind;
use domain::link::UnlinkCause;
use storage::bots::{guild_bots, log_batches, places};
use storage::jobs::{self, Grip, Held};
use storage::linking::{import_rows, link_steps, links};
use storage::players::{boosters, player_seen, stat_days};
use storage::privacy::erased_members;
pub use storage::tenancy::removals::Removal;
use storage::tenancy::{guilds, orgs, removals};
use storage::webhooks::deliveries;
use storage::{GuildNum, OrgScope, Tx, Work};

use crate::error::AppError;
use crate::jobs::{Claimed, Outcome};
use crate::linking;
use crate::people;
use crate::pictures;
use crate::state::App;

/// Rows in one unit of work, so that others need not wait for a long one.
const SLICE: i64 = 200;

/// Removals that are under way, for those who see the Org's Guilds.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<Removal>, AppError> {
    Ok(removals::list(&app.db, scope).await?)
}

/// A slice of what a removed Guild left. Tokens come last: Discord has to be there for them, and nothing else waits for it.
pub(crate) async fn step(app: &App, claimed: &Claimed, guild: &GuildId) -> Result<Outcome, AppError> {
    let scope = org_of(claimed)?;
    let slice = EndSlice {
        guild: guild.clone(),
        held: claimed.held.clone(),
        done: claimed.done,
        now_ms: app.now_ms(),
    };
    let outcome = app.db.write_for(scope, slice).await?;
    if outcome != Outcome::Done {
        return Ok(outcome);
    }
    pictures::forget(app, guild.as_str()).await?;
    linking::give_back_of_guild(app, scope, guild).await
}

fn org_of(claimed: &Claimed) -> Result<OrgScope, AppError> {
    claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))
}

struct EndSlice {
    guild: GuildId,
    held: Held,
    done: i64,
    now_ms: i64,
}

impl Work for EndSlice {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "end_guild";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        // The Org, then this job's lane, then the lanes of messages and roles: nobody waits for them in another order.
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let Some(guild) = guilds::find_removed(tx, scope, &self.guild).await? else {
            return Err(AppError::internal("the end of a Guild that is there"));
        };
        // The Guild was gone from then on, however late its links are told.
        let at_ms = guild.removed_at_ms;
        let whose = links::end_slice(tx, scope, guild.num, at_ms, UnlinkCause::Admin, SLICE).await?;
        people::follow(tx, scope, whose.iter().map(String::as_str), self.now_ms).await?;
        let ended = whose.len() as i64;
        orgs::drop_links(tx, scope, ended).await?;
        guilds::change_links(tx, scope, guild.num, -ended).await?;
        let mut gone = whose.len() as u64;
        if gone == 0 {
            gone = boosters::remove_slice(tx, scope, guild.num, SLICE).await?;
        }
        if gone == 0 {
            gone = link_steps::forget(tx, scope, guild.num, SLICE).await?;
        }
        if gone == 0 {
            gone = player_seen::forget_guild(tx, guild.num, SLICE).await?;
        }
        if gone == 0 {
            gone = stat_days::forget(tx, scope, guild.num, SLICE).await?;
        }
        if gone == 0 {
            gone = import_rows::forget_of_guild(tx, scope, guild.num, SLICE).await?;
        }
        if gone == 0 {
            erased_members::delete_of_guild(tx, guild.num).await?;
            gone = removals::forget_roles(tx, scope, guild.num, SLICE).await?;
        }
        if gone == 0 {
            gone = jobs::remove_slice(tx, &LaneKind::Log.of(self.guild.as_str()), SLICE).await?;
        }
        if gone == 0 {
            gone = jobs::remove_slice(tx, &LaneKind::Roles.of(self.guild.as_str()), SLICE).await?;
        }
        if gone == 0 {
            gone = deliveries::forget_of_guild(tx, scope, guild.num, SLICE).await?;
        }
        if gone == 0 {
            gone = forget_on_discord(tx, scope, guild.num).await?;
        }
        if gone == 0
            && let Some(server) = removals::find_server_of(tx, scope, guild.num).await?
        {
            gone = removals::forget_server(tx, scope, server, SLICE).await?;
        }
        jobs::advance(tx, &self.held, None, self.done + ended).await?;
        Ok(more(gone))
    }
}

/// What was known of the Guild on Discord, and the message that it was being sent.
async fn forget_on_discord(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<u64, AppError> {
    let places = places::forget_slice(tx, scope, guild, SLICE).await?;
    if places > 0 {
        return Ok(places);
    }
    Ok(guild_bots::remove(tx, scope, guild).await? + log_batches::remove(tx, scope, guild).await?)
}

const fn more(gone: u64) -> Outcome {
    if gone == 0 { Outcome::Done } else { Outcome::Again }
}

/// A slice of what a deleted Server knew of players.
pub(crate) async fn server_step(
    app: &App,
    claimed: &Claimed,
    server: &ServerId,
) -> Result<Outcome, AppError> {
    let slice = ForgetSlice {
        server: server.clone(),
        held: claimed.held.clone(),
        now_ms: app.now_ms(),
    };
    let outcome = app.db.write_for(org_of(claimed)?, slice).await?;
    if outcome == Outcome::Done {
        app.bell.ring();
    }
    Ok(outcome)
}

struct ForgetSlice {
    server: ServerId,
    held: Held,
    now_ms: i64,
}

impl Work for ForgetSlice {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "forget_server";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let Some(server) = removals::find_server(tx, scope, &self.server).await? else {
            // What it said of players counts for nobody any more.
            people::sweep_later(tx, scope, self.now_ms).await?;
            return Ok(Outcome::Done);
        };
        Ok(more(removals::forget_server(tx, scope, server, SLICE).await?))
    }
}
