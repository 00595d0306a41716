//! Where unpredictable bytes come from.

use std::sync::{Arc, Mutex, PoisonError};

/// Fills buffers with random bytes. Callers never see a failure, see [`SystemRandom`].
pub trait Random: Send + Sync + 'static {
    fn fill(&self, out: &mut [u8]);
}

/// The source that all parts of one process share.
pub type SharedRandom = Arc<dyn Random>;

/// A fresh array of random bytes.
pub fn bytes<const N: usize>(random: &dyn Random) -> [u8; N] {
    let mut out = [0; N];
    random.fill(&mut out);
    out
}

/// The operating system's generator. If it fails the process aborts: going on would mean guessable keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the process asks the operating system for randomness"
    )]
    fn fill(&self, out: &mut [u8]) {
        if getrandom::fill(out).is_err() {
            std::process::abort();
        }
    }
}

/// The same bytes for the same seed. For tests only: anyone who knows the seed knows every secret.
#[derive(Debug)]
pub struct SeededRandom(Mutex<u64>);

impl SeededRandom {
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Random for SeededRandom {
    fn fill(&self, out: &mut [u8]) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for chunk in out.chunks_mut(8) {
            let block = split_mix(&mut state).to_le_bytes();
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_same_bytes() {
        let (one, two) = (SeededRandom::new(7), SeededRandom::new(7));
        assert_eq!(bytes::<37>(&one), bytes::<37>(&two));
        assert_ne!(bytes::<16>(&one), bytes::<16>(&SeededRandom::new(8)));
    }

    #[test]
    fn seeded_bytes_do_not_repeat() {
        let random = SeededRandom::new(1);
        assert_ne!(bytes::<16>(&random), bytes::<16>(&random));
    }

    #[test]
    fn system_bytes_do_not_repeat() {
        assert_ne!(bytes::<32>(&SystemRandom), bytes::<32>(&SystemRandom));
    }
}
