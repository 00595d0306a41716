//! How the process of one Guild's own bot ends: because it is to, because it has gone wrong, or by itself.

use std::time::Duration;

use app::bots::fleet::{Change, Seen};
use config::abort_point;
use domain::runner::{Reason, Restart, Step};
use tokio::time::Instant;

use super::host::{End, Host, Running as _};
use super::launch::asked;
use super::slot::{Child, Slot, moved};

/// One that was not heard of for so long did not crash, but lost the service.
const OUT_OF_SIGHT: Duration = Duration::from_secs(11);
/// So long a process that is to end waits for another bot to offer the commands.
const MAKE_WAY_WITHIN: Duration = Duration::from_secs(10);
const MEBIBYTE: u64 = 1024 * 1024;

/// The end of a process that nobody wanted.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    why: Restart,
    /// It was out of sight before.
    was_lost: bool,
}

impl<H: Host> Slot<H> {
    /// Whether nothing was heard of it for too long.
    pub fn is_silent(&mut self, bot: &Seen) -> bool {
        let (now, heard_at_ms) = (Instant::now(), bot.heard_at_ms);
        let child = self.child.as_mut();
        child.is_some_and(|child| child.silence.is_too_long(heard_at_ms, now))
    }

    /// Ends a process that takes too much memory. That waits for nobody: it would take the machine.
    pub async fn end_if_too_large(&mut self, bot: &Seen) -> Option<Restart> {
        let most = self.fleet.config.bot.memory_mib * MEBIBYTE;
        let taken = self
            .child
            .as_ref()
            .map_or(0, |child| child.running.memory_bytes());
        if taken <= most {
            return None;
        }
        tracing::error!(
            bot = bot.id.as_str(),
            "a Custom Bot takes too much memory, and is started anew"
        );
        self.end(bot, End::Kill).await.then_some(Restart::Memory)
    }

    /// Ends what runs, whoever started it; false when the host cannot be asked, and it is tried again.
    pub async fn end(&mut self, bot: &Seen, how: End) -> bool {
        abort_point("end.before");
        let ended = match &mut self.child {
            Some(child) => asked(child.running.end(how)).await,
            None => asked(self.fleet.host.clear(bot.id.as_str())).await,
        };
        if let Err(failure) = &ended {
            tracing::warn!(
                bot = bot.id.as_str(),
                error = failure.text(),
                "a Custom Bot could not be ended"
            );
            return false;
        }
        self.child = None;
        abort_point("end.after");
        true
    }

    /// The process of a bot that nobody pays for answers until another bot offers the commands, or none does in time.
    /// False while it waits.
    pub async fn make_way(&mut self, bot: &Seen) -> bool {
        let is_in_time = self
            .yields_since
            .is_some_and(|since| since.elapsed() < MAKE_WAY_WITHIN);
        if bot.offers_commands && is_in_time {
            return false;
        }
        self.leave(bot, End::Pause).await;
        true
    }

    /// Ends what runs for a bot that is to rest, and writes down that nothing does.
    pub async fn leave(&mut self, bot: &Seen, how: End) {
        if !self.end(bot, how).await {
            return;
        }
        self.yields_since = None;
        let change = Change {
            ended: true,
            ..Change::default()
        };
        self.note(change).await;
        abort_point("left.noted");
    }

    /// Its process is no more. One that was out of sight before did not crash: it could not reach this service, or its
    /// machine is gone.
    pub async fn exited(&mut self, bot: &Seen, why: Restart) {
        abort_point("exited.before");
        let was_lost = match self.child.take() {
            Some(child) => self.was_out_of_sight(bot, &child).await,
            None => false,
        };
        self.ended = Some(Ended {
            why,
            was_lost: was_lost || why == Restart::Silent,
        });
        self.settle(bot).await;
        abort_point("exited.after");
    }

    /// What a host tells of an end is that of the bot only if the bot was there: a machine may not even have its image, or
    /// have been without this service for long.
    async fn was_out_of_sight(&self, bot: &Seen, child: &Child<H::Running>) -> bool {
        if child.silence.lasts(Instant::now()) > OUT_OF_SIGHT {
            return true;
        }
        if !H::OUTLIVES {
            return false;
        }
        let is_its = bot.said.as_ref().is_some_and(|said| said.0 == child.instance);
        let since_ms = self.now_ms().await - bot.heard_at_ms.unwrap_or(0);
        !is_its || bot.started_at_ms.is_none() || since_ms > OUT_OF_SIGHT.as_millis() as i64
    }

    /// Writes an end down. Where that cannot be done now it is done with the next reading, and nothing is started before.
    pub async fn settle(&mut self, bot: &Seen) {
        let Some(ended) = self.ended else {
            return;
        };
        let now_ms = self.now_ms().await;
        let after = if ended.was_lost {
            bot.runner.missed(now_ms)
        } else {
            bot.runner.exited(now_ms)
        };
        let rests = matches!(bot.runner.step, Step::Paused | Step::Failed);
        if after.step == Step::Failed && !rests {
            tracing::warn!(
                bot = bot.id.as_str(),
                reason = after.reason.map(Reason::as_str),
                "a Custom Bot has failed"
            );
        }
        let mut change = moved(bot, after);
        change.restart = Some(ended.why);
        change.ended = rests;
        if self.note(change).await.is_some() {
            self.ended = None;
            self.restart = Some(ended.why);
        }
    }
}
