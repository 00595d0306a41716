import { describe, expect, test } from 'vitest';
import { accountsOf, tiesOf } from '../../src/features/players/user/accounts';
import { rangeOf } from '../../src/lib/range';
import { tierWords, trustParts } from '../../src/features/players/user/trust-words';
import { choicesOf, EVERYWHERE } from '../../src/features/players/user/unlink';
import { causeWords, classWords, historyWords, nameOf, spanWords, tierBands } from '../../src/features/players/user/words';
import type { GroupClass, ServerPresence, TrustPoint } from '../../src/lib/api/schema';

const DAY = 24 * 60 * 60_000;
const SCORED = Date.UTC(2026, 10, 15, 12);
const thresholds = { trusted: 90, normal: 70, watch: 40 };

const trust = { stability: 82, cross_server: 17, age: 20, multi: 70, churn: 1, accounts: 3, scored_at_ms: SCORED };
const server = (server_name: string, classes: GroupClass[] | null): ServerPresence => ({
  guild_id: 'g1',
  guild_name: 'Rustlands',
  server_id: server_name,
  server_name,
  groups: classes?.map((one) => ({ name: one, class: one, tone: 'ok' as const })) ?? null,
  reported_at_ms: classes ? SCORED : null,
  seen_at_ms: null,
});
const told = (change: Partial<typeof trust> = {}, presence: ServerPresence[] = [], days = 73, isActive = true) =>
  Object.fromEntries(trustParts({ ...trust, ...change }, SCORED - days * DAY, presence, isActive).map((part) => [part.key, part]));

