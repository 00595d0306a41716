//! Rate limits and last use, kept in memory: one small cell per key, network or account.

use std::hash::Hash;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use domain::bot::BotId;
use domain::clock::SharedClock;
use domain::network::ClientNetwork;
use domain::plan::{RateLimit, Tier};
use domain::rate::{self, Decision};
use papaya::HashMap;

/// Buckets kept per kind; beyond it the rarely used ones are swept, then newcomers share one bucket.
const MAX_CELLS: usize = 65_536;
/// How often a full set of buckets is searched for idle ones.
const SWEEP_MS: i64 = 1_000;
/// A cell without calls for this long holds a full bucket at any sensible limit.
const IDLE_MS: i64 = 10 * 60_000;

/// Buckets run on the steady clock: when the wall clock is set back, nobody is refused for it. Only the times of last
/// use, which people read, are those of the wall clock.
pub struct Gate {
    clock: SharedClock,
    limits: Limits,
    keys: HashMap<i64, KeyCell>,
    networks: Buckets<ClientNetwork>,
    accounts: Buckets<i64>,
    bots: Buckets<BotId>,
    link_starts: Buckets<ClientNetwork>,
    link_steps: Buckets<ClientNetwork>,
}

/// What may pass, as the operator set it. A burst is what may pass at once after a rest.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Of each key whose Org has this plan.
    pub free: RateLimit,
    /// Of each key whose Org has this plan.
    pub standard: RateLimit,
    /// Of each key whose Org has this plan, and of each bot of the platform.
    pub pro: RateLimit,
    /// Of each network: well-formed keys and secrets that nobody holds, and signatures that do not fit.
    pub unknown_keys: RateLimit,
    /// Of each account.
    pub dashboard: RateLimit,
    /// Of each network: sign-ins that begin on a public page.
    pub link_starts: RateLimit,
    /// Of each network: buttons of public pages, and ways back from a sign-in.
    pub link_steps: RateLimit,
}

impl Limits {
    /// The limit of a key.
    pub(crate) fn of(&self, tier: Tier) -> RateLimit {
        match tier {
            Tier::Free => self.free,
            Tier::Standard => self.standard,
            Tier::Pro => self.pro,
        }
    }
}

#[derive(Default)]
struct KeyCell {
    bucket: AtomicI64,
    last_used_ms: AtomicI64,
    /// Highest `last_used_ms` already written down.
    recorded_ms: AtomicI64,
    query_calls: AtomicI64,
}

/// What a batch of last uses writes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    /// The key's row.
    pub key_num: i64,
    /// The latest use, by the wall clock.
    pub last_used_ms: i64,
    /// Calls with the key in the address since the last batch.
    pub query_calls: i64,
}

impl Gate {
    /// Every bucket starts full.
    pub(crate) fn new(limits: Limits, clock: SharedClock) -> Self {
        Self {
            clock,
            limits,
            keys: HashMap::new(),
            networks: Buckets::new(),
            accounts: Buckets::new(),
            bots: Buckets::new(),
            link_starts: Buckets::new(),
            link_steps: Buckets::new(),
        }
    }

    /// The limit of a key, for what tells callers about it.
    pub(crate) fn limit(&self, tier: Tier) -> RateLimit {
        self.limits.of(tier)
    }

    /// Takes one call from a key's bucket and remembers the use.
    pub fn take_key(&self, key_num: i64, tier: Tier, in_query: bool) -> Decision {
        let keys = self.keys.pin();
        let known = keys.get(&key_num);
        let cell = known.unwrap_or_else(|| keys.get_or_insert_with(key_num, KeyCell::default));
        cell.last_used_ms.fetch_max(self.clock.now_ms(), Relaxed);
        if in_query {
            cell.query_calls.fetch_add(1, Relaxed);
        }
        take(&cell.bucket, self.clock.steady_ms(), self.limits.of(tier))
    }

    /// The state of a key's bucket, for answers that did not count.
    pub(crate) fn peek_key(&self, key_num: i64, tier: Tier) -> Decision {
        let bucket = self
            .keys
            .pin()
            .get(&key_num)
            .map_or(0, |cell| cell.bucket.load(Relaxed));
        rate::peek(bucket, self.clock.steady_ms(), self.limits.of(tier))
    }

