// An organisation's numbers in words.

import type { AnalyticsFilter } from '$lib/api/queries';
import type { AnalyticsNumbers, DayOfLinks, DayOfTiers, LinkFunnel } from '$lib/api/schema';
import { CAUSES, causeWords, type Cause } from '$lib/causes';
import { dayWords } from '$lib/charts/days';
import { count, list, number } from '$lib/format';

const DAY_MS = 24 * 60 * 60_000;
export const TIERS = ['trusted', 'normal', 'watch', 'risk'] as const;
export const STEPS = ['started', 'discord', 'steam', 'joined', 'verified'] as const;

export const STEP_WORDS: Record<(typeof STEPS)[number], string> = {
  started: 'Started to sign in',
  discord: 'Signed in with Discord',
  steam: 'Signed in with Steam',
  joined: 'Met the requirements',
  verified: 'Linked',
};

const REASONS: Record<string, string> = {
  BLOCKED: 'Blocked from this instance',
  LIMIT_REACHED: 'The plan’s limit of links was reached',
  NOT_A_MEMBER: 'Not in the Discord server',
  NOT_IN_GROUP: 'Not in the Steam group',
  OTHER_ACCOUNT: 'Signed in with another account than before',
  PROVIDER_MISCONFIGURED: 'Discord or Steam refused our sign-in',
  PROVIDER_SILENT: 'Discord or Steam didn’t answer',
  RATE_LIMITED: 'Too many attempts in a short time',
  RELINK_TOO_SOON: 'Linked another account too recently',
  SIGN_IN_CANCELLED: 'Cancelled the sign-in',
  SIGN_IN_EXPIRED: 'Took too long',
};

/** A code that this version does not know is told as it is. */
export function reasonWords(code: string): string {
  return REASONS[code] ?? code;
}

/** What to ask for: so many days up to today in UTC, and one Guild or all of them. */
export function toApi(days: number, guild: string, now: number): AnalyticsFilter {
  const from = new Date(now - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  return { from, ...(guild && { guild_id: guild }) };
}

export function endedOf({ ended }: DayOfLinks): number {
  return CAUSES.reduce((sum, cause) => sum + ended[cause], 0);
}

/** Of all days together. */
export function totals(days: readonly DayOfLinks[]): { linked: number; ended: number; causes: Array<{ cause: Cause; times: number }> } {
  const sum = (of: (day: DayOfLinks) => number) => days.reduce((all, day) => all + of(day), 0);
  const causes = CAUSES.map((cause) => ({ cause, times: sum((day) => day.ended[cause]) })).filter(({ times }) => times > 0);
  return { linked: sum((day) => day.linked), ended: sum(endedOf), causes };
}

/** "12 new links and 3 unlinks: 2 by the player, 1 by the team." */
export function totalWords(days: readonly DayOfLinks[]): string {
  const { linked, ended, causes } = totals(days);
  const why = causes.map(({ cause, times }) => `${number(times)} ${causeWords(cause)}`).join(', ');
  return `${count(linked, 'new link')} and ${count(ended, 'unlink')}${why ? `: ${why}` : ''}.`;
}

/** One day: "Nov 18, 2026: 4 linked, 2 unlinked (1 by the player, 1 by relinking)". */
export function linkDayWords(day: DayOfLinks): string {
  const causes = CAUSES.filter((cause) => day.ended[cause] > 0).map((cause) => `${number(day.ended[cause])} ${causeWords(cause)}`);
  return `${dayWords(day.day)}: ${number(day.linked)} linked, ${number(endedOf(day))} unlinked${causes.length ? ` (${causes.join(', ')})` : ''}`;
}

export function tierDayWords(day: DayOfTiers): string {
  return `${dayWords(day.day)}: ${TIERS.map((tier) => `${number(day[tier])} ${tier}`).join(', ')}`;
}

/** "Active links went from 4 to 12. The most were 15, on Nov 3, 2026." */
export function activeWords(days: readonly DayOfLinks[]): string {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return '';
  const most = days.reduce((best, day) => (day.active > best.active ? day : best), first);
  const change = first.active === last.active ? `${count(last.active, 'active link')}, as many as at the beginning.` : `Active links went from ${number(first.active)} to ${number(last.active)}.`;
  return `${change} The most were ${number(most.active)}, on ${dayWords(most.day)}.`;
}

/** "83%"; a dash of nothing. */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const share = (part / whole) * 100;
  return share > 0 && share < 1 ? '<1%' : `${Math.round(share)}%`;
}

/** Each step with its share of those who started and of the step before. Somebody can come back to a later step. */
export function steps(funnel: LinkFunnel): Array<{ step: (typeof STEPS)[number]; times: number; ofStart: string; ofBefore: string }> {
  return STEPS.map((step, at) => {
    const times = funnel[step];
    const before = funnel[STEPS[at - 1] ?? 'started'];
    return { step, times, ofStart: percent(times, funnel.started), ofBefore: at === 0 ? '–' : percent(times, before) };
  });
}

/** Whether there is anything to show at all. */
export function isBlank(data: AnalyticsNumbers): boolean {
  const { linked, ended } = totals(data.days);
  const active = data.days.some((day) => day.active > 0);
  const visits = STEPS.some((step) => data.funnel[step] > 0) || data.funnel.failed.length > 0;
  return !active && linked + ended === 0 && !visits && data.retention.every((month) => month.linked === 0);
}

/** What the countries cover, in a sentence. */
export function countryNote({ list: listed, other, unknown }: AnalyticsNumbers['countries']): string {
  const rest = [other > 0 && `${number(other)} in other countries`, unknown > 0 && `${number(unknown)} without a known country`].filter(Boolean) as string[];
  const all = listed.reduce((sum, one) => sum + one.links, 0) + other + unknown;
  return `${count(all, 'active link')}${rest.length ? `, ${list(rest)}` : ''}.`;
}
