// What the rules would change, as the review shows it.

import type { DryRun } from '$lib/api/schema';
import { list, number } from '$lib/format';

type Outlook = Pick<DryRun, 'add' | 'remove' | 'cannot' | 'changes'>;

/** The look knows no role that is only allowed with this save: its changes are possible all the same. */
export function withAllowed<T extends Outlook>(run: T, allowed: readonly string[]): T {
  const opens = ({ cannot, role_id }: T['changes'][number]) => cannot === 'powerful' && role_id != null && allowed.includes(role_id);
  const opened = run.changes.filter(opens);
  const adds = opened.filter(({ change }) => change === 'add').length;
  return {
    ...run,
    add: run.add + adds,
    remove: run.remove + opened.length - adds,
    cannot: run.cannot - opened.length,
    changes: run.changes.map((change) => (opens(change) ? { ...change, cannot: null } : change)),
  };
}

/** "Would add 214 and remove 9. 3 can’t be done." */
export function figures({ add, remove, cannot }: Pick<DryRun, 'add' | 'remove' | 'cannot'>): string {
  const parts = [
    ...(add ? [`add ${number(add)}`] : []),
    ...(remove ? [`remove ${number(remove)}`] : []),
  ];
  const does = parts.length ? `Would ${list(parts)}.` : 'Would change nothing for anyone right now.';
  return cannot ? `${does} ${number(cannot)} can’t be done.` : does;
}
