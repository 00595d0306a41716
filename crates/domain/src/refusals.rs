//! Refusals of a service: answers that are remembered where they were given, and counted for whom they were given.
//! The memory is of one set of credentials; the count is of all that leave from one address.

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
/// Beyond them only people of tenants without any refusal may ask, up to this: a tenth of where Discord shuts an address
/// out.
const HARD_LINE: u32 = 1_000;
/// How long the background waits for questions under way, which may all be refused.
const UNDER_WAY_MS: i64 = 1_000;
/// One part in so many of a tenant's own share is the most for one route.
const ROUTE_PARTS: u32 = 2;
/// Questions of one tenant without refusals that may be under way at once: as many could be refused before we know.
const AT_ONCE: u32 = 100;

/// A refusal that still counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    pub status: u16,
    pub retry_after_ms: i64,
    /// The service's own number for the reason, where it is known.
    pub code: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct LastRefusal {
    status: u16,
    until_ms: i64,
    code: Option<u32>,
}

/// What one tenant has, by the route.
#[derive(Debug, Default)]
struct Own {
    all: u32,
    by_route: HashMap<&'static str, u32>,
}

impl Own {
    fn on(&self, route: &'static str) -> u32 {
        self.by_route.get(route).copied().unwrap_or(0)
    }

    fn add(&mut self, route: &'static str) {
        self.all += 1;
        *self.by_route.entry(route).or_default() += 1;
    }

    fn take(&mut self, route: &'static str) {
        self.all = self.all.saturating_sub(1);
        if let Some(count) = self.by_route.get_mut(route) {
            *count = count.saturating_sub(1);
        }
    }
}

/// What one service has refused to one set of credentials. Time is passed in, of a clock that never steps.
#[derive(Debug, Default)]
pub struct Refusals {
    known: HashMap<String, LastRefusal>,
    swept_at_ms: i64,
}

/// How often a service has refused us, whichever credentials were shown. Time is passed in, of a clock that never steps.
#[derive(Debug, Default)]
pub struct Tally {
    window: i64,
    by_all: u32,
    by_tenant: HashMap<i64, Own>,
    /// Questions under way, which may all be refused.
    asking: HashMap<i64, Own>,
    asking_all: u32,
}

impl Refusals {
    /// The refusal of this place, while it lasts.
    pub fn find(&self, place: &str, now_ms: i64) -> Option<Remembered> {
        let known = self.known.get(place).filter(|known| known.until_ms > now_ms)?;
        Some(Remembered {
            status: known.status,
            retry_after_ms: known.until_ms - now_ms,
            code: known.code,
        })
    }

    /// Remembers a refusal. One that is known already is renewed, and `always` takes a place in a full memory too.
    pub fn remember(&mut self, place: String, status: u16, lasts_ms: i64, now_ms: i64, always: bool) {
        if self.known.len() >= MOST && now_ms - self.swept_at_ms >= SWEEP_MS {
            self.swept_at_ms = now_ms;
            self.known.retain(|_, known| known.until_ms > now_ms);
        }
        if self.known.len() < MOST || always || self.known.contains_key(&place) {
            let known = LastRefusal {
                status,
                until_ms: now_ms.saturating_add(lasts_ms),
                code: None,
            };
            self.known.insert(place, known);
        }
    }

    /// Adds the service's own number to the refusal of this place.
    pub fn note_code(&mut self, place: &str, code: Option<u32>) {
        if let Some(known) = self.known.get_mut(place) {
            known.code = code;
        }
    }

    /// Forgets the refusal of this place: it was answered.
    pub fn forget(&mut self, place: &str) {
        self.known.remove(place);
    }

    /// Forgets the refusals of all places that have this word in their name.
    pub fn forget_all_of(&mut self, word: &str) {
        self.known
            .retain(|place, _| !place.split(' ').any(|part| part == word));
    }
}

impl Tally {
    /// A question of the tenant is on its way.
    pub fn ask(&mut self, tenant: i64, route: &'static str) {
        self.asking_all = self.asking_all.saturating_add(1);
        self.asking.entry(tenant).or_default().add(route);
    }

    /// It is over; a refusal is counted for the tenant and the route.
    pub fn end(&mut self, tenant: i64, route: &'static str, was_refused: bool, now_ms: i64) {
        self.begin(now_ms);
        self.asking_all = self.asking_all.saturating_sub(1);
        if let Some(asking) = self.asking.get_mut(&tenant) {
            asking.take(route);
            if asking.all == 0 {
                self.asking.remove(&tenant);
            }
        }
        if was_refused {
            self.by_all = self.by_all.saturating_add(1);
            self.by_tenant.entry(tenant).or_default().add(route);
        }
    }

    /// How long this tenant waits until it may risk one more on this route; nothing when it may now.
    pub fn wait_ms(&mut self, tenant: i64, route: &'static str, now_ms: i64) -> Option<i64> {
        self.begin(now_ms);
        (!self.may_risk(tenant, route)).then(|| window_ends_in_ms(now_ms))
    }

