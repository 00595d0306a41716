// Made-up answers for looking at the pages without a server. The shapes are those of openapi.json.

import { readFileSync } from 'node:fs';
import { dryRun, recheck, rechecking, roleHistory, rolePlaces, roleRules } from './fixtures-roles.mjs';
import { builds, pluginFile, refused } from './fixtures-plugin.mjs';
import { auditOf, PERSON_READS, PERSON_WRITES, roleHistoryOf } from './fixtures-person.mjs';
import { checkedImport, importing, imports, importsChecked, importsNone, importsNothing } from './fixtures-imports.mjs';
import { kicked, lacking, onDiscord, unseen } from './fixtures-discord.mjs';
import { checkup, checkupBroken, checkupFine, checkupOfServers } from './fixtures-checkup.mjs';
import { analytics, nothing } from './fixtures-analytics.mjs';
import { billing, billingEnding, billingFree, billingGiven, billingLate, billingOver, BILLING_WRITES } from './fixtures-billing.mjs';
import { CALM_READS, OPERATOR_READS, OPERATOR_WRITES, visiting } from './fixtures-operators.mjs';
import { BOT_WORLDS, BOT_WRITES, online, unbought } from './fixtures-bots.mjs';
import { cleanup, cleanupOff, dormant, simulation, trustSettings, unlinking, unlinkingNone, userChoices, userList } from './fixtures-players.mjs';

const NOW = Date.now();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ago = (ms) => NOW - ms;

export const AREAS = [
  { name: 'Organisation', permissions: ['org.settings', 'org.team', 'org.invites', 'org.billing', 'org.navigation'] },
  { name: 'Links', permissions: ['links.view', 'links.unlink', 'links.bulk_unlink', 'links.export', 'links.cleanup'] },
  { name: 'Servers', permissions: ['servers.view', 'servers.manage', 'servers.keys', 'servers.roles', 'servers.bots'] },
  { name: 'Audit', permissions: ['audit.view', 'audit.export'] },
  { name: 'Analytics', permissions: ['analytics.view', 'analytics.export'] },
];
export const ALL = AREAS.flatMap((area) => area.permissions);
const STAFF = ['links.view', 'servers.view', 'analytics.view'];
const ADMIN = ALL.filter((name) => name !== 'org.billing');

const FREE = { guilds: 1, servers: 2, links: 500, navigation_links: 3 };
const STANDARD = { guilds: 3, servers: 15, links: 20_000, navigation_links: 5 };
const usage = { guilds: 2, servers: 4, links: 18_640, navigation_links: 3 };

const rustlands = { id: 'o1', slug: 'rustlands', name: 'Rustlands', tier: 'standard', role: 'owner', permissions: ALL, usage, ceilings: STANDARD };
const arcadia = {
  id: 'o2',
  slug: 'arcadia',
  name: 'Arcadia Survival Network of the North',
  tier: 'free',
  role: 'staff',
  permissions: STAFF,
  usage: { guilds: 1, servers: 3, links: 512, navigation_links: 0 },
  ceilings: FREE,
};

// Any picture on our own address, and one that is gone.
const PICTURE = '/app/favicon.svg';
const GONE = '/pictures/a2/gone';

const me = {
  id: 'a1',
  name: 'maya.okafor',
  picture: PICTURE,
  discord_id: '204255221017214977',
  operator: false,
  signed_in_at_ms: ago(2 * HOUR),
  registration: 'open',
  billing: true,
  orgs_owned: 1,
  orgs_ceiling: 3,
  version: 'v3.24.0',
  orgs: [rustlands, arcadia],
};

const guilds = [
  { id: 'g1', discord_guild_id: '614513381600264202', slug: 'rustlands', name: 'Rustlands', picture: PICTURE, active_links: 16_204 },
  { id: 'g2', discord_guild_id: '714513381600264555', slug: 'rustlands-modded', name: 'Rustlands Modded', picture: null, active_links: 2_436 },
];

