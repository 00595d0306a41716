import { render } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { GuildCheck, GuildCheckup } from '../../src/lib/api/schema';
import { lookOf, partsOf, summaryOf, titleOf } from '../../src/features/tenancy/guilds/checkup';
import CheckList from '../../src/features/tenancy/guilds/CheckList.svelte';
import { checkup, checkupBroken, checkupFine, checkupOfServers } from '../fixtures-checkup.mjs';

const read = checkup as GuildCheckup;
const words = (text: string | null | undefined) => text?.replace(/\s+/g, ' ').trim();

describe('the parts of a check-up', () => {
  const titles = (found: unknown) => partsOf((found as GuildCheckup).checks).map(({ title }) => title);

  test('are Discord, each Server by its name, and what is left', () => {
    expect(titles(checkup)).toEqual(['Discord', 'EU Main 2x', 'US Main 2x', 'Steam and clock']);
    expect(titles(checkupOfServers)).toEqual(['EU Main 2x', 'US Main 2x', 'Steam and clock']);
    expect(titles(checkupBroken)).toEqual(['Discord', 'Servers', 'Steam and clock']);
    expect(partsOf(read.checks).flatMap(({ checks }) => checks)).toHaveLength(read.checks.length);
  });

  test('say in one line how they are, the worst first', () => {
    expect(partsOf(read.checks).map(({ checks }) => summaryOf(checks))).toEqual(['1 failing, 1 warning', 'Everything is in order', '1 failing, 4 warnings', '1 unknown']);
    expect(summaryOf((checkupFine as GuildCheckup).checks)).toBe('Everything is in order');
  });

  test('that are new here are shown by their own name, and states that are new as unknown', () => {
    expect(titleOf({ topic: 'log_channel', server: null })).toBe('Log channel');
    expect(titleOf({ topic: 'moon_phase' as GuildCheck['topic'] })).toBe('Moon phase');
    expect(titleOf({ topic: 'constructor' as GuildCheck['topic'] })).toBe('Constructor');
    expect(lookOf('shaky')).toBe(lookOf('unknown'));
    expect(summaryOf([{ state: 'shaky' as GuildCheck['state'] }])).toBe('1 unknown');
  });
});

describe('a part', () => {
  const [discord] = partsOf(read.checks);

  test('tells each state in words, what was found, and the way to where it is put right', () => {
    const shown = render(CheckList, { ...discord!, reachable: () => true });
    const rows = shown.getAllByRole('listitem').map((row) => words(row.textContent));
    expect(rows[0]).toBe('In order Bot The bot is in the Discord server and online.');
    expect(rows[1]).toBe('Warning Permissions The bot lacks permissions in Rustlands: Manage Nicknames. Grant them');
    expect(rows[3]).toMatch(/^Failing Roles A rule with the role/);
    expect(shown.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/app/orgs/o1/guilds/g1', '/app/orgs/o1/servers/s1/roles']);
    expect(shown.getByText('1 failing, 1 warning')).toBeTruthy();
  });

  test('tells who may not open the page all the same, without a link', () => {
    const shown = render(CheckList, { ...discord!, reachable: (page: string) => page !== '/orgs/o1/guilds/g1' });
    expect(shown.getByText(/Manage Nicknames/)).toBeTruthy();
    expect(shown.getAllByRole('link')).toHaveLength(1);
  });
});
