//! How the bot is doing, as the service is told.

use serde::Serialize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    #[default]
    Connecting,
    Online,
    /// Until somebody changes something.
    Stopped,
}

/// What a person has to put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    TokenRejected,
    IntentsMissing,
    IdentifyBudget,
    /// Discord, not the service.
    Unreachable,
    /// The bot is in more Discord servers than one connection can serve.
    ShardingRequired,
    /// Discord closed the connection for good, for another reason.
    Refused,
    /// Nobody has added the bot to the Discord server that it is for.
    NotInGuild,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub state: State,
    pub failure: Option<Failure>,
    /// It works, but hears nothing of members.
    pub lacks_members: bool,
    pub bot_user_id: Option<String>,
    pub guilds: usize,
}

impl Status {
    /// What the service should hear of at once, and not with the next report.
    pub fn is_news(&self, before: &Self) -> bool {
        (self.state, self.trouble()) != (before.state, before.trouble())
    }

    /// What the service is told is wrong: what keeps the bot from its work, and then what it works without.
    pub fn trouble(&self) -> Option<Failure> {
        let lacking = self.lacks_members.then_some(Failure::IntentsMissing);
        self.failure.or(lacking)
    }
}
