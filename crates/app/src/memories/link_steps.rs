//! How far people get on the link pages, counted in memory and written once a minute. Losing the last minute is
//! acceptable.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::flow::LinkStep;
use storage::linking::link_steps;
pub use storage::linking::link_steps::Tally;
use storage::{Db, GuildNum, NoOrg, Tx, Work};

use crate::error::{AppError, ServiceError};

const HOUR_MS: i64 = 60 * 60_000;
/// Different counts between two writes; beyond it new ones are left out.
const MOST: usize = 50_000;
/// Rows written by one unit.
const SLICE: usize = 200;

/// Counts since the last write.
#[derive(Default)]
pub struct LinkSteps {
    counts: Mutex<HashMap<Tally, i64>>,
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
        let hour = now_ms.div_euclid(HOUR_MS);
        let tally = Tally {
            guild,
            hour,
            step,
            reason,
        };
        let mut counts = self.locked();
        if counts.len() < MOST || counts.contains_key(&tally) {
            *counts.entry(tally).or_default() += 1;
        }
    }

    /// Writes down what was counted. What could not be written is kept for the next time.
    pub async fn flush(&self, db: &Db) -> Result<(), AppError> {
        let mut counts: Vec<(Tally, i64)> = self.locked().drain().collect();
        counts.sort_unstable();
        for (index, slice) in counts.chunks(SLICE).enumerate() {
            if let Err(error) = db.write(Write(slice.to_vec())).await {
                // What may have been stored is not counted twice.
                let in_doubt = matches!(error, AppError::Service(ServiceError::OutcomeUnknown(_)));
                let unwritten = (index + usize::from(in_doubt)) * SLICE;
                self.restore(counts.get(unwritten..).unwrap_or_default());
                return Err(error);
            }
        }
        Ok(())
    }

    fn restore(&self, unwritten: &[(Tally, i64)]) {
        let mut counts = self.locked();
        for (tally, times) in unwritten {
            *counts.entry(tally.clone()).or_default() += times;
        }
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<Tally, i64>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Write(Vec<(Tally, i64)>);

impl Work for Write {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_link_steps";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for (tally, times) in &self.0 {
            link_steps::add(tx, tally, *times).await?;
        }
        Ok(())
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
        let counts = steps.locked();
        assert_eq!(counts.len(), 5);
        assert_eq!(counts.values().max(), Some(&2));
    }

    #[test]
    fn what_was_not_written_is_added_to_what_came_since() {
        let steps = LinkSteps::default();
        steps.reached(GuildNum(1), LinkStep::Steam, 0);
        let taken: Vec<_> = steps.locked().drain().collect();
        steps.reached(GuildNum(1), LinkStep::Steam, 0);
        steps.restore(&taken);
        assert_eq!(steps.locked().values().copied().collect::<Vec<_>>(), [2]);
    }
}
