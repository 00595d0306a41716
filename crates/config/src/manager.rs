//! What a service manager such as systemd tells the process that it starts.

use std::ffi::OsString;
use std::time::Duration;

/// Where it listens for news, and how often it wants a sign of life.
#[derive(Debug)]
pub struct Manager {
    /// A path, or a name after `@` that stands in no directory.
    pub socket: OsString,
    /// None when nobody watches.
    pub watchdog: Option<Duration>,
}

/// None when nobody asked to be told.
pub fn manager() -> Option<Manager> {
    let socket = std::env::var_os("NOTIFY_SOCKET").filter(|socket| !socket.is_empty())?;
    let number = |name: &str| std::env::var_os(name)?.to_str()?.parse::<u64>().ok();
    let is_for_us = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
    let watchdog = number("WATCHDOG_USEC").filter(|micros| is_for_us && *micros > 0);
    Some(Manager {
        socket,
        watchdog: watchdog.map(Duration::from_micros),
    })
}
