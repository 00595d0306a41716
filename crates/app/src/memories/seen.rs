//! Who was seen on which Server, kept in memory and written once a minute. Losing the last minute is acceptable.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::clock::SharedClock;
use domain::platform_id::SteamAccount;
use storage::players::player_seen::{self, Sighting};
use storage::players::server_players;
use storage::tenancy::servers;
use storage::{NoOrg, ServerNum, Tx, Work};

use crate::error::AppError;

const HOUR_MS: i64 = 60 * 60_000;
/// Callers of different Servers rarely need the same part.
const PARTS: usize = 16;
/// Marks held; beyond it those that are written down are forgotten, and without them new ones wait for the next minute.
const MOST: usize = 200_000;

/// One mark per player, Server and hour. The players of a Server are kept together, because a game server names many
/// of them in one call.
#[derive(Default)]
pub struct Seen {
    parts: [Mutex<Part>; PARTS],
    count: AtomicUsize,
    writing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Part {
    servers: HashMap<ServerNum, Marks>,
    /// Whether there may be marks that are written down, so that nobody looks through all of them in vain.
    may_make_room: bool,
}

type Marks = HashMap<SteamAccount, Mark>;

struct Mark {
    seen_at: SeenAt,
    written: bool,
}

/// One moment on both clocks: people read the one, hours are measured by the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenAt {
    /// The wall clock's time, which is stored.
    pub now_ms: i64,
    /// The steady clock's, by which an hour passes.
    pub steady_ms: i64,
}

impl SeenAt {
    /// Both clocks, read one after the other.
    pub fn of(clock: &SharedClock) -> Self {
        Self {
            now_ms: clock.now_ms(),
            steady_ms: clock.steady_ms(),
        }
    }

    fn is_an_hour_before(self, steady_ms: i64) -> bool {
        self.steady_ms <= steady_ms - HOUR_MS
    }
}

/// A mark to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeenMark {
    pub server: ServerNum,
    pub steam_id: String,
    pub seen_at: SeenAt,
}

impl SeenMark {
    pub(crate) fn sighting(&self) -> Sighting {
        Sighting {
            server: self.server,
            steam_id: self.steam_id.clone(),
            at_ms: self.seen_at.now_ms,
        }
    }
}

impl Seen {
    /// Marks are written by one task at a time.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.writing.lock().await
    }

    /// Remembers players. A mark of the last hour stays as it is, and beyond the bound newcomers are left out.
    pub fn mark(&self, server: ServerNum, players: impl IntoIterator<Item = SteamAccount>, now: SeenAt) {
        let mut part = self.part(server);
        if self.count.load(Ordering::Relaxed) >= MOST {
            self.make_room(&mut part);
        }
        let marks = part.servers.entry(server).or_default();
        for player in players {
            let fresh = Mark {
                seen_at: now,
                written: false,
            };
            match marks.get_mut(&player) {
                Some(mark) if mark.seen_at.is_an_hour_before(now.steady_ms) => *mark = fresh,
                None if self.count.load(Ordering::Relaxed) < MOST => {
                    self.count.fetch_add(1, Ordering::Relaxed);
                    marks.insert(player, fresh);
                }
                Some(_) | None => {}
            }
        }
    }

    /// Marks since the last call of this, in the order of their rows; those older than an hour are forgotten.
    pub(crate) fn drain(&self, steady_ms: i64) -> Vec<SeenMark> {
        let mut fresh = Vec::new();
        for part in &self.parts {
            let mut part = locked(part);
            for (server, marks) in &mut part.servers {
                let held = marks.len();
                marks.retain(|player, mark| {
                    if !std::mem::replace(&mut mark.written, true) {
                        fresh.push(SeenMark {
                            server: *server,
                            steam_id: player.id(),
                            seen_at: mark.seen_at,
                        });
                    }
                    !mark.seen_at.is_an_hour_before(steady_ms)
                });
                self.count.fetch_sub(held - marks.len(), Ordering::Relaxed);
            }
            part.servers.retain(|_, marks| !marks.is_empty());
            part.may_make_room = !part.servers.is_empty();
        }
        fresh
            .sort_unstable_by(|one, other| (one.server, &one.steam_id).cmp(&(other.server, &other.steam_id)));
        fresh
    }
}

