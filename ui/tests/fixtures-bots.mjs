// Made-up answers about a Guild's own bot, in each state that it can be in.

const NOW = Date.now();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const INVITE = 'https://discord.com/oauth2/authorize?client_id=7&permissions=402672641';
const SHARED_INVITE = 'https://discord.com/oauth2/authorize?client_id=1&permissions=402672641';

const bot = {
  id: 'bot_1',
  discord_user_id: '714513381600264777',
  name: 'Rustopia Bot',
  token_last4: 'x9Qa',
  token_saved_at_ms: NOW - 12 * DAY,
  status: 'online',
  step: null,
  message: 'online',
  reason: null,
  retry_at_ms: null,
  memory_bytes: 41_300_000,
  started_at_ms: NOW - 5 * DAY - 2 * HOUR - 7 * MINUTE,
  restarted_at_ms: NOW - 5 * DAY - 2 * HOUR - 8 * MINUTE,
  restart_reason: 'memory',
  serving: true,
  invite_url: null,
};
const standby = { present: true, serving: false, invite_url: null };
const atWork = { present: true, serving: true, invite_url: null };
export const online = { access: 'subscribed', sold: true, bot, shared: standby, linked: 128 };

const at = (more, shared = atWork) => ({ ...online, bot: { ...bot, serving: false, memory_bytes: null, started_at_ms: null, restarted_at_ms: null, restart_reason: null, ...more }, shared });
const MESSAGES = { allocate: 'Allocating dedicated bot host', install: 'Installing your bot', deploy: 'Starting your bot', start: 'Starting your bot' };
export const starting = (step, more = {}) => at({ status: 'starting', step, message: MESSAGES[step], token_saved_at_ms: NOW - 3_000, ...more });
export const failed = (reason, more = {}) => at({ status: 'failed', message: 'failed', reason, ...more });

export const unbought = { ...online, access: 'none', bot: null, shared: atWork };
export const tokenless = { ...online, bot: null, shared: atWork };
export const paused = { ...at({ status: 'paused', message: 'paused' }), access: 'none' };
export const takingOver = { ...online, bot: { ...bot, serving: false, started_at_ms: NOW - 4_000 }, shared: atWork };

/** Worlds by the name of the state. */
const states = {
  unbought,
  tokenless,
  unsold: { ...unbought, sold: false },
  allocate: starting('allocate'),
  install: starting('install'),
  deploy: starting('deploy'),
  start: starting('start'),
  no_room: starting('allocate', { reason: 'no_room' }),
  not_in_guild: starting('start', { reason: 'not_in_guild', invite_url: INVITE }),
  unreachable: starting('start', { reason: 'unreachable', retry_at_ms: NOW + 40_000 }),
  intents: { ...online, bot: { ...bot, reason: 'intents_missing' } },
  lacking: { ...online, bot: { ...bot, invite_url: INVITE, name: 'a_very_long_name_without_any_spaces' } },
  included: { ...online, access: 'included', sold: false },
  alone: { ...online, shared: { present: false, serving: false, invite_url: SHARED_INVITE } },
  handover: takingOver,
  handback: { ...online, bot: { ...bot, status: 'paused', message: 'paused', memory_bytes: null, started_at_ms: null }, shared: standby, access: 'none' },
  paused,
  paused_alone: { ...paused, shared: { present: false, serving: false, invite_url: SHARED_INVITE } },
  resuming: { ...paused, access: 'subscribed' },
  ...Object.fromEntries(['token_rejected', 'crash_loop', 'install_error', 'sharding_required', 'refused'].map((reason) => [reason, failed(reason)])),
  identify_budget: failed('identify_budget', { retry_at_ms: NOW + 6 * HOUR }),
};
export const BOT_WORLDS = Object.fromEntries(Object.entries(states).map(([name, view]) => [`bot_${name}`, { '/orgs/o1/guilds/g1/bot': view }]));

export const BOT_WRITES = {
  'POST /orgs/o1/guilds/g1/bot/token': [200, starting('allocate')],
  'POST /orgs/o1/guilds/g1/bot/retry': [200, starting('start')],
};
