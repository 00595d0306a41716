// What the bot knows of a made-up Discord server.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ago = (ms) => Date.now() - ms;
const NEEDED = ['View Channels', 'Send Messages', 'Embed Links', 'Manage Roles', 'Manage Nicknames', 'Create Invite'];
const permissions = (...lacks) => NEEDED.map((name) => ({ name, held: !lacks.includes(name) }));

const role = (last, name, colour, position, more = {}) => ({ id: `914513381600264${last}`, name, colour, position, reason: null, gone_at_ms: null, ...more });
const channel = (last, name, parent, position, more = {}) => ({
  id: `814513381600264${last}`,
  name,
  kind: 0,
  position,
  parent_id: parent && `814513381600264${parent}`,
  reason: null,
  gone_at_ms: null,
  ...more,
});
const category = (last, name, position) => channel(last, name, null, position, { kind: 4, reason: 'not_text' });

export const onDiscord = {
  present: true,
  online: true,
  commands: true,
  permissions: permissions(),
  invite_url: null,
  checked_at_ms: ago(20_000),
  last_event_at_ms: ago(4 * MINUTE),
  log_problem: null,
  roles: [
    role('003', 'VIP', 0xf1c40f, 4),
    role('010', 'Owner', 0xe74c3c, 9, { reason: 'above_bot' }),
    role('011', 'Symbolon', 0x3350cc, 8, { reason: 'managed' }),
    role('001', 'Verified', 0x2ecc71, 5),
    role('012', 'Server Booster', 0xf47fff, 6, { reason: 'managed' }),
    role('013', 'Supporter of the northern servers since the very first wipe', 0, 3),
    role('014', 'Café regular', 0x9b59b6, 2),
    role('015', 'Deep blue', 0x0000ff, 1),
    role('009', 'Old VIP', 0, 1, { gone_at_ms: ago(HOUR) }),
  ],
  channels: [
    channel('110', 'rules', null, 0, { reason: 'cannot_post' }),
    channel('114', 'staff-only', '002', 4, { reason: 'cannot_see' }),
    category('002', 'Staff', 2),
    category('001', 'Community', 1),
    channel('112', 'general', '001', 1),
    channel('113', 'off-topic', '001', 2, { reason: 'cannot_embed' }),
    channel('115', 'Lounge', '001', 3, { kind: 2, reason: 'not_text' }),
    channel('111', 'link-log', '002', 3),
    channel('109', 'old-log', '002', 5, { gone_at_ms: ago(HOUR) }),
  ],
  looking: false,
};

export const kicked = {
  ...onDiscord,
  present: false,
  online: true,
  commands: false,
  permissions: permissions(...NEEDED),
  invite_url: 'https://discord.com/oauth2/authorize?client_id=1&permissions=402672641',
  log_problem: { code: 'no_access', message: 'The bot cannot see the channel.', since_ms: ago(HOUR) },
};

export const lacking = {
  ...onDiscord,
  permissions: permissions('Embed Links', 'Manage Roles'),
  invite_url: 'https://discord.com/oauth2/authorize?client_id=1&permissions=402672641',
  roles: onDiscord.roles.map((role) => ({ ...role, reason: role.reason ?? 'no_permission' })),
  log_problem: {
    code: 'unknown_channel',
    message: 'Discord knows no such channel. It may have been deleted: choose another one.',
    since_ms: ago(HOUR),
  },
};

/** Nobody has looked at it yet. */
export const unseen = {
  present: null,
  online: true,
  commands: false,
  permissions: permissions(...NEEDED),
  invite_url: 'https://discord.com/oauth2/authorize?client_id=1&permissions=402672641',
  checked_at_ms: null,
  last_event_at_ms: null,
  log_problem: null,
  roles: [],
  channels: [],
  looking: true,
};
