// Made-up answers of the operator area, and what it has the shell show.

const NOW = Date.now();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ago = (ms) => NOW - ms;
const LONG = 'a_very_long_name_without_any_spaces_at_all';

const announcement = (id, more) => ({ id, severity: 'info', target: 'all', text: 'Role checks run every night now.', state: 'shown', starts_at_ms: ago(DAY), ends_at_ms: null, created_at_ms: ago(DAY), created_by: 'usr_maya', dismissals: 0, revision: 1, ...more });
export const announcements = [
  announcement('ann_1', { severity: 'critical', text: 'Discord has trouble: links and roles take longer than usual. Nothing is lost.', dismissals: 3, starts_at_ms: ago(20 * MINUTE) }),
  announcement('ann_2', { severity: 'warning', text: 'On Sunday from 06:00 to 07:00 UTC the dashboard is closed for maintenance. Link pages and game servers keep working.', state: 'planned', starts_at_ms: NOW + 2 * DAY, ends_at_ms: NOW + 3 * DAY }),
  announcement('ann_3', { severity: 'success', target: 'paid', text: 'Custom Bots start twice as fast now.', dismissals: 41, ends_at_ms: NOW + 5 * DAY }),
  announcement('ann_4', { target: 'free', state: 'ended', starts_at_ms: ago(40 * DAY), ends_at_ms: ago(30 * DAY), dismissals: 212 }),
];
const shown = announcements.filter(({ state }) => state === 'shown').map(({ id, severity, text, starts_at_ms, ends_at_ms }) => ({ id, severity, text, starts_at_ms, ends_at_ms }));

const blocks = [
  { id: 'blk_1', kind: 'discord', value: '204255221017214999', erased: false, reason: 'Sold links to others, twice', created_at_ms: ago(3 * DAY), expires_at_ms: null },
  { id: 'blk_2', kind: 'network', value: '203.0.113.0/24', erased: false, reason: 'Floods the link pages', created_at_ms: ago(5 * HOUR), expires_at_ms: NOW + 2 * DAY },
  { id: 'blk_3', kind: 'steam', value: '76561198862030946', erased: false, reason: 'Cheats with accounts of others', created_at_ms: ago(30 * DAY), expires_at_ms: NOW + 335 * DAY },
  { id: 'blk_4', kind: 'discord', value: null, erased: true, reason: 'Threats against a team', created_at_ms: ago(90 * DAY), expires_at_ms: null },
];

const code = (id, more) => ({ id, note: '', state: 'usable', uses: 0, max_uses: 1, created_at_ms: ago(2 * DAY), expires_at_ms: NOW + 28 * DAY, revoked_at_ms: null, ...more });
const codes = [
  code('reg_1', { note: 'Arcadia, by mail', max_uses: 3, uses: 1 }),
  code('reg_2', { state: 'used_up', uses: 1, note: 'First testers' }),
  code('reg_3', { state: 'expired', expires_at_ms: ago(DAY) }),
  code('reg_4', { state: 'revoked', revoked_at_ms: ago(HOUR), expires_at_ms: null }),
];

const flags = [
  { name: 'imports', about: 'While this is off, nobody can upload or start an import. What is running goes on.', on: true, default: true, set_at_ms: null, set_by: null, set_by_name: null },
  { name: 'outbound_webhooks', about: 'While this is off, nothing is delivered to servers of others.', on: true, default: false, set_at_ms: ago(3 * HOUR), set_by: 'usr_maya', set_by_name: 'maya.okafor' },
];

const operators = [
  { discord_id: '204255221017214977', account_id: 'usr_maya', name: 'maya.okafor', in_setting: true, granted: false, you: true },
  { discord_id: '204255221017214978', account_id: 'usr_iven', name: 'iven', in_setting: false, granted: true, you: false },
  { discord_id: '204255221017214980', account_id: null, name: null, in_setting: true, granted: false, you: false },
];

const job = (number, kind, lane, more) => ({ number, kind, lane, org_id: 'org_1', created_at_ms: ago(4 * MINUTE), attempts: 0, done: 0, total: 0, cancelled: false, last_error: null, run_at_ms: ago(MINUTE), running: false, droppable: true, ...more });
const jobs = [
  job(8_841, 'log.linked', 'log:gld_1', { attempts: 7, last_error: 'PROVIDER_UNAVAILABLE', run_at_ms: NOW + 4 * MINUTE, created_at_ms: ago(3 * HOUR) }),
  job(8_902, 'links.import', 'org:org_1', { running: true, done: 4_200, total: 12_904 }),
  job(8_903, 'roles.sync', 'roles:gld_2', { droppable: false }),
  job(8_911, 'people.unlink', 'people:org_1', { droppable: false, done: 50, total: 812, org_id: null }),
  job(8_915, 'people.sweep', 'org:org_2', { cancelled: true, running: true }),
];
const kinds = [
  { kind: 'log.linked', jobs: 214, failed: 1, oldest_at_ms: ago(3 * HOUR) },
  { kind: 'roles.sync', jobs: 3, failed: 0, oldest_at_ms: ago(4 * MINUTE) },
  { kind: 'links.import', jobs: 1, failed: 0, oldest_at_ms: ago(4 * MINUTE) },
];

