// What an invite can give: never more than its maker holds.

import type { InviteView, OrgSummary, Team } from '$lib/api/schema';
import { permissionArea } from '$lib/can';
import type { Group } from '$lib/groups';
import { filledBy, type GivenRole } from '../team/matrix';

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
  areas: Group[];
  grantable: string[];
  fill: (role: GivenRole) => string[];
}

/** From the team's own tables where the person may read them, otherwise from what they hold themselves. */
export function scopeFrom(team: Team | undefined, org: Pick<OrgSummary, 'permissions'> | null): Scope {
  if (team) {
    return {
      areas: team.areas.map((area) => ({ name: area.name, items: area.permissions })),
      grantable: team.grantable,
      fill: (role) => filledBy(team, role),
    };
  }
  const held = org?.permissions ?? [];
  const names = [...new Set(held.map(permissionArea))];
  return {
    areas: names.map((name) => ({ name, items: held.filter((one) => permissionArea(one) === name) })),
    grantable: held,
    fill: (role) => held.filter((one) => (role === 'admin' ? !NOT_FOR_ADMINS.includes(one) : STAFF_STARTS_WITH.includes(one))),
  };
}

/** What cannot be given because the maker does not hold it. */
export function lockedIn(scope: Scope): string[] {
  return scope.areas.flatMap((area) => area.items).filter((one) => !scope.grantable.includes(one));
}

export function statusOf(invite: Pick<InviteView, 'revoked' | 'expired'>): 'active' | 'expired' | 'revoked' {
  if (invite.revoked) return 'revoked';
  return invite.expired ? 'expired' : 'active';
}

export function noteProblem(note: string): string | null {
  return [...note.trim()].length > NOTE_MAX ? `Use at most ${NOTE_MAX} characters.` : null;
}
