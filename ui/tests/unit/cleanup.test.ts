import { describe, expect, test } from 'vitest';
import { changesOf, describe as inWords, draftOf, foundWords, keptWords, notReadyWords, problemsOf, reachOf, reachWords, rulesOf, runWords } from '../../src/features/players/cleanup/rules';
import { flaggedWords } from '../../src/features/players/user/words';

const off = { enabled: false, days: 90, grace_days: 7 };
const on = { ...off, enabled: true };
const guild = (name: string, heard_days: number, dormant: number) => ({ id: name, name, heard_days, ready: heard_days >= 90, dormant });

describe('what is saved', () => {
  test('is nothing while nothing differs, also with spaces and zeros in front', () => {
    expect(changesOf(off, draftOf(off))).toBeNull();
    expect(changesOf(off, { enabled: false, days: ' 090 ', grace_days: '7' })).toBeNull();
  });

  test('is everything together', () => {
    expect(changesOf(off, { ...draftOf(off), days: '30' })).toEqual({ enabled: false, days: 30, grace_days: 7 });
  });

  test('what someone else saved reads as people say it', () => {
    expect(inWords(on)).toEqual({ Cleanup: 'on', 'Days until dormant': '90', 'Grace period in days': '7' });
  });
});

test('mistakes are told at their field', () => {
  const problems = (days: string, grace_days: string) => Object.keys(problemsOf({ enabled: true, days, grace_days }));
  for (const [days, grace] of [['7', '1'], ['365', '90'], [' 30 ', ' 3 ']] as const) expect(problems(days, grace)).toEqual([]);
  for (const wrong of ['6', '366', '', '1e1', '7.5', '-9', 'NaN', '9999999', '٩٠']) expect(problems(wrong, '7'), wrong).toEqual(['days']);
  for (const wrong of ['0', '91', ' ']) expect(problems('90', wrong), wrong).toEqual(['grace_days']);
  expect(problemsOf({ enabled: false, days: '6', grace_days: '7' }).days).toBe('Enter a whole number from 7 to 365.');
  expect(rulesOf({ enabled: true, days: 'x', grace_days: '7' }).days).toBeNaN();
});

describe('what is asked about before it is saved', () => {
  const reach = (saved: typeof on, change: Partial<ReturnType<typeof draftOf>>) => reachOf(saved, { ...draftOf(saved), ...change });

  test('is what reaches more people, or reaches them sooner', () => {
    expect(reach(off, { enabled: true })).toBe('on');
    expect(reach(on, { days: '30' })).toBe('days');
    expect(reach(on, { days: '30', grace_days: '3' })).toBe('grace');
  });

  test('is nothing that spares people', () => {
    expect(reach(on, { enabled: false, days: '7' })).toBeNull();
    expect(reach(on, { days: '91', grace_days: '8' })).toBeNull();
    expect(reach(off, { days: '7' })).toBeNull();
  });

  test('tells how many, and that nobody is unlinked before the grace period is over', () => {
    const spared = 'Nobody is unlinked before the grace period of 7 days is over. Whoever comes back before that stays linked.';
    expect(reachWords('on', 1_204, 7)).toBe(`1,204 links are dormant now. They’re flagged as soon as you save. ${spared}`);
    expect(reachWords('on', 0, 7)).toBe(`No link is dormant now. ${spared}`);
    expect(reachWords('days', 1, 7)).toBe(`1 link is dormant now. Those who aren’t flagged yet are flagged as soon as you save. ${spared}`);
    expect(reachWords('grace', 12, 1)).toMatch(/Links that have been flagged for 1 day or longer end as soon as you save\.$/);
    expect(reachWords('on', null, 7)).toMatch(/^They’re flagged as soon as you save\. Nobody is unlinked/);
  });
});

describe('words', () => {
  test('a look tells how many, and where', () => {
    expect(foundWords({ total: 1, days: 90, guilds: [guild('Rust', 90, 1)] })).toBe('1 link is dormant after 90 days.');
    expect(foundWords({ total: 1_212, days: 90, guilds: [guild('Rust', 90, 1_200), guild('Modded', 90, 12), guild('New', 3, 0)] })).toBe('1,212 links are dormant after 90 days: 1,200 in Rust and 12 in Modded.');
    expect(foundWords({ total: 2, days: 90, guilds: [guild('Rust', 90, 2), guild('New', 3, 0)] })).toBe('2 links are dormant after 90 days, all in Rust.');
    expect(foundWords({ total: 0, days: 7, guilds: [] })).toBe('No link is dormant after 7 days.');
  });

  test('a Guild without enough days is named', () => {
    expect(notReadyWords([guild('Rust', 90, 0)], 90)).toBe('');
    expect(notReadyWords([guild('Rust', 90, 0), guild('New', 3, 0)], 90)).toBe('Nobody is dormant in New yet: the game servers there were heard from on fewer than 90 days.');
  });

  test('a run tells what it did, and a keep what it took off', () => {
    expect(runWords({ flagged: 12, cleared: 1, ended: 3 })).toBe('Flagged 12 links, took 1 flag off and ended 3 links.');
    expect(runWords({ flagged: 0, cleared: 0, ended: 0 })).toBe('Nothing had to be changed.');
    expect(runWords({ flagged: 0, cleared: 2, ended: 0 })).toBe('Took 2 flags off.');
    expect(keptWords('3 people', 4)).toBe('Kept 3 people: took 4 flags off');
    expect(keptWords('Ash', 0)).toMatch(/Nothing was changed\.$/);
  });

  test('someone’s page names the Guilds, each once', () => {
    const at = (guild_name: string) => ({ guild_name });
    expect(flaggedWords([at('Rust')])).toBe('Flagged as dormant in Rust');
    expect(flaggedWords([at('Rust'), at('Modded'), at('Rust')])).toBe('Flagged as dormant in Rust and Modded, first');
  });
});