    /// Counts an unknown key, or another proof that is none, against the caller's network.
    pub fn take_unknown_key(&self, network: ClientNetwork) -> Decision {
        self.networks
            .take(network, self.clock.steady_ms(), self.limits.unknown_keys)
    }

    /// Counts a dashboard call against the account.
    pub(crate) fn take_account(&self, account_num: i64) -> Decision {
        self.accounts
            .take(account_num, self.clock.steady_ms(), self.limits.dashboard)
    }

    /// Counts a call of a bot. It may call as often as a key of the largest plan.
    pub fn take_bot(&self, bot: &BotId) -> Decision {
        self.bots
            .take(bot.clone(), self.clock.steady_ms(), self.limits.pro)
    }

    /// Counts a sign-in that begins on a public page.
    pub fn take_link_start(&self, network: ClientNetwork) -> Decision {
        self.link_starts
            .take(network, self.clock.steady_ms(), self.limits.link_starts)
    }

    /// Counts a button that somebody presses on a public page, and a way back from a sign-in.
    pub fn take_link_step(&self, network: ClientNetwork) -> Decision {
        let now_ms = self.clock.steady_ms();
        self.link_steps.take(network, now_ms, self.limits.link_steps)
    }

    /// Uses since the last call of this, in the order of their keys, and forgets cells that have been idle.
    pub fn drain_uses(&self) -> Vec<KeyUse> {
        let (now_ms, steady_ms) = (self.clock.now_ms(), self.clock.steady_ms());
        let keys = self.keys.pin();
        let mut uses = Vec::new();
        for (key_num, cell) in &keys {
            let last_used_ms = cell.last_used_ms.load(Relaxed);
            let query_calls = cell.query_calls.swap(0, Relaxed);
            if cell.recorded_ms.swap(last_used_ms, Relaxed) < last_used_ms || query_calls > 0 {
                uses.push(KeyUse {
                    key_num: *key_num,
                    last_used_ms,
                    query_calls,
                });
            }
        }
        // By the steady clock too: a wall clock that is set forward must not fill every bucket.
        keys.retain(|_, cell| {
            cell.last_used_ms.load(Relaxed) > now_ms - IDLE_MS || cell.bucket.load(Relaxed) > steady_ms * 1000
        });
        self.networks.sweep(steady_ms);
        self.accounts.sweep(steady_ms);
        self.bots.sweep(steady_ms);
        self.link_starts.sweep(steady_ms);
        self.link_steps.sweep(steady_ms);
        uses.sort_unstable_by_key(|used| used.key_num);
        uses
    }

    /// Puts uses back that could not be written.
    pub(crate) fn restore_uses(&self, uses: &[KeyUse]) {
        let keys = self.keys.pin();
        for lost in uses {
            let cell = keys.get_or_insert_with(lost.key_num, KeyCell::default);
            cell.last_used_ms.fetch_max(lost.last_used_ms, Relaxed);
            cell.recorded_ms.store(0, Relaxed);
            cell.query_calls.fetch_add(lost.query_calls, Relaxed);
        }
    }
}

/// Plain buckets with a bound on their number.
struct Buckets<K> {
    cells: HashMap<K, AtomicI64>,
    shared: AtomicI64,
    swept_at_ms: AtomicI64,
}

impl<K: Hash + Eq + Send + Sync> Buckets<K> {
    fn new() -> Self {
        Self {
            cells: HashMap::new(),
            shared: AtomicI64::new(0),
            swept_at_ms: AtomicI64::new(0),
        }
    }

    fn take(&self, key: K, steady_ms: i64, limit: RateLimit) -> Decision {
        let cells = self.cells.pin();
        if let Some(bucket) = cells.get(&key) {
            return take(bucket, steady_ms, limit);
        }
        // Looking through all of them for every newcomer would be the attack's own work; once a second is enough.
        if cells.len() >= MAX_CELLS && self.is_sweep_due(steady_ms) {
            self.sweep(steady_ms);
        }
        if cells.len() >= MAX_CELLS {
            return take(&self.shared, steady_ms, limit);
        }
        take(
            cells.get_or_insert_with(key, AtomicI64::default),
            steady_ms,
            limit,
        )
    }

    /// True for one caller a second.
    fn is_sweep_due(&self, steady_ms: i64) -> bool {
        let last = self.swept_at_ms.load(Relaxed);
        steady_ms - last >= SWEEP_MS
            && self
                .swept_at_ms
                .compare_exchange(last, steady_ms, Relaxed, Relaxed)
                .is_ok()
    }