impl Seen {
    /// What is written down is only kept so that it is not written again soon: it goes before anybody is left out.
    fn make_room(&self, part: &mut Part) {
        if !std::mem::take(&mut part.may_make_room) {
            return;
        }
        for marks in part.servers.values_mut() {
            let held = marks.len();
            marks.retain(|_, mark| !mark.written);
            self.count.fetch_sub(held - marks.len(), Ordering::Relaxed);
        }
    }

    fn part(&self, server: ServerNum) -> MutexGuard<'_, Part> {
        locked(&self.parts[server.0.unsigned_abs() as usize % PARTS])
    }

    /// Puts marks back that could not be written, as far as there is room.
    pub(crate) fn restore(&self, unwritten: &[SeenMark]) {
        for lost in unwritten {
            let Some(player) = SteamAccount::of(&lost.steam_id) else {
                continue;
            };
            let mut part = self.part(lost.server);
            let marks = part.servers.entry(lost.server).or_default();
            match marks.get_mut(&player) {
                Some(mark) => mark.written = false,
                None if self.count.load(Ordering::Relaxed) < MOST => {
                    self.count.fetch_add(1, Ordering::Relaxed);
                    let mark = Mark {
                        seen_at: lost.seen_at,
                        written: false,
                    };
                    marks.insert(player, mark);
                }
                None => {}
            }
        }
    }
}

/// A panic in between leaves at worst one mark unmade.
fn locked<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) struct WriteMarks(pub Vec<SeenMark>);

impl Work for WriteMarks {
    type For = NoOrg;
    /// Who was on a Server for the first time.
    type Output = Vec<(ServerNum, String)>;
    type Error = AppError;
    const NAME: &'static str = "write_seen";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Self::Output, AppError> {
        // All Servers before the first player: who deletes a Server waits for us, or we see that it is gone.
        let mut there = BTreeSet::new();
        for server in self.0.iter().map(|mark| mark.server).collect::<BTreeSet<_>>() {
            if servers::hold(tx, server).await? {
                there.insert(server);
            }
        }
        let (mut first, mut seen) = (Vec::new(), Vec::new());
        for mark in self.0.iter().filter(|mark| there.contains(&mark.server)) {
            seen.push(mark.sighting());
            if server_players::mark_seen(tx, mark.server, &mark.steam_id, mark.seen_at.now_ms).await? {
                first.push((mark.server, mark.steam_id.clone()));
            }
        }
        player_seen::note(tx, &seen).await?;
        Ok(first)
    }
}

/// Writes down that players were on Servers of Guilds in which they are not linked: it counts in the whole Org.
pub(crate) struct WriteElsewhere(pub Vec<Sighting>);

impl Work for WriteElsewhere {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_seen_elsewhere";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        Ok(player_seen::note(tx, &self.0).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_700_000_000_000;

    /// A moment on both clocks, which run alike unless somebody sets one.
    fn at(ms: i64) -> SeenAt {
        SeenAt {
            now_ms: ms,
            steady_ms: ms,
        }
    }

    fn player(number: u64) -> SteamAccount {
        SteamAccount::of(&(76_561_198_000_000_000 + number).to_string()).unwrap()
    }

    #[test]
    fn a_player_is_written_once_an_hour() {
        let seen = Seen::default();
        seen.mark(ServerNum(1), [player(1)], at(START));
        seen.mark(ServerNum(1), [player(1)], at(START + 5));
        assert_eq!(seen.drain(START + 10).len(), 1);
        seen.mark(ServerNum(1), [player(1)], at(START + 60_000));
        assert!(seen.drain(START + 60_001).is_empty());
        seen.mark(ServerNum(1), [player(1)], at(START + HOUR_MS));
        assert_eq!(seen.drain(START + HOUR_MS)[0].seen_at, at(START + HOUR_MS));
    }

