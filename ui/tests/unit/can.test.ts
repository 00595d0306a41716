import { afterEach, describe, expect, test } from 'vitest';
import type { Me, OrgSummary } from '../../src/lib/api/schema';
import { can, permissionArea, permissionLabel } from '../../src/lib/can';
import { session } from '../../src/lib/session.svelte';
import { exists, homeOf, navigation, operatorNavigation, operatorPages, routes, samePageIn } from '../../src/routes';

const none = { guilds: 0, servers: 0, links: 0, navigation_links: 0 };
const org = (role: OrgSummary['role'], ...permissions: string[]): OrgSummary => ({
  id: '7',
  slug: 'a',
  name: 'A',
  tier: 'free',
  role,
  permissions,
  usage: none,
  ceilings: none,
});

describe('permissions', () => {
  test('the Owner may do everything, others what they were given, nobody without an Org', () => {
    expect(can(org('owner'), 'org.billing')).toBe(true);
    expect(can(org('staff', 'links.view'), 'links.view')).toBe(true);
    expect(can(org('admin', 'links.view'), 'org.team')).toBe(false);
    expect(can(null, 'links.view')).toBe(false);
  });

  test('they have words, and a name that is new here stays as it is', () => {
    expect(permissionLabel('servers.keys')).toBe('Reveal and replace keys');
    expect(permissionLabel('moon.landing')).toBe('moon.landing');
    expect(permissionArea('servers.keys')).toBe('Servers');
    expect(permissionArea('moon.landing')).toBe('Other');
  });
});

describe('the sidebar', () => {
  const titles = (of: OrgSummary) => navigation(of).flatMap((group) => group.routes.map((route) => route.title));

  test('shows nothing that would be refused', () => {
    expect(titles(org('staff', 'servers.view'))).toEqual(['Overview', 'Guilds', 'Servers', 'Plugin']);
    expect(titles(org('staff', 'servers.roles'))).toEqual(['Roles']);
    expect(titles(org('staff', 'org.invites', 'audit.view'))).toEqual(['Team', 'Audit log', 'Errors']);
    expect(titles(org('staff'))).toEqual([]);
  });

  afterEach(() => void (session.me = null));

  test('shows the Owner everything', () => {
    session.me = { billing: true } as Me;
    expect(titles(org('owner'))).toHaveLength(routes.filter((route) => route.group && !route.operators).length);
  });

  test('shows billing where plans are sold, to those who manage it', () => {
    expect(titles(org('owner'))).not.toContain('Billing');
    session.me = { billing: true } as Me;
    expect(titles(org('owner'))).toContain('Billing');
    expect(titles(org('staff', 'org.billing'))).toEqual(['Billing']);
    expect(titles(org('admin', 'org.settings'))).not.toContain('Billing');
    expect(homeOf(org('staff', 'org.billing'))).toBe('/app/orgs/7/billing');
  });

  test('an Org opens at the first page the person may see', () => {
    expect(homeOf(org('staff', 'audit.view'))).toBe('/app/orgs/7/audit');
    expect(homeOf(org('staff', 'servers.roles'))).toBe('/app/orgs/7/roles');
    expect(homeOf(org('owner'))).toBe('/app/orgs/7');
  });

  test('switching keeps the page where it exists and is allowed', () => {
    const at = (path: string) => routes.find((route) => route.path === path);
    expect(samePageIn(org('owner'), at('/orgs/:org/team'))).toBe('/app/orgs/7/team');
    expect(samePageIn(org('owner'), at('/orgs/:org/servers/:sid'))).toBe('/app/orgs/7/servers');
    expect(samePageIn(org('staff', 'servers.view'), at('/orgs/:org/team'))).toBe('/app/orgs/7');
    expect(samePageIn(org('owner'), at('/account'))).toBe('/app/orgs/7');
    expect(samePageIn(org('owner'), at('/orgs/:org/servers/:sid/roles'))).toBe('/app/orgs/7/roles');
    expect(samePageIn(org('staff', 'servers.view'), at('/orgs/:org/guilds/:gid/role-history'))).toBe('/app/orgs/7/guilds');
    expect(samePageIn(org('owner'), undefined)).toBe('/app/orgs/7');
  });
});

describe('the operator area', () => {
  const area = routes.filter((route) => route.path.startsWith('/admin'));

  test('is there for operators', () => {
    expect(operatorNavigation({ operator: true }).map((group) => group.label)).toEqual(['Operator area', 'People', 'Service', 'Health']);
    const paths = operatorPages({ operator: true }).map((route) => route.path);
    expect(paths[0]).toBe('/admin');
    expect(paths.every((path) => path.startsWith('/admin') && !path.includes(':'))).toBe(true);
    expect(area.every((route) => route.operators && exists({ operator: true }, route))).toBe(true);
  });

  test('is no page at all for everybody else, whatever they are in an Org', () => {
    expect(operatorPages({ operator: false })).toEqual([]);
    expect(area.some((route) => exists({ operator: false }, route) || exists(null, route))).toBe(false);
    expect(navigation(org('owner')).flatMap((group) => group.routes).some((route) => route.operators)).toBe(false);
  });
});
