import { describe, expect, test } from 'vitest';
import type { Overview, ServerView } from '../../src/lib/api/schema';
import { notices } from '../../src/features/tenancy/orgs/attention';
import { overLimit } from '../../src/features/tenancy/orgs/dimensions';
import { health } from '../../src/features/tenancy/orgs/health';
import { setupSteps } from '../../src/features/tenancy/orgs/setup';
import { find } from '../../src/lib/router.svelte';
import { routes } from '../../src/routes';

const usage = { guilds: 1, servers: 1, links: 9, navigation_links: 0 };
const server: ServerView = {
  id: 's1',
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

describe('what needs attention', () => {
  const KINDS = [
    ['no_guild', null], ['no_server', 'g1'], ['never_called', 's1'], ['silent', 's1'], ['inactive', 's1'], ['key_revoked', 's1'],
    ['query_keys', 's1'], ['query_keys', 'k9'], ['no_log_channel', 'g1'], ['over_limit', 'servers'], ['retired_key_used', 'k1'], ['something_new', null],
  ] as const;

  test.each(KINDS)('%s of %s is a sentence with a way to a page that exists', (kind, subject) => {
    const [found] = notices('o 1', overview({ attention: [{ kind, subject }] }));
    expect(found?.text).toMatch(/^[A-Z].*\.$/);
    expect(found?.fix).not.toBe('');
    expect(find(routes, found!.href!.slice('/app'.length))?.params.org).toBe('o 1');
  });

  test('too many links cannot be put right on any page', () => {
    const [found] = notices('1', overview({ attention: [{ kind: 'over_limit', subject: 'links' }] }));
    expect(found).toMatchObject({ text: expect.stringMatching(/^Active links: over the limit/), href: null });
  });

  test('a thing is called by its name and led to', () => {
    const [found] = notices('1', overview({ attention: [{ kind: 'silent', subject: 's1' }] }));
    expect(found).toMatchObject({ text: 'EU Main has not called for more than a day.', href: '/app/orgs/1/servers/s1' });
  });

  test('a thing that is gone is not', () => {
    const [found] = notices('1', overview({ attention: [{ kind: 'inactive', subject: 'gone' }] }));
    expect(found).toMatchObject({ text: 'A server is inactive: its calls are refused.', href: '/app/orgs/1/servers' });
  });
});

describe('health of a server', () => {
  test('the worst that is known wins', () => {
    expect(health(server, [])).toBe('active');
    expect(health(server, [{ kind: 'silent', subject: 's1' }])).toBe('silent');
    expect(health(server, [{ kind: 'silent', subject: 's2' }])).toBe('active');
    expect(health({ ...server, last_call_at_ms: null }, [])).toBe('never');
    expect(health({ ...server, active: false }, [{ kind: 'silent', subject: 's1' }])).toBe('inactive');
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
    const steps = setupSteps('1', overview({ attention: [{ kind: 'no_log_channel', subject: 'g1' }] }), () => true);
    expect(steps[3]).toMatchObject({ done: false, href: '/app/orgs/1/guilds/g1' });
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
