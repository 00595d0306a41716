//! Rate limits and last use, kept in memory: one small cell per key, network or account.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use domain::bot::BotId;
use domain::clock::SharedClock;
use domain::network::ClientNetwork;
use domain::plan::{RateLimit, Tier};
use domain::platform_id::DiscordId;
use domain::rate::{self, Decision};
use papaya::HashMap;

use super::buckets::{Buckets, take};

/// A cell without calls for this long holds a full bucket at any sensible limit.
const IDLE_MS: i64 = 10 * 60_000;

/// Nobody opens so many pages by hand.
const BUYERS: RateLimit = RateLimit {
    per_minute: 30,
    burst: 60,
    bulk_ids: 0,
};

/// Buckets run on the steady clock: when the wall clock is set back, nobody is refused for it. Only the times of last
/// use, which people read, are those of the wall clock.
pub struct Gate {
    clock: SharedClock,
    limits: Limits,
    keys: HashMap<i64, KeyCell>,
    networks: Buckets<ClientNetwork>,
    accounts: Buckets<i64>,
    bots: Buckets<BotId>,
    handed_on: Buckets<BotId>,
    discord_guilds: Buckets<DiscordId>,
    members: Buckets<DiscordId>,
    link_starts: Buckets<ClientNetwork>,
    link_steps: Buckets<ClientNetwork>,
    buyers: Buckets<i64>,
}

/// What may pass, as the operator set it. A burst is what may pass at once after a rest.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Of each key whose Org has this plan.
    pub free: RateLimit,
    /// Of each key whose Org has this plan.
    pub standard: RateLimit,
    /// Of each key whose Org has this plan, and of each bot of the platform.
    pub pro: RateLimit,
    /// Of each network: well-formed keys and secrets that nobody holds, and signatures that do not fit.
    pub unknown_keys: RateLimit,
    /// Of each account.
    pub dashboard: RateLimit,
    /// Of each network: sign-ins that begin on a public page.
    pub link_starts: RateLimit,
    /// Of each network: buttons of public pages, and ways back from a sign-in. Of each person on Discord: commands.
    pub link_steps: RateLimit,
}

impl Limits {
    /// The limit of a key.
    pub(crate) fn of(&self, tier: Tier) -> RateLimit {
        match tier {
            Tier::Free => self.free,
            Tier::Standard => self.standard,
            Tier::Pro => self.pro,
        }
    }
}

#[derive(Default)]
struct KeyCell {
    bucket: AtomicI64,
    last_used_ms: AtomicI64,
    /// Highest `last_used_ms` already written down.
    recorded_ms: AtomicI64,
    query_calls: AtomicI64,
}

/// What a batch of last uses writes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    /// The key's row.
    pub key_num: i64,
    /// The latest use, by the wall clock.
    pub last_used_ms: i64,
    /// Calls with the key in the address since the last batch.
    pub query_calls: i64,
}

impl Gate {
    /// Every bucket starts full.
    pub(crate) fn new(limits: Limits, clock: SharedClock) -> Self {
        Self {
            clock,
            limits,
            keys: HashMap::new(),
            networks: Buckets::new(),
            accounts: Buckets::new(),
            bots: Buckets::new(),
            handed_on: Buckets::new(),
            discord_guilds: Buckets::new(),
            members: Buckets::new(),
            link_starts: Buckets::new(),
            link_steps: Buckets::new(),
            buyers: Buckets::new(),
        }
    }

    /// The limit of a key, for what tells callers about it.
    pub fn limit(&self, tier: Tier) -> RateLimit {
        self.limits.of(tier)
    }

    /// Takes one call from a key's bucket and remembers the use.
    pub fn take_key(&self, key_num: i64, tier: Tier, in_query: bool) -> Decision {
        let keys = self.keys.pin();
        let known = keys.get(&key_num);
        let cell = known.unwrap_or_else(|| keys.get_or_insert_with(key_num, KeyCell::default));
        cell.last_used_ms.fetch_max(self.clock.now_ms(), Relaxed);
        if in_query {
            cell.query_calls.fetch_add(1, Relaxed);
        }
        take(&cell.bucket, self.clock.steady_ms(), self.limits.of(tier))
    }

    /// The state of a key's bucket, for answers that did not count.
    pub(crate) fn peek_key(&self, key_num: i64, tier: Tier) -> Decision {
        let bucket = self
            .keys
            .pin()
            .get(&key_num)
            .map_or(0, |cell| cell.bucket.load(Relaxed));
        rate::peek(bucket, self.clock.steady_ms(), self.limits.of(tier))
    }

    /// Counts an unknown key, or another proof that is none, against the caller's network.
    pub fn take_unknown_key(&self, network: ClientNetwork) -> Decision {
        self.networks
            .take(network, self.clock.steady_ms(), self.limits.unknown_keys)
    }

    /// Counts a dashboard call against the account.
    pub(crate) fn take_account(&self, account_num: i64) -> Decision {
        self.accounts
            .take(account_num, self.clock.steady_ms(), self.limits.dashboard)
    }

