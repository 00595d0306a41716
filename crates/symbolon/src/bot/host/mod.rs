//! Where Custom Bots run: as processes of this machine, as containers of an engine, or as services of a Swarm.

pub mod containers;
pub mod engine;
pub mod local;
mod service;
pub mod swarm;
mod users;

use std::collections::HashSet;
use std::fs::File;

use domain::runner::Restart;
use tokio::sync::watch;

use super::Handed;
use crate::output::Failure;

/// A bot that outlives its node leaves when the service was silent for so long: by then it may run elsewhere.
pub const LEAVE_AFTER_MS: u64 = 60_000;

/// Bots as they were read last, by our ids of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bots {
    /// All that there are.
    pub known: HashSet<String>,
    /// Those for which something may run.
    pub running: HashSet<String>,
}

/// A bot that is to be started.
pub struct Order {
    /// Our id of it, which names what is made for it.
    pub bot: String,
    /// The token is in there.
    pub(super) handed: Handed,
    /// Of that token.
    pub token_version: i64,
    /// Where its log goes on this machine, if not where ours does.
    pub log: Option<File>,
}

/// How a bot is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The next one goes on with its session.
    Leave,
    /// It goes offline for everybody to see.
    Pause,
    /// At once, without a word.
    Kill,
}

/// Something that can run bots.
pub trait Host: Send + Sync + 'static {
    type Running: Running;
    /// Whether bots run on here when their node has ended.
    const OUTLIVES: bool;

    /// Where a bot reaches this service.
    fn service_url(&self) -> &str;

    /// Where it keeps what it needs to go on with its session.
    fn state_dir(&self, bot: &str) -> std::path::PathBuf;

    /// Ends and removes whatever runs for a bot.
    fn clear(&self, bot: &str) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Makes ready what a bot needs here.
    fn prepare(&self, bot: &str, account: &str) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Starts a bot, in the place of whatever runs under its id.
    fn start(&self, order: Order) -> impl Future<Output = Result<Self::Running, Failure>> + Send;

    /// What another node, or this one before its restart, has left running with this token, and under which name that
    /// reports.
    fn find(
        &self,
        bot: &str,
        token_version: i64,
    ) -> impl Future<Output = Result<Option<(Self::Running, String)>, Failure>> + Send;

    /// Ends and removes what is left of bots that are no more, or for which nothing is to run. They are looked up each time
    /// anew: it can take minutes.
    fn sweep(&self, bots: watch::Receiver<Bots>) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// A bot that runs.
pub trait Running: Send + Sync {
    /// Returns when it has ended by itself, and tells why. Whoever stops waiting loses nothing.
    fn ended(&mut self) -> impl Future<Output = Restart> + Send;

    /// Ends it and returns when it has; fails when nobody can tell.
    fn end(&mut self, how: End) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Memory that is its own alone; 0 where somebody else watches over it.
    fn memory_bytes(&self) -> u64;
}
