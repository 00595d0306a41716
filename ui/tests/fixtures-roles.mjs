// Rules of a made-up Server, what they would change, and what was changed before.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ago = (ms) => Date.now() - ms;

export const ROLE = (last) => `914513381600264${last}`;
const role = (last, name, colour, position, reason = null, confirmed = false) => ({ id: ROLE(last), name, colour, position, reason, confirmed });

export const roleRules = {
  guild_id: 'g1',
  revision: 3,
  rules: [
    { id: 'map_1', group: 'vip', role_id: ROLE('003'), direction: 'to_discord', authority: 'discord', on_loss: 'remove' },
    { id: 'map_2', group: 'booster', role_id: ROLE('012'), direction: 'to_game', authority: 'discord', on_loss: 'keep' },
    { id: 'map_3', group: 'supporter', role_id: ROLE('013'), direction: 'both', authority: 'game', on_loss: 'remove' },
    { id: 'map_4', group: 'founder', role_id: ROLE('010'), direction: 'to_discord', authority: 'discord', on_loss: 'remove' },
  ],
  roles: [
    role('003', 'VIP', 0xf1c40f, 4),
    role('010', 'Owner', 0xe74c3c, 9, 'above_bot'),
    role('011', 'Symbolon', 0x3350cc, 8, 'managed'),
    role('016', 'Moderator', 0xe67e22, 7, 'powerful'),
    role('012', 'Server Booster', 0xf47fff, 6, 'managed'),
    role('001', 'Verified', 0x2ecc71, 5),
    role('013', 'Supporter of the northern servers since the very first wipe', 0, 3),
    role('014', 'Café regular', 0x9b59b6, 2),
    role('009', 'Old VIP', 0, 1, 'gone'),
  ],
  groups: ['admin', 'booster', 'default', 'founder', 'supporter', 'vip', 'vip_plus'],
  present: true,
  checked_at_ms: ago(20_000),
  most_rules: 100,
};

const change = (i, more = {}) => ({
  discord_id: `20425522101721${String(4000 + i)}`,
  steam_id: `7656119886203${String(1000 + i)}`,
  name: i % 3 ? `player_${i}` : null,
  side: 'discord',
  change: 'add',
  role_id: ROLE('003'),
  group: null,
  rule: 0,
  cannot: null,
  ...more,
});
export const dryRun = {
  members: 1_000,
  unknown: 12,
  add: 214,
  remove: 9,
  cannot: 3,
  reasons: [{ role_id: ROLE('010'), reason: 'above_bot' }],
  changes: [
    ...Array.from({ length: 12 }, (_, i) => change(i)),
    ...Array.from({ length: 4 }, (_, i) => change(20 + i, { side: 'game', change: 'remove', role_id: null, group: 'booster', rule: 1 })),
    ...Array.from({ length: 3 }, (_, i) => change(30 + i, { role_id: ROLE('010'), rule: 3, cannot: 'above_bot' })),
  ],
  more: true,
};

const entry = (i, more = {}) => ({
  id: `e${1000 - i}`,
  at_ms: ago(i * 23 * MINUTE + 3_000),
  discord_id: `20425522101721497${i % 10}`,
  discord_name: i % 3 ? `player_${i % 10}` : null,
  steam_id: `7656119886203094${i % 10}`,
  steam_name: i % 5 ? `Player ${i % 10}` : null,
  side: 'discord',
  change: 'add',
  role_id: ROLE('003'),
  role_name: 'VIP',
  group: null,
  server_id: 's1',
  server_name: 'EU Main 2x',
  source: 'rule',
  rule: 'vip → VIP',
  cause: 'report',
  before: false,
  after: true,
  result: 'done',
  reason: null,
  ...more,
});
export const roleHistory = {
  entries: [
    entry(0),
    entry(1, { change: 'remove', cause: 'changed', before: true, after: false }),
    entry(2, { side: 'game', role_id: null, role_name: null, group: 'booster', rule: 'Server Booster → booster', cause: 'changed', result: 'waiting' }),
    entry(3, { role_id: ROLE('010'), role_name: 'Owner', rule: 'founder → Owner', cause: 'recheck', after: null, result: 'cannot', reason: 'above_bot' }),
    entry(4, { role_id: ROLE('001'), role_name: 'Verified', source: 'verified', rule: null, server_id: null, server_name: null, cause: 'link' }),
    entry(5, { source: 'grant', rule: null, server_id: null, server_name: null, cause: 'plugin', after: null, result: 'cannot', reason: 'forbidden' }),
    entry(6, { role_id: ROLE('009'), role_name: null, change: 'remove', source: 'end', rule: null, cause: 'unlink', before: true, after: null, result: 'gone', reason: 'left' }),
    ...Array.from({ length: 8 }, (_, i) => entry(7 + i)),
  ],
  next: 'c1',
};

/** Where there are rules: all of the first Guild's are on its first Server. */
export const rolePlaces = (guilds, servers) => ({
  guilds: guilds.map(({ id, name }) => ({
    id,
    name,
    servers: servers
      .filter(({ guild_id }) => guild_id === id)
      .map((server) => ({ id: server.id, name: server.name, active: server.active, rules: server.id === 's1' ? roleRules.rules.length : 0 })),
  })),
});

export const recheck = { running: null, waiting: 17 };
export const rechecking = { running: { done: 500, total: 1_000, started_at_ms: ago(2 * MINUTE) }, waiting: 380 };
