import { describe, expect, test } from 'vitest';
import type { User, UserChoices } from '../../src/lib/api/schema';
import { countryName } from '../../src/lib/format';
import { fromQuery, guildOf, inWords, isAccount, isFiltered, nextSort, orderOf, people, toApi, withGuild } from '../../src/features/players/users/filter';
import { canBeChosen, choose, choosePage, isChosen, isNobody, isTyped, linksOf, NOBODY, pageState, toApi as toChoice } from '../../src/features/players/users/selection';
import { Trail } from '../../src/features/players/users/trail';
import { endInWords, manyEffect, oneEffect, serverWords } from '../../src/features/players/users/words';

const choices: UserChoices = {
  guilds: [{ id: 'g1', name: 'Rustlands' }, { id: 'g2', name: 'Modded' }],
  servers: [{ id: 's1', name: 'EU Main', guild_id: 'g1' }, { id: 's2', name: 'US Main', guild_id: 'g1' }, { id: 's3', name: 'Sandbox', guild_id: 'g2' }],
  countries: ['SE'],
  thresholds: { trusted: 90, normal: 70, watch: 40 },
};
const from = (query: string) => fromQuery(new URLSearchParams(query));
const user = (id: string, more: Partial<User> = {}): User => ({
  discord_id: id,
  guild_id: 'g1',
  server_ids: [],
  linked_at_ms: 0,
  active_links: 1,
  steam_accounts: 1,
  booster: false,
  staff: false,
  best_class: 'default',
  score: 80,
  tier: 'Normal',
  ...more,
});

describe('the filters in the address', () => {
  test('are read with care: what cannot be asked for is left out', () => {
    const filter = from('q=%20ash%20&tier=Risk&guild_id=g1&server_id=s1&country=se&status=active&sort=score');
    expect(filter).toEqual({ q: 'ash', tier: 'Risk', guild_id: 'g1', server_id: 's1', country: 'SE', status: 'active', sort: 'score' });
    expect(isFiltered(from('tier=Gold&country=Sweden&status=gone&sort=up&q=%20'))).toBe(false);
    expect(from(`q=${'x'.repeat(300)}`).q).toHaveLength(200);
  });

  test('an order is no filter, and a page is none either', () => {
    expect(isFiltered(from('sort=score&cursor=c50'))).toBe(false);
    expect(isFiltered(from('status=archived'))).toBe(true);
  });

  test('the server gets what is set and nothing else', () => {
    expect(toApi(from(''))).toEqual({});
    expect(toApi(from('tier=Risk&sort=name'))).toEqual({ tier: 'Risk', sort: 'name' });
    expect(people(from('country=SE&sort=name'))).toEqual({ country: 'SE' });
  });

  test('a search has its own order', () => {
    expect(toApi(from('q=ash&sort=score'))).toEqual({ q: 'ash' });
  });
});

describe('the order', () => {
  test('is by time, and by score within a tier, until someone chooses', () => {
    expect(orderOf(from(''))).toBe('-linked_at');
    expect(orderOf(from('tier=Risk'))).toBe('-score');
    expect(orderOf(from('tier=Risk&sort=name'))).toBe('name');
  });

  test('a heading sorts its usual way first, then the other way round', () => {
    expect(nextSort('-linked_at', 'score')).toBe('-score');
    expect(nextSort('-score', 'score')).toBe('score');
    expect(nextSort('score', 'score')).toBe('-score');
    expect(nextSort('-linked_at', 'linked_at')).toBe('linked_at');
    expect(nextSort('name', 'name')).toBe('name');
  });
});

test('an account is told from a name', () => {
  for (const one of ['204255221017214977', ' <@204255221017214977> ', '<@!204255221017214977>', 'https://steamcommunity.com/profiles/76561198862030946/', 'discord.com/users/204255221017214977?x']) {
    expect(isAccount(one), one).toBe(true);
  }
  for (const one of ['ash', '12345', 'https://steamcommunity.com/id/ashfox', '']) expect(isAccount(one), one).toBe(false);
});

describe('Guild and Server', () => {
  test('another Guild lets go of a Server that is not in it', () => {
    const filter = from('guild_id=g1&server_id=s1');
    expect(withGuild(filter, 'g2', choices)).toEqual({ guild_id: 'g2', server_id: '' });
    expect(withGuild(filter, '', choices)).toEqual({ guild_id: '' });
    expect(withGuild(from('server_id=s3'), 'g2', choices)).toEqual({ guild_id: 'g2' });
  });

  test('a Server tells its Guild', () => {
    expect(guildOf(from('server_id=s3'), choices)).toEqual({ id: 'g2', name: 'Modded' });
    expect(guildOf(from('guild_id=g1'), choices)?.name).toBe('Rustlands');
    expect(guildOf(from('guild_id=g1'), undefined)).toEqual({ id: 'g1', name: 'this Guild' });
    expect(guildOf(from('tier=Risk'), choices)).toBeNull();
  });

  test('filters are told in words', () => {
    expect(inWords(from('q=ash&tier=Risk&guild_id=g1&server_id=s1&country=SE&status=active'), choices)).toEqual([
      'Search: ash',
      'Tier: Risk',
      'Guild: Rustlands',
      'Server: EU Main',
      'Country: Sweden',
      'Status: active',
    ]);
  });
});

