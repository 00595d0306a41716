//! What the sandbox's own control interface does.

use std::sync::Arc;

use app::{App, AppError, work, world_record};
use domain::clock::Clock;
use emulator::Levers;
use tokio::sync::Mutex;

use super::clock::SandboxClock;

const RECORD: &str = "sandbox_clock";

/// Moves the time of a running sandbox.
pub struct OwnLevers {
    app: App,
    clock: Arc<SandboxClock>,
    /// One move at a time, or the time that is written down would be an older one.
    moving: Mutex<()>,
}

impl OwnLevers {
    /// Begins where the last run of the same sandbox was: what it wrote must not lie in the future.
    pub async fn resume(app: &App, clock: &Arc<SandboxClock>) -> Result<Self, AppError> {
        if let Some(text) = world_record::find(app, RECORD).await? {
            let offset = text.parse();
            clock.set_offset_ms(
                offset.map_err(|_| AppError::internal(format!("`{text}` is not a clock offset")))?,
            );
        }
        Ok(Self {
            app: app.clone(),
            clock: Arc::clone(clock),
            moving: Mutex::default(),
        })
    }
}

impl Levers for OwnLevers {
    async fn advance(&self, by_ms: u64) -> Result<i64, String> {
        let _moving = self.moving.lock().await;
        let offset = self.clock.offset_ms().checked_add_unsigned(by_ms);
        let offset = offset.ok_or("the clock cannot be moved that far")?;
        let written = world_record::put(&self.app, RECORD, offset.to_string()).await;
        written.map_err(|error| error.internal_detail())?;
        self.clock.set_offset_ms(offset);
        Ok(self.clock.now_ms())
    }

    /// What nothing works off yet stays.
    async fn drain(&self) -> Result<Vec<(String, i64)>, String> {
        work::drain(&self.app)
            .await
            .map_err(|error| error.internal_detail())
    }
}
