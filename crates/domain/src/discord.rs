//! What a Discord server consists of, as far as our bot has to know it, and Discord's rules for who may do what in it.

use crate::platform_id::DiscordId;
use crate::words::words;

/// A set of permissions, as Discord's bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Permissions(pub u64);

impl Permissions {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(u64::MAX >> 1);
    pub const CREATE_INVITE: Self = Self(1);
    pub const KICK_MEMBERS: Self = Self(1 << 1);
    pub const BAN_MEMBERS: Self = Self(1 << 2);
    pub const ADMINISTRATOR: Self = Self(1 << 3);
    pub const MANAGE_CHANNELS: Self = Self(1 << 4);
    pub const MANAGE_GUILD: Self = Self(1 << 5);
    pub const VIEW_CHANNEL: Self = Self(1 << 10);
    pub const SEND_MESSAGES: Self = Self(1 << 11);
    pub const EMBED_LINKS: Self = Self(1 << 14);
    pub const MANAGE_NICKNAMES: Self = Self(1 << 27);
    pub const MANAGE_ROLES: Self = Self(1 << 28);
    pub const MANAGE_WEBHOOKS: Self = Self(1 << 29);
    pub const SEND_IN_THREADS: Self = Self(1 << 38);

    /// What our bot is there for, with what Discord calls it.
    pub const NEEDED: [(Self, &'static str); 6] = [
        (Self::VIEW_CHANNEL, "View Channels"),
        (Self::SEND_MESSAGES, "Send Messages"),
        (Self::EMBED_LINKS, "Embed Links"),
        (Self::MANAGE_ROLES, "Manage Roles"),
        (Self::MANAGE_NICKNAMES, "Manage Nicknames"),
        (Self::CREATE_INVITE, "Create Invite"),
    ];

    /// All that our bot needs.
    pub const fn needed() -> Self {
        let mut all = 0;
        let mut at = 0;
        while at < Self::NEEDED.len() {
            all |= Self::NEEDED[at].0.0;
            at += 1;
        }
        Self(all)
    }

    /// What makes whoever has it an administrator in all but name.
    pub const POWERFUL: Self = Self::ADMINISTRATOR
        .with(Self::MANAGE_GUILD)
        .with(Self::MANAGE_ROLES)
        .with(Self::MANAGE_CHANNELS)
        .with(Self::MANAGE_WEBHOOKS)
        .with(Self::KICK_MEMBERS)
        .with(Self::BAN_MEMBERS);

    /// Whether one of these makes whoever has it an administrator in all but name.
    pub const fn are_powerful(self) -> bool {
        self.0 & Self::POWERFUL.0 != 0
    }

    pub const fn contain(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A role of a Discord server. The one with the server's own id is everybody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub id: DiscordId,
    pub name: String,
    pub colour: u32,
    /// Higher stands above lower.
    pub position: i64,
    pub permissions: Permissions,
    /// Belongs to a bot or an integration; nobody can give or take it.
    pub managed: bool,
}

/// An exception that a channel makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overwrite {
    /// A role's, or a member's.
    pub of: DiscordId,
    pub is_member: bool,
    pub allow: Permissions,
    pub deny: Permissions,
}

/// A channel of a Discord server, or a category of channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub id: DiscordId,
    pub name: String,
    /// Discord's number for what it is.
    pub kind: i64,
    pub position: i64,
    pub parent: Option<DiscordId>,
    pub overwrites: Vec<Overwrite>,
}

impl Channel {
    pub const TEXT: i64 = 0;
    pub const CATEGORY: i64 = 4;
    pub const ANNOUNCEMENT: i64 = 5;

    /// Whether it is one that messages are posted in.
    pub const fn takes_messages(&self) -> bool {
        matches!(self.kind, Self::TEXT | Self::ANNOUNCEMENT)
    }
}

/// A member of a Discord server, here our bot itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing<'a> {
    pub guild: &'a DiscordId,
    pub owner: &'a DiscordId,
    pub member: &'a DiscordId,
    /// Those it has; everybody's is not listed.
    pub roles: &'a [DiscordId],
    /// All of the server.
    pub all_roles: &'a [Role],
}

