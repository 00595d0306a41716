// What the rules would change, as the review shows it.

import type { DryRun } from '$lib/api/schema';
import { list, number } from '$lib/format';

/** "Would add 214 and remove 9. 3 can’t be done." */
export function figures({ add, remove, cannot }: Pick<DryRun, 'add' | 'remove' | 'cannot'>): string {
  const parts = [
    ...(add ? [`add ${number(add)}`] : []),
    ...(remove ? [`remove ${number(remove)}`] : []),
  ];
  const does = parts.length ? `Would ${list(parts)}.` : 'Would change nothing for anyone right now.';
  return cannot ? `${does} ${number(cannot)} can’t be done.` : does;
}
