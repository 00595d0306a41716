//! A child that runs is not yet one that works.

use std::time::Duration;

use app::App;
use app::bots::register;
use domain::bot::BotId;

use super::process::Process;

const ROUND: Duration = Duration::from_secs(5);
/// A child that says nothing for so long, and for three more rounds, is replaced. A clock that was moved makes anybody
/// look silent for a moment.
const MOST_SILENT_MS: i64 = 50_000;
const MISSED_ROUNDS: u32 = 3;
/// Memory of a child; it needs a few megabytes.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;
/// What the kernel gives it at most, however fast it asks.
pub const MOST_DATA: u64 = 4 * MOST_MEMORY;

/// Until the process has ended, or has to be ended.
pub async fn watch(app: &App, process: &mut Process) {
    let mut missed = 0;
    while tokio::time::timeout(ROUND, process.wait()).await.is_err() {
        if process.memory_bytes() > MOST_MEMORY {
            tracing::error!("the shared bot takes too much memory, and is started anew");
            return;
        }
        missed = if is_silent(app).await { missed + 1 } else { 0 };
        if missed == MISSED_ROUNDS {
            tracing::error!("the shared bot says nothing any more, and is started anew");
            return;
        }
    }
}

async fn is_silent(app: &App) -> bool {
    let (child, now_ms) = (&app.memories.child, app.clock.steady_ms());
    if child.silent_ms(now_ms) < MOST_SILENT_MS {
        return false;
    }
    // Nobody is heard while the database is away.
    let can_hear = register::secret(app, &BotId::Platform).await.is_ok();
    if !can_hear {
        child.pardon(now_ms);
    }
    can_hear
}
