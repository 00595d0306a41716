//! Who was seen on which Server, kept in memory and written once a minute. Losing the last minute is acceptable.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::platform_id::SteamAccount;
use storage::{ServerNum, Tx, Work, server_players};

use crate::error::AppError;

const HOUR_MS: i64 = 60 * 60_000;
/// Callers on different threads rarely need the same part.
const PARTS: usize = 16;
/// Marks held in one part between two writes; beyond it new ones wait for the next minute.
const MOST: usize = 200_000 / PARTS;

/// One mark per player, Server and hour. Small entries in few tables, because every look-up of a player comes here.
#[derive(Default)]
pub struct Seen {
    parts: [Mutex<HashMap<(i64, SteamAccount), Mark>>; PARTS],
}

struct Mark {
    seen_at_ms: i64,
    written: bool,
}

/// A mark to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenMark {
    pub server: ServerNum,
    pub steam_id: String,
    pub seen_at_ms: i64,
}

impl Seen {
    pub fn mark(&self, server: ServerNum, player: SteamAccount, now_ms: i64) {
        let mut marks = locked(&self.parts[player.number() as usize % PARTS]);
        let fresh = Mark {
            seen_at_ms: now_ms,
            written: false,
        };
        let is_full = marks.len() >= MOST;
        match marks.get_mut(&(server.0, player)) {
            Some(mark) if mark.seen_at_ms <= now_ms - HOUR_MS => *mark = fresh,
            None if !is_full => drop(marks.insert((server.0, player), fresh)),
            Some(_) | None => {}
        }
    }

    /// Marks since the last call of this; those older than an hour are forgotten.
    pub(crate) fn drain(&self, now_ms: i64) -> Vec<SeenMark> {
        let mut fresh = Vec::new();
        for part in &self.parts {
            let mut marks = locked(part);
            for ((server, player), mark) in marks.iter_mut() {
                if !std::mem::replace(&mut mark.written, true) {
                    fresh.push(SeenMark {
                        server: ServerNum(*server),
                        steam_id: player.id(),
                        seen_at_ms: mark.seen_at_ms,
                    });
                }
            }
            marks.retain(|_, mark| mark.seen_at_ms > now_ms - HOUR_MS);
        }
        fresh
    }
}

/// A panic in between leaves at worst one mark unmade.
fn locked<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) struct WriteMarks(pub Vec<SeenMark>);

impl Work for WriteMarks {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_seen";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        for mark in &self.0 {
            server_players::mark_seen(tx, mark.server, &mark.steam_id, mark.seen_at_ms).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_700_000_000_000;

    fn player(number: u64) -> SteamAccount {
        SteamAccount::of(&(76_561_198_000_000_000 + number).to_string()).unwrap()
    }

    #[test]
    fn a_player_is_written_once_an_hour() {
        let seen = Seen::default();
        seen.mark(ServerNum(1), player(1), START);
        seen.mark(ServerNum(1), player(1), START + 5);
        assert_eq!(seen.drain(START + 10).len(), 1);
        seen.mark(ServerNum(1), player(1), START + 60_000);
        assert!(seen.drain(START + 60_001).is_empty());
        seen.mark(ServerNum(1), player(1), START + HOUR_MS);
        assert_eq!(seen.drain(START + HOUR_MS)[0].seen_at_ms, START + HOUR_MS);
    }

    #[test]
    fn a_player_on_two_servers_is_two_marks() {
        let seen = Seen::default();
        seen.mark(ServerNum(1), player(1), START);
        seen.mark(ServerNum(2), player(1), START);
        assert_eq!(seen.drain(START).len(), 2);
    }

    #[test]
    fn a_storm_of_players_stays_within_its_memory() {
        let seen = Seen::default();
        for number in 0..300_000 {
            seen.mark(ServerNum(1), player(number), START);
        }
        assert_eq!(seen.drain(START).len(), PARTS * MOST);
    }
}