impl Standing<'_> {
    fn own_roles(&self) -> impl Iterator<Item = &Role> {
        let is_own = |role: &&Role| role.id == *self.guild || self.roles.contains(&role.id);
        self.all_roles.iter().filter(is_own)
    }

    /// What it may do in the server, before any channel makes an exception.
    pub fn permissions(&self) -> Permissions {
        if self.member == self.owner {
            return Permissions::ALL;
        }
        let all = self
            .own_roles()
            .fold(Permissions::NONE, |all, role| all.with(role.permissions));
        if all.contain(Permissions::ADMINISTRATOR) {
            return Permissions::ALL;
        }
        all
    }

    /// What it may do in a channel. Whoever cannot see a channel can do nothing in it.
    pub fn permissions_in(&self, channel: &Channel) -> Permissions {
        let base = self.permissions();
        if base.contain(Permissions::ADMINISTRATOR) {
            return base;
        }
        let mut of_everybody = (Permissions::NONE, Permissions::NONE);
        let mut of_roles = (Permissions::NONE, Permissions::NONE);
        let mut of_member = (Permissions::NONE, Permissions::NONE);
        for overwrite in &channel.overwrites {
            let (allow, deny) = if overwrite.is_member {
                if overwrite.of != *self.member {
                    continue;
                }
                &mut of_member
            } else if overwrite.of == *self.guild {
                &mut of_everybody
            } else if self.roles.contains(&overwrite.of) {
                &mut of_roles
            } else {
                continue;
            };
            *allow = allow.with(overwrite.allow);
            *deny = deny.with(overwrite.deny);
        }
        // Each level takes away first and then gives, and the nearer one has the last word.
        let found = [of_everybody, of_roles, of_member]
            .into_iter()
            .fold(base, |found, (allow, deny)| found.without(deny).with(allow));
        if found.contain(Permissions::VIEW_CHANNEL) {
            found
        } else {
            Permissions::NONE
        }
    }

    /// The position of its highest role.
    pub fn top_position(&self) -> i64 {
        self.own_roles().map(|role| role.position).max().unwrap_or(0)
    }
}

words! {
    /// Why our bot cannot give a role, or does not.
    pub enum RoleReason {
        /// It belongs to a bot or an integration.
        Managed = "managed",
        /// It does not stand below the bot's own highest role.
        AboveBot = "above_bot",
        /// The bot may not manage roles at all.
        NoPermission = "no_permission",
        /// It can be given, but whoever has it can administer the server.
        Powerful = "powerful",
        /// It is not there any more.
        Gone = "gone",
    }
}

words! {
    /// Why our bot cannot post in a channel.
    pub enum ChannelReason {
        /// Messages are not posted in channels of this kind.
        NotText = "not_text",
        CannotSee = "cannot_see",
        CannotPost = "cannot_post",
        /// It may write there, but not the form that its messages have.
        CannotEmbed = "cannot_embed",
    }
}

impl Standing<'_> {
    /// Why it cannot give a role, or does not unless somebody confirmed it; none when it can. The owner stands above all
    /// roles.
    pub fn reason_against_role(&self, role: &Role) -> Option<RoleReason> {
        if role.managed || role.id == *self.guild {
            return Some(RoleReason::Managed);
        }
        if !self.permissions().contain(Permissions::MANAGE_ROLES) {
            return Some(RoleReason::NoPermission);
        }
        let is_below = self.member == self.owner || role.position < self.top_position();
        if !is_below {
            return Some(RoleReason::AboveBot);
        }
        role.permissions.are_powerful().then_some(RoleReason::Powerful)
    }

    /// Why it cannot post in a channel; none when it can.
    pub fn reason_against_channel(&self, channel: &Channel) -> Option<ChannelReason> {
        if !channel.takes_messages() {
            return Some(ChannelReason::NotText);
        }
        let found = self.permissions_in(channel);
        let lacks = |needed| !found.contain(needed);
        if lacks(Permissions::VIEW_CHANNEL) {
            Some(ChannelReason::CannotSee)
        } else if lacks(Permissions::SEND_MESSAGES) {
            Some(ChannelReason::CannotPost)
        } else if lacks(Permissions::EMBED_LINKS) {
            Some(ChannelReason::CannotEmbed)
        } else {
            None
        }
    }
}

#[cfg(test)]
#[path = "discord_tests.rs"]
mod tests;
