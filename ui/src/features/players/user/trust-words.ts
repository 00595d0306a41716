// Why a Trust Score is what it is, and what would change it, in words.

import type { GroupClass, PlayerGroup, ServerPresence, TierThresholds, UserTrust } from '$lib/api/schema';
import { count, date, list, number } from '$lib/format';
import { classWords, tierBands } from './words';

const DAY = 24 * 60 * 60_000;
const FULL = 100;
/** What the server counts by; its description says the same. */
const LINK_COSTS = 18;
const ACCOUNT_COSTS = 30;
const FREE_ACCOUNTS = 2;
const MOST_ACCOUNTS = 50;
const FULL_AGE_DAYS = 365;
const MOST_NAMED = 3;
const POINTS = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export interface TrustPart {
  key: 'stability' | 'cross_server' | 'age' | 'multi';
  label: string;
  value: number;
  /** What it counts of a hundred. */
  weight: number;
  /** "28.7 points" of the score. */
  points: string;
  why: string;
  /** What would change it; nothing where nothing can. */
  change: string | null;
}

type Known = Pick<UserTrust, 'stability' | 'cross_server' | 'age' | 'multi' | 'churn' | 'accounts' | 'scored_at_ms'>;

export function trustParts(trust: Known, firstLinkedAt: number, presence: readonly ServerPresence[], isActive: boolean): TrustPart[] {
  const part = (key: TrustPart['key'], label: string, weight: number, why: string, change: string | null): TrustPart => ({
    key,
    label,
    weight,
    value: trust[key],
    points: POINTS.format((trust[key] * weight) / FULL),
    why,
    change,
  });
  return [
    part('stability', 'Stability', 35, ...stability(trust)),
    part('cross_server', 'Standing on Servers', 25, ...standing(trust, presence)),
    part('age', 'Time linked', 20, ...age(trust, firstLinkedAt, isActive)),
    part('multi', 'Accounts', 20, ...accounts(trust)),
  ];
}

type Words = [why: string, change: string | null];

function stability({ churn, stability }: Known): Words {
  const cheap = 'Links that your team ends cost nothing.';
  const dear = churn ? `Each further one costs ${Math.min(LINK_COSTS, stability)} more.` : `Each one would cost ${LINK_COSTS} points.`;
  const next = stability > 0 ? `${dear} ${cheap}` : 'It can’t get lower. Ended links stay counted.';
  if (churn === 0) return ['No link of theirs was ended by them or a plugin.', next];
  const cost = Math.min(FULL, LINK_COSTS * churn);
  if (churn === 1) return [`One link that they or a plugin ended costs ${cost} points of stability.`, next];
  return [`${number(churn)} links that they or a plugin ended cost ${cost === FULL ? 'all 100' : cost} points of stability.`, next];
}

function standing({ cross_server }: Known, presence: readonly ServerPresence[]): Words {
  const reported = presence.filter(({ groups }) => groups != null);
  if (reported.length === 0) {
    return ['No game server has reported a group for them yet.', `Until one does, this counts ${cross_server}. A group on a Server raises it.`];
  }
  const places = reported.map(({ server_name, groups }) => `${bestOf(groups ?? [])} on ${server_name}`);
  const more = places.length - MOST_NAMED;
  const told = more > 0 ? [...places.slice(0, MOST_NAMED), `${number(more)} more`] : places;
  return [
    `Best group: ${list(told)}.${reported.length > 1 ? ' The mean of them counts.' : ''}`,
    cross_server < FULL ? 'A higher group on a Server raises it. Your trust settings say which group counts as what.' : 'It can’t get higher.',
  ];
}

/** The classes of groups, the weightiest first. */
const CLASSES: GroupClass[] = ['owner', 'admin', 'moderator', 'staff', 'vip', 'donator', 'custom', 'default'];

function bestOf(groups: readonly PlayerGroup[]): string {
  const best = CLASSES.find((one) => groups.some((group) => group.class === one));
  return best ? classWords(best) : 'none';
}

function age({ scored_at_ms }: Known, firstLinkedAt: number, isActive: boolean): Words {
  const days = Math.max(0, Math.trunc((scored_at_ms - firstLinkedAt) / DAY));
  const span = days > 0 ? count(days, 'day') : 'less than a day';
  const since = isActive ? `Linked for ${span}` : `First linked ${span} ago`;
  if (days >= FULL_AGE_DAYS) return [`${since}; full after ${FULL_AGE_DAYS}.`, 'It can’t get higher.'];
  return [`${since}; full after ${FULL_AGE_DAYS}.`, `Grows with every day, until ${date(firstLinkedAt + FULL_AGE_DAYS * DAY)}.`];
}

function accounts({ accounts, multi }: Known): Words {
  const next = multi > 0 ? `Each further account costs ${Math.min(ACCOUNT_COSTS, multi)} points.` : 'It can’t get lower.';
  if (accounts <= FREE_ACCOUNTS) return ['Only their Discord and their Steam account hang together.', next];
  const many = accounts >= MOST_ACCOUNTS ? `${MOST_ACCOUNTS} or more` : number(accounts);
  return [`${many} accounts hang together, theirs included; each beyond two costs ${ACCOUNT_COSTS}.`, next];
}

/** Where the score lies in its tier, and how far the next ones are. */
export function tierWords(score: number, thresholds: TierThresholds): string {
  const bands = tierBands(thresholds);
  const at = bands.findIndex(({ from }) => score >= from);
  const [own, above, below] = [bands[at]!, bands[at - 1], bands[at + 1]];
  const parts = [`${own.label} is from ${own.from} to ${above ? own.to - 1 : own.to}.`];
  if (above) parts.push(`${count(above.from - score, 'more point')} make${above.from - score === 1 ? 's' : ''} it ${above.label}.`);
  if (below) parts.push(`${count(score - own.from + 1, 'point')} fewer make${score - own.from === 0 ? 's' : ''} it ${below.label}.`);
  return parts.join(' ');
}
