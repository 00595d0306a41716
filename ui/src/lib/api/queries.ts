// Every read of the dashboard: one key and one option object for each. Keys nest, so that refreshing
// `keys.org(id)` refreshes everything of that Org.

import { QueryClient, queryOptions } from '@tanstack/svelte-query';
import { ApiError, call } from './client';
import type { Operations } from './operations';
import { paceOfBot } from './pace';

export type AuditFilter = Operations['GET /orgs/{org}/audit']['query'];
export type ErrorFilter = Operations['GET /admin/errors']['query'];
export type AnalyticsFilter = Operations['GET /orgs/{org}/analytics']['query'];
export type UsersFilter = Operations['GET /orgs/{org}/users']['query'];

export const keys = {
  me: ['me'] as const,
  sessions: ['sessions'] as const,
  org: (org: string) => ['org', org] as const,
  settings: (org: string) => ['org', org, 'settings'] as const,
  overview: (org: string) => ['org', org, 'overview'] as const,
  guilds: (org: string) => ['org', org, 'guilds'] as const,
  candidates: (org: string) => ['org', org, 'guilds', 'candidates'] as const,
  guild: (org: string, guild: string) => ['org', org, 'guilds', 'one', guild] as const,
  checkup: (org: string, guild: string) => ['org', org, 'guilds', 'checkup', guild] as const,
  discord: (org: string, guild: string) => ['org', org, 'discord', guild] as const,
  customBot: (org: string, guild: string) => ['org', org, 'custom-bot', guild] as const,
  servers: (org: string) => ['org', org, 'servers'] as const,
  server: (org: string, server: string) => ['org', org, 'servers', 'one', server] as const,
  pluginFile: (org: string, server: string) => ['org', org, 'servers', 'plugin-file', server] as const,
  rolePlaces: (org: string) => ['org', org, 'servers', 'role-places'] as const,
  roleRules: (org: string, server: string) => ['org', org, 'servers', 'roles', server] as const,
  roleHistory: (org: string, guild: string, member: string) => ['org', org, 'role-history', guild, member] as const,
  roleRecheck: (org: string, guild: string) => ['org', org, 'role-recheck', guild] as const,
  pluginBuilds: (org: string) => ['org', org, 'plugin-builds'] as const,
  keys: (org: string) => ['org', org, 'keys'] as const,
  refusedCalls: (org: string) => ['org', org, 'refused-calls'] as const,
  team: (org: string) => ['org', org, 'team'] as const,
  invites: (org: string) => ['org', org, 'invites'] as const,
  navigation: (org: string) => ['org', org, 'navigation'] as const,
  audit: (org: string, filter: AuditFilter) => ['org', org, 'audit', filter] as const,
  auditChoices: (org: string) => ['org', org, 'audit-choices'] as const,
  errors: (org: string, filter: ErrorFilter) => ['org', org, 'errors', filter] as const,
  allErrors: (filter: ErrorFilter) => ['admin', 'errors', filter] as const,
  attention: ['admin', 'attention'] as const,
  /** What the shell shows of them, for an Org's plan or outside of one. */
  announcements: ['announcements'] as const,
  /** The list, what it can be filtered by, and everyone's own page. */
  users: (org: string) => ['org', org, 'users'] as const,
  userChoices: (org: string) => ['org', org, 'users', 'choices'] as const,
  userPage: (org: string, filter: UsersFilter) => ['org', org, 'users', 'list', filter] as const,
  user: (org: string, user: string) => ['org', org, 'users', 'one', user] as const,
  analytics: (org: string, filter: AnalyticsFilter) => ['org', org, 'analytics', filter] as const,
  bulkUnlink: (org: string) => ['org', org, 'bulk-unlink'] as const,
  trust: (org: string) => ['org', org, 'trust'] as const,
  cleanup: (org: string) => ['org', org, 'cleanup'] as const,
  imports: (org: string) => ['org', org, 'imports'] as const,
  billing: (org: string) => ['org', org, 'billing'] as const,
};

/** How often a page asks in a row for what the bot was told to look at. */
const LOOKS = 10;

