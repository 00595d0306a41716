import { afterEach, describe, expect, test, vi } from 'vitest';
import { boughtWords, dueWords, givenWords, includes, isHad, money, nextPlan, offerOf, pillOf, planSubscription, saving, savingOfAll, sourceWords, tooMuch, warningsOf } from '../../src/features/billing/words';
import { boughtSince, createWatch, rememberHad, takeHad } from '../../src/features/billing/watch.svelte';
import { ApiError } from '../../src/lib/api/client';
import type { BillingView, Me, OrgSummary, PlanView, SubscriptionView, Tier } from '../../src/lib/api/schema';
import { billingPage, largerPlans, plansForMoreOrgs, wayOut } from '../../src/lib/billing';
import { date } from '../../src/lib/format';
import { router } from '../../src/lib/router.svelte';
import { session } from '../../src/lib/session.svelte';

const plan = (tier: Tier, month: number, size: number): PlanView => ({
  tier,
  month,
  year: month * 10,
  orgs: size,
  ceilings: { guilds: size, servers: 5 * size, links: 500 * size, navigation_links: 3 },
  custom_keys: tier !== 'free',
  per_minute: 240 * size,
});
const plans = [plan('free', 0, 1), plan('standard', 500, 3), plan('pro', 1_000, 10)];
const LATER = Date.UTC(2027, 0, 12, 12);
const sub = (id: string, more: Partial<SubscriptionView> = {}): SubscriptionView => ({ id, status: 'active', counts: true, bot: false, interval: 'month', started_at_ms: 0, tier: 'standard', renews_at_ms: LATER, ...more });
const view = (more: Partial<BillingView> = {}): BillingView => ({
  tier: 'free',
  usage: { guilds: 1, servers: 2, links: 10, navigation_links: 0 },
  plans,
  subscriptions: [],
  bot_price: 500,
  portal: false,
  asking: false,
  ...more,
});

describe('prices', () => {
  test('are whole dollars where they can be', () => {
    expect([0, 500, 417, 100_000].map(money)).toEqual(['$0', '$5', '$4.17', '$1,000']);
  });

  test('what a year saves follows from the numbers', () => {
    expect(saving({ month: 500, year: 5_000 })).toBe('2 months free');
    expect(saving({ month: 500, year: 5_500 })).toBe('1 month free');
    expect(saving({ month: 500, year: 5_300 })).toBe('save 12%');
    for (const [month, year] of [[500, 6_000], [500, 7_000], [0, 0]] as const) expect(saving({ month, year })).toBeNull();
    expect(savingOfAll(plans)).toBe('2 months free');
    expect(savingOfAll([...plans, { ...plan('pro', 900, 3), year: 900 * 11 }])).toBeNull();
  });
});

describe('plans', () => {
  test('say what they include, and what there is now where it differs', () => {
    const [guilds, , , buttons, orgs, keys, calls] = includes(plans[1]!, plans[0]);
    expect(guilds).toEqual({ text: '3 Guilds', now: '1' });
    expect(buttons).toEqual({ text: '3 link-page buttons', now: null });
    expect(orgs?.text).toBe('3 organisations for its Owner');
    expect(keys).toEqual({ text: 'Custom keys', now: 'none' });
    expect(calls).toEqual({ text: '720 calls a minute per key', now: '240' });
    expect(includes(plans[0]!, undefined).every(({ now }) => now === null)).toBe(true);
    expect(nextPlan(view())?.tier).toBe('standard');
    expect(nextPlan(view({ tier: 'pro' }))).toBeUndefined();
  });

  test('one that is too small names what there is too much of', () => {
    expect(tooMuch({ guilds: 2, servers: 5, links: 501, navigation_links: 0 }, plans[0]!)).toBe('You have 2 Guilds and 501 active links, more than this plan allows.');
    expect(tooMuch({ guilds: 1, servers: 5, links: 500, navigation_links: 3 }, plans[0]!)).toBeNull();
  });

  test('are bought while nothing is paid for, and switched in the portal after that', () => {
    const offer = (subscriptions: SubscriptionView[], tier: Tier, interval: 'month' | 'year' = 'month') => offerOf({ subscriptions }, tier, interval)?.label;
    expect(offer([], 'free')).toBeUndefined();
    expect(offer([], 'pro')).toBe('Buy Pro');
    expect(offer([sub('1')], 'standard')).toBe('Manage in billing portal');
    expect(offer([sub('1')], 'standard', 'year')).toBe('Switch in billing portal');
    expect(offer([sub('1')], 'pro')).toBe('Switch in billing portal');
    expect(offer([sub('1')], 'free')).toBe('Cancel in billing portal');
    expect(offer([sub('1', { ends_at_ms: LATER })], 'free')).toBeUndefined();
    expect(offer([sub('1', { tier: null, bot: true })], 'pro'), 'a bot is no plan').toBe('Buy Pro');
  });

  test('a payment that never went through leaves the plan to be bought; one that stopped does not', () => {
    const had = (status: SubscriptionView['status'], counts = false) => isHad({ status, counts });
    expect(had('past_due', true)).toBe(true);
    expect([had('unpaid'), had('paused'), had('incomplete'), had('unknown')]).toEqual([true, true, false, false]);
    const stopped = sub('1', { status: 'unpaid', counts: false, tier: 'pro' });
    expect(planSubscription({ subscriptions: [stopped, sub('2')] })?.id).toBe('2');
    expect(offerOf({ subscriptions: [stopped] }, 'standard', 'month')?.does).toBe('portal');
  });

  test('whoever was given one is told before they pay for it', () => {
    const given = view({ tier: 'pro', grant: { tier: 'pro', until_ms: LATER } });
    expect(givenWords(given, 'standard')).toBe(`The operator gave you Pro until ${date(LATER)}. If you buy this plan, you pay from today.`);
    expect(givenWords(view({ tier: 'standard', grant: { tier: 'standard' } }), 'pro')).toBeNull();
    expect(givenWords(view({ tier: 'pro' }), 'pro')).toBeNull();
  });
});

