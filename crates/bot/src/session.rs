//! Signs of life: the service is told how the bot is doing, and says whether this process may be the bot.

use std::time::Duration;

use domain::clock::{Clock, SystemClock};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::http::Silence;
use crate::run::Core;
use crate::service::{Report, Told};
use crate::settings::Parent;
use crate::status::{State, Status};

const EVERY: Duration = Duration::from_secs(5);
/// News travels sooner, but no oftener than this.
const LEAST: Duration = Duration::from_secs(1);

/// The secret is none.
const UNKNOWN: u16 = 401;

/// What this process may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Not asked yet.
    #[default]
    Unknown,
    Ours,
    /// Another process is the bot.
    Anothers,
    /// The service was silent for too long, and another node may run the bot by now; or it has given the bot another
    /// secret.
    Lost,
}

/// The service's last word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub standing: Standing,
    pub linked: Option<u64>,
}

pub struct Reporter {
    words: watch::Sender<Word>,
    /// Whether the service started this process.
    is_child: bool,
    leave_after: Option<Duration>,
    started_ms: i64,
    /// When the last question was put that was answered.
    asked_at: Instant,
    /// What was logged last, so that it is logged once.
    noted: Option<Result<Told, Silence>>,
}

impl Reporter {
    pub fn new(words: watch::Sender<Word>, parent: Option<&Parent>) -> Self {
        let leave_after = parent.and_then(|parent| parent.leave_after_ms);
        Self {
            words,
            is_child: parent.is_some(),
            leave_after: leave_after.map(Duration::from_millis),
            started_ms: SystemClock.now_ms(),
            asked_at: Instant::now(),
            noted: None,
        }
    }

    /// Reports until the service is silent for too long, or does not know this process any more.
    pub async fn keep(&mut self, core: &Core) {
        let mut statuses = core.status.subscribe();
        loop {
            let asked_at = Instant::now();
            let said = statuses.borrow_and_update().clone();
            let leave_at = self.leave_at();
            let reported = within(leave_at, self.report(core, &said)).await;
            if !reported || self.words.borrow().standing == Standing::Lost {
                return self.lose();
            }
            let leave_at = self.leave_at();
            let news = async {
                tokio::time::sleep(LEAST).await;
                // The sender lives as long as the core.
                drop(statuses.wait_for(|now| now.is_news(&said)).await);
            };
            let next = asked_at + EVERY;
            within(Some(leave_at.map_or(next, |at| at.min(next))), news).await;
        }
    }

    /// Tells that the process ends, so that the next one need not wait for its silence.
    pub async fn farewell(&mut self, core: &Core) {
        let mut status = core.status.borrow().clone();
        status.state = State::Stopped;
        self.report(core, &status).await;
    }

    async fn report(&mut self, core: &Core, status: &Status) {
        let report = Report {
            state: status.state,
            failure: status.trouble(),
            bot_user_id: status.bot_user_id.as_deref(),
            guilds: status.guilds,
            memory_bytes: memory_bytes(),
            started_ms: self.started_ms,
        };
        let asked_at = Instant::now();
        let told = core.service.report(&report).await;
        self.note(told);
        let before = *self.words.borrow();
        let standing = match told {
            Ok(Told::Ours { .. }) => Standing::Ours,
            Ok(Told::Anothers) => Standing::Anothers,
            Ok(Told::Refused(UNKNOWN)) if self.is_child => Standing::Lost,
            Ok(Told::Refused(_)) | Err(_) => before.standing,
        };
        let linked = match told {
            Ok(Told::Ours { linked, .. }) => Some(linked),
            Ok(Told::Anothers | Told::Refused(_)) | Err(_) => before.linked,
        };
        if matches!(told, Ok(Told::Ours { .. } | Told::Anothers)) {
            self.asked_at = asked_at;
        }
        self.words.send_replace(Word { standing, linked });
    }

    fn leave_at(&self) -> Option<Instant> {
        self.leave_after.map(|patience| self.asked_at + patience)
    }

    fn lose(&self) {
        self.words.send_modify(|word| word.standing = Standing::Lost);
    }

    /// One line when it changes. The number of accounts is no news.
    fn note(&mut self, told: Result<Told, Silence>) {
        let told = told.map(|told| match told {
            Told::Ours { disputed, .. } => Told::Ours { linked: 0, disputed },
            Told::Anothers | Told::Refused(_) => told,
        });
        if self.noted.replace(told) == Some(told) {
            return;
        }
        match told {
            Ok(Told::Ours { disputed: false, .. }) => {
                tracing::info!("the service takes this process for the bot")
            }
            Ok(Told::Ours { disputed: true, .. }) => tracing::warn!(
                "another process was started with the secret of this bot: it waits, and should be stopped"
            ),
            Ok(Told::Anothers) => tracing::warn!(
                "another process runs this bot: this one waits and does not connect to Discord"
            ),
            Ok(Told::Refused(UNKNOWN)) if self.is_child => {
                tracing::warn!("the service has given the bot another secret: this process ends");
            }
            Ok(Told::Refused(status)) => {
                tracing::error!(
                    status,
                    "the service refuses this bot: check its address, bot.id and bot.secret"
                );
            }
            Err(error) => tracing::warn!(%error, "the service does not answer"),
        }
    }
}

/// False when it was not done by then.
async fn within(time: Option<Instant>, done: impl Future<Output = ()>) -> bool {
    match time {
        Some(time) => tokio::time::timeout_at(time, done).await.is_ok(),
        None => {
            done.await;
            true
        }
    }
}

/// Memory that nobody shares with this process; 0 where that cannot be told.
fn memory_bytes() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let private = rollup.lines().filter(|line| line.starts_with("Private_"));
    let kilobytes = private.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.sum::<u64>() * 1_024
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_memory_of_a_process_is_known() {
        assert!((100_000..10_000_000_000).contains(&super::memory_bytes()));
    }
}
