//! What was refused a short while ago is not asked again.

use domain::refusals::Refusals;

use crate::http::Unanswered;
use crate::question::Question;

/// Nobody is told to wait for longer than this.
const LONGEST_MS: i64 = 60 * 60_000;
/// The place of what is refused whatever is asked.
pub(crate) const EVERYTHING: &str = "*";

/// The answer that is remembered for a question, unless somebody asks again who may have put it right.
pub(crate) fn refuse_remembered(
    refusals: &Refusals,
    question: &Question<'_>,
    steady_ms: i64,
) -> Result<(), Unanswered> {
    let places = [
        Some(EVERYTHING.to_owned()),
        Some(question.place()),
        question.place_of_one(),
    ];
    for place in places.into_iter().flatten() {
        match refusals.find(&place, steady_ms) {
            Some(known) if question.by_hand && matches!(known.status, 403 | 404) => {}
            Some(known) => {
                return Err(Unanswered::Remembered {
                    status: known.status,
                    retry_after_ms: known.retry_after_ms.min(LONGEST_MS),
                });
            }
            None => {}
        }
    }
    Ok(())
}