describe('where the plan comes from', () => {
  test('a subscription, with what becomes of it', () => {
    expect(sourceWords(view({ tier: 'standard', subscriptions: [sub('1')] }))).toEqual([`Paid monthly. Renews on ${date(LATER)}.`]);
    expect(sourceWords(view({ tier: 'standard', subscriptions: [sub('1', { interval: 'year', ends_at_ms: LATER, renews_at_ms: null })] }))).toEqual([`Paid yearly. Ends on ${date(LATER)}.`]);
    expect(sourceWords(view())).toEqual(['It costs nothing.']);
  });

  test('the operator, with what follows', () => {
    const grant = { tier: 'pro' as const, until_ms: LATER };
    expect(sourceWords(view({ tier: 'pro', grant }))).toEqual([`The operator gave this organisation the plan Pro until ${date(LATER)}. After that, the plan is Free.`]);
    expect(sourceWords(view({ tier: 'pro', grant, subscriptions: [sub('1')] }))[0]).toMatch(/After that, the plan is Standard\.$/);
    expect(sourceWords(view({ tier: 'pro', grant: { tier: 'pro', until_ms: null } }))).toEqual(['The operator gave this organisation the plan Pro, with no end date.']);
    expect(sourceWords(view({ tier: 'pro', grant: { tier: 'standard', until_ms: LATER }, subscriptions: [sub('1', { tier: 'pro' })] }))).toHaveLength(2);
  });
});

describe('subscriptions', () => {
  test('say what they are for, and what is next', () => {
    expect(boughtWords({ tier: 'pro', bot: false })).toBe('Pro plan');
    expect(boughtWords({ tier: 'pro', bot: true })).toBe('Pro plan and Custom Bot');
    expect(boughtWords({ tier: null, bot: false })).toBe('Not sold here any more');
    expect(dueWords(sub('1'))).toBe(`Renews on ${date(LATER)}`);
    expect(dueWords(sub('1', { status: 'unpaid', renews_at_ms: null }))).toBe('Payment is due');
    expect(dueWords(sub('1', { status: 'paused', renews_at_ms: null }))).toBeNull();
  });

  test('one that will not be renewed says when it ends, one that is late says that first', () => {
    expect(pillOf(sub('1'))).toMatchObject({ word: 'Active', tone: 'ok' });
    expect(pillOf(sub('1', { ends_at_ms: LATER }))).toEqual({ word: `Ends on ${date(LATER)}`, tone: 'warn' });
    expect(pillOf(sub('1', { status: 'past_due', ends_at_ms: LATER })).word).toBe('Payment late');
    expect(pillOf(sub('1', { status: 'on_the_moon' as never })).word).toBe('Unknown');
  });

  test('what is wrong is told, the worst first', () => {
    const bot = sub('2', { status: 'unpaid', counts: false, tier: null, bot: true, guild_name: 'Modded' });
    const found = warningsOf({ subscriptions: [sub('1', { status: 'past_due' }), bot, sub('3'), sub('4', { status: 'incomplete', counts: false })] });
    expect(found.map(({ tone }) => tone)).toEqual(['bad', 'warn', 'warn']);
    expect(found[0]?.text).toMatch(/^Custom Bot for Modded: Stripe couldn’t collect/);
    expect(found[1]?.text).toMatch(/You keep it meanwhile\.$/);
  });
});

