// Who may do what. The server decides; this only keeps from people what would be refused.

import type { OrgSummary } from './api/schema';

export type Permission = keyof typeof WORDS;

const WORDS = {
  'org.settings': 'Change settings',
  'org.team': 'Manage the team',
  'org.invites': 'Invite people',
  'org.billing': 'Manage billing',
  'org.navigation': 'Customise the link page',
  'links.view': 'View links',
  'links.unlink': 'Unlink players',
  'links.bulk_unlink': 'Unlink many players at once',
  'links.export': 'Export links',
  'links.cleanup': 'Clean up dormant accounts',
  'servers.view': 'View Servers',
  'servers.manage': 'Add and change Servers',
  'servers.keys': 'Reveal and replace keys',
  'servers.roles': 'Edit role rules',
  'servers.bots': 'Manage custom bots',
  'audit.view': 'View the audit log',
  'audit.export': 'Export the audit log',
  'analytics.view': 'View analytics',
  'analytics.export': 'Export analytics',
} as const;

export const PERMISSIONS = Object.keys(WORDS) as Permission[];

const AREAS: Record<string, string> = {
  org: 'Organisation',
  links: 'Links',
  servers: 'Servers',
  audit: 'Audit',
  analytics: 'Analytics',
};

export function can(org: Pick<OrgSummary, 'role' | 'permissions'> | null, permission: Permission): boolean {
  return org !== null && (org.role === 'owner' || org.permissions.includes(permission));
}

/** Whether somebody is in the team and no operator on a visit: what cannot be put back is the team's to do. */
export function inTeam(org: Pick<OrgSummary, 'visit'> | null): boolean {
  return org !== null && org.visit == null;
}

/** "Reveal and replace keys"; a name this version does not know stays as it is. */
export function permissionLabel(permission: string): string {
  return (WORDS as Record<string, string>)[permission] ?? permission;
}

/** "Servers" for `servers.keys`. */
export function permissionArea(permission: string): string {
  return AREAS[permission.split('.')[0] ?? ''] ?? 'Other';
}

export function isOwner(org: Pick<OrgSummary, 'role'> | null): boolean {
  return org?.role === 'owner';
}
