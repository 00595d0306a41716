// Every page of the dashboard: where it is, which file it is, who may open it, where the sidebar shows it.

import ArrowLeftRight from '@lucide/svelte/icons/arrow-left-right';
import BarChart from '@lucide/svelte/icons/chart-column';
import Building from '@lucide/svelte/icons/building-2';
import CircleAlert from '@lucide/svelte/icons/circle-alert';
import CreditCard from '@lucide/svelte/icons/credit-card';
import Gauge from '@lucide/svelte/icons/gauge';
import Hourglass from '@lucide/svelte/icons/hourglass';
import KeyRound from '@lucide/svelte/icons/key-round';
import Link from '@lucide/svelte/icons/link';
import MessagesSquare from '@lucide/svelte/icons/messages-square';
import Plug from '@lucide/svelte/icons/plug';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import Server from '@lucide/svelte/icons/server';
import Settings from '@lucide/svelte/icons/settings';
import ShieldHalf from '@lucide/svelte/icons/shield-half';
import Users from '@lucide/svelte/icons/users';
import UsersRound from '@lucide/svelte/icons/users-round';
import type { Component } from 'svelte';
import type { Me, OrgSummary } from './lib/api/schema';
import { can, type Permission } from './lib/can';
import { href } from './lib/router.svelte';
import { session } from './lib/session.svelte';
import type { Icon } from './lib/ui/types';
import { OPERATOR_GROUPS, operatorRoutes, type OperatorGroup } from './operator-routes';

export interface Route {
  path: string;
  title: string;
  load: () => Promise<{ default: Component }>;
  /** Any one of these opens the page; none are needed for a person's own pages. */
  needs?: Permission[];
  /** For operators; to everybody else there is no such page. */
  operators?: true;
  /** Listed only where plans are sold. Elsewhere the page says that nothing is. */
  sold?: true;
  /** Where the sidebar shows it. */
  group?: 'Manage' | 'Access' | 'Organisation' | OperatorGroup;
  /** The page of the sidebar that it belongs to, where the path does not say so. */
  under?: string;
  icon?: Icon;
}

export const routes: Route[] = [
  { path: '/', title: 'Your organisations', icon: Building, load: () => import('./features/tenancy/orgs/Orgs.svelte') },
  { path: '/new', title: 'Create organisation', load: () => import('./features/tenancy/orgs/NewOrg.svelte') },
  { path: '/account', title: 'Account', load: () => import('./features/identity/account/Account.svelte') },
  {
    path: '/orgs/:org',
    title: 'Overview',
    needs: ['servers.view'],
    group: 'Manage',
    icon: Gauge,
    load: () => import('./features/tenancy/orgs/Overview.svelte'),
  },
  {
    path: '/orgs/:org/guilds',
    title: 'Guilds',
    needs: ['servers.view'],
    group: 'Manage',
    icon: MessagesSquare,
    load: () => import('./features/tenancy/guilds/Guilds.svelte'),
  },
  {
    path: '/orgs/:org/guilds/new',
    title: 'Add Guild',
    needs: ['org.settings'],
    load: () => import('./features/tenancy/guilds/NewGuild.svelte'),
  },
  {
    path: '/orgs/:org/guilds/:gid',
    title: 'Guild',
    needs: ['org.settings'],
    load: () => import('./features/tenancy/guilds/Guild.svelte'),
  },
  {
    path: '/orgs/:org/guilds/:gid/checkup',
    title: 'Check-up',
    needs: ['servers.view'],
    load: () => import('./features/tenancy/guilds/Checkup.svelte'),
  },
  {
    path: '/orgs/:org/guilds/:gid/bot',
    title: 'Custom Bot',
    needs: ['servers.bots'],
    load: () => import('./features/bots/custom/CustomBot.svelte'),
  },
  {
    path: '/orgs/:org/guilds/:gid/role-history',
    title: 'Role history',
    needs: ['links.view'],
    under: '/orgs/:org/roles',
    load: () => import('./features/roles/history/History.svelte'),
  },
  {
    path: '/orgs/:org/import',
    title: 'Import links',
    needs: ['org.settings'],
    under: '/orgs/:org/guilds',
    load: () => import('./features/linking/import/Import.svelte'),
  },
  {
    path: '/orgs/:org/servers',
    title: 'Servers',
    needs: ['servers.view'],
    group: 'Manage',
    icon: Server,
    load: () => import('./features/tenancy/servers/Servers.svelte'),
  },
  {
    path: '/orgs/:org/servers/:sid',
    title: 'Server',
    needs: ['servers.view'],
    load: () => import('./features/tenancy/servers/Server.svelte'),
  },
  {
    path: '/orgs/:org/servers/:sid/roles',
    title: 'Rules',
    needs: ['servers.roles'],
    under: '/orgs/:org/roles',
    load: () => import('./features/roles/rules/Rules.svelte'),
  },
  {
    path: '/orgs/:org/plugin',
    title: 'Plugin',
    needs: ['servers.view'],
    group: 'Manage',
    icon: Plug,
    load: () => import('./features/downloads/plugin/Plugin.svelte'),
  },
  {
    path: '/orgs/:org/users',
    title: 'Users',
    needs: ['links.view'],
    group: 'Manage',
    icon: UsersRound,
    load: () => import('./features/players/users/Users.svelte'),
  },
  {
    path: '/orgs/:org/users/:user',
    title: 'Player',
    needs: ['links.view'],
    under: '/orgs/:org/users',
    load: () => import('./features/players/user/User.svelte'),
  },
  {
    path: '/orgs/:org/analytics',
    title: 'Analytics',
    needs: ['analytics.view'],
    group: 'Manage',
    icon: BarChart,
    load: () => import('./features/analytics/Analytics.svelte'),
  },
  {
    path: '/orgs/:org/roles',
    title: 'Roles',
    needs: ['servers.roles'],
    group: 'Manage',
    icon: ArrowLeftRight,
    load: () => import('./features/roles/places/Roles.svelte'),
  },
  {
    path: '/orgs/:org/trust',
    title: 'Trust',
    needs: ['org.settings'],
    group: 'Manage',
    icon: ShieldHalf,
    load: () => import('./features/players/trust/Trust.svelte'),
  },
  {
    path: '/orgs/:org/cleanup',
    title: 'Dormant accounts',
    needs: ['links.cleanup'],
    group: 'Manage',
    icon: Hourglass,
    load: () => import('./features/players/cleanup/Cleanup.svelte'),
  },
  {
    path: '/orgs/:org/link-page',
    title: 'Link page',
    needs: ['org.navigation'],
    group: 'Manage',
    icon: Link,
    load: () => import('./features/tenancy/linkpage/LinkPage.svelte'),
  },
  {
    path: '/orgs/:org/team',
    title: 'Team',
    needs: ['org.team', 'org.invites'],
    group: 'Access',
    icon: Users,
    load: () => import('./features/tenancy/team/Team.svelte'),
  },
  {
    path: '/orgs/:org/keys',
    title: 'Keys',
    needs: ['servers.keys'],
    group: 'Access',
    icon: KeyRound,
    load: () => import('./features/keys/Keys.svelte'),
  },
  {
    path: '/orgs/:org/audit',
    title: 'Audit log',
    needs: ['audit.view'],
    group: 'Organisation',
    icon: ScrollText,
    load: () => import('./features/records/audit/Audit.svelte'),
  },
  {
    path: '/orgs/:org/errors',
    title: 'Errors',
    needs: ['audit.view'],
    group: 'Organisation',
    icon: CircleAlert,
    load: () => import('./features/records/errors/Errors.svelte'),
  },
  {
    path: '/orgs/:org/billing',
    title: 'Billing',
    needs: ['org.billing'],
    sold: true,
    group: 'Organisation',
    icon: CreditCard,
    load: () => import('./features/billing/Billing.svelte'),
  },
  {
    path: '/orgs/:org/settings',
    title: 'Settings',
    needs: ['org.settings'],
    group: 'Organisation',
    icon: Settings,
    load: () => import('./features/tenancy/orgs/Settings.svelte'),
  },
  ...operatorRoutes,
];

