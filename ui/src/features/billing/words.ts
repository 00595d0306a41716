// What is sold, what it includes and what becomes of it, as people read it.

import type { BillingView, PayInterval, PlanView, SubscriptionView, Tier, Usage } from '$lib/api/schema';
import { count, date, list, number, sentence } from '$lib/format';
import type { Tone } from '$lib/ui/types';
import { DIMENSIONS } from '../../dimensions';
import { stateOf } from './states';

const WHOLE = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const CENTS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** "$5", "$4.17". */
export function money(cents: number): string {
  return (cents % 100 === 0 ? WHOLE : CENTS).format(cents / 100);
}

export const planName = (tier: string): string => sentence(tier);

export function planOf(view: Pick<BillingView, 'plans'>, tier: string): PlanView | undefined {
  return view.plans.find((plan) => plan.tier === tier);
}

/** The next larger plan. */
export function nextPlan(view: Pick<BillingView, 'plans' | 'tier'>): PlanView | undefined {
  return view.plans[view.plans.findIndex((plan) => plan.tier === view.tier) + 1];
}

/** "2 months free", when a year costs less than twelve months. */
export function saving({ month, year }: Pick<PlanView, 'month' | 'year'>): string | null {
  const saved = 12 * month - year;
  if (month <= 0 || saved <= 0) return null;
  return saved % month === 0 ? `${count(saved / month, 'month')} free` : `save ${Math.round((saved / (12 * month)) * 100)}%`;
}

/** What every paid plan saves by the year; nothing when they differ. */
export function savingOfAll(plans: readonly PlanView[]): string | null {
  const savings = new Set(plans.filter(({ month }) => month > 0).map(saving));
  return savings.size === 1 ? ([...savings][0] ?? null) : null;
}

export interface Line {
  text: string;
  /** What the present plan has of it, where that differs. */
  now: string | null;
}

const COUNTED: Record<keyof Usage, [one: string, many: string]> = {
  guilds: ['Guild', 'Guilds'],
  servers: ['Server', 'Servers'],
  links: ['active link', 'active links'],
  navigation_links: ['link-page button', 'link-page buttons'],
};

/** What a plan includes, beside what the present one does. */
export function includes(plan: PlanView, present: PlanView | undefined): Line[] {
  const amount = (read: (of: PlanView) => number, one: string, many: string): Line => ({
    text: count(read(plan), one, many),
    now: present && read(present) !== read(plan) ? number(read(present)) : null,
  });
  return [
    ...DIMENSIONS.map(({ key }) => amount((of) => of.ceilings[key], ...COUNTED[key])),
    amount((of) => of.orgs, 'organisation for its Owner', 'organisations for its Owner'),
    { text: plan.custom_keys ? 'Custom keys' : 'No custom keys', now: present && present.custom_keys !== plan.custom_keys ? (present.custom_keys ? 'included' : 'none') : null },
    amount((of) => of.per_minute, 'call a minute per key', 'calls a minute per key'),
  ];
}

/** "You use 4 Servers and 18,640 active links, more than this plan allows." */
export function tooMuch(usage: Usage, plan: PlanView): string | null {
  const over = DIMENSIONS.filter(({ key }) => usage[key] > plan.ceilings[key]);
  return over.length ? `You have ${list(over.map(({ key }) => count(usage[key], ...COUNTED[key])))}, more than this plan allows.` : null;
}

/** There to be managed: a second one would be paid for beside it. */
export function isHad({ counts, status }: Pick<SubscriptionView, 'counts' | 'status'>): boolean {
  return counts || status === 'unpaid' || status === 'paused';
}

export function planSubscription({ subscriptions }: Pick<BillingView, 'subscriptions'>): SubscriptionView | undefined {
  const plans = subscriptions.filter((one) => one.tier && isHad(one));
  return plans.find(({ counts }) => counts) ?? plans[0];
}

export interface Offer {
  does: 'buy' | 'portal';
  label: string;
}

/** What can be done about a plan. Nothing about Free where nothing is paid for. */
export function offerOf(view: Pick<BillingView, 'subscriptions'>, tier: Tier, interval: PayInterval): Offer | null {
  const paid = planSubscription(view);
  if (!paid) return tier === 'free' ? null : { does: 'buy', label: `Buy ${planName(tier)}` };
  if (tier === 'free') return paid.ends_at_ms ? null : { does: 'portal', label: 'Cancel in billing portal' };
  const same = paid.tier === tier && (paid.interval ?? interval) === interval;
  return { does: 'portal', label: same ? 'Manage in billing portal' : 'Switch in billing portal' };
}

