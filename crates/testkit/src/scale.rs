//! How hard a test tries, and how it waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// `small` in `make test`, `full` in `make torture`.
#[expect(clippy::disallowed_methods, reason = "the test runner says how hard to try")]
pub fn rounds(small: usize, full: usize) -> usize {
    match std::env::var("SYMBOLON_TEST_SCALE").as_deref() {
        Ok("full") => full,
        Ok(_) | Err(_) => small,
    }
}

/// Waits until the condition holds; fails after two minutes with what was awaited, for a busy machine takes its time.
pub async fn wait_until<F: Future<Output = bool>>(what: &str, mut condition: impl FnMut() -> F) {
    let begun = Instant::now();
    while !condition().await {
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "waited in vain: {what}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// How often the machine is asked for a moment of its time.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Does the work, and tells how long it took without the time for which a busy machine kept this process waiting. Who
/// promises an answer within some time does not promise a fast machine.
pub async fn own_time<F: Future>(work: F) -> (F::Output, Duration) {
    let over = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&over);
    let looking = std::thread::spawn(move || {
        let mut late = Duration::ZERO;
        while !is_over.load(Ordering::Relaxed) {
            let begun = Instant::now();
            std::thread::sleep(LOOK_EVERY);
            late += begun.elapsed().saturating_sub(LOOK_EVERY);
        }
        late
    });
    let begun = Instant::now();
    let output = work.await;
    let took = begun.elapsed();
    over.store(true, Ordering::Relaxed);
    let late = looking.join().expect("nobody ends it");
    (output, took.saturating_sub(late))
}
