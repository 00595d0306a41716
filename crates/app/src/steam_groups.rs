//! Which Steam groups players are in, remembered for ten minutes for the polls of game servers. Whoever must know it
//! now, such as a person who verifies, asks `platform` directly.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use domain::platform_id::SteamId;
use domain::quota::Purpose;
use domain::steam_group::Groups;
use futures_util::StreamExt;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::{Mutex, Semaphore, oneshot};

use crate::error::AppError;
use crate::state::App;

const FRESH_MS: i64 = 10 * 60_000;
/// How long a poll waits for what is not known yet.
const POLL_WAITS: Duration = Duration::from_secs(5);
/// How long the rest goes on behind it, for the next poll.
const REFRESH_LASTS: Duration = Duration::from_secs(60);
/// Calls to Steam at once, over all polls.
const AT_ONCE: usize = 8;
/// Players that may wait to be asked about, over all polls; beyond it a poll is answered from what is known.
const MOST_WAITING: usize = 10_000;
/// Groups remembered, over all players; about 8 MB.
const MOST_GROUPS: u64 = 1_000_000;
/// Few, so that the cache is made of few parts and somebody in very many groups fits into one of them.
const EXPECTED_PLAYERS: usize = 128;
/// What a player costs beside their groups.
const PLAYER_WEIGHT: u64 = 24;
const LOCKS: usize = 64;

#[derive(Clone)]
struct Known {
    groups: Arc<Groups>,
    /// Of the steady clock.
    asked_at_ms: i64,
}

impl Known {
    fn is_fresh(&self, steady_ms: i64) -> bool {
        steady_ms - self.asked_at_ms < FRESH_MS
    }
}

#[derive(Clone)]
struct ByGroups;

impl Weighter<SteamId, Known> for ByGroups {
    fn weight(&self, _: &SteamId, known: &Known) -> u64 {
        match &*known.groups {
            Groups::Listed(groups) => PLAYER_WEIGHT + groups.len() as u64,
            Groups::Hidden => PLAYER_WEIGHT,
        }
    }
}

pub struct SteamGroups {
    known: Cache<SteamId, Known, ByGroups>,
    calls: Semaphore,
    waiting: AtomicUsize,
    /// Two polls that want the same player ask once: the second waits here and then finds the answer.
    locks: [Mutex<()>; LOCKS],
    hasher: RandomState,
}

impl Default for SteamGroups {
    fn default() -> Self {
        Self {
            known: Cache::with_weighter(EXPECTED_PLAYERS, MOST_GROUPS, ByGroups),
            calls: Semaphore::new(AT_ONCE),
            waiting: AtomicUsize::new(0),
            locks: [const { Mutex::const_new(()) }; LOCKS],
            hasher: RandomState::new(),
        }
    }
}

impl SteamGroups {
    fn find(&self, player: &SteamId, steady_ms: i64) -> Option<Arc<Groups>> {
        let known = self.known.get(player)?;
        known.is_fresh(steady_ms).then_some(known.groups)
    }

    /// Whether so many more players may wait.
    fn reserve(&self, count: usize) -> bool {
        let add = |waiting: usize| Some(waiting + count).filter(|sum| *sum <= MOST_WAITING);
        self.waiting.fetch_update(Relaxed, Relaxed, add).is_ok()
    }
}

/// The groups of these players as far as they are known, in the order asked. Steam is asked about the others for a few
/// seconds, those who are `first` before the rest; it goes on behind the answer.
pub async fn of_players(
    app: &App,
    org_num: i64,
    players: &[SteamId],
    first: impl Fn(&SteamId) -> bool,
) -> Result<Vec<Option<Arc<Groups>>>, AppError> {
    app.platforms.steam_api()?;
    let groups = &app.steam_groups;
    let steady_ms = app.clock.steady_ms();
    let mut unknown: Vec<SteamId> = players
        .iter()
        .filter(|player| groups.find(player, steady_ms).is_none())
        .cloned()
        .collect();
    unknown.sort_by_key(|player| !first(player));
    if !unknown.is_empty() && groups.reserve(unknown.len()) {
        let (done, asked) = oneshot::channel::<()>();
        let task = refresh(app.clone(), org_num, unknown);
        app.tasks.spawn(async move {
            task.await;
            drop(done);
        });
        drop(tokio::time::timeout(POLL_WAITS, asked).await);
    }
    let steady_ms = app.clock.steady_ms();
    Ok(players
        .iter()
        .map(|player| groups.find(player, steady_ms))
        .collect())
}

async fn refresh(app: App, org_num: i64, players: Vec<SteamId>) {
    let count = players.len();
    let each =
        futures_util::stream::iter(players).for_each_concurrent(AT_ONCE, |player| ask(&app, org_num, player));
    if tokio::time::timeout(REFRESH_LASTS, each).await.is_err() {
        tracing::debug!("Steam was too slow to tell the groups of all players of a poll");
    }
    app.steam_groups.waiting.fetch_sub(count, Relaxed);
}

/// Asks about one player unless somebody else just did. Without an answer nothing is remembered.
async fn ask(app: &App, org_num: i64, player: SteamId) {
    let groups = &app.steam_groups;
    let lock = groups.hasher.hash_one(&player) as usize % LOCKS;
    let _turn = groups.locks[lock].lock().await;
    if groups.find(&player, app.clock.steady_ms()).is_some() {
        return;
    }
    let (Some(steam), Ok(_permit)) = (&app.platforms.steam_api, groups.calls.acquire().await) else {
        return;
    };
    if let Ok(found) = steam.groups(&player, Purpose::Bulk { org_num }).await {
        let known = Known {
            groups: Arc::new(found),
            asked_at_ms: app.clock.steady_ms(),
        };
        groups.known.insert(player, known);
    }
}

#[cfg(test)]
mod tests {
    use domain::steam_group::GroupId;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn player(number: u64) -> SteamId {
        SteamId::parse(&(76_561_197_960_265_728 + number).to_string()).unwrap()
    }

    fn remember(groups: &SteamGroups, number: u64, listed: u32) {
        let known = Known {
            groups: Arc::new(Groups::listed((1..=listed).filter_map(GroupId::new))),
            asked_at_ms: NOW,
        };
        groups.known.insert(player(number), known);
    }

    #[test]
    fn an_answer_is_good_for_ten_minutes() {
        let groups = SteamGroups::default();
        remember(&groups, 1, 3);
        for (steady_ms, known) in [(NOW, true), (NOW + FRESH_MS - 1, true), (NOW + FRESH_MS, false)] {
            assert_eq!(groups.find(&player(1), steady_ms).is_some(), known, "{steady_ms}");
        }
    }

    #[test]
    fn players_in_many_groups_do_not_fill_the_memory() {
        let groups = SteamGroups::default();
        for number in 0..3_000 {
            remember(&groups, number, 1_000);
        }
        assert!(groups.known.weight() <= MOST_GROUPS);
        assert!(groups.known.len() < 1_000);
    }

    #[test]
    fn somebody_in_very_many_groups_is_remembered_too() {
        let groups = SteamGroups::default();
        remember(&groups, 1, 100_000);
        assert!(groups.find(&player(1), NOW).is_some());
    }

    #[test]
    fn only_so_many_players_wait() {
        let groups = SteamGroups::default();
        for _ in 0..5 {
            assert!(groups.reserve(2_000));
        }
        assert!(!groups.reserve(1));
        groups.waiting.fetch_sub(2_000, Relaxed);
        assert!(groups.reserve(2_000));
    }
}
