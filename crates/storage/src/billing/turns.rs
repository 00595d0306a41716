//! The row of questions to Stripe, which all nodes stand in together.

use crate::db::{DbError, Tx};
use crate::jobs::Moment;
use crate::settings;

/// When the next question may be asked stands in the settings: one value for all nodes.
const NEXT: &str = "billing.next_question";
/// Fifteen questions in a second are too many, however many nodes ask.
const EVERY_MS: i64 = 70;
/// Nobody takes a turn that is farther away.
pub const LONGEST_WAIT_MS: i64 = 1_000;

/// Takes the next turn, and tells how long it is until then. If that is longer than `LONGEST_WAIT_MS`, no turn was taken.
pub async fn take(tx: &mut Tx<'_>, moment: Moment) -> Result<i64, DbError> {
    let next = settings::lock(tx, NEXT, "0", moment.here_ms).await?;
    let now_ms = moment.read(tx).await?;
    let next_ms: i64 = next.parse().unwrap_or_default();
    // Whoever finds a turn that nobody can have taken has a clock that was set back.
    let is_taken = (1..=LONGEST_WAIT_MS + EVERY_MS).contains(&(next_ms - now_ms));
    let wait_ms = if is_taken { next_ms - now_ms } else { 0 };
    if wait_ms <= LONGEST_WAIT_MS {
        let after = (now_ms + wait_ms + EVERY_MS).to_string();
        settings::put(tx, NEXT, &after, moment.here_ms).await?;
    }
    Ok(wait_ms)
}
