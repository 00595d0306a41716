// Builds of the plugin, its file for a made-up Server, and calls that were refused.

const DAY = 24 * 60 * 60_000;
const ago = (days) => Date.now() - days * DAY;

const build = (version, days, size, digit) => ({
  version,
  sha256: `${digit}f3a90c4`.repeat(8),
  size,
  published_at_ms: ago(days),
  file_name: 'Symbolon.cs',
  path: `/download/plugin/${version}`,
});
export const builds = [build('v3.23.1', 6, 41_318, 'a'), build('v3.22.0', 48, 40_902, 'b'), build('v3.20.0', 130, 39_260, 'c')];

/** As the server writes it: the key is empty, and the order is that of the file. */
export const pluginFile = ({ linked_group, booster_group, steam_members_group, poll_seconds }) => ({
  file_name: 'Symbolon.json',
  content: {
    'Service address': 'https://symbolon.example',
    'Server key': '',
    'Link page': 'https://symbolon.example/link/rustlands',
    'Group for linked players': linked_group,
    'Group for Discord boosters': booster_group,
    'Group for members of the Steam group': steam_members_group,
    'Seconds between checks': poll_seconds,
    'Players per request': 500,
    'Settings stamp': 'c25788df3492',
  },
});

const call = (key_id, code, calls) => ({ key_id, code, calls, last_hour_at_ms: ago(0) });
export const refused = [
  call('k-s4', 'SERVER_INACTIVE', 1_240),
  call('k-s2', 'UNAUTHORIZED', 212),
  call('k-s2', 'RATE_LIMITED', 9),
  call('c2', 'KEY_REVOKED', 31),
  call('c1', 'PERMISSION_DENIED', 4),
  call('c1', 'MOON_IN_THE_WAY', 1),
];
