import { describe, expect, test } from 'vitest';
import { memberOf } from '../../src/features/roles/history/member';
import { fixOf } from '../../src/features/roles/reasons';
import { figures } from '../../src/features/roles/rules/outlook';
import { asRule, changesOf, describe as told, draftOf, emptyRow, problemsOf, refusedRows, roleChoices, warningOf, type Row } from '../../src/features/roles/rules/rules';
import { plain, tell } from '../../src/features/roles/rules/sentence';
import { aboutWords, causeWords, resultWords, ruleWords, stateWords, whatWords } from '../../src/features/roles/words';
import { nickname, templateProblem } from '../../src/features/tenancy/guilds/nickname';
import { follow } from '../../src/features/roles/places/role-checks';
import type { RoleHistoryEntry, RoleRules } from '../../src/lib/api/schema';

const VIP = '914513381600264003';
const MOD = '914513381600264016';
const HIGH = '914513381600264010';
const BOOST = '914513381600264012';
const GONE = '914513381600264009';
const rule = { id: 'map_1', group: 'vip', role_id: VIP, direction: 'to_discord', authority: 'discord', on_loss: 'remove' } as const;
const read: RoleRules = {
  guild_id: 'g1',
  revision: 3,
  rules: [rule],
  roles: [
    { id: VIP, name: 'VIP', position: 4, colour: 0xf1c40f, reason: null, confirmed: false },
    { id: MOD, name: 'Moderator', position: 7, colour: 0, reason: 'powerful', confirmed: false },
    { id: HIGH, name: 'Owner', position: 9, colour: 0, reason: 'above_bot', confirmed: false },
    { id: BOOST, name: 'Server Booster', position: 6, colour: 0, reason: 'managed', confirmed: false },
    { id: GONE, name: 'Old VIP', position: 1, colour: 0, reason: 'gone', confirmed: false },
  ],
  groups: ['vip'],
  present: true,
  checked_at_ms: 1,
  most_rules: 100,
};
const rows = (...some: Array<Partial<Row>>): Row[] => some.map((one, at) => ({ ...draftOf(read).rows[0]!, key: `k${at}`, ...one }));
const draft = (...some: Array<Partial<Row>>) => ({ rows: rows(...some), allowed: [] as string[] });

describe('the sentence of a rule', () => {
  const said = (change: object, server: string | null = 'Rust EU') => plain(tell({ ...rule, ...change }, 'VIP', server));
  test('says both what is given and what happens on loss', () => {
    expect(said({})).toBe('Everyone in vip on Rust EU gets VIP on Discord. Anyone who leaves vip loses VIP.');
    expect(said({ on_loss: 'keep' })).toContain('keeps VIP.');
    expect(said({ direction: 'to_game' })).toBe('Everyone with VIP on Discord is put in vip on Rust EU. Anyone who loses VIP is taken out of vip.');
    expect(said({ direction: 'to_game', on_loss: 'keep' })).toContain('stays in vip.');
    expect(said({ direction: 'both', authority: 'game' }, null)).toBe(
      'vip and VIP on Discord follow each other. Anyone who loses one loses the other. If they differ and we can’t tell which changed, the game server decides.',
    );
  });
  test('figures are told in one line, and nothing is told as nothing', () => {
    expect(figures({ add: 1214, remove: 9, cannot: 3 })).toBe('Would add 1,214 and remove 9. 3 can’t be done.');
    expect(figures({ add: 0, remove: 2, cannot: 0 })).toBe('Would remove 2.');
    expect(figures({ add: 0, remove: 0, cannot: 0 })).toContain('nothing');
  });
});

describe('what differs', () => {
  test('nothing, until a rule, its order or what the Owner allows is another', () => {
    expect(changesOf(read, draftOf(read))).toBeNull();
    expect(changesOf(read, { rows: draftOf(read).rows, allowed: [MOD] })).toBeNull();
    const added = { ...emptyRow(), group: ' gold ', role_id: VIP };
    expect(changesOf(read, { rows: [added, ...draftOf(read).rows], allowed: [] })).toEqual({
      rules: [{ group: 'gold', role_id: VIP, direction: 'to_discord', authority: 'discord', on_loss: 'remove' }, rule],
      confirmed_roles: [],
    });
    const two = { ...read, rules: [rule, { ...rule, id: 'map_2', group: 'gold' }] };
    expect(changesOf(two, { rows: draftOf(two).rows.toReversed(), allowed: [] })).not.toBeNull();
  });
  test('only roles that a rule gives are allowed with a save', () => {
    expect(changesOf(read, { ...draft({ role_id: MOD }), allowed: [MOD, HIGH] })?.confirmed_roles).toEqual([MOD]);
    expect(changesOf(read, { ...draft({ role_id: MOD, direction: 'to_game' }), allowed: [MOD] })?.confirmed_roles).toEqual([]);
  });
  test('a rule that was only read is sent as it was', () => expect(asRule(draftOf(read).rows[0]!)).toEqual(rule));
  test('what somebody else saved reads differently, also with two roles of one name', () => {
    const twin = { ...read, rules: [{ ...rule, role_id: MOD }], roles: read.roles.map((role) => ({ ...role, name: 'VIP' })) };
    expect(told(read)['Rule 1']).not.toBe(told(twin)['Rule 1']);
  });
});