describe('what a score is made of', () => {
  test('each part has its weight and its points, and they make the score', () => {
    const parts = trustParts(trust, SCORED - 73 * DAY, [], true);
    expect(parts.map(({ label, value, weight, points }) => `${label} ${value} ${weight} ${points}`)).toEqual([
      'Stability 82 35 28.7',
      'Standing on Servers 17 25 4.3',
      'Time linked 20 20 4.0',
      'Accounts 70 20 14.0',
    ]);
    expect(parts.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
  });

  test('stability tells what ended links cost', () => {
    expect(told().stability!.why).toBe('One link that they or a plugin ended costs 18 points of stability.');
    expect(told().stability!.change).toBe('Each further one costs 18 more. Links that your team ends cost nothing.');
    expect(told({ churn: 0, stability: 100 }).stability!.why).toBe('No link of theirs was ended by them or a plugin.');
    expect(told({ churn: 0, stability: 100 }).stability!.change).toMatch(/^Each one would cost 18 points\./);
    expect(told({ churn: 3, stability: 46 }).stability!.why).toBe('3 links that they or a plugin ended cost 54 points of stability.');
    expect(told({ churn: 5, stability: 10 }).stability!.change).toMatch(/^Each further one costs 10 more\./);
    expect(told({ churn: 7, stability: 0 }).stability!.why).toBe('7 links that they or a plugin ended cost all 100 points of stability.');
    expect(told({ churn: 7, stability: 0 }).stability!.change).toBe('It can’t get lower. Ended links stay counted.');
  });

  test('standing tells the best group on each Server that reported', () => {
    const none = told({ cross_server: 5 }, [server('US', null)]).cross_server!;
    expect(none.why).toBe('No game server has reported a group for them yet.');
    expect(none.change).toMatch(/this counts 5\./);
    expect(told({}, [server('EU', ['default', 'vip']), server('US', null)]).cross_server!.why).toBe('Best group: VIP on EU.');
    expect(told({}, [server('EU', ['vip', 'admin']), server('US', [])]).cross_server!.why).toBe('Best group: Admin on EU and none on US. The mean of them counts.');
    const many = ['A', 'B', 'C', 'D', 'E'].map((name) => server(name, ['vip']));
    expect(told({}, many).cross_server!.why).toBe('Best group: VIP on A, VIP on B, VIP on C and 2 more. The mean of them counts.');
    expect(told({ cross_server: 100 }, [server('EU', ['owner'])]).cross_server!.change).toBe('It can’t get higher.');
  });

  test('time tells the days at the time of the score, and when it is full', () => {
    expect(told().age!.why).toBe('Linked for 73 days; full after 365.');
    expect(told().age!.change).toBe('Grows with every day, until Sep 3, 2027.');
    expect(told({}, [], 1).age!.why).toBe('Linked for 1 day; full after 365.');
    expect(told({}, [], 73, false).age!.why).toBe('First linked 73 days ago; full after 365.');
    expect(told({}, [], 400).age!.change).toBe('It can’t get higher.');
    expect(told({}, [], -1).age!.why).toMatch(/^Linked for less than a day;/);
  });

  test('accounts tell how many hang together, as far as anybody counts', () => {
    expect(told().multi!.why).toBe('3 accounts hang together, theirs included; each beyond two costs 30.');
    expect(told().multi!.change).toBe('Each further account costs 30 points.');
    expect(told({ accounts: 5, multi: 10 }).multi!.change).toBe('Each further account costs 10 points.');
    expect(told({ accounts: 2, multi: 100 }).multi!.why).toBe('Only their Discord and their Steam account hang together.');
    expect(told({ accounts: 50, multi: 0 }).multi!.why).toMatch(/^50 or more accounts/);
    expect(told({ accounts: 50, multi: 0 }).multi!.change).toBe('It can’t get lower.');
  });

  test('the tier is told with the way to the next ones', () => {
    expect(tierWords(51, thresholds)).toBe('Watch is from 40 to 69. 19 more points make it Normal. 12 points fewer make it Risk.');
    expect(tierWords(69, thresholds)).toMatch(/1 more point makes it Normal\./);
    expect(tierWords(70, thresholds)).toMatch(/1 point fewer makes it Watch\./);
    expect(tierWords(100, thresholds)).toBe('Trusted is from 90 to 100. 11 points fewer make it Normal.');
    expect(tierWords(0, thresholds)).toBe('Risk is from 0 to 39. 40 more points make it Watch.');
  });
});

describe('words of the page', () => {
  test('tiers are bands without gaps', () => {
    const bands = tierBands(thresholds);
    expect(bands.map(({ from, to }) => [from, to])).toEqual([[90, 100], [70, 90], [40, 70], [0, 40]]);
  });

  test('a history is told to those who do not see it', () => {
    const point = (day: number, score: number, tier: TrustPoint['tier']): TrustPoint => ({ at_ms: Date.UTC(2026, 10, day, 12), score, tier, stability: 0, cross_server: 0, age: 0, multi: 0 });
    expect(historyWords([], 7)).toBe('No scores in the last 7 days.');
    expect(historyWords([point(1, 56, 'Watch')], 30)).toMatch(/^The score was 56 \(Watch\)/);
    const text = historyWords([point(1, 56, 'Watch'), point(5, 72, 'Normal'), point(9, 38, 'Risk')], 30);
    expect(text).toBe('It went from 56 (Watch) to 38 (Risk), between 38 and 72. The last change was on Nov 9, 2026. Each score holds until the next.');
  });

  test('causes, classes, spans and names', () => {
    expect(['user', 'admin', 'plugin', 'relink', 'zombie-cleanup', 'toString'].map(causeWords)).toEqual(['by the player', 'by the team', 'by a plugin', 'linked another account', 'dormant', 'toString']);
    expect(classWords('vip')).toBe('VIP');
    expect([20_000, 60_000, 5 * 3_600_000, DAY, 73.9 * DAY].map(spanWords)).toEqual(['less than a minute', '1 minute', '5 hours', '1 day', '73 days']);
    expect(nameOf({ discord_id: '1', discord_name: null, steam_name: 'Ash' })).toBe('Ash');
    expect(nameOf({ discord_id: '1' })).toBe('1');
  });

  test('the range of the address is one that there is', () => {
    expect([null, '7', '365', '8', 'x'].map(rangeOf)).toEqual([30, 7, 365, 30, 30]);
  });
});

describe('what can be unlinked', () => {
  const link = (guild_id: string, more = {}) => ({ guild_id, guild_name: `Guild ${guild_id}`, guild_gone: false, ended_at_ms: null, ...more });

  test('is everything or one Guild, where there are several', () => {
    expect(choicesOf([link('a'), link('b'), link('b', { ended_at_ms: 1 })])).toEqual([
      { value: EVERYWHERE, title: 'All Guilds', links: 2 },
      { value: 'a', title: 'Guild a', links: 1 },
      { value: 'b', title: 'Guild b', links: 1 },
    ]);
  });

  test('is the only Guild, or nothing', () => {
    expect(choicesOf([link('a'), link('b', { guild_gone: true })]).map(({ value }) => value)).toEqual(['a']);
    expect(choicesOf([link('a', { ended_at_ms: 1 })])).toEqual([]);
  });
});

test('an erased account is in the graph, without a name and a page', () => {
  const [person, erased] = accountsOf([{ steam: false, id: '1', name: null, active: true }, { steam: true, id: null, name: 'old', active: false }], 'o1');
  expect(person).toEqual({ kind: 'discord', name: '1', active: true, page: '/app/orgs/o1/users/1' });
  expect(erased).toEqual({ kind: 'steam', name: null, active: false, page: null });
  expect(tiesOf([{ discord: 0, steam: 1, guild_name: 'G', linked_at_ms: 1, ended_at_ms: 2 }])).toEqual([{ discord: 0, steam: 1, active: false }]);
});
