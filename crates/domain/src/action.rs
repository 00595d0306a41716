//! The one table of what a key may do through the plugin API. Routing, allow-lists and docs all read it.

use std::fmt;

use crate::words::words;

words! {
    /// A bundle of actions that people pick when they compose a key.
    pub enum ActionGroup {
        Lookup = "lookup",
        Update = "update",
        Sync = "sync",
        Cleanup = "cleanup",
        Server = "server",
    }
}

impl ActionGroup {
    pub const fn name(self) -> &'static str {
        self.as_str()
    }
}

/// Whether an action speaks about a whole guild or about one game server of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionScope {
    Guild,
    Server,
}

/// One action of the plugin API. The order is stored in allow-lists: never reorder or remove, see [`ActionSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Action {
    FindBySteam,
    FindByDiscord,
    DiscordCheck,
    IsLinkedSteamBulk,
    SteamChecks,
    NitroChecks,
    GroupChecks,
    GetSteam,
    GetSteamBulk,
    GetDiscord,
    Count,
    ListAllLinked,
    ListNitro,
    Update,
    UpdateNitro,
    UpdateNitroBulk,
    UpdateSteam,
    UpdateOxideGroups,
    UpdateOxideGroupsBulk,
    PendingNicknames,
    ConfirmNicknameSync,
    ListAllNicknames,
    PendingRoles,
    ConfirmRoleSync,
    SetOxideGroupFromDiscord,
    GetPendingOxideChanges,
    GetPendingOxideChangesBulk,
    Remove,
    ClearPendingOxideChanges,
    ClearPendingOxideChangesBulk,
    GetServerConfig,
    GetPlayer,
}

/// What is fixed about an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionSpec {
    pub action: Action,
    /// The exact value of the `action` parameter.
    pub name: &'static str,
    pub group: ActionGroup,
    pub scope: ActionScope,
    /// Part of the fixed allow-list of every Plugin key.
    pub plugin: bool,
    pub mutating: bool,
    /// Every failure must read as "not linked", because old clients take any other text for a hit.
    pub fail_closed: bool,
}

impl ActionSpec {
    const fn read(action: Action, name: &'static str, group: ActionGroup) -> Self {
        Self {
            action,
            name,
            group,
            scope: ActionScope::Guild,
            plugin: false,
            mutating: false,
            fail_closed: false,
        }
    }

    const fn write(action: Action, name: &'static str, group: ActionGroup) -> Self {
        let mut spec = Self::read(action, name, group);
        spec.mutating = true;
        spec
    }

    const fn of_server(mut self) -> Self {
        self.scope = ActionScope::Server;
        self
    }

    const fn for_plugins(mut self) -> Self {
        self.plugin = true;
        self
    }

    const fn failing_closed(mut self) -> Self {
        self.fail_closed = true;
        self
    }
}

/// All actions; the position of each equals its number in [`Action`].
pub const ACTIONS: [ActionSpec; 32] = {
    use Action::*;
    use ActionGroup::{Cleanup, Lookup, Server, Sync, Update as Change};
    [
        ActionSpec::read(FindBySteam, "findBySteam", Lookup)
            .for_plugins()
            .failing_closed(),
        ActionSpec::read(FindByDiscord, "findByDiscord", Lookup).failing_closed(),
        ActionSpec::read(DiscordCheck, "discordCheck", Lookup).failing_closed(),
        ActionSpec::read(IsLinkedSteamBulk, "isLinkedSteamBulk", Lookup),
        ActionSpec::read(SteamChecks, "steamChecks", Lookup).for_plugins(),
        ActionSpec::read(NitroChecks, "nitroChecks", Lookup).for_plugins(),
        ActionSpec::read(GroupChecks, "groupChecks", Lookup).for_plugins(),
        ActionSpec::read(GetSteam, "getSteam", Lookup),
        ActionSpec::read(GetSteamBulk, "getSteamBulk", Lookup),
        ActionSpec::read(GetDiscord, "getDiscord", Lookup),
        ActionSpec::read(Count, "count", Lookup).for_plugins(),
        ActionSpec::read(ListAllLinked, "listAllLinked", Lookup),
        ActionSpec::read(ListNitro, "listNitro", Lookup),
        ActionSpec::write(Update, "update", Change).for_plugins(),
        ActionSpec::write(UpdateNitro, "updateNitro", Change),
        ActionSpec::write(UpdateNitroBulk, "updateNitroBulk", Change),
        ActionSpec::write(UpdateSteam, "updateSteam", Change).for_plugins(),
        ActionSpec::write(UpdateOxideGroups, "updateOxideGroups", Change)
            .of_server()
            .for_plugins(),
        ActionSpec::write(UpdateOxideGroupsBulk, "updateOxideGroupsBulk", Change)
            .of_server()
            .for_plugins(),
        ActionSpec::read(PendingNicknames, "pendingNicknames", Sync),
        ActionSpec::write(ConfirmNicknameSync, "confirmNicknameSync", Sync),
        ActionSpec::read(ListAllNicknames, "listAllNicknames", Sync),
        ActionSpec::read(PendingRoles, "pendingRoles", Sync).of_server(),
        ActionSpec::write(ConfirmRoleSync, "confirmRoleSync", Sync).of_server(),
        ActionSpec::write(SetOxideGroupFromDiscord, "setOxideGroupFromDiscord", Sync).of_server(),
        ActionSpec::read(GetPendingOxideChanges, "getPendingOxideChanges", Sync).of_server(),
        ActionSpec::read(GetPendingOxideChangesBulk, "getPendingOxideChangesBulk", Sync)
            .of_server()
            .for_plugins(),
        ActionSpec::write(Remove, "remove", Cleanup).for_plugins(),
        ActionSpec::write(ClearPendingOxideChanges, "clearPendingOxideChanges", Cleanup).of_server(),
        ActionSpec::write(
            ClearPendingOxideChangesBulk,
            "clearPendingOxideChangesBulk",
            Cleanup,
        )
        .of_server()
        .for_plugins(),
        ActionSpec::read(GetServerConfig, "getServerConfig", Server).of_server(),
        ActionSpec::read(GetPlayer, "getPlayer", Server).of_server(),
    ]
};

