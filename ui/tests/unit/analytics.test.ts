import { describe, expect, test } from 'vitest';
import type { AnalyticsNumbers, DayOfLinks } from '../../src/lib/api/schema';
import { activeWords, countryNote, isBlank, linkDayWords, percent, reasonWords, steps, tierDayWords, toApi, totals, totalWords } from '../../src/features/analytics/words';
import { dayWords, heightOf, highest, localMidnight, monthWords, pieces, roundUp, type Pile } from '../../src/lib/charts/days';

const none = { user: 0, admin: 0, plugin: 0, relink: 0, 'zombie-cleanup': 0 };
const day = (more: Partial<DayOfLinks> = {}): DayOfLinks => ({ day: '2026-01-31', linked: 0, ended: none, active: 0, ...more });
const funnel = { started: 40, discord: 30, steam: 30, joined: 33, verified: 1, failed: [] };
const blank: AnalyticsNumbers = {
  from: '2026-01-31',
  to: '2026-01-31',
  days: [day()],
  ceiling: 500,
  tiers: [],
  countries: { as_of: null, list: [], other: 0, unknown: 0 },
  funnel: { started: 0, discord: 0, steam: 0, joined: 0, verified: 0, failed: [] },
  retention: [],
};

describe('numbers in words', () => {
  const days = [day({ linked: 4, active: 9, ended: { ...none, user: 2 } }), day({ day: '2026-02-01', linked: 1, active: 7, ended: { ...none, admin: 1, relink: 2 } })];

  test('links and unlinks are told with their causes', () => {
    expect(totals(days)).toMatchObject({ linked: 5, ended: 5 });
    expect(totalWords(days)).toBe('5 new links and 5 unlinks: 2 by the player, 1 by the team, 2 by relinking.');
    expect(totalWords([day({ linked: 1 })])).toBe('1 new link and 0 unlinks.');
    expect(linkDayWords(days[1]!)).toBe('Feb 1, 2026: 1 linked, 3 unlinked (1 by the team, 2 by relinking)');
    expect(linkDayWords(day())).toBe('Jan 31, 2026: 0 linked, 0 unlinked');
  });

  test('active links are told from the first day to the last', () => {
    expect(activeWords(days)).toBe('Active links went from 9 to 7. The most were 9, on Jan 31, 2026.');
    expect(activeWords([day({ active: 1 })])).toBe('1 active link, as many as at the beginning. The most were 1, on Jan 31, 2026.');
    expect(activeWords([])).toBe('');
  });

  test('a share of nothing is none, and a small one is not nothing', () => {
    expect([percent(1, 3), percent(0, 3), percent(1, 500), percent(0, 0), percent(3, 3)]).toEqual(['33%', '0%', '<1%', '–', '100%']);
    expect(steps(funnel).map(({ ofStart, ofBefore }) => [ofStart, ofBefore])).toEqual([['100%', '–'], ['75%', '75%'], ['75%', '100%'], ['83%', '110%'], ['3%', '3%']]);
  });

  test('what went wrong is told in words, and an unknown code as it is', () => {
    expect(reasonWords('NOT_IN_GROUP')).toBe('Not in the Steam group');
    expect(reasonWords('TOMORROW')).toBe('TOMORROW');
  });

  test('tiers and countries', () => {
    expect(tierDayWords({ day: '2026-01-31', trusted: 1200, normal: 3, watch: 0, risk: 1 })).toBe('Jan 31, 2026: 1,200 trusted, 3 normal, 0 watch, 1 risk');
    expect(countryNote({ as_of: '2026-01-31', list: [{ country: 'SE', links: 3 }], other: 2, unknown: 1 })).toBe('6 active links, 2 in other countries and 1 without a known country.');
    expect(countryNote({ as_of: '2026-01-31', list: [{ country: 'SE', links: 1 }], other: 0, unknown: 0 })).toBe('1 active link.');
  });

  test('a new organisation has nothing to show; a visit or an old link is something', () => {
    expect(isBlank(blank)).toBe(true);
    expect(isBlank({ ...blank, days: [day({ active: 1 })] })).toBe(false);
    expect(isBlank({ ...blank, funnel })).toBe(false);
    expect(isBlank({ ...blank, retention: [{ month: '2025-03', linked: 1, after: [] }] })).toBe(false);
  });

  test('a range ends today in UTC', () => {
    const now = Date.parse('2026-03-01T00:30Z');
    expect(toApi(30, '', now)).toEqual({ from: '2026-01-31' });
    expect(toApi(7, 'gld_1', now)).toEqual({ from: '2026-02-23', guild_id: 'gld_1' });
  });
});

describe('days on a drawing', () => {
  const piles: Pile[] = [{ label: 'a', values: [1, 0, 5], fill: 'x' }, { label: 'b', values: [2, 0, 0], fill: 'y' }];

  test('are those of the calendar, wherever the reader is', () => {
    expect(dayWords('2026-01-01')).toBe('Jan 1, 2026');
    expect(monthWords('2026-12')).toBe('Dec 2026');
    const at = new Date(localMidnight('2026-03-29'));
    expect([at.getFullYear(), at.getMonth(), at.getDate(), at.getHours()]).toEqual([2026, 2, 29, 0]);
  });

  test('are piled up from nothing, without what is nothing', () => {
    expect(pieces(piles, 0).map(({ from, to }) => [from, to])).toEqual([[0, 1], [1, 3]]);
    expect(pieces(piles, 1)).toEqual([]);
    expect([heightOf(piles, 0), heightOf(piles, 9), highest(piles, 3), highest([], 3)]).toEqual([3, 0, 5, 0]);
  });

  test('end at a round number', () => {
    expect([0, 1, 2, 3, 7, 13, 41, 99, 100, 101].map(roundUp)).toEqual([1, 1, 2, 5, 10, 20, 50, 100, 100, 200]);
  });
});
