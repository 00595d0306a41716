// What is done about dormant accounts: as the form holds it, what of it can be saved, and in words.

import type { CleanupChange, CleanupPreview, CleanupRun, CleanupSettings } from '$lib/api/schema';
import { count, list, number, sentence } from '$lib/format';

const BOUNDS = { days: [7, 365], grace_days: [1, 90] } as const;
type Counted = keyof typeof BOUNDS;

type Rules = Pick<CleanupSettings, 'enabled' | 'days' | 'grace_days'>;
export interface CleanupDraft {
  enabled: boolean;
  days: string;
  grace_days: string;
}

export function draftOf({ enabled, days, grace_days }: Rules): CleanupDraft {
  return { enabled, days: String(days), grace_days: String(grace_days) };
}

/** Not a number where it is none. */
function days(text: string): number {
  return /^\d{1,6}$/.test(text.trim()) ? Number(text) : NaN;
}

export function rulesOf(draft: CleanupDraft): Rules {
  return { enabled: draft.enabled, days: days(draft.days), grace_days: days(draft.grace_days) };
}

/** What is to be saved, or null when nothing differs. */
export function changesOf(saved: Rules, draft: CleanupDraft): Omit<CleanupChange, 'revision'> | null {
  const rules = rulesOf(draft);
  const isSame = rules.enabled === saved.enabled && rules.days === saved.days && rules.grace_days === saved.grace_days;
  return isSame ? null : rules;
}

/** Each field by its label, as people read it. */
export function describe({ enabled, days, grace_days }: Rules): Record<string, string> {
  return { Cleanup: enabled ? 'on' : 'off', 'Days until dormant': number(days), 'Grace period in days': number(grace_days) };
}

export function problemsOf(draft: CleanupDraft): Partial<Record<Counted, string>> {
  const rules = rulesOf(draft);
  return Object.fromEntries(
    (['days', 'grace_days'] as const).flatMap((field) => {
      const [least, most] = BOUNDS[field];
      const isFine = rules[field] >= least && rules[field] <= most;
      return isFine ? [] : [[field, `Enter a whole number from ${least} to ${most}.`]];
    }),
  );
}

/** Whether a save reaches more people, or reaches them sooner. That is asked about first. */
export function reachOf(saved: Rules, draft: CleanupDraft): 'on' | 'grace' | 'days' | null {
  const wanted = rulesOf(draft);
  if (!wanted.enabled) return null;
  if (!saved.enabled) return 'on';
  if (wanted.grace_days < saved.grace_days) return 'grace';
  return wanted.days < saved.days ? 'days' : null;
}

/** What a save that reaches more people does. `dormant` is null where nobody could count them. */
export function reachWords(reach: 'on' | 'grace' | 'days', dormant: number | null, graceDays: number): string {
  const grace = count(graceDays, 'day');
  const now = dormant === null ? '' : `${dormantWords(dormant)} now. `;
  const flags = dormant === 0 ? '' : reach === 'on' ? 'They’re flagged as soon as you save. ' : 'Those who aren’t flagged yet are flagged as soon as you save. ';
  if (reach === 'grace') return `${now}${flags}Links that have been flagged for ${grace} or longer end as soon as you save.`;
  return `${now}${flags}Nobody is unlinked before the grace period of ${grace} is over. Whoever comes back before that stays linked.`;
}

export function dormantWords(links: number): string {
  return links === 0 ? 'No link is dormant' : `${count(links, 'link')} ${links === 1 ? 'is' : 'are'} dormant`;
}

/** What a look found, by Guild where there are several. */
export function foundWords({ total, guilds, days }: Pick<CleanupPreview, 'total' | 'guilds' | 'days'>): string {
  const some = guilds.filter(({ dormant }) => dormant > 0);
  const each = some.length > 1 ? `: ${list(some.map(({ name, dormant }) => `${number(dormant)} in ${name}`))}` : '';
  const only = some.length === 1 && guilds.length > 1 ? `, ${total > 1 ? 'all ' : ''}in ${some[0]!.name}` : '';
  return `${dormantWords(total)} after ${count(days, 'day')}${each || only}.`;
}

/** The Guilds where nobody can be dormant yet; nothing where there are none. */
export function notReadyWords(guilds: ReadonlyArray<{ name: string; ready: boolean }>, days: number): string {
  const names = guilds.filter(({ ready }) => !ready).map(({ name }) => name);
  return names.length ? `Nobody is dormant in ${list(names)} yet: the game servers there were heard from on fewer than ${count(days, 'day')}.` : '';
}

/** "Flagged 12 links and ended 3 links." */
export function runWords({ flagged, cleared, ended }: Pick<CleanupRun, 'flagged' | 'cleared' | 'ended'>): string {
  const parts = [
    flagged > 0 && `flagged ${count(flagged, 'link')}`,
    cleared > 0 && `took ${count(cleared, 'flag')} off`,
    ended > 0 && `ended ${count(ended, 'link')}`,
  ].filter((part) => part !== false);
  return parts.length ? `${sentence(list(parts))}.` : 'Nothing had to be changed.';
}

/** What taking the flag off people came to. */
export function keptWords(whom: string, links: number): string {
  return links === 0 ? 'There was no flag to take off. Nothing was changed.' : `Kept ${whom}: took ${count(links, 'flag')} off`;
}
