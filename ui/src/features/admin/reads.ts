// Every read of the operator area, as lib/api/queries.ts has those of everybody. Only operators fetch this file.

import { queryOptions } from '@tanstack/svelte-query';
import { call } from '$lib/api/client';

export const operatorKeys = {
  maintenance: ['admin', 'maintenance'] as const,
  sessions: ['admin', 'sessions'] as const,
  blocks: ['admin', 'blocks'] as const,
  announcements: ['admin', 'announcements'] as const,
  registration: ['admin', 'registration'] as const,
  flags: ['admin', 'flags'] as const,
  operators: ['admin', 'operators'] as const,
  audit: ['admin', 'audit'] as const,
  jobs: ['admin', 'jobs'] as const,
  runners: ['admin', 'runners'] as const,
  builds: ['admin', 'builds'] as const,
  orgs: ['admin', 'orgs'] as const,
  org: (org: string) => ['admin', 'org', org] as const,
  accounts: ['admin', 'accounts'] as const,
  account: (account: string) => ['admin', 'account', account] as const,
  visits: ['admin', 'visits'] as const,
};

const WATCHED_MS = 10_000;
const STILL_MS = 30_000;

export const operatorReads = {
  maintenance: () => queryOptions({ queryKey: operatorKeys.maintenance, queryFn: ({ signal }) => call('GET /admin/maintenance', { signal }) }),
  sessions: () => queryOptions({ queryKey: operatorKeys.sessions, queryFn: ({ signal }) => call('GET /admin/sessions', { signal }) }),
  registration: () =>
    queryOptions({ queryKey: [...operatorKeys.registration, 'mode'], queryFn: ({ signal }) => call('GET /admin/registration', { query: { limit: 1 }, signal }) }),
  flags: () => queryOptions({ queryKey: operatorKeys.flags, queryFn: ({ signal }) => call('GET /admin/flags', { signal }) }),
  operators: () => queryOptions({ queryKey: operatorKeys.operators, queryFn: ({ signal }) => call('GET /admin/operators', { signal }) }),
  jobs: () =>
    queryOptions({ queryKey: [...operatorKeys.jobs, 'counts'], queryFn: ({ signal }) => call('GET /admin/jobs', { query: { limit: 1 }, signal }), refetchInterval: STILL_MS }),
  runners: () => queryOptions({ queryKey: operatorKeys.runners, queryFn: ({ signal }) => call('GET /admin/runners', { signal }), refetchInterval: WATCHED_MS }),
  builds: () => queryOptions({ queryKey: operatorKeys.builds, queryFn: ({ signal }) => call('GET /admin/plugin-builds', { signal }) }),
  org: (org: string) => queryOptions({ queryKey: operatorKeys.org(org), queryFn: ({ signal }) => call('GET /admin/orgs/{org}', { path: { org }, signal }) }),
  account: (account: string) =>
    queryOptions({ queryKey: operatorKeys.account(account), queryFn: ({ signal }) => call('GET /admin/accounts/{account}', { path: { account }, signal }) }),
  visits: () => queryOptions({ queryKey: operatorKeys.visits, queryFn: ({ signal }) => call('GET /admin/visits', { signal }), refetchInterval: STILL_MS }),
};
