//! Whom a job names for what it tells about.

use crate::audit::Actor;
use crate::id::{AccountId, KeyId};

/// Who did what a job tells about, by our own ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doer {
    Account(AccountId),
    Key(KeyId),
}

impl Doer {
    /// Players, operators and the service itself are not named, nor is an operator who visits.
    pub fn of(actor: &Actor) -> Option<Self> {
        match actor {
            Actor::Account(id) => Some(Self::Account(id.clone())),
            Actor::Key(id) => Some(Self::Key(id.clone())),
            Actor::Visitor(_) | Actor::Player | Actor::Operator | Actor::System => None,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let account = AccountId::parse(text).map(Self::Account);
        account.or_else(|_| KeyId::parse(text).map(Self::Key)).ok()
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Account(id) => id.as_str(),
            Self::Key(id) => id.as_str(),
        }
    }
}
