//! Steam groups: how people write them down, and whether a player is in one.

use std::fmt;

/// What Steam adds to a group's number to make the long id that its pages show.
const LONG_BASE: u64 = 0x0170_0000_0000_0000;
const HOSTS: [&str; 2] = ["steamcommunity.com", "www.steamcommunity.com"];
const NAME_MAX: usize = 64;

/// A group's number as the Web API lists it. Steam's pages show the same group under a long id of 18 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(u32);

impl GroupId {
    pub fn new(number: u32) -> Option<Self> {
        (number > 0).then_some(Self(number))
    }

    /// Accepts the short number and the long id, as plain digits without leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        if text.starts_with('0') || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number: u64 = text.parse().ok()?;
        let short = number.checked_sub(LONG_BASE).unwrap_or(number);
        u32::try_from(short).ok().and_then(Self::new)
    }

    pub const fn number(self) -> u32 {
        self.0
    }

    /// The id of 18 digits that Steam's pages show.
    pub const fn long(self) -> u64 {
        LONG_BASE + self.0 as u64
    }
}

/// Prints the short number.
impl fmt::Display for GroupId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// A group as somebody pasted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PastedGroup {
    Id(GroupId),
    /// The name in the group's address. Only Steam knows which number it stands for.
    Name(String),
}

/// The text names no Steam group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "give the group's number, or its address such as https://steamcommunity.com/groups/name or https://steamcommunity.com/gid/103582791429521409"
)]
pub struct NoGroup;

impl PastedGroup {
    /// Reads a number, a long id, `[g:1:4]`, an address of a group, or the name in one.
    pub fn parse(text: &str) -> Result<Self, NoGroup> {
        let text = text.trim();
        let by_id = |text: &str| GroupId::parse(text).map(Self::Id).ok_or(NoGroup);
        if let Some(inner) = text.strip_prefix("[g:1:").and_then(|rest| rest.strip_suffix(']')) {
            return by_id(inner);
        }
        let bare = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .unwrap_or(text);
        if let Some((host, path)) = bare.split_once('/') {
            if !HOSTS.contains(&host.to_ascii_lowercase().as_str()) {
                return Err(NoGroup);
            }
            let mut parts = path.split(['/', '?', '#']);
            return match (parts.next(), parts.next()) {
                (Some("gid"), Some(id)) => by_id(id),
                (Some("groups"), Some(name)) => by_name(name),
                (_, _) => Err(NoGroup),
            };
        }
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return by_id(text);
        }
        by_name(text)
    }
}

fn by_name(name: &str) -> Result<PastedGroup, NoGroup> {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let fits = !name.is_empty() && name.len() <= NAME_MAX && name.bytes().all(letters);
    fits.then(|| PastedGroup::Name(name.to_owned())).ok_or(NoGroup)
}

/// What Steam told about one player's groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Groups {
    /// Sorted, each once.
    Listed(Box<[GroupId]>),
    /// The profile is private, or Steam has nothing to say about this id.
    Hidden,
}

impl Groups {
    pub fn listed(groups: impl IntoIterator<Item = GroupId>) -> Self {
        let mut groups: Vec<GroupId> = groups.into_iter().collect();
        groups.sort_unstable();
        groups.dedup();
        Self::Listed(groups.into_boxed_slice())
    }

    /// Whether the player is in the group; nothing when it cannot be told.
    pub fn contains(&self, group: GroupId) -> Option<bool> {
        match self {
            Self::Listed(groups) => Some(groups.binary_search(&group).is_ok()),
            Self::Hidden => None,
        }
    }
}

/// Whether a player is in a group. The third answer is never a no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    Yes,
    No,
    CannotTell(Obstacle),
}

/// Why it cannot be told, which decides what the player is advised to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The player can change this: make the profile and its group list public.
    Hidden,
    /// Steam did not answer, or may not be asked now: try again later.
    Steam,
}

impl Membership {
    pub fn of(groups: &Groups, group: GroupId) -> Self {
        match groups.contains(group) {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::CannotTell(Obstacle::Hidden),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(number: u32) -> GroupId {
        GroupId::new(number).unwrap()
    }

    #[test]
    fn every_way_to_write_a_group_down_is_read() {
        for (text, group) in [
            ("4", PastedGroup::Id(id(4))),
            (" 103582791429521412 ", PastedGroup::Id(id(4))),
            ("[g:1:4]", PastedGroup::Id(id(4))),
            ("4294967295", PastedGroup::Id(id(u32::MAX))),
            ("103582795724488703", PastedGroup::Id(id(u32::MAX))),
            (
                "https://steamcommunity.com/gid/103582791429521412",
                PastedGroup::Id(id(4)),
            ),
            (
                "http://www.steamcommunity.com/gid/4/memberslistxml?xml=1",
                PastedGroup::Id(id(4)),
            ),
            (
                "https://steamcommunity.com/groups/Valve",
                PastedGroup::Name("Valve".to_owned()),
            ),
            (
                "STEAMCOMMUNITY.com/groups/my_group-1#members",
                PastedGroup::Name("my_group-1".to_owned()),
            ),
            ("Valve", PastedGroup::Name("Valve".to_owned())),
        ] {
            assert_eq!(PastedGroup::parse(text), Ok(group), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            " ",
            "0",
            "04",
            "4294967296",
            "103582791429521408",
            "103582795724488704",
            // A player's id.
            "76561197960265729",
            "99999999999999999999",
            "[g:2:4]",
            "[U:1:4]",
            "https://steamcommunity.com/id/somebody",
            "https://steamcommunity.com/groups/",
            "https://steamcommunity.com/gid/x",
            "https://steamcommunity.com.example.org/groups/Valve",
            "https://example.org/groups/Valve",
            "https://user@steamcommunity.com/groups/Valve",
            "two words",
            "ｖalve",
            &"x".repeat(65),
        ] {
            assert_eq!(PastedGroup::parse(text), Err(NoGroup), "{text}");
        }
    }

    #[test]
    fn hidden_groups_are_neither_yes_nor_no() {
        assert_eq!(
            Membership::of(&Groups::Hidden, id(4)),
            Membership::CannotTell(Obstacle::Hidden)
        );
        let listed = Groups::listed([id(9), id(4), id(9)]);
        assert_eq!(Membership::of(&listed, id(4)), Membership::Yes);
        assert_eq!(Membership::of(&listed, id(5)), Membership::No);
        assert_eq!(Membership::of(&Groups::listed([]), id(4)), Membership::No);
    }

    proptest! {
        #[test]
        fn both_ids_of_a_group_are_the_same_group(number in 1..=u32::MAX) {
            let group = id(number);
            prop_assert_eq!(GroupId::parse(&group.long().to_string()), Some(group));
            prop_assert_eq!(GroupId::parse(&group.to_string()), Some(group));
        }

        #[test]
        fn no_text_panics(text in ".{0,80}") {
            let _ = PastedGroup::parse(&text);
        }
    }
}
