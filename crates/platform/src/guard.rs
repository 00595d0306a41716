//! Keeps calls to a provider within what it bears: a breaker, and for some a daily number.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::breaker::{Admission, Breaker, Turn};
use domain::clock::SharedClock;
use domain::quota::{DailyQuota, Purpose, Spending};

use crate::http::Unanswered;

pub(crate) struct Guard {
    provider: &'static str,
    clock: SharedClock,
    state: Mutex<State>,
}

struct State {
    breaker: Breaker,
    quota: Option<DailyQuota>,
}

impl Guard {
    /// `per_day` is the number of calls a day, if there is one.
    pub(crate) fn new(provider: &'static str, clock: SharedClock, per_day: Option<u32>) -> Self {
        let state = State {
            breaker: Breaker::default(),
            quota: per_day.map(DailyQuota::new),
        };
        Self {
            provider,
            clock,
            state: Mutex::new(state),
        }
    }

    /// Runs the call if it may be made, and learns from its outcome. A caller that goes away teaches nothing.
    pub(crate) async fn call<T>(
        &self,
        purpose: Purpose,
        call: impl Future<Output = Result<T, Unanswered>>,
    ) -> Result<T, Unanswered> {
        self.admit(purpose)?;
        let outcome = call.await;
        self.learn(outcome.as_ref().err().copied());
        outcome
    }

    /// Calls since the last time this was asked, with their day.
    pub(crate) fn drain_calls(&self) -> Option<(i64, Spending)> {
        self.state().quota.as_mut().and_then(DailyQuota::drain)
    }

    pub(crate) fn restore_calls(&self, day: i64, unwritten: &Spending) {
        if let Some(quota) = &mut self.state().quota {
            quota.restore(day, unwritten);
        }
    }

    pub(crate) fn learn_calls(&self, day: i64, written: Spending) {
        if let Some(quota) = &mut self.state().quota {
            quota.learn(day, written);
        }
    }

    fn admit(&self, purpose: Purpose) -> Result<(), Unanswered> {
        let now_ms = self.clock.now_ms();
        let mut state = self.state();
        if let Admission::Refused { retry_after_ms } = state.breaker.admit(now_ms) {
            return Err(Unanswered::Paused { retry_after_ms });
        }
        let quota = state.quota.as_mut();
        if quota.is_none_or(|quota| quota.take(purpose, now_ms)) {
            return Ok(());
        }
        Err(Unanswered::OverQuota {
            retry_after_ms: DailyQuota::resets_in_ms(now_ms),
        })
    }

    fn learn(&self, failure: Option<Unanswered>) {
        let turn = match failure {
            None => self.state().breaker.succeeded(),
            Some(_) => {
                let now_ms = self.clock.now_ms();
                self.state().breaker.failed(now_ms)
            }
        };
        match (turn, failure) {
            (Turn::Opened, Some(cause)) => tracing::warn!(
                provider = self.provider,
                %cause,
                "it keeps failing and is asked only once every five seconds until it answers"
            ),
            (Turn::Closed, _) => tracing::info!(provider = self.provider, "it answers again"),
            (Turn::Opened | Turn::Same, _) => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::clock::TestClock;

    use super::*;

    #[test]
    fn a_refused_call_spends_nothing_and_is_not_made() {
        let clock = Arc::new(TestClock::new(1_800_000_000_000));
        let guard = Guard::new("test", Arc::clone(&clock) as SharedClock, Some(10));
        for _ in 0..5 {
            guard.admit(Purpose::Verify).unwrap();
            guard.learn(Some(Unanswered::Timeout));
        }
        for _ in 0..100 {
            assert!(matches!(
                guard.admit(Purpose::Verify),
                Err(Unanswered::Paused { .. })
            ));
        }
        guard.learn(None);
        for _ in 0..5 {
            guard.admit(Purpose::Verify).unwrap();
        }
        let refused = guard.admit(Purpose::Verify);
        assert!(matches!(refused, Err(Unanswered::OverQuota { retry_after_ms }) if retry_after_ms > 0));
    }

    #[test]
    fn without_a_daily_number_there_is_no_end() {
        let guard = Guard::new("test", Arc::new(TestClock::new(0)), None);
        for _ in 0..200_000 {
            guard.admit(Purpose::Verify).unwrap();
        }
    }
}
