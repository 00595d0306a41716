//! The provider's own numbers for refusals that are remembered, so that they can be told again.

use super::Guard;
use crate::http::Unanswered;
use crate::question::Question;

impl Guard {
    /// The number that came with a refusal, or with the one that is remembered in its place.
    pub(crate) fn code_of(
        &self,
        question: &Question<'_>,
        cause: Unanswered,
        code: Option<u32>,
    ) -> Option<u32> {
        let steady_ms = self.clock.steady_ms();
        let mut state = self.state();
        let (place, one) = (question.place(), question.place_of_one());
        if let Unanswered::Remembered { status, .. } = cause {
            let places = [Some(place), one].into_iter().flatten();
            let known = places.filter_map(|place| state.refusals.find(&place, steady_ms));
            return known
                .filter(|known| known.status == status)
                .find_map(|known| known.code);
        }
        let refused = match (cause, one) {
            (Unanswered::Personal(_), one) => one,
            (Unanswered::Status(_), _) => Some(place),
            (_, _) => None,
        };
        if let Some(refused) = refused {
            state.refusals.note_code(&refused, code);
        }
        code
    }
}