const server = (id, guild_id, name, more = {}) => ({
  id,
  guild_id,
  name,
  active: true,
  bare_ids: false,
  revision: 1,
  created_at_ms: ago(90 * DAY),
  last_call_at_ms: ago(40_000),
  silent: false,
  plugin_version: '3.23.1',
  plugin_update: null,
  config_is_old: false,
  linked_group: 'linked',
  booster_group: 'booster',
  steam_members_group: 'steammember',
  poll_seconds: 60,
  ...more,
  key: { id: `k-${id}`, prefix: 'svc_live_12ab', revoked: false, rotated_at_ms: ago(30 * DAY), last_used_at_ms: ago(40_000), query_calls: 0, ...more.key },
});
const servers = [
  server('s1', 'g1', 'EU Main 2x'),
  server('s2', 'g1', 'US Main 2x', { last_call_at_ms: ago(3 * DAY), silent: true, plugin_version: '3.20.0', plugin_update: 'v3.23.1', config_is_old: true }),
  server('s3', 'g2', 'Build Sandbox', { last_call_at_ms: null, plugin_version: null, key: { last_used_at_ms: null, prefix: 'svc_live_9c01' } }),
  server('s4', 'g2', 'US Modded 5x', { active: false, key: { query_calls: 41, prefix: 'svc_live_77fe' } }),
];

const recent = [
  ['ashfox12', 'Ash Byte', true, null, 'SE', 4 * MINUTE],
  ['junostorm486', 'Rook Thorn', true, null, 'AU', 26 * MINUTE],
  ['lumabyte148', 'Koda Lynx', false, 'plugin', null, HOUR],
  ['a_very_long_name_without_any_spaces_at_all', 'Nova Drift', true, null, null, 3 * HOUR],
  ['wrenmoth865', 'Briar Byte', false, 'zombie-cleanup', null, DAY],
].map(([discord_name, steam_name, linked, cause, country, before], i) => ({
  at_ms: ago(before),
  linked,
  cause,
  guild_id: i % 2 ? 'g2' : 'g1',
  discord_id: `20425522101721497${i}`,
  discord_name,
  steam_id: `7656119886203094${i}`,
  steam_name,
  country,
}));

const notice = (severity, kind, subject, text, label, page) => ({ kind, severity, subject, text, fix: page ? { label, page } : null });
const OVER = 'over your plan’s limit. Existing ones keep working, but you can’t add more.';

const overview = {
  usage,
  ceilings: STANDARD,
  tier: 'standard',
  guilds,
  servers,
  recent,
  attention: [
    notice('bad', 'key_revoked', 's9', 'The key of EU Old is revoked: its calls are refused.', 'Regenerate key', '/orgs/o1/servers/s9'),
    notice('warn', 'silent', 's2', 'US Main 2x hasn’t called for more than a day.', 'View Server', '/orgs/o1/servers/s2'),
    notice('warn', 'inactive', 's4', 'US Modded 5x is inactive, so its calls are refused.', 'Activate', '/orgs/o1/servers/s4'),
    notice('warn', 'query_keys', 's4', 'US Modded 5x sends its key in the URL, where logs may keep it.', 'View Server', '/orgs/o1/servers/s4'),
    notice('info', 'never_called', 's3', 'Build Sandbox has never called. Put its key into the plugin.', 'Show key', '/orgs/o1/servers/s3'),
    notice('info', 'no_log_channel', 'g2', 'Rustlands Modded has no log channel: links are not announced.', 'Set channel', '/orgs/o1/guilds/g2'),
  ],
};

const guildSettings = {
  ...guilds[0],
  revision: 1,
  log_channel_id: '814513381600264111',
  verified_roles: ['914513381600264001'],
  booster_roles: [],
  plugin_roles: ['914513381600264003', '914513381600264009', '999513381600264404'],
  steam_group: { pasted: 'rustlands', id: '103582791429521408' },
  join_mode: 'invite',
  invite_url: 'https://discord.gg/rustlands',
  relink_cooldown_ms: DAY,
  nickname_template: null,
};

