// Made-up people of an organisation: the list of users, and what it says about permission groups.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ago = (ms) => Date.now() - ms;

const FIRST = ['ash', 'juno', 'luma', 'wren', 'echo', 'zeph', 'rook', 'sable', 'moss', 'nova', 'briar', 'koda', 'vex'];
const SECOND = ['fox', 'storm', 'byte', 'moth', 'hawk', 'raven', 'thorn', 'drift', 'lynx', 'spark', 'crow'];
const COUNTRIES = ['SE', 'AU', 'GB', 'BR', 'NL', 'CA', null, 'JP', 'DE', 'US', 'PL'];
const SCORES = [94, 37, 68, 82, 91, 100, 73, 12, 45, 88, 56, 97, 70, 90];

export const thresholds = { trusted: 90, normal: 70, watch: 40 };
const tierOf = (score) => (score >= thresholds.trusted ? 'Trusted' : score >= thresholds.normal ? 'Normal' : score >= thresholds.watch ? 'Watch' : 'Risk');
const title = (word) => word[0].toUpperCase() + word.slice(1);

export const person = (i, more = {}) => {
  const [one, other] = [FIRST[i % FIRST.length], SECOND[(i * 7) % SECOND.length]];
  const score = SCORES[i % SCORES.length];
  const inModded = i % 4 === 3;
  return {
    discord_id: `20425522101721${String(4970 + i)}`,
    discord_name: `${one}${other}${(i * 37) % 900}`,
    steam_id: `765611988620${String(30_940 + i)}`,
    steam_name: `${title(other)} ${title(one)}`,
    country: COUNTRIES[i % COUNTRIES.length],
    guild_id: inModded ? 'g2' : 'g1',
    server_ids: inModded ? ['s4'] : i % 3 ? ['s1', 's2'] : ['s1'],
    linked_at_ms: ago(i * 5 * HOUR + 4 * MINUTE),
    ended_at_ms: i % 6 === 5 ? ago(i * 2 * HOUR) : null,
    active_links: i % 6 === 5 ? 0 : i % 10 === 0 ? 2 : 1,
    steam_accounts: i % 7 === 2 ? 3 : 1,
    booster: i % 5 === 1,
    staff: i % 11 === 0,
    best_class: i % 11 === 0 ? 'admin' : 'default',
    score,
    tier: tierOf(score),
    flagged_at_ms: i % 16 === 4 ? ago((1 + (i % 6)) * DAY) : null,
    ...more,
  };
};

export const people = [
  person(0, { discord_name: 'ashfox12', steam_name: 'Ash Byte', server_ids: ['s1', 's2', 's3', 's4'], score: 100, tier: 'Trusted', booster: true, steam_accounts: 2 }),
  person(1, { discord_name: 'a_very_long_name_without_any_spaces' }),
  person(2),
  person(3, { discord_name: null, steam_name: null, country: null, server_ids: [] }),
  person(4),
  person(5, { steam_id: null, steam_name: null }),
  person(6, { guild_id: 'g9', ended_at_ms: ago(3 * DAY), active_links: 0 }),
  ...Array.from({ length: 113 }, (_, i) => person(7 + i)),
];

const PAGE = 50;
const statusOf = (one) => (one.ended_at_ms !== null ? ['archived'] : one.flagged_at_ms === null ? ['active'] : ['active', 'flagged']);

