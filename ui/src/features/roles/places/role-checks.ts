// How far a re-check of everyone is.

import type { RoleRecheck } from '$lib/api/schema';

/** `running` counts who became pending, not who was checked; `total` is that of a run that was seen before. Null without one. */
export function follow(total: number | null, now: RoleRecheck | undefined): { checked: number; total: number } | null {
  if (now?.running) {
    const left = now.running.total - now.running.done + now.waiting;
    return { checked: Math.max(0, now.running.total - left), total: now.running.total };
  }
  return now && now.waiting > 0 && total !== null ? { checked: Math.max(0, total - now.waiting), total } : null;
}
