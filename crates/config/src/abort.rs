//! Tests end the process at points that it passes, to see that the next one goes on.

/// Ends the process where `SYMBOLON_TEST_ABORT_AT` names this point. A release has no such points.
#[cfg(debug_assertions)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests say it by the environment, and this crate reads that"
)]
pub fn abort_point(name: &str) {
    if std::env::var("SYMBOLON_TEST_ABORT_AT").is_ok_and(|wanted| wanted == name) {
        std::process::abort();
    }
}

/// A release has no such points.
#[cfg(not(debug_assertions))]
pub const fn abort_point(_: &str) {}
