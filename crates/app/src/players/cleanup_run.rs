//! A run through the links of an Org, once a day where it is wanted: dormant ones are flagged, those that were flagged long
//! enough end. Everybody is judged twice: on the way, and again in the unit that does something about them.

use domain::audit::{Actor, AuditAction};
use domain::dormancy::{DAY_MS, Dormancy, Verdict};
use domain::job::Job;
use domain::link::UnlinkCause;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::jobs::{self, Grip, Held};
use storage::players::{cleanup, dormant_links};
use storage::records::audit::Act;
use storage::tenancy::guilds::Guild;
use storage::tenancy::{guilds, orgs};
use storage::{Tx, Work};

use super::cleanup::{CameTo, PAGE, dormancy_of};
use super::{rounds, seen};
use crate::error::AppError;
use crate::jobs::{Claimed, Outcome};
use crate::linking::links;
use crate::people;
use crate::state::App;

/// Links in one unit of work: an end is a dozen statements, and others wait for the Org meanwhile.
const SLICE: usize = 20;

/// Begins the run of the day where it is time.
pub(crate) async fn begin_due(app: &App) -> Result<(), AppError> {
    let due = cleanup::list_due(&app.db, app.now_ms() - DAY_MS, rounds::AT_ONCE).await?;
    let due = due
        .into_iter()
        .map(|due| (due.scope, Job::CleanUp { org: due.id }));
    rounds::begin(app, due).await
}

/// How far a run is, as it is kept with its job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Run {
    /// How often it was asked for when it began; whatever was asked for since then begins it anew.
    asked: i64,
    /// The row of the Guild it is at.
    guild: i64,
    /// Everybody up to this one was looked at.
    after: String,
    came_to: CameTo,
}

impl Run {
    fn text(&self) -> Result<String, AppError> {
        serde_json::to_string(self).map_err(AppError::internal)
    }
}

/// The next page of links.
pub(crate) async fn step(app: &App, claimed: &Claimed) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let run: Run = match claimed.cursor.as_deref() {
        None => Run {
            asked: claimed.total,
            ..Run::default()
        },
        Some(text) => serde_json::from_str(text).map_err(AppError::internal)?,
    };
    let (held, act) = (claimed.held.clone(), app.act(scope, Actor::System));
    let mut there = guilds::list(&app.db, scope).await?;
    there.sort_unstable_by_key(|guild| guild.num);
    let Some(guild) = there.into_iter().find(|guild| guild.num.0 >= run.guild) else {
        return app.db.write_for(act, Finish { held, run }).await;
    };
    let stored = cleanup::get(&app.db, scope).await?;
    let page = Page {
        dormancy: dormancy_of(app, &guild, &stored).await?,
        revision: stored.revision,
        held: held.clone(),
        guild,
    };
    match page.go_through(app, &act, run).await? {
        Gone::On(run) => app.db.write_for(act, Advance { held, run }).await,
        Gone::Elsewhere(outcome) => Ok(outcome),
    }
}

/// What a page is judged by.
#[derive(Clone)]
struct Page {
    held: Held,
    guild: Guild,
    revision: i64,
    dormancy: Dormancy,
}

/// How far a page went.
enum Gone {
    On(Run),
    /// The job is somebody else's now, or begins anew.
    Elsewhere(Outcome),
}

impl Page {
    /// Looks at the next links of the Guild, and sees to those that it would not leave.
    async fn go_through(&self, app: &App, act: &Act, mut run: Run) -> Result<Gone, AppError> {
        let guild = self.guild.num;
        let after = if guild.0 == run.guild { &*run.after } else { "" };
        let found = dormant_links::list(&app.db, act.scope, guild, after, PAGE).await?;
        let Some(last) = found.last().map(|last| last.link.discord_id.as_str().to_owned()) else {
            (run.guild, run.after) = (guild.0 + 1, String::new());
            return Ok(Gone::On(run));
        };
        let concerned: Vec<(i64, String)> = found
            .into_iter()
            .filter(|one| self.dormancy.judge(one.signs) != Verdict::Leave)
            .map(|one| (one.link.num, one.link.discord_id.as_str().to_owned()))
            .collect();
        for some in concerned.chunks(SLICE) {
            // Whoever came back this minute is written down before anybody is judged.
            seen::settle(app).await?;
            let slice = Slice {
                page: self.clone(),
                links: some.to_vec(),
                run,
            };
            match app.db.write_for(act.clone(), slice).await? {
                Gone::On(next) => run = next,
                gone @ Gone::Elsewhere(_) => return Ok(gone),
            }
            app.bell.ring();
        }
        (run.guild, run.after) = (guild.0, last);
        Ok(Gone::On(run))
    }
}

