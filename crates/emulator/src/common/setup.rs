//! What an emulator is started with.

use std::sync::Arc;

use domain::clock::SharedClock;
use domain::random::{SeededRandom, SharedRandom, SystemRandom};

/// Time, chance and a port. The address is always loopback: what runs here believes everybody.
#[derive(Clone)]
pub struct Setup {
    pub(crate) clock: SharedClock,
    pub(crate) random: SharedRandom,
    pub(crate) port: u16,
}

impl Setup {
    /// On any free port. Give it the product's clock, so that both live at the same time.
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            random: Arc::new(SystemRandom),
            port: 0,
        }
    }

    /// The same tokens, ids and lost requests in every run.
    pub fn seeded(mut self, seed: u64) -> Self {
        self.random = Arc::new(SeededRandom::new(seed));
        self
    }

    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }
}
