import { describe, expect, test } from 'vitest';
import { backwards, fromQuery, isFiltered, toApi } from '../../src/features/records/audit/filter';
import { href } from '../../src/lib/router.svelte';

const read = (text: string) => fromQuery(new URLSearchParams(text));

describe('filters of the audit log', () => {
  test('come from the address and go back into it', () => {
    const filter = read('action=key.revealed&actor=acc_1&target=srv_2&from=2026-11-01&to=2026-11-02&tab=x');
    expect(filter).toEqual({ action: 'key.revealed', actor: 'acc_1', target: 'srv_2', from: '2026-11-01', to: '2026-11-02' });
    const there = new URL(href('/orgs/:org/audit', { org: 'o1' }, filter), 'http://here');
    expect(fromQuery(there.searchParams)).toEqual(filter);
  });

  test('days are whole in the time zone of the reader, and the server is told the first moment after them', () => {
    const { from_ms, to_ms } = toApi(read('from=2026-11-01&to=2026-11-01'));
    expect(new Date(from_ms!).toString()).toContain('Nov 01 2026 00:00:00');
    expect(new Date(to_ms!).toString()).toContain('Nov 02 2026 00:00:00');
    const month = toApi(read('to=2026-12-31')).to_ms!;
    expect(new Date(month).getFullYear()).toBe(2027);
  });

  test('nonsense in the address is no filter', () => {
    for (const text of ['', 'from=soon', 'from=2026-13-01', 'to=2026-04-31', 'action=%20']) {
      expect(isFiltered(read(text)), text).toBe(false);
      expect(toApi(read(text))).toEqual({});
    }
  });

  test('a range that ends before it begins is told', () => {
    expect(backwards(read('from=2026-11-02&to=2026-11-01'))).toBe(true);
    expect(backwards(read('from=2026-11-02&to=2026-11-02'))).toBe(false);
    expect(backwards(read('from=2026-11-02'))).toBe(false);
  });
});
