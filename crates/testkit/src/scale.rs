//! How hard a test tries, and how it waits.

use std::time::{Duration, Instant};

/// `small` in `make test`, `full` in `make torture`.
#[expect(clippy::disallowed_methods, reason = "the test runner says how hard to try")]
pub fn rounds(small: usize, full: usize) -> usize {
    match std::env::var("SYMBOLON_TEST_SCALE").as_deref() {
        Ok("full") => full,
        Ok(_) | Err(_) => small,
    }
}

/// Waits until the condition holds; fails after half a minute with what was awaited.
pub async fn wait_until<F: Future<Output = bool>>(what: &str, mut condition: impl FnMut() -> F) {
    let begun = Instant::now();
    while !condition().await {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "waited in vain: {what}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
