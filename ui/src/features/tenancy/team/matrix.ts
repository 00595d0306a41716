// Who may do what, cell by cell: what is on, what differs from the role, what the reader may change and why not.

import type { Area, Member, Team } from '$lib/api/schema';
import { unlocks } from '$lib/built';
import { permissionLabel } from '$lib/can';
import { list } from '$lib/format';

export type GivenRole = 'admin' | 'staff';

export const ROLE_NAMES = { owner: 'Owner', admin: 'Admin', staff: 'Staff' } as const;

export interface Cell {
  on: boolean;
  /** Not what the role starts with. */
  differs: boolean;
  /** Why it cannot be changed; null when it can. */
  locked: string | null;
}

/** What can be switched. What unlocks nothing yet is left out; whoever holds it by their role keeps it. */
export function areasOf(team: Pick<Team, 'areas'>): Area[] {
  const all = team.areas.map((area) => ({ ...area, permissions: area.permissions.filter(unlocks) }));
  return all.filter((area) => area.permissions.length > 0);
}

export function defaultsOf(team: Pick<Team, 'defaults'>, role: Member['role']): readonly string[] {
  return team.defaults.find((one) => one.role === role)?.permissions ?? [];
}

export function cellOf(team: Team, member: Member, held: readonly string[], permission: string): Cell {
  if (member.role === 'owner') return { on: true, differs: false, locked: 'The Owner has every permission.' };
  const on = held.includes(permission);
  const differs = on !== defaultsOf(team, member.role).includes(permission);
  return { on, differs, locked: lockOf(member) ?? grantLock(team, on, permission) };
}

/** Why nothing about this member can be changed by the reader. */
export function lockOf(member: Member): string | null {
  if (member.role === 'owner') return 'The Owner has every permission.';
  if (member.can_edit) return null;
  if (member.you) return 'You can’t change your own permissions.';
  return `Only someone above ${ROLE_NAMES[member.role]} can change ${member.name}.`;
}

// Taking away is always possible; giving needs to be held.
function grantLock(team: Pick<Team, 'grantable'>, on: boolean, permission: string): string | null {
  if (on || team.grantable.includes(permission)) return null;
  return 'You can’t grant a permission you don’t have.';
}

/** What a role would fill in when the reader grants it: its defaults, as far as the reader holds them. */
export function filledBy(team: Pick<Team, 'defaults' | 'grantable'>, role: GivenRole): string[] {
  return defaultsOf(team, role).filter((permission) => team.grantable.includes(permission));
}

export interface RoleEffect {
  role: GivenRole;
  gained: string[];
  lost: string[];
}

/** What changing the role does to the permissions of a member. */
export function roleEffect(team: Team, member: Member, role: GivenRole): RoleEffect {
  const next = filledBy(team, role);
  return {
    role,
    gained: next.filter((one) => unlocks(one) && !member.permissions.includes(one)),
    lost: member.permissions.filter((one) => unlocks(one) && !next.includes(one)),
  };
}

/** What somebody else did to a member since they were read. */
/** The team after permissions were saved on top of this member: a save moves the revision by one. */
export function withPermissions(team: Team, { account_id, revision }: Member, permissions: string[]): Team {
  const members = team.members.map((one) => (one.account_id === account_id ? { ...one, permissions, revision: revision + 1 } : one));
  return { ...team, members };
}

export function meanwhile(before: Member, now: Member | undefined): string {
  if (!now) return `${before.name} is no longer in the team.`;
  const granted = now.permissions.filter((one) => !before.permissions.includes(one)).map(permissionLabel);
  const taken = before.permissions.filter((one) => !now.permissions.includes(one)).map(permissionLabel);
  const parts = [
    ...(now.role === before.role ? [] : [`made them ${ROLE_NAMES[now.role]}`]),
    ...(granted.length ? [`granted ${list(granted)}`] : []),
    ...(taken.length ? [`removed ${list(taken)}`] : []),
  ];
  return parts.length ? `Meanwhile, someone else changed ${before.name}: ${parts.join('; ')}.` : `Meanwhile, someone else changed ${before.name}.`;
}
