//! What was read in the present transaction of one reader. Within one, the database cannot change, so none of this can
//! be out of date; it is forgotten whenever the transaction ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::key::KeyHash;
use domain::platform_id::SteamAccount;

use crate::keys::plugin_keys::ResolvedKey;
use crate::scope::GuildNum;

/// More keys than a busy machine serves between two commits; beyond it they are read again.
const MOST_KEYS: usize = 4096;
/// Links of whole Guilds, at four bytes each.
const MOST_LINKS: usize = 1 << 20;
/// Reading on to the next link of a Guild costs about a sixth of looking one up (measured with a million links). A Guild
/// is read a little before that pays, because who asks about many players usually asks again.
const LINKS_FOR_A_LOOK_UP: usize = 10;
/// A Guild with more links is never read whole: it would hold up the thread that serves requests.
const LARGEST_GUILD: usize = 10_000;

#[derive(Default)]
pub struct Known {
    keys: HashMap<KeyHash, ResolvedKey>,
    guilds: HashMap<GuildNum, Guild>,
    /// None where the count of commits says nothing, because another process makes them.
    shared: Option<Arc<SharedLinks>>,
    /// The count under which the transaction began.
    began_at: u64,
}

#[derive(Default)]
struct Guild {
    /// Look-ups so far.
    asked: usize,
    /// Everybody who is linked, in order, once that was read.
    linked: Option<Linked>,
}

type Linked = Arc<[SteamAccount]>;

/// What readers whose transactions began under the same count have read of whole Guilds. None of them may see less
/// than that count, so what one of them saw is right for all.
#[derive(Default)]
pub(super) struct SharedLinks(Mutex<Lists>);

#[derive(Default)]
struct Lists {
    began_at: u64,
    held: usize,
    guilds: HashMap<GuildNum, Linked>,
}

impl SharedLinks {
    /// The lists of this count; None for a reader that others are ahead of.
    fn with<T>(&self, began_at: u64, see: impl FnOnce(&mut Lists) -> T) -> Option<T> {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.began_at < began_at {
            *lists = Lists {
                began_at,
                ..Lists::default()
            };
        }
        (lists.began_at == began_at).then(|| see(&mut lists))
    }
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
    pub fn linked(&mut self, guild: GuildNum) -> Option<&[SteamAccount]> {
        let known = self.guilds.entry(guild).or_default();
        if known.linked.is_none()
            && let Some(shared) = &self.shared
        {
            let found = shared.with(self.began_at, |lists| lists.guilds.get(&guild).cloned());
            known.linked = found.flatten();
        }
        known.linked.as_deref()
    }

    /// Notes look-ups and tells how many links the Guild may have for all of them to be worth reading at once: as many
    /// as cost no more than the look-ups made in this transaction.
    pub fn worth_reading(&mut self, guild: GuildNum, look_ups: usize) -> usize {
        let known = self.guilds.entry(guild).or_default();
        known.asked += look_ups;
        let worth = (known.asked * LINKS_FOR_A_LOOK_UP).min(LARGEST_GUILD);
        let room = |shared: &Arc<SharedLinks>| {
            shared.with(self.began_at, |lists| MOST_LINKS.saturating_sub(lists.held))
        };
        worth.min(self.shared.as_ref().and_then(room).unwrap_or(0))
    }

    /// Remembers everybody who is linked in the Guild, at most as many as were worth reading.
    pub fn keep_linked(&mut self, guild: GuildNum, mut linked: Vec<SteamAccount>) -> &[SteamAccount] {
        linked.sort_unstable();
        let linked = Linked::from(linked);
        if let Some(shared) = &self.shared {
            shared.with(self.began_at, |lists| {
                // Two readers may have read it at the same time.
                if lists.guilds.insert(guild, Arc::clone(&linked)).is_none() {
                    lists.held += linked.len();
                }
            });
        }
        self.guilds.entry(guild).or_default().linked.insert(linked)
    }

    /// What one of several readers of a database knows; they tell each other about whole Guilds.
    pub(super) fn among(shared: Arc<SharedLinks>) -> Self {
        Self {
            shared: Some(shared),
            ..Self::default()
        }
    }

    /// A transaction begins under this count.
    pub(super) fn begin(&mut self, count: u64) {
        self.clear();
        self.began_at = count;
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.guilds.clear();
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

    fn reader() -> Known {
        Known::among(Arc::default())
    }

    #[test]
    fn a_guild_is_read_whole_once_the_look_ups_have_cost_as_much() {
        let mut known = reader();
        assert_eq!(known.worth_reading(GUILD, 100), 1_000);
        assert_eq!(known.worth_reading(GUILD, 150), 2_500);
        assert_eq!(known.worth_reading(GuildNum(2), 1), 10);
        assert_eq!(known.worth_reading(GUILD, 5_000), LARGEST_GUILD);
    }

    #[test]
    fn what_is_kept_is_in_order_and_goes_with_the_transaction() {
        let mut known = reader();
        assert_eq!(known.linked(GUILD), None);
        assert!(known.keep_linked(GUILD, accounts(50)).is_sorted());
        assert_eq!(known.linked(GUILD).map(<[_]>::len), Some(50));
        known.begin(1);
        assert_eq!(known.linked(GUILD), None);
        assert_eq!(known.worth_reading(GUILD, 2), 20);
    }

    #[test]
    fn readers_of_one_state_share_what_they_read_and_nobody_is_told_of_an_older_one() {
        let shared = Arc::new(SharedLinks::default());
        let (mut one, mut two) = (Known::among(Arc::clone(&shared)), Known::among(shared));
        one.begin(7);
        two.begin(7);
        one.keep_linked(GUILD, accounts(5));
        assert_eq!(two.linked(GUILD).map(<[_]>::len), Some(5));
        two.begin(8);
        assert_eq!(two.linked(GUILD), None);
        two.keep_linked(GUILD, accounts(6));
        // One has not moved on: it keeps what it has and spoils nothing.
        assert_eq!(one.linked(GUILD).map(<[_]>::len), Some(5));
        one.keep_linked(GuildNum(2), accounts(3));
        assert_eq!(two.linked(GuildNum(2)), None);
        assert_eq!(one.worth_reading(GuildNum(3), 10), 0);
    }

    #[test]
    fn beside_another_process_no_guild_is_read_whole() {
        assert_eq!(Known::default().worth_reading(GUILD, 100), 0);
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let mut known = reader();
        let shared = Arc::clone(known.shared.as_ref().unwrap());
        shared.with(0, |lists| lists.held = MOST_LINKS - 7);
        assert_eq!(known.worth_reading(GUILD, 100), 7);
        known.keep_linked(GUILD, accounts(7));
        assert_eq!(known.worth_reading(GuildNum(2), 100), 0);
    }
}
