import type { ErrorGroup } from '$lib/api/schema';

/** Failures with one code at one route, of one organisation, in one minute are one row. */
export function groupKey(group: Pick<ErrorGroup, 'at_ms' | 'code' | 'route' | 'org_id'>): string {
  return [group.at_ms, group.code, group.route, group.org_id ?? ''].join(' ');
}

/** What the request ids are: all of them, or the newest. */
export function requestsLabel(group: Pick<ErrorGroup, 'count' | 'request_ids'>): string {
  const shown = group.request_ids.length;
  if (shown < group.count) return `Newest ${shown} of ${group.count} requests`;
  return shown === 1 ? 'Request' : 'Requests';
}
