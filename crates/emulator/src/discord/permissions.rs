//! Who may do what, and who stands above whom.

use std::ops::{BitAnd, BitOr, Not};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::snowflake::Snowflake;
use super::state::{Channel, Guild};

/// A set of permissions; decimal text in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permissions(pub u64);

impl Permissions {
    pub const CREATE_INSTANT_INVITE: Self = Self(1);
    pub const KICK_MEMBERS: Self = Self(1 << 1);
    pub const ADMINISTRATOR: Self = Self(1 << 3);
    pub const MANAGE_CHANNELS: Self = Self(1 << 4);
    pub const MANAGE_GUILD: Self = Self(1 << 5);
    pub const VIEW_CHANNEL: Self = Self(1 << 10);
    pub const SEND_MESSAGES: Self = Self(1 << 11);
    pub const MANAGE_MESSAGES: Self = Self(1 << 13);
    pub const EMBED_LINKS: Self = Self(1 << 14);
    pub const READ_MESSAGE_HISTORY: Self = Self(1 << 16);
    pub const MENTION_EVERYONE: Self = Self(1 << 17);
    pub const CHANGE_NICKNAME: Self = Self(1 << 26);
    pub const MANAGE_NICKNAMES: Self = Self(1 << 27);
    pub const MANAGE_ROLES: Self = Self(1 << 28);
    pub const USE_APPLICATION_COMMANDS: Self = Self(1 << 31);
    pub const ALL: Self = Self((1 << 52) - 1);

    /// What a fresh guild lets everybody do.
    pub const EVERYBODY: Self = Self(
        Self::CREATE_INSTANT_INVITE.0
            | Self::VIEW_CHANNEL.0
            | Self::SEND_MESSAGES.0
            | Self::EMBED_LINKS.0
            | Self::READ_MESSAGE_HISTORY.0
            | Self::CHANGE_NICKNAME.0
            | Self::USE_APPLICATION_COMMANDS.0,
    );

    pub fn contain(self, wanted: Self) -> bool {
        self & wanted == wanted
    }
}

impl BitOr for Permissions {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Permissions {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Not for Permissions {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Serialize for Permissions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Permissions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map(Self)
            .map_err(|_| D::Error::custom("permissions are a decimal text"))
    }
}

impl Guild {
    /// What a member may do in the guild as a whole; nothing for strangers.
    pub fn permissions(&self, own_id: Snowflake, user: Snowflake) -> Permissions {
        let Some(member) = self.members.get(&user) else {
            return Permissions::default();
        };
        if self.owner_id == Some(user) {
            return Permissions::ALL;
        }
        let roles = member
            .roles
            .iter()
            .chain([&own_id])
            .filter_map(|role| self.roles.get(role));
        let sum = roles.fold(Permissions::default(), |sum, role| sum | role.permissions);
        if sum.contain(Permissions::ADMINISTRATOR) {
            return Permissions::ALL;
        }
        sum
    }

    /// The same in one of its channels.
    pub fn permissions_in(&self, own_id: Snowflake, channel: &Channel, user: Snowflake) -> Permissions {
        let base = self.permissions(own_id, user);
        let Some(member) = self.members.get(&user).filter(|_| base != Permissions::ALL) else {
            return base;
        };
        let apply = |start: Permissions, meant: &dyn Fn(Snowflake) -> bool| {
            let overwrites = channel
                .permission_overwrites
                .iter()
                .filter(|overwrite| meant(overwrite.id));
            let (allow, deny) = overwrites
                .fold((Permissions(0), Permissions(0)), |(allow, deny), overwrite| {
                    (allow | overwrite.allow, deny | overwrite.deny)
                });
            (start & !deny) | allow
        };
        let everybody = apply(base, &|id| id == own_id);
        let roles = apply(everybody, &|id| member.roles.contains(&id));
        let own = apply(roles, &|id| id == user);
        if own.contain(Permissions::VIEW_CHANNEL) {
            own
        } else {
            Permissions::default()
        }
    }

