//! The bot's process that this node has started, and when it was last heard.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Times are those of the steady clock.
#[derive(Default)]
pub struct Child(Mutex<Option<Known>>);

struct Known {
    instance: String,
    heard_ms: i64,
}

impl Child {
    /// It is expected to say something from now on.
    pub fn expect(&self, instance: &str, steady_ms: i64) {
        *self.lock() = Some(Known {
            instance: instance.to_owned(),
            heard_ms: steady_ms,
        });
    }

    /// A process said something; it may be another one.
    pub(crate) fn heard(&self, instance: &str, steady_ms: i64) {
        if let Some(known) = self.lock().as_mut().filter(|known| known.instance == instance) {
            known.heard_ms = steady_ms;
        }
    }

    /// It could not be heard until now.
    pub fn pardon(&self, steady_ms: i64) {
        if let Some(known) = self.lock().as_mut() {
            known.heard_ms = steady_ms;
        }
    }

    /// For how long it has been silent.
    pub fn silent_ms(&self, steady_ms: i64) -> i64 {
        self.lock().as_ref().map_or(0, |known| steady_ms - known.heard_ms)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_child_itself_ends_its_silence() {
        let child = Child::default();
        assert_eq!(child.silent_ms(5), 0, "there is none");
        child.expect("one", 10);
        child.heard("other", 20);
        assert_eq!(child.silent_ms(25), 15);
        child.heard("one", 20);
        assert_eq!(child.silent_ms(25), 5);
    }
}
