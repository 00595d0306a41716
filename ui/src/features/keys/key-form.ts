// Custom keys: what their groups are for, and what is sent.

import type { ActionGroupView, EditedKey } from '$lib/api/schema';
import { sentence } from '$lib/format';
import { compact, type Group } from '$lib/groups';

const HINTS: Record<string, string> = {
  lookup: 'Find and count links.',
  update: 'Change players’ roles, names and groups.',
  sync: 'Fetch and confirm pending changes.',
  cleanup: 'Remove links and pending changes.',
  server: 'Read a Server’s settings and its players.',
};

export function asGroups(groups: readonly ActionGroupView[]): Group[] {
  return groups.map((group) => ({ name: group.name, items: group.actions }));
}

export function groupHint(name: string): string | undefined {
  return HINTS[name];
}

export const groupLabel = sentence;

export function editedKey(name: string, chosen: readonly string[], groups: readonly Group[]): EditedKey {
  const { groups: whole, items } = compact(chosen, groups);
  return { name: name.trim(), groups: whole, actions: items };
}

/** "Lookup, Sync and 2 single actions". */
export function scopeOf(actions: readonly string[], groups: readonly Group[]): string {
  const { groups: whole, items } = compact(actions, groups);
  const parts = whole.map(groupLabel);
  if (items.length) parts.push(whole.length ? `${items.length} more` : `${items.length} ${items.length === 1 ? 'action' : 'actions'}`);
  return parts.join(', ') || 'None';
}
