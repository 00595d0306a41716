//! What a permission group of a game server says about whoever is in it.

use serde::{Deserialize, Serialize};

use crate::words::words;

words! {
    /// What kind of group it is, the weightiest first.
    pub enum GroupClass {
        Owner = "owner",
        Admin = "admin",
        Moderator = "moderator",
        Staff = "staff",
        Vip = "vip",
        Donator = "donator",
        /// Whatever no keyword finds.
        Custom = "custom",
        /// The group that everybody is in.
        Default = "default",
    }
}

impl GroupClass {
    /// What it counts of a hundred.
    pub const fn weight(self) -> u64 {
        match self {
            Self::Owner => 100,
            Self::Admin => 90,
            Self::Moderator => 75,
            Self::Staff => 60,
            Self::Vip => 40,
            Self::Donator => 30,
            Self::Custom => 20,
            Self::Default => 5,
        }
    }
}

/// A word that tells the class of every group whose name holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyword {
    pub text: String,
    pub class: GroupClass,
}

impl Keyword {
    /// The classes by their own names.
    pub fn defaults() -> Vec<Self> {
        let named = |class: &GroupClass| Self {
            text: class.as_str().to_owned(),
            class: *class,
        };
        GroupClass::ALL.iter().map(named).collect()
    }
}

/// The class of a group: the first keyword that its name holds decides, in whatever case.
pub fn class_of(group: &str, keywords: &[Keyword]) -> GroupClass {
    let group = group.to_lowercase();
    let found = keywords
        .iter()
        .find(|keyword| group.contains(&keyword.text.to_lowercase()));
    found.map_or(GroupClass::Custom, |keyword| keyword.class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_keyword_that_a_name_holds_decides() {
        let defaults = Keyword::defaults();
        for (group, class) in [
            ("Owner", GroupClass::Owner),
            ("headadmin", GroupClass::Admin),
            ("VIP+", GroupClass::Vip),
            ("vipadmin", GroupClass::Admin),
            ("default", GroupClass::Default),
            ("builders", GroupClass::Custom),
            ("", GroupClass::Custom),
        ] {
            assert_eq!(class_of(group, &defaults), class, "{group}");
        }
        let own = Keyword {
            text: "Builder".to_owned(),
            class: GroupClass::Staff,
        };
        let keywords: Vec<Keyword> = [own].into_iter().chain(defaults).collect();
        assert_eq!(class_of("builders", &keywords), GroupClass::Staff);
    }

    #[test]
    fn classes_are_in_the_order_of_their_weights() {
        assert!(GroupClass::ALL.is_sorted_by(|one, other| one.weight() > other.weight()));
    }
}
