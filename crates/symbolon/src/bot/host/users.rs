//! The users that bots run as where the service itself is root: one for each bot, so that none can look at another.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustix::process::geteuid;

use super::super::host::local::STATE;
use crate::output::Failure;

/// At least so many, for folders of bots that rest or have moved keep theirs for as long as there are others.
const LEAST: u32 = 400;

pub struct Users {
    first: u32,
    count: u32,
    given: Mutex<BTreeMap<u32, Given>>,
}

/// Whose a user is. Nobody else gets it while that runs.
struct Given {
    bot: String,
    running: Weak<()>,
}

/// The user of a bot that runs.
pub struct User {
    pub id: u32,
    _running: Arc<()>,
}

impl Users {
    /// None where bots run as whoever runs the service. Bots that have a folder keep their users, so that they can go on
    /// with what is in there.
    pub fn find(first: u32, capacity: i64, folder: &Path) -> Option<Self> {
        (first > 0 && geteuid().is_root()).then(|| Self::known(first, capacity, folder))
    }

    fn known(first: u32, capacity: i64, folder: &Path) -> Self {
        let count = u32::try_from(capacity).unwrap_or(LEAST).max(LEAST);
        let mut given = BTreeMap::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let owner = std::fs::symlink_metadata(entry.path().join(STATE)).map(|known| known.uid());
            let known = Given {
                bot: entry.file_name().to_string_lossy().into_owned(),
                running: Weak::new(),
            };
            if let Ok(owner) = owner
                && (first..first.saturating_add(count)).contains(&owner)
            {
                given.entry(owner).or_insert(known);
            }
        }
        Self {
            first,
            count,
            given: Mutex::new(given),
        }
    }

    /// The user of a bot: the one that it had, or one that nobody has, or one whose bot does not run here.
    pub fn take(&self, bot: &str) -> Result<User, Failure> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let had = given
            .iter()
            .find(|(_, known)| known.bot == bot)
            .map(|(id, _)| *id);
        let all = || self.first..self.first.saturating_add(self.count);
        let is_idle = |id: &u32| {
            given
                .get(id)
                .is_some_and(|known| known.running.strong_count() == 0)
        };
        let id = had
            .or_else(|| all().find(|id| !given.contains_key(id)))
            .or_else(|| all().find(is_idle))
            .ok_or("there are more Custom Bots here than users for them")?;
        let running = Arc::new(());
        let known = Given {
            bot: bot.to_owned(),
            running: Arc::downgrade(&running),
        };
        given.insert(id, known);
        Ok(User {
            id,
            _running: running,
        })
    }

    /// Bots that are no more need none.
    pub fn keep(&self, is_kept: impl Fn(&str) -> bool) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.retain(|_, known| known.running.strong_count() > 0 || is_kept(&known.bot));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_keeps_its_user_and_no_two_that_run_have_the_same() {
        let users = Users::known(60_000, 1, Path::new("/nowhere"));
        let mut running: Vec<User> = (0..LEAST)
            .map(|bot| users.take(&bot.to_string()).unwrap())
            .collect();
        let mut ids: Vec<u32> = running.iter().map(|user| user.id).collect();
        ids.dedup();
        assert_eq!((ids.len(), ids[0]), (400, 60_000));
        assert!(users.take("one too many").is_err());
        let gone = running.swap_remove(7);
        let id = gone.id;
        drop(gone);
        assert_eq!(users.take("7").unwrap().id, id, "it had it before");
        assert_eq!(users.take("another").unwrap().id, id, "that bot does not run");
        users.keep(|bot| bot == "1");
        let free = users.take("a new one").unwrap();
        assert_eq!(free.id, id);
        assert_ne!(users.take("1").unwrap().id, free.id);
    }
}
