//! The process log: one line per event, JSON for machines or text for people.

use config::{Log, LogFormat};
use tracing_subscriber::EnvFilter;

/// Starts logging to standard error; a second call changes nothing.
pub fn start(log: &Log) {
    // Our own crates at the chosen level; what others say below a warning is theirs.
    let directives = ["app", "platform", "storage", "web", "symbolon"]
        .map(|ours| [ours, "=", &log.level].concat())
        .join(",");
    let filter = EnvFilter::builder().parse_lossy(["warn,", &directives].concat());
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = match log.format {
        LogFormat::Json => builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .try_init(),
        LogFormat::Text => builder.with_ansi(false).try_init(),
    };
    drop(started);
    std::panic::set_hook(Box::new(note_panic));
}

/// A panic's text may quote what it worked on, so keys are cut and the line goes where all lines go.
fn note_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let text = domain::key::redact(panic.payload_as_str().unwrap_or("no text")).into_owned();
    tracing::error!(place, text, "a panic was caught");
}
