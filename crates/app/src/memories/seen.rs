//! Who was seen on which Server, kept in memory and written once a minute. Losing the last minute is acceptable.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::clock::SharedClock;
use domain::platform_id::SteamAccount;
use domain::share;
use storage::players::player_seen::Sighting;
use storage::{OrgScope, ServerNum};

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
    /// Marks of each Org that has a share of the room and no more. Locked last.
    shares: Mutex<HashMap<i64, u32>>,
    writing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Part {
    servers: HashMap<ServerNum, Marks>,
    /// Whether there may be marks that are written down, so that nobody looks through all of them in vain.
    may_make_room: bool,
}

/// Of one Server.
#[derive(Default)]
struct Marks {
    /// Whose share is used; none where there is no such bound.
    whose: Option<i64>,
    players: HashMap<SteamAccount, Mark>,
    /// Whether some may be written down.
    may_shrink: bool,
}

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
    whose: Option<i64>,
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
        self.put(None, server, players, now);
    }

    /// The same for players whom a game server can name without end: an Org has a share of the room.
    pub fn mark_shared(
        &self,
        whose: OrgScope,
        server: ServerNum,
        players: impl IntoIterator<Item = SteamAccount>,
        now: SeenAt,
    ) {
        self.put(Some(whose.num()), server, players, now);
    }

    fn put(
        &self,
        whose: Option<i64>,
        server: ServerNum,
        players: impl IntoIterator<Item = SteamAccount>,
        now: SeenAt,
    ) {
        let mut part = self.part(server);
        if self.count.load(Ordering::Relaxed) >= MOST {
            self.make_room(&mut part);
        }
        let marks = part.marks_of(server, whose);
        for player in players {
            let fresh = Mark {
                seen_at: now,
                written: false,
            };
            if let Some(mark) = marks.players.get_mut(&player) {
                if mark.seen_at.is_an_hour_before(now.steady_ms) {
                    *mark = fresh;
                }
            } else if self.take(whose) || (self.shrink(marks) && self.take(whose)) {
                marks.players.insert(player, fresh);
            }
        }
    }

    /// Marks since the last call of this, in the order of their rows; those older than an hour are forgotten.
    pub(crate) fn drain(&self, steady_ms: i64) -> Vec<SeenMark> {
        let mut fresh = Vec::new();
        for part in &self.parts {
            let mut part = locked(part);
            for (server, marks) in &mut part.servers {
                let (held, whose) = (marks.players.len(), marks.whose);
                marks.players.retain(|player, mark| {
                    if !std::mem::replace(&mut mark.written, true) {
                        fresh.push(SeenMark {
                            server: *server,
                            steam_id: player.id(),
                            seen_at: mark.seen_at,
                            whose,
                        });
                    }
                    !mark.seen_at.is_an_hour_before(steady_ms)
                });
                marks.may_shrink = true;
                self.give_back(whose, held - marks.players.len());
            }
            part.servers.retain(|_, marks| !marks.players.is_empty());
            part.may_make_room = !part.servers.is_empty();
        }
        fresh
            .sort_unstable_by(|one, other| (one.server, &one.steam_id).cmp(&(other.server, &other.steam_id)));
        fresh
    }

    /// Puts marks back that could not be written, as far as there is room.
    pub(crate) fn restore(&self, unwritten: &[SeenMark]) {
        for lost in unwritten {
            let Some(player) = SteamAccount::of(&lost.steam_id) else {
                continue;
            };
            let mut part = self.part(lost.server);
            let marks = part.marks_of(lost.server, lost.whose);
            match marks.players.get_mut(&player) {
                Some(mark) => mark.written = false,
                None if self.take(lost.whose) => {
                    let mark = Mark {
                        seen_at: lost.seen_at,
                        written: false,
                    };
                    marks.players.insert(player, mark);
                }
                None => {}
            }
        }
    }
}

impl Seen {
    /// Room for one more mark, of all and of the Org's share.
    fn take(&self, whose: Option<i64>) -> bool {
        let all = self.count.load(Ordering::Relaxed);
        if all >= MOST {
            return false;
        }
        if let Some(whose) = whose {
            let mut shares = locked(&self.shares);
            let own = shares.entry(whose).or_default();
            if !share::may_take(MOST as u32, all as u32, *own) {
                return false;
            }
            *own += 1;
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn give_back(&self, whose: Option<i64>, marks: usize) {
        self.count.fetch_sub(marks, Ordering::Relaxed);
        if let Some(whose) = whose {
            let mut shares = locked(&self.shares);
            let own = shares
                .get(&whose)
                .map_or(0, |own| own.saturating_sub(marks as u32));
            if own == 0 {
                shares.remove(&whose);
            } else {
                shares.insert(whose, own);
            }
        }
    }

    /// What is written down is only kept so that it is not written again soon: it goes before anybody is left out.
    fn make_room(&self, part: &mut Part) {
        if !std::mem::take(&mut part.may_make_room) {
            return;
        }
        for marks in part.servers.values_mut() {
            self.shrink(marks);
        }
    }

    /// The same of one Server alone, where its Org's share is used up. Whether there was anything.
    fn shrink(&self, marks: &mut Marks) -> bool {
        if !std::mem::take(&mut marks.may_shrink) {
            return false;
        }
        let held = marks.players.len();
        marks.players.retain(|_, mark| !mark.written);
        self.give_back(marks.whose, held - marks.players.len());
        marks.players.len() < held
    }

    fn part(&self, server: ServerNum) -> MutexGuard<'_, Part> {
        locked(&self.parts[server.0.unsigned_abs() as usize % PARTS])
    }
}

impl Part {
    fn marks_of(&mut self, server: ServerNum, whose: Option<i64>) -> &mut Marks {
        self.servers.entry(server).or_insert_with(|| Marks {
            whose,
            ..Marks::default()
        })
    }
}

/// A panic in between leaves at worst one mark unmade.
fn locked<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "seen_tests.rs"]
mod tests;