describe('coming back from checkout', () => {
  afterEach(() => sessionStorage.clear());

  test('only what did not count before is what was bought', () => {
    rememberHad('o1', [sub('1'), sub('2', { counts: false })]);
    const before = takeHad('o1');
    expect(before).toEqual(['1']);
    expect(takeHad('o1'), 'once').toBeNull();
    expect(boughtSince(view({ subscriptions: [sub('1')] }), before)).toBeUndefined();
    expect(boughtSince(view({ subscriptions: [sub('1'), sub('2')] }), before)?.id).toBe('2');
    expect(boughtSince(view({ subscriptions: [sub('3', { counts: false })] }), before)).toBeUndefined();
  });

  test('in another tab it is told by its age, and another organisation’s note is none', () => {
    rememberHad('o2', []);
    expect(takeHad('o1')).toBeNull();
    const hour = 3_600_000;
    const at = (started_at_ms: number) => view({ read_at_ms: 100 * hour, subscriptions: [sub('1', { started_at_ms })] });
    expect(boughtSince(at(99.5 * hour), null)?.id).toBe('1');
    expect(boughtSince(at(90 * hour), null)).toBeUndefined();
  });

  const refusal = (status: number) => new ApiError(status, 'NO', 'No.');

  test('it reads every two seconds until it shows, for a minute at most', async () => {
    vi.useFakeTimers();
    let reads = 0;
    const watch = createWatch(async () => {}, async () => ((reads += 1), view({ asking: reads < 4 })));
    void watch.start(({ asking }) => !asking);
    expect(watch.state).toBe('waiting');
    await vi.advanceTimersByTimeAsync(5_999);
    expect([reads, watch.state]).toEqual([3, 'waiting']);
    await vi.advanceTimersByTimeAsync(1);
    expect([reads, watch.state]).toEqual([4, 'seen']);
    void watch.start(() => false);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(watch.state).toBe('late');
    const last = reads;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reads).toBe(last);
  });

  test('a purchase is waited for though Stripe can’t be asked; a check says that it failed', async () => {
    vi.useFakeTimers();
    const watch = createWatch(async () => Promise.reject(refusal(503)), async () => view());
    await watch.start(() => true);
    expect([watch.state, watch.error]).toEqual(['failed', 'No.']);
    await watch.start(() => true, true);
    expect(watch.state).toBe('seen');
  });

  test('it goes on over a failed read, and stops where there is nothing to read any more, or nobody to see it', async () => {
    vi.useFakeTimers();
    const answers = [refusal(500), view()];
    const read = async () => {
      const next = answers.shift() ?? refusal(404);
      if (next instanceof ApiError) throw next;
      return next;
    };
    const watch = createWatch(async () => {}, read);
    void watch.start(() => false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(watch.state).toBe('waiting');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(watch.state).toBeNull();
    let reads = 0;
    const left = createWatch(async () => {}, async () => ((reads += 1), view()));
    void left.start(() => false);
    await vi.advanceTimersByTimeAsync(2_000);
    left.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([reads, left.state]).toEqual([2, null]);
  });
});

describe('larger plans', () => {
  const org = (id: string, tier: Tier, more: Partial<OrgSummary> = {}) => ({ id, tier, role: 'owner', permissions: [], ...more }) as unknown as OrgSummary;
  const here = (billing: boolean, ...orgs: OrgSummary[]) => {
    session.me = { billing, orgs } as Me;
    router.params = { org: orgs[0]!.id };
  };
  afterEach(() => {
    session.me = null;
    router.params = {};
  });

  test('are offered where they are sold, to those who may buy, while there is a larger one', () => {
    here(true, org('o1', 'free'));
    expect(largerPlans()).toBe('/app/orgs/o1/billing');
    here(false, org('o1', 'free'));
    expect([billingPage(), largerPlans()]).toEqual([null, null]);
    here(true, org('o1', 'free', { role: 'admin', permissions: ['org.settings'] }));
    expect([billingPage(), largerPlans()]).toEqual([null, null]);
    here(true, org('o1', 'pro'));
    expect([billingPage(), largerPlans()]).toEqual(['/app/orgs/o1/billing', null]);
  });

  test('a refusal leads to where it can be put right', () => {
    here(true, org('o1', 'free'));
    expect(wayOut({ code: 'LIMIT_REACHED' })).toEqual({ href: '/app/orgs/o1/billing', label: 'See plans' });
    expect(wayOut({ code: 'PLAN_REQUIRED' })?.label).toBe('See plans');
    expect(wayOut({ code: 'ACTIVE_SUBSCRIPTION' })?.label).toBe('Open billing');
    expect([wayOut({ code: 'CONFLICT' }), wayOut(null)]).toEqual([null, null]);
    here(true, org('o1', 'pro'));
    expect(wayOut({ code: 'LIMIT_REACHED' })).toBeNull();
    expect(wayOut({ code: 'ACTIVE_SUBSCRIPTION' })).not.toBeNull();
  });

  test('for more organisations the best plan that someone owns is the one to change', () => {
    here(true, org('o1', 'free'), org('o2', 'standard'), org('o3', 'pro', { role: 'admin' }));
    expect(plansForMoreOrgs()).toBe('/app/orgs/o2/billing');
    here(true, org('o1', 'free'), org('o2', 'pro'));
    expect(plansForMoreOrgs()).toBeNull();
    here(false, org('o1', 'free'));
    expect(plansForMoreOrgs()).toBeNull();
  });
});
