//! Refusals of a service: answers that are remembered where they were given, and counted for whom they were given.

use std::collections::HashMap;

use crate::share;

/// Places that are remembered at once; further ones are asked again.
const MOST: usize = 10_000;
/// How often a full memory is searched for what is over: doing it for every newcomer would be an attack's own work.
const SWEEP_MS: i64 = 1_000;
/// Services count refusals over this time, and so do we.
const WINDOW_MS: i64 = 10 * 60_000;
/// Refusals in that time, far below where a service would shut us out.
const PER_WINDOW: u32 = 500;

/// A refusal that still counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    pub status: u16,
    pub retry_after_ms: i64,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    status: u16,
    from_ms: i64,
    until_ms: i64,
}

impl Known {
    /// A clock that was set back makes nothing last longer.
    fn is_over(&self, now_ms: i64) -> bool {
        !(self.from_ms..self.until_ms).contains(&now_ms)
    }
}

/// What one service has refused. Time is passed in.
#[derive(Debug, Default)]
pub struct Refusals {
    known: HashMap<String, Known>,
    swept_at_ms: i64,
    window: i64,
    by_all: u32,
    by_tenant: HashMap<i64, u32>,
}

impl Refusals {
    /// The refusal of this place, while it lasts.
    pub fn find(&self, place: &str, now_ms: i64) -> Option<Remembered> {
        let known = self.known.get(place).filter(|known| !known.is_over(now_ms))?;
        Some(Remembered {
            status: known.status,
            retry_after_ms: known.until_ms - now_ms,
        })
    }

    pub fn remember(&mut self, place: String, status: u16, lasts_ms: i64, now_ms: i64) {
        if self.known.len() >= MOST && (now_ms - self.swept_at_ms).abs() >= SWEEP_MS {
            self.swept_at_ms = now_ms;
            self.known.retain(|_, known| !known.is_over(now_ms));
        }
        if self.known.len() < MOST {
            let known = Known {
                status,
                from_ms: now_ms,
                until_ms: now_ms.saturating_add(lasts_ms),
            };
            self.known.insert(place, known);
        }
    }

    /// Counts a refusal for the tenant it was asked for.
    pub fn count(&mut self, tenant: i64, now_ms: i64) {
        self.begin(now_ms);
        self.by_all = self.by_all.saturating_add(1);
        *self.by_tenant.entry(tenant).or_default() += 1;
    }

    /// Whether this tenant may risk one more, or how long it waits.
    pub fn wait_ms(&mut self, tenant: i64, now_ms: i64) -> Option<i64> {
        self.begin(now_ms);
        let own = self.by_tenant.get(&tenant).copied().unwrap_or(0);
        let may = share::may_take(PER_WINDOW, self.by_all, own);
        (!may).then(|| WINDOW_MS - now_ms.rem_euclid(WINDOW_MS))
    }

    fn begin(&mut self, now_ms: i64) {
        let window = now_ms.div_euclid(WINDOW_MS);
        if window != self.window {
            self.window = window;
            self.by_all = 0;
            self.by_tenant.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    #[test]
    fn a_refusal_counts_where_it_was_given_and_while_it_lasts() {
        let mut refusals = Refusals::default();
        refusals.remember("GET /a 1".to_owned(), 403, 600_000, NOW);
        let expected = Remembered {
            status: 403,
            retry_after_ms: 1,
        };
        assert_eq!(refusals.find("GET /a 1", NOW + 599_999), Some(expected));
        assert_eq!(refusals.find("GET /a 1", NOW + 600_000), None);
        assert_eq!(refusals.find("GET /a 1", NOW - 1), None, "the clock was set back");
        assert_eq!(refusals.find("GET /a 2", NOW), None);
    }

    #[test]
    fn a_storm_of_places_stays_within_its_memory() {
        let mut refusals = Refusals::default();
        for number in 0..2 * MOST {
            refusals.remember(number.to_string(), 403, 1_000, NOW);
        }
        assert_eq!(refusals.known.len(), MOST);
        refusals.remember("new".to_owned(), 403, 1_000, NOW + 1_000);
        assert_eq!(refusals.known.len(), 1);
    }

    #[test]
    fn one_tenant_uses_a_tenth_and_leaves_the_rest_to_others() {
        let mut refusals = Refusals::default();
        let mut counted = 0;
        while refusals.wait_ms(1, NOW).is_none() {
            refusals.count(1, NOW);
            counted += 1;
        }
        assert_eq!(counted, 50);
        assert_eq!(refusals.wait_ms(2, NOW), None);
        let wait_ms = refusals.wait_ms(1, NOW).unwrap();
        assert_eq!(refusals.wait_ms(1, NOW + wait_ms), None, "the next window is new");
    }

    #[test]
    fn all_together_stay_below_the_line() {
        let mut refusals = Refusals::default();
        let mut counted = 0;
        for tenant in 0..10_000 {
            while refusals.wait_ms(tenant, NOW).is_none() {
                refusals.count(tenant, NOW);
                counted += 1;
            }
        }
        assert_eq!(counted, PER_WINDOW);
    }
}
