//! Keeps calls to a provider within what it bears: a breaker, a memory of refusals, and for some a daily number.
//!
//! Only a provider that cannot be reached, takes too long or fails by itself opens the breaker. A refusal is an answer:
//! it is remembered for the place it was about, so that one community cannot keep the provider from the others.

mod codes;
mod pace;
mod time;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use domain::breaker::{Admission, Breaker, PROBE_EVERY_MS, Turn};
use domain::clock::SharedClock;
use domain::lines::Lines;
use domain::pacing::{Call, Pacing, Urgency};
use domain::platform_id::DiscordId;
use domain::quota::{DailyQuota, Spending};
use domain::refusals::{Refusals, Tally};

use crate::http::Unanswered;
use crate::question::Question;
use crate::remembered::{EVERYTHING, refuse_remembered};

/// How long a guild that is not there, or a refusal about one person, counts.
const ABSENT_MS: i64 = 60_000;

pub(crate) struct Guard {
    provider: &'static str,
    /// What is wrong when our credentials are refused.
    setting: &'static str,
    /// The provider shuts out who goes on asking after refusals.
    bans: bool,
    pub(crate) clock: SharedClock,
    state: Mutex<State>,
    /// Shared by all who ask this provider from here.
    tally: Arc<Mutex<Tally>>,
}

#[derive(Default)]
struct State {
    breaker: Breaker,
    quota: Option<DailyQuota>,
    refusals: Refusals,
    pacing: Option<Pacing>,
    lines: Lines<(&'static str, &'static str)>,
    outcomes: BTreeMap<&'static str, u64>,
    /// The last date that the provider wrote, and when that was by the steady clock.
    date: Option<(i64, i64)>,
}

/// How the calls to a provider went so far, for metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub provider: &'static str,
    /// Calls by what became of them: answered, or a word for why not.
    pub calls: Vec<(&'static str, u64)>,
    /// It keeps failing, and is asked only now and then.
    pub is_paused: bool,
    /// Calls of this day, and how many it has, where a day has a number of them.
    pub today: Option<(u32, u32)>,
    /// How far our clock is ahead of its, by its last answer.
    pub ahead_ms: Option<i64>,
}

/// A question on its way. It counts from the beginning, so that a burst does not pass before the first answer.
struct Asked<'g> {
    guard: &'g Guard,
    org_num: Option<i64>,
    route: &'static str,
    call: Option<Call>,
    was_refused: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let steady_ms = self.guard.clock.steady_ms();
        if let (Some(pacing), Some(call)) = (&mut self.guard.state().pacing, &self.call) {
            pacing.end(call);
        }
        if let Some(org_num) = self.org_num {
            let mut tally = self.guard.tally();
            tally.end(org_num, self.route, self.was_refused, steady_ms);
        }
    }
}

impl Guard {
    pub(crate) fn new(provider: &'static str, clock: SharedClock) -> Self {
        Self {
            provider,
            setting: "",
            bans: false,
            clock,
            state: Mutex::default(),
            tally: Arc::default(),
        }
    }

    /// Counts refusals together with others who ask the same provider from here.
    pub(crate) fn sharing(self, tally: Arc<Mutex<Tally>>) -> Self {
        Self { tally, ..self }
    }

    /// Keeps to what the provider tells of its limits, and to so many calls in a second.
    pub(crate) fn paced(self, per_second: u32) -> Self {
        self.state().pacing = Some(Pacing::new(per_second));
        self
    }

    /// The setting that holds the credentials of its calls.
    pub(crate) fn with_setting(self, setting: &'static str) -> Self {
        Self { setting, ..self }
    }

    /// For a provider that shuts out who goes on asking after refusals: these are remembered wherever they come from.
    pub(crate) fn that_bans(self) -> Self {
        Self { bans: true, ..self }
    }

    pub(crate) fn with_calls_per_day(self, calls: u32) -> Self {
        self.state().quota = Some(DailyQuota::new(calls));
        self
    }

    /// Runs the call if it may be made, and learns from its outcome. When its caller goes away the provider answers all
    /// the same, and we never hear what: it counts as refused.
    pub(crate) async fn call<T>(
        &self,
        question: Question<'_>,
        call: impl Future<Output = Result<T, Unanswered>>,
    ) -> Result<T, Unanswered> {
        self.call_in(question, |_| call).await
    }

