// What an invite can give: never more than its maker holds.

import type { InviteView, OrgSummary } from '$lib/api/schema';
import { unlocks } from '$lib/built';
import { can, permissionArea, permissionLabel, PERMISSIONS } from '$lib/can';
import { list } from '$lib/format';
import type { Group } from '$lib/groups';
import type { GivenRole } from '../team/matrix';

export const EXPIRIES = [
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'never', label: 'Never' },
] as const;
export type Expiry = (typeof EXPIRIES)[number]['value'];

export const NOTE_MAX = 200;
const STAFF_STARTS_WITH = ['links.view', 'servers.view', 'analytics.view'];
const NOT_FOR_ADMINS = ['org.billing'];

export interface Scope {
  /** What can be chosen. */
  areas: Group[];
  grantable: string[];
  /** What a role begins with, whole: what unlocks nothing yet is given with the rest. */
  fill: (role: GivenRole) => string[];
}

export function scopeOf(org: Pick<OrgSummary, 'role' | 'permissions'> | null): Scope {
  const shown = PERMISSIONS.filter(unlocks);
  const names = [...new Set(shown.map(permissionArea))];
  const held = PERMISSIONS.filter((one) => can(org, one));
  return {
    areas: names.map((name) => ({ name, items: shown.filter((one) => permissionArea(one) === name) })),
    grantable: held,
    fill: (role) => held.filter((one) => (role === 'admin' ? !NOT_FOR_ADMINS.includes(one) : STAFF_STARTS_WITH.includes(one))),
  };
}

/** What cannot be given because the maker does not hold it. */
export function lockedIn(scope: Scope): string[] {
  return scope.areas.flatMap((area) => area.items).filter((one) => !scope.grantable.includes(one));
}

/** What a role begins with, in a sentence. */
export function startsWith(scope: Scope, role: GivenRole): string {
  const given = scope.fill(role).filter(unlocks);
  const rest = scope.grantable.filter((one) => unlocks(one) && !given.includes(one));
  const words = (permissions: string[]) => list(permissions.map((one) => `“${permissionLabel(one)}”`));
  if (rest.length === 0) return 'Starts with every permission you can grant.';
  if (given.length === 0) return 'Starts with no permissions.';
  return given.length > rest.length ? `Starts with everything except ${words(rest)}.` : `Starts with ${words(given)}.`;
}

export function statusOf(invite: Pick<InviteView, 'revoked' | 'expired'>): 'active' | 'expired' | 'revoked' {
  if (invite.revoked) return 'revoked';
  return invite.expired ? 'expired' : 'active';
}

export function noteProblem(note: string): string | null {
  return [...note.trim()].length > NOTE_MAX ? `Use at most ${NOTE_MAX} characters.` : null;
}