    /// How long work in the background waits besides: it leaves the rest of the way to the hard line to people.
    pub fn background_wait_ms(&mut self, now_ms: i64) -> Option<i64> {
        self.begin(now_ms);
        if self.by_all >= PER_WINDOW {
            return Some(window_ends_in_ms(now_ms));
        }
        let may_become = self.by_all.saturating_add(self.asking_all);
        (may_become >= PER_WINDOW).then(|| UNDER_WAY_MS.min(window_ends_in_ms(now_ms)))
    }

    /// Refusals of all in this window.
    pub fn count(&mut self, now_ms: i64) -> u32 {
        self.begin(now_ms);
        self.by_all
    }

    /// Counts refusals that nobody knows the tenants of any more.
    pub fn restore(&mut self, refused: u32, now_ms: i64) {
        self.begin(now_ms);
        self.by_all = self.by_all.saturating_add(refused);
    }

    /// Each route leaves the tenant's other ones something, as each tenant does for the others.
    fn may_risk(&self, tenant: i64, route: &'static str) -> bool {
        let asking = self.asking.get(&tenant);
        let asks = asking.map_or(0, |asking| asking.all);
        let Some(own) = self.by_tenant.get(&tenant) else {
            return asks < AT_ONCE && self.by_all.saturating_add(self.asking_all) < HARD_LINE;
        };
        let on_route = own.on(route) + asking.map_or(0, |asking| asking.on(route));
        let of_tenant = own.all + asks;
        let by_others = of_tenant - on_route;
        let by_all = self.by_all + asks;
        let left = share::most(PER_WINDOW, by_all, of_tenant).saturating_sub(by_others);
        share::may_take(PER_WINDOW, by_all, of_tenant) && on_route < left.div_ceil(ROUTE_PARTS)
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

fn window_ends_in_ms(now_ms: i64) -> i64 {
    WINDOW_MS - now_ms.rem_euclid(WINDOW_MS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;
    const ROUTES: [&str; 3] = ["GET /a", "PUT /a", "GET /b"];

    /// Asks and is refused until it has to wait.
    fn collect(tally: &mut Tally, tenant: i64, route: &'static str) -> u32 {
        let mut counted = 0;
        while tally.wait_ms(tenant, route, NOW).is_none() {
            tally.ask(tenant, route);
            tally.end(tenant, route, true, NOW);
            counted += 1;
        }
        counted
    }

    #[test]
    fn a_refusal_counts_where_it_was_given_and_while_it_lasts() {
        let mut refusals = Refusals::default();
        refusals.remember("GET /a 1".to_owned(), 403, 600_000, NOW, false);
        refusals.note_code("GET /a 1", Some(50_013));
        refusals.note_code("GET /a 2", Some(50_013));
        let expected = Remembered {
            status: 403,
            retry_after_ms: 1,
            code: Some(50_013),
        };
        assert_eq!(refusals.find("GET /a 1", NOW + 599_999), Some(expected));
        assert_eq!(refusals.find("GET /a 1", NOW + 600_000), None);
        assert_eq!(refusals.find("GET /a 2", NOW), None);
    }

    #[test]
    fn a_storm_of_places_stays_within_its_memory() {
        let mut refusals = Refusals::default();
        for number in 0..2 * MOST {
            refusals.remember(number.to_string(), 403, 1_000, NOW, false);
        }
        assert_eq!(refusals.known.len(), MOST);
        refusals.remember("new".to_owned(), 403, 1_000, NOW + 1_000, false);
        assert_eq!(refusals.known.len(), 1);
    }

    #[test]
    fn a_full_memory_still_takes_what_is_refused_whatever_is_asked() {
        let mut refusals = Refusals::default();
        for number in 0..MOST {
            refusals.remember(number.to_string(), 403, 1_000, NOW, false);
        }
        refusals.remember("*".to_owned(), 429, 1_000, NOW, true);
        refusals.remember("7".to_owned(), 403, 5_000, NOW, false);
        assert!(refusals.find("*", NOW).is_some());
        assert!(refusals.find("7", NOW + 4_000).is_some(), "renewed");
    }

    #[test]
    fn questions_under_way_count_before_their_answers_are_there() {
        let mut tally = Tally::default();
        let mut begun = 0;
        while tally.wait_ms(1, ROUTES[0], NOW).is_none() {
            tally.ask(1, ROUTES[0]);
            begun += 1;
        }
        assert_eq!(begun, AT_ONCE, "of a tenant without a refusal");
        for tenant in 2..=9 {
            for _ in 0..AT_ONCE {
                assert_eq!(tally.wait_ms(tenant, ROUTES[0], NOW), None);
                tally.ask(tenant, ROUTES[0]);
            }
        }
        for _ in 0..AT_ONCE {
            assert_eq!(tally.wait_ms(10, ROUTES[0], NOW), None);
            tally.ask(10, ROUTES[0]);
        }
        assert!(tally.wait_ms(11, ROUTES[0], NOW).is_some(), "the hard line");
        for _ in 0..AT_ONCE {
            tally.end(1, ROUTES[0], false, NOW);
        }
        assert_eq!(tally.wait_ms(1, ROUTES[0], NOW), None);
        tally.end(10, ROUTES[0], true, NOW);
        assert!(
            tally.wait_ms(10, ROUTES[0], NOW).is_some(),
            "99 more may be refused"
        );
    }

    #[test]
    fn one_route_uses_half_of_a_tenants_share_and_leaves_the_rest_to_its_others() {
        let mut tally = Tally::default();
        let counted = ROUTES.map(|route| collect(&mut tally, 1, route));
        assert_eq!(counted, [25, 13, 6]);
        let wait_ms = tally.wait_ms(1, ROUTES[0], NOW).unwrap();
        assert_eq!(
            tally.wait_ms(1, ROUTES[0], NOW + wait_ms),
            None,
            "the next window is new"
        );
    }

    #[test]
    fn however_many_tenants_use_up_the_rest_one_without_a_refusal_may_ask() {
        let mut tally = Tally::default();
        assert_eq!(collect(&mut tally, 0, ROUTES[0]), 25);
        let counted: u32 = (1..200)
            .map(|tenant| collect(&mut tally, tenant, ROUTES[0]))
            .sum();
        assert!(25 + counted > PER_WINDOW);
        assert!(tally.wait_ms(0, ROUTES[1], NOW).is_some(), "one of those who did");
        assert_eq!(tally.wait_ms(200, ROUTES[0], NOW), None);
        tally.ask(200, ROUTES[0]);
        tally.end(200, ROUTES[0], true, NOW);
        assert!(tally.wait_ms(200, ROUTES[0], NOW).is_some(), "once");
    }

    #[test]
    fn the_background_stops_at_half_of_the_way_to_the_hard_line() {
        let mut tally = Tally::default();
        for tenant in 0..i64::from(PER_WINDOW) {
            assert_eq!(tally.background_wait_ms(NOW), None);
            tally.ask(tenant, ROUTES[0]);
            tally.end(tenant, ROUTES[0], true, NOW);
        }
        let wait_ms = tally.background_wait_ms(NOW).unwrap();
        assert_eq!(tally.wait_ms(-1, ROUTES[0], NOW), None, "somebody who waits");
        assert_eq!(tally.background_wait_ms(NOW + wait_ms), None);
        assert_eq!(tally.count(NOW + wait_ms), 0);
    }

    #[test]
    fn the_background_waits_for_questions_that_may_all_be_refused() {
        let mut tally = Tally::default();
        for tenant in 0..i64::from(PER_WINDOW) {
            tally.ask(tenant, ROUTES[0]);
        }
        assert_eq!(tally.background_wait_ms(NOW), Some(UNDER_WAY_MS));
        tally.end(0, ROUTES[0], false, NOW);
        assert_eq!(tally.background_wait_ms(NOW), None);
    }

    #[test]
    fn what_is_answered_again_is_forgotten() {
        let mut refusals = Refusals::default();
        for place in ["GET /a 1", "GET /a 11", "PUT /a 1 7"] {
            refusals.remember(place.to_owned(), 403, 1_000, NOW, false);
        }
        refusals.forget("GET /a 11");
        assert!(refusals.find("GET /a 11", NOW).is_none() && refusals.find("GET /a 1", NOW).is_some());
        refusals.forget_all_of("1");
        assert!(refusals.known.is_empty());
    }

    #[test]
    fn all_together_stay_below_the_hard_line() {
        let mut tally = Tally::default();
        let counted: u32 = (0..10_000)
            .map(|tenant| collect(&mut tally, tenant, ROUTES[0]))
            .sum();
        assert_eq!(counted, HARD_LINE);
        assert!(tally.by_tenant.len() <= HARD_LINE as usize);
    }

    proptest! {
        #[test]
        fn whatever_the_order_nobody_takes_more_than_their_share_or_stops_a_newcomer(
            asking in prop::collection::vec((0..400_i64, 0..3_usize), 0..4_000),
        ) {
            let mut tally = Tally::default();
            for (tenant, route) in asking {
                // Some tenants ask far more often than others.
                let tenant = tenant * tenant / 400;
                if tally.wait_ms(tenant, ROUTES[route], NOW).is_none() {
                    tally.ask(tenant, ROUTES[route]);
                    tally.end(tenant, ROUTES[route], true, NOW);
                }
            }
            prop_assert!(tally.by_all <= HARD_LINE);
            for own in tally.by_tenant.values() {
                prop_assert!(own.all <= PER_WINDOW / 10);
                prop_assert!(own.by_route.values().all(|count| *count <= PER_WINDOW / 20));
                prop_assert_eq!(own.by_route.values().sum::<u32>(), own.all);
            }
            let newcomer = tally.wait_ms(-1, ROUTES[0], NOW);
            prop_assert_eq!(newcomer.is_none(), tally.by_all < HARD_LINE);
        }
    }
}
