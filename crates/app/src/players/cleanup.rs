//! What an Org wants done about dormant links, and who is to stay.

use std::collections::BTreeMap;

use domain::audit::{Actor, AuditAction};
use domain::dormancy::{CleanupRules, DAYS, Dormancy, GRACE_DAYS, day_of};
use domain::job::Job;
use domain::platform_id::EitherId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::players::cleanup;
pub use storage::players::cleanup::StoredCleanup;
use storage::players::player_seen::SeenAgain;
use storage::players::{dormant_links, player_seen};
use storage::records::audit::Act;
use storage::tenancy::guilds::Guild;
use storage::tenancy::{guilds, orgs};
use storage::{OrgScope, Tx, Work, jobs};

use super::users;
use crate::error::{AppError, PlayersError, RequestError};
use crate::people;
use crate::state::App;

/// Links of one read.
pub(super) const PAGE: i64 = 2_000;
/// People in one unit of work.
const SLICE: usize = 100;

/// What a run came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CameTo {
    /// Links that were flagged.
    pub flagged: i64,
    /// Flags that were taken off.
    pub cleared: i64,
    /// Links that ended.
    pub ended: i64,
}

/// How long a Guild's game servers were heard from.
pub struct HeardGuild {
    /// Which.
    pub guild: Guild,
    /// Days, as far back as the rules look.
    pub heard_days: i64,
}

/// What is set, and how things stand.
pub struct CleanupState {
    /// The settings and the last run.
    pub stored: StoredCleanup,
    /// What the last run came to.
    pub last_run: Option<CameTo>,
    /// People with a flagged link.
    pub flagged: i64,
    /// Whether a run is under way.
    pub is_running: bool,
    /// Each Guild of the Org.
    pub guilds: Vec<HeardGuild>,
}

/// What the Org wants.
pub async fn rules(app: &App, scope: OrgScope) -> Result<CleanupRules, AppError> {
    Ok(cleanup::get(&app.db, scope).await?.rules)
}

/// Settings and how things stand.
pub async fn get(app: &App, scope: OrgScope) -> Result<CleanupState, AppError> {
    let stored = cleanup::get(&app.db, scope).await?;
    let org = storage::tenancy::orgs::get(&app.db, scope)
        .await?
        .ok_or(RequestError::NotFound)?;
    let running = jobs::find_running(&app.db, &Job::CleanUp { org: org.id }.dedupe()).await?;
    let mut heard = Vec::new();
    for guild in guilds::list(&app.db, scope).await? {
        let days = list_heard(app, &guild, &stored.rules).await?;
        heard.push(HeardGuild {
            guild,
            heard_days: days.len() as i64,
        });
    }
    Ok(CleanupState {
        last_run: stored
            .last_run
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok()),
        flagged: dormant_links::count_flagged(&app.db, scope).await?,
        is_running: running.is_some_and(|running| !running.is_cancelled),
        guilds: heard,
        stored,
    })
}

/// Days that are over on which a Guild's game servers were heard from, as many as the rules look back.
pub(super) async fn list_heard(app: &App, guild: &Guild, rules: &CleanupRules) -> Result<Vec<i64>, AppError> {
    let most = rules.days.max(rules.grace_days);
    Ok(player_seen::list_heard(&app.db, guild.num, day_of(app.now_ms()), most).await?)
}

pub(super) async fn dormancy_of(
    app: &App,
    guild: &Guild,
    stored: &StoredCleanup,
) -> Result<Dormancy, AppError> {
    let heard = list_heard(app, guild, &stored.rules).await?;
    Ok(Dormancy::of(&heard, &stored.rules, stored.enabled_at_ms))
}

pub(super) fn checked(rules: CleanupRules) -> Result<CleanupRules, AppError> {
    let bounds = [
        ("days", rules.days, DAYS),
        ("grace_days", rules.grace_days, GRACE_DAYS),
    ];
    for (name, value, bounds) in bounds {
        if !bounds.contains(&value) {
            let problem = format!("must be from {} to {}", bounds.start(), bounds.end());
            return Err(AppError::invalid(name, problem));
        }
    }
    Ok(rules)
}

