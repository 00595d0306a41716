//! Works off the marks of a Guild.

use std::time::Duration;

use domain::id::GuildId;
use domain::job::Job;
use platform::Unanswered;
use storage::bots::guild_bots;
use storage::jobs;
use storage::roles::marks::{self, Mark};
use storage::tenancy::guilds;
use storage::{GuildNum, OrgScope, Tx, Work};

use super::erased;
use super::listed::Listed;
use super::look::{Looked, look};
use super::scene::Place;
use crate::error::AppError;
use crate::jobs::{Claimed, Outcome};
use crate::serving;
use crate::state::App;

/// Members in one step, so that a Guild with many gives its turn to others. More where a list tells of them.
const AT_ONCE: usize = 10;
const AT_ONCE_LISTED: i64 = 200;
/// While our bot is not in a Discord server. Its return wakes the lane.
const AWAY: Duration = Duration::from_secs(10 * 60);
/// For an answer that does not say when to come back.
const SOON: Duration = Duration::from_secs(5);

/// Brings the next marked members of a Guild in line.
pub(crate) async fn step(app: &App, claimed: &Claimed, guild: &GuildId) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let Some(found) = guilds::find(&app.db, scope, guild).await? else {
        // It was removed; its end forgets the marks.
        return Ok(Outcome::Done);
    };
    let Some(bot) = &serving::find(app, found.num).await? else {
        return Ok(Outcome::Later { after: AWAY });
    };
    let mut next = marks::list_next(&app.db, found.num, AT_ONCE_LISTED).await?;
    let is_any_erased = erased::is_any(app, found.num).await?;
    if next.is_empty() && !is_any_erased {
        return Ok(Outcome::Done);
    }
    let seen = guild_bots::find(&app.db, scope, found.num).await?;
    if seen.is_some_and(|seen| seen.present == Some(false)) {
        return Ok(Outcome::Later { after: AWAY });
    }
    let Some(place) = Place::read(app, scope, found).await? else {
        return Ok(Outcome::Done);
    };
    if is_any_erased
        && let Some(cause) = erased::step(app, bot, &place).await?
        && next.is_empty()
    {
        return Ok(outcome_of(cause));
    }
    if next.is_empty() {
        return Ok(Outcome::Again);
    }
    let listed = match Listed::read(bot, &place, &next).await {
        Ok(listed) => listed,
        Err(cause) => return not_now(app, &place, next.swap_remove(0), cause).await,
    };
    let mut asked_for = 0;
    for mark in next {
        let read = listed.as_ref().and_then(|listed| listed.find(&mark.discord_id));
        if read.is_none() {
            asked_for += 1;
        }
        if asked_for > AT_ONCE {
            break;
        }
        if let Looked::NotNow(cause) = look(app, bot, &place, &mark, read, &claimed.held).await? {
            return not_now(app, &place, mark, cause).await;
        }
    }
    Ok(Outcome::Again)
}

/// Why a step ends for now. Being away and not being asked is no failure.
fn outcome_of(cause: Unanswered) -> Outcome {
    let after = cause
        .retry_after_ms()
        .map(|ms| Duration::from_millis(ms.max(1).unsigned_abs()));
    if is_away(cause) {
        return Outcome::Later {
            after: after.unwrap_or(AWAY),
        };
    }
    if !cause.was_asked() {
        return Outcome::Later {
            after: after.unwrap_or(SOON),
        };
    }
    Outcome::Retry {
        after,
        code: "DISCORD_UNAVAILABLE",
    }
}

fn is_away(cause: Unanswered) -> bool {
    matches!(
        cause,
        Unanswered::Refused | Unanswered::Status(403 | 404) | Unanswered::Remembered { .. }
    )
}

/// Discord did not do it now. Whoever it was about goes behind the others, so that one cannot hold up all.
async fn not_now(app: &App, place: &Place, mark: Mark, cause: Unanswered) -> Result<Outcome, AppError> {
    let is_away = is_away(cause);
    if cause.was_asked() || is_away {
        let put_off = PutOff {
            guild: place.guild.num,
            guild_id: place.guild.id.clone(),
            mark,
            is_away,
            now_ms: app.now_ms(),
        };
        app.db.write_for(place.scope, put_off).await?;
    }
    Ok(outcome_of(cause))
}

struct PutOff {
    guild: GuildNum,
    guild_id: GuildId,
    mark: Mark,
    is_away: bool,
    now_ms: i64,
}

impl Work for PutOff {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "put_off_roles";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        marks::put_off(tx, self.guild, &self.mark.discord_id, self.now_ms).await?;
        if self.is_away {
            // Perhaps our bot is not there any more: whoever looks finds out, and wakes us when it is back.
            let guild = self.guild_id.clone();
            jobs::enqueue(tx, scope, &Job::LookAtGuild { guild }, self.now_ms).await?;
        }
        Ok(())
    }
}
