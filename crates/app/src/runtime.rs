//! What every use case runs on: the database, the clock, randomness, the master keys, tasks behind a request.

use domain::clock::SharedClock;
use domain::erased::EraseKey;
use domain::plan::Plans;
use domain::platform_id::DiscordId;
use domain::random::SharedRandom;
use domain::trust::Thresholds;
use storage::Db;
use storage::jobs::Moment;

use crate::bell::Bell;
use crate::retention::Retention;
use crate::tasks::Tasks;
use crate::vault::Vault;

/// Reached through [`App`](crate::App) as `app.db`, `app.clock`.
pub struct Runtime {
    /// Where everything is kept that must survive.
    pub db: Db,
    /// The wall clock, which people read, and the steady one, which measures.
    pub clock: SharedClock,
    /// The only source of ids and secrets; a test gives it a seed.
    pub random: SharedRandom,
    /// Seals what is stored and must be seen again.
    pub vault: Vault,
    /// Accounts that were erased are known again by it.
    pub erase_key: EraseKey,
    /// The one way to start a task. Shutdown waits for them.
    pub tasks: Tasks,
    /// Rung by whoever leaves work to be done.
    pub bell: Bell,
    /// Who is an operator by the configuration, for as long as they stand in it.
    pub operators: Vec<DiscordId>,
    /// Scheme, host and port that visitors use.
    pub public_url: String,
    /// How long things are kept.
    pub retention: Retention,
    /// Where the tiers of trust begin.
    pub thresholds: Thresholds,
    /// What each plan allows, and whether plans are sold.
    pub plans: Plans,
}

impl Runtime {
    /// "sqlite" or "postgres".
    pub fn db_engine(&self) -> &'static str {
        self.db.engine()
    }

    /// The wall clock's time, for what people read and what is stored.
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