export const reads = {
  me: () => queryOptions({ queryKey: keys.me, queryFn: ({ signal }) => call('GET /account', { signal }) }),
  sessions: () =>
    queryOptions({ queryKey: keys.sessions, queryFn: ({ signal }) => call('GET /account/sessions', { signal }) }),
  settings: (org: string) =>
    queryOptions({
      queryKey: keys.settings(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/settings', { path: { org }, signal }),
    }),
  overview: (org: string) =>
    queryOptions({
      queryKey: keys.overview(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/overview', { path: { org }, signal }),
      refetchInterval: 30_000,
    }),
  guilds: (org: string) =>
    queryOptions({
      queryKey: keys.guilds(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/guilds', { path: { org }, signal }),
      // While something is being removed, the page tells how far it is.
      refetchInterval: (query) => (query.state.data?.removals.length ? 2_000 : false),
    }),
  candidates: (org: string) =>
    queryOptions({
      queryKey: keys.candidates(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/claimable-guilds', { path: { org }, signal }),
    }),
  guild: (org: string, guild: string) =>
    queryOptions({
      queryKey: keys.guild(org, guild),
      queryFn: ({ signal }) => call('GET /orgs/{org}/guilds/{guild}', { path: { org, guild }, signal }),
    }),
  discord: (org: string, guild: string) =>
    queryOptions({
      queryKey: keys.discord(org, guild),
      queryFn: ({ signal }) => call('GET /orgs/{org}/guilds/{guild}/discord', { path: { org, guild }, signal }),
      // The first answer may be an old one, while the bot is asked to look again.
      refetchInterval: ({ state }) => (state.data?.looking && state.dataUpdateCount < LOOKS ? 2_000 : 30_000),
    }),
  checkup: (org: string, guild: string) =>
    queryOptions({
      queryKey: keys.checkup(org, guild),
      queryFn: ({ signal }) => call('GET /orgs/{org}/guilds/{guild}/checkup', { path: { org, guild }, signal }),
      // What it tells of Discord may be old at first, too.
      refetchInterval: ({ state }) => (state.data?.looking && state.dataUpdateCount < LOOKS ? 2_000 : 30_000),
    }),
  customBot: (org: string, guild: string) =>
    queryOptions({
      queryKey: keys.customBot(org, guild),
      queryFn: ({ signal }) => call('GET /orgs/{org}/guilds/{guild}/bot', { path: { org, guild }, signal }),
      refetchInterval: ({ state }) => paceOfBot(state.data),
    }),
  servers: (org: string) =>
    queryOptions({
      queryKey: keys.servers(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/servers', { path: { org }, signal }),
      refetchInterval: 30_000,
    }),
  server: (org: string, server: string) =>
    queryOptions({
      queryKey: keys.server(org, server),
      queryFn: ({ signal }) => call('GET /orgs/{org}/servers/{server}', { path: { org, server }, signal }),
      // People watch its last call while they set up the plugin.
      refetchInterval: 10_000,
    }),
  pluginBuilds: (org: string) =>
    queryOptions({
      queryKey: keys.pluginBuilds(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/plugin', { path: { org }, signal }),
    }),
  pluginFile: (org: string, server: string) =>
    queryOptions({
      queryKey: keys.pluginFile(org, server),
      queryFn: ({ signal }) => call('GET /orgs/{org}/servers/{server}/plugin-file', { path: { org, server }, signal }),
    }),
  rolePlaces: (org: string) =>
    queryOptions({
      queryKey: keys.rolePlaces(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/roles', { path: { org }, signal }),
    }),
  roleRules: (org: string, server: string) =>
    queryOptions({
      queryKey: keys.roleRules(org, server),
      queryFn: ({ signal }) => call('GET /orgs/{org}/servers/{server}/roles', { path: { org, server }, signal }),
      // What keeps a role from being given is put right on Discord, while this page is open.
      refetchInterval: 30_000,
    }),
  /** The newest changes of one person's. */
  roleHistory: (org: string, guild: string, member: string) =>
    queryOptions({
      queryKey: [...keys.roleHistory(org, guild, member), 'newest'],
      queryFn: ({ signal }) => call('GET /orgs/{org}/guilds/{guild}/role-history', { path: { org, guild }, query: { member }, signal }),
    }),
  roleRecheck: (org: string, guild: string) =>
    queryOptions({
      queryKey: keys.roleRecheck(org, guild),
      queryFn: ({ signal }) => call('GET /orgs/{org}/guilds/{guild}/role-recheck', { path: { org, guild }, signal }),
      refetchInterval: ({ state }) => (state.data?.running ? 2_000 : state.data?.waiting ? 5_000 : 30_000),
    }),
  analytics: (org: string, filter: AnalyticsFilter = {}) =>
    queryOptions({
      queryKey: keys.analytics(org, filter),
      queryFn: ({ signal }) => call('GET /orgs/{org}/analytics', { path: { org }, query: filter, signal }),
    }),
  keys: (org: string) =>
    queryOptions({
      queryKey: keys.keys(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/keys', { path: { org }, signal }),
    }),
  refusedCalls: (org: string) =>
    queryOptions({
      queryKey: keys.refusedCalls(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/refused-calls', { path: { org }, signal }),
      refetchInterval: 60_000,
    }),
  team: (org: string) =>
    queryOptions({
      queryKey: keys.team(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/team', { path: { org }, signal }),
    }),
  invites: (org: string) =>
    queryOptions({
      queryKey: keys.invites(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/invites', { path: { org }, signal }),
    }),
  navigation: (org: string) =>
    queryOptions({
      queryKey: keys.navigation(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/navigation', { path: { org }, signal }),
    }),
  attention: () =>
    queryOptions({
      queryKey: keys.attention,
      queryFn: ({ signal }) => call('GET /admin/attention', { signal }),
      refetchInterval: 30_000,
    }),
  announcements: (org: string | null) =>
    queryOptions({
      queryKey: [...keys.announcements, org],
      queryFn: ({ signal }) => (org ? call('GET /orgs/{org}/announcements', { path: { org }, signal }) : call('GET /announcements', { signal })),
      refetchInterval: 5 * 60_000,
    }),
  auditChoices: (org: string) =>
    queryOptions({
      queryKey: keys.auditChoices(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/audit/choices', { path: { org }, signal }),
    }),
  userChoices: (org: string) =>
    queryOptions({
      queryKey: keys.userChoices(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/users/choices', { path: { org }, signal }),
    }),
  userPage: (org: string, filter: UsersFilter) =>
    queryOptions({
      queryKey: keys.userPage(org, filter),
      queryFn: ({ signal }) => call('GET /orgs/{org}/users', { path: { org }, query: filter, signal }),
      // After an upgrade people keep coming in.
      refetchInterval: ({ state }) => (state.data?.complete === false ? 10_000 : false),
    }),
  user: (org: string, user: string) =>
    queryOptions({
      queryKey: keys.user(org, user),
      queryFn: ({ signal }) => call('GET /orgs/{org}/users/{user}', { path: { org, user }, signal }),
    }),
  trustHistory: (org: string, user: string, days: number) =>
    queryOptions({
      queryKey: [...keys.user(org, user), 'trust-history', days],
      queryFn: ({ signal }) => call('GET /orgs/{org}/users/{user}/trust-history', { path: { org, user }, query: { days }, signal }),
    }),
  userGraph: (org: string, user: string) =>
    queryOptions({
      queryKey: [...keys.user(org, user), 'graph'],
      queryFn: ({ signal }) => call('GET /orgs/{org}/users/{user}/graph', { path: { org, user }, signal }),
    }),
  /** Who looked at somebody's page; it is noted at the link that stands for them. */
  userViews: (org: string, link: string) => {
    const query = { action: 'user.viewed', target: link, limit: 5 };
    return queryOptions({
      queryKey: [...keys.audit(org, query), 'views'],
      queryFn: ({ signal }) => call('GET /orgs/{org}/audit', { path: { org }, query, signal }),
    });
  },
  bulkUnlink: (org: string) =>
    queryOptions({
      queryKey: keys.bulkUnlink(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/users/unlink', { path: { org }, signal }),
      refetchInterval: ({ state }) => (state.data?.running ? 2_000 : 30_000),
    }),
  trust: (org: string) =>
    queryOptions({
      queryKey: keys.trust(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/trust', { path: { org }, signal }),
    }),
  cleanup: (org: string) =>
    queryOptions({
      queryKey: keys.cleanup(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/cleanup', { path: { org }, signal }),
      refetchInterval: ({ state }) => (state.data?.running ? 2_000 : false),
    }),
  billing: (org: string) =>
    queryOptions({
      queryKey: keys.billing(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/billing/subscriptions', { path: { org }, signal }),
      // Stripe is asked whenever something changed; the answer comes in a moment.
      refetchInterval: ({ state }) => (state.data?.asking && state.data.portal ? 5_000 : 60_000),
    }),
  imports: (org: string) =>
    queryOptions({
      queryKey: keys.imports(org),
      queryFn: ({ signal }) => call('GET /orgs/{org}/imports', { path: { org }, signal }),
      // Only while something runs; a file that waits to be imported changes nothing by itself.
      refetchInterval: ({ state }) => (state.data?.imports.some((one) => ['reading', 'checking', 'importing'].includes(one.state)) ? 1_500 : false),
    }),
};

/** A second try helps against a lost connection or a server that is restarting, not against a refusal. */
export function worthRetrying(failures: number, error: unknown): boolean {
  if (failures >= 2 || !(error instanceof ApiError)) return false;
  return error.code === 'NO_ANSWER' || error.status === 502 || error.status === 504;
}

export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: worthRetrying, networkMode: 'always' } },
});
