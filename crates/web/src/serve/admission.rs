//! Who may open one more connection.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ipnet::IpNet;
use prometheus_client::metrics::counter::Counter;

use super::Limits;
use crate::metrics::CONNECTIONS;

pub(super) struct Admission {
    peers: Arc<PeerCounts>,
    max_per_peer: usize,
    trusted_peers: Arc<[IpNet]>,
    refused: Counter,
}

/// The right to be connected; dropping it makes room for the next.
pub(super) struct Ticket {
    _peer: Option<PeerSlot>,
}

/// Open connections per address. Addresses without any are not kept.
#[derive(Default)]
struct PeerCounts(Mutex<HashMap<IpAddr, usize>>);

struct PeerSlot {
    counts: Arc<PeerCounts>,
    ip: IpAddr,
}

impl Admission {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            peers: Arc::default(),
            max_per_peer: limits.max_connections_per_peer.max(1),
            trusted_peers: limits.trusted_peers.clone(),
            refused: CONNECTIONS.refused_to_peers(),
        }
    }

    /// A ticket for one connection from `ip`, or none if that address has its share already.
    pub(super) fn admit(&self, ip: IpAddr) -> Option<Ticket> {
        let peer = if self.trusted_peers.iter().any(|net| net.contains(&ip)) {
            None
        } else {
            let Some(slot) = self.peers.take(ip, self.max_per_peer) else {
                self.refused.inc();
                return None;
            };
            Some(slot)
        };
        CONNECTIONS.open.inc();
        Some(Ticket { _peer: peer })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        CONNECTIONS.open.dec();
    }
}

impl PeerCounts {
    fn take(self: &Arc<Self>, ip: IpAddr, max: usize) -> Option<PeerSlot> {
        let mut counts = self.lock();
        let count = counts.entry(ip).or_default();
        if *count >= max {
            return None;
        }
        *count += 1;
        Some(PeerSlot {
            counts: self.clone(),
            ip,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // Nothing can panic half way through a change, so a poisoned map is still right.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PeerSlot {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.ip) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.ip);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_without_connections_take_no_memory() {
        let limits = Limits {
            max_connections_per_peer: 2,
            ..Limits::default()
        };
        let admission = Admission::new(&limits);
        let ip = IpAddr::from([192, 0, 2, 1]);

        let tickets = [admission.admit(ip), admission.admit(ip)];
        assert!(tickets.iter().all(Option::is_some));
        assert!(admission.admit(ip).is_none());
        assert_eq!(admission.peers.lock().get(&ip), Some(&2));

        drop(tickets);
        assert!(admission.peers.lock().is_empty());
    }
}
