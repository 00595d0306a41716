//! What was read in the present transaction of one reader. Within one, the database cannot change, so none of this can
//! be out of date; it is forgotten whenever the transaction ends.

use std::collections::HashMap;

use domain::key::KeyHash;
use domain::platform_id::SteamAccount;

use crate::keys::ResolvedKey;
use crate::scope::GuildNum;

/// More keys than a busy machine serves between two commits; beyond it they are read again.
const MOST_KEYS: usize = 4096;
/// Links of whole Guilds, at four bytes each.
const MOST_LINKS: usize = 1 << 20;
/// Reading on to the next link of a Guild costs about a tenth of looking one up.
const LINKS_FOR_A_LOOK_UP: usize = 10;
/// A Guild with more links is never read whole: it would hold up the thread that serves requests.
const LARGEST_GUILD: usize = 10_000;

#[derive(Default)]
pub struct Known {
    keys: HashMap<KeyHash, ResolvedKey>,
    guilds: HashMap<GuildNum, Guild>,
    links_held: usize,
}

#[derive(Default)]
struct Guild {
    /// Look-ups so far.
    asked: usize,
    /// Everybody who is linked, in order, once that was read.
    linked: Option<Box<[SteamAccount]>>,
}

impl Known {
    pub fn key(&self, hash: &KeyHash) -> Option<&ResolvedKey> {
        self.keys.get(hash)
    }

    /// Remembers a key that was read just now, and gives it back.
    pub fn keep_key(&mut self, hash: &KeyHash, key: ResolvedKey) -> ResolvedKey {
        if self.keys.len() < MOST_KEYS {
            self.keys.insert(hash.clone(), key.clone());
        }
        key
    }

    /// Everybody who is linked in the Guild, in order, if that was read.
    pub fn linked(&self, guild: GuildNum) -> Option<&[SteamAccount]> {
        self.guilds.get(&guild)?.linked.as_deref()
    }

    /// Notes look-ups and tells how many links the Guild may have for all of them to be worth reading at once: as many
    /// as cost no more than the look-ups made in this transaction.
    pub fn worth_reading(&mut self, guild: GuildNum, look_ups: usize) -> usize {
        let known = self.guilds.entry(guild).or_default();
        known.asked += look_ups;
        (known.asked * LINKS_FOR_A_LOOK_UP)
            .min(LARGEST_GUILD)
            .min(MOST_LINKS - self.links_held)
    }

    /// Remembers everybody who is linked in the Guild, at most as many as were worth reading.
    pub fn keep_linked(&mut self, guild: GuildNum, linked: Vec<SteamAccount>) -> &[SteamAccount] {
        let mut linked = linked.into_boxed_slice();
        linked.sort_unstable();
        self.links_held += linked.len();
        let known = self.guilds.entry(guild).or_default();
        known.linked.insert(linked)
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.guilds.clear();
        self.links_held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUILD: GuildNum = GuildNum(1);

    fn accounts(count: u64) -> Vec<SteamAccount> {
        let id = |number: u64| (76_561_198_000_000_000 + number).to_string();
        (0..count)
            .rev()
            .filter_map(|number| SteamAccount::of(&id(number)))
            .collect()
    }

    #[test]
    fn a_guild_is_read_whole_once_the_look_ups_have_cost_as_much() {
        let mut known = Known::default();
        assert_eq!(known.worth_reading(GUILD, 100), 1_000);
        assert_eq!(known.worth_reading(GUILD, 150), 2_500);
        assert_eq!(known.worth_reading(GuildNum(2), 1), 10);
        assert_eq!(known.worth_reading(GUILD, 5_000), LARGEST_GUILD);
    }

    #[test]
    fn what_is_kept_is_in_order_and_goes_with_the_transaction() {
        let mut known = Known::default();
        assert_eq!(known.linked(GUILD), None);
        assert!(known.keep_linked(GUILD, accounts(50)).is_sorted());
        assert_eq!(known.linked(GUILD).map(<[_]>::len), Some(50));
        known.clear();
        assert_eq!(known.linked(GUILD), None);
        assert_eq!(known.worth_reading(GUILD, 2), 20);
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let mut known = Known {
            links_held: MOST_LINKS - 7,
            ..Known::default()
        };
        assert_eq!(known.worth_reading(GUILD, 100), 7);
        known.keep_linked(GUILD, accounts(7));
        assert_eq!(known.worth_reading(GuildNum(2), 100), 0);
    }
}
