//! What every use case runs on: the database, the clock, randomness, the master keys, tasks behind a request.

use domain::clock::SharedClock;
use domain::platform_id::DiscordId;
use domain::random::SharedRandom;
use storage::Db;
use storage::jobs::Moment;

use crate::bell::Bell;
use crate::tasks::Tasks;
use crate::vault::Vault;

pub struct Runtime {
    pub db: Db,
    pub clock: SharedClock,
    pub random: SharedRandom,
    pub vault: Vault,
    pub tasks: Tasks,
    /// Rung by whoever leaves work to be done.
    pub bell: Bell,
    /// Who is an operator by the configuration, for as long as they stand in it.
    pub operators: Vec<DiscordId>,
    /// Scheme, host and port that visitors use.
    pub public_url: String,
}

impl Runtime {
    /// "sqlite" or "postgres".
    pub fn db_engine(&self) -> &'static str {
        self.db.engine()
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// The time that nodes share.
    pub fn moment(&self) -> Moment {
        Moment {
            here_ms: self.clock.now_ms(),
            ahead_ms: self.clock.ahead_ms(),
        }
    }
}