const members = [
  { account_id: 'a1', name: 'maya.okafor', picture: PICTURE, discord_id: '204255221017214977', role: 'owner', permissions: ALL, joined_at_ms: null, you: true, can_edit: false, revision: 0 },
  { account_id: 'a2', name: 'iven', picture: GONE, discord_id: '204255221017214978', role: 'admin', permissions: ADMIN, joined_at_ms: ago(60 * DAY), you: false, can_edit: true, revision: 1 },
  { account_id: 'a3', name: 'ruta_k', picture: null, discord_id: '204255221017214979', role: 'staff', permissions: [...STAFF, 'links.unlink'], joined_at_ms: ago(9 * DAY), you: false, can_edit: true, revision: 1 },
];

const invite = (id, more) => ({
  id,
  url: `http://127.0.0.1:4173/invite/${id}-Xq3vTz`,
  can_edit: true,
  role: 'staff',
  permissions: STAFF,
  note: null,
  created_at_ms: ago(2 * DAY),
  created_by: 'maya.okafor',
  expires_at_ms: NOW + 5 * DAY,
  revoked: false,
  expired: false,
  uses: 0,
  ...more,
});

const actions = ['count', 'findBySteam', 'remove', 'findByDiscord', 'list'];
const spec = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const audit = spec.components.schemas.AuditAction.enum;
const name = (id, kind, called, more = {}) => ({ id, kind, name: called, server_id: null, gone: false, ...more });
const auditNames = [
  name('a1', 'account', 'maya.okafor'),
  name('a2', 'account', 'iven'),
  name('g1', 'guild', 'Rustlands'),
  name('s1', 'server', 'EU Main 2x'),
  name('s9', 'server', 'EU Classic', { gone: true }),
  name('k1', 'plugin_key', 'EU Main 2x', { server_id: 's1' }),
  name('c1', 'custom_key', 'Website'),
  name('l1', 'link', 'rivercrow59'),
  name('l2', 'link', null),
  name('i1', 'invite', 'staff'),
];
const MAYA = { actor_kind: 'account', actor_id: 'a1', actor_name: 'maya.okafor' };
const IVEN = { actor_kind: 'account', actor_id: 'a2', actor_name: 'iven' };
const PLUGIN = { actor_kind: 'key', actor_id: 'k1', actor_name: null };
const PLAYER = { actor_kind: 'player', actor_id: null, actor_name: null };
const auditEntries = [
  { ...PLUGIN, action: 'link.removed', target: 'l1', detail: { cause: 'plugin', guild: 'g1' } },
  { ...MAYA, action: 'key.regenerated', target: 'k1', detail: { server: 's1', prefix: 'svc_live_bb21' } },
  { ...MAYA, action: 'server.changed', target: 's1', detail: { name: { from: 'EU Main', to: 'EU Main 2x' }, poll_seconds: { from: 60, to: 30 } } },
  { ...IVEN, action: 'guild.changed', target: 'g1', detail: { join_mode: { from: 'off', to: 'invite' }, verified_roles: { from: [], to: ['824513381600264001', '824513381600264002'] } } },
  { ...PLAYER, action: 'link.created', target: 'l1', detail: { guild: 'g1' } },
  { ...PLUGIN, action: 'link.removed', target: 'l2', detail: { cause: 'plugin', guild: 'g1' } },
  { ...MAYA, action: 'member.changed', target: 'a2', detail: { role: { from: 'staff', to: 'admin' }, granted: ['servers.manage', 'servers.keys'], taken: [] } },
  { ...IVEN, action: 'access.denied', target: null, detail: { permission: 'audit.export', route: 'GET /orgs/{org}/audit/export', count: 3 } },
  { ...MAYA, action: 'invite.created', target: 'i1', detail: { role: 'staff', expires: '7d' } },
  { ...MAYA, action: 'key.edited', target: 'c1', detail: { actions: { from: ['count'], to: ['count', 'findBySteam'] } } },
  { ...MAYA, action: 'server.deleted', target: 's9', detail: { name: 'EU Classic' } },
  { actor_kind: 'operator_cli', actor_id: null, actor_name: null, action: 'org.tier_changed', target: null, detail: { from: 'free', to: 'standard' } },
];

