// How a made-up Guild is, part by part.

const ago = (ms) => Date.now() - ms;
const MAIN = { id: 's1', name: 'EU Main 2x' };
const OTHER = { id: 's2', name: 'US Main 2x' };

const check = (topic, state, text, server = null) => ({ topic, state, text, server, fix: null });
const at = (label, page, one) => ({ ...one, fix: { label, page } });
const GUILD = '/orgs/o1/guilds/g1';

const onDiscord = [
  check('bot', 'ok', 'The bot is in the Discord server and online.'),
  at('Grant them', GUILD, check('permissions', 'warn', 'The bot lacks permissions in Rustlands: Manage Nicknames.')),
  check('log_channel', 'ok', 'The bot can post log messages in #link-log.'),
  at('Look at the rules', '/orgs/o1/servers/s1/roles', check('roles', 'bad', 'A rule with the role Supporter of the northern servers since the very first wipe can’t be carried out. Drag the bot\'s role above it in Discord\'s server settings.')),
  check('roles', 'ok', 'The bot can give all roles of the settings.'),
];
const fine = [
  check('server', 'ok', 'EU Main 2x has called within the last day.', MAIN),
  check('plugin', 'ok', 'EU Main 2x runs version 3.23.1 of the plugin. There’s no newer one.', MAIN),
  check('configuration', 'ok', 'The configuration of EU Main 2x fits its settings.', MAIN),
  check('key', 'ok', 'The key of EU Main 2x is in force.', MAIN),
];
const servers = [
  ...fine,
  at('View Server', '/orgs/o1/servers/s2', check('server', 'warn', 'US Main 2x hasn’t called for more than a day.', OTHER)),
  at('Download it', '/orgs/o1/plugin?server=s2', check('plugin', 'warn', 'US Main 2x runs version 3.20.0 of the plugin. Install v3.23.1 in its place.', OTHER)),
  at('Download it', '/orgs/o1/plugin?server=s2', check('configuration', 'warn', 'The configuration of US Main 2x was made from older settings. Download it again, replace the file and reload the plugin.', OTHER)),
  at('View Server', '/orgs/o1/servers/s2', check('key', 'bad', 'A replaced key of US Main 2x is still in use somewhere. Put the current one there.', OTHER)),
  at('View refused calls', '/orgs/o1/servers/s2', check('key', 'warn', 'Calls with the key of US Main 2x were refused in the last 24 hours: 221, mostly with the code UNAUTHORIZED.', OTHER)),
];
const steam = check('steam_group', 'unknown', 'Players have to be in the Steam group https://steamcommunity.com/groups/rustlands. Steam hasn’t been asked since the service was started.');
const clock = check('clock', 'ok', 'The installation’s clock agrees with Discord’s and Steam’s.');

const guild = (state, checks, more = {}) => ({ guild_id: 'g1', name: 'Rustlands', state, checks, checked_at_ms: ago(20_000), looking: false, ...more });

export const checkup = guild('bad', [...onDiscord, ...servers, steam, clock]);

/** To whom Discord and settings are not shown. */
export const checkupOfServers = guild('warn', [...servers.filter(({ state, topic }) => topic !== 'key' || state === 'ok'), clock], { checked_at_ms: null });

export const checkupFine = guild('ok', [
  ...onDiscord.filter(({ state }) => state === 'ok'),
  check('permissions', 'ok', 'The bot has all the permissions it needs.'),
  ...fine,
  check('steam_group', 'ok', 'No Steam group is set, so players don’t have to be in one.'),
  clock,
]);

/** The bot was kicked, there is no Server, and the clock is wrong. */
export const checkupBroken = guild('bad', [
  at('Add the bot', GUILD, check('bot', 'bad', 'The bot is not in the Discord server of Rustlands: nothing is posted and nobody is added.')),
  check('permissions', 'unknown', 'What the bot may do is known once it’s in the Discord server.'),
  at('Set channel', GUILD, check('log_channel', 'warn', 'Rustlands has no log channel, so links aren’t posted.')),
  check('roles', 'ok', 'No rule ties a group to a role.'),
  at('Add Server', '/orgs/o1/servers', check('server', 'warn', 'Rustlands has no Server.')),
  at('Change the group', GUILD, check('steam_group', 'bad', 'Players have to be in the Steam group rustlands, but this installation has no key for Steam, so nobody can link. Tell whoever runs it, or take the group away.')),
  check('clock', 'bad', 'The installation’s clock is ahead of Discord’s and Steam’s by 6 minutes. Sign-ins with Steam fail, so nobody can link. Only whoever runs this installation can set it right: tell them.'),
], { looking: true });
