//! Keeps what an Org knows of its people in line with their links and with what game servers say of them. It stands below
//! the areas: links, plugins, imports and removals all change somebody. Everything here runs under the Org's lock.

pub(crate) mod components;
pub(crate) mod score;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use domain::erased::is_erased;
use domain::job::Job;
use domain::trust::MOST_ACCOUNTS;
use storage::jobs;
use storage::players::group_changes::ServerPlace;
use storage::players::people::KnownPerson;
use storage::players::server_players::WhoseServer;
use storage::players::{graph, people, person_marks, server_players};
use storage::tenancy::orgs;
use storage::{GuildNum, OrgScope, ServerNum, Tx, Work};

use crate::error::AppError;
use crate::state::App;

/// Brings the people with these Discord ids in line, and reckons their scores.
pub(crate) async fn follow(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    ids: impl IntoIterator<Item = &str>,
    now_ms: i64,
) -> Result<(), AppError> {
    let known = keep(tx, scope, ids).await?;
    let nums: Vec<i64> = known.iter().map(|one| one.num).collect();
    score::reckon(tx, scope, &nums, now_ms).await
}

/// The same after one of them was linked anew: others may hang together with them now, whose scores change with it.
pub(crate) async fn follow_joined(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    ids: impl IntoIterator<Item = &str>,
    joined: &str,
    now_ms: i64,
) -> Result<(), AppError> {
    let before = people::list_before_them(tx, scope, joined).await?;
    let ids = ids.into_iter().map(str::to_owned).chain(before);
    let ids: BTreeSet<String> = ids.collect();
    let known = keep(tx, scope, ids.iter().map(String::as_str)).await?;
    let together = graph::list_joined(tx, scope, joined, MOST_ACCOUNTS + 1).await?;
    let accounts = (together.len() as i64).min(MOST_ACCOUNTS);
    let affected: Vec<KnownPerson> = people::list_known(tx, scope, together.iter().map(String::as_str))
        .await?
        .into_iter()
        .filter(|one| one.accounts != accounts)
        .collect();
    if !affected.is_empty() {
        let ids = affected.iter().map(|one| &*one.discord_id);
        people::set_accounts(tx, scope, ids, accounts).await?;
    }
    let nums: BTreeSet<i64> = known.iter().chain(&affected).map(|one| one.num).collect();
    score::reckon(tx, scope, &Vec::from_iter(nums), now_ms).await
}

/// The same for those whom a round found, with how many accounts it saw hang together with theirs.
pub(crate) async fn follow_strays(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    strays: &[(String, i64)],
    now_ms: i64,
) -> Result<(), AppError> {
    let before = people::list_known(tx, scope, strays.iter().map(|(id, _)| &**id)).await?;
    let before: BTreeSet<&str> = before.iter().map(|one| &*one.discord_id).collect();
    let known = keep(tx, scope, strays.iter().map(|(id, _)| &**id)).await?;
    let mut by_accounts: BTreeMap<i64, Vec<&str>> = BTreeMap::new();
    for (id, accounts) in strays {
        // Whoever has a row may have been linked since the links were read.
        let accounts = if before.contains(&**id) {
            let together = graph::list_joined(tx, scope, id, MOST_ACCOUNTS + 1).await?;
            (together.len() as i64).min(MOST_ACCOUNTS)
        } else {
            *accounts
        };
        by_accounts.entry(accounts).or_default().push(id);
    }
    for (accounts, ids) in by_accounts {
        people::set_accounts(tx, scope, ids.into_iter(), accounts).await?;
    }
    let nums: Vec<i64> = known.iter().map(|one| one.num).collect();
    score::reckon(tx, scope, &nums, now_ms).await
}

async fn keep(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    ids: impl IntoIterator<Item = &str>,
) -> Result<Vec<KnownPerson>, AppError> {
    let people = ids.into_iter().filter(|id| !is_erased(id));
    let people: BTreeSet<String> = people.map(str::to_owned).collect();
    if people.is_empty() {
        return Ok(Vec::new());
    }
    Ok(people::follow(tx, scope, &people).await?)
}

/// Marks those whose groups a report changes, before it is stored. True where the bell is to be rung after the commit.
pub(crate) async fn mark_reported(
    tx: &mut Tx<'_>,
    place: ServerPlace,
    report: &str,
    now_ms: i64,
) -> Result<bool, AppError> {
    let ServerPlace { scope, guild, server } = place;
    let marked = person_marks::mark_reported(tx, scope, guild, server, report).await?;
    follow_later(tx, scope, marked, now_ms).await
}

/// Marks those who had another name, before the new ones are stored. True where the bell is to be rung after the commit.
pub(crate) async fn mark_renamed(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    report: &str,
    now_ms: i64,
) -> Result<bool, AppError> {
    let marked = person_marks::mark_renamed(tx, scope, guild, report).await?;
    follow_later(tx, scope, marked, now_ms).await
}

/// Has people followed who were on a Server for the first time. What is lost between the two transactions is found by the
/// next round.
pub(crate) async fn follow_newcomers(app: &App, first: Vec<(ServerNum, String)>) -> Result<(), AppError> {
    let mut whose: BTreeMap<ServerNum, Option<WhoseServer>> = BTreeMap::new();
    let mut newcomers: BTreeMap<i64, Newcomers> = BTreeMap::new();
    for (server, steam_id) in first {
        if let Entry::Vacant(entry) = whose.entry(server) {
            entry.insert(server_players::find_whose(&app.db, server).await?);
        }
        if let Some(Some(found)) = whose.get(&server) {
            let of_org = newcomers.entry(found.scope.num()).or_insert_with(|| Newcomers {
                whose: found.clone(),
                steam_ids: BTreeSet::new(),
                now_ms: app.now_ms(),
            });
            of_org.steam_ids.insert(steam_id);
        }
    }
    let is_any = !newcomers.is_empty();
    // One Org's trouble is not another's.
    let mut first_failure = Ok(());
    for newcomers in newcomers.into_values() {
        let written = app.db.write_for(newcomers.whose.scope, newcomers).await;
        first_failure = first_failure.and(written);
    }
    if is_any {
        app.bell.ring();
    }
    first_failure
}

struct Newcomers {
    whose: WhoseServer,
    steam_ids: BTreeSet<String>,
    now_ms: i64,
}

impl Work for Newcomers {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "mark_newcomers";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        for steam_id in &self.steam_ids {
            person_marks::mark(tx, scope, steam_id).await?;
        }
        let org = self.whose.org.clone();
        Ok(jobs::enqueue(tx, scope, &Job::FollowPeople { org }, self.now_ms).await?)
    }
}

async fn follow_later(tx: &mut Tx<'_>, scope: OrgScope, marked: u64, now_ms: i64) -> Result<bool, AppError> {
    if marked > 0 {
        let org = orgs::get_id(tx, scope).await?;
        jobs::enqueue(tx, scope, &Job::FollowPeople { org }, now_ms).await?;
    }
    Ok(marked > 0)
}

/// Has everybody gone through again, because something changed that concerns many.
pub(crate) async fn sweep_later(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<(), AppError> {
    let org = orgs::get_id(tx, scope).await?;
    Ok(jobs::enqueue(tx, scope, &Job::SweepPeople { org }, now_ms).await?)
}