const codes = ['INTERNAL', 'MISSING_PERMISSION', 'NOT_FOUND', 'PROVIDER_MISCONFIGURED', 'STORAGE_UNAVAILABLE'];
const ROUTES = ['/orgs/{org}/servers/{server}/key/regenerate', '/orgs/{org}/overview', '/auth/discord/login/callback'];
const STATUSES = [500, 403, 404, 503, 503];
const failure = (i, more = {}) => ({
  at_ms: ago(i * 17 * MINUTE),
  code: codes[i % codes.length],
  status: STATUSES[i % codes.length],
  route: ROUTES[i % ROUTES.length],
  count: i % 4 ? 1 + (i % 3) : 1_240,
  request_ids: Array.from({ length: i % 4 ? 1 + (i % 3) : 20 }, (_, n) => `6a01c9f2${String(100_000_000_000 + i * 50 + n)}`),
  org_id: null,
  org_name: null,
  detail: null,
  ...more,
});
const errors = { errors: Array.from({ length: 24 }, (_, i) => failure(i)), next_before: '29454720-7', codes };
const allErrors = {
  ...errors,
  errors: errors.errors.map((group, i) => ({
    ...group,
    ...(i % 3 ? { org_id: i % 2 ? 'o1' : 'o2', org_name: i % 2 ? 'Rustlands' : 'Arcadia Survival Network of the North' } : {}),
    detail: group.status >= 500 ? 'discord refused our credentials: discord.client_secret is wrong' : null,
  })),
};

