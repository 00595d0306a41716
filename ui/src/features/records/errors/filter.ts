// The filters of the error log: as the address holds them, and as the server wants them.

import type { ErrorFilter } from '$lib/api/queries';
import { startOf } from '../audit/filter';

export const FILTERS = ['code', 'status', 'route', 'org', 'request', 'from', 'to'] as const;
/** Days are written as the reader's calendar has them: 2026-11-15. */
export type Filter = Record<(typeof FILTERS)[number], string>;

export const STATUSES = [
  { value: '', label: 'All statuses' },
  { value: '4xx', label: '4xx: refused' },
  { value: '5xx', label: '5xx: failed' },
];
/** Of operators: what they have to put right, whatever its status. */
export const FAULTS = { value: 'faults', label: 'Faults to fix' };

export function fromQuery(query: URLSearchParams): Filter {
  const text = (name: string) => (query.get(name) ?? '').trim();
  const day = (name: string) => (startOf(text(name)) === null ? '' : text(name));
  const status = [...STATUSES, FAULTS].some(({ value }) => value === text('status')) ? text('status') : '';
  return { code: text('code'), status, route: text('route'), org: text('org'), request: text('request'), from: day('from'), to: day('to') };
}

export function isFiltered(filter: Filter): boolean {
  return FILTERS.some((name) => filter[name] !== '');
}

/** Both days are whole: from the first moment of one to the last of the other. */
export function toApi(filter: Filter): ErrorFilter {
  const from = startOf(filter.from);
  const end = startOf(filter.to, 1);
  return {
    ...(filter.code && { code: filter.code }),
    ...(filter.status && { status: filter.status as '4xx' | '5xx' | 'faults' }),
    ...(filter.route && { route: filter.route }),
    ...(filter.org && { org: filter.org }),
    ...(filter.request && { request_id: filter.request }),
    ...(from !== null && { from_ms: from }),
    ...(end !== null && { to_ms: end }),
  };
}
