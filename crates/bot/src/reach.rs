//! Asking Discord where its gateway is, for as long as it takes.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::backoff::Backoff;
use crate::discord::{Gateway, GatewayFacts};
use crate::http::Silence;
use crate::run::Core;

const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(60);
/// After an answer that counts against this address: who collects those is shut out.
const SHUT_OUT: Duration = Duration::from_secs(10 * 60);

/// How often Discord said that too much is asked. That counts against this address too, and for all of its bots: each
/// asks less and less, also over connections that come and go.
pub struct Crowd(Mutex<Backoff>);

impl Crowd {
    pub const fn new() -> Self {
        Self(Mutex::new(Backoff::new(FIRST, SHUT_OUT)))
    }

    /// How long to wait this time, where Discord said how long at least.
    fn wait(&self, told: Duration) -> Duration {
        self.backoff().next().max(told).min(SHUT_OUT)
    }

    fn is_over(&self) {
        self.backoff().reset();
    }

    fn backoff(&self) -> MutexGuard<'_, Backoff> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks until Discord answers; None when it does not know the token.
pub async fn gateway(core: &Core) -> Option<GatewayFacts> {
    let mut backoff = Backoff::new(FIRST, LONGEST);
    loop {
        let wait = match core.discord.gateway().await {
            Ok(Gateway::Open(facts)) => {
                core.crowd.is_over();
                return Some(facts);
            }
            Ok(Gateway::Rejected) => return None,
            Ok(Gateway::Later(wait)) => {
                core.unreachable(&Silence::Refused(429));
                core.crowd.wait(wait)
            }
            Err(silence @ Silence::Refused(400..500)) => {
                core.unreachable(&silence);
                SHUT_OUT
            }
            Err(silence) => {
                core.unreachable(&silence);
                backoff.next()
            }
        };
        tokio::time::sleep(wait).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_of_bots_that_discord_holds_off_is_not_shut_out() {
        let (crowd, mut at, mut asked) = (Crowd::new(), Duration::ZERO, 0);
        while at < SHUT_OUT {
            asked += 1;
            at += crowd.wait(Duration::ZERO);
        }
        // Each asks once more for what it may hear of, and 50 of them may collect 500 in ten minutes.
        assert!(50 * (asked + 1) <= 500, "{asked}");
    }

    #[test]
    fn what_discord_says_is_waited_for_and_an_answer_makes_good() {
        let (crowd, told) = (Crowd::new(), Duration::from_secs(90));
        assert_eq!(crowd.wait(told), told);
        assert_eq!(crowd.wait(SHUT_OUT * 2), SHUT_OUT);
        crowd.is_over();
        assert!(crowd.wait(Duration::ZERO) <= FIRST);
    }
}