export const READS = {
  '/account': me,
  '/account/sessions': {
    sessions: [
      { id: 'x1', device: 'Firefox on Linux', created_at_ms: ago(2 * HOUR), seen_at_ms: ago(5_000), expires_at_ms: NOW + 89 * DAY, current: true },
      { id: 'x2', device: 'Safari on iPhone', created_at_ms: ago(12 * DAY), seen_at_ms: ago(DAY), expires_at_ms: NOW + 78 * DAY, current: false },
      { id: 'x3', device: null, created_at_ms: ago(40 * DAY), seen_at_ms: ago(21 * DAY), expires_at_ms: NOW + 9 * DAY, current: false },
    ],
  },
  '/orgs/o1/settings': { id: 'o1', slug: 'rustlands', name: 'Rustlands', tier: 'standard', refuse_query_keys: false, revision: 1, usage, ceilings: STANDARD },
  '/orgs/o1/overview': overview,
  '/orgs/o2/overview': { ...overview, usage: arcadia.usage, ceilings: FREE, tier: 'free', recent: [], servers: servers.slice(0, 3), guilds: guilds.slice(0, 1), attention: [notice('warn', 'over_limit', 'servers', `Servers: ${OVER}`, 'View Servers', '/orgs/o2/servers'), notice('warn', 'over_limit', 'links', `Active links: ${OVER}`)] },
  '/orgs/o1/guilds': { guilds, removals: [] },
  '/orgs/o1/imports': imports,
  '/orgs/o1/claimable-guilds': {
    candidates: [
      { discord_guild_id: '614513381600264202', name: 'Rustlands', claimed: true },
      { discord_guild_id: '314513381600264999', name: 'Rustlands Events', claimed: false },
    ],
    looked_up_at_ms: ago(MINUTE),
    bot_invite_url: 'https://discord.com/oauth2/authorize?client_id=1&scope=bot',
  },
  '/orgs/o1/guilds/g1': guildSettings,
  '/orgs/o1/guilds/g1/discord': onDiscord,
  '/orgs/o1/guilds/g1/checkup': checkup,
  '/orgs/o1/guilds/g2/checkup': { ...checkupFine, guild_id: 'g2', name: 'Rustlands Modded' },
  '/orgs/o2/guilds/g1/checkup': checkupOfServers,
  '/orgs/o1/guilds/g1/bot': online,
  '/orgs/o1/guilds/g1/role-history': roleHistoryOf(roleHistory),
  '/orgs/o1/guilds/g2/role-history': roleHistoryOf({ entries: [], next: null }, []),
  ...PERSON_READS,
  '/orgs/o1/guilds/g1/role-recheck': recheck,
  '/orgs/o1/guilds/g2/role-recheck': { running: null, waiting: 0 },
  '/orgs/o1/roles': rolePlaces(guilds, servers),
  '/orgs/o1/plugin': { builds },
  '/orgs/o2/plugin': { builds },
  '/orgs/o1/refused-calls': { refused },
  '/orgs/o1/servers/s1/roles': roleRules,
  '/orgs/o1/servers': { servers },
  '/orgs/o2/servers': { servers: servers.slice(0, 3) },
  '/orgs/o2/guilds': { guilds: guilds.slice(0, 1), removals: [{ name: 'Arcadia Classic', links_ended: 3_400, links: 12_904 }] },
  ...Object.fromEntries(servers.flatMap((one) => [[`/orgs/o1/servers/${one.id}`, one], [`/orgs/o1/servers/${one.id}/plugin-file`, pluginFile(one)], [`/orgs/o2/servers/${one.id}/plugin-file`, pluginFile(one)]])),
  '/orgs/o1/keys': {
    keys: [
      { id: 'c1', name: 'Website', guild_id: 'g1', server_id: null, actions: ['count', 'findBySteam'], prefix: 'svc_live_aa10', revoked: false, revision: 1, created_at_ms: ago(20 * DAY), last_used_at_ms: ago(HOUR), query_calls: 0 },
      { id: 'c2', name: 'Old panel', guild_id: 'g1', server_id: 's1', actions: ['count'], prefix: 'svc_live_bb20', revoked: true, revision: 1, created_at_ms: ago(200 * DAY), last_used_at_ms: null, query_calls: 3 },
    ],
    bot_keys: [{ id: 'b1', guild_id: 'g1', server_id: 's1', prefix: 'svc_live_cc30', last_used_at_ms: ago(MINUTE) }],
    groups: [{ name: 'Read links', actions: ['count', 'findBySteam', 'findByDiscord'] }, { name: 'Change links', actions: ['remove'] }, { name: 'Lists', actions: ['list'] }],
    plugin_actions: actions,
    ceiling: 20,
    allowed: true,
  },
  '/orgs/o1/team': {
    members,
    areas: AREAS,
    defaults: [{ role: 'admin', permissions: ADMIN }, { role: 'staff', permissions: STAFF }],
    grantable: ALL,
  },
  '/orgs/o1/invites': {
    invites: [
      invite('i1', { note: 'For the new moderators', uses: 1 }),
      invite('i2', { role: 'admin', permissions: ADMIN, expires_at_ms: null }),
      invite('i3', { expired: true, expires_at_ms: ago(DAY), url: null }),
      invite('i4', { revoked: true, url: null }),
    ],
  },
  '/orgs/o1/navigation': {
    links: [
      { label: 'Chat', url: 'https://discord.gg/rustlands', icon: 'discord', new_tab: true },
      { label: 'Shop', url: 'https://shop.example/', icon: 'shop', new_tab: true },
      { label: 'News', url: 'https://news.example/', icon: 'news', new_tab: false },
    ],
    ceiling: 5,
    link_pages: [
      { guild_id: 'g1', slug: 'rustlands', name: 'Rustlands', accent: 'indigo' },
      { guild_id: 'g2', slug: 'rustlands-modded', name: 'Rustlands Modded', accent: 'amber' },
    ],
    revision: 1,
  },
  '/orgs/o1/audit': auditOf({
    entries: Array.from({ length: 30 }, (_, i) => ({ seq: 300 - i, at_ms: ago(i * 47 * MINUTE), ...auditEntries[i % auditEntries.length] })),
    names: auditNames,
    next_before: 270,
    actions: audit,
  }),
  '/orgs/o1/audit/choices': {
    actors: auditNames.filter(({ kind }) => ['account', 'plugin_key'].includes(kind)),
    things: auditNames.filter(({ kind }) => ['guild', 'server', 'custom_key'].includes(kind)),
  },
  '/orgs/o1/errors': errors,
  '/orgs/o2/errors': errors,
  '/orgs/o1/analytics': analytics,
  '/orgs/o2/analytics': analytics,
  '/orgs/o1/users': userList,
  '/orgs/o2/users': userList,
  '/orgs/o1/users/choices': userChoices(guilds, servers),
  '/orgs/o2/users/choices': userChoices(guilds.slice(0, 1), servers.slice(0, 3)),
  '/orgs/o1/users/unlink': unlinkingNone,
  '/orgs/o1/trust': trustSettings,
  '/orgs/o1/cleanup': cleanup,
  '/orgs/o1/cleanup/preview': dormant,
  '/orgs/o1/billing/subscriptions': billing,
  '/announcements': { announcements: [] },
  '/orgs/o1/announcements': { announcements: [] },
  '/orgs/o2/announcements': { announcements: [] },
};

