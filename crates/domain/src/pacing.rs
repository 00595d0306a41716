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
/// The same for the first call of a bucket, which tells how large it is.
const FIRST_MS: i64 = 100;
/// People are held up by a first call only when so many of them wait for its bucket.
const FEW: u32 = 4;

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

/// A call under way: where it is counted, and in which window of that bucket it was asked.
#[derive(Clone, Debug)]
pub struct Call {
    key: Key,
    pub window: u64,
}

#[derive(Debug, Default)]
struct Bucket {
    /// Nothing is known of it while this is none.
    limit: Option<u32>,
    /// Which of its windows it is in. Answers come in any order, also after the window that they tell of.
    window: u64,
    /// What is left of the window, less all that was asked in it.
    remaining: u32,
    /// The least that an answer of this window told.
    told: u32,
    /// None while no answer has told of the window.
    resets_ms: Option<i64>,
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
    /// Windows so far, of all buckets.
    windows: u64,
}

impl Pacing {
    pub fn new(per_second: u32) -> Self {
        Self {
            per_second,
            leads: true,
            tat: 0,
            names: HashMap::new(),
            buckets: HashMap::new(),
            windows: 0,
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

    /// Whether nothing is known of a bucket yet, but will be soon.
    pub fn awaits_first(&self, key: &str) -> bool {
        let bucket = self.buckets.get(key);
        bucket.is_some_and(|bucket| bucket.limit.is_none() && bucket.asking > 0)
    }

    /// A call is on its way.
    pub fn ask(&mut self, key: &str, now_ms: i64) -> Call {
        self.tat = rate::decide(self.tat, now_ms, self.limit()).new_tat;
        if self.buckets.len() > MANY {
            self.buckets.retain(|_, bucket| !bucket.is_over(now_ms));
        }
        let bucket = self.buckets.entry(key.to_owned()).or_default();
        if bucket.is_fresh(now_ms) {
            self.windows += 1;
            bucket.begin(self.windows);
        }
        bucket.remaining = bucket.remaining.saturating_sub(1);
        bucket.asking += 1;
        Call {
            key: key.to_owned(),
            window: bucket.window,
        }
    }

    /// It is over, answered or not.
    pub fn end(&mut self, call: &Call) {
        let key = self.now_of(&call.key);
        if let Some(bucket) = self.buckets.get_mut(&key) {
            bucket.asking = bucket.asking.saturating_sub(1);
        }
    }

    /// Takes what the answer to a call of this window told.
    pub fn hear(&mut self, route: &'static str, major: &str, window: u64, told: RateHeaders, now_ms: i64) {
        if self.names.get(route) != Some(&told.bucket) {
            self.rename(route, told.bucket.clone());
        }
        let bucket = self.buckets.entry(self.key(route, major)).or_default();
        bucket.hear(window, &told, now_ms);
    }

    /// What was counted under the route is counted under the name of its bucket, which another route may have too.
    fn rename(&mut self, route: &'static str, name: String) {
        if self.names.insert(route, name.clone()).is_some() {
            return;
        }
        let of_route = |key: &Key| key.rsplit_once(' ').is_some_and(|(name, _)| name == route);
        let keys: Vec<Key> = self.buckets.keys().filter(|key| of_route(key)).cloned().collect();
        for key in keys {
            let major = key.rsplit_once(' ').map_or("", |(_, major)| major);
            let to = [&name, " ", major].concat();
            if let Some(moved) = self.buckets.remove(&key) {
                match self.buckets.get_mut(&to) {
                    Some(there) => there.join(&moved),
                    None => drop(self.buckets.insert(to, moved)),
                }
            }
        }
    }

    /// The key that calls of this one are counted under by now.
    fn now_of(&self, key: &str) -> Key {
        let named = key.rsplit_once(' ').and_then(|(route, major)| {
            let name = self.names.get(route)?;
            Some([name, " ", major].concat())
        });
        named.unwrap_or_else(|| key.to_owned())
    }
}

impl Bucket {
    /// Whether the next call begins a window.
    fn is_fresh(&self, now_ms: i64) -> bool {
        match self.resets_ms {
            Some(resets_ms) => now_ms >= resets_ms,
            // Nobody answered, so nothing is known of it.
            None => self.asking == 0,
        }
    }

    fn is_over(&self, now_ms: i64) -> bool {
        self.asking == 0 && self.is_fresh(now_ms)
    }

    /// Calls of the window before that are under way may be counted in this one.
    fn begin(&mut self, window: u64) {
        self.window = window;
        self.remaining = self.limit.unwrap_or(0).saturating_sub(self.asking);
        self.told = u32::MAX;
        self.resets_ms = None;
    }

    fn join(&mut self, moved: &Self) {
        self.asking += moved.asking;
        self.remaining = self.remaining.saturating_sub(moved.asking);
    }

    fn hear(&mut self, window: u64, told: &RateHeaders, now_ms: i64) {
        if self.limit.is_none() {
            // Its own call is counted by the service, the others may not be.
            self.remaining = told.remaining.saturating_sub(self.asking.saturating_sub(1));
            self.told = told.remaining;
        } else if window == self.window {
            self.told = self.told.min(told.remaining);
            self.remaining = self.remaining.min(told.remaining);
        }
        self.limit = Some(told.limit);
        // A call of an earlier window may have begun the service's next one: nothing is full before that is over.
        let resets_ms = now_ms.saturating_add(told.reset_after_ms.max(0));
        self.resets_ms = Some(self.resets_ms.map_or(resets_ms, |known| known.max(resets_ms)));
    }

    fn wait_ms(&self, urgency: Urgency, now_ms: i64) -> Option<i64> {
        let Some(limit) = self.limit else {
            let most = match urgency {
                Urgency::Interactive => FEW,
                Urgency::Background | Urgency::Spare => 1,
            };
            return (self.asking >= most).then_some(FIRST_MS);
        };
        let left = if self.is_fresh(now_ms) {
            limit.saturating_sub(self.asking)
        } else {
            self.remaining.min(self.told.saturating_sub(self.asking))
        };
        let needed = match urgency {
            Urgency::Background | Urgency::Spare if limit >= ROOMY => 2,
            Urgency::Background | Urgency::Spare | Urgency::Interactive => 1,
        };
        if left >= needed {
            return None;
        }
        let resets_in_ms = self.resets_ms.map(|resets_ms| resets_ms - now_ms);
        let resets_in_ms = resets_in_ms.filter(|in_ms| *in_ms > 0).unwrap_or(UNDER_WAY_MS);
        if self.remaining >= needed {
            // Calls under way may turn out to be counted already.
            return Some(resets_in_ms.min(UNDER_WAY_MS));
        }
        Some(resets_in_ms)
    }
}

#[cfg(test)]
#[path = "pacing_tests.rs"]
mod tests;
