//! Child processes, and what the kernel says about their use of processor and memory.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Fallible;
use crate::load::is_alive;

const START_PATIENCE: Duration = Duration::from_secs(30);
/// The unit of processor time in `/proc`; 100 a second on every Linux that matters.
const TICK: Duration = Duration::from_millis(10);

/// A server under test; dropping it kills it. The product promises that no answered write is lost by that.
pub struct Server {
    child: Child,
    pub addr: SocketAddr,
    /// Processes of the database that work for this server alone.
    pub helpers: Vec<u32>,
    log: PathBuf,
}

impl Server {
    /// Starts the server without waiting for it. Its environment is empty but for `settings`.
    pub fn spawn(command: &mut Command, settings: &[(&str, &str)], log: &Path) -> Fallible<Self> {
        let addr = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let output = File::create(log)?;
        let child = command
            .args(["--listen", &addr.to_string()])
            .env_clear()
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        Ok(Self {
            child,
            addr,
            helpers: Vec::new(),
            log: log.to_owned(),
        })
    }

    /// Waits until the server says that it is alive.
    pub fn wait_until_up(&mut self) -> Fallible<()> {
        let begun = Instant::now();
        while !is_alive(self.addr) {
            self.must_run()?;
            if begun.elapsed() > START_PATIENCE {
                return Err(format!("the server does not answer; its log: {}", self.log_text()).into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    pub fn must_run(&mut self) -> Fallible<()> {
        match self.child.try_wait()? {
            Some(status) => Err(format!("the server ended ({status}); its log: {}", self.log_text()).into()),
            None => Ok(()),
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn cpu_time(&self) -> io::Result<Duration> {
        cpu_time(&self.child.id().to_string())
    }

    /// Of those helpers that run on this machine.
    pub fn helpers_cpu_time(&self) -> Duration {
        let times = self.helpers.iter().map(|pid| cpu_time(&pid.to_string()));
        times.filter_map(Result::ok).sum()
    }

    /// Memory that would be free if the process were gone.
    pub fn private_bytes(&self) -> io::Result<u64> {
        private_bytes(self.child.id())
    }

    fn log_text(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Either fails only when the process is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Memory that would be free if a process were gone.
pub fn private_bytes(pid: u32) -> io::Result<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let kibibytes = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    let sum = kibibytes("Private_Clean:").zip(kibibytes("Private_Dirty:"));
    sum.map(|(clean, dirty)| (clean + dirty) * 1024)
        .ok_or_else(|| io::Error::other("smaps_rollup is not understood"))
}

/// The processes that a process started, whichever of its threads did.
pub fn children(pid: u32) -> io::Result<Vec<u32>> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let listed = fs::read_to_string(task?.path().join("children"))?;
        found.extend(
            listed
                .split_whitespace()
                .filter_map(|pid| pid.parse::<u32>().ok()),
        );
    }
    Ok(found)
}

/// Processor time of the benchmark itself.
pub fn own_cpu_time() -> io::Result<Duration> {
    cpu_time("self")
}

/// User and system time of all threads of a process.
fn cpu_time(pid: &str) -> io::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name comes second and may contain spaces; the times are the 12th and 13th field after it.
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .map_or(Vec::new(), |(_, rest)| rest.split(' ').collect());
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<u32>().ok());
    ticks(12)
        .zip(ticks(13))
        .map(|(user, system)| TICK * (user + system))
        .ok_or_else(|| io::Error::other("stat is not understood"))
}