const operating = {
  '/account': { ...me, operator: true },
  '/admin/attention': {
    attention: [
      notice('bad', 'provider_misconfigured', null, 'Discord refused our credentials: discord.client_secret is wrong.', 'View errors', '/admin/errors?code=PROVIDER_MISCONFIGURED'),
      notice('warn', 'failures', null, '12 requests failed in the last hour.', 'View errors', '/admin/errors?status=faults'),
      notice('info', 'granted_operators', null, '2 people are operators by a grant, not by the setting operators: symbolon admin list-operators tells who.'),
    ],
  },
  '/admin/errors': allErrors,
  ...OPERATOR_READS,
};

/** The style of public pages, which the policy names by its digest. */
export const PAGE_STYLE = 'body { margin: 0; padding: 32px 16px; font: 16px/1.5 sans-serif; } h1 { font-size: 22px; }';
const picture = `<!doctype html><html lang="en" data-accent="indigo" data-theme="light"><head><meta charset="utf-8"><title>Link your accounts</title><style>${PAGE_STYLE}</style></head><body inert><main><h1>Rustlands</h1><p>Link your Discord and Steam accounts to play here.</p></main></body></html>`;

export const WRITES = {
  'POST /orgs/o1/imports': [201, { ...checkedImport, state: 'checking', done: 0 }],
  'POST /orgs/o1/imports/i1/start': [200, { ...checkedImport, state: 'importing', done: 0 }],
  'POST /orgs/o1/imports/i1/cancel': [200, { ...checkedImport, state: 'cancelled' }],
  'POST /orgs/o1/users/unlink': [200, { links: unlinking.running.total }],
  'POST /orgs/o1/trust/simulate': [200, simulation],
  'PUT /orgs/o1/trust': [200, trustSettings],
  'PUT /orgs/o1/cleanup': [200, cleanup],
  'POST /orgs/o1/cleanup/keep': [200, { links: 2 }],
  ...PERSON_WRITES,
  ...BILLING_WRITES,
  ...OPERATOR_WRITES,
  ...BOT_WRITES,
  'POST /orgs/o1/navigation/preview': [200, { html: picture }],
  'POST /orgs/o1/servers/s1/roles/dry-run': [200, dryRun],
  'PUT /orgs/o1/servers/s1/roles': [200, roleRules],
  'POST /orgs/o1/guilds/g1/role-recheck': [200, rechecking],
  'DELETE /orgs/o1/guilds/g1/role-recheck': [200, recheck],
  'POST /orgs': [201, { id: 'o1', slug: 'rustlands' }],
  'POST /orgs/o1/guilds': [201, guilds[1]],
  'POST /orgs/o1/servers': [201, { server_id: 's1', key: `svc_live_${'0123456789ab'.repeat(4)}` }],
  'POST /orgs/o1/servers/s1/key/reveal': [200, { server_id: 's1', key: `svc_live_${'0123456789ab'.repeat(4)}` }],
  'POST /orgs/o1/servers/s1/key/regenerate': [200, { server_id: 's1', key: `svc_live_${'ba9876543210'.repeat(4)}` }],
  'POST /orgs/o1/keys': [201, { id: 'c3', key: `svc_live_${'00ff00ff00ff'.repeat(4)}` }],
  'POST /orgs/o1/keys/c1/reveal': [200, { id: 'c1', key: `svc_live_${'00ff00ff00ff'.repeat(4)}` }],
  'POST /orgs/o1/invites': [201, invite('i9')],
  'POST /orgs/o1/invites/i1/reissue': [200, invite('i1')],
};

