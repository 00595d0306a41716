use std::sync::Arc;

use domain::clock::TestClock;
use domain::network::ClientAddress;

use super::*;
use crate::memories::buckets::MAX_CELLS;

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
    assert!(gate.networks.len() <= MAX_CELLS);
    clock.advance_ms(10 * 60_000);
    gate.drain_uses();
    assert_eq!(gate.networks.len(), 0);
}
