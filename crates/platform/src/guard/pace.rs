//! How fast the provider is asked.

use domain::pacing::{Key, Pacing, RateHeaders};

use super::{Guard, State};
use crate::http::Unanswered;
use crate::question::Question;

impl Guard {
    /// What an answer told of the provider's own limits.
    pub(crate) fn hear(&self, question: &Question<'_>, window: u64, told: RateHeaders) {
        let steady_ms = self.clock.steady_ms();
        if let Some(pacing) = &mut self.state().pacing {
            pacing.hear(question.route, question.major(), window, told, steady_ms);
        }
    }

    /// Whether the first call of its bucket is under way, which tells how many more there may be.
    pub(crate) fn awaits_first(&self, question: &Question<'_>) -> bool {
        let state = self.state();
        let is_awaited = |pacing: &Pacing| pacing.awaits_first(&pacing.key(question.route, question.major()));
        state.pacing.as_ref().is_some_and(is_awaited)
    }

    /// Whether this process does the work in the background.
    pub(crate) fn lead(&self, leads: bool) {
        if let Some(pacing) = &mut self.state().pacing {
            pacing.lead(leads);
        }
    }

    pub(crate) fn leads(&self) -> bool {
        self.state().pacing.as_ref().is_none_or(|pacing| pacing.leads())
    }
}

impl State {
    /// The bucket that the question is counted in, unless it is empty.
    pub(super) fn bucket(&self, question: &Question<'_>, steady_ms: i64) -> Result<Option<Key>, Unanswered> {
        let Some(pacing) = &self.pacing else {
            return Ok(None);
        };
        let key = pacing.key(question.route, question.major());
        match pacing.wait_ms(&key, question.urgency, steady_ms) {
            Some(retry_after_ms) => Err(Unanswered::Held { retry_after_ms }),
            None => Ok(Some(key)),
        }
    }
}
