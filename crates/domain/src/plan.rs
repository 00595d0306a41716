//! Paid plans: how much of everything an organisation may have, and how often its keys may call.

use crate::words::words;

words! {
    /// The plan of an organisation; a better plan compares as greater.
    pub enum Tier {
        Free = "free",
        Standard = "standard",
        Pro = "pro",
    }
}

words! {
    /// Something a plan puts a ceiling on.
    pub enum Dimension {
        Orgs = "orgs",
        Guilds = "guilds",
        Servers = "servers",
        Links = "links",
        NavigationLinks = "navigation_links",
    }
}

/// How many of each may exist when one more is added; what already exists above a ceiling stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceilings {
    /// Organisations owned by one account.
    pub orgs: i64,
    pub guilds: i64,
    pub servers: i64,
    /// Active links over all guilds of the organisation.
    pub links: i64,
    pub navigation_links: i64,
}

impl Ceilings {
    pub const fn of(&self, dimension: Dimension) -> i64 {
        match dimension {
            Dimension::Orgs => self.orgs,
            Dimension::Guilds => self.guilds,
            Dimension::Servers => self.servers,
            Dimension::Links => self.links,
            Dimension::NavigationLinks => self.navigation_links,
        }
    }

    /// Whether `added` more fit beside the `current` ones. Adding nothing always fits, even above the ceiling.
    pub const fn allows(&self, dimension: Dimension, current: i64, added: i64) -> bool {
        added <= 0 || current.saturating_add(added) <= self.of(dimension)
    }
}

/// How often one key may call, and how many ids one bulk call may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Calls regained in a minute.
    pub per_minute: u32,
    /// Calls possible at once after a quiet time.
    pub burst: u32,
    pub bulk_ids: u32,
}

/// What an installation allows on each plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plans {
    pub free: Ceilings,
    pub standard: Ceilings,
    pub pro: Ceilings,
    /// The plan of an organisation that has no other one: Free where plans are sold.
    pub default_tier: Tier,
    /// Whether plans can be bought here. Where they cannot, operators give them.
    pub sold: bool,
    /// Whether every Guild may have a bot of its own, paid for or not.
    pub custom_bots: bool,
}

impl Default for Plans {
    fn default() -> Self {
        Self {
            free: Tier::Free.default_ceilings(),
            standard: Tier::Standard.default_ceilings(),
            pro: Tier::Pro.default_ceilings(),
            default_tier: Tier::Free,
            sold: false,
            custom_bots: false,
        }
    }
}

impl Plans {
    pub const fn ceilings(&self, tier: Tier) -> Ceilings {
        match tier {
            Tier::Free => self.free,
            Tier::Standard => self.standard,
            Tier::Pro => self.pro,
        }
    }

    /// How many organisations somebody may own who owns those of these plans.
    pub fn orgs_ceiling(&self, owned: impl IntoIterator<Item = Tier>) -> i64 {
        self.ceilings(best_tier(owned).max(self.default_tier)).orgs
    }
}

impl Tier {
    /// The ceilings unless the instance is configured otherwise.
    pub const fn default_ceilings(self) -> Ceilings {
        match self {
            Self::Free => Ceilings {
                orgs: 1,
                guilds: 1,
                servers: 2,
                links: 500,
                navigation_links: 3,
            },
            Self::Standard => Ceilings {
                orgs: 3,
                guilds: 3,
                servers: 15,
                links: 20_000,
                navigation_links: 5,
            },
            Self::Pro => Ceilings {
                orgs: 10,
                guilds: 10,
                servers: 50,
                links: 100_000,
                navigation_links: 10,
            },
        }
    }

    /// The limit unless the instance is configured otherwise.
    pub const fn default_rate_limit(self) -> RateLimit {
        let (per_minute, burst, bulk_ids) = match self {
            Self::Free => (240, 480, 100),
            Self::Standard => (1_200, 2_400, 500),
            Self::Pro => (6_000, 12_000, 2_000),
        };
        RateLimit {
            per_minute,
            burst,
            bulk_ids,
        }
    }
}

/// The best plan among several subscriptions or organisations; Free when there are none.
pub fn best_tier(tiers: impl IntoIterator<Item = Tier>) -> Tier {
    tiers.into_iter().max().unwrap_or(Tier::Free)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pro_wins_over_standard_and_both_over_free() {
        use Tier::{Free, Pro, Standard};
        assert_eq!(best_tier([]), Free);
        assert_eq!(best_tier([Free, Standard, Free]), Standard);
        assert_eq!(best_tier([Standard, Pro, Free]), Pro);
    }

    #[test]
    fn the_place_after_the_last_free_link_is_refused() {
        let free = Tier::Free.default_ceilings();
        assert!(free.allows(Dimension::Links, 499, 1));
        assert!(!free.allows(Dimension::Links, 500, 1));
    }

    #[test]
    fn an_organisation_above_its_ceiling_may_still_replace() {
        let free = Tier::Free.default_ceilings();
        assert!(free.allows(Dimension::Links, 9_000, 0));
        assert!(free.allows(Dimension::Links, 9_000, -1));
    }

    #[test]
    fn a_better_plan_never_offers_less() {
        for pair in Tier::ALL.windows(2) {
            for dimension in Dimension::ALL {
                assert!(
                    pair[0].default_ceilings().of(*dimension) < pair[1].default_ceilings().of(*dimension)
                );
            }
            let (low, high) = (pair[0].default_rate_limit(), pair[1].default_rate_limit());
            assert!(low.per_minute < high.per_minute && low.burst < high.burst);
            assert!(low.bulk_ids < high.bulk_ids);
        }
    }

    proptest! {
        #[test]
        fn the_order_of_subscriptions_does_not_matter(
            mut tiers in prop::collection::vec(prop::sample::select(Tier::ALL), 0..6),
        ) {
            let best = best_tier(tiers.clone());
            tiers.reverse();
            prop_assert_eq!(best_tier(tiers), best);
        }
    }
}
