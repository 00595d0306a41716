//! What the provider's clock says.

use domain::clock::Clock;
use reqwest::RequestBuilder;

use super::{Guard, State};
use crate::http::{self, Answer, Unanswered};

impl Guard {
    /// Sends a request to the provider, and notes the date of its answer.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        limit_bytes: usize,
    ) -> Result<Answer, Unanswered> {
        let answer = http::send(request, limit_bytes).await?;
        if let Some(date_ms) = answer.date_ms {
            let heard_at_ms = self.clock.steady_ms();
            self.state().date = Some((date_ms, heard_at_ms));
        }
        Ok(answer)
    }
}

impl State {
    /// Time goes on for both, so a clock of ours that was put right is right at once.
    pub(super) fn ahead_ms(&self, clock: &dyn Clock) -> Option<i64> {
        let (date_ms, heard_at_ms) = self.date?;
        let there_ms = date_ms.saturating_add(clock.steady_ms() - heard_at_ms);
        Some(clock.now_ms().saturating_sub(there_ms))
    }
}