    /// The position of the highest role; the owner stands above all.
    pub fn rank(&self, user: Snowflake) -> i64 {
        if self.owner_id == Some(user) {
            return i64::MAX;
        }
        let roles = self
            .members
            .get(&user)
            .map(|member| member.roles.as_slice())
            .unwrap_or_default();
        roles
            .iter()
            .filter_map(|role| self.roles.get(role))
            .map(|role| role.position)
            .max()
            .unwrap_or(0)
    }

    /// Whether this member may give, take or change this role.
    pub fn commands_role(&self, own_id: Snowflake, user: Snowflake, role: Snowflake) -> bool {
        self.permissions(own_id, user).contain(Permissions::MANAGE_ROLES)
            && role != own_id
            && self
                .roles
                .get(&role)
                .is_some_and(|role| !role.managed && role.position < self.rank(user))
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::{Member, Overwrite, Role};
    use super::*;

    const GUILD: Snowflake = Snowflake(1);
    const BOT: Snowflake = Snowflake(2);
    const LOW: Snowflake = Snowflake(10);
    const MIDDLE: Snowflake = Snowflake(11);
    const HIGH: Snowflake = Snowflake(12);

    fn guild(permissions: Permissions) -> Guild {
        let role = |position, permissions| Role {
            position,
            permissions,
            ..Role::default()
        };
        let mut guild = Guild::default();
        guild.roles.insert(GUILD, role(0, Permissions::EVERYBODY));
        guild.roles.insert(LOW, role(1, Permissions(0)));
        guild.roles.insert(MIDDLE, role(2, permissions));
        guild.roles.insert(HIGH, role(3, Permissions(0)));
        let roles = vec![MIDDLE];
        guild.members.insert(
            BOT,
            Member {
                roles,
                ..Member::default()
            },
        );
        guild
    }

    #[test]
    fn a_bot_commands_only_roles_below_its_own() {
        let guild = guild(Permissions::MANAGE_ROLES);
        let commands =
            [GUILD, LOW, MIDDLE, HIGH, Snowflake(99)].map(|role| guild.commands_role(GUILD, BOT, role));
        assert_eq!(commands, [false, true, false, false, false]);
    }

    #[test]
    fn without_manage_roles_it_commands_none() {
        assert!(!guild(Permissions(0)).commands_role(GUILD, BOT, LOW));
    }

    #[test]
    fn managed_roles_obey_nobody() {
        let mut guild = guild(Permissions::ADMINISTRATOR);
        guild.roles.get_mut(&LOW).unwrap().managed = true;
        assert!(!guild.commands_role(GUILD, BOT, LOW));
    }

    #[test]
    fn a_channel_takes_away_and_gives_back() {
        let guild = guild(Permissions(0));
        let overwrite = |id, allow, deny| Overwrite {
            id,
            kind: 0,
            allow,
            deny,
        };
        let (view, send) = (Permissions::VIEW_CHANNEL, Permissions::SEND_MESSAGES);
        let mut channel = Channel::default();
        assert!(guild.permissions_in(GUILD, &channel, BOT).contain(send));
        channel.permission_overwrites = vec![overwrite(GUILD, Permissions(0), view)];
        assert_eq!(guild.permissions_in(GUILD, &channel, BOT), Permissions(0));
        channel.permission_overwrites.push(overwrite(MIDDLE, view, send));
        let inside = guild.permissions_in(GUILD, &channel, BOT);
        assert!(inside.contain(view) && !inside.contain(send));
        channel
            .permission_overwrites
            .push(overwrite(BOT, send, Permissions(0)));
        assert!(guild.permissions_in(GUILD, &channel, BOT).contain(send));
    }

    #[test]
    fn owners_and_administrators_may_everything() {
        let mut owned = guild(Permissions(0));
        owned.owner_id = Some(BOT);
        assert_eq!(owned.permissions(GUILD, BOT), Permissions::ALL);
        assert!(owned.commands_role(GUILD, BOT, HIGH));
        assert_eq!(
            guild(Permissions::ADMINISTRATOR).permissions(GUILD, BOT),
            Permissions::ALL
        );
        assert_eq!(owned.permissions(GUILD, Snowflake(99)), Permissions(0));
    }
}
