//! Before a session begins on Discord's gateway, Discord and the service are asked: who begins too many loses the token.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use twilight_gateway::queue::Queue;

use crate::backoff::{self, shortened};
use crate::reach;
use crate::run::Core;
use crate::service::Permit;
use crate::status::Failure;

/// Between two sessions, doubled with each that did not live. Discord takes one in five seconds.
const APART: Duration = Duration::from_secs(10);
/// Between two questions that brought nothing.
const AGAIN: Duration = Duration::from_secs(5);
/// The longest wait before asking again; whoever set the budget may have changed it.
const LONGEST: Duration = Duration::from_secs(10 * 60);

type Wish = oneshot::Sender<()>;

/// Where the shard queues.
#[derive(Clone)]
pub struct Gate {
    wishes: mpsc::UnboundedSender<Wish>,
    in_vain: Arc<AtomicU32>,
}

impl Gate {
    /// A session was of use: the next one need not wait.
    pub fn lived(&self) {
        self.in_vain.store(0, Ordering::Relaxed);
    }
}

impl Queue for Gate {
    fn enqueue(&self, _shard: u32) -> oneshot::Receiver<()> {
        let (wish, granted) = oneshot::channel();
        // Nobody receives only when the process is ending.
        drop(self.wishes.send(wish));
        granted
    }
}

/// Who opens it.
pub struct Gatekeeper {
    wishes: mpsc::UnboundedReceiver<Wish>,
    opened_at: Option<Instant>,
    /// Sessions that were let begin since one lived.
    in_vain: Arc<AtomicU32>,
    /// Told when Discord does not know the token.
    rejected: mpsc::Sender<()>,
}

impl Gatekeeper {
    pub fn new(rejected: mpsc::Sender<()>) -> (Gate, Self) {
        let (sender, wishes) = mpsc::unbounded_channel();
        let in_vain = Arc::<AtomicU32>::default();
        let keeper = Self {
            wishes,
            opened_at: None,
            in_vain: Arc::clone(&in_vain),
            rejected,
        };
        let gate = Gate {
            wishes: sender,
            in_vain,
        };
        (gate, keeper)
    }

    /// Opens for as long as the process runs. A wish is dropped with the connection that it was for.
    pub async fn keep(mut self, core: Arc<Core>) {
        while let Some(mut wish) = self.wishes.recv().await {
            tokio::select! {
                () = wish.closed() => {}
                () = self.grant(&core) => {
                    self.opened_at = Some(Instant::now());
                    self.in_vain.fetch_add(1, Ordering::Relaxed);
                    core.fail(|failure| failure.filter(|failure| *failure != Failure::IdentifyBudget));
                    let _ = wish.send(());
                    continue;
                }
            }
        }
    }

    /// Returns when a session may begin.
    async fn grant(&self, core: &Core) {
        if let Some(at) = self.opened_at {
            tokio::time::sleep_until(at + shortened(apart(self.in_vain.load(Ordering::Relaxed)))).await;
        }
        loop {
            let Some(facts) = reach::gateway(core).await else {
                let _ = self.rejected.try_send(());
                return std::future::pending().await;
            };
            match core
                .service
                .may_identify(facts.remaining, facts.reset_after_ms)
                .await
            {
                Ok(Permit::Go) => return,
                Ok(Permit::OverBudget(wait)) => {
                    tracing::error!(
                        wait_s = wait.as_secs(),
                        "no session begins on Discord's gateway: too many were begun today"
                    );
                    core.fail(|_| Some(Failure::IdentifyBudget));
                    tokio::time::sleep(wait.min(LONGEST)).await;
                }
                Ok(Permit::Later) | Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
    }
}

/// How far a session is from the one before, after so many in vain.
fn apart(in_vain: u32) -> Duration {
    backoff::wait(APART, LONGEST, in_vain.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incident_of_four_minutes_costs_few_sessions() {
        // The waits at their shortest.
        let waits = (1..).map(|in_vain| apart(in_vain) * 3 / 4);
        let mut at = Duration::ZERO;
        let begun = waits.take_while(|wait| {
            at += *wait;
            at < Duration::from_secs(4 * 60)
        });
        // And the first one.
        assert!(begun.count() < 6);
    }

    #[test]
    fn a_day_of_trouble_is_not_without_an_end() {
        assert_eq!(apart(u32::MAX), LONGEST);
        // Two sessions are never closer than Discord allows.
        assert!(apart(0) * 3 / 4 >= Duration::from_secs(5));
    }
}
