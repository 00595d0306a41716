import { afterEach, describe, expect, test } from 'vitest';
import type { Attention, Overview, ServerView } from '../../src/lib/api/schema';
import { overLimit } from '../../src/dimensions';
import { besides, setupSteps } from '../../src/features/tenancy/orgs/setup';
import { BUILT } from '../../src/lib/built';
import { health, keyHealth } from '../../src/lib/health';

const usage = { guilds: 1, servers: 1, links: 9, navigation_links: 0 };
const server: ServerView = {
  id: 's1',
  revision: 1,
  guild_id: 'g1',
  name: 'EU Main',
  active: true,
  bare_ids: false,
  created_at_ms: 0,
  last_call_at_ms: 5,
  silent: false,
  plugin_update: null,
  config_is_old: false,
  linked_group: '',
  booster_group: '',
  steam_members_group: '',
  poll_seconds: 60,
  key: { id: 'k', prefix: 'svc_live_1', revoked: false, rotated_at_ms: 0, query_calls: 0 },
};
const overview = (more: Partial<Overview> = {}): Overview => ({
  usage,
  ceilings: usage,
  tier: 'free',
  guilds: [{ id: 'g1', discord_guild_id: '1', slug: 'a', name: 'Rustlands', active_links: 9 }],
  servers: [server],
  recent: [],
  attention: [],
  ...more,
});

const told = (kind: string, subject: string): Attention => ({ kind, subject, severity: 'warn', text: 'Look.' });

describe('health of a server', () => {
  test('the worst that is known wins', () => {
    expect(health(server)).toBe('active');
    expect(health({ ...server, silent: true })).toBe('silent');
    expect(health({ ...server, last_call_at_ms: null })).toBe('never');
    expect(health({ ...server, active: false, silent: true })).toBe('inactive');
    expect(health({ ...server, active: false, key: { ...server.key, revoked: true } })).toBe('revoked');
  });

  test('a key of somebody’s own is active once it was used', () => {
    expect(keyHealth({ revoked: false, last_used_at_ms: null })).toBe('unused');
    expect(keyHealth({ revoked: false, last_used_at_ms: 5 })).toBe('active');
    expect(keyHealth({ revoked: true, last_used_at_ms: 5 })).toBe('revoked');
  });
});

describe('setting up', () => {
  const done = (data: Overview) => setupSteps('1', data, () => true).map((step) => step.done);
  const fresh = overview({ guilds: [], servers: [], usage: { guilds: 0, servers: 0, links: 0, navigation_links: 0 } });
  afterEach(() => void (BUILT.logs = true));

  test('nothing is done in a new Org, everything in a finished one', () => {
    expect(done(fresh)).toEqual([false, false, false, false, false]);
    expect(done(overview({ usage: { ...usage, navigation_links: 1 } }))).toEqual([true, true, true, true, true]);
  });

  test('only the step that can be done now offers itself', () => {
    const waits = (data: Overview) => setupSteps('1', data, () => true).map((step) => step.waits);
    expect(waits(fresh)).toEqual([undefined, 'Needs a Guild', 'Needs a Server', 'Needs a Guild', 'Needs a Guild']);
    expect(waits(overview({ servers: [] }))).toEqual([undefined, undefined, 'Needs a Server', undefined, undefined]);
  });

  test('the plugin is set up for the Server that never called', () => {
    const silent = { ...server, id: 's2', last_call_at_ms: null };
    expect(setupSteps('1', overview({ servers: [silent] }), () => true)[2]).toMatchObject({ done: false, href: '/app/orgs/1/plugin?server=s2' });
  });

  test('a log channel is asked for once messages are sent, at the Guild that has none', () => {
    const quiet = overview({ attention: [told('no_log_channel', 'g1')] });
    const titles = () => setupSteps('1', quiet, () => true).map((step) => step.title);
    expect(titles()).toContain('Choose a log channel');
    expect(setupSteps('1', quiet, () => true)[3]).toMatchObject({ done: false, href: '/app/orgs/1/guilds/g1' });
    BUILT.logs = false;
    expect(titles()).not.toContain('Choose a log channel');
  });

  test('who is not told about log channels is not shown one as chosen', () => {
    const steps = setupSteps('1', overview(), (permission) => permission !== 'org.settings');
    expect(steps.map((step) => step.title)).not.toContain('Choose a log channel');
    expect(steps).toHaveLength(4);
  });

  test('a Guild without a Server is told, unless adding the first Server is a step yet to take', () => {
    const attention = [told('no_server', 'g2'), told('key_revoked', 's1')];
    const kinds = (data: Overview) => besides(setupSteps('1', data, () => true), data.attention).map((one) => one.kind);
    expect(setupSteps('1', overview({ attention }), () => true).some((step) => !step.done)).toBe(true);
    expect(kinds(overview({ attention }))).toEqual(['no_server', 'key_revoked']);
    expect(kinds(overview({ attention, servers: [] }))).toEqual(['key_revoked']);
    expect(kinds(overview({ attention: [told('no_log_channel', 'g1')] }))).toEqual([]);
  });

  test('a step the person may not take is shown without a button', () => {
    const steps = setupSteps('1', overview(), (permission) => permission !== 'org.navigation');
    expect(steps[4]).toMatchObject({ done: false, href: undefined, action: undefined });
  });
});

test('only what is above its ceiling is over the limit', () => {
  const ceilings = { guilds: 1, servers: 2, links: 500, navigation_links: 3 };
  expect(overLimit({ guilds: 1, servers: 3, links: 501, navigation_links: 3 }, ceilings).map((one) => one.key)).toEqual(['servers', 'links']);
});
