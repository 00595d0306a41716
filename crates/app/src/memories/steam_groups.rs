//! Which Steam groups players are in, remembered for ten minutes for the polls of game servers.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, PoisonError};

use domain::platform_id::SteamId;
use domain::share;
use domain::steam_group::Groups;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::{Mutex, MutexGuard, Semaphore};

const FRESH_MS: i64 = 10 * 60_000;
/// Calls to Steam at once, over all polls.
pub(crate) const AT_ONCE: usize = 8;
/// Players that may wait to be asked about, over all polls; beyond it a poll is answered from what is known.
const MOST_WAITING: u32 = 10_000;
/// Groups remembered, over all players; about 8 MB.
const MOST_GROUPS: u64 = 1_000_000;
/// Few, so that the cache is made of few parts and somebody in very many groups fits into one of them.
const EXPECTED_PLAYERS: usize = 128;
/// What a player costs beside their groups.
const PLAYER_WEIGHT: u64 = 24;
const LOCKS: usize = 64;

#[derive(Clone)]
struct PlayerGroups {
    groups: Arc<Groups>,
    /// Of the steady clock.
    asked_at_ms: i64,
}

impl PlayerGroups {
    fn is_fresh(&self, steady_ms: i64) -> bool {
        steady_ms - self.asked_at_ms < FRESH_MS
    }
}

#[derive(Clone)]
struct ByGroups;

impl Weighter<SteamId, PlayerGroups> for ByGroups {
    fn weight(&self, _: &SteamId, known: &PlayerGroups) -> u64 {
        match &*known.groups {
            Groups::Listed(groups) => PLAYER_WEIGHT + groups.len() as u64,
            Groups::Hidden => PLAYER_WEIGHT,
        }
    }
}

pub(crate) struct SteamGroups {
    known: Cache<SteamId, PlayerGroups, ByGroups>,
    pub(crate) calls: Semaphore,
    waiting: std::sync::Mutex<WaitingPlayers>,
    /// Two polls that want the same player ask once: the second waits here and then finds the answer.
    locks: [Mutex<()>; LOCKS],
    hasher: RandomState,
}

impl Default for SteamGroups {
    fn default() -> Self {
        Self {
            known: Cache::with_weighter(EXPECTED_PLAYERS, MOST_GROUPS, ByGroups),
            calls: Semaphore::new(AT_ONCE),
            waiting: std::sync::Mutex::default(),
            locks: [const { Mutex::const_new(()) }; LOCKS],
            hasher: RandomState::new(),
        }
    }
}

/// Players that wait to be asked about.
#[derive(Default)]
struct WaitingPlayers {
    all: u32,
    of_org: HashMap<i64, u32>,
}

/// The room of one poll; it is free again when this is dropped.
pub(crate) struct Waiting<'g> {
    groups: &'g SteamGroups,
    org_num: i64,
    pub(crate) count: u32,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut waiting = self.groups.waiting();
        waiting.all -= self.count;
        if let Some(own) = waiting.of_org.get_mut(&self.org_num) {
            *own -= self.count;
            if *own == 0 {
                waiting.of_org.remove(&self.org_num);
            }
        }
    }
}

impl SteamGroups {
    pub(crate) fn find(&self, player: &SteamId, steady_ms: i64) -> Option<Arc<Groups>> {
        let known = self.known.get(player)?;
        known.is_fresh(steady_ms).then_some(known.groups)
    }

    /// Room for as many of an Org's players to wait as it may have: a tenth of what the others have left.
    pub(crate) fn wait(&self, org_num: i64, wanted: usize) -> Waiting<'_> {
        let mut waiting = self.waiting();
        let own = waiting.of_org.get(&org_num).copied().unwrap_or(0);
        let most = share::most(MOST_WAITING, waiting.all, own).saturating_sub(own);
        let count = most.min(u32::try_from(wanted).unwrap_or(u32::MAX));
        if count > 0 {
            waiting.all += count;
            *waiting.of_org.entry(org_num).or_default() += count;
        }
        Waiting {
            groups: self,
            org_num,
            count,
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, WaitingPlayers> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn remember(&self, player: SteamId, groups: Groups, steady_ms: i64) {
        let known = PlayerGroups {
            groups: Arc::new(groups),
            asked_at_ms: steady_ms,
        };
        self.known.insert(player, known);
    }

    /// The turn to ask about somebody.
    pub(crate) async fn turn(&self, player: &SteamId) -> MutexGuard<'_, ()> {
        let lock = self.hasher.hash_one(player) as usize % LOCKS;
        self.locks[lock].lock().await
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
        let listed = Groups::listed((1..=listed).filter_map(GroupId::new));
        groups.remember(player(number), listed, NOW);
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
    fn an_org_has_a_tenth_of_the_room_that_the_others_left() {
        let groups = SteamGroups::default();
        let one = groups.wait(1, 2_000);
        assert_eq!(one.count, 1_000);
        assert_eq!(groups.wait(1, 1).count, 0);
        let two = groups.wait(2, 2_000);
        assert_eq!(two.count, 900);
        drop(one);
        assert_eq!(groups.wait(1, 2_000).count, 910);
        drop(two);
        let waiting = groups.waiting();
        assert_eq!((waiting.all, waiting.of_org.len()), (0, 0));
    }
}
