//! Roles on Discord and groups in the game, kept in line with each other. A rule ties one group of a Server to one role;
//! what follows for one member is decided here, from what is known and nothing else.

mod check;
mod guarded;
mod merge;
mod nickname;
mod settle;

#[cfg(test)]
mod merge_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod settle_tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::discord::RoleReason;
use crate::id::MappingId;
use crate::platform_id::DiscordId;
use crate::words::words;

pub use check::{Clash, MOST_RULES, find_clash};
pub use guarded::Guarded;
pub use merge::{RoleChange, plan_roles};
pub use nickname::{NICKNAME_CHARS, Template, TemplateError};
pub use settle::{GroupChange, Settled, settle};

/// A report that contradicts what we asked for is not believed for this long after the plugin took it: it may have been
/// on its way already.
pub const ECHO_MS: i64 = 60_000;
/// Twice as long each time, up to most of a day.
const MOST_DOUBLED: u32 = 10;

/// How long a change that was asked for in vain so often is waited for.
pub fn echo_ms(asks: u32) -> i64 {
    ECHO_MS << asks.min(MOST_DOUBLED)
}

words! {
    /// Which side follows the other.
    pub enum Direction {
        ToDiscord = "to_discord",
        ToGame = "to_game",
        Both = "both",
    }
}

words! {
    /// One of the two sides of a rule; also who is right when both differ and nobody knows which of them changed.
    pub enum Side {
        Discord = "discord",
        Game = "game",
    }
}

words! {
    /// What happens on one side when the other loses it.
    pub enum OnLoss {
        Remove = "remove",
        Keep = "keep",
    }
}

words! {
    /// What is done with a role or a group.
    pub enum Change {
        Add = "add",
        Remove = "remove",
    }
}

words! {
    /// Why somebody was looked at.
    pub enum Cause {
        Link = "link",
        Unlink = "unlink",
        Relink = "relink",
        /// The person came to the Discord server.
        Joined = "joined",
        Left = "left",
        /// Something of the person was changed on Discord.
        Changed = "changed",
        /// A game server reported other groups.
        Report = "report",
        /// A plugin gave or took a role.
        Plugin = "plugin",
        /// Rules or the Guild's settings were changed.
        Settings = "settings",
        /// The nightly look at everybody.
        Sweep = "sweep",
        /// Somebody had everybody looked at.
        Recheck = "recheck",
        /// Staff asked for it on Discord.
        Sync = "sync",
        Blocked = "blocked",
    }
}

words! {
    /// What wanted a change.
    pub enum Source {
        Rule = "rule",
        Verified = "verified",
        Booster = "booster",
        Grant = "grant",
        Nickname = "nickname",
        /// The end of a link, of a grant or of whatever else it was given for.
        End = "end",
    }
}

words! {
    /// What became of a change.
    pub enum Outcome {
        Done = "done",
        /// The game server has not fetched it yet.
        Waiting = "waiting",
        Cannot = "cannot",
        /// The person is not in the Discord server any more.
        Gone = "gone",
    }
}

impl Change {
    /// The change that leads to this state.
    pub const fn to(is_there: bool) -> Self {
        if is_there { Self::Add } else { Self::Remove }
    }

    /// Whether it is there after the change.
    pub const fn leaves(self) -> bool {
        matches!(self, Self::Add)
    }
}

impl Direction {
    /// Whether the role is changed by such a rule.
    pub const fn writes_role(self) -> bool {
        matches!(self, Self::ToDiscord | Self::Both)
    }

    /// Whether the group is changed by such a rule.
    pub const fn writes_group(self) -> bool {
        matches!(self, Self::ToGame | Self::Both)
    }
}

/// Ties a group of a Server to a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub id: MappingId,
    /// The Server's number in the store.
    pub server: i64,
    pub group: String,
    pub role: DiscordId,
    pub direction: Direction,
    /// Counts for rules in both directions.
    pub authority: Side,
    pub on_loss: OnLoss,
    /// The Owner lets it give a powerful role.
    pub confirmed: bool,
}

/// A change of a group that a game server was asked for and that it has not shown yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub change: Change,
    pub at_ms: i64,
    /// When the plugin took it.
    pub taken_at_ms: Option<i64>,
    /// Takes back what a link that ended had put there.
    pub ends: bool,
    /// How often it was asked for before, without being shown.
    pub asks: u32,
}

/// What is known of the player on one Server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// The groups it reported last, and when.
    pub reported: Option<(BTreeSet<String>, i64)>,
    pub asked: BTreeMap<String, Asked>,
    /// What rules asked for that are gone, and that no plugin will see.
    pub withdrawn: BTreeMap<String, Asked>,
    /// Groups that we put there.
    pub put: BTreeSet<String>,
}

/// How a group stands on a Server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Unknown,
    Reported(bool),
    /// It will be so, as far as we know.
    Asked(bool),
}

impl Game {
    pub(crate) fn standing(&self, group: &str, now_ms: i64) -> Standing {
        let reported = self
            .reported
            .as_ref()
            .map(|(groups, at_ms)| (groups.contains(group), *at_ms));
        match (self.asked.get(group), reported) {
            (Some(asked), reported) if asked.is_open(reported, now_ms) => {
                Standing::Asked(asked.change.leaves())
            }
            (_, Some((has, _))) => Standing::Reported(has),
            (_, None) => Standing::Unknown,
        }
    }
}

impl Asked {
    /// Whether it is still waited for, given what was reported and when.
    pub fn is_open(self, reported: Option<(bool, i64)>, now_ms: i64) -> bool {
        let Some((has, reported_at_ms)) = reported else {
            return true;
        };
        let agrees = has == self.change.leaves();
        match self.taken_at_ms {
            _ if agrees && reported_at_ms >= self.at_ms => false,
            None => true,
            Some(taken_at_ms) => {
                reported_at_ms <= taken_at_ms || now_ms < taken_at_ms.saturating_add(echo_ms(self.asks))
            }
        }
    }
}

/// What is known of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    pub now_ms: i64,
    /// Has a link that counts. Without one nothing is wanted.
    pub is_linked: bool,
    /// Their link stands, and does not count for now.
    pub is_blocked: bool,
    /// Is in the Discord server. What somebody has who is not there is nothing.
    pub is_there: bool,
    pub boosts: bool,
    /// The roles they have right now.
    pub has: BTreeSet<DiscordId>,
    pub rules: Vec<Rule>,
    pub verified: Vec<DiscordId>,
    pub booster: Vec<DiscordId>,
    /// What plugins gave them.
    pub granted: BTreeSet<DiscordId>,
    /// Roles that we gave because of plugins which take them back.
    pub ended: BTreeSet<DiscordId>,
    pub kept: Kept,
    /// By the Server's number.
    pub games: BTreeMap<i64, Game>,
    /// Roles that our bot cannot give or take.
    pub barred: BTreeMap<DiscordId, RoleReason>,
}

/// What is remembered of a member between two looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Roles that we gave.
    pub given: BTreeSet<DiscordId>,
    /// Roles to be taken back, unless something wants them.
    pub owed: BTreeSet<DiscordId>,
    /// What both sides of a rule agreed on last.
    pub base: BTreeMap<MappingId, bool>,
}
