//! How far people get on the link pages.

use domain::flow::LinkStep;
use storage::linking::link_steps;
pub use storage::linking::link_steps::Tally;
use storage::{Db, DbError, GuildNum, Tx};

use super::tallies::{HOUR_MS, Tallied, Tallies};
use crate::error::AppError;

/// Counts since the last write.
#[derive(Default)]
pub struct LinkSteps {
    counts: Tallies<Tally>,
}

impl LinkSteps {
    /// Somebody got this far.
    pub fn reached(&self, guild: GuildNum, step: LinkStep, now_ms: i64) {
        self.count(guild, step, "", now_ms);
    }

    /// Somebody could not go on, for the reason with this code.
    pub fn failed(&self, guild: GuildNum, reason: &'static str, now_ms: i64) {
        self.count(guild, LinkStep::Failed, reason, now_ms);
    }

    fn count(&self, guild: GuildNum, step: LinkStep, reason: &'static str, now_ms: i64) {
        self.counts.count(Tally {
            guild,
            hour: now_ms.div_euclid(HOUR_MS),
            step,
            reason,
        });
    }

    /// Writes down what was counted.
    pub async fn flush(&self, db: &Db) -> Result<(), AppError> {
        self.counts.flush(db).await
    }
}

impl Tallied for Tally {
    const NAME: &'static str = "write_link_steps";

    async fn add(&self, tx: &mut Tx<'_>, times: i64) -> Result<(), DbError> {
        link_steps::add(tx, self, times).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_by_guild_hour_step_and_reason() {
        let steps = LinkSteps::default();
        steps.reached(GuildNum(1), LinkStep::Started, 0);
        steps.reached(GuildNum(1), LinkStep::Started, HOUR_MS - 1);
        steps.reached(GuildNum(1), LinkStep::Started, HOUR_MS);
        steps.reached(GuildNum(2), LinkStep::Started, 0);
        steps.failed(GuildNum(1), "BLOCKED", 0);
        steps.failed(GuildNum(1), "SIGN_IN_EXPIRED", 0);
        let counts = steps.counts.seen();
        assert_eq!(counts.len(), 5);
        assert_eq!(counts.iter().map(|(_, times)| times).max(), Some(&2));
    }
}
