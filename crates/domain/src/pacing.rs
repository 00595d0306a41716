//! How fast one token may ask a service: what the service tells of each of its buckets, and a budget over all of them.
//! People who wait come first: work in the background leaves something of both to them.

use std::collections::HashMap;

use crate::plan::RateLimit;
use crate::rate;

/// Calls in a second, below the 50 at which Discord holds a token up.
pub const PER_SECOND: u32 = 30;
/// One part in so many is for people who wait, and all that a process has that leaves the background to another.
const PARTS: u32 = 10;
/// One part in so many of a second's calls may be made at once: a burst and a second after it stay below Discord's 50.
const AT_ONCE_PARTS: u32 = 2;
/// Buckets of at least this size keep one call for people who wait.
const ROOMY: u32 = 5;
/// When there are more buckets than this, those whose time is over are forgotten.
const MANY: usize = 4_096;
/// How long to wait for calls under way that may use up a bucket.
const UNDER_WAY_MS: i64 = 1_000;

/// Whether somebody waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A person waits.
    Interactive,
    /// A job, which can be done later.
    Background,
    /// Nobody waits, and it can wait for what else is done in the background.
    Spare,
}

/// What an answer told of the bucket that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateHeaders {
    /// The service's name for it; several routes may share one.
    pub bucket: String,
    pub limit: u32,
    pub remaining: u32,
    pub reset_after_ms: i64,
}

/// Which bucket a call is counted in: its route, and what the route is about.
pub type Key = String;

#[derive(Debug, Default)]
struct Bucket {
    /// Nothing is known of it while this is none.
    limit: Option<u32>,
    remaining: u32,
    resets_ms: i64,
    /// Calls under way, which the service may not have counted yet.
    asking: u32,
}

/// The pace of one token. Time is passed in, of a clock that never steps.
#[derive(Debug)]
pub struct Pacing {
    per_second: u32,
    leads: bool,
    tat: i64,
    names: HashMap<&'static str, String>,
    buckets: HashMap<Key, Bucket>,
}

impl Pacing {
    pub fn new(per_second: u32) -> Self {
        Self {
            per_second,
            leads: true,
            tat: 0,
            names: HashMap::new(),
            buckets: HashMap::new(),
        }
    }

    /// Whether this process does the work in the background. One that does not has a tenth of the budget.
    pub fn lead(&mut self, leads: bool) {
        self.leads = leads;
    }

    pub const fn leads(&self) -> bool {
        self.leads
    }

    /// The bucket of a route for this guild or channel.
    pub fn key(&self, route: &'static str, major: &str) -> Key {
        let name = self.names.get(route).map_or(route, String::as_str);
        [name, " ", major].concat()
    }

    /// How long a call has to wait; nothing when it may be made now.
    pub fn wait_ms(&self, key: &str, urgency: Urgency, now_ms: i64) -> Option<i64> {
        self.wait_for_budget(urgency, now_ms).or_else(|| {
            let bucket = self.buckets.get(key)?;
            bucket.wait_ms(urgency, now_ms)
        })
    }

    fn wait_for_budget(&self, urgency: Urgency, now_ms: i64) -> Option<i64> {
        let kept = match urgency {
            Urgency::Interactive => 0,
            Urgency::Background => self.per_second / PARTS,
            // Half of what may be asked at once is left to the others.
            Urgency::Spare => self.per_second / AT_ONCE_PARTS / 2,
        };
        let budget = rate::peek(self.tat, now_ms, self.limit());
        if budget.allowed && budget.remaining > kept {
            return None;
        }
        let missing = i64::from(kept + 1 - budget.remaining.min(kept));
        Some((missing * 1_000).div_euclid(i64::from(self.per_second.max(1))) + 1)
    }

    fn limit(&self) -> RateLimit {
        let per_second = if self.leads {
            self.per_second
        } else {
            self.per_second / PARTS
        };
        RateLimit {
            per_minute: per_second.saturating_mul(60),
            burst: self.per_second / AT_ONCE_PARTS,
            bulk_ids: 1,
        }
    }

    /// A call is on its way.
    pub fn ask(&mut self, key: &str, now_ms: i64) {
        self.tat = rate::decide(self.tat, now_ms, self.limit()).new_tat;
        if self.buckets.len() > MANY {
            self.buckets
                .retain(|_, bucket| bucket.asking > 0 || bucket.resets_ms > now_ms);
        }
        self.buckets.entry(key.to_owned()).or_default().asking += 1;
    }

    /// It is over.
    pub fn end(&mut self, key: &str) {
        if let Some(bucket) = self.buckets.get_mut(key) {
            bucket.asking = bucket.asking.saturating_sub(1);
        }
    }

    /// Takes what an answer told.
    pub fn hear(&mut self, route: &'static str, major: &str, told: RateHeaders, now_ms: i64) {
        self.names.insert(route, told.bucket);
        let bucket = self.buckets.entry(self.key(route, major)).or_default();
        bucket.limit = Some(told.limit);
        bucket.remaining = told.remaining;
        bucket.resets_ms = now_ms.saturating_add(told.reset_after_ms.max(0));
    }
}