    #[test]
    fn an_hour_is_an_hour_wherever_the_wall_clock_is_set_to() {
        let seen = Seen::default();
        seen.mark(ServerNum(1), [player(1)], at(START));
        assert_eq!(seen.drain(START).len(), 1);
        let set_back = |steady_ms: i64| SeenAt {
            now_ms: steady_ms - 24 * HOUR_MS,
            steady_ms,
        };
        seen.mark(ServerNum(1), [player(1)], set_back(START + HOUR_MS - 1));
        assert!(seen.drain(START + HOUR_MS - 1).is_empty());
        seen.mark(ServerNum(1), [player(1)], set_back(START + HOUR_MS));
        assert_eq!(seen.drain(START + HOUR_MS)[0].seen_at, set_back(START + HOUR_MS));
    }

    #[test]
    fn a_player_on_two_servers_is_two_marks() {
        let seen = Seen::default();
        seen.mark(ServerNum(1), [player(1)], at(START));
        seen.mark(ServerNum(2), [player(1)], at(START));
        assert_eq!(seen.drain(START).len(), 2);
    }

    #[test]
    fn marks_that_were_not_written_are_handed_out_again() {
        let seen = Seen::default();
        seen.mark(ServerNum(1), [player(1), player(2)], at(START));
        // The second hour is over when they are put back: they are not in memory any more.
        let drained = seen.drain(START + HOUR_MS);
        assert_eq!(drained.len(), 2);
        seen.restore(&drained);
        let mut again = seen.drain(START + HOUR_MS);
        again.sort_by(|one, other| one.steam_id.cmp(&other.steam_id));
        assert_eq!(
            again.iter().map(|mark| mark.seen_at.now_ms).collect::<Vec<_>>(),
            [START; 2]
        );
        assert!(seen.drain(START + HOUR_MS).is_empty());
        // Somebody who came back meanwhile is written once, with the later time.
        seen.mark(ServerNum(1), [player(1)], at(START + HOUR_MS));
        seen.restore(&again);
        let last = seen.drain(START + HOUR_MS + 1);
        let times: Vec<_> = last.iter().map(|mark| mark.seen_at.now_ms).collect();
        assert_eq!((last.len(), times.iter().max()), (2, Some(&(START + HOUR_MS))));
    }

    #[test]
    fn marks_that_are_put_back_stay_within_the_memory() {
        let seen = Seen::default();
        let many = |first: u64| (first..first + MOST as u64).map(player);
        seen.mark(ServerNum(1), many(0), at(START));
        let drained = seen.drain(START + HOUR_MS);
        seen.mark(ServerNum(1), many(MOST as u64), at(START + HOUR_MS));
        seen.restore(&drained);
        assert_eq!(seen.drain(START + HOUR_MS).len(), MOST);
    }

    #[test]
    fn what_is_written_makes_room_for_whoever_comes() {
        let seen = Seen::default();
        let many = |first: u64| (first..first + MOST as u64).map(player);
        seen.mark(ServerNum(1), many(0), at(START));
        assert_eq!(seen.drain(START).len(), MOST);
        // Of the same part: the other parts are asked when their Servers are.
        seen.mark(ServerNum(1 + PARTS as i64), [player(1)], at(START + 1));
        assert_eq!(seen.drain(START + 1).len(), 1);
    }

    #[test]
    fn a_storm_of_players_stays_within_its_memory() {
        let seen = Seen::default();
        for number in 0..300_000 {
            seen.mark(ServerNum(1), [player(number)], at(START));
        }
        assert_eq!(seen.drain(START).len(), MOST);
        // An hour later their room is free again.
        assert!(seen.drain(START + HOUR_MS).is_empty());
        seen.mark(ServerNum(2), [player(1)], at(START + HOUR_MS));
        assert_eq!(seen.drain(START + HOUR_MS).len(), 1);
    }
}