const bot = (id, more) => ({ id, guild_id: 'gld_1', hosted: true, state: 'online', step: 'online', reason: null, failure: null, node: 'node-a', guilds: 1, memory_bytes: 41_300_000, heard_at_ms: ago(4_000), online_at_ms: ago(9 * DAY), ...more });
const runners = {
  states: [{ state: 'online', bots: 41 }, { state: 'starting', bots: 1 }, { state: 'paused', bots: 2 }, { state: 'failed', bots: 1 }],
  nodes: [{ node: 'node-a', bots: 24 }, { node: 'node-b', bots: 20 }],
  bots: [
    bot('platform', { guild_id: null, step: null, hosted: false, node: null, guilds: 318, memory_bytes: 188_000_000 }),
    bot('814513381600264771'),
    bot('814513381600264772', { step: 'failed', reason: 'crash_loop', failure: 'exit status 101', online_at_ms: null, memory_bytes: 0 }),
    bot('814513381600264773', { state: null, step: 'deploy', node: 'node-b', online_at_ms: null }),
    bot('814513381600264774', { step: 'paused', node: null, heard_at_ms: ago(6 * DAY), online_at_ms: null, memory_bytes: 0, guilds: 0 }),
  ],
};

const build = (version, more) => ({ version, sha256: '9f2c'.repeat(16), size: 61_204, published_at_ms: ago(12 * DAY), file_name: 'Symbolon.cs', withdrawn: false, latest: false, ...more });
const builds = [build('v1.4.0', { latest: true }), build('v1.3.1', { withdrawn: true, published_at_ms: ago(20 * DAY) }), build('v1.3.0', { published_at_ms: ago(60 * DAY) })];

const org = (id, name, more) => ({ id, slug: name.toLowerCase().replaceAll(' ', '-').slice(0, 40), name, tier: 'standard', owner: { account_id: 'usr_ada', name: 'ada' }, guilds: 2, servers: 4, links: 18_640, created_at_ms: ago(200 * DAY), ...more });
const orgs = [org('org_1', 'Rust Haven'), org('org_2', 'Arcadia Survival Network of the North', { tier: 'free', guilds: 1, servers: 3, links: 512 }), org('org_3', LONG, { tier: 'pro', owner: { account_id: 'usr_long', name: LONG }, links: 98_201 })];
const oneOrg = {
  ...orgs[0],
  members: 5,
  visit: null,
  guild_list: [
    { id: 'gld_1', name: 'Rust Haven', slug: 'rust-haven', discord_guild_id: '614513381600264202', links: 16_204 },
    { id: 'gld_2', name: 'Rust Haven Modded', slug: 'rust-haven-modded', discord_guild_id: '714513381600264555', links: 2_436 },
  ],
};
const account = (id, name, more) => ({ id, discord_id: '204255221017214977', name, operator: false, orgs_owned: 1, created_at_ms: ago(220 * DAY), ...more });
const accounts = [account('usr_ada', 'ada'), account('usr_maya', 'maya.okafor', { operator: true }), account('usr_long', LONG, { orgs_owned: 3 })];
const oneAccount = { ...accounts[0], blocked: true, sessions: 2, orgs: [{ id: 'org_1', name: 'Rust Haven', tier: 'standard', role: 'owner' }, { id: 'org_2', name: 'Arcadia Survival Network of the North', tier: 'free', role: 'staff' }] };

const visits = [
  { org_id: 'org_1', org_name: 'Rust Haven', account_id: 'usr_iven', account_name: 'iven', write: true, reason: 'Their rules take roles from everyone, as they wrote to us', began_at_ms: ago(10 * MINUTE), ends_at_ms: NOW + 50 * MINUTE, yours: false },
];

const MAYA = { actor_kind: 'account', actor_id: 'usr_maya', actor_name: 'maya.okafor' };
const CLI = { actor_kind: 'operator_cli', actor_id: null, actor_name: null };
const told = [
  { ...MAYA, action: 'maintenance.switched', target: null, detail: { on: false } },
  { ...MAYA, action: 'block.added', target: 'blk_1', detail: { until_ms: null } },
  { ...CLI, action: 'operator.granted', target: 'usr_iven', detail: {} },
  { ...MAYA, action: 'registration.changed', target: null, detail: { mode: 'invite_only' } },
  { ...MAYA, action: 'registration.code_made', target: 'reg_1', detail: {} },
];
const audit = (query) => ({
  entries: Array.from({ length: 12 }, (_, i) => ({ seq: 90 - i, at_ms: ago(i * 3 * HOUR), ...told[i % told.length] })).filter(({ action }) => !query?.get('action') || action === query.get('action')),
  names: [{ id: 'usr_iven', kind: 'account', name: 'iven', server_id: null, gone: false }],
  next_before: null,
  actions: [...new Set(told.map(({ action }) => action))],
});

