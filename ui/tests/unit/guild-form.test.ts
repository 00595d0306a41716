import { describe, expect, test } from 'vitest';
import type { GuildWithSettings } from '../../src/lib/api/schema';
import { changesOf, cooldownMs, describe as told, draftOf, problemsOf } from '../../src/features/tenancy/guilds/guild-form';
import { addIds, parseIds } from '../../src/features/tenancy/guilds/ids';
import { slugProblem } from '../../src/features/tenancy/guilds/slug';

const A = '914513381600264001';
const B = '914513381600264002';
const HOUR = 3_600_000;
const guild: GuildWithSettings = {
  id: 'g1',
  revision: 1,
  discord_guild_id: A,
  slug: 'rustlands',
  name: 'Rustlands',
  active_links: 3,
  log_channel_id: null,
  verified_roles: [A, B],
  booster_roles: [],
  plugin_roles: [],
  steam_group: { pasted: 'rustlands', id: '4' },
  join_mode: 'off',
  invite_url: null,
  relink_cooldown_ms: 36 * HOUR,
};

describe('pasted ids', () => {
  test('lists and mentions give their ids, each once', () => {
    expect(parseIds(`${A}, <@&${B}>\n${A};<#${B}>`)).toEqual({ ids: [A, B], unread: [] });
  });

  test('what is no id stays to be put right', () => {
    const added = addIds([A], `${B} vip 123`);
    expect(added.list).toEqual([A, B]);
    expect(added.left).toBe('vip 123');
    expect(added.error).toContain('vip, 123');
  });

  test('a fifty-first id changes nothing', () => {
    const fifty = Array.from({ length: 50 }, (_, i) => String(10n ** 17n + BigInt(i)));
    const added = addIds(fifty, A);
    expect(added.list).toEqual(fifty);
    expect(added.error).toContain('50');
    expect(addIds(fifty, fifty[0]!).error).toBeNull();
  });
});

describe('settings of a Guild', () => {
  test('an untouched form changes nothing, whatever the order of roles', () => {
    expect(changesOf(guild, draftOf(guild))).toBeNull();
    expect(changesOf(guild, { ...draftOf(guild), verified_roles: [B, A], name: ' Rustlands ' })).toBeNull();
  });

  test('only what differs is sent, and an emptied field clears', () => {
    const draft = { ...draftOf(guild), log_channel_id: `<#${B}>`, steam_group: ' ', verified_roles: [A] };
    expect(changesOf(guild, draft)).toEqual({ log_channel_id: B, steam_group: null, verified_roles: [A] });
  });

  test('times go there and back', () => {
    expect(draftOf(guild)).toMatchObject({ cooldown: ['36', 'hours'] });
    expect(draftOf({ ...guild, relink_cooldown_ms: 48 * HOUR })).toMatchObject({ cooldown: ['2', 'days'] });
    expect(cooldownMs(['1.5', 'hours'])).toBe(1.5 * HOUR);
    for (const amount of ['', '-1', 'soon', '91']) expect(cooldownMs([amount, 'days'])).toBeNull();
  });

  test('two settings that differ never read the same', () => {
    const waits = [24, 36, 1, 1.5, 1 / 60].map((hours) => told({ ...guild, relink_cooldown_ms: hours * HOUR })['Relink cooldown']);
    expect(waits).toEqual(['1 day', '1 day 12 hours', '1 hour', '1 hour 30 minutes', '1 minute']);
  });

  test('mistakes are told at their field', () => {
    const wrong = { ...draftOf(guild), name: ' ', slug: 'a--b', log_channel_id: 'general', invite_url: 'https://evil.example/x', cooldown: ['x', 'days'] as [string, 'days'] };
    expect(Object.keys(problemsOf(wrong)).sort()).toEqual(['cooldown', 'invite_url', 'log_channel_id', 'name', 'slug']);
    expect(problemsOf({ ...draftOf(guild), invite_url: 'https://discord.gg/rust-lands' })).toEqual({});
  });

  test('address names follow the rules of the server', () => {
    for (const good of ['abc', 'rust-lands-2', 'a'.repeat(40)]) expect(slugProblem(good)).toBeNull();
    for (const bad of ['', 'ab', 'a'.repeat(41), 'Rust', '-ab', 'ab-', 'a--b', 'a_b']) expect(slugProblem(bad)).not.toBeNull();
  });
});
