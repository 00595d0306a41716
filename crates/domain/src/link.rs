//! Links between accounts: what a new verification does to the links that already exist.

use crate::id::LinkId;
use crate::platform_id::{DiscordId, SteamId};
use crate::text::{InlineText, text_traits};
use crate::words::words;

words! {
    /// Why a link ended. The spelling is shown in log messages.
    pub enum UnlinkCause {
        User = "user",
        Admin = "admin",
        Plugin = "plugin",
        Relink = "relink",
        ZombieCleanup = "zombie-cleanup",
    }
}

impl UnlinkCause {
    /// Whether the end tells of somebody who does not stay with one account: staff and tidying up say nothing of that.
    pub const fn is_churn(self) -> bool {
        match self {
            Self::User | Self::Plugin | Self::Relink => true,
            Self::Admin | Self::ZombieCleanup => false,
        }
    }
}

/// A link of one guild that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveLink {
    /// The row number in the store.
    pub num: i64,
    pub id: LinkId,
    pub discord_id: DiscordId,
    pub steam_id: SteamId,
    pub linked_at_ms: i64,
}

/// What to write when a person has proved both accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkDecision {
    /// The same pair is linked: note country and time, write no new row.
    AlreadyLinked(ActiveLink),
    /// End the links in `archive` with cause relink and add one; `net` is by how much the number of active links changes.
    Create { archive: Vec<ActiveLink>, net: i64 },
}

/// Decides on a verified pair, given the active link of each side in the same guild.
pub fn decide_link(
    discord: &DiscordId,
    steam: &SteamId,
    by_discord: Option<ActiveLink>,
    by_steam: Option<ActiveLink>,
) -> LinkDecision {
    let mut archive: Vec<ActiveLink> = Vec::new();
    let mut net = 1;
    for link in [by_discord, by_steam].into_iter().flatten() {
        if link.discord_id == *discord && link.steam_id == *steam {
            return LinkDecision::AlreadyLinked(link);
        }
        if archive.iter().all(|known| known.id != link.id) {
            archive.push(link);
            net -= 1;
        }
    }
    LinkDecision::Create { archive, net }
}

/// How long a link lasted; 0 when the clock stepped back in between.
pub fn duration_ms(linked_at_ms: i64, ended_at_ms: i64) -> i64 {
    ended_at_ms.saturating_sub(linked_at_ms).max(0)
}

/// The text is not a country.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountryError {
    #[error("a country is two letters, such as DE")]
    Form,
    #[error("this code stands for an unknown country; leave the country out instead")]
    Unknown,
}

/// A country as two upper-case letters. Whether the code is assigned to a country is not checked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country(InlineText<2>);

impl Country {
    /// Lower case is accepted; the codes that geolocation services use for "unknown" are refused.
    pub fn parse(text: &str) -> Result<Self, CountryError> {
        if text.len() != 2 || !text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(CountryError::Form);
        }
        let upper = text.to_ascii_uppercase();
        if matches!(upper.as_str(), "XX" | "ZZ") {
            return Err(CountryError::Unknown);
        }
        InlineText::new(&upper).map(Self).ok_or(CountryError::Form)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

text_traits!(Country, "a country code of two letters");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SeededRandom;

    fn discord(n: u64) -> DiscordId {
        DiscordId::parse(&(100_000_000_000_000_000 + n).to_string()).unwrap()
    }

    fn steam(n: u64) -> SteamId {
        SteamId::parse(&(76_561_198_000_000_000 + n).to_string()).unwrap()
    }

    fn link(d: u64, s: u64) -> ActiveLink {
        let num = i64::try_from(d * 1_000 + s).unwrap();
        ActiveLink {
            num,
            id: LinkId::generate(num, &SeededRandom::new(d)),
            discord_id: discord(d),
            steam_id: steam(s),
            linked_at_ms: num,
        }
    }

    #[test]
    fn a_fresh_pair_adds_one_link() {
        let decision = decide_link(&discord(1), &steam(1), None, None);
        assert_eq!(
            decision,
            LinkDecision::Create {
                archive: vec![],
                net: 1
            }
        );
    }

    #[test]
    fn the_same_pair_again_changes_nothing() {
        let known = link(1, 1);
        let decision = decide_link(&discord(1), &steam(1), Some(known.clone()), Some(known.clone()));
        assert_eq!(decision, LinkDecision::AlreadyLinked(known));
    }

    #[test]
    fn a_relink_of_either_side_replaces_the_old_link() {
        let old = link(1, 2);
        let by_discord = decide_link(&discord(1), &steam(1), Some(old.clone()), None);
        assert_eq!(
            by_discord,
            LinkDecision::Create {
                archive: vec![old],
                net: 0
            }
        );
        let old = link(2, 1);
        let by_steam = decide_link(&discord(1), &steam(1), None, Some(old.clone()));
        assert_eq!(
            by_steam,
            LinkDecision::Create {
                archive: vec![old],
                net: 0
            }
        );
    }

    #[test]
    fn both_sides_linked_elsewhere_archives_both() {
        let (one, two) = (link(1, 2), link(2, 1));
        let decision = decide_link(&discord(1), &steam(1), Some(one.clone()), Some(two.clone()));
        let expected = LinkDecision::Create {
            archive: vec![one, two],
            net: -1,
        };
        assert_eq!(decision, expected);
    }

    #[test]
    fn a_link_never_lasted_less_than_no_time() {
        assert_eq!(duration_ms(10, 25), 15);
        assert_eq!(duration_ms(25, 10), 0);
        assert_eq!(duration_ms(i64::MIN, i64::MAX), i64::MAX);
    }

    #[test]
    fn countries_are_two_upper_case_letters() {
        assert_eq!(Country::parse("de").unwrap().as_str(), "DE");
        assert_eq!(Country::parse("XK").unwrap().as_str(), "XK");
        for wrong in ["", "D", "DEU", "D1", "T1", "ß", "ée", " d"] {
            assert_eq!(Country::parse(wrong), Err(CountryError::Form), "{wrong}");
        }
        for unknown in ["XX", "xx", "ZZ"] {
            assert_eq!(Country::parse(unknown), Err(CountryError::Unknown));
        }
    }

    proptest! {
        /// Plays random verifications against a list that holds at most one link per side.
        #[test]
        fn one_active_link_per_side_whatever_happens(pairs in prop::collection::vec((0..5_u64, 0..5_u64), 0..40)) {
            let mut active: Vec<ActiveLink> = Vec::new();
            for (d, s) in pairs {
                let by_discord = active.iter().find(|l| l.discord_id == discord(d)).cloned();
                let by_steam = active.iter().find(|l| l.steam_id == steam(s)).cloned();
                let before = active.len();
                match decide_link(&discord(d), &steam(s), by_discord, by_steam) {
                    LinkDecision::AlreadyLinked(known) => prop_assert!(active.contains(&known)),
                    LinkDecision::Create { archive, net } => {
                        active.retain(|l| !archive.contains(l));
                        active.push(link(d, s));
                        prop_assert_eq!(i64::try_from(active.len()).unwrap() - i64::try_from(before).unwrap(), net);
                    }
                }
                prop_assert_eq!(active.iter().filter(|l| l.discord_id == discord(d)).count(), 1);
                prop_assert_eq!(active.iter().filter(|l| l.steam_id == steam(s)).count(), 1);
            }
        }
    }
}