    /// The same for a call that tells what it hears of limits, with the window that it is counted in.
    pub(crate) async fn call_in<T, F: Future<Output = Result<T, Unanswered>>>(
        &self,
        question: Question<'_>,
        call: impl FnOnce(u64) -> F,
    ) -> Result<T, Unanswered> {
        let mut asked = self
            .admit(&question)
            .inspect_err(|cause| self.count(cause.kind()))?;
        let begun = Instant::now();
        let window = asked.call.as_ref().map_or(0, |call| call.window);
        let outcome = call(window).await;
        let failure = outcome.as_ref().err().copied();
        self.count(failure.map_or("answered", Unanswered::kind));
        self.learn(&question, failure);
        asked.was_refused = failure.is_some_and(Unanswered::counts);
        if let Some(cause) = failure {
            let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.say(&question, cause, ms);
        }
        outcome
    }

    pub(crate) fn standing(&self) -> Standing {
        let state = self.state();
        Standing {
            provider: self.provider,
            calls: state
                .outcomes
                .iter()
                .map(|(kind, count)| (*kind, *count))
                .collect(),
            is_paused: state.breaker.is_open(),
            today: state.quota.as_ref().map(|quota| quota.used(self.clock.now_ms())),
            ahead_ms: state.ahead_ms(&*self.clock),
        }
    }

