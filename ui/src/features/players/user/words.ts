// What a person's page says about links and groups.

import type { GroupClass, TierThresholds, TrustPoint, TrustTier, UnlinkCause, User } from '$lib/api/schema';
import type { Band } from '$lib/charts/scale';
import { count, date, list } from '$lib/format';
import { CLASS_NAMES } from '../trust/keywords';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function nameOf(user: Pick<User, 'discord_name' | 'steam_name' | 'discord_id'>): string {
  return user.discord_name ?? user.steam_name ?? user.discord_id;
}

const CAUSES: Record<UnlinkCause, string> = {
  user: 'by the player',
  admin: 'by the team',
  plugin: 'by a plugin',
  relink: 'linked another account',
  'zombie-cleanup': 'dormant',
};

/** Why a link ended; a word that this version does not know stays as it is. */
export function causeWords(cause: string): string {
  return Object.hasOwn(CAUSES, cause) ? CAUSES[cause as UnlinkCause] : cause;
}

/** Where they are flagged, and then comes when. */
export function flaggedWords(links: ReadonlyArray<{ guild_name: string }>): string {
  const guilds = [...new Set(links.map((link) => link.guild_name))];
  return `Flagged as dormant in ${list(guilds)}${guilds.length > 1 ? ', first' : ''}`;
}

export function classWords(group: GroupClass): string {
  return CLASS_NAMES[group] ?? group;
}

/** "73 days", "5 hours", "less than a minute": in the largest unit that fits. */
export function spanWords(ms: number): string {
  if (ms >= DAY) return count(Math.trunc(ms / DAY), 'day');
  if (ms >= HOUR) return count(Math.trunc(ms / HOUR), 'hour');
  if (ms >= MINUTE) return count(Math.trunc(ms / MINUTE), 'minute');
  return 'less than a minute';
}

/** The tiers as ranges of scores, the best first. */
export function tierBands({ trusted, normal, watch }: TierThresholds): Array<Band & { label: TrustTier }> {
  return [
    { label: 'Trusted', from: trusted, to: 100, tone: 'ok' },
    { label: 'Normal', from: normal, to: trusted, tone: 'info' },
    { label: 'Watch', from: watch, to: normal, tone: 'warn' },
    { label: 'Risk', from: 0, to: watch, tone: 'bad' },
  ];
}

/** What a history of scores shows, for those who do not see the line. */
export function historyWords(points: readonly TrustPoint[], days: number): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return `No scores in the last ${count(days, 'day')}.`;
  const scores = points.map(({ score }) => score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  if (low === high) return `The score was ${low} (${last.tier}) for all of the last ${count(days, 'day')} that are known.`;
  const way = first.score === last.score ? `It began and ended at ${last.score}` : `It went from ${first.score} (${first.tier}) to ${last.score} (${last.tier})`;
  return `${way}, between ${low} and ${high}. The last change was on ${date(last.at_ms)}. Each score holds until the next.`;
}
