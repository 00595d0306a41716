//! Ends the links of many people at once, as somebody of the team chose them. Whoever links anew meanwhile is left alone:
//! what is chosen are links, not people.

use std::collections::BTreeMap;

use domain::audit::{Actor, AuditAction};
use domain::id::{AccountId, GuildId};
use domain::job::Job;
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::jobs::{self, Grip, Held, Moment};
use storage::players::chosen_links;
use storage::records::audit::{Act, AuditRow};
use storage::records::audit_pages::{self, AuditFilter};
use storage::tenancy::guilds::{self, Guild};
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::{AppError, PlayersError};
use crate::jobs::{Claimed, Outcome};
use crate::linking::links;
use crate::people;
use crate::players::users::{self, UsersAsked};
use crate::state::App;

/// People whose links can be ended in one go.
pub const MOST_PEOPLE: usize = 10_000;
/// Links in one unit of work.
const SLICE: i64 = 50;

/// How far it is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Links that ended so far.
    pub done: i64,
    /// Of how many.
    pub total: i64,
    /// Since when.
    pub started_at_ms: i64,
}

/// How the last one ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Somebody cancelled it; else it went through everything.
    pub is_cancelled: bool,
    /// Links that it ended.
    pub done: i64,
    /// Of how many.
    pub total: i64,
    /// When.
    pub at_ms: i64,
}

/// Whose links end.
pub enum Choice {
    /// People, by either id.
    Keys {
        /// Who.
        users: Vec<EitherId>,
        /// Only their links there.
        guild: Option<GuildId>,
    },
    /// Everybody who fits. With a Guild or a Server, only their links there.
    Fitting(UsersAsked),
}

/// How far the one under way is; none when there is none.
pub async fn progress(app: &App, scope: OrgScope) -> Result<Option<Progress>, AppError> {
    let Some(org) = storage::tenancy::orgs::get(&app.db, scope).await? else {
        return Ok(None);
    };
    let running = jobs::find_running(&app.db, &dedupe(&org.id)).await?;
    let running = running.filter(|running| !running.is_cancelled);
    Ok(running.map(|running| Progress {
        done: running.done,
        total: running.total,
        started_at_ms: running.started_at_ms,
    }))
}

/// How the last one ended, from the audit log. Nothing where it has no end there: an operator dropped its job.
pub async fn last(app: &App, scope: OrgScope) -> Result<Option<Ended>, AppError> {
    let mut last: Option<AuditRow> = None;
    for action in [
        AuditAction::BulkUnlinkStarted,
        AuditAction::BulkUnlinkFinished,
        AuditAction::BulkUnlinkCancelled,
    ] {
        let filter = AuditFilter {
            action: Some(action),
            ..AuditFilter::default()
        };
        let newest = audit_pages::list_filtered(&app.db, scope, &filter, 1).await?;
        let newest = newest.into_iter().next().map(|entry| entry.row);
        last = last.into_iter().chain(newest).max_by_key(|row| row.seq);
    }
    let Some(row) = last.filter(|row| row.action != AuditAction::BulkUnlinkStarted.as_str()) else {
        return Ok(None);
    };
    let Counts { links, ended } = serde_json::from_str(&row.detail).map_err(AppError::internal)?;
    Ok(Some(Ended {
        is_cancelled: row.action == AuditAction::BulkUnlinkCancelled.as_str(),
        done: ended,
        total: links,
        at_ms: row.at_ms,
    }))
}

/// What the audit log says of the end of one.
#[derive(Serialize, Deserialize)]
struct Counts {
    links: i64,
    ended: i64,
}

fn dedupe(org: &domain::id::OrgId) -> String {
    // By whom does not tell it apart: an Org has one at a time.
    [domain::job::JobKind::UnlinkPeople.as_str(), ":", org.as_str()].concat()
}

/// Ends the active links of these people, and tells how many that will be.
pub async fn start(app: &App, scope: OrgScope, choice: Choice, by: AccountId) -> Result<i64, AppError> {
    let (people, guild) = match &choice {
        Choice::Keys { users, guild } => (users::list_nums(app, scope, users).await?, guild.clone()),
        Choice::Fitting(asked) => {
            let asked = users::resolve(app, scope, asked).await?;
            let people = users::list_fitting(app, scope, &asked, MOST_PEOPLE + 1).await?;
            (people, asked.guild)
        }
    };
    if people.len() > MOST_PEOPLE {
        return Err(PlayersError::TooManyChosen { most: MOST_PEOPLE }.into());
    }
    let actor = Actor::Account(by.clone());
    let start = Start { people, guild, by };
    let total = app.db.write_for(app.act(scope, actor), start).await?;
    app.bell.ring();
    Ok(total)
}