    fn count(&self, kind: &'static str) {
        *self.state().outcomes.entry(kind).or_default() += 1;
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

    /// How often we were refused lately, whichever credentials were shown.
    pub(crate) fn refused(&self) -> u32 {
        self.tally().count(self.clock.steady_ms())
    }

    /// Counts refusals that a process before this one got.
    pub(crate) fn restore(&self, refused: u32) {
        self.tally().restore(refused, self.clock.steady_ms());
    }

    /// Whether our credentials are known to be rejected.
    pub(crate) fn is_rejected(&self) -> bool {
        let known = self.state().refusals.find(EVERYTHING, self.clock.steady_ms());
        known.is_some_and(|known| known.status == 401)
    }

    /// They were, by a process before this one.
    pub(crate) fn reject(&self) {
        let steady_ms = self.clock.steady_ms();
        let (refusals, place) = (&mut self.state().refusals, EVERYTHING.to_owned());
        refusals.remember(place, 401, i64::MAX, steady_ms, true);
    }

    /// Forgets what was refused about a guild, because it is another one now.
    pub(crate) fn forget(&self, guild: &DiscordId) {
        self.state().refusals.forget_all_of(guild.as_str());
    }

    fn admit(&self, question: &Question<'_>) -> Result<Asked<'_>, Unanswered> {
        let (now_ms, steady_ms) = (self.clock.now_ms(), self.clock.steady_ms());
        let mut state = self.state();
        refuse_remembered(&state.refusals, question, steady_ms)?;
        self.refuse_beyond_share(question, steady_ms)?;
        let bucket = state.bucket(question, steady_ms)?;
        if let Admission::Refused { retry_after_ms } = state.breaker.admit(steady_ms) {
            return Err(Unanswered::Paused { retry_after_ms });
        }
        // A day is one of the calendar, which only the wall clock knows.
        let quota = state.quota.as_mut().zip(question.purpose);
        if quota.is_none_or(|(quota, purpose)| quota.take(purpose, now_ms)) {
            let call = state.pacing.as_mut().zip(bucket);
            let call = call.map(|(pacing, bucket)| pacing.ask(&bucket, steady_ms));
            let org_num = question.about.map(|about| about.org_num);
            if let Some(org_num) = org_num {
                self.tally().ask(org_num, question.route);
            }
            return Ok(Asked {
                guard: self,
                org_num,
                route: question.route,
                call,
                was_refused: true,
            });
        }
        Err(Unanswered::OverQuota {
            retry_after_ms: DailyQuota::resets_in_ms(now_ms),
        })
    }

    fn refuse_beyond_share(&self, question: &Question<'_>, steady_ms: i64) -> Result<(), Unanswered> {
        let Some(about) = question.about else {
            return Ok(());
        };
        let mut tally = self.tally();
        let waits = match question.urgency {
            Urgency::Interactive => None,
            Urgency::Background | Urgency::Spare => tally.background_wait_ms(steady_ms),
        };
        match waits.or_else(|| tally.wait_ms(about.org_num, question.route, steady_ms)) {
            Some(retry_after_ms) => Err(Unanswered::OverShare { retry_after_ms }),
            None => Ok(()),
        }
    }

    fn learn(&self, question: &Question<'_>, failure: Option<Unanswered>) {
        let steady_ms = self.clock.steady_ms();
        let turn = match failure {
            Some(Unanswered::Timeout | Unanswered::Unreachable | Unanswered::Status(500..)) => {
                self.state().breaker.failed(steady_ms)
            }
            // Says nothing about whether it works.
            Some(Unanswered::TooLong | Unanswered::Unreadable) => Turn::Same,
            None
            | Some(
                Unanswered::Refused
                | Unanswered::Throttled { .. }
                | Unanswered::Crowded { .. }
                | Unanswered::Status(_)
                | Unanswered::Personal(_)
                | Unanswered::Paused { .. }
                | Unanswered::Held { .. }
                | Unanswered::OverQuota { .. }
                | Unanswered::Remembered { .. }
                | Unanswered::OverShare { .. },
            ) => self.state().breaker.succeeded(),
        };
        match failure {
            Some(cause) => self.remember(question, cause, steady_ms),
            None if question.by_hand => self.state().refusals.forget(&question.place()),
            None => {}
        }
        match turn {
            Turn::Opened => tracing::warn!(
                provider = self.provider,
                "it keeps failing: asking only once every five seconds until it answers"
            ),
            Turn::Closed => tracing::info!(provider = self.provider, "it answers again"),
            Turn::Same => {}
        }
    }

    fn remember(&self, question: &Question<'_>, cause: Unanswered, steady_ms: i64) {
        let (about, place) = (question.about, question.place());
        let everything = EVERYTHING.to_owned();
        let kept = match (cause, about) {
            // A bot's token that was refused once is refused until somebody changes it.
            (Unanswered::Refused, Some(_)) => Some((everything, 401, i64::MAX)),
            (Unanswered::Refused, None) if self.bans => Some((place, 401, PROBE_EVERY_MS)),
            (Unanswered::Status(403), Some(about)) => Some((place, 403, about.refused_ms)),
            (Unanswered::Status(404), Some(about)) => Some((place, 404, about.refused_ms.min(ABSENT_MS))),
            (
                Unanswered::Throttled {
                    retry_after_ms,
                    for_all,
                },
                _,
            ) => Some((if for_all { everything } else { place }, 429, retry_after_ms)),
            (Unanswered::Crowded { retry_after_ms }, _) => Some((place, 429, retry_after_ms)),
            (Unanswered::Personal(status), _) => {
                question.place_of_one().map(|place| (place, status, ABSENT_MS))
            }
            (_, _) => None,
        };
        let mut state = self.state();
        if let Some((place, status, lasts_ms)) = kept {
            let always = place == EVERYTHING;
            state
                .refusals
                .remember(place, status, lasts_ms, steady_ms, always);
        }
    }

    /// One line about a failure: which provider, what was asked, what came back, how long it took.
    fn say(&self, question: &Question<'_>, cause: Unanswered, ms: u64) {
        let route = question.route;
        let Some(left_out) = self.turn_to_say(route, cause) else {
            return;
        };
        let (provider, setting) = (self.provider, self.setting);
        match (cause, question.about) {
            (Unanswered::Refused, _) if !setting.is_empty() => tracing::warn!(
                provider,
                route,
                setting,
                ms,
                left_out,
                "it rejects our credentials: this setting is wrong"
            ),
            // A guild that keeps us out is the business of its community.
            (Unanswered::Status(403 | 404) | Unanswered::Personal(_), Some(_)) => {
                tracing::info!(provider, route, %cause, ms, left_out, "a guild refused it");
            }
            (_, _) => tracing::warn!(provider, route, %cause, ms, left_out, "it gave no usable answer"),
        }
    }

    /// How many lines like it were left out since the last one, when it is time for the next.
    fn turn_to_say(&self, route: &'static str, cause: Unanswered) -> Option<u64> {
        // Nothing was asked, so there is nothing new to tell.
        if !cause.was_asked() {
            return None;
        }
        self.state()
            .lines
            .turn((route, cause.kind()), self.clock.steady_ms())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
