//! Goes through everybody of an Org: each night, because scores change with time, and after what concerns many. First it
//! finds who has no row yet and who hangs together with others than their row says, then it reckons all scores, and at last
//! it counts everybody for the analytics.

use domain::erased::is_erased;
use domain::job::Job;
use storage::jobs::{self, Grip, Held};
use storage::players::graph::{self, Pair};
use storage::players::people as rows;
use storage::players::sweeps;
use storage::players::trust;
use storage::privacy::tombstones;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::AppError;
use crate::jobs::{Claimed, Outcome};
use crate::people::components::Components;
use crate::people::{self, score};
use crate::players::{rounds, snapshot};
use crate::state::App;

const DAY_MS: i64 = 24 * 60 * 60_000;
/// Rows of one read.
const PAGE: i64 = 10_000;
/// People in one unit of work, where their links are read and where only scores are.
const STRAY_SLICE: usize = 100;
const SLICE: i64 = 500;
/// Strays that are put right in one step; those that are left are found again by the next one.
const STRAYS_IN_A_STEP: usize = 30_000;
/// Steps after which scores are reckoned all the same.
const STRAY_STEPS: i64 = 200;
/// What the cursor begins with once scores are reckoned. How often the round was asked for follows, and then the last row:
/// whatever was asked for since then begins it anew.
const SCORES: &str = "scores:";
/// The same once everybody has a score and is to be counted.
const COUNTS: &str = "counts:";

/// Begins the nightly round where it is time.
pub(crate) async fn begin_due(app: &App) -> Result<(), AppError> {
    let due = sweeps::list_due(&app.db, app.now_ms() - DAY_MS, rounds::AT_ONCE).await?;
    let due = due
        .into_iter()
        .map(|due| (due.scope, Job::SweepPeople { org: due.id }));
    rounds::begin(app, due).await
}

/// The next step of a round.
pub(crate) async fn step(app: &App, claimed: &Claimed) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let (held, now_ms, asked) = (claimed.held.clone(), app.now_ms(), claimed.total);
    let at = claimed.cursor.as_deref();
    if let Some(of) = at.and_then(|cursor| cursor.strip_prefix(COUNTS)) {
        let asked = of.parse().map_err(AppError::internal)?;
        return snapshot::take(app, scope, held, asked).await;
    }
    let after = at.and_then(|cursor| cursor.strip_prefix(SCORES));
    if let Some((of, after)) = after.and_then(|after| after.split_once(':')) {
        let slice = Scores {
            held,
            asked: of.parse().map_err(AppError::internal)?,
            after: after.parse().map_err(AppError::internal)?,
            done: claimed.done,
            now_ms,
        };
        return app.db.write_for(scope, slice).await;
    }
    let steps = claimed.done;
    let strays = find_strays(app, scope).await?;
    for some in strays.chunks(STRAY_SLICE) {
        let slice = Strays {
            held: held.clone(),
            strays: some.to_vec(),
            now_ms,
        };
        if app.db.write_for(scope, slice).await? == Outcome::Lost {
            return Ok(Outcome::Lost);
        }
    }
    let are_more = strays.len() >= STRAYS_IN_A_STEP && steps < STRAY_STEPS;
    let next = if are_more {
        (None, steps + 1)
    } else {
        (Some(cursor(asked, 0)), 0)
    };
    app.db.write_for(scope, Advance { held, next }).await
}

fn cursor(asked: i64, after: i64) -> String {
    format!("{SCORES}{asked}:{after}")
}

/// People without a row, those whose row counts other accounts than hang together with theirs, and those who are found with an
/// account that is somebody else's: how many accounts do hang together.
async fn find_strays(app: &App, scope: OrgScope) -> Result<Vec<(String, i64)>, AppError> {
    let mut found = Components::default();
    let mut last = String::new();
    loop {
        let aliases = tombstones::list_aliases(&app.db, scope, &last, PAGE).await?;
        for alias in &aliases {
            found.alias(&alias.id, &alias.tombstone);
        }
        let is_last = (aliases.len() as i64) < PAGE;
        match aliases.into_iter().next_back() {
            Some(alias) if !is_last => last = alias.id,
            Some(_) | None => break,
        }
    }
    let mut after = Pair {
        discord_id: String::new(),
        steam_id: String::new(),
    };
    let mut people = Vec::new();
    loop {
        let pairs = graph::list_pairs(&app.db, scope, &after, PAGE).await?;
        for pair in &pairs {
            found.join(&pair.discord_id, &pair.steam_id);
            let is_new = people.last() != Some(&pair.discord_id);
            if is_new && !is_erased(&pair.discord_id) {
                people.push(pair.discord_id.clone());
            }
        }
        let is_last = (pairs.len() as i64) < PAGE;
        match pairs.into_iter().next_back() {
            Some(last) if !is_last => after = last,
            Some(_) | None => break,
        }
    }
    let mut rows = Rows::new(app, scope);
    let mut strays = Vec::new();
    for id in people {
        let accounts = found.accounts(&id);
        if rows.accounts(&id).await? != Some(accounts) {
            strays.push((id, accounts));
        }
        if strays.len() >= STRAYS_IN_A_STEP {
            return Ok(strays);
        }
    }
    let misplaced = find_misplaced(app, scope).await?;
    strays.extend(misplaced.into_iter().map(|id| {
        let accounts = found.accounts(&id);
        (id, accounts)
    }));
    strays.truncate(STRAYS_IN_A_STEP);
    Ok(strays)
}