/** Whether there is such a page for this person at all. */
export function exists(me: Pick<Me, 'operator'> | null, route: Route): boolean {
  return !route.operators || me?.operator === true;
}

export function opens(org: OrgSummary | null, route: Route): boolean {
  return !route.needs || route.needs.some((permission) => can(org, permission));
}

function isListed(org: OrgSummary, route: Route): boolean {
  return route.group !== undefined && !route.operators && (!route.sold || session.me?.billing === true) && opens(org, route);
}

/** The pages of an Org that the sidebar shows to this person, by group. */
export function navigation(org: OrgSummary): Array<{ label: string; routes: Route[] }> {
  const shown = routes.filter((route) => isListed(org, route));
  return (['Manage', 'Access', 'Organisation'] as const)
    .map((label) => ({ label, routes: shown.filter((route) => route.group === label) }))
    .filter((group) => group.routes.length > 0);
}

/** The pages of the operator area, by group; their own page stands above them. */
export function operatorNavigation(me: Pick<Me, 'operator'>): Array<{ label: OperatorGroup; routes: Route[] }> {
  const shown = routes.filter((route) => route.operators && exists(me, route));
  return OPERATOR_GROUPS.map((label) => ({ label, routes: shown.filter((route) => route.group === label) })).filter((group) => group.routes.length > 0);
}

/** The same as one list. */
export function operatorPages(me: Pick<Me, 'operator'>): Route[] {
  return operatorNavigation(me).flatMap((group) => group.routes);
}

/** The first page of an Org that this person may open. */
export function homeOf(org: OrgSummary): string {
  const first = routes.find((route) => isListed(org, route));
  return href(first?.path ?? '/orgs/:org', { org: org.id });
}

/** The page of the sidebar that a page belongs to, for this person. */
export function sectionOf(org: OrgSummary, current: Route | undefined): Route | undefined {
  const list = current?.path.split('/').slice(0, 4).join('/');
  const shown = routes.filter((route) => isListed(org, route));
  return shown.find(({ path }) => path === current?.under) ?? shown.find(({ path }) => path === list);
}

/** The same page in another Org; the list above it when the page is about one thing. */
export function samePageIn(org: OrgSummary, current: Route | undefined): string {
  const there = sectionOf(org, current);
  return there ? href(there.path, { org: org.id }) : homeOf(org);
}