impl Bucket {
    fn wait_ms(&self, urgency: Urgency, now_ms: i64) -> Option<i64> {
        let limit = self.limit?;
        let is_fresh = now_ms >= self.resets_ms;
        let left = if is_fresh { limit } else { self.remaining };
        let needed = match urgency {
            Urgency::Background | Urgency::Spare if limit >= ROOMY => 2,
            Urgency::Background | Urgency::Spare | Urgency::Interactive => 1,
        };
        if left.saturating_sub(self.asking) >= needed {
            return None;
        }
        Some(if is_fresh {
            UNDER_WAY_MS
        } else {
            self.resets_ms - now_ms
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Urgency::{Background, Interactive};
    use super::*;

    const NOW: i64 = 3_600_000;
    const SEND: &str = "POST /channels/{channel}/messages";

    fn told(limit: u32, remaining: u32, reset_after_ms: i64) -> RateHeaders {
        RateHeaders {
            bucket: "abc".to_owned(),
            limit,
            remaining,
            reset_after_ms,
        }
    }

    fn ask_and_end(pacing: &mut Pacing, key: &str, now_ms: i64) {
        pacing.ask(key, now_ms);
        pacing.end(key);
    }

    #[test]
    fn an_empty_bucket_is_left_alone_until_it_is_full_again() {
        let mut pacing = Pacing::new(PER_SECOND);
        pacing.hear(SEND, "1", told(5, 0, 4_000), NOW);
        let key = pacing.key(SEND, "1");
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW), Some(4_000));
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW + 3_999), Some(1));
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW + 4_000), None);
        assert_eq!(pacing.wait_ms(&pacing.key(SEND, "2"), Interactive, NOW), None);
    }

    #[test]
    fn calls_under_way_count_before_the_service_has_told_so() {
        let mut pacing = Pacing::new(PER_SECOND);
        pacing.hear(SEND, "1", told(3, 2, 4_000), NOW);
        let key = pacing.key(SEND, "1");
        pacing.ask(&key, NOW);
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW), None);
        pacing.ask(&key, NOW);
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW), Some(4_000));
        pacing.end(&key);
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW), None);
    }

    #[test]
    fn the_background_leaves_one_call_of_a_bucket_to_people() {
        let mut pacing = Pacing::new(PER_SECOND);
        pacing.hear(SEND, "1", told(5, 1, 4_000), NOW);
        let key = pacing.key(SEND, "1");
        assert_eq!(pacing.wait_ms(&key, Background, NOW), Some(4_000));
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW), None);
        pacing.hear(SEND, "1", told(1, 1, 4_000), NOW);
        assert_eq!(
            pacing.wait_ms(&key, Background, NOW),
            None,
            "or nothing would ever be sent"
        );
    }

    #[test]
    fn routes_of_one_bucket_share_it() {
        let mut pacing = Pacing::new(PER_SECOND);
        pacing.hear("PUT /a", "1", told(5, 3, 4_000), NOW);
        pacing.hear("DELETE /a", "1", told(5, 0, 4_000), NOW);
        let key = pacing.key("PUT /a", "1");
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW), Some(4_000));
    }

    #[test]
    fn the_background_leaves_a_tenth_of_the_budget_to_people() {
        let mut pacing = Pacing::new(PER_SECOND);
        let mut made = [0, 0];
        for (urgency, made) in [Background, Interactive].into_iter().zip(&mut made) {
            while pacing.wait_ms("a", urgency, NOW).is_none() {
                ask_and_end(&mut pacing, "a", NOW);
                *made += 1;
            }
        }
        assert_eq!(made, [12, 3]);
        assert_eq!(pacing.wait_ms("a", Interactive, NOW), Some(34));
        assert_eq!(pacing.wait_ms("a", Interactive, NOW + 34), None);
        assert_eq!(pacing.wait_ms("a", Background, NOW + 1_000), None);
    }

    #[test]
    fn a_process_without_the_background_has_a_tenth() {
        let mut pacing = Pacing::new(PER_SECOND);
        pacing.lead(false);
        let mut made = 0;
        for ms in 0..10_000 {
            while pacing.wait_ms("a", Interactive, NOW + ms).is_none() {
                ask_and_end(&mut pacing, "a", NOW + ms);
                made += 1;
            }
        }
        assert_eq!(made, 15 + 29);
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let mut pacing = Pacing::new(u32::MAX);
        for number in 0..2 * MANY {
            pacing.hear(SEND, &number.to_string(), told(5, 0, 1_000), NOW);
        }
        ask_and_end(&mut pacing, "a", NOW + 1_000);
        assert_eq!(pacing.buckets.len(), 1);
    }

    proptest! {
        #[test]
        fn no_second_has_as_many_calls_as_discord_counts(
            steps in prop::collection::vec((0..30_i64, any::<bool>()), 1..500),
        ) {
            let mut pacing = Pacing::new(PER_SECOND);
            let (mut now_ms, mut made) = (NOW, Vec::new());
            for (step, is_person) in steps {
                now_ms += step;
                let urgency = if is_person { Interactive } else { Background };
                match pacing.wait_ms("a", urgency, now_ms) {
                    None => {
                        ask_and_end(&mut pacing, "a", now_ms);
                        made.push(now_ms);
                    }
                    Some(wait_ms) => prop_assert_eq!(pacing.wait_ms("a", urgency, now_ms + wait_ms), None),
                }
            }
            for from in &made {
                let within = made.iter().filter(|at| (*from..*from + 1_000).contains(*at)).count();
                prop_assert!(within < 50, "{within}");
            }
        }
    }
}