/// Whoever has an active link is put right with their score. Of the others, those are whose account was taken over by a link that
/// nobody followed to them, such as one of a file.
async fn find_misplaced(app: &App, scope: OrgScope) -> Result<Vec<String>, AppError> {
    let (mut found, mut after) = (Vec::new(), (i64::MIN, i64::MIN));
    loop {
        let page = sweeps::list_archived(&app.db, scope, after, PAGE).await?;
        let is_last = (page.len() as i64) < PAGE;
        if let Some(last) = page.last() {
            after = last.place;
        }
        let misplaced = page.into_iter().filter(|one| one.is_misplaced);
        found.extend(misplaced.map(|one| one.discord_id));
        if is_last {
            return Ok(found);
        }
    }
}

/// What rows say, read along with a sorted list of ids.
struct Rows<'a> {
    app: &'a App,
    scope: OrgScope,
    page: std::vec::IntoIter<graph::Counted>,
    next: Option<graph::Counted>,
    last: String,
    is_over: bool,
}

impl<'a> Rows<'a> {
    fn new(app: &'a App, scope: OrgScope) -> Self {
        Self {
            app,
            scope,
            page: Vec::new().into_iter(),
            next: None,
            last: String::new(),
            is_over: false,
        }
    }

    /// None without a row. Ids have to be asked for in their order.
    async fn accounts(&mut self, id: &str) -> Result<Option<i64>, AppError> {
        loop {
            match self.next.take() {
                Some(row) if row.discord_id == id => return Ok(Some(row.accounts)),
                Some(row) if *row.discord_id > *id => {
                    self.next = Some(row);
                    return Ok(None);
                }
                Some(_) | None => {}
            }
            self.next = self.page.next();
            if self.next.is_none() {
                if self.is_over {
                    return Ok(None);
                }
                let page = graph::list_counted(&self.app.db, self.scope, &self.last, PAGE).await?;
                self.is_over = (page.len() as i64) < PAGE;
                if let Some(last) = page.last() {
                    self.last.clone_from(&last.discord_id);
                }
                self.page = page.into_iter();
            }
        }
    }
}

struct Strays {
    held: Held,
    strays: Vec<(String, i64)>,
    now_ms: i64,
}

impl Work for Strays {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "follow_strays";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        people::follow_strays(tx, scope, &self.strays, self.now_ms).await?;
        Ok(Outcome::Again)
    }
}

struct Advance {
    held: Held,
    next: (Option<String>, i64),
}

impl Work for Advance {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "advance_sweep";

    async fn run(&self, tx: &mut Tx<'_>, _: &OrgScope) -> Result<Outcome, AppError> {
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let (cursor, done) = &self.next;
        jobs::advance(tx, &self.held, cursor.as_deref(), *done).await?;
        Ok(Outcome::Again)
    }
}

struct Scores {
    held: Held,
    /// How often the round was asked for when it began.
    asked: i64,
    after: i64,
    done: i64,
    now_ms: i64,
}

impl Work for Scores {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "reckon_scores";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        if jobs::get_total(tx, &self.held).await? != self.asked {
            jobs::advance(tx, &self.held, None, 0).await?;
            return Ok(Outcome::Again);
        }
        let next = trust::list_active_in(tx, scope, self.after, SLICE).await?;
        let Some(last) = next.last() else {
            let counts = format!("{COUNTS}{}", self.asked);
            jobs::advance(tx, &self.held, Some(&counts), self.done).await?;
            return Ok(Outcome::Again);
        };
        rows::follow_servers(tx, scope, &next).await?;
        score::reckon(tx, scope, &next, self.now_ms).await?;
        let done = self.done + next.len() as i64;
        jobs::advance(tx, &self.held, Some(&cursor(self.asked, *last)), done).await?;
        Ok(Outcome::Again)
    }
}
