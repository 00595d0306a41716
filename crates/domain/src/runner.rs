//! How a Guild's own bot comes to run, and what keeps it from running. Rules only: somebody else does what they say.

use crate::bot::{BotFailure, BotState};
use crate::words::words;

words! {
    /// How far a bot is. The first four come one after the other.
    pub enum Step {
        Allocate = "allocate",
        Install = "install",
        Deploy = "deploy",
        Start = "start",
        Online = "online",
        /// Nobody pays for it. All that it needs is kept.
        Paused = "paused",
        /// Not to be tried again before somebody does something about it, or some time has passed.
        Failed = "failed",
    }
}

words! {
    /// What people are shown of that.
    pub enum RunnerStatus {
        Starting = "starting",
        Online = "online",
        Paused = "paused",
        Failed = "failed",
    }
}

words! {
    /// Which step is under way, as people are shown it.
    pub enum SetUpStep {
        Allocate = "allocate",
        Install = "install",
        Deploy = "deploy",
        Start = "start",
    }
}

words! {
    /// Why a bot does not run, or not as it should, as people are shown it.
    pub enum Trouble {
        TokenRejected = "token_rejected",
        IdentifyBudget = "identify_budget",
        ShardingRequired = "sharding_required",
        Refused = "refused",
        CrashLoop = "crash_loop",
        InstallError = "install_error",
        NotInGuild = "not_in_guild",
        Unreachable = "unreachable",
        IntentsMissing = "intents_missing",
        /// It is to run, and no node has room for it.
        NoRoom = "no_room",
    }
}

words! {
    /// Why a bot does not run.
    pub enum Reason {
        TokenRejected = "token_rejected",
        IdentifyBudget = "identify_budget",
        ShardingRequired = "sharding_required",
        /// Discord ended its connection for good, for another reason.
        Refused = "refused",
        /// It ended again and again.
        CrashLoop = "crash_loop",
        /// Its folder could not be made, or its process not be started.
        InstallError = "install_error",
    }
}

words! {
    /// Why a bot was started again.
    pub enum Restart {
        Crashed = "crashed",
        /// It took too much memory.
        Memory = "memory",
        /// It said nothing any more.
        Silent = "silent",
        TokenReplaced = "token_replaced",
        /// Somebody pays for it again, or asked for it.
        Resumed = "resumed",
        /// The service was started again, or another node runs it now.
        Moved = "moved",
    }
}

/// A step is taken no sooner than this after the one before.
pub const STEP_MS: i64 = 2_000;
/// So many ends in so long are too many.
pub const MOST_EXITS: usize = 5;
const EXITS_WITHIN_MS: i64 = 10 * 60_000;
/// A step that fails is tried so often.
pub const MOST_ATTEMPTS: i64 = 8;
const LONGEST_WAIT_MS: i64 = 60_000;
/// Then a host that could not be reached is tried again.
const INSTALL_REST_MS: i64 = 5 * 60_000;

impl Step {
    pub const fn status(self) -> RunnerStatus {
        match self {
            Self::Allocate | Self::Install | Self::Deploy | Self::Start => RunnerStatus::Starting,
            Self::Online => RunnerStatus::Online,
            Self::Paused => RunnerStatus::Paused,
            Self::Failed => RunnerStatus::Failed,
        }
    }

    /// The step of its set-up that is under way.
    pub fn set_up(self) -> Option<SetUpStep> {
        SetUpStep::parse(self.as_str())
    }

    /// What the card says.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Allocate => "Allocating dedicated bot host",
            Self::Install => "Installing your bot",
            Self::Deploy | Self::Start => "Starting your bot",
            Self::Online => "online",
            Self::Paused => "paused",
            Self::Failed => "failed",
        }
    }

    /// What comes after the work of this one.
    const fn next(self) -> Self {
        match self {
            Self::Allocate => Self::Install,
            Self::Install => Self::Deploy,
            Self::Deploy | Self::Start => Self::Start,
            Self::Online => Self::Online,
            Self::Paused => Self::Paused,
            Self::Failed => Self::Failed,
        }
    }
}

