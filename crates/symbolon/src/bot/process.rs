//! The process of a bot. The kernel kills it when the thread that started it ends, so there is a thread for that alone.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::oneshot;

use super::PAUSE;

/// How long a bot may take to end after it was told to.
const LAST_WORDS: Duration = Duration::from_secs(4);

/// This very program, also when another one has taken its place on disk.
const SELF: &str = "/proc/self/exe";

/// Starts bots from a thread that lives as long as itself.
pub struct Starter {
    orders: Sender<Order>,
}

struct Order {
    /// The settings; nothing of them is in the arguments or the environment.
    line: String,
    log: Option<File>,
    started: oneshot::Sender<std::io::Result<Process>>,
}

/// A bot that was started. It ends when this is dropped, because its standard input closes.
pub struct Process {
    input: Option<ChildStdin>,
    pid: Option<Pid>,
    ended: oneshot::Receiver<()>,
    has_ended: bool,
}

impl Starter {
    pub fn new() -> std::io::Result<Self> {
        let (orders, received) = channel();
        let thread = std::thread::Builder::new().name("bots".to_owned());
        thread.spawn(move || follow(&received))?;
        Ok(Self { orders })
    }

    /// Starts a bot; its log goes where ours does, or into the file.
    pub async fn start(&self, line: String, log: Option<File>) -> std::io::Result<Process> {
        let (started, answer) = oneshot::channel();
        let gone = || std::io::Error::other("nobody starts bots any more");
        let order = Order { line, log, started };
        self.orders.send(order).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

impl Process {
    /// Returns when it has ended by itself.
    pub async fn wait(&mut self) {
        if !self.has_ended {
            // The thread that waits for it says so by letting go.
            let _ = (&mut self.ended).await;
            self.has_ended = true;
        }
    }

    /// Tells it to end and waits until it has.
    pub async fn leave(&mut self) {
        self.input = None;
        if tokio::time::timeout(LAST_WORDS, self.wait()).await.is_err() {
            tracing::warn!("a bot did not end when it was told to, and is killed");
            self.kill().await;
        }
    }

    /// Tells it to go offline and waits until it has.
    pub async fn pause(&mut self) {
        if let Some(input) = &mut self.input {
            // One that is gone needs no word.
            drop(input.write_all(PAUSE));
        }
        self.leave().await;
    }

    /// Ends it without a word and waits until it has.
    pub async fn kill(&mut self) {
        if let Some(pid) = self.pid.filter(|_| !self.has_ended) {
            let _ = kill_process(pid, Signal::KILL);
        }
        self.wait().await;
    }

    /// Memory that is its own alone, also what the machine has put on disk; 0 where that cannot be told.
    pub fn memory_bytes(&self) -> u64 {
        let pid = self.pid.map_or(0, |pid| pid.as_raw_nonzero().get());
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        own_bytes(&status)
    }
}

fn own_bytes(status: &str) -> u64 {
    let is_own = |line: &&str| line.starts_with("RssAnon:") || line.starts_with("VmSwap:");
    let kilobytes = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    status.lines().filter(is_own).filter_map(kilobytes).sum::<u64>() * 1_024
}

fn follow(orders: &Receiver<Order>) {
    while let Ok(Order { line, log, started }) = orders.recv() {
        // Who asked may be gone; then so is the input, and the bot ends.
        drop(started.send(begin(&line, log)));
    }
}

/// Another thread waits for the end, so that this one can start the next. It is there first: nobody else would.
fn begin(line: &str, log: Option<File>) -> std::io::Result<Process> {
    let (ending, ended) = oneshot::channel::<()>();
    let (waiter, waited) = channel::<Child>();
    let thread = std::thread::Builder::new().name("bot".to_owned());
    thread.spawn(move || {
        if let Ok(Ok(status)) = waited.recv().map(|mut child| child.wait()) {
            tracing::info!(code = status.code(), "a bot has ended");
        }
        drop(ending);
    })?;
    let mut child = spawn(log)?;
    let (input, pid) = (child.stdin.take(), i32::try_from(child.id()).ok());
    // Cannot fail: the thread waits for it.
    drop(waiter.send(child));
    let mut process = Process {
        input,
        pid: pid.and_then(Pid::from_raw),
        ended,
        has_ended: false,
    };
    // One that is gone already is found to have ended.
    if let Some(input) = &mut process.input {
        input.write_all(line.as_bytes())?;
        input.write_all(b"\n")?;
    }
    Ok(process)
}

fn spawn(log: Option<File>) -> std::io::Result<Child> {
    Command::new(SELF)
        .arg0("symbolon")
        .args(["bot", "--stdin"])
        .env_clear()
        // It needs 3 MiB, which pages of 2 MiB would turn into 8. The allocator asks before `main` could.
        .env("MIMALLOC_ALLOW_THP", "0")
        // In KiB. What it reserves at first counts against what a process may have.
        .env("MIMALLOC_ARENA_RESERVE", "65536")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(log.map_or_else(Stdio::inherit, Stdio::from))
        .spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_put_on_disk_counts_too() {
        let status =
            "VmRSS:\t   9000 kB\nRssAnon:\t    4000 kB\nRssFile:\t    5000 kB\nVmSwap:\t     500 kB\n";
        assert_eq!(own_bytes(status), 4_500 * 1_024);
        assert_eq!(own_bytes(""), 0, "nobody knows");
    }

    #[test]
    fn the_memory_of_a_process_is_known_to_whoever_started_it() {
        let (_ending, ended) = oneshot::channel();
        let own = Process {
            input: None,
            pid: i32::try_from(std::process::id()).ok().and_then(Pid::from_raw),
            ended,
            has_ended: false,
        };
        assert!((100_000..10_000_000_000).contains(&own.memory_bytes()));
    }
}
