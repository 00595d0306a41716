import { describe, expect, test } from 'vitest';
import type { GuildOnDiscord } from '../../src/lib/api/schema';
import { adviceOf } from '../../src/features/bots/bot';
import { channelChoices, chosenChannel, chosenRole, known, nameOf, roleChoices, unseen } from '../../src/features/bots/places';
import { kicked, lacking, onDiscord, unseen as never } from '../fixtures-discord.mjs';

const read = onDiscord as GuildOnDiscord;
const VIP = '914513381600264003';
const OWNER = '914513381600264010';
const OLD_VIP = '914513381600264009';
const STRANGE = '999513381600264404';

describe('roles to choose from', () => {
  test('are in the order of Discord, with their colours, without those that are gone', () => {
    const choices = roleChoices(read.roles);
    expect(choices.map(({ label }) => label).slice(0, 4)).toEqual(['Owner', 'Symbolon', 'Server Booster', 'Verified']);
    expect(choices.find(({ value }) => value === VIP)?.colour).toBe('#f1c40f');
    expect(choices.find(({ label }) => label.startsWith('Supporter'))?.colour).toBeNull();
    expect(choices.find(({ label }) => label === 'Deep blue')?.colour).toBe('#0000ff');
    expect(choices.some(({ value }) => value === OLD_VIP)).toBe(false);
  });

  test('tell why the bot cannot give them', () => {
    const giving = roleChoices(read.roles).filter(({ reason }) => reason);
    expect(giving.map(({ label, reason }) => [label, reason?.split('.')[0]])).toEqual([
      ['Owner', 'Above the bot’s own role'],
      ['Symbolon', 'Managed by an integration'],
      ['Server Booster', 'Managed by an integration'],
    ]);
    // That the bot may manage none is told on its card, not with each.
    expect(roleChoices((lacking as GuildOnDiscord).roles).filter(({ reason }) => reason)).toHaveLength(3);
  });
});

test('text channels stand under their categories, with what the bot cannot do there', () => {
  expect(channelChoices(read.channels).map(({ group, label, reason }) => [group, label, reason?.split('.')[0] ?? null])).toEqual([
    ['', '#rules', 'The bot can’t post in it'],
    ['Community', '#general', null],
    ['Community', '#off-topic', 'The bot can’t post embeds in it'],
    ['Staff', '#link-log', null],
    ['Staff', '#staff-only', 'The bot can’t see it'],
  ]);
});

describe('what is chosen', () => {
  test('is shown by its name, also when it is gone, and by its id when nobody knows it', () => {
    expect(chosenRole(read, VIP)).toEqual({ id: VIP, label: 'VIP', colour: '#f1c40f', wrong: null });
    expect(chosenRole(read, OLD_VIP)).toMatchObject({ label: 'Old VIP', wrong: 'Deleted on Discord.' });
    expect(chosenRole(read, STRANGE)).toEqual({ id: STRANGE, label: STRANGE, wrong: 'Not found in this Discord server.' });
    expect(chosenRole(read, OWNER).wrong).toContain('Above the bot');
    expect(chosenChannel(read, '814513381600264109')).toMatchObject({ label: '#old-log', wrong: 'Deleted on Discord. Choose another channel.' });
    expect(chosenChannel(read, STRANGE).wrong).toBe('Not found in this Discord server.');
    expect(chosenChannel(read, 'gener').wrong).toBeNull();
  });

  test('is not called missing while nobody can look', () => {
    for (const blind of [undefined, never as GuildOnDiscord, kicked as GuildOnDiscord]) {
      expect(chosenRole(blind, STRANGE).wrong).toBeNull();
      expect(chosenChannel(blind, STRANGE).wrong).toBeNull();
    }
    expect(chosenRole(kicked as GuildOnDiscord, VIP).label).toBe('VIP');
    expect(nameOf(kicked as GuildOnDiscord, '814513381600264111')).toBe('#link-log');
  });
});

test('ids are to be pasted when there is nothing to choose from, and it is said why', () => {
  expect(known(read)).toBe(read);
  expect(unseen(read, false)).toBeUndefined();
  expect(unseen(undefined, false)).toBeUndefined();
  const reasons = [unseen(never as GuildOnDiscord, false), unseen(kicked as GuildOnDiscord, false), unseen(undefined, true)];
  expect(new Set(reasons).size).toBe(3);
  for (const reason of reasons) expect(reason).toMatch(/paste IDs/i);
});

describe('the bot', () => {
  test('that is well, or not looked at yet, needs nothing', () => {
    expect(adviceOf(read, true)).toEqual([]);
    expect(adviceOf(never as GuildOnDiscord, true)).toEqual([]);
  });

  test('that is offline, or whose commands Discord does not know, is not called well', () => {
    expect(adviceOf({ ...read, online: false }, true).map(({ text }) => text.split(',')[0])).toEqual(['The bot is offline']);
    expect(adviceOf({ ...read, commands: false }, true).map(({ text }) => text.split('.')[0])).toEqual(['Discord hasn’t registered the bot’s commands']);
  });

  test('that was kicked is to be added again, whatever else is wrong', () => {
    expect(adviceOf(kicked as GuildOnDiscord, true).map(({ tone, add }) => [tone, add])).toEqual([['bad', 'Add the bot']]);
  });

  test('that cannot reach the log channel or lacks something says what to do', () => {
    const [log, missing, ...rest] = adviceOf(lacking as GuildOnDiscord, true);
    expect(log).toMatchObject({ tone: 'bad', text: expect.stringContaining('choose another one') });
    expect(missing).toMatchObject({ tone: 'warn', text: 'The bot is missing Embed Links and Manage Roles.', add: 'Grant missing permissions' });
    expect(rest).toEqual([]);
  });

  test('is not blamed for a log that is switched off', () => {
    expect(adviceOf(lacking as GuildOnDiscord, false).map(({ tone }) => tone)).toEqual(['warn']);
  });
});