/** As the server would: filters, an order, and pages whose places only it understands. */
export function userList(query) {
  const wants = (name) => query.get(name) ?? '';
  const q = wants('q').toLowerCase().replace(/\D*(\d{17,20})\D*$/, '$1');
  const found = people.filter((one) => {
    const names = [one.discord_name, ...(one.steam_name ?? '').split(' '), one.discord_id, one.steam_id];
    return (
      (!q || names.some((name) => name?.toLowerCase().startsWith(q))) &&
      (!wants('tier') || one.tier === wants('tier')) &&
      (!wants('guild_id') || one.guild_id === wants('guild_id')) &&
      (!wants('server_id') || one.server_ids.includes(wants('server_id'))) &&
      (!wants('country') || one.country === wants('country')) &&
      (!wants('status') || statusOf(one).includes(wants('status')))
    );
  });
  const sort = q ? 'name' : wants('sort') || (wants('tier') ? '-score' : '-linked_at');
  const by = { linked_at: (a, b) => a.linked_at_ms - b.linked_at_ms, score: (a, b) => a.score - b.score, name: (a, b) => (a.discord_name ?? '').localeCompare(b.discord_name ?? '') }[sort.replace('-', '')];
  found.sort((a, b) => (sort.startsWith('-') ? -by(a, b) : by(a, b)));
  const from = Number(wants('cursor').slice(1)) || 0;
  const limit = Number(wants('limit')) || PAGE;
  return { users: found.slice(from, from + limit), next: from + limit < found.length ? `c${from + limit}` : null, complete: true };
}

export const userChoices = (guilds, servers) => ({
  guilds: guilds.map(({ id, name }) => ({ id, name })),
  servers: servers.map(({ id, name, guild_id }) => ({ id, name, guild_id })),
  countries: COUNTRIES.filter(Boolean).sort(),
  thresholds,
});

export const unlinkingNone = { running: null, last: null };
export const unlinking = { running: { done: 350, total: 1_200, started_at_ms: ago(2 * MINUTE) }, last: null };

const WEIGHTS = { owner: [100, 'accent'], admin: [90, 'bad'], moderator: [75, 'warn'], staff: [60, 'info'], vip: [40, 'ok'], donator: [30, 'ok'], custom: [20, 'neutral'], default: [5, 'neutral'] };
export const trustSettings = {
  keywords: [
    { text: 'helper', class: 'staff' },
    { text: 'headadmin', class: 'owner' },
    { text: 'elite', class: 'vip' },
  ],
  usual_keywords: Object.keys(WEIGHTS).map((name) => ({ text: name, class: name })),
  classes: Object.entries(WEIGHTS).map(([name, [weight, usual_tone]]) => ({ class: name, weight, tone: name === 'vip' ? 'accent' : usual_tone, usual_tone })),
  thresholds,
  revision: 4,
};
export const simulation = {
  people: 1_200,
  rescored: 380,
  moved: 214,
  moves: [
    { from: 'Normal', to: 'Trusted', people: 12 },
    { from: 'Watch', to: 'Normal', people: 181 },
    { from: 'Risk', to: 'Watch', people: 21 },
  ],
};

const flagged = people.filter((one) => one.flagged_at_ms !== null && one.ended_at_ms === null);
export const cleanup = {
  enabled: true,
  days: 90,
  grace_days: 7,
  revision: 3,
  flagged: flagged.length,
  running: false,
  last_run: { at_ms: ago(9 * HOUR), flagged: 4, cleared: 1, ended: 2 },
  guilds: [
    { id: 'g1', name: 'Rustlands', heard_days: 90, ready: true },
    { id: 'g2', name: 'Rustlands Modded', heard_days: 12, ready: false },
  ],
};
export const cleanupOff = { ...cleanup, enabled: false, revision: 0, flagged: 0, last_run: null };

/** Who is dormant by a number of days: fewer the more they are. */
export function dormant(query) {
  const days = Number(query.get('days') ?? cleanup.days);
  const found = people.filter((one) => one.ended_at_ms === null && one.guild_id === 'g1').slice(0, Math.max(0, 120 - days) * 3);
  return {
    days,
    total: found.length,
    guilds: cleanup.guilds.map((guild) => ({ ...guild, ready: guild.heard_days >= days, dormant: guild.id === 'g1' ? found.length : 0 })),
    users: found.map(({ discord_id, discord_name, steam_id, steam_name, guild_id, flagged_at_ms }, i) => ({
      discord_id,
      discord_name,
      steam_id,
      steam_name,
      guild_id,
      last_active_ms: ago((days + 200 - i) * DAY),
      flagged_at_ms,
    })),
  };
}
