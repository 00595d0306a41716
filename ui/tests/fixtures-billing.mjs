// Made-up answers about plans and payments.

const NOW = Date.now();
const DAY = 24 * 60 * 60_000;

const plan = (tier, month, orgs, guilds, servers, links, navigation_links, per_minute) => ({
  tier,
  month,
  year: month * 10,
  orgs,
  ceilings: { guilds, servers, links, navigation_links },
  custom_keys: tier !== 'free',
  per_minute,
});
const plans = [plan('free', 0, 1, 1, 2, 500, 3, 240), plan('standard', 500, 3, 3, 15, 20_000, 5, 1_200), plan('pro', 1_000, 10, 10, 50, 100_000, 10, 6_000)];
const usage = { guilds: 2, servers: 4, links: 18_640, navigation_links: 3 };

export const subscription = (id, more = {}) => ({
  id,
  status: 'active',
  counts: true,
  tier: null,
  bot: false,
  interval: 'month',
  guild_id: null,
  guild_name: null,
  bought_by: 'maya.okafor',
  started_at_ms: NOW - 40 * DAY,
  renews_at_ms: NOW + 20 * DAY,
  ends_at_ms: null,
  ...more,
});
export const standard = subscription('sub_1', { tier: 'standard' });
const bot = subscription('sub_2', { bot: true, guild_id: 'g2', guild_name: 'Rustlands Modded', bought_by: null });

/** Standard by the month, with a bot that was bought in another way. */
export const billing = { tier: 'standard', usage, plans, subscriptions: [standard, bot], grant: null, bot_price: 500, portal: true, read_at_ms: NOW - 2 * 60_000, asking: false };
export const billingFree = { ...billing, tier: 'free', usage: { guilds: 0, servers: 0, links: 0, navigation_links: 0 }, subscriptions: [], portal: false, read_at_ms: null };
/** A large community before it buys anything. */
export const billingOver = { ...billingFree, usage };
export const billingLate = {
  ...billing,
  subscriptions: [
    { ...standard, status: 'past_due', interval: 'year' },
    { ...bot, status: 'unpaid', counts: false, renews_at_ms: null },
    subscription('sub_3', { bot: true, guild_id: null, guild_name: null, ends_at_ms: NOW + 9 * DAY, renews_at_ms: null }),
    subscription('sub_4', { status: 'paused', counts: false, interval: null, renews_at_ms: null, bought_by: 'a_very_long_name_without_any_spaces_at_all' }),
  ],
};
export const billingGiven = { ...billing, tier: 'pro', subscriptions: [], grant: { tier: 'pro', until_ms: NOW + 55 * DAY }, portal: false, read_at_ms: null };
export const billingEnding = { ...billing, subscriptions: [{ ...standard, ends_at_ms: NOW + 20 * DAY, renews_at_ms: null }] };

export const CHECKOUT = 'https://checkout.example/pay/c1';
export const PORTAL = 'https://portal.example/p1';
export const BILLING_WRITES = {
  'POST /orgs/o1/billing/plan/checkout': [200, { url: CHECKOUT, expires_at_ms: NOW + 2 * 60 * 60_000 }],
  'POST /orgs/o1/guilds/g1/billing/checkout': [200, { url: CHECKOUT, expires_at_ms: NOW + 2 * 60 * 60_000 }],
  'POST /orgs/o1/billing/portal': [200, { url: PORTAL }],
};
