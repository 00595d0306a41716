//! Looks at everybody of a Guild, in slices.

use domain::audit::{Actor, AuditAction};
use domain::id::GuildId;
use domain::job::Job;
use domain::roles::Cause;
use serde_json::json;
use storage::jobs::{self, Grip, Held, Moment};
use storage::records::audit::Act;
use storage::roles::rechecks::Due;
use storage::roles::{marks, rechecks};
use storage::tenancy::guilds::{self, Guild};
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::{AppError, RequestError};
use crate::jobs::{Claimed, Outcome};
use crate::role_marks::{Place, Rank, look_at_everybody, mark_all_in};
use crate::state::App;

/// Members in one unit of work.
const SLICE: i64 = 500;
const DAY_MS: i64 = 24 * 60 * 60_000;
/// Guilds whose nightly look begins in one round.
const AT_ONCE: i64 = 20;

/// How far a look at everybody is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Marked so far, of how many, and since when; none while there is none.
    pub running: Option<(i64, i64, i64)>,
    /// Members who wait for their look.
    pub waiting: i64,
}

/// How far a look at everybody is.
pub async fn progress(app: &App, scope: OrgScope, guild: &GuildId) -> Result<Progress, AppError> {
    let found = find(app, scope, guild).await?;
    let running = jobs::find_running(&app.db, &job(guild).dedupe()).await?;
    Ok(Progress {
        running: running
            .filter(|running| !running.is_cancelled)
            .map(|running| (running.done, running.total, running.started_at_ms)),
        waiting: marks::count(&app.db, scope, found.num).await?,
    })
}

/// Has everybody looked at. While that is under way, it is not begun again.
pub async fn start(app: &App, scope: OrgScope, guild: &GuildId, actor: Actor) -> Result<Progress, AppError> {
    let start = Start { guild: guild.clone() };
    app.db.write_for(app.act(scope, actor), start).await?;
    app.bell.ring();
    progress(app, scope, guild).await
}

/// Marks nobody any more. Who is marked is looked at all the same.
pub async fn cancel(app: &App, scope: OrgScope, guild: &GuildId, actor: Actor) -> Result<Progress, AppError> {
    find(app, scope, guild).await?;
    let cancel = Cancel {
        guild: guild.clone(),
        moment: app.moment(),
    };
    app.db.write_for(app.act(scope, actor), cancel).await?;
    progress(app, scope, guild).await
}

fn job(guild: &GuildId) -> Job {
    Job::RecheckRoles { guild: guild.clone() }
}

async fn find(app: &App, scope: OrgScope, guild: &GuildId) -> Result<Guild, AppError> {
    let found = guilds::find(&app.db, scope, guild).await?;
    Ok(found.ok_or(RequestError::NotFound)?)
}

struct Start {
    guild: GuildId,
}

impl Work for Start {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "start_recheck";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let (scope, now_ms) = (act.scope, act.now_ms);
        orgs::lock(tx, scope).await?;
        let found = guilds::find_in(tx, scope, &self.guild).await?;
        let guild = found.ok_or(RequestError::NotFound)?;
        let running = jobs::find_running_in(tx, &job(&self.guild).dedupe()).await?;
        if running.is_none_or(|running| running.is_cancelled) {
            rechecks::begin(tx, scope, guild.num, Cause::Recheck, now_ms).await?;
            look_at_everybody(tx, scope, &self.guild, guild.active_links, now_ms).await?;
            let target = Some(self.guild.as_str());
            act.note(tx, AuditAction::RecheckStarted, target, &json!({}))
                .await?;
        }
        Ok(())
    }
}

struct Cancel {
    guild: GuildId,
    moment: Moment,
}

impl Work for Cancel {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "cancel_recheck";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        let running = jobs::find_running_in(tx, &job(&self.guild).dedupe()).await?;
        let Some(running) = running.filter(|running| !running.is_cancelled) else {
            return Ok(());
        };
        let _ = jobs::drop_job(tx, &running.lane, running.num, self.moment).await?;
        let target = Some(self.guild.as_str());
        Ok(act
            .note(tx, AuditAction::RecheckCancelled, target, &json!({}))
            .await?)
    }
}

/// Marks the next members of a Guild.
pub(crate) async fn step(app: &App, claimed: &Claimed, guild: &GuildId) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let slice = Slice {
        guild: guild.clone(),
        held: claimed.held.clone(),
        now_ms: app.now_ms(),
    };
    let outcome = app.db.write_for(scope, slice).await?;
    app.bell.ring();
    Ok(outcome)
}

struct Slice {
    guild: GuildId,
    held: Held,
    now_ms: i64,
}

impl Work for Slice {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "mark_everybody";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let Some(guild) = guilds::find_in(tx, scope, &self.guild).await? else {
            return Ok(Outcome::Done);
        };
        // Read under the lock: it may have begun anew since this worker took it.
        let Some(running) = jobs::find_running_in(tx, &job(&self.guild).dedupe()).await? else {
            return Ok(Outcome::Lost);
        };
        if running.cursor.is_none() {
            rechecks::count_anew(tx, &running, guild.active_links).await?;
        }
        let after = running.cursor.unwrap_or_default();
        let next = marks::list_concerned(tx, guild.num, &after, SLICE).await?;
        let Some(last) = next.last() else {
            return Ok(Outcome::Done);
        };
        let cause = rechecks::get_cause(tx, scope, guild.num).await?;
        let place = Place {
            num: guild.num,
            id: guild.id,
        };
        mark_all_in(tx, scope, &place, &next, cause, Rank::Bulk, self.now_ms).await?;
        let done = running.done + next.len() as i64;
        jobs::advance(tx, &self.held, Some(last), done).await?;
        Ok(Outcome::Again)
    }
}

/// Begins the nightly look at everybody where it is time.
pub(crate) async fn sweep(app: &App) -> Result<(), AppError> {
    let now_ms = app.now_ms();
    let due = rechecks::list_due(&app.db, now_ms - DAY_MS, AT_ONCE).await?;
    let is_any = !due.is_empty();
    for due in due {
        let scope = due.scope;
        app.db.write_for(scope, Sweep { due, now_ms }).await?;
    }
    if is_any {
        app.bell.ring();
    }
    Ok(())
}

struct Sweep {
    due: Due,
    now_ms: i64,
}

impl Work for Sweep {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "sweep_roles";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if guilds::find_in(tx, scope, &self.due.id).await?.is_none() {
            return Ok(());
        }
        rechecks::begin(tx, scope, self.due.num, Cause::Sweep, self.now_ms).await?;
        Ok(look_at_everybody(tx, scope, &self.due.id, self.due.links, self.now_ms).await?)
    }
}
