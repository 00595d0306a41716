import { describe, expect, test } from 'vitest';
import { firstLines, kindOf, OFFSETS, results, stateOf, stopText, whatOf } from '../../src/features/linking/import/words';
import type { Import } from '../../src/lib/api/schema';

const run = (state: string, counts: Partial<Import['counts']> = {}): Import => ({
  id: 'i1',
  guild_id: 'g1',
  kind: 'users',
  state,
  total: 10,
  done: 10,
  counts: { links: 0, history: 0, known: 0, refused: 0, boosters: 0, groups: 0, reasons: [], ...counts },
  columns_read: [],
  columns_ignored: [],
  left_out: [],
  started_at_ms: 0,
});

describe('an import in words', () => {
  test('a dry run says what would be, an import what was', () => {
    expect(results(run('checked', { links: 2, refused: 1 })).map(({ label }) => label)).toEqual(['Links that would be added', 'Rows that would be refused']);
    expect(results(run('done')).map(({ label, rows }) => [label, rows])).toEqual([['Links that were added', 0]]);
  });

  test('names what there is of links and history', () => {
    expect(whatOf({ links: 1, history: 0 })).toBe('1 link');
    expect(whatOf({ links: 0, history: 2 })).toBe('2 ended links');
    expect(whatOf({ links: 1204, history: 1 })).toBe('1,204 links and 1 ended link');
  });

  test('names the first lines, each once, and how many rows there are besides', () => {
    expect(firstLines([{ line: 14 }], 1)).toBe('Line 14');
    expect(firstLines([{ line: 2 }, { line: 2 }, { line: 1031 }], 40)).toBe('Lines 2, 1,031, and 37 more');
  });

  test('a state or a reason of a newer server is shown as it is', () => {
    expect(stateOf(run('waiting')).label).toBe('waiting');
    expect(stopText('rain')).toBe('It could not go on.');
  });
});

describe('what is chosen', () => {
  test('a file says by its name what it is', () => {
    expect(kindOf('old.SQL', 'users')).toBe('dump');
    expect(kindOf('users.csv', 'dump')).toBe('users');
    expect(kindOf('gone.csv', 'removed')).toBe('removed');
    expect(kindOf('backup', 'dump')).toBe('dump');
  });

  test('time zones begin with UTC and each is there once', () => {
    expect(OFFSETS[0]).toEqual({ value: '+00:00', label: 'UTC' });
    expect(OFFSETS.map(({ value }) => value)).toContain('+05:45');
    expect(OFFSETS.map(({ value }) => value)).toContain('-03:00');
    expect(new Set(OFFSETS.map(({ value }) => value)).size).toBe(OFFSETS.length);
    for (const { value } of OFFSETS) expect(value).toMatch(/^[+-]\d\d:\d\d$/);
  });
});
