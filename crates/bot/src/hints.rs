//! What the service should look at again. The bot only points: the service reads the facts itself, in one place.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::service::Service;

/// How long hints are gathered, so that a guild that is rearranged is one hint and not fifty.
const GATHERED: Duration = Duration::from_secs(2);
const AT_ONCE: usize = 100;
/// More guilds than one connection can have.
const MOST: usize = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    GuildHere,
    GuildGone,
    GuildChanged,
    /// Something came from there.
    Seen,
}

impl What {
    /// What is left to say of a guild when this came before `newer`.
    fn then(self, newer: Self) -> Self {
        match (self, newer) {
            (_, Self::GuildHere | Self::GuildGone) => newer,
            (Self::Seen, Self::GuildChanged | Self::Seen) => newer,
            (Self::GuildHere | Self::GuildGone | Self::GuildChanged, Self::GuildChanged | Self::Seen) => self,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hint {
    kind: What,
    discord_guild_id: String,
}

/// Those that wait, at most one for each guild.
#[derive(Default)]
pub struct Hints(Mutex<BTreeMap<u64, What>>);

impl Hints {
    pub fn add(&self, guild: u64, what: What) {
        let mut waiting = self.lock();
        let older = waiting.get(&guild).copied();
        if older.is_some() || waiting.len() < MOST {
            waiting.insert(guild, older.map_or(what, |older| older.then(what)));
        }
    }

    /// Sends what has gathered, for as long as the process runs.
    pub async fn keep_sending(&self, service: &Service) {
        loop {
            tokio::time::sleep(GATHERED).await;
            self.send_all(service).await;
        }
    }

    pub async fn send_all(&self, service: &Service) {
        while self.send(service).await {}
    }

    /// True when more can be sent at once.
    async fn send(&self, service: &Service) -> bool {
        let taken = self.take();
        if taken.is_empty() {
            return false;
        }
        let hints: Vec<Hint> = taken
            .iter()
            .map(|(guild, what)| Hint {
                kind: *what,
                discord_guild_id: guild.to_string(),
            })
            .collect();
        let arrived = service.hint(&hints).await;
        if !arrived {
            self.put_back(taken);
        }
        arrived
    }

    fn take(&self) -> BTreeMap<u64, What> {
        let mut waiting = self.lock();
        let rest = match waiting.keys().nth(AT_ONCE).copied() {
            Some(next) => waiting.split_off(&next),
            None => BTreeMap::new(),
        };
        std::mem::replace(&mut *waiting, rest)
    }

    fn put_back(&self, taken: BTreeMap<u64, What>) {
        let mut waiting = self.lock();
        for (guild, older) in taken {
            let newer = waiting.get(&guild).copied();
            waiting.insert(guild, newer.map_or(older, |newer| older.then(newer)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, What>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::What::{GuildChanged, GuildGone, GuildHere, Seen};
    use super::*;

    #[test]
    fn a_guild_has_one_hint_and_the_strongest_one_stays() {
        for (older, newer, left) in [
            (Seen, GuildChanged, GuildChanged),
            (GuildChanged, Seen, GuildChanged),
            (GuildHere, GuildChanged, GuildHere),
            (GuildHere, GuildGone, GuildGone),
            (GuildGone, GuildHere, GuildHere),
            (GuildGone, Seen, GuildGone),
        ] {
            assert_eq!(older.then(newer), left, "{older:?} {newer:?}");
        }
    }

    #[test]
    fn hints_go_in_portions_and_come_back_when_they_did_not_arrive() {
        let hints = Hints::default();
        for guild in 1..=150 {
            hints.add(guild, GuildHere);
        }
        let first = hints.take();
        assert_eq!(first.len(), 100);
        hints.add(1, GuildGone);
        hints.put_back(first);
        let waiting = hints.lock();
        assert_eq!(
            (waiting.len(), waiting[&1], waiting[&2]),
            (150, GuildGone, GuildHere)
        );
    }
}