    /// A bucket whose time has passed is full, the same as none.
    fn sweep(&self, steady_ms: i64) {
        self.cells
            .pin()
            .retain(|_, bucket| bucket.load(Relaxed) > steady_ms * 1000);
    }
}

fn take(bucket: &AtomicI64, steady_ms: i64, limit: RateLimit) -> Decision {
    let mut seen = bucket.load(Relaxed);
    loop {
        let decision = rate::decide(seen, steady_ms, limit);
        match bucket.compare_exchange_weak(seen, decision.new_tat, Relaxed, Relaxed) {
            Ok(_) => return decision,
            Err(newer) => seen = newer,
        }
    }
}

impl From<&config::Limits> for Limits {
    fn from(limits: &config::Limits) -> Self {
        let of = |tier: config::RateLimits| RateLimit {
            per_minute: tier.per_minute,
            burst: tier.burst,
            bulk_ids: tier.bulk_ids,
        };
        let plain = |per_minute, burst| RateLimit {
            per_minute,
            burst,
            bulk_ids: 1,
        };
        Limits {
            free: of(limits.free),
            standard: of(limits.standard),
            pro: of(limits.pro),
            unknown_keys: plain(limits.unknown_keys_per_minute, limits.unknown_keys_per_minute),
            dashboard: plain(limits.dashboard_per_second * 60, limits.dashboard_burst),
            link_starts: plain(limits.link_starts_per_minute, limits.link_starts_per_minute),
            link_steps: plain(limits.link_steps_per_minute, limits.link_steps_per_minute),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::clock::TestClock;
    use domain::network::ClientAddress;

    use super::*;

    const NOW: i64 = 1_700_000_000_000;

    fn gate(burst: u32) -> Gate {
        gate_at(burst, Arc::new(TestClock::new(NOW)))
    }

    fn gate_at(burst: u32, clock: SharedClock) -> Gate {
        let limit = RateLimit {
            per_minute: 60,
            burst,
            bulk_ids: 1,
        };
        let limits = Limits {
            free: limit,
            standard: limit,
            pro: limit,
            unknown_keys: limit,
            dashboard: limit,
            link_starts: limit,
            link_steps: limit,
        };
        Gate::new(limits, clock)
    }

    #[test]
    fn parallel_callers_never_get_more_than_the_burst() {
        let gate = gate(100);
        let allowed = AtomicI64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        if gate.take_key(7, Tier::Free, false).allowed {
                            allowed.fetch_add(1, Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(allowed.load(Relaxed), 100);
    }

    #[test]
    fn one_key_running_dry_leaves_another_alone() {
        let gate = gate(1);
        assert!(gate.take_key(1, Tier::Free, false).allowed);
        assert!(!gate.take_key(1, Tier::Free, false).allowed);
        assert!(gate.take_key(2, Tier::Free, false).allowed);
    }

    #[test]
    fn uses_are_handed_out_once_and_can_be_put_back() {
        let clock = Arc::new(TestClock::new(NOW));
        let gate = gate_at(10, Arc::clone(&clock) as SharedClock);
        gate.take_key(1, Tier::Free, true);
        clock.advance_ms(5);
        gate.take_key(1, Tier::Free, false);
        let uses = gate.drain_uses();
        assert_eq!(
            uses,
            [KeyUse {
                key_num: 1,
                last_used_ms: NOW + 5,
                query_calls: 1
            }]
        );
        assert!(gate.drain_uses().is_empty());
        gate.restore_uses(&uses);
        assert_eq!(gate.drain_uses(), uses);
    }

    #[test]
    fn a_storm_of_networks_stays_within_its_memory() {
        let clock = Arc::new(TestClock::new(NOW));
        let gate = gate_at(2, Arc::clone(&clock) as SharedClock);
        for number in 0..(MAX_CELLS as u32 + 5_000) {
            let address = std::net::Ipv4Addr::from(number << 8).into();
            let network = ClientNetwork::of(ClientAddress::Known(address));
            gate.take_unknown_key(network);
        }
        assert!(gate.networks.cells.len() <= MAX_CELLS);
        clock.advance_ms(10 * 60_000);
        gate.drain_uses();
        assert_eq!(gate.networks.cells.len(), 0);
    }
}
