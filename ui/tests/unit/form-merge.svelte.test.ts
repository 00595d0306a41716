// Two people at one form: what only one of them changed is kept, whoever's word counts for the rest.

import { flushSync } from 'svelte';
import { describe, expect, test } from 'vitest';
import * as guildForm from '../../src/features/tenancy/guilds/guild-form';
import * as linkPage from '../../src/features/tenancy/linkpage/links';
import type { GuildWithSettings, Navigation, NavigationLink } from '../../src/lib/api/schema';
import { createForm } from '../../src/lib/form.svelte';

interface Kind<T, D, C> {
  draftOf: (value: T) => D;
  changesOf: (base: T, draft: D) => C | null;
  describe: (value: T, both: { before: T; now: T }) => Record<string, string>;
}

function started<T extends { revision: number }, D extends object, C>(kind: Kind<T, D, C>, first: T) {
  let read = $state.raw(first);
  const make = () =>
    createForm({
      name: 'form',
      read: () => read,
      open: kind.draftOf,
      compare: kind.changesOf,
      describe: kind.describe,
      save: async () => {},
      done: 'Saved',
      refresh: () => [],
    });
  let form!: ReturnType<typeof make>;
  $effect.root(() => {
    form = make();
  });
  flushSync();
  return {
    form,
    arrives(next: Partial<T>) {
      read = { ...read, revision: read.revision + 1, ...next };
      flushSync();
    },
  };
}

const link = (label: string): NavigationLink => ({ label, url: 'https://a.example/', icon: 'none', new_tab: true });
const page = (guild_id: string, accent: 'indigo' | 'red' | 'teal', name = guild_id) => ({ guild_id, slug: `at-${guild_id}`, name, accent });

describe('the link page', () => {
  const navigation: Navigation = { revision: 1, ceiling: 9, links: [link('Chat'), link('Shop')], link_pages: [page('a', 'indigo'), page('b', 'indigo')] };
  const opened = () => started(linkPage, navigation);

  test('my colour does not put back their buttons', () => {
    const { form, arrives } = opened();
    form.value.accents.a = 'red';
    arrives({ links: [link('Forum')] });
    form.merge('mine');
    expect(form.changes).toEqual({ links: [link('Forum')], accents: [{ guild_id: 'a', accent: 'red' }] });
  });

  test('taking their colour leaves my buttons', () => {
    const { form, arrives } = opened();
    form.value.rows[0]!.label = 'Talk';
    arrives({ link_pages: [page('a', 'red'), page('b', 'indigo')] });
    expect(form.theirs).toEqual([{ field: 'Colour of a', before: 'Indigo', now: 'Red' }]);
    form.merge('theirs');
    expect(form.changes).toEqual({ links: [link('Talk'), link('Shop')], accents: [] });
    expect(form.value.accents.a).toBe('red');
  });

  test('each page has a colour of its own', () => {
    const { form, arrives } = opened();
    form.value.accents.a = 'red';
    arrives({ link_pages: [page('a', 'indigo'), page('b', 'teal')] });
    form.merge('mine');
    expect(form.value.accents).toEqual({ a: 'red', b: 'teal' });
  });

  test('pages that came, went or got another name are nobody’s change', () => {
    const { form, arrives } = opened();
    form.value.accents.a = 'red';
    form.value.accents.b = 'red';
    arrives({ link_pages: [page('a', 'indigo', 'New name'), page('c', 'teal')] });
    expect(form.theirs).toEqual([]);
    expect(form.value.accents).toEqual({ a: 'red', c: 'teal' });
    expect(form.changes).toMatchObject({ accents: [{ guild_id: 'a', accent: 'red' }] });
  });

  test('two pages of one name are told apart', () => {
    const { form, arrives } = started(linkPage, { ...navigation, link_pages: [page('a', 'indigo', 'X'), page('b', 'indigo', 'X')] });
    form.value.rows[0]!.label = 'Talk';
    arrives({ link_pages: [page('a', 'red', 'X'), page('b', 'indigo', 'X')] });
    expect(form.theirs).toEqual([{ field: 'Colour of X (/link/at-a)', before: 'Indigo', now: 'Red' }]);
  });
});

describe('the settings of a Guild', () => {
  const HOUR = 3_600_000;
  const guild: GuildWithSettings = {
    id: 'g1', revision: 1, discord_guild_id: '1', slug: 'rustlands', name: 'Rustlands', active_links: 3, log_channel_id: null,
    verified_roles: [], booster_roles: [], plugin_roles: [], steam_group: null, join_mode: 'off', invite_url: null, relink_cooldown_ms: 24 * HOUR,
  };

  test('a longer wait that a colleague set is shown, and my name does not take it back', () => {
    const { form, arrives } = started(guildForm, guild);
    form.value.name = 'Mine';
    arrives({ relink_cooldown_ms: 36 * HOUR });
    expect(form.theirs).toEqual([{ field: 'Relink cooldown', before: '1 day', now: '1 day 12 hours' }]);
    form.merge('mine');
    expect(form.changes).toEqual({ name: 'Mine' });
  });

  test('what the notice does not show follows what was read, where this person did not touch it', () => {
    const blind = { ...guildForm, describe: ({ name }: GuildWithSettings) => ({ Name: name }) };
    const { form, arrives } = started(blind, guild);
    form.value.name = 'Mine';
    arrives({ slug: 'theirs' });
    expect(form.theirs).toEqual([]);
    expect(form.changes).toEqual({ name: 'Mine' });
  });

  test('a number and its unit are one setting', () => {
    const { form, arrives } = started(guildForm, { ...guild, relink_cooldown_ms: 48 * HOUR });
    form.value.cooldown[0] = '5';
    arrives({ relink_cooldown_ms: 36 * HOUR });
    form.merge('mine');
    expect(form.changes).toEqual({ relink_cooldown_ms: 120 * HOUR });
  });
});
