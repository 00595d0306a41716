//! Whether the bot hears of members: its owner switches that on in Discord's developer portal. Discord is asked before a
//! session begins, for a session that wants more than it may have is refused and still counts.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::discord::Members;
use crate::http::Silence;
use crate::run::Core;

/// How often a bot that may not hear of them looks whether it may by now.
const AGAIN: Duration = Duration::from_secs(5 * 60);

pub struct Intent {
    is_wanted: bool,
    /// What Discord said last.
    granted: Option<bool>,
    /// Discord refused it against its own word, and is not tried again.
    is_refused: bool,
    asked_at: Option<Instant>,
    asking: JoinSet<Result<Members, Silence>>,
}

impl Intent {
    pub fn new(is_wanted: bool) -> Self {
        Self {
            is_wanted,
            granted: None,
            is_refused: false,
            asked_at: None,
            asking: JoinSet::new(),
        }
    }

    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// What a session is to ask for. Where Discord did not say it, what the one before was given.
    pub fn asks(&self, heard: Option<bool>) -> bool {
        self.is_wanted && self.granted.or(heard).unwrap_or(true)
    }

    pub fn granted(&mut self) {
        self.granted = Some(true);
    }

    pub fn refused(&mut self) {
        (self.granted, self.is_refused) = (Some(false), true);
    }

    /// Asks Discord before the first session; false when it does not know the token.
    pub async fn ask_once(&mut self, core: &Core) -> bool {
        if !self.is_wanted || self.asked_at.is_some() {
            return true;
        }
        self.asked_at = Some(Instant::now());
        match core.discord.members().await {
            Ok(Members::Rejected) => return false,
            Ok(Members::Granted(granted)) => self.granted = Some(granted),
            Err(error) => tracing::info!(%error, "Discord does not say what the bot may hear of"),
        }
        if self.granted == Some(false) {
            tracing::warn!(
                "Discord does not grant the Server Members Intent: switch it on in the developer portal; \
                 until then the bot runs without it"
            );
        }
        true
    }

    /// Whether the owner has switched it on meanwhile. Asked beside everything else.
    pub fn is_granted_now(&mut self, core: &Arc<Core>) -> bool {
        if self.is_due(Instant::now()) {
            self.asked_at = Some(Instant::now());
            let core = Arc::clone(core);
            self.asking.spawn(async move { core.discord.members().await });
        }
        let answer = self.asking.try_join_next();
        let is_granted = matches!(answer, Some(Ok(Ok(Members::Granted(true)))));
        if is_granted {
            self.granted = Some(true);
        }
        is_granted
    }

    fn is_due(&self, now: Instant) -> bool {
        let is_open = self.is_wanted && self.granted == Some(false) && !self.is_refused;
        is_open && self.asked_at.is_none_or(|at| now.duration_since(at) >= AGAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_asks_for_what_discord_grants_or_the_one_before_had() {
        let mut intent = Intent::new(true);
        assert!(intent.asks(None) && intent.asks(Some(true)) && !intent.asks(Some(false)));
        intent.granted = Some(false);
        assert!(!intent.asks(None) && !intent.asks(Some(true)));
        intent.granted();
        assert!(intent.asks(Some(false)));
        assert!(!Intent::new(false).asks(Some(true)));
    }

    #[test]
    fn a_bot_without_it_looks_every_few_minutes_and_a_refusal_is_the_last_word() {
        let mut intent = Intent::new(true);
        let now = Instant::now();
        (intent.granted, intent.asked_at) = (Some(false), Some(now));
        assert!(!intent.is_due(now) && intent.is_due(now + AGAIN));
        intent.refused();
        assert!(!intent.is_due(now + AGAIN));
        let mut granted = Intent::new(true);
        granted.granted();
        assert!(!granted.is_due(now + AGAIN));
    }
}
