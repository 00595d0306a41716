// The filters of the audit log: as the address holds them, and as the server wants them.

import type { AuditFilter } from '$lib/api/queries';

export const FILTERS = ['action', 'actor', 'target', 'from', 'to'] as const;
/** Days are written as the reader's calendar has them: 2026-11-15. */
export type Filter = Record<(typeof FILTERS)[number], string>;

export function fromQuery(query: URLSearchParams): Filter {
  const text = (name: string) => (query.get(name) ?? '').trim();
  const day = (name: string) => (startOf(text(name)) === null ? '' : text(name));
  return { action: text('action'), actor: text('actor'), target: text('target'), from: day('from'), to: day('to') };
}

export function isFiltered(filter: Filter): boolean {
  return FILTERS.some((name) => filter[name] !== '');
}

/** Both days are whole; the server takes what is before the end. */
export function toApi(filter: Filter): AuditFilter {
  const from = startOf(filter.from);
  const end = startOf(filter.to, 1);
  return {
    ...(filter.action && { action: filter.action }),
    ...(filter.actor && { actor: filter.actor }),
    ...(filter.target && { target: filter.target }),
    ...(from !== null && { from_ms: from }),
    ...(end !== null && { to_ms: end }),
  };
}

/** The first moment of a day, or of a day after it, in the reader's time zone; null when it is no day. */
export function startOf(day: string, later = 0): number | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!parts) return null;
  const [year, month, date] = parts.slice(1).map(Number) as [number, number, number];
  const start = new Date(year, month - 1, date);
  if (start.getMonth() !== month - 1 || start.getDate() !== date) return null; // the 31st of April
  return new Date(year, month - 1, date + later).getTime();
}

export function backwards(filter: Pick<Filter, 'from' | 'to'>): boolean {
  return filter.from !== '' && filter.to !== '' && filter.from > filter.to;
}
