import { describe, expect, test } from 'vitest';
import { found, likeliest, named, room, runs, step, type Pick } from '../../src/lib/ui/picker';

const ID = '814513381600264111';
const options: Pick[] = [
  { value: '814513381600264110', label: '#rules', group: '', reason: 'No.' },
  { value: '814513381600264112', label: '#general', group: 'Community' },
  { value: '814513381600264113', label: '#off-topic', group: 'Community' },
  { value: ID, label: '#link-log', group: 'Staff' },
  { value: '814513381600264115', label: '#Café-log', group: 'Staff' },
];
const labels = (list: readonly Pick[]) => list.map(({ label }) => label);

describe('what is typed', () => {
  test('finds names by words, without accents, hyphens, marks and case', () => {
    for (const typed of ['#LINK', 'link log', ' Link-Log ', 'nk l']) expect(labels(found(options, typed))).toEqual(['#link-log']);
    expect(labels(found(options, 'cafe'))).toEqual(['#Café-log']);
  });

  test('finds a whole group by its name, in the order given', () => {
    expect(labels(found(options, 'comm'))).toEqual(['#general', '#off-topic']);
  });

  test('finds by id and by mention, also a half one', () => {
    for (const typed of [ID, `<#${ID}>`, `<#${ID}`, ID.slice(0, 18)]) expect(labels(found(options, typed))).toEqual(['#link-log']);
    expect(found(options, '<#999>')).toEqual([]);
  });

  test('nothing typed shows everything, with those that cannot be chosen', () => {
    expect(found(options, ' ')).toEqual(options);
  });

  test('a name stands for its option unless two have it', () => {
    expect(named(options, 'general')?.value).toBe('814513381600264112');
    expect(named(options, 'gener')).toBeUndefined();
    expect(named([...options, { value: '1', label: '#general' }], 'general')).toBeUndefined();
  });
});

describe('the keyboard', () => {
  test('Enter means the one that begins so, and never one that cannot be chosen', () => {
    expect(likeliest(found(options, 'log'), 'log')).toBe(0);
    const both = [{ value: '1', label: 'Old VIP' }, { value: '2', label: 'VIP' }];
    expect(likeliest(both, 'vip')).toBe(1);
    expect(likeliest(found(options, 'rules'), 'rules')).toBe(-1);
    expect(likeliest(options, '')).toBe(1);
    expect(likeliest([], 'x')).toBe(-1);
  });

  test('arrows go round, Home and End to the ends, pages stop there', () => {
    expect([step('ArrowDown', -1, 3), step('ArrowDown', 2, 3), step('ArrowUp', -1, 3), step('ArrowUp', 0, 3), step('ArrowUp', 2, 3)]).toEqual([0, 0, 2, 2, 1]);
    expect([step('Home', 2, 3), step('End', 0, 3)]).toEqual([0, 2]);
    expect([step('PageDown', 0, 30), step('PageDown', 25, 30), step('PageUp', 25, 30), step('PageUp', 3, 30)]).toEqual([10, 29, 15, 0]);
  });

  test('in an empty list every key leads nowhere', () => {
    for (const key of ['ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp']) expect(step(key, -1, 0)).toBe(-1);
    expect(step('a', 0, 3)).toBeNull();
  });
});

test('groups follow each other with the places of their entries', () => {
  expect(runs(options).map(({ group, entries }) => [group, entries.map(({ at }) => at)])).toEqual([
    ['', [0]],
    ['Community', [1, 2]],
    ['Staff', [3, 4]],
  ]);
});

test('the list goes to the side that has room, and fits there', () => {
  const view = { top: 0, bottom: 800 };
  expect(room({ top: 100, bottom: 136 }, view)).toEqual({ above: false, height: 360 });
  expect(room({ top: 700, bottom: 736 }, view)).toEqual({ above: true, height: 360 });
  expect(room({ top: 500, bottom: 536 }, view)).toEqual({ above: false, height: 264 });
  expect(room({ top: 60, bottom: 104 }, { top: 0, bottom: 280 })).toEqual({ above: false, height: 176 });
});
