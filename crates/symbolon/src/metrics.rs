//! What only the process knows of itself: its version, what it takes of the machine, its log, the last backup.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::records::log_lines;
use domain::release::VERSION;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use web::metrics::More;

use crate::{backup, version};

/// The unit of Linux for the time of a process, in seconds; fixed for programs.
const TICK: f64 = 0.01;

/// What is added to the numbers of the application.
pub fn of_process(data_dir: &Path) -> More {
    let data_dir: PathBuf = data_dir.to_owned();
    Arc::new(move |registry| {
        process(registry);
        let ours = registry.sub_registry_with_prefix("symbolon");
        ours.register(
            "build",
            "The running version",
            Info::new([("version", VERSION), ("commit", version::commit())]),
        );
        ours.register(
            "log_lines_dropped",
            "Log lines that could not be written in time",
            ConstCounter::new(log_lines::dropped()),
        );
        if let Some(at_ms) = backup::last_made(&data_dir) {
            ours.register(
                "last_backup_timestamp_seconds",
                "When the last successful backup began",
                ConstGauge::new(at_ms as f64 / 1_000.0),
            );
        }
    })
}

/// Under the names that every exporter uses. What this system does not tell is left out.
fn process(registry: &mut Registry) {
    if let Some(seconds) = cpu_seconds() {
        registry.register(
            "process_cpu_seconds",
            "CPU time of all threads",
            ConstCounter::new(seconds),
        );
    }
    if let Some(bytes) = resident_bytes() {
        registry.register(
            "process_resident_memory_bytes",
            "Resident memory",
            ConstGauge::new(bytes),
        );
    }
    if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
        registry.register(
            "process_open_fds",
            "Open files and connections",
            ConstGauge::new(open.count()),
        );
    }
}

fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the name in brackets, which may hold anything. Behind it, user and system time are the
    // twelfth and the thirteenth.
    let (_, behind) = stat.rsplit_once(')')?;
    let mut times = behind.split_whitespace().skip(11).map(str::parse::<f64>);
    Some((times.next()?.ok()? + times.next()?.ok()?) * TICK)
}

fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}
