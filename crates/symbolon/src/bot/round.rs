//! What a fleet remembers from one reading to the next.

use std::collections::{HashMap, HashSet};

use app::bots::fleet::{HandOvers, Seen};
use domain::platform_id::DiscordId;
use tokio::sync::watch;
use tokio::task::{self, JoinSet};
use tokio::time::Instant;

use super::host::Bots;
use super::slot::Read;

/// A bot of this node.
pub struct Driven {
    pub fence: i64,
    pub rows: watch::Sender<Read>,
}

pub struct Round {
    pub driven: HashMap<DiscordId, Driven>,
    pub tasks: JoinSet<()>,
    /// Which bot each task drives, until it has ended.
    pub ids: HashMap<task::Id, DiscordId>,
    pub hand_overs: HandOvers,
    pub renewed_at: Instant,
    pub sure_at: Instant,
    /// Whether the bots are this node's for certain.
    pub is_sure: bool,
    pub sweeping: JoinSet<()>,
    /// Something may be left since the last time.
    pub is_sweep_wanted: bool,
    pub swept_at: Instant,
    /// As of the last reading.
    pub bots: watch::Sender<Bots>,
}

impl Round {
    /// Forgets the tasks that have ended. What they made last may have to be removed.
    pub fn settle(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            let task = ended.map_or_else(|error| error.id(), |(task, ())| task);
            self.ids.remove(&task);
            self.is_sweep_wanted = true;
        }
        // One that is over before its bot is another node's has given it back, or is to drive it anew.
        self.driven.retain(|_, driven| !driven.rows.is_closed());
    }

    /// Forgets the bots that are not this node's any more.
    pub fn drop_others(&mut self, owner: &str, bots: &[Seen]) {
        self.driven.retain(|id, driven| {
            bots.iter()
                .any(|bot| bot.bot_user_id == *id && is_held(bot, owner) == Some(driven.fence))
        });
    }

    /// Bots that this node has, with those that it ends.
    pub fn count_held(&self, owner: &str, bots: &[Seen]) -> i64 {
        let ours = bots.iter().filter(|bot| is_held(bot, owner).is_some());
        let held: HashSet<&DiscordId> = ours
            .map(|bot| &bot.bot_user_id)
            .chain(self.ids.values())
            .collect();
        held.len() as i64
    }
}

/// Under which fence a node has a bot; none when it has not.
pub fn is_held(bot: &Seen, owner: &str) -> Option<i64> {
    let held = bot.held_by.as_ref().filter(|(holder, _)| holder == owner);
    held.map(|(_, fence)| *fence)
}

impl Default for Round {
    fn default() -> Self {
        Self {
            driven: HashMap::new(),
            tasks: JoinSet::new(),
            ids: HashMap::new(),
            hand_overs: HandOvers::default(),
            renewed_at: Instant::now(),
            sure_at: Instant::now(),
            is_sure: true,
            sweeping: JoinSet::new(),
            is_sweep_wanted: true,
            swept_at: Instant::now(),
            bots: watch::Sender::default(),
        }
    }
}