/** Somebody who holds these permissions and no others. */
const holding = (...permissions) => ({ '/account': { ...me, orgs: [{ ...rustlands, role: 'staff', permissions }] } });
const gone = { ...servers[0], key: { ...servers[0].key, revoked: true } };

/** Other worlds, chosen by the cookie `mock`. */
export const WORLDS = {
  kicked: { '/orgs/o1/guilds/g1/discord': kicked, '/orgs/o1/guilds/g1/checkup': checkupBroken, '/orgs/o1/servers/s1/roles': { ...roleRules, present: false } },
  checking: { '/orgs/o1/guilds/g1/role-recheck': rechecking },
  unlinking: { '/orgs/o1/users/unlink': unlinking },
  checked: { '/orgs/o1/imports': importsChecked },
  nothing_new: { '/orgs/o1/imports': importsNothing },
  importing: { '/orgs/o1/imports': importing },
  filling: { '/orgs/o1/users': (query) => ({ ...userList(query), complete: false }) },
  // An Admin, who is not the Owner.
  admin: { '/account': { ...me, orgs: [{ ...rustlands, role: 'admin', permissions: ADMIN }, arcadia] } },
  roles_only: holding('servers.roles'),
  viewer: { ...holding('servers.view'), '/orgs/o1/guilds/g1/checkup': checkupOfServers },
  cleaner: holding('links.cleanup'),
  payer: holding('org.billing'),
  // Someone who looks after the bots and pays for nothing.
  botkeeper: { ...holding('servers.bots', 'servers.view'), '/orgs/o1/guilds/g1/bot': unbought },
  ...BOT_WORLDS,
  // Nothing is sold here.
  unsold: { '/account': { ...me, billing: false } },
  late: { '/orgs/o1/billing/subscriptions': billingLate },
  ending: { '/orgs/o1/billing/subscriptions': billingEnding },
  given: { '/account': { ...me, orgs: [{ ...rustlands, tier: 'pro' }] }, '/orgs/o1/billing/subscriptions': billingGiven },
  over: { '/account': { ...me, orgs: [{ ...rustlands, tier: 'free', ceilings: FREE }] }, '/orgs/o1/overview': { ...overview, ceilings: FREE, tier: 'free' }, '/orgs/o1/billing/subscriptions': billingOver },
  keeper: holding('links.view', 'links.cleanup'),
  cleanup_off: { '/orgs/o1/cleanup': cleanupOff },
  cleaning: { '/orgs/o1/cleanup': { ...cleanup, running: true } },
  revoked: { '/orgs/o1/servers': { servers: [gone] }, '/orgs/o1/servers/s1': gone },
  lacking: { '/orgs/o1/guilds/g1/discord': lacking, '/orgs/o1/guilds/g1': { ...guildSettings, log_channel_id: '814513381600264109' }, '/orgs/o1/servers/s1/roles': { ...roleRules, roles: roleRules.roles.map((role) => ({ ...role, reason: role.reason ?? 'no_permission' })) } },
  unseen: { '/orgs/o1/guilds/g1/discord': unseen, '/orgs/o1/servers/s1/roles': { ...roleRules, rules: [], roles: [], groups: [], present: null, checked_at_ms: null } },
  empty: {
    '/account': { ...me, orgs: [], orgs_owned: 0, orgs_ceiling: 1 },
  },
  fresh: {
    '/account': { ...me, orgs: [{ ...rustlands, tier: 'free', usage: { guilds: 0, servers: 0, links: 0, navigation_links: 0 }, ceilings: FREE }] },
    '/orgs/o1/overview': { usage: { guilds: 0, servers: 0, links: 0, navigation_links: 0 }, ceilings: FREE, tier: 'free', guilds: [], servers: [], recent: [], attention: [notice('info', 'no_guild', null, 'There’s no Guild yet, so nobody can link.', 'Add Guild', '/orgs/o1/guilds/new')] },
    '/orgs/o1/guilds': { guilds: [], removals: [] },
    '/orgs/o1/imports': importsNone,
    '/orgs/o1/servers': { servers: [] },
    '/orgs/o1/plugin': { builds: [] },
    '/orgs/o1/roles': { guilds: [] },
    '/orgs/o1/refused-calls': { refused: [] },
    '/orgs/o1/invites': { invites: [] },
    '/orgs/o1/keys': { keys: [], bot_keys: [], groups: [], plugin_actions: actions, ceiling: 0, allowed: false },
    '/orgs/o1/navigation': { links: [], ceiling: 3, link_pages: [], revision: 1 },
    '/orgs/o1/audit': { entries: [], names: [], next_before: null, actions: audit },
    '/orgs/o1/audit/choices': { actors: [auditNames[0]], things: [] },
    '/orgs/o1/errors': { errors: [], next_before: null, codes },
    '/orgs/o1/servers/s1/roles': { ...roleRules, revision: 0, rules: [] },
    '/orgs/o1/guilds/g1/role-history': { entries: [], next: null },
    '/orgs/o1/claimable-guilds': { candidates: [], looked_up_at_ms: null, bot_invite_url: null },
    '/orgs/o1/analytics': nothing,
    '/orgs/o1/users': { users: [], next: null, complete: true },
    '/orgs/o1/users/choices': userChoices([], []),
    '/orgs/o1/trust': { ...trustSettings, keywords: [], classes: trustSettings.classes.map((one) => ({ ...one, tone: one.usual_tone })), revision: 0 },
    '/orgs/o1/cleanup': { ...cleanupOff, guilds: [] },
    '/orgs/o1/billing/subscriptions': billingFree,
    '/orgs/o1/cleanup/preview': { days: 90, total: 0, guilds: [], users: [] },
  },
  operating,
  calm_operating: { ...operating, ...CALM_READS, '/admin/attention': { attention: [] }, '/admin/errors': { errors: [], next_before: null, codes } },
  // An operator who looks into an organisation that is not theirs.
  visiting: { ...operating, ...CALM_READS, '/account': visiting(me, rustlands) },
  visiting_to_change: { ...operating, ...CALM_READS, '/account': visiting(me, rustlands, true) },
  announced: { '/announcements': OPERATOR_READS['/announcements'], '/orgs/o1/announcements': OPERATOR_READS['/announcements'] },
  invited: {
    '/account': { ...me, registration: 'invite_only', orgs_owned: 3, orgs_ceiling: 3 },
  },
  calm: {
    '/orgs/o1/overview': { ...overview, recent: null, attention: [], servers: servers.slice(0, 1), usage: { guilds: 3, servers: 16, links: 19_000, navigation_links: 5 } },
  },
};
