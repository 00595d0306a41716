//! Refusals of a service: answers that are remembered where they were given, and counted for whom they were given.

use std::collections::HashMap;

use crate::share;

/// Places that are remembered at once; further ones are asked again.
const MOST: usize = 10_000;
/// How often a full memory is searched for what is over: doing it for every newcomer would be an attack's own work.
const SWEEP_MS: i64 = 1_000;
/// Services count refusals over this time, and so do we.
const WINDOW_MS: i64 = 10 * 60_000;
/// Refusals in that time that tenants share, far below where a service would shut us out.
const PER_WINDOW: u32 = 500;
/// Beyond them only tenants without any refusal may ask, up to this: a tenth of where Discord shuts an address out.
const HARD_LINE: u32 = 1_000;
/// One part in so many of a tenant's own share is the most for one route.
const ROUTE_PARTS: u32 = 2;

/// A refusal that still counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    pub status: u16,
    pub retry_after_ms: i64,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    status: u16,
    until_ms: i64,
}

/// Refusals that were given to one tenant.
#[derive(Debug, Default)]
struct Own {
    all: u32,
    by_route: HashMap<&'static str, u32>,
}

/// What one service has refused. Time is passed in, of a clock that never steps.
#[derive(Debug, Default)]
pub struct Refusals {
    known: HashMap<String, Known>,
    swept_at_ms: i64,
    window: i64,
    by_all: u32,
    by_tenant: HashMap<i64, Own>,
}

impl Refusals {
    /// The refusal of this place, while it lasts.
    pub fn find(&self, place: &str, now_ms: i64) -> Option<Remembered> {
        let known = self.known.get(place).filter(|known| known.until_ms > now_ms)?;
        Some(Remembered {
            status: known.status,
            retry_after_ms: known.until_ms - now_ms,
        })
    }

    pub fn remember(&mut self, place: String, status: u16, lasts_ms: i64, now_ms: i64) {
        if self.known.len() >= MOST && now_ms - self.swept_at_ms >= SWEEP_MS {
            self.swept_at_ms = now_ms;
            self.known.retain(|_, known| known.until_ms > now_ms);
        }
        if self.known.len() < MOST {
            let known = Known {
                status,
                until_ms: now_ms.saturating_add(lasts_ms),
            };
            self.known.insert(place, known);
        }
    }

    /// Counts a refusal for the tenant and the route it was asked on.
    pub fn count(&mut self, tenant: i64, route: &'static str, now_ms: i64) {
        self.begin(now_ms);
        self.by_all = self.by_all.saturating_add(1);
        let own = self.by_tenant.entry(tenant).or_default();
        own.all += 1;
        *own.by_route.entry(route).or_default() += 1;
    }

    /// How long this tenant waits until it may risk one more on this route; nothing when it may now.
    pub fn wait_ms(&mut self, tenant: i64, route: &'static str, now_ms: i64) -> Option<i64> {
        self.begin(now_ms);
        (!self.may_risk(tenant, route)).then(|| WINDOW_MS - now_ms.rem_euclid(WINDOW_MS))
    }

    /// Each route leaves the tenant's other ones something, as each tenant does for the others.
    fn may_risk(&self, tenant: i64, route: &'static str) -> bool {
        let Some(own) = self.by_tenant.get(&tenant) else {
            return self.by_all < HARD_LINE;
        };
        let on_route = own.by_route.get(route).copied().unwrap_or(0);
        let by_others = own.all - on_route;
        let left = share::most(PER_WINDOW, self.by_all, own.all).saturating_sub(by_others);
        share::may_take(PER_WINDOW, self.by_all, own.all) && on_route < left.div_ceil(ROUTE_PARTS)
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
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;
    const ROUTES: [&str; 3] = ["GET /a", "PUT /a", "GET /b"];

    /// Asks and is refused until it has to wait.
    fn collect(refusals: &mut Refusals, tenant: i64, route: &'static str) -> u32 {
        let mut counted = 0;
        while refusals.wait_ms(tenant, route, NOW).is_none() {
            refusals.count(tenant, route, NOW);
            counted += 1;
        }
        counted
    }

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
    fn one_route_uses_half_of_a_tenants_share_and_leaves_the_rest_to_its_others() {
        let mut refusals = Refusals::default();
        let counted = ROUTES.map(|route| collect(&mut refusals, 1, route));
        assert_eq!(counted, [25, 13, 6]);
        let wait_ms = refusals.wait_ms(1, ROUTES[0], NOW).unwrap();
        assert_eq!(
            refusals.wait_ms(1, ROUTES[0], NOW + wait_ms),
            None,
            "the next window is new"
        );
    }

    #[test]
    fn however_many_tenants_use_up_the_rest_one_without_a_refusal_may_ask() {
        let mut refusals = Refusals::default();
        assert_eq!(collect(&mut refusals, 0, ROUTES[0]), 25);
        let counted: u32 = (1..200)
            .map(|tenant| collect(&mut refusals, tenant, ROUTES[0]))
            .sum();
        assert!(25 + counted > PER_WINDOW);
        assert!(
            refusals.wait_ms(0, ROUTES[1], NOW).is_some(),
            "one of those who did"
        );
        assert_eq!(refusals.wait_ms(200, ROUTES[0], NOW), None);
        refusals.count(200, ROUTES[0], NOW);
        assert!(refusals.wait_ms(200, ROUTES[0], NOW).is_some(), "once");
    }

    #[test]
    fn all_together_stay_below_the_hard_line() {
        let mut refusals = Refusals::default();
        let counted: u32 = (0..10_000)
            .map(|tenant| collect(&mut refusals, tenant, ROUTES[0]))
            .sum();
        assert_eq!(counted, HARD_LINE);
        assert!(refusals.by_tenant.len() <= HARD_LINE as usize);
    }

    proptest! {
        #[test]
        fn whatever_the_order_nobody_takes_more_than_their_share_or_stops_a_newcomer(
            asking in prop::collection::vec((0..400_i64, 0..3_usize), 0..4_000),
        ) {
            let mut refusals = Refusals::default();
            for (tenant, route) in asking {
                // Some tenants ask far more often than others.
                let tenant = tenant * tenant / 400;
                if refusals.wait_ms(tenant, ROUTES[route], NOW).is_none() {
                    refusals.count(tenant, ROUTES[route], NOW);
                }
            }
            prop_assert!(refusals.by_all <= HARD_LINE);
            for own in refusals.by_tenant.values() {
                prop_assert!(own.all <= PER_WINDOW / 10);
                prop_assert!(own.by_route.values().all(|count| *count <= PER_WINDOW / 20));
                prop_assert_eq!(own.by_route.values().sum::<u32>(), own.all);
            }
            let newcomer = refusals.wait_ms(-1, ROUTES[0], NOW);
            prop_assert_eq!(newcomer.is_none(), refusals.by_all < HARD_LINE);
        }
    }
}
