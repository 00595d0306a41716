//! Guilds whose links were read whole in one state of an embedded database, because many of them were asked for.

use std::collections::HashMap;
use std::sync::Arc;

use domain::platform_id::SteamAccount;

use crate::db::{Memo, ReaderMemory};
use crate::scope::GuildNum;

/// Links of whole Guilds, at four bytes each.
const MOST_LINKS: usize = 1 << 20;
/// Reading on to the next link of a Guild costs about a sixth of looking one up (measured with a million links). A Guild
/// is read a little before that pays, because who asks about many players usually asks again.
const LINKS_FOR_A_LOOK_UP: usize = 10;
/// A Guild with more links is never read whole: it would hold up the thread that serves requests.
const LARGEST_GUILD: usize = 10_000;

type Linked = Arc<[SteamAccount]>;

/// What one reader knows.
#[derive(Default)]
struct Guilds(HashMap<GuildNum, Guild>);

#[derive(Default)]
struct Guild {
    /// Look-ups so far.
    asked: usize,
    /// Everybody who is linked, in order, once that was read.
    linked: Option<Linked>,
}

impl Memo for Guilds {
    fn forget(&mut self) {
        self.0.clear();
    }
}

/// What readers tell each other.
#[derive(Default)]
struct Lists {
    held: usize,
    guilds: HashMap<GuildNum, Linked>,
}

impl Memo for Lists {
    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn guild_of(known: &mut ReaderMemory, guild: GuildNum) -> &mut Guild {
    known.own::<Guilds>().0.entry(guild).or_default()
}

/// Everybody who is linked in the Guild, in order, if that was read.
pub(super) fn linked(known: &mut ReaderMemory, guild: GuildNum) -> Option<&[SteamAccount]> {
    if guild_of(known, guild).linked.is_none() {
        let found = known.shared(|lists: &mut Lists| lists.guilds.get(&guild).cloned());
        guild_of(known, guild).linked = found.flatten();
    }
    guild_of(known, guild).linked.as_deref()
}

/// Notes look-ups and tells how many links the Guild may have for all of them to be worth reading at once: as many
/// as cost no more than the look-ups made in this transaction.
pub(super) fn worth_reading(known: &mut ReaderMemory, guild: GuildNum, look_ups: usize) -> usize {
    let asked = &mut guild_of(known, guild).asked;
    *asked += look_ups;
    let worth = (*asked * LINKS_FOR_A_LOOK_UP).min(LARGEST_GUILD);
    let room = known.shared(|lists: &mut Lists| MOST_LINKS.saturating_sub(lists.held));
    worth.min(room.unwrap_or(0))
}

/// Remembers everybody who is linked in the Guild, at most as many as were worth reading.
pub(super) fn keep(
    known: &mut ReaderMemory,
    guild: GuildNum,
    mut linked: Vec<SteamAccount>,
) -> &[SteamAccount] {
    linked.sort_unstable();
    let linked = Linked::from(linked);
    known.shared(|lists: &mut Lists| {
        // Two readers may have read it at the same time.
        if lists.guilds.insert(guild, Arc::clone(&linked)).is_none() {
            lists.held += linked.len();
        }
    });
    guild_of(known, guild).linked.insert(linked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sqlite::reader_memory::{begin, readers};

    const GUILD: GuildNum = GuildNum(1);

    fn accounts(count: u64) -> Vec<SteamAccount> {
        let id = |number: u64| (76_561_198_000_000_000 + number).to_string();
        (0..count)
            .rev()
            .filter_map(|number| SteamAccount::of(&id(number)))
            .collect()
    }

    fn reader() -> ReaderMemory {
        readers(1).remove(0)
    }

    #[test]
    fn a_guild_is_read_whole_once_the_look_ups_have_cost_as_much() {
        let mut known = reader();
        assert_eq!(worth_reading(&mut known, GUILD, 100), 1_000);
        assert_eq!(worth_reading(&mut known, GUILD, 150), 2_500);
        assert_eq!(worth_reading(&mut known, GuildNum(2), 1), 10);
        assert_eq!(worth_reading(&mut known, GUILD, 5_000), LARGEST_GUILD);
    }

    #[test]
    fn what_is_kept_is_in_order_and_goes_with_the_transaction() {
        let mut known = reader();
        assert_eq!(linked(&mut known, GUILD), None);
        assert!(keep(&mut known, GUILD, accounts(50)).is_sorted());
        assert_eq!(linked(&mut known, GUILD).map(<[_]>::len), Some(50));
        begin(&mut known, 1);
        assert_eq!(linked(&mut known, GUILD), None);
        assert_eq!(worth_reading(&mut known, GUILD, 2), 20);
    }

    #[test]
    fn readers_of_one_state_share_what_they_read_and_nobody_is_told_of_an_older_one() {
        let [mut one, mut two] = <[ReaderMemory; 2]>::try_from(readers(2)).ok().unwrap();
        begin(&mut one, 7);
        begin(&mut two, 7);
        keep(&mut one, GUILD, accounts(5));
        assert_eq!(linked(&mut two, GUILD).map(<[_]>::len), Some(5));
        begin(&mut two, 8);
        assert_eq!(linked(&mut two, GUILD), None);
        keep(&mut two, GUILD, accounts(6));
        // One has not moved on: it keeps what it has and spoils nothing.
        assert_eq!(linked(&mut one, GUILD).map(<[_]>::len), Some(5));
        keep(&mut one, GuildNum(2), accounts(3));
        assert_eq!(linked(&mut two, GuildNum(2)), None);
        assert_eq!(worth_reading(&mut one, GuildNum(3), 10), 0);
    }

    #[test]
    fn beside_another_process_no_guild_is_read_whole() {
        assert_eq!(worth_reading(&mut ReaderMemory::default(), GUILD, 100), 0);
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let mut known = reader();
        known.shared(|lists: &mut Lists| lists.held = MOST_LINKS - 7);
        assert_eq!(worth_reading(&mut known, GUILD, 100), 7);
        keep(&mut known, GUILD, accounts(7));
        assert_eq!(worth_reading(&mut known, GuildNum(2), 100), 0);
    }
}