struct Start {
    people: Vec<i64>,
    guild: Option<GuildId>,
    by: AccountId,
}

impl Work for Start {
    type For = Act;
    type Output = i64;
    type Error = AppError;
    const NAME: &'static str = "start_bulk_unlink";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<i64, AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let org = orgs::get_id(tx, scope).await?;
        let job = Job::UnlinkPeople {
            org,
            by: self.by.clone(),
        };
        if jobs::find_running_in(tx, &job.dedupe()).await?.is_some() {
            return Err(PlayersError::UnlinkRunning.into());
        }
        let guild = match &self.guild {
            None => None,
            Some(id) => {
                let found = guilds::find_in(tx, scope, id).await?;
                Some(found.ok_or(crate::error::RequestError::NotFound)?.num)
            }
        };
        // What an operator dropped with its job is not taken up by the next one.
        chosen_links::forget(tx, scope).await?;
        let total = chosen_links::choose(tx, scope, &self.people, guild).await?;
        if total == 0 {
            return Ok(0);
        }
        jobs::enqueue_counted(tx, scope, &job, total, act.now_ms).await?;
        let detail = json!({ "links": total, "guild": self.guild });
        act.note(tx, AuditAction::BulkUnlinkStarted, None, &detail)
            .await?;
        Ok(total)
    }
}

/// Ends no more of them. Those that ended stay ended.
pub async fn cancel(app: &App, scope: OrgScope, actor: Actor) -> Result<(), AppError> {
    let cancel = Cancel { moment: app.moment() };
    app.db.write_for(app.act(scope, actor), cancel).await
}

struct Cancel {
    moment: Moment,
}

impl Work for Cancel {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "cancel_bulk_unlink";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let org = orgs::get_id(tx, scope).await?;
        let Some(running) = jobs::find_running_in(tx, &dedupe(&org)).await? else {
            return Ok(());
        };
        if running.is_cancelled {
            return Ok(());
        }
        let _ = jobs::drop_job(tx, &running.lane, running.num, self.moment).await?;
        chosen_links::forget(tx, scope).await?;
        let detail = json!(Counts {
            links: running.total,
            ended: running.done,
        });
        Ok(act
            .note(tx, AuditAction::BulkUnlinkCancelled, None, &detail)
            .await?)
    }
}

/// The next links that were chosen.
pub(crate) async fn step(app: &App, claimed: &Claimed, by: &AccountId) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let slice = Slice {
        held: claimed.held.clone(),
        done: claimed.done,
    };
    let act = app.act(scope, Actor::Account(by.clone()));
    let outcome = app.db.write_for(act, slice).await?;
    app.bell.ring();
    Ok(outcome)
}

struct Slice {
    held: Held,
    done: i64,
}

impl Work for Slice {
    type For = Act;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "bulk_unlink";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Outcome, AppError> {
        let scope = act.scope;
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let next = chosen_links::list_next(tx, scope, SLICE).await?;
        let Some(last) = next.last() else {
            chosen_links::forget(tx, scope).await?;
            self.note_end(tx, act).await?;
            return Ok(Outcome::Done);
        };
        let mut there: BTreeMap<&GuildId, Option<Guild>> = BTreeMap::new();
        let mut ended = Vec::new();
        for chosen in &next {
            if !there.contains_key(&chosen.guild) {
                let found = guilds::find_in(tx, scope, &chosen.guild).await?;
                there.insert(&chosen.guild, found);
            }
            // The end of a removed Guild ends its links.
            if let Some(Some(guild)) = there.get(&chosen.guild) {
                links::end_in(tx, act, guild, &chosen.link, UnlinkCause::Admin).await?;
                ended.push(chosen.link.discord_id.as_str());
            }
        }
        let done = self.done + ended.len() as i64;
        people::follow(tx, scope, ended, act.now_ms).await?;
        chosen_links::forget_up_to(tx, scope, last.link.num).await?;
        jobs::advance(tx, &self.held, None, done).await?;
        Ok(Outcome::Again)
    }
}

impl Slice {
    /// The end of one that was cancelled has been noted before.
    async fn note_end(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let org = orgs::get_id(tx, act.scope).await?;
        let running = jobs::find_running_in(tx, &dedupe(&org)).await?;
        let Some(running) = running.filter(|running| !running.is_cancelled) else {
            return Ok(());
        };
        let detail = json!(Counts {
            links: running.total,
            ended: self.done,
        });
        Ok(act
            .note(tx, AuditAction::BulkUnlinkFinished, None, &detail)
            .await?)
    }
}
