import { describe, expect, test } from 'vitest';
import { count, duration, initials, list, masked, nameOf, number, relative, sentence, since, SLUG, slugify } from '../../src/lib/format';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('times', () => {
  const now = Date.UTC(2026, 10, 15, 12);
  test.each([
    [now, 'just now'],
    [now - 59_999, 'just now'],
    [now + 1000, 'in a moment'],
    [now - MINUTE, '1 minute ago'],
    [now - HOUR + 1, '59 minutes ago'],
    [now - 2 * HOUR, '2 hours ago'],
    [now - DAY, 'yesterday'],
    [now + DAY, 'tomorrow'],
    [now - 27 * DAY, '27 days ago'],
    [now - 40 * DAY, 'Oct 6, 2026'],
  ])('%i reads as %s', (at, text) => {
    expect(relative(at, now)).toBe(text);
  });

  test('what has happened is never told as something to come, whatever the clock of the reader says', () => {
    expect([now - MINUTE, now, now + 20_000, now + 3 * HOUR].map((at) => since(at, now))).toEqual(['1 minute ago', 'just now', 'just now', 'just now']);
  });
});

test('numbers and counts', () => {
  expect(number(18640)).toBe('18,640');
  expect(count(1, 'server')).toBe('1 server');
  expect(count(2000, 'server')).toBe('2,000 servers');
  expect(count(0, 'entry', 'entries')).toBe('0 entries');
});

test('names are looked up by id, with dots until they are known', () => {
  const things = [{ id: 'g1', name: 'Rustlands' }];
  expect([nameOf(things, 'g1'), nameOf(things, 'g2'), nameOf(undefined, 'g1')]).toEqual(['Rustlands', 'g2', '…']);
});

test('lists', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(list)).toEqual(['', 'a', 'a and b', 'a, b and c']);
});

test('durations are exact', () => {
  const said = [0, 500, 45_000, HOUR, DAY, 36 * HOUR, 90 * DAY, DAY + MINUTE + 1].map(duration);
  expect(said).toEqual(['0 seconds', '0.5 seconds', '45 seconds', '1 hour', '1 day', '1 day 12 hours', '90 days', '1 day 1 minute 0.001 seconds']);
});

describe('short names', () => {
  test.each([
    ['Rust Lands!', 'rust-lands'],
    ['  Übergrößen  ', 'ubergro-en'],
    ['--a__b--', 'a-b'],
    ['日本', ''],
  ])('%s becomes %s', (name, slug) => {
    expect(slugify(name)).toBe(slug);
  });

  test('a short name is never too long, and never starts or ends with a hyphen', () => {
    for (const name of ['a'.repeat(50), `${'a'.repeat(39)} b`, '- xyz -', 'A B '.repeat(20)]) {
      expect(slugify(name)).toMatch(SLUG);
      expect(slugify(slugify(name))).toBe(slugify(name));
    }
  });
});

test('a short name has 3 to 40 characters and no stray hyphens', () => {
  expect(['abc', 'a-b', '0'.repeat(40)].every((slug) => SLUG.test(slug))).toBe(true);
  expect(['', 'ab', '-abc', 'abc-', 'a--b', 'Abc', 'ä-b', '0'.repeat(41)].some((slug) => SLUG.test(slug))).toBe(false);
});

test('a masked key shows its beginning only', () => {
  expect(masked('svc_live_12ab')).toBe('svc_live_12ab••••••••');
});

test('initials', () => {
  expect(['maya.okafor', 'Iven', 'a b c', '', '😀 x'].map(initials)).toEqual(['MO', 'I', 'AC', '?', '😀X']);
});

test('a sentence starts large', () => {
  expect([sentence('owner'), sentence('')]).toEqual(['Owner', '']);
});
