import { describe, expect, test } from 'vitest';
import { fromQuery, isFiltered, toApi } from '../../src/features/records/errors/filter';
import { groupKey, requestsLabel } from '../../src/features/records/errors/group';
import { href } from '../../src/lib/router.svelte';

const read = (text: string) => fromQuery(new URLSearchParams(text));

describe('filters of the error log', () => {
  test('come from the address and go back into it', () => {
    const filter = read('code=INTERNAL&status=5xx&route=/orgs/{org}/servers&org=org_1&request=req_9&from=2026-11-01&to=2026-11-02&tab=x');
    expect(filter).toEqual({ code: 'INTERNAL', status: '5xx', route: '/orgs/{org}/servers', org: 'org_1', request: 'req_9', from: '2026-11-01', to: '2026-11-02' });
    const there = new URL(href('/admin/errors', {}, filter), 'http://here');
    expect(fromQuery(there.searchParams)).toEqual(filter);
  });

  test('days are whole in the time zone of the reader, and the server is told the first moment after them', () => {
    const { from_ms, to_ms } = toApi(read('from=2026-11-01&to=2026-11-01'));
    expect(new Date(from_ms!).toString()).toContain('Nov 01 2026 00:00:00');
    expect(new Date(to_ms!).toString()).toContain('Nov 02 2026 00:00:00');
  });

  test('nonsense in the address is no filter', () => {
    for (const text of ['', 'status=500', 'from=soon', 'to=2026-04-31', 'code=%20']) {
      expect(isFiltered(read(text)), text).toBe(false);
      expect(toApi(read(text))).toEqual({});
    }
  });
});

test('the same failure of two organisations is two rows', () => {
  const group = { at_ms: 60_000, code: 'INTERNAL', route: '/r', org_id: 'o1' };
  expect(groupKey(group)).not.toBe(groupKey({ ...group, org_id: 'o2' }));
  expect(groupKey(group)).not.toBe(groupKey({ ...group, org_id: null }));
  expect(groupKey(group)).toBe(groupKey({ ...group }));
});

test('it is said when not all request ids are kept', () => {
  expect(requestsLabel({ count: 1, request_ids: ['a'] })).toBe('Request');
  expect(requestsLabel({ count: 2, request_ids: ['a', 'b'] })).toBe('Requests');
  expect(requestsLabel({ count: 21, request_ids: Array(20).fill('a') })).toBe('Newest 20 of 21 requests');
});
