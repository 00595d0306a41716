// The pages of the operator area. To everybody else there are none of them.

import Ban from '@lucide/svelte/icons/ban';
import Bot from '@lucide/svelte/icons/bot';
import Building from '@lucide/svelte/icons/building-2';
import CircleAlert from '@lucide/svelte/icons/circle-alert';
import Construction from '@lucide/svelte/icons/construction';
import Flag from '@lucide/svelte/icons/flag';
import Gauge from '@lucide/svelte/icons/gauge';
import ListChecks from '@lucide/svelte/icons/list-checks';
import Megaphone from '@lucide/svelte/icons/megaphone';
import Monitor from '@lucide/svelte/icons/monitor';
import Plug from '@lucide/svelte/icons/plug';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import ShieldUser from '@lucide/svelte/icons/shield-user';
import Ticket from '@lucide/svelte/icons/ticket';
import UserRound from '@lucide/svelte/icons/user-round';
import type { Component } from 'svelte';
import type { Icon } from './lib/ui/types';

/** The groups of the sidebar, in its order. */
export const OPERATOR_GROUPS = ['Operator area', 'People', 'Service', 'Health'] as const;
export type OperatorGroup = (typeof OPERATOR_GROUPS)[number];

type Page = { default: Component };

function listed(path: string, title: string, group: OperatorGroup, icon: Icon, load: () => Promise<Page>) {
  return { path, title, group, icon, load, operators: true as const };
}

function below(path: string, title: string, under: string, load: () => Promise<Page>) {
  return { path, title, under, load, operators: true as const };
}

const HOME = listed('/admin', 'Operator area', 'Operator area', Gauge, () => import('./features/admin/Overview.svelte'));

const PEOPLE = [
  listed('/admin/orgs', 'Organisations', 'People', Building, () => import('./features/admin/orgs/Orgs.svelte')),
  below('/admin/orgs/:id', 'Organisation', '/admin/orgs', () => import('./features/admin/orgs/Org.svelte')),
  listed('/admin/accounts', 'Accounts', 'People', UserRound, () => import('./features/admin/accounts/Accounts.svelte')),
  below('/admin/accounts/:id', 'Account', '/admin/accounts', () => import('./features/admin/accounts/Account.svelte')),
  listed('/admin/operators', 'Operators', 'People', ShieldUser, () => import('./features/admin/operators/Operators.svelte')),
  listed('/admin/sessions', 'Sessions', 'People', Monitor, () => import('./features/admin/sessions/Sessions.svelte')),
  listed('/admin/blocklist', 'Blocklist', 'People', Ban, () => import('./features/admin/blocklist/Blocklist.svelte')),
];

const SERVICE = [
  listed('/admin/announcements', 'Announcements', 'Service', Megaphone, () => import('./features/admin/announcements/Announcements.svelte')),
  listed('/admin/maintenance', 'Maintenance', 'Service', Construction, () => import('./features/admin/maintenance/Maintenance.svelte')),
  listed('/admin/registration', 'Registration', 'Service', Ticket, () => import('./features/admin/registration/Registration.svelte')),
  listed('/admin/flags', 'Feature flags', 'Service', Flag, () => import('./features/admin/flags/Flags.svelte')),
  listed('/admin/builds', 'Plugin builds', 'Service', Plug, () => import('./features/admin/builds/Builds.svelte')),
];

const HEALTH = [
  listed('/admin/jobs', 'Jobs', 'Health', ListChecks, () => import('./features/admin/jobs/Jobs.svelte')),
  listed('/admin/bots', 'Bots', 'Health', Bot, () => import('./features/admin/bots/Bots.svelte')),
  listed('/admin/errors', 'Errors', 'Health', CircleAlert, () => import('./features/admin/Errors.svelte')),
  listed('/admin/audit', 'Audit log', 'Health', ScrollText, () => import('./features/admin/audit/AuditLog.svelte')),
];

export const operatorRoutes = [HOME, ...PEOPLE, ...SERVICE, ...HEALTH];
