//! The tenants and links both databases are filled with: the same in every run, computed instead of kept.

use domain::id::{AccountId, GuildId, KeyId, LinkId, OrgId, ServerId};
use domain::key::PlainKey;
use domain::random::SeededRandom;

/// Each tenant is one Org of tier pro with one Guild, one Server and its plugin key.
pub const TENANTS: u64 = 1_000;
/// A role of its Discord server.
pub const VIP_ROLE: &str = "800000000000000001";
/// Links of the one large Guild, which nobody asks about.
pub const LARGE_LINKS: u64 = 100_000;
/// Where the numbers of its links begin, beyond all others.
const LARGE_FROM: u64 = 1_000_000_000;
/// When everything was made; a round number in 2024.
pub const CREATED_AT_MS: i64 = 1_717_000_000_000;
/// The first individual account of Steam; 2^32 of them follow.
const STEAM_BASE: u64 = 76_561_197_960_265_728;
const DISCORD_BASE: u64 = 100_000_000_000_000_000;

pub struct Dataset {
    pub owner: AccountId,
    pub tenants: Vec<Tenant>,
    /// One more, with a large Guild.
    pub large: Tenant,
    pub links_per_guild: u64,
}

pub struct Tenant {
    pub org: OrgId,
    pub guild: GuildId,
    pub server: ServerId,
    pub key_id: KeyId,
    pub key: PlainKey,
}

impl Dataset {
    pub fn new(links: u64) -> Self {
        let random = SeededRandom::new(1);
        let tenant = |number: u64| {
            let at_ms = CREATED_AT_MS + number.cast_signed();
            Tenant {
                org: OrgId::generate(at_ms, &random),
                guild: GuildId::generate(at_ms, &random),
                server: ServerId::generate(at_ms, &random),
                key_id: KeyId::generate(at_ms, &random),
                key: PlainKey::generate(&random),
            }
        };
        Self {
            owner: AccountId::generate(CREATED_AT_MS, &random),
            tenants: (0..TENANTS).map(&tenant).collect(),
            large: tenant(TENANTS),
            links_per_guild: links / TENANTS,
        }
    }

    /// All links; those of one Guild are numbered without gaps.
    pub fn links(&self) -> u64 {
        TENANTS * self.links_per_guild
    }

    /// The number of each tenant's row, with the large one last.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &Tenant)> {
        (1..).zip(self.tenants.iter().chain([&self.large]))
    }

    /// Links of the tenant of a row.
    pub fn links_of(&self, row: u64) -> u64 {
        if row > TENANTS {
            LARGE_LINKS
        } else {
            self.links_per_guild
        }
    }

    /// Every link with the row of its tenant, its own number and its id.
    pub fn all_links(&self) -> impl Iterator<Item = (u64, u64, LinkId)> {
        let random = SeededRandom::new(2);
        let each = self.links_per_guild;
        let usual = (0..self.links()).map(move |number| (number / each + 1, number));
        let large = (LARGE_FROM..LARGE_FROM + LARGE_LINKS).map(|number| (TENANTS + 1, number));
        usual.chain(large).map(move |(row, number)| {
            let id = LinkId::generate(CREATED_AT_MS + number.cast_signed(), &random);
            (row, number, id)
        })
    }
}

/// The Steam side of a link. Scattered like real ids, so that the indexes are shaped like real ones.
pub fn steam_id(link: u64) -> u64 {
    STEAM_BASE + u64::from(scatter(link as u32))
}

/// The Discord side of a link: 18 digits.
pub fn discord_id(link: u64) -> u64 {
    DISCORD_BASE + (u64::from(scatter(!(link as u32))) << 27)
}

/// The short name of the large Guild.
pub fn large_slug() -> String {
    guild_slug(TENANTS + 1)
}

pub fn guild_slug(row: u64) -> String {
    format!("guild-{row}")
}

pub fn discord_guild_id(tenant: u64) -> u64 {
    9 * DISCORD_BASE + tenant
}

/// Gives every number another one, no two the same.
fn scatter(number: u32) -> u32 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x85EB_CA6B);
    mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xC2B2_AE35);
    mixed ^ (mixed >> 16)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::platform_id::{DiscordId, SteamId};

    use super::*;

    #[test]
    fn links_never_share_an_id() {
        let numbers = 0..200_000;
        assert_eq!(
            numbers.clone().map(steam_id).collect::<HashSet<_>>().len(),
            200_000
        );
        assert_eq!(numbers.map(discord_id).collect::<HashSet<_>>().len(), 200_000);
    }

    #[test]
    fn every_id_is_one_the_product_accepts() {
        for link in (0..2_000_000).step_by(997) {
            assert!(SteamId::parse(&steam_id(link).to_string()).is_ok());
            let discord = discord_id(link).to_string();
            assert!(DiscordId::parse(&discord).is_ok());
            assert_eq!(discord.len(), 18);
        }
    }

    #[test]
    fn the_same_keys_come_out_every_time() {
        let (one, two) = (Dataset::new(10_000), Dataset::new(10_000));
        assert_eq!(one.tenants[7].key.expose(), two.tenants[7].key.expose());
        assert_eq!(one.links(), 10_000);
    }
}
