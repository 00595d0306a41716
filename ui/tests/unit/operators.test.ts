import { describe, expect, test } from 'vitest';
import { FRESH, draftOf, problemsOf, toChange, toCreate } from '../../src/features/admin/announcements/words';
import { isOfOperators, operatorNames } from '../../src/features/admin/audit/names';
import { kindIn, valueOf } from '../../src/features/admin/blocklist/words';
import { stateOf as stateOfBot, whyOf } from '../../src/features/admin/bots/words';
import { fileProblem, versionIn } from '../../src/features/admin/builds/words';
import { stateIn, stateOf } from '../../src/features/admin/jobs/words';
import { botsNow, jobsNow, sessionsNow } from '../../src/features/admin/overview/words';
import { gathered } from '../../src/features/admin/parts/keyset';
import type { Announcement } from '../../src/features/admin/types';
import { accountIdIn, daysOf, discordIdIn, fromField, reasonProblem, toField, wholeIn } from '../../src/features/admin/words';
import type { Me, OrgSummary } from '../../src/lib/api/schema';
import { inTeam } from '../../src/lib/can';
import { ownOrgs, visitedOrgs } from '../../src/lib/visit';

describe('a reason', () => {
  test('says enough and names nobody, because the audit log keeps it', () => {
    expect(reasonProblem('Their Owner asked us to')).toBeNull();
    expect(reasonProblem('  ok  ')).toMatch(/at least 5/);
    expect(reasonProblem('x'.repeat(201))).toMatch(/at most 200/);
    expect(reasonProblem('for ada@example.org')).toMatch(/Leave out/);
    expect(reasonProblem('for 204255221017214977')).toMatch(/Leave out/);
    expect(reasonProblem('ticket 12345')).toBeNull();
  });
});

describe('what is pasted', () => {
  test('a Discord ID is found alone and in a mention', () => {
    expect(discordIdIn(' 204255221017214977 ')).toBe('204255221017214977');
    expect(discordIdIn('<@!204255221017214977>')).toBe('204255221017214977');
    expect(discordIdIn('maya')).toBeNull();
  });
  test('an account ID is found alone and in an address', () => {
    expect(accountIdIn('usr_01J')).toBe('usr_01J');
    expect(accountIdIn('https://x.example/app/admin/accounts/usr_01J')).toBe('usr_01J');
    expect(accountIdIn('204255221017214977')).toBeNull();
  });
  test('a block is sent only when it can be right', () => {
    expect(valueOf('discord', '<@204255221017214977>')).toBe('204255221017214977');
    expect(valueOf('steam', 'https://steamcommunity.com/profiles/76561198862030946/')).toBe('76561198862030946');
    expect(valueOf('steam', '204255221017214977')).toBeNull();
    expect(valueOf('network', ' 203.0.113.0/24 ')).toBe('203.0.113.0/24');
    expect(valueOf('network', '2001:db8::/32')).toBe('2001:db8::/32');
    expect(valueOf('network', 'example')).toBeNull();
  });
  test('a filter that does not exist filters nothing', () => {
    expect(kindIn('network')).toBe('network');
    expect(kindIn('ship')).toBe('');
    expect(stateIn('running')).toBe('running');
    expect(stateIn('sleeping')).toBe('');
  });
  test('numbers are whole and within their bounds', () => {
    expect(wholeIn(' 12 ', 1, 1000)).toBe(12);
    for (const text of ['', '0', '1001', '1.5', 'two']) expect(wholeIn(text, 1, 1000)).toBeNull();
    expect(daysOf('')).toBeNull();
    expect(daysOf('30')).toBe(30);
  });
  test('a moment comes back from its field, to the minute', () => {
    const at = new Date(2026, 10, 15, 14, 30).getTime();
    expect(toField(at)).toBe('2026-11-15T14:30');
    expect(fromField(toField(at + 12_000))).toBe(at);
    expect(toField(null)).toBe('');
    expect(fromField('soon')).toBeNull();
  });
});

describe('an announcement', () => {
  const NOW = new Date(2026, 10, 15, 14).getTime();
  const one: Announcement = { id: 'ann_1', severity: 'info', target: 'all', text: 'Hello', state: 'shown', starts_at_ms: NOW + 12_000, ends_at_ms: null, created_at_ms: NOW, created_by: null, dismissals: 0, revision: 4 };

  test('a blank start and end are now and never', () => {
    expect(toCreate({ ...FRESH, text: ' Hello ' })).toEqual({ severity: 'info', target: 'all', text: 'Hello', starts_at_ms: null, ends_at_ms: null });
  });
  test('each field says what is wrong with it', () => {
    expect(problemsOf({ ...FRESH, text: 'Hello' }, NOW)).toEqual({});
    expect(problemsOf({ ...FRESH, text: ' ' }, NOW)).toHaveProperty('text');
    expect(problemsOf({ ...FRESH, text: 'x'.repeat(501) }, NOW)).toHaveProperty('text');
    expect(problemsOf({ ...FRESH, text: 'Hello', ends: toField(NOW - 60_000) }, NOW)).toHaveProperty('ends');
    expect(problemsOf({ ...FRESH, text: 'Hello', starts: toField(NOW + 120_000), ends: toField(NOW + 60_000) }, NOW)).toHaveProperty('ends');
  });
  test('only what was changed is sent, with the revision that was seen', () => {
    expect(toChange(one, draftOf(one))).toEqual({ revision: 4 });
    expect(toChange(one, { ...draftOf(one), severity: 'critical', ends: toField(NOW + 3_600_000) })).toEqual({ revision: 4, severity: 'critical', ends_at_ms: NOW + 3_600_000 });
    expect(toChange({ ...one, ends_at_ms: NOW }, { ...draftOf(one), ends: '' })).toEqual({ revision: 4, ends_at_ms: null });
  });
});

