//! The part of an emulator that is the same for every platform.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::response::Response;
use domain::clock::SharedClock;
use domain::random::{self, SharedRandom};
use tokio::sync::watch;

use super::faults::{Fault, FaultBook};
use super::journal::{Call, Journal};
use super::setup::Setup;

/// How a platform words a failure.
pub struct Refusals {
    /// Is told after how many seconds to come back.
    pub rate_limit: fn(u32) -> Response,
    pub error_500: fn() -> Response,
    pub error_403: fn() -> Response,
}

/// The journal of an emulator and its faults.
pub struct Hub {
    pub(crate) clock: SharedClock,
    pub(crate) random: SharedRandom,
    pub(crate) refusals: Refusals,
    journal: Mutex<Journal>,
    faults: Mutex<FaultBook>,
    /// Counts how often faults were removed, for those that hang.
    removals: watch::Sender<u64>,
}

impl Hub {
    pub(crate) fn new(setup: &Setup, refusals: Refusals) -> Self {
        Self {
            clock: setup.clock.clone(),
            random: setup.random.clone(),
            refusals,
            journal: Mutex::default(),
            faults: Mutex::default(),
            removals: watch::Sender::new(0),
        }
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    pub(crate) fn random_bytes<const N: usize>(&self) -> [u8; N] {
        random::bytes(&*self.random)
    }

    /// Random text of twice as many hexadecimal digits.
    pub(crate) fn random_hex<const N: usize>(&self) -> String {
        self.random_bytes::<N>()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    pub(crate) fn journal(&self) -> MutexGuard<'_, Journal> {
        lock(&self.journal)
    }

    /// How often this route was called since the last [`Hub::forget_calls`].
    pub fn count(&self, route: &str) -> u64 {
        self.journal().counts().get(route).copied().unwrap_or_default()
    }

    /// How often this route was answered with this status since then.
    pub fn answers(&self, route: &str, status: u16) -> u64 {
        self.journal().answers(route, status)
    }

    /// The last requests, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.journal().recent().cloned().collect()
    }

    /// The same, each handed out once. Counts go on.
    pub fn take_calls(&self) -> Vec<Call> {
        self.journal().take_recent()
    }

    pub fn forget_calls(&self) {
        self.journal().clear();
    }

    pub fn add_fault(&self, fault: Fault) {
        lock(&self.faults).add(fault, self.now_ms());
    }

    pub(crate) fn take_fault(&self, route: &str) -> Option<Fault> {
        lock(&self.faults).take(route, self.now_ms(), &*self.random)
    }

    /// The faults that are waiting.
    pub fn faults(&self) -> Vec<Fault> {
        lock(&self.faults).waiting().cloned().collect()
    }

    /// Removes all faults, and lets go of who hangs on one or is slow.
    pub fn remove_faults(&self) {
        lock(&self.faults).clear();
        self.removals.send_modify(|count| *count += 1);
    }

    /// Ends with the next removal of faults, counted from this call on.
    pub(crate) fn next_removal(&self) -> impl Future<Output = ()> + use<> {
        let mut removals = self.removals.subscribe();
        async move { drop(removals.changed().await) }
    }
}

/// A panic while holding one of our locks leaves a state that tests should still see.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
