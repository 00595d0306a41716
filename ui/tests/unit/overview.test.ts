import { describe, expect, test } from 'vitest';
import type { Attention, Overview, ServerView } from '../../src/lib/api/schema';
import { overLimit } from '../../src/features/tenancy/orgs/dimensions';
import { health } from '../../src/features/tenancy/orgs/health';
import { setupSteps } from '../../src/features/tenancy/orgs/setup';

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
    expect(health(server, [])).toBe('active');
    expect(health(server, [told('silent', 's1')])).toBe('silent');
    expect(health(server, [told('silent', 's2')])).toBe('active');
    expect(health({ ...server, last_call_at_ms: null }, [])).toBe('never');
    expect(health({ ...server, active: false }, [told('silent', 's1')])).toBe('inactive');
    expect(health({ ...server, active: false, key: { ...server.key, revoked: true } }, [])).toBe('revoked');
  });
});

describe('setting up', () => {
  const done = (data: Overview) => setupSteps('1', data, () => true).map((step) => step.done);

  test('nothing is done in a new Org, everything in a finished one', () => {
    const fresh = { guilds: [], servers: [], usage: { guilds: 0, servers: 0, links: 0, navigation_links: 0 } };
    expect(done(overview(fresh))).toEqual([false, false, false, false, false]);
    expect(done(overview({ usage: { ...usage, navigation_links: 1 } }))).toEqual([true, true, true, true, true]);
  });

  test('a Guild without a log channel is led to', () => {
    const steps = setupSteps('1', overview({ attention: [told('no_log_channel', 'g1')] }), () => true);
    expect(steps[3]).toMatchObject({ done: false, href: '/app/orgs/1/guilds/g1' });
  });

  test('who is not told about log channels is not shown one as chosen', () => {
    const steps = setupSteps('1', overview(), (permission) => permission !== 'org.settings');
    expect(steps.map((step) => step.title)).not.toContain('Choose a log channel');
    expect(steps).toHaveLength(4);
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