struct Slice {
    page: Page,
    links: Vec<(i64, String)>,
    run: Run,
}

impl Work for Slice {
    type For = Act;
    type Output = Gone;
    type Error = AppError;
    const NAME: &'static str = "clean_up";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Gone, AppError> {
        let (scope, page) = (act.scope, &self.page);
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &page.held).await? == Grip::Lost {
            return Ok(Gone::Elsewhere(Outcome::Lost));
        }
        // Rules that were changed meanwhile asked for another run: this one ends nothing by the old ones.
        if cleanup::get_in(tx, scope).await?.revision != page.revision {
            return Ok(Gone::Elsewhere(anew(tx, &page.held, &self.run).await?));
        }
        let mut run = self.run.clone();
        // The end of a removed Guild ends its links.
        if guilds::find_in(tx, scope, &page.guild.id).await?.is_some() {
            let nums = self.links.iter().map(|(num, _)| *num);
            for one in dormant_links::list_in(tx, scope, nums).await? {
                let came_to = &mut run.came_to;
                match page.dormancy.judge(one.signs) {
                    Verdict::Leave => {}
                    Verdict::Flag => {
                        dormant_links::flag(tx, scope, one.link.num, act.now_ms).await?;
                        came_to.flagged += 1;
                    }
                    Verdict::Clear => {
                        dormant_links::forget(tx, one.link.num).await?;
                        came_to.cleared += 1;
                    }
                    Verdict::End => {
                        links::end_in(tx, act, &page.guild, &one.link, UnlinkCause::ZombieCleanup).await?;
                        came_to.ended += 1;
                    }
                }
            }
            let ids = self.links.iter().map(|(_, id)| &**id);
            people::follow(tx, scope, ids, act.now_ms).await?;
        }
        run.guild = page.guild.num.0;
        if let Some((_, last)) = self.links.last() {
            run.after.clone_from(last);
        }
        let ended = run.came_to.ended;
        jobs::advance(tx, &page.held, Some(&run.text()?), ended).await?;
        Ok(Gone::On(run))
    }
}

/// Goes through everybody once more. What was done so far is told at the end.
async fn anew(tx: &mut Tx<'_>, held: &Held, run: &Run) -> Result<Outcome, AppError> {
    let again = Run {
        asked: jobs::get_total(tx, held).await?,
        came_to: run.came_to,
        ..Run::default()
    };
    jobs::advance(tx, held, Some(&again.text()?), again.came_to.ended).await?;
    Ok(Outcome::Again)
}

struct Advance {
    held: Held,
    run: Run,
}

impl Work for Advance {
    type For = Act;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "advance_cleanup";

    async fn run(&self, tx: &mut Tx<'_>, _: &Act) -> Result<Outcome, AppError> {
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        jobs::advance(tx, &self.held, Some(&self.run.text()?), self.run.came_to.ended).await?;
        Ok(Outcome::Again)
    }
}

struct Finish {
    held: Held,
    run: Run,
}

impl Work for Finish {
    type For = Act;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "finish_cleanup";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Outcome, AppError> {
        let scope = act.scope;
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        if jobs::get_total(tx, &self.held).await? != self.run.asked {
            return anew(tx, &self.held, &self.run).await;
        }
        let came_to = self.run.came_to;
        cleanup::note_run(tx, scope, act.now_ms, &json!(came_to).to_string()).await?;
        if came_to != CameTo::default() {
            act.note(tx, AuditAction::CleanupRan, None, &json!(came_to))
                .await?;
        }
        Ok(Outcome::Done)
    }
}