impl Trouble {
    /// Why it does not run, or else what its process says.
    pub fn of(runner: &Runner, failure: Option<BotFailure>) -> Option<Self> {
        let said = failure.filter(|_| matches!(runner.step, Step::Start | Step::Online));
        let reason = runner.reason.map(Reason::as_str);
        reason.or(said.map(BotFailure::as_str)).and_then(Self::parse)
    }
}

impl Reason {
    /// What a process that stopped says of it.
    const fn of(failure: BotFailure) -> Option<Self> {
        match failure {
            BotFailure::TokenRejected => Some(Self::TokenRejected),
            BotFailure::IdentifyBudget => Some(Self::IdentifyBudget),
            BotFailure::ShardingRequired => Some(Self::ShardingRequired),
            BotFailure::Refused => Some(Self::Refused),
            BotFailure::IntentsMissing | BotFailure::Unreachable | BotFailure::NotInGuild => None,
        }
    }

    /// Whether it passes without anybody's help.
    pub const fn passes(self) -> bool {
        matches!(self, Self::IdentifyBudget | Self::InstallError)
    }
}

/// A bot as it is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    pub step: Step,
    pub reason: Option<Reason>,
    /// One more with every token.
    pub token_version: i64,
    /// Tries of this step that failed.
    pub attempts: i64,
    /// Nothing is begun before.
    pub next_at_ms: i64,
    /// When its process ended lately.
    pub exits: Vec<i64>,
}

/// Its process, as whoever started it sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// Of the token that it was given.
    pub token_version: i64,
    pub state: BotState,
    pub failure: Option<BotFailure>,
}

/// The one thing that is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    Wait,
    /// The work of this step; then the next one is written down.
    Work(Step),
    /// Start its process.
    Launch,
    /// Nobody pays: another bot takes its work, and then its process ends.
    Pause,
    /// End its process; nothing follows.
    End,
    /// End its process; the next one is started.
    Again(Restart),
    /// Write down where it is.
    Note(Step, Option<Reason>),
}

/// What is to be done for a bot. `paid` is whether it may run.
pub fn decide(runner: &Runner, paid: bool, running: Option<Running>, now_ms: i64) -> Move {
    if runner.is_rejected() {
        // Only another token gets it out of there; whoever paid again would show Discord the same one.
        return running.map_or(Move::Wait, |_| Move::End);
    }
    if !paid {
        return match (running, runner.step) {
            (Some(running), _) if running.was_rejected(runner) => {
                Move::Note(Step::Failed, Some(Reason::TokenRejected))
            }
            (Some(_), _) => Move::Pause,
            (None, Step::Paused) => Move::Wait,
            (None, _) => Move::Note(Step::Paused, None),
        };
    }
    let is_due = now_ms >= runner.next_at_ms;
    match runner.step {
        Step::Paused => Move::Note(Step::Start, None),
        Step::Failed if running.is_some() => Move::End,
        Step::Failed if is_due && runner.reason.is_some_and(Reason::passes) => Move::Note(Step::Start, None),
        Step::Allocate | Step::Install | Step::Deploy if is_due => Move::Work(runner.step),
        Step::Start | Step::Online => match running {
            Some(running) => look_at(runner, running),
            None if is_due => Move::Launch,
            None => Move::Wait,
        },
        Step::Failed | Step::Allocate | Step::Install | Step::Deploy => Move::Wait,
    }
}

impl Running {
    /// Discord does not take the token that the bot still has.
    fn was_rejected(self, runner: &Runner) -> bool {
        let is_current = self.token_version >= runner.token_version;
        is_current && self.state == BotState::Stopped && self.failure == Some(BotFailure::TokenRejected)
    }
}

