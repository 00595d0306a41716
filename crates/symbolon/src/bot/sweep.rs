//! What is left of bots that are no more, or that are not to run, is removed.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use app::bots::fleet::Seen;
use tokio::time::Instant;

use super::fleet::Fleet;
use super::host::{Bots, Host};
use super::round::Round;

/// How often it is looked for, and how long a host may take to remove it.
const SWEEP_EVERY: Duration = Duration::from_secs(300);
const SWEEP_WITHIN: Duration = Duration::from_secs(600);

impl<H: Host> Fleet<H> {
    /// At the start, when there are others than before, when one has gone, and every few minutes. Beside everything else,
    /// for a host can take its time.
    pub async fn sweep(self: &Arc<Self>, round: &mut Round, bots: &[Seen]) {
        while round.sweeping.try_join_next().is_some() {}
        let now = self.bots_of(bots).await;
        let is_same = round.bots.borrow().known == now.known;
        round.is_sweep_wanted |= !is_same;
        // Who sweeps already sees it too.
        round.bots.send_replace(now);
        let is_due = round.is_sweep_wanted || round.swept_at.elapsed() > SWEEP_EVERY;
        if !round.sweeping.is_empty() || !is_due {
            return;
        }
        (round.is_sweep_wanted, round.swept_at) = (false, Instant::now());
        let (fleet, bots) = (Arc::clone(self), round.bots.subscribe());
        round.sweeping.spawn(async move {
            let swept = tokio::time::timeout(SWEEP_WITHIN, fleet.host.sweep(bots)).await;
            if let Ok(Err(failure)) = swept {
                tracing::warn!(
                    error = failure.text(),
                    "what is left of Custom Bots cannot be removed"
                );
            }
        });
    }

    /// For one that rests nothing runs, unless its process was not seen to end yet.
    async fn bots_of(&self, bots: &[Seen]) -> Bots {
        let now_ms = self.app.shared_now_ms().await;
        Bots {
            known: ids(bots.iter()),
            running: ids(bots.iter().filter(|bot| self.has_work(bot, now_ms))),
        }
    }
}

fn ids<'a>(bots: impl Iterator<Item = &'a Seen>) -> HashSet<String> {
    bots.map(|bot| bot.id.as_str().to_owned()).collect()
}