/** Said before somebody buys what the operator gave them. */
export function givenWords({ plans, grant, tier: present }: Pick<BillingView, 'plans' | 'grant' | 'tier'>, tier: Tier): string | null {
  const place = (of: string) => plans.findIndex((plan) => plan.tier === of);
  if (!grant || place(present) < place(tier)) return null;
  return `The operator gave you ${planName(grant.tier)}${grant.until_ms ? ` until ${date(grant.until_ms)}` : ''}. If you buy this plan, you pay from today.`;
}

/** "Standard plan", "Custom Bot". */
export function boughtWords({ tier, bot }: Pick<SubscriptionView, 'tier' | 'bot'>): string {
  const parts = [tier ? `${planName(tier)} plan` : '', bot ? 'Custom Bot' : ''].filter(Boolean);
  return parts.length ? list(parts) : 'Not sold here any more';
}

export function intervalWords(interval: PayInterval | null | undefined): string {
  return interval === 'year' ? 'Yearly' : interval === 'month' ? 'Monthly' : 'Unknown';
}

/** "Renews on Jan 12, 2027"; nothing where there is no date. */
export function dueWords({ status, renews_at_ms, ends_at_ms }: Pick<SubscriptionView, 'status' | 'renews_at_ms' | 'ends_at_ms'>): string | null {
  if (status === 'unpaid' || status === 'incomplete') return 'Payment is due';
  if (ends_at_ms) return `Ends on ${date(ends_at_ms)}`;
  return renews_at_ms ? `Renews on ${date(renews_at_ms)}` : null;
}

/** One that runs and will not be renewed is told by its end. */
export function pillOf({ status, ends_at_ms }: Pick<SubscriptionView, 'status' | 'ends_at_ms'>): { word: string; tone: Tone } {
  if (ends_at_ms && (status === 'active' || status === 'trialing')) return { word: `Ends on ${date(ends_at_ms)}`, tone: 'warn' };
  return stateOf(status);
}

/** What is left when what was given is over. */
function tierBeside({ subscriptions, plans }: Pick<BillingView, 'subscriptions' | 'plans'>, without?: SubscriptionView): string {
  const left = subscriptions.filter((one) => one !== without && one.counts && one.tier).map(({ tier }) => tier as string);
  return plans.map(({ tier }) => tier as string).filter((tier) => left.includes(tier)).at(-1) ?? 'free';
}

/** Where the present plan comes from and until when, in sentences. */
export function sourceWords(view: BillingView): string[] {
  const { grant } = view;
  const paid = view.subscriptions.find((one) => one.counts && one.tier === view.tier);
  const said: string[] = [];
  if (paid) said.push(`Paid ${intervalWords(paid.interval).toLowerCase()}. ${dueWords(paid) ?? ''}`.trim() + (dueWords(paid) ? '.' : ''));
  if (grant) {
    const until = grant.until_ms ? ` until ${date(grant.until_ms)}` : ', with no end date';
    const after = grant.until_ms && grant.tier === view.tier && !paid ? ` After that, the plan is ${planName(tierBeside(view))}.` : '';
    said.push(`The operator gave this organisation the plan ${planName(grant.tier)}${until}.${after}`);
  }
  if (said.length === 0 && view.tier === 'free') said.push('It costs nothing.');
  return said;
}

export interface Warning {
  tone: 'warn' | 'bad';
  text: string;
}

/** What is wrong with payments, the worst first. */
export function warningsOf({ subscriptions }: Pick<BillingView, 'subscriptions'>): Warning[] {
  const of = (one: SubscriptionView) => `${boughtWords(one)}${one.guild_name ? ` for ${one.guild_name}` : ''}`;
  return subscriptions
    .flatMap((one): Warning[] => {
      if (one.status === 'unpaid') return [{ tone: 'bad', text: `${of(one)}: Stripe couldn’t collect the payment and stopped trying. You don’t have it until you pay.` }];
      if (one.status === 'past_due') return [{ tone: 'warn', text: `${of(one)}: Stripe couldn’t collect the last payment and will try again. You keep it meanwhile.` }];
      if (one.status === 'incomplete') return [{ tone: 'warn', text: `${of(one)}: the first payment hasn’t gone through, so you don’t have it yet.` }];
      return [];
    })
    .sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'));
}
