//! How long things are kept that are of use for a while only. Housekeeping sees to it.

/// In days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Who got or lost which role, and why.
    pub role_history_days: u32,
    /// What somebody's score was.
    pub trust_history_days: u32,
    /// What went wrong.
    pub error_log_days: u32,
    /// How far people get on link pages, as numbers.
    pub link_steps_days: u32,
    /// Digests of keys that were regenerated away.
    pub retired_key_days: u32,
    /// What remains of erased accounts.
    pub tombstone_days: u32,
    /// A session that nobody used.
    pub session_idle_days: u32,
    /// A session, used or not.
    pub session_days: u32,
}

const DAY_MS: i64 = 24 * 60 * 60_000;

impl Retention {
    /// How long a session lasts that nobody uses.
    pub fn session_idle_ms(&self) -> i64 {
        i64::from(self.session_idle_days) * DAY_MS
    }

    /// How long a session lasts at most.
    pub fn session_ms(&self) -> i64 {
        i64::from(self.session_days) * DAY_MS
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            role_history_days: 90,
            trust_history_days: 730,
            error_log_days: 30,
            link_steps_days: 800,
            retired_key_days: 90,
            tombstone_days: 730,
            session_idle_days: 30,
            session_days: 90,
        }
    }
}