impl Action {
    /// The action with exactly this name; case matters. Nothing is allocated.
    pub fn parse(name: &str) -> Option<Self> {
        let table: &'static [ActionSpec; 32] = &ACTIONS;
        let found = table.iter().find(|spec| spec.name == name)?;
        Some(found.action)
    }

    pub const fn spec(self) -> &'static ActionSpec {
        let table: &'static [ActionSpec; 32] = &ACTIONS;
        &table[self as usize]
    }

    pub const fn name(self) -> &'static str {
        self.spec().name
    }
}

/// An allow-list. Bit `n` stands for the action at position `n` of [`ACTIONS`]; these numbers are stored and fixed for ever.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ActionSet(u32);

impl ActionSet {
    pub const EMPTY: Self = Self(0);
    pub const ALL: Self = Self(u32::MAX);
    /// The twelve actions of every Plugin key.
    pub const PLUGIN: Self = {
        let mut set = Self::EMPTY;
        let mut position = 0;
        while position < ACTIONS.len() {
            if ACTIONS[position].plugin {
                set.insert(ACTIONS[position].action);
            }
            position += 1;
        }
        set
    };

    /// What the platform's own bots need: to look players up, and to carry names, roles and groups between both sides.
    /// Written out, so that a new action is no bot's until somebody decides so.
    pub const BOT: Self = {
        let mut set = Self::EMPTY;
        let actions = [
            Action::FindBySteam,
            Action::FindByDiscord,
            Action::DiscordCheck,
            Action::IsLinkedSteamBulk,
            Action::GetSteam,
            Action::GetSteamBulk,
            Action::GetDiscord,
            Action::Count,
            Action::ListAllLinked,
            Action::ListNitro,
            Action::UpdateNitro,
            Action::UpdateNitroBulk,
            Action::PendingNicknames,
            Action::ConfirmNicknameSync,
            Action::ListAllNicknames,
            Action::PendingRoles,
            Action::ConfirmRoleSync,
            Action::SetOxideGroupFromDiscord,
            Action::Remove,
            Action::GetServerConfig,
            Action::GetPlayer,
        ];
        let mut position = 0;
        while position < actions.len() {
            set.insert(actions[position]);
            position += 1;
        }
        set
    };

    /// Every action of one group.
    pub fn of_group(group: ActionGroup) -> Self {
        ACTIONS
            .iter()
            .filter(|spec| spec.group == group)
            .map(|spec| spec.action)
            .collect()
    }

    pub const fn contains(self, action: Action) -> bool {
        self.0 & Self::bit(action) != 0
    }

    pub const fn insert(&mut self, action: Action) {
        self.0 |= Self::bit(action);
    }

    /// What is in either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The members in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Action> {
        ACTIONS
            .into_iter()
            .map(|spec| spec.action)
            .filter(move |action| self.contains(*action))
    }

    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Reads a stored set; nothing when it holds bits that no action has.
    pub fn from_bits(bits: i64) -> Option<Self> {
        u32::try_from(bits).ok().map(Self)
    }

    /// The number to store; never negative.
    pub fn bits(self) -> i64 {
        i64::from(self.0)
    }

    const fn bit(action: Action) -> u32 {
        1 << action as u32
    }
}

impl FromIterator<Action> for ActionSet {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> Self {
        let mut set = Self::EMPTY;
        for action in actions {
            set.insert(action);
        }
        set
    }
}

impl fmt::Debug for ActionSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter().map(Action::name)).finish()
    }
}

#[cfg(test)]
#[path = "action_tests.rs"]
mod tests;