fn look_at(runner: &Runner, running: Running) -> Move {
    // Who looked before the token was saved knows an older one.
    if running.token_version < runner.token_version {
        return Move::Again(Restart::TokenReplaced);
    }
    let reason = running.failure.and_then(Reason::of);
    match (running.state, reason, running.failure) {
        (BotState::Stopped, Some(reason), _) => Move::Note(Step::Failed, Some(reason)),
        // It waits for tomorrow, and so may its process.
        (BotState::Connecting, Some(Reason::IdentifyBudget), _) => {
            Move::Note(Step::Failed, Some(Reason::IdentifyBudget))
        }
        (BotState::Connecting, _, Some(BotFailure::Unreachable)) | (_, _, Some(BotFailure::NotInGuild))
            if runner.step == Step::Online =>
        {
            Move::Note(Step::Start, None)
        }
        (BotState::Online, None, failure)
            if failure != Some(BotFailure::NotInGuild) && runner.step == Step::Start =>
        {
            Move::Note(Step::Online, None)
        }
        _ => Move::Wait,
    }
}

impl Runner {
    /// Discord does not take its token, and is not shown it again.
    pub fn is_rejected(&self) -> bool {
        self.step == Step::Failed && self.reason == Some(Reason::TokenRejected)
    }

    /// Without a process there is nothing to be done for it, and no node need have it.
    pub fn rests(&self, paid: bool, now_ms: i64) -> bool {
        matches!(self.step, Step::Paused | Step::Failed) && decide(self, paid, None, now_ms) == Move::Wait
    }

    /// After the work of its step.
    #[must_use]
    pub fn worked(&self, now_ms: i64) -> Self {
        self.at(self.step.next(), None, now_ms + STEP_MS)
    }

    /// Where it is now.
    #[must_use]
    pub fn at(&self, step: Step, reason: Option<Reason>, next_at_ms: i64) -> Self {
        Self {
            step,
            reason,
            attempts: 0,
            next_at_ms,
            ..self.clone()
        }
    }

    /// After a try of its step that failed, or a process that its host or this service lost sight of: later again, and
    /// at last much later.
    #[must_use]
    pub fn missed(&self, now_ms: i64) -> Self {
        if matches!(self.step, Step::Paused | Step::Failed) {
            return self.clone();
        }
        let attempts = self.attempts + 1;
        if attempts >= MOST_ATTEMPTS {
            let rested_ms = now_ms + INSTALL_REST_MS;
            return self.at(Step::Failed, Some(Reason::InstallError), rested_ms);
        }
        let step = if self.step == Step::Online {
            Step::Start
        } else {
            self.step
        };
        Self {
            step,
            attempts,
            next_at_ms: now_ms + wait_ms(attempts),
            ..self.clone()
        }
    }

    /// After an end of its process that nobody wanted.
    #[must_use]
    pub fn exited(&self, now_ms: i64) -> Self {
        // It was to end: what it rests for stays.
        if matches!(self.step, Step::Paused | Step::Failed) {
            return self.clone();
        }
        let mut exits: Vec<i64> = self
            .exits
            .iter()
            .copied()
            .filter(|at_ms| *at_ms > now_ms - EXITS_WITHIN_MS)
            .collect();
        exits.push(now_ms);
        let count = exits.len();
        let mut after = if count >= MOST_EXITS {
            self.at(Step::Failed, Some(Reason::CrashLoop), now_ms)
        } else {
            self.at(Step::Start, None, now_ms + wait_ms(count as i64 - 1))
        };
        after.exits = exits;
        after
    }

    /// Somebody wants it tried again.
    #[must_use]
    pub fn retried(&self, now_ms: i64) -> Self {
        let mut after = self.at(Step::Start, None, now_ms);
        after.exits.clear();
        after
    }
}

/// 1, 2, 4 … 60 seconds.
fn wait_ms(failures: i64) -> i64 {
    let doubled = 1_000_i64 << failures.clamp(0, 6);
    doubled.min(LONGEST_WAIT_MS)
}

#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
