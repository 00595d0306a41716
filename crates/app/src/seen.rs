//! Who was seen on which Server, kept in memory and written once a minute. Losing the last minute is acceptable.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use papaya::HashMap;
use storage::{ServerNum, Tx, Work, server_players};

use crate::error::AppError;

const HOUR_MS: i64 = 60 * 60_000;
/// Marks held between two writes; beyond it new ones wait for the next minute.
const MOST: usize = 200_000;

/// One mark per player, Server and hour.
#[derive(Default)]
pub struct Seen {
    marks: HashMap<(i64, Box<str>), Mark>,
}

#[derive(Default)]
struct Mark {
    seen_at_ms: AtomicI64,
    written_at_ms: AtomicI64,
}

/// A mark to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenMark {
    pub server: ServerNum,
    pub steam_id: String,
    pub seen_at_ms: i64,
}

impl Seen {
    pub fn mark(&self, server: ServerNum, steam_id: &str, now_ms: i64) {
        let marks = self.marks.pin();
        let key = (server.0, Box::from(steam_id));
        if let Some(mark) = marks.get(&key) {
            if mark.seen_at_ms.load(Relaxed) <= now_ms - HOUR_MS {
                mark.seen_at_ms.store(now_ms, Relaxed);
            }
            return;
        }
        if marks.len() < MOST {
            marks
                .get_or_insert_with(key, Mark::default)
                .seen_at_ms
                .store(now_ms, Relaxed);
        }
    }

    /// Marks since the last call of this; those older than an hour are forgotten.
    pub(crate) fn drain(&self, now_ms: i64) -> Vec<SeenMark> {
        let marks = self.marks.pin();
        let mut fresh = Vec::new();
        for ((server, steam_id), mark) in &marks {
            let seen_at_ms = mark.seen_at_ms.load(Relaxed);
            if mark.written_at_ms.swap(seen_at_ms, Relaxed) < seen_at_ms {
                fresh.push(SeenMark {
                    server: ServerNum(*server),
                    steam_id: steam_id.to_string(),
                    seen_at_ms,
                });
            }
        }
        marks.retain(|_, mark| mark.seen_at_ms.load(Relaxed) > now_ms - HOUR_MS);
        fresh
    }
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

    #[test]
    fn a_player_is_written_once_an_hour() {
        let seen = Seen::default();
        let start = 1_700_000_000_000;
        seen.mark(ServerNum(1), "a", start);
        seen.mark(ServerNum(1), "a", start + 5);
        assert_eq!(seen.drain(start + 10).len(), 1);
        seen.mark(ServerNum(1), "a", start + 60_000);
        assert!(seen.drain(start + 60_001).is_empty());
        seen.mark(ServerNum(1), "a", start + HOUR_MS);
        assert_eq!(seen.drain(start + HOUR_MS)[0].seen_at_ms, start + HOUR_MS);
    }
}