describe('who is selected', () => {
  const gone = user('3', { ended_at_ms: 1 });
  const page = [user('1'), user('2', { active_links: 2 }), gone];

  test('only rows with an active link can be', () => {
    expect(page.map(canBeChosen)).toEqual([true, true, false]);
    const all = choosePage(NOBODY, page, true);
    expect([...all.people.keys()]).toEqual(['1', '2']);
    expect(isChosen({ ...all, everyone: true }, gone)).toBe(false);
  });

  test('a page is selected in part, whole, or not at all', () => {
    expect(pageState(NOBODY, page)).toBe('none');
    const one = choose(NOBODY, page[0]!, true, page);
    expect(pageState(one, page)).toBe('some');
    expect(pageState(choosePage(one, page, true), page)).toBe('all');
    expect(pageState(NOBODY, [gone])).toBe('none');
  });

  test('people of other pages stay', () => {
    const both = choosePage(choosePage(NOBODY, page, true), [user('9')], true);
    expect([...both.people.keys()]).toEqual(['1', '2', '9']);
    expect([...choosePage(both, page, false).people.keys()]).toEqual(['9']);
  });

  test('taking one out of everyone leaves the others of the page', () => {
    const everyone = { ...choosePage(NOBODY, [user('9')], true), everyone: true };
    const rest = choose(everyone, page[0]!, false, page);
    expect(rest.everyone).toBe(false);
    expect([...rest.people.keys()]).toEqual(['2']);
    expect(isNobody(choosePage(everyone, page, false))).toBe(true);
  });

  test('links are counted where they end', () => {
    const all = choosePage(NOBODY, page, true);
    expect(linksOf(all, false)).toBe(3);
    expect(linksOf(all, true)).toBe(2);
  });

  test('more than 50, or everyone who matches, takes typing', () => {
    const many = (amount: number) => choosePage(NOBODY, Array.from({ length: amount }, (_, i) => user(String(i))), true);
    expect(isTyped(many(50))).toBe(false);
    expect(isTyped(many(51))).toBe(true);
    expect(isTyped({ ...many(1), everyone: true })).toBe(true);
  });

  test('the server gets people or filters, with the Guild where there is one', () => {
    const all = choosePage(NOBODY, page, true);
    expect(toChoice(all, { tier: 'Risk' }, null)).toEqual({ users: ['1', '2'] });
    expect(toChoice({ ...all, everyone: true }, { server_id: 's3' }, 'g2')).toEqual({ filter: { server_id: 's3' }, guild_id: 'g2' });
  });
});

test('the way through the pages leads back, also when someone came from elsewhere', () => {
  const trail = new Trail();
  expect([trail.previous('a', ''), trail.page('a', '')]).toEqual([null, 1]);
  trail.step('a', '', 'c50');
  trail.step('a', 'c50', 'c100');
  expect([trail.previous('a', 'c100'), trail.page('a', 'c100')]).toEqual(['c50', 3]);
  expect([trail.previous('a', 'c50'), trail.page('a', 'c50')]).toEqual(['', 2]);
  expect([trail.previous('b', 'c50'), trail.page('b', 'c50')]).toEqual(['', null]);
  trail.step('a', 'c100', 'c50'); // a list that changed under the reader
  expect(trail.page('a', 'c100')).toBeNull();
});

describe('words', () => {
  test('Servers are named up to two', () => {
    expect(serverWords(['s1'], choices)).toBe('EU Main');
    expect(serverWords(['s1', 's2', 's3', 'gone'], choices)).toBe('EU Main, US Main and 1 more');
    expect(serverWords(['s1'], undefined)).toBe('');
  });

  test('countries are named, and letters that stand for none are not', () => {
    expect(countryName('SE')).toBe('Sweden');
    expect(countryName('XX')).toBeUndefined();
    expect(countryName('T1')).toBeUndefined();
  });

  test('a dialog tells what ends, and where', () => {
    const back = 'Roles and groups that we gave for';
    expect(oneEffect({ active_links: 1 }, null)).toBe(`This ends their link. ${back} it are taken back. They can link again.`);
    expect(oneEffect({ active_links: 2 }, null)).toBe(`This ends their 2 active links, in every Guild. ${back} them are taken back. They can link again.`);
    expect(oneEffect({ active_links: 2 }, { name: 'Modded' })).toBe(`This ends their link in Modded. Links in other Guilds stay. ${back} it are taken back. They can link again.`);
    expect(manyEffect(60, null)).toBe(`This ends 60 active links, in every Guild. ${back} them are taken back. Players can link again.`);
    expect(manyEffect(null, { name: 'Modded' })).toMatch(/^This ends their active links, only in Modded\. Links in other Guilds stay\./);
  });

  test('the end of a bulk unlink is told as it was', () => {
    expect(endInWords({ cancelled: false, done: 1199, total: 1200 })).toBe('Finished unlinking: 1,199 of 1,200 links ended');
    expect(endInWords({ cancelled: true, done: 350, total: 1200 })).toBe('Unlinking was cancelled: 350 of 1,200 links ended');
    expect(endInWords(null)).toBe('Unlinking has ended');
  });
});