/// Replaces what the Org wants, unless somebody did so since the revision that the caller saw, if they name one. A run
/// follows: who is not dormant by the new rules loses their flag.
pub async fn save(
    app: &App,
    scope: OrgScope,
    rules: CleanupRules,
    revision: Option<i64>,
    actor: Actor,
) -> Result<(), AppError> {
    let rules = checked(rules)?;
    app.db
        .write_for(app.act(scope, actor), Save { rules, revision })
        .await?;
    app.bell.ring();
    Ok(())
}

struct Save {
    rules: CleanupRules,
    revision: Option<i64>,
}

impl Work for Save {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "save_cleanup";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let before = cleanup::get_in(tx, scope).await?;
        // The same save once more is no conflict.
        if before.rules == self.rules {
            return Ok(());
        }
        if self.revision.is_some_and(|seen| seen != before.revision) {
            return Err(RequestError::ChangedMeanwhile.into());
        }
        cleanup::set(tx, scope, &self.rules, act.now_ms).await?;
        run_later(tx, scope, act.now_ms).await?;
        let detail = json!({ "before": before.rules, "after": self.rules });
        Ok(act.note(tx, AuditAction::CleanupChanged, None, &detail).await?)
    }
}

async fn run_later(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<(), AppError> {
    let org = orgs::get_id(tx, scope).await?;
    Ok(jobs::enqueue(tx, scope, &Job::CleanUp { org }, now_ms).await?)
}

/// Has a run begin now and not tonight.
pub async fn run_now(app: &App, scope: OrgScope, actor: Actor) -> Result<(), AppError> {
    app.db.write_for(app.act(scope, actor), RunNow).await?;
    app.bell.ring();
    Ok(())
}

struct RunNow;

impl Work for RunNow {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "run_cleanup";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        if !cleanup::get_in(tx, act.scope).await?.rules.enabled {
            return Err(PlayersError::CleanupOff.into());
        }
        run_later(tx, act.scope, act.now_ms).await
    }
}

/// Takes the flags off these people at the word of the team, and tells how many links that were. It counts like a sign of
/// them: they are flagged again only after as many days.
pub async fn keep(app: &App, scope: OrgScope, keys: &[EitherId], actor: Actor) -> Result<i64, AppError> {
    let mut ids = Vec::new();
    for key in keys {
        ids.extend(users::find(app, scope, key).await?.map(|found| found.discord_id));
    }
    ids.sort_unstable();
    ids.dedup();
    let mut kept = 0;
    for some in ids.chunks(SLICE) {
        let ids = some.to_vec();
        let act = app.act(scope, actor.clone());
        kept += app.db.write_for(act, Keep { ids }).await?;
    }
    Ok(kept)
}

struct Keep {
    ids: Vec<String>,
}

impl Work for Keep {
    type For = Act;
    type Output = i64;
    type Error = AppError;
    const NAME: &'static str = "keep_dormant";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<i64, AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let mut kept = 0;
        for id in &self.ids {
            kept += dormant_links::keep(tx, scope, id, act.now_ms)
                .await?
                .cast_signed();
        }
        if kept > 0 {
            people::follow(tx, scope, self.ids.iter().map(String::as_str), act.now_ms).await?;
            act.note(tx, AuditAction::DormantKept, None, &json!({ "links": kept }))
                .await?;
        }
        Ok(kept)
    }
}

/// Takes the flags off people who were seen again. Whom it misses, because the process ends before, the next run finds.
pub(crate) async fn clear_seen(app: &App, back: Vec<SeenAgain>) -> Result<(), AppError> {
    let mut by_org: BTreeMap<i64, Vec<SeenAgain>> = BTreeMap::new();
    for one in back {
        by_org.entry(one.scope.num()).or_default().push(one);
    }
    // One Org's trouble is not another's.
    let mut first_failure = Ok(());
    for of_org in by_org.into_values() {
        for some in of_org.chunks(SLICE) {
            let Some(scope) = some.first().map(|one| one.scope) else {
                continue;
            };
            let ids = some.iter().map(|one| one.discord_id.clone()).collect();
            let now_ms = app.now_ms();
            let written = app.db.write_for(scope, ClearSeen { ids, now_ms }).await;
            first_failure = first_failure.and(written);
        }
    }
    first_failure
}

struct ClearSeen {
    ids: Vec<String>,
    now_ms: i64,
}

impl Work for ClearSeen {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "clear_seen";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        for id in &self.ids {
            dormant_links::clear_seen(tx, scope, id).await?;
        }
        people::follow(tx, scope, self.ids.iter().map(String::as_str), self.now_ms).await
    }
}
