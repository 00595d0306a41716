//! The process log: one line per event, JSON for machines or text for people. A log that takes nothing, or takes its
//! time, must not stop the service: lines go through a short queue, and what does not fit or cannot be written is
//! dropped and counted.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use config::{Log, LogFormat};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait for a slow reader.
const QUEUE: usize = 1_024;
/// How long the last lines are waited for when the process ends.
const LAST_LINES: Duration = Duration::from_secs(1);
/// How often missing lines are told of while there are others to write.
const TELL_EVERY: Duration = Duration::from_secs(1);

static QUEUED: OnceLock<SyncSender<Entry>> = OnceLock::new();
/// Those that nobody was told of yet.
static DROPPED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Where the writer's own lines go: to it, past the queue.
    static OWN: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

enum Entry {
    Line(Vec<u8>),
    /// Everything before it is written when the sender is gone.
    Flush(SyncSender<()>),
}

/// Starts logging, to standard error unless there is a file for it; a second call changes nothing.
pub fn start(log: &Log, file: Option<File>) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter(&log.level))
        // It would tell of a failed line on standard error, and panic when that fails too.
        .log_internal_errors(false)
        .with_writer(Lines);
    let started = match log.format {
        LogFormat::Json => builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .try_init(),
        LogFormat::Text => builder.with_ansi(false).try_init(),
    };
    if started.is_ok() {
        start_writer(file);
    }
    std::panic::set_hook(Box::new(note_panic));
}

/// Our own crates at the chosen level; what others say below a warning is theirs. Whoever wants errors only is told
/// which lines are missing all the same.
fn filter(level: &str) -> EnvFilter {
    let directives = ["app", "bot", "platform", "storage", "web", "symbolon"]
        .map(|ours| [ours, "=", level].concat())
        .join(",");
    EnvFilter::builder().parse_lossy(["warn,", &directives, ",symbolon::logging=warn"].concat())
}

/// Waits until the lines so far are written, for a moment at most.
pub fn finish() {
    let Some(queue) = QUEUED.get() else {
        return;
    };
    let (done, written) = sync_channel(0);
    let (mut entry, until) = (Entry::Flush(done), Instant::now() + LAST_LINES);
    while let Err(TrySendError::Full(unsent)) = queue.try_send(entry) {
        if Instant::now() >= until {
            return;
        }
        entry = unsent;
        std::thread::sleep(Duration::from_millis(5));
    }
    // The writer drops its end when it gets there.
    let _ = written.recv_timeout(LAST_LINES);
}

fn note_dropped() {
    DROPPED.fetch_add(1, Ordering::Relaxed);
    app::records::log_lines::note_dropped();
}

fn start_writer(file: Option<File>) {
    let (sender, receiver) = sync_channel(QUEUE);
    let started = std::thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || write_lines(&receiver, file));
    // Without a thread there is no log, and all lines are counted as dropped.
    if started.is_ok() {
        drop(QUEUED.set(sender));
    }
}

fn write_lines(queue: &Receiver<Entry>, file: Option<File>) {
    let mut out = Output {
        file,
        ..Output::default()
    };
    loop {
        match queue.recv_timeout(TELL_EVERY) {
            Ok(Entry::Line(line)) => out.write(&line),
            Ok(Entry::Flush(done)) => {
                out.tell_dropped();
                drop(done);
            }
            Err(RecvTimeoutError::Timeout) => out.tell_dropped(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// The file or standard error, and whether the last line broke off in it.
#[derive(Default)]
struct Output {
    file: Option<File>,
    is_torn: bool,
    told_at: Option<Instant>,
}

impl Output {
    fn write(&mut self, line: &[u8]) {
        if self.try_write(line).is_err() {
            return note_dropped();
        }
        // A log that is behind gets no further behind by telling so after every line.
        if self.told_at.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            self.tell_dropped();
        }
    }

    fn try_write(&mut self, line: &[u8]) -> std::io::Result<()> {
        let out: &mut dyn Write = match &mut self.file {
            Some(file) => file,
            None => &mut std::io::stderr(),
        };
        let begun = if self.is_torn {
            out.write_all(b"\n")
        } else {
            Ok(())
        };
        let written = begun.and_then(|()| out.write_all(line));
        self.is_torn = written.is_err();
        written
    }

    /// Tells how many lines are missing. It does not wait in the queue, which is full when this matters most, and what
    /// could not be told is told later.
    fn tell_dropped(&mut self) {
        let dropped = DROPPED.swap(0, Ordering::Relaxed);
        if dropped == 0 {
            return;
        }
        self.told_at = Some(Instant::now());
        if self.try_write(&missing(dropped)).is_err() {
            DROPPED.fetch_add(dropped, Ordering::Relaxed);
        }
    }
}

/// The line that tells of missing ones.
fn missing(dropped: u64) -> Vec<u8> {
    OWN.set(Some(Vec::new()));
    tracing::warn!(
        dropped,
        "log lines were dropped because they could not be written in time"
    );
    OWN.take().unwrap_or_default()
}

/// Takes whole events, as the formatter hands them over.
struct Lines;

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Lines;

    fn make_writer(&'a self) -> Lines {
        Lines
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        if OWN.with_borrow_mut(|own| own.as_mut().map(|own| own.extend_from_slice(line)).is_some()) {
            return Ok(line.len());
        }
        let entry = Entry::Line(line.to_vec());
        if QUEUED.get().is_none_or(|queue| queue.try_send(entry).is_err()) {
            note_dropped();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A panic's text may quote what it worked on, so keys are cut and the line goes where all lines go.
fn note_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let text = domain::key::redact(panic.payload_as_str().unwrap_or("no text")).into_owned();
    tracing::error!(place, text, "a panic was caught");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_errors_only_tells_of_missing_lines_too() {
        for level in ["error", "debug"] {
            let log = tracing_subscriber::fmt()
                .with_env_filter(filter(level))
                .with_writer(Lines);
            let line = tracing::subscriber::with_default(log.finish(), || missing(1_234));
            let line = String::from_utf8_lossy(&line).into_owned();
            assert!(line.contains("1234") && line.ends_with('\n'), "{level}: {line}");
        }
    }
}