const NONE = { next_after: null };
export const OPERATOR_READS = {
  '/announcements': { announcements: shown },
  '/orgs/o1/announcements': { announcements: shown },
  '/admin/maintenance': { on: false, message: null },
  '/admin/sessions': { living: 1_204, idle: 310, idle_days: 7 },
  '/admin/blocks': (query) => ({ ...NONE, blocks: blocks.filter((one) => (!query.get('kind') || one.kind === query.get('kind')) && (!query.get('q') || one.value === query.get('q'))) }),
  '/admin/announcements': { ...NONE, announcements },
  '/admin/registration': { ...NONE, mode: 'open', codes },
  '/admin/flags': { flags },
  '/admin/operators': { operators },
  '/admin/audit': audit,
  '/admin/audit/verify': { intact: true, entries: 1_204, finding: null },
  '/admin/jobs': (query) => ({ ...NONE, jobs: jobs.filter((one) => !query.get('kind') || one.kind === query.get('kind')), kinds, lanes: [{ kind: 'log', jobs: 214 }] }),
  '/admin/runners': runners,
  '/admin/plugin-builds': { builds },
  '/admin/orgs': (query) => ({ ...NONE, orgs: query.get('q') === 'nobody' ? [] : orgs }),
  '/admin/orgs/org_1': oneOrg,
  '/admin/accounts': (query) => ({ ...NONE, accounts: query.get('q') === 'nobody' ? [] : accounts }),
  '/admin/accounts/usr_ada': oneAccount,
  '/admin/visits': { visits },
};

/** A new installation, where nothing has happened yet. */
export const CALM_READS = {
  '/announcements': { announcements: [] },
  '/orgs/o1/announcements': { announcements: [] },
  '/admin/maintenance': { on: true, message: 'We are moving to a larger database. Back at about 14:00 UTC.' },
  '/admin/sessions': { living: 1, idle: 0, idle_days: 7 },
  '/admin/blocks': { ...NONE, blocks: [] },
  '/admin/announcements': { ...NONE, announcements: [] },
  '/admin/registration': { ...NONE, mode: 'invite_only', codes: [] },
  '/admin/flags': { flags: [] },
  '/admin/audit': { entries: [], names: [], next_before: null, actions: [] },
  '/admin/jobs': { ...NONE, jobs: [], kinds: [], lanes: [] },
  '/admin/runners': { states: [], nodes: [], bots: [] },
  '/admin/plugin-builds': { builds: [] },
  '/admin/orgs': { ...NONE, orgs: [] },
  '/admin/accounts': { ...NONE, accounts: [] },
  '/admin/visits': { visits: [] },
};

export const OPERATOR_WRITES = {
  'POST /admin/sessions/end-all': [204],
  'POST /admin/sessions/drop-idle': [204],
  'POST /admin/blocks': [201, { id: 'blk_9' }],
  'POST /admin/announcements': [201, announcements[0]],
  'PATCH /admin/announcements/ann_1': [200, announcements[0]],
  'POST /admin/announcements/ann_1/end': [200, announcements[0]],
  'POST /admin/registration/codes': [201, { id: 'reg_9', code: 'symb-7Q2K-M4XR-9TPA' }],
  'POST /admin/operators': [201, { account_id: 'usr_ruta' }],
  'POST /admin/jobs/8841/retry': [200, { running: false }],
  'DELETE /admin/jobs/8841': [200, { running: false }],
  'POST /admin/plugin-builds': [201, { version: 'v1.9.0', new: true }],
  'DELETE /admin/orgs/org_1/visits/usr_iven': [204],
  'POST /admin/orgs/org_1/visit': [201, { ends_at_ms: NOW + 30 * MINUTE }],
};

/** The account of an operator who visits this organisation. */
export function visiting(me, org, write = false) {
  const permissions = ['links.view', 'servers.view', 'audit.view', 'analytics.view', ...(write ? ['org.settings', 'org.navigation', 'links.unlink', 'servers.manage', 'servers.roles', 'servers.bots'] : [])];
  return { ...me, operator: true, orgs: [{ ...org, role: 'staff', permissions, visit: { ends_at_ms: NOW + 42 * MINUTE, write } }] };
}