describe('choices of roles', () => {
  const picks = (direction: Row['direction'], owner: boolean) => Object.fromEntries(roleChoices(read.roles, { direction }, owner).map((pick) => [pick.label, pick]));
  test('the highest first, without deleted ones', () => expect(roleChoices(read.roles, rule, true).map(({ label }) => label)).toEqual(['Owner', 'Moderator', 'Server Booster', 'VIP']));
  test('what can be put right can be chosen, what never works cannot', () => {
    const given = picks('to_discord', true);
    expect(given.Owner).toMatchObject({ note: expect.stringContaining('Above the bot’s own role') });
    expect(given.Owner?.reason).toBeUndefined();
    expect(given['Server Booster']?.reason).toContain('integration');
    expect(given.Moderator?.reason).toBeUndefined();
    expect(picks('to_discord', false).Moderator?.reason).toContain('Only the Owner');
  });
  test('a role that is only looked at can be any', () => {
    for (const pick of Object.values(picks('to_game', false))) expect(pick.reason ?? pick.note).toBeUndefined();
  });
});

describe('what has to be put right', () => {
  const wrong = (owner: boolean, ...some: Array<Partial<Row>>) => problemsOf(read, draft(...some), owner);
  test('a group and a role are needed', () => {
    expect(wrong(true, {})).toEqual({});
    expect(wrong(true, { group: ' ', role_id: '' }).k0).toEqual({ group: 'Choose or type a group.', role_id: 'Choose a role.' });
    expect(wrong(true, { group: 'ü'.repeat(65) }).k0?.group).toContain('64');
    expect(wrong(true, { role_id: 'vip' }).k0?.role_id).toContain('paste its ID');
    expect(wrong(true, { role_id: '999513381600264404' }).k0?.role_id).toContain('Not found');
    expect(problemsOf({ ...read, roles: [], present: null }, draft({}), true).k0?.role_id).toContain('hasn’t seen');
  });
  test('a powerful role waits for the Owner, unless it is only looked at', () => {
    expect(wrong(true, { role_id: MOD }).k0?.role_id).toContain('Allow it');
    expect(wrong(false, { role_id: MOD }).k0?.role_id).toContain('Only the Owner');
    expect(wrong(false, { role_id: MOD, direction: 'to_game' })).toEqual({});
    expect(problemsOf(read, { ...draft({ role_id: MOD }), allowed: [MOD] }, true)).toEqual({});
  });
  test('the same two are tied once', () => {
    expect(wrong(true, {}, { group: ' vip ' })).toMatchObject({ k0: { role_id: expect.stringContaining('Rule 2') }, k1: { role_id: expect.stringContaining('Rule 1') } });
  });
  test('what only keeps a rule from working is a warning', () => {
    expect(warningOf(read, rows({ role_id: HIGH })[0]!)).toContain('Server Settings → Roles');
    expect(warningOf(read, rows({ role_id: HIGH, direction: 'to_game' })[0]!)).toBeNull();
    expect(warningOf({ ...read, present: false }, rows({ role_id: HIGH })[0]!)).toBeNull();
    expect(warningOf(read, rows({ role_id: GONE, direction: 'to_game' })[0]!)).toContain('deleted');
  });
});

test('a refusal is told at the rules that it is about', () => {
  const sent = rows({}, { role_id: MOD });
  const refused = (code: string, extra: object) => refusedRows({ code, extra: extra as Record<string, unknown> }, sent);
  expect(refused('MAPPING_TWICE', { row: 1 }).k1?.role_id).toContain('same role or group');
  expect(refused('MAPPING_RING', { row: 0 }).k0?.role_id).toContain('circle');
  expect(refused('ROLE_TOO_POWERFUL', { row: 1 }).k1?.role_id).toContain('Only the Owner');
  expect(refused('MAPPING_TWICE', {})).toEqual({});
  expect(refused('INTERNAL', { row: 0 })).toEqual({});
});

test('a rule that somebody else removed meanwhile is saved as a new one', () => {
  const mine = { ...draftOf(read), rows: draftOf(read).rows.map((row) => ({ ...row, group: ' VIP ' })) };
  expect(changesOf({ ...read, rules: [] }, mine)?.rules[0]).toEqual(expect.not.objectContaining({ id: expect.anything() }));
  expect(changesOf({ ...read, rules: [] }, mine)?.rules[0]?.group).toBe('vip');
});