describe('the state of things', () => {
  test('jobs, bots and sessions in short', () => {
    expect(jobsNow([])).toBe('Nothing is pending');
    expect(jobsNow([{ jobs: 1_203, failed: 0 }, { jobs: 1, failed: 1 }])).toBe('1,204 jobs pending, 1 of them failing');
    expect(botsNow([{ state: 'online', bots: 41 }, { state: 'failed', bots: 0 }, { state: 'paused', bots: 2 }])).toBe('41 online and 2 paused');
    expect(botsNow([])).toBe('None yet');
    expect(sessionsNow({ living: 1, idle: 0 })).toBe('1 session');
    expect(sessionsNow({ living: 1_204, idle: 310 })).toBe('1,204 sessions, 310 of them idle');
  });
  test('a job that is being dropped is not called failing', () => {
    const job = { running: false, cancelled: false, last_error: null };
    expect(stateOf(job).word).toBe('Waiting');
    expect(stateOf({ ...job, last_error: 'TIMEOUT' }).word).toBe('Failing');
    expect(stateOf({ ...job, last_error: 'TIMEOUT', running: true }).word).toBe('Running');
    expect(stateOf({ ...job, last_error: 'TIMEOUT', cancelled: true }).word).toBe('Being dropped');
  });
  test('a bot that is being set up says how far it is', () => {
    expect(stateOfBot({ state: null, step: 'deploy' }).word).toBe('Starting');
    expect(stateOfBot({ state: 'online', step: null }).word).toBe('Online');
    expect(stateOfBot({ state: null, step: null }).word).toBe('Unknown');
    expect(whyOf({ step: 'deploy', reason: null, failure: null })).toBe('deploy');
    expect(whyOf({ step: 'failed', reason: 'crash_loop', failure: 'exit status 101' })).toBe('crash loop, exit status 101');
  });
});

test('a build has a version and a file that the server takes', () => {
  expect([' v1.2.3 ', '1.2.3', '1.2', 'v01.2.3', 'v1.2.3-beta'].map(versionIn)).toEqual(['v1.2.3', 'v1.2.3', null, null, null]);
  expect(fileProblem(null)).toBe('Choose a file first.');
  expect(fileProblem({ name: 'Symbolon.cs', size: 0 })).toBe('The file is empty.');
  expect(fileProblem({ name: 'Symbolon.cs', size: 17 * 1024 * 1024 })).toMatch(/larger/);
  expect(fileProblem({ name: 'my plugin.cs', size: 1 })).toMatch(/Rename/);
  expect(fileProblem({ name: 'Symbolon.cs', size: 1 })).toBeNull();
});

test('pieces of a list that share an entry list it once', () => {
  const pages = [{ all: ['a', 'b'] }, { all: ['b', 'c'] }];
  expect(gathered(pages, (page) => page.all, (one) => one)).toEqual(['a', 'b', 'c']);
  expect(gathered(undefined, () => [], String)).toEqual([]);
});

test('the operators’ log names who it knows, and leads to the page of what it does not', () => {
  const names = operatorNames([{ actor_kind: 'account', actor_id: 'usr_1', actor_name: 'ada' }], [{ id: 'org_3', kind: 'org', name: 'Rust Haven', gone: false }]);
  expect(names.find('usr_1')?.name).toBe('ada');
  expect(names.find('org_3')?.name).toBe('Rust Haven');
  expect(names.find('org_2')?.name).toBe('org_2');
  expect(names.find(null)).toBeUndefined();
  const page = (id: string) => names.page({ id, kind: 'account', gone: false });
  expect(page('usr_1')).toBe('/app/admin/accounts/usr_1');
  expect(page('org_2')).toBe('/app/admin/orgs/org_2');
  expect(page('gld_3')).toBe('/app/admin/orgs?q=gld_3');
  expect(page('ann_4')).toBeUndefined();
  expect(['visit.began', 'sessions.ended', 'org.recovered'].every(isOfOperators)).toBe(true);
  expect(['link.created', 'org.changed'].some(isOfOperators)).toBe(false);
});

test('an organisation that is visited is not one of one’s own', () => {
  const own = { id: 'o1' } as OrgSummary;
  const visited = { id: 'o2', visit: { ends_at_ms: 5, write: false } } as unknown as OrgSummary;
  const me = { orgs: [own, visited] } as Pick<Me, 'orgs'>;
  expect(ownOrgs(me)).toEqual([own]);
  expect([own, visited, null].map(inTeam)).toEqual([true, false, false]);
  expect(visitedOrgs(me)).toEqual([{ org: visited, visit: { ends_at_ms: 5, write: false } }]);
});
