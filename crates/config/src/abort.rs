//! Tests end the process at points that it passes, to see that the next one goes on, and have it take too much memory.

#[cfg(debug_assertions)]
pub use debug::{abort_point, leak_point};
#[cfg(not(debug_assertions))]
pub use release::{abort_point, leak_point};

#[cfg(debug_assertions)]
mod debug {
    use std::hint::black_box;
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    /// How often the point was passed.
    static PASSED: AtomicU64 = AtomicU64::new(0);
    const LEAK: &str = "leak";
    const LEAKED_AT_ONCE: usize = 16 * 1024 * 1024;

    /// Ends the process where `SYMBOLON_TEST_ABORT_AT` names this point; with `point#7` when it passes it for the seventh
    /// time. A release has no such points.
    #[expect(
        clippy::disallowed_methods,
        reason = "tests say it by the environment, and this crate reads that"
    )]
    pub fn abort_point(name: &str) {
        let Ok(wanted) = std::env::var("SYMBOLON_TEST_ABORT_AT") else {
            return;
        };
        let (point, time) = wanted.split_once('#').unwrap_or((wanted.as_str(), "1"));
        if point != name {
            return;
        }
        let passed = PASSED.fetch_add(1, Ordering::SeqCst) + 1;
        if time.parse::<u64>() == Ok(passed) {
            std::process::abort();
        }
    }

    /// Takes more and more memory while a file `leak` lies in this folder. A release does not look.
    pub fn leak_point(folder: &Path) {
        let mark = folder.join(LEAK);
        let leaking = move || {
            let mut kept = Vec::new();
            loop {
                let leaks = mark.exists();
                if leaks {
                    kept.push(vec![1_u8; LEAKED_AT_ONCE]);
                    black_box(&kept);
                }
                std::thread::sleep(Duration::from_millis(if leaks { 250 } else { 1_000 }));
            }
        };
        drop(std::thread::Builder::new().name(LEAK.to_owned()).spawn(leaking));
    }
}

#[cfg(not(debug_assertions))]
mod release {
    use std::path::Path;

    /// A release has no such points.
    pub const fn abort_point(_: &str) {}

    /// A release does not look.
    pub const fn leak_point(_: &Path) {}
}