test('every reason comes with what to do, and an unknown one is told as it is', () => {
  expect(fixOf('above_bot', 'VIP')).toContain('drag the bot’s role above VIP');
  expect(fixOf('no_permission', 'VIP')).toContain('Manage Roles');
  expect(fixOf('strange', 'VIP')).toContain('(strange)');
});

describe('the history', () => {
  const entry = { side: 'discord', change: 'remove', source: 'rule', role_id: VIP, role_name: 'VIP', server_name: 'EU', rule: 'vip → VIP' } as RoleHistoryEntry;
  test('says what, why and what became of it', () => {
    expect(whatWords(entry)).toBe('Remove VIP on Discord');
    expect(whatWords({ ...entry, result: 'done' })).toBe('Removed VIP on Discord');
    expect(whatWords({ ...entry, role_name: null })).toContain(VIP);
    expect(whatWords({ ...entry, source: 'nickname', change: 'add', role_id: null })).toBe('Set the nickname on Discord');
    expect(aboutWords({ ...entry, source: 'nickname', result: 'cannot', reason: 'forbidden' })).toContain('rename');
    expect(whatWords({ ...entry, side: 'game', change: 'add', group: 'vip' })).toBe('Add vip on EU');
    expect(ruleWords(entry)).toBe('vip → VIP');
    expect(ruleWords({ source: 'verified', rule: null })).toBe('Verified roles');
    expect(causeWords('sweep')).toBe('Nightly check');
    expect(resultWords({ result: 'waiting', change: 'add', server_name: 'EU' })).toContain('EU');
    expect(resultWords({ result: 'done', change: 'add' })).toBeNull();
    expect(resultWords({ result: 'gone', change: 'add' })).toContain('when they return');
    expect(resultWords({ result: 'gone', change: 'remove' })).toContain('left');
  });
  test('says what was and what is, as far as that is known', () => {
    const states = (result: RoleHistoryEntry['result'], before: boolean | null, after: boolean | null) => stateWords({ result, before, after, source: 'rule' }).join(' → ');
    expect(states('done', false, true)).toBe('Didn’t have it → has it');
    expect(states('done', null, false)).toBe('Doesn’t have it');
    expect(states('waiting', false, true)).toBe('Doesn’t have it yet');
    expect(states('waiting', null, false)).toBe('Still has it');
    expect(states('cannot', true, null)).toBe('Still has it');
    expect(states('cannot', null, null)).toBe('');
    expect(states('gone', true, null)).toBe('Had it');
  });
  test('one person is found by either ID, a mention or a profile', () => {
    for (const text of [VIP, ` <@${VIP}> `, `<@!${VIP}>`]) expect(memberOf(text)).toBe(VIP);
    expect(memberOf('https://steamcommunity.com/profiles/76561198862030940/')).toBe('76561198862030940');
    for (const text of ['', 'ash', '123', `${VIP} ${VIP}`]) expect(memberOf(text)).toBeNull();
  });
});

test('a re-check counts who was checked, not who is pending', () => {
  const running = { done: 500, total: 1_000, started_at_ms: 1 };
  expect(follow(null, undefined)).toBeNull();
  expect(follow(null, { running, waiting: 380 })).toEqual({ checked: 120, total: 1_000 });
  expect(follow(null, { running: { ...running, done: 0 }, waiting: 40 })).toEqual({ checked: 0, total: 1_000 });
  expect(follow(1_000, { running: null, waiting: 200 })).toEqual({ checked: 800, total: 1_000 });
  expect(follow(null, { running: null, waiting: 200 })).toBeNull();
  expect(follow(1_000, { running: null, waiting: 0 })).toBeNull();
});

describe('nicknames', () => {
  const ada = { steam: 'Ada', discord: 'ada#1' };
  test('follow the template, and are cut', () => {
    expect(nickname(' {steam} | {discord} ', ada)).toBe('Ada | ada#1');
    expect(nickname('{steam}', { ...ada, steam: '{discord}' })).toBe('{discord}');
    expect([...nickname('{steam}', { ...ada, steam: '🦊'.repeat(40) })]).toHaveLength(32);
  });
  test('a template names one of the two, and nothing else', () => {
    for (const good of ['', '  ', '{steam}', '[RL] {discord}']) expect(templateProblem(good)).toBeNull();
    expect(templateProblem('Player')).toContain('everyone');
    expect(templateProblem('{steam} {country}')).toContain('Only');
    expect(templateProblem('{steam}'.repeat(10))).toContain('64');
  });
});