    /// Counts a call of a bot. It may call as often as a key of the largest plan.
    pub fn take_bot(&self, bot: &BotId) -> Decision {
        self.bots
            .take(bot.clone(), self.clock.steady_ms(), self.limits.pro)
    }

    /// Counts what a bot hands on of people, apart from its own calls: a rush of people cannot cut it off.
    pub fn take_handed_on(&self, bot: &BotId) -> Decision {
        self.handed_on
            .take(bot.clone(), self.clock.steady_ms(), self.limits.pro)
    }

    /// Counts a command or a button by its Discord server, which has a tenth of what the bot may hand on.
    pub(crate) fn take_discord_guild(&self, guild: &DiscordId) -> Decision {
        let limit = RateLimit {
            per_minute: (self.limits.pro.per_minute / 10).max(1),
            burst: (self.limits.pro.burst / 10).max(1),
            ..self.limits.pro
        };
        self.discord_guilds
            .take(guild.clone(), self.clock.steady_ms(), limit)
    }

    /// Counts a command or a button that somebody uses on Discord, like a button of a public page: one of them cannot
    /// use up what the bot may ask.
    pub(crate) fn take_member(&self, member: &DiscordId) -> Decision {
        self.members
            .take(member.clone(), self.clock.steady_ms(), self.limits.link_steps)
    }

    /// Counts a sign-in that begins on a public page.
    pub fn take_link_start(&self, network: ClientNetwork) -> Decision {
        self.link_starts
            .take(network, self.clock.steady_ms(), self.limits.link_starts)
    }

    /// Counts a button that somebody presses on a public page, and a way back from a sign-in.
    pub fn take_link_step(&self, network: ClientNetwork) -> Decision {
        let now_ms = self.clock.steady_ms();
        self.link_steps.take(network, now_ms, self.limits.link_steps)
    }

    /// Counts what an Org has Stripe asked for: what all Orgs may ask together is Stripe's to say.
    pub(crate) fn take_buyer(&self, org_num: i64) -> Decision {
        self.buyers.take(org_num, self.clock.steady_ms(), BUYERS)
    }

    /// Uses since the last call of this, in the order of their keys, and forgets cells that have been idle.
    pub fn drain_uses(&self) -> Vec<KeyUse> {
        let (now_ms, steady_ms) = (self.clock.now_ms(), self.clock.steady_ms());
        let keys = self.keys.pin();
        let mut uses = Vec::new();
        for (key_num, cell) in &keys {
            let last_used_ms = cell.last_used_ms.load(Relaxed);
            let query_calls = cell.query_calls.swap(0, Relaxed);
            if cell.recorded_ms.swap(last_used_ms, Relaxed) < last_used_ms || query_calls > 0 {
                uses.push(KeyUse {
                    key_num: *key_num,
                    last_used_ms,
                    query_calls,
                });
            }
        }
        // By the steady clock too: a wall clock that is set forward must not fill every bucket.
        keys.retain(|_, cell| {
            cell.last_used_ms.load(Relaxed) > now_ms - IDLE_MS || cell.bucket.load(Relaxed) > steady_ms * 1000
        });
        self.networks.sweep(steady_ms);
        self.accounts.sweep(steady_ms);
        self.bots.sweep(steady_ms);
        self.handed_on.sweep(steady_ms);
        self.discord_guilds.sweep(steady_ms);
        self.members.sweep(steady_ms);
        self.link_starts.sweep(steady_ms);
        self.link_steps.sweep(steady_ms);
        self.buyers.sweep(steady_ms);
        uses.sort_unstable_by_key(|used| used.key_num);
        uses
    }

    /// Puts uses back that could not be written.
    pub(crate) fn restore_uses(&self, uses: &[KeyUse]) {
        let keys = self.keys.pin();
        for lost in uses {
            let cell = keys.get_or_insert_with(lost.key_num, KeyCell::default);
            cell.last_used_ms.fetch_max(lost.last_used_ms, Relaxed);
            cell.recorded_ms.store(0, Relaxed);
            cell.query_calls.fetch_add(lost.query_calls, Relaxed);
        }
    }
}

impl From<&config::Limits> for Limits {
    fn from(limits: &config::Limits) -> Self {
        let of = |tier: config::RateLimits| RateLimit {
            per_minute: tier.per_minute,
            burst: tier.burst,
            bulk_ids: tier.bulk_ids,
        };
        let plain = |per_minute, burst| RateLimit {
            per_minute,
            burst,
            bulk_ids: 1,
        };
        Limits {
            free: of(limits.free),
            standard: of(limits.standard),
            pro: of(limits.pro),
            unknown_keys: plain(limits.unknown_keys_per_minute, limits.unknown_keys_per_minute),
            dashboard: plain(limits.dashboard_per_second * 60, limits.dashboard_burst),
            link_starts: plain(limits.link_starts_per_minute, limits.link_starts_per_minute),
            link_steps: plain(limits.link_steps_per_minute, limits.link_steps_per_minute),
        }
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
