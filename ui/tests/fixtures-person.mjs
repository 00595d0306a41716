// Made-up people: one with a history, one who linked a moment ago, one who hangs together with 60 accounts, and one who is away.
import { ROLE } from './fixtures-roles.mjs';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.now();
const ago = (ms) => NOW - ms;

export const ASH = '304255221017214970';
export const FRESH = '304255221017214971';
export const CROWD = '304255221017214972';
export const AWAY = '304255221017214973';
const STEAM = (last) => `765611978620309${String(last).padStart(2, '0')}`;
const thresholds = { trusted: 90, normal: 70, watch: 40 };
const tierOf = (score) => (score >= 90 ? 'Trusted' : score >= 70 ? 'Normal' : score >= 40 ? 'Watch' : 'Risk');

const parts = ({ stability, cross_server, age, multi }) => {
  const score = Math.round(0.35 * stability + 0.25 * cross_server + 0.2 * age + 0.2 * multi);
  return { score, tier: tierOf(score), stability, cross_server, age, multi };
};

const link = (id, guild, steam, linked, more = {}) => ({
  id,
  guild_id: guild[0],
  guild_name: guild[1],
  guild_gone: false,
  steam_id: STEAM(steam),
  discord_name: 'ashfox12',
  steam_name: 'Ash Byte',
  country: 'SE',
  linked_at_ms: ago(linked),
  verified_at_ms: ago(linked),
  ended_at_ms: null,
  cause: null,
  flagged_at_ms: null,
  ...more,
});
const ended = (before, cause) => ({ ended_at_ms: ago(before), cause });
const MAIN = ['g1', 'Rustlands'];
const MODDED = ['g2', 'Rustlands Modded'];

const person = (discord_id, trust, { links, presence = [], first, ...user }) => ({
  user: {
    discord_id,
    discord_name: 'ashfox12',
    steam_id: links[0].steam_id,
    steam_name: links[0].steam_name,
    country: links[0].country,
    guild_id: links[0].guild_id,
    server_ids: presence.map(({ server_id }) => server_id),
    linked_at_ms: links[0].linked_at_ms,
    ended_at_ms: links[0].ended_at_ms,
    active_links: links.filter((one) => one.ended_at_ms === null).length,
    steam_accounts: new Set(links.map(({ steam_id }) => steam_id)).size,
    booster: false,
    staff: false,
    best_class: 'default',
    flagged_at_ms: null,
    score: trust.score,
    tier: trust.tier,
    ...user,
  },
  first_linked_at_ms: ago(first),
  trust: { ...trust, thresholds },
  presence,
  links,
  links_cut: false,
});

const group = (name, kind, tone) => ({ name, class: kind, tone });
const on = (server_id, server_name, guild, groups, reported, seen) => ({
  guild_id: guild[0],
  guild_name: guild[1],
  server_id,
  server_name,
  groups,
  reported_at_ms: reported === null ? null : ago(reported),
  seen_at_ms: seen === null ? null : ago(seen),
});

const ash = person(
  ASH,
  { ...parts({ stability: 82, cross_server: 17, age: 20, multi: 70 }), scored_at_ms: ago(2 * HOUR), churn: 1, accounts: 3 },
  {
    first: 73 * DAY,
    booster: true,
    best_class: 'vip',
    links: [
      link('lnk_1', MAIN, 1, 61 * DAY, { verified_at_ms: ago(3 * DAY) }),
      link('lnk_2', MODDED, 1, 12 * DAY),
      link('lnk_3', MAIN, 2, 73 * DAY, { ...ended(62 * DAY, 'relink'), steam_name: 'ash_but_older' }),
      link('lnk_4', ['g9', 'Rustlands Classic'], 1, 72 * DAY, { ...ended(40 * DAY, 'zombie-cleanup'), guild_gone: true }),
    ],
    presence: [
      on('s1', 'EU Main 2x', MAIN, [group('vip', 'vip', 'ok'), group('event-winners-of-the-summer', 'custom', 'neutral')], 20 * MINUTE, 5 * MINUTE),
      on('s2', 'US Main 2x', MAIN, [], 3 * DAY, 9 * DAY),
      on('s3', 'Build Sandbox', MODDED, null, null, 11 * DAY),
      on('s4', 'US Modded 5x', MODDED, [], 10 * DAY, 10 * DAY),
    ],
  },
);

const fresh = person(
  FRESH,
  { ...parts({ stability: 100, cross_server: 5, age: 0, multi: 100 }), scored_at_ms: ago(40_000), churn: 0, accounts: 2 },
  { first: 40_000, discord_name: 'junostorm486', links: [link('lnk_5', MAIN, 5, 40_000, { discord_name: 'junostorm486', steam_name: null, country: null })] },
);

const away = person(
  AWAY,
  { ...parts({ stability: 100, cross_server: 5, age: 100, multi: 100 }), scored_at_ms: ago(HOUR), churn: 0, accounts: 2 },
  {
    first: 400 * DAY,
    discord_name: 'wrenmoth865',
    links: [
      link('lnk_6', MAIN, 6, 400 * DAY, { discord_name: 'wrenmoth865', steam_name: 'Wren Moth', flagged_at_ms: ago(3 * DAY) }),
      link('lnk_7', MODDED, 6, 390 * DAY, { discord_name: 'wrenmoth865', steam_name: 'Wren Moth' }),
    ],
    flagged_at_ms: ago(3 * DAY),
  },
);

const crowd = person(
  CROWD,
  { ...parts({ stability: 0, cross_server: 75, age: 100, multi: 0 }), scored_at_ms: ago(HOUR), churn: 7, accounts: 50 },
  {
    first: 700 * DAY,
    staff: true,
    best_class: 'moderator',
    presence: [on('s1', 'EU Main 2x', MAIN, [group('chat-moderators', 'moderator', 'warn'), group('default', 'default', 'neutral')], HOUR, 2 * HOUR)],
    discord_name: 'a_very_long_name_without_any_spaces_at_all',
    links: [
      ...Array.from({ length: 7 }, (_, i) => link(`lnk_c${i}`, MAIN, 10 + i, (30 + i * 60) * DAY, { ...ended((10 + i * 60) * DAY, ['user', 'plugin', 'relink'][i % 3]), steam_name: `Crow ${i}` })),
      link('lnk_c7', MAIN, 17, 690 * DAY, { ...ended(688 * DAY, 'admin'), steam_id: null, steam_name: null }),
    ],
  },
);

/** Scores of the last days: up slowly, down at once. */
function history(days, now) {
  const step = Math.max(6 * HOUR, (days * DAY) / 60);
  const since_ms = ago(days * DAY);
  const points = [];
  for (let at = since_ms - step / 2, i = 0; at < now.scored_at_ms - HOUR; at += step, i += 1) {
    const told = parts({ stability: i < 40 ? 100 : 82, cross_server: 5 + Math.round(70 * Math.abs(Math.sin(i / 14))), age: Math.min(100, i), multi: i < 52 ? 100 : 70 });
    if (points.at(-1)?.score !== told.score) points.push({ at_ms: Math.round(at), ...told });
  }
  points.push({ at_ms: now.scored_at_ms, ...parts(now) });
  return { days, since_ms, thresholds, points };
}
const histories = (trust) => (query) => history(Number(query.get('days') ?? 30), trust);

const account = (steam, id, name, active) => ({ steam, id, name, active });
const tie = (discord, steam, linked, more = {}) => ({ discord, steam, guild_name: 'Rustlands', linked_at_ms: ago(linked), ended_at_ms: null, cause: null, ...more });

const ashGraph = {
  accounts: [account(false, ASH, 'ashfox12', true), account(true, STEAM(1), 'Ash Byte', true), account(true, STEAM(2), 'ash_but_older', false)],
  links: [tie(0, 1, 61 * DAY), tie(0, 1, 12 * DAY, { guild_name: 'Rustlands Modded' }), tie(0, 2, 73 * DAY, ended(62 * DAY, 'relink'))],
  cut: false,
};
const awayGraph = { accounts: [account(false, AWAY, 'wrenmoth865', true), account(true, STEAM(6), 'Wren Moth', true)], links: [tie(0, 1, 400 * DAY), tie(0, 1, 390 * DAY, { guild_name: 'Rustlands Modded' })], cut: false };
const freshGraph = { accounts: [account(false, FRESH, 'junostorm486', true), account(true, STEAM(5), null, true)], links: [tie(0, 1, 40_000)], cut: false };

/** A tree of accounts with a few more ties: each Discord account linked some Steam accounts, which others linked too. */
export function crowdGraph(size, cut = false) {
  const accounts = Array.from({ length: size }, (_, i) => {
    if (i === 0) return account(false, CROWD, crowd.user.discord_name, false);
    const steam = i % 2 === 1;
    const erased = i % 17 === 16;
    return account(steam, erased ? null : steam ? STEAM(10 + i) : `3042552210172${String(30_000 + i)}`, erased ? null : steam ? `Crow ${i}` : `crow_${i}`, false);
  });
  const links = [];
  for (let i = 1; i < size; i += 1) {
    // Towards an account of the other platform that is already there.
    let to = Math.floor((i - 1) / 3);
    if (accounts[to].steam === accounts[i].steam) to += to === 0 ? 1 : -1;
    const active = i % 5 === 3 && accounts[i].id !== null && accounts[to].id !== null;
    const [discord, steam] = accounts[i].steam ? [to, i] : [i, to];
    if (active) accounts[discord].active = accounts[steam].active = true;
    links.push(tie(discord, steam, (20 + i * 7) * DAY, active ? {} : ended((5 + i * 6) * DAY, ['user', 'plugin', 'relink', 'admin'][i % 4])));
  }
  return { accounts, links, cut };
}

const change = (i, more = {}) => ({
  id: `p${100 - i}`,
  at_ms: ago(i * 31 * HOUR + 20 * MINUTE),
  discord_id: ASH,
  discord_name: 'ashfox12',
  steam_id: STEAM(1),
  steam_name: 'Ash Byte',
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
const changes = {
  entries: [
    change(0),
    change(1, { change: 'remove', cause: 'changed', before: true, after: false }),
    change(2, { role_id: ROLE('010'), role_name: 'Owner', rule: 'founder → Owner', cause: 'recheck', after: null, result: 'cannot', reason: 'above_bot' }),
    change(3, { role_id: ROLE('001'), role_name: 'Verified', source: 'verified', rule: null, server_id: null, server_name: null, cause: 'link' }),
    ...Array.from({ length: 4 }, (_, i) => change(4 + i)),
  ],
  next: null,
};
/** Of one person; everyone's where nobody is asked for. */
export const roleHistoryOf = (everyone, ofAsh = changes.entries) => (query) => {
  const member = query.get('member');
  if (![ASH, FRESH, CROWD, AWAY].includes(member)) return everyone;
  return { entries: member === ASH ? ofAsh : [], next: null };
};

const viewer = (seq, before, name) => ({ seq, at_ms: ago(before), actor_kind: 'account', actor_id: `usr_${seq}`, actor_name: name, action: 'user.viewed', target: 'lnk_1', detail: {} });
const views = { entries: [viewer(9, 4_000, 'maya.okafor'), viewer(8, 3 * HOUR, 'iven'), viewer(7, 2 * DAY, null)], names: [], next_before: null, actions: ['user.viewed'] };
/** Who looked at somebody; everything where nothing else is asked for. */
export const auditOf = (all) => (query) => (query.get('action') === 'user.viewed' ? views : all);

const at = (user, page, graph) => ({
  [`/orgs/o1/users/${user}`]: page,
  [`/orgs/o1/users/${user}/trust-history`]: histories(page.trust),
  [`/orgs/o1/users/${user}/graph`]: graph,
});
export const PERSON_READS = {
  ...at(ASH, ash, ashGraph),
  ...at(STEAM(1), ash, ashGraph),
  ...at(FRESH, fresh, freshGraph),
  [`/orgs/o1/users/${FRESH}/trust-history`]: (query) => ({ ...histories(fresh.trust)(query), points: [{ at_ms: ago(40_000), ...parts(fresh.trust) }] }),
  ...at(CROWD, crowd, crowdGraph(60)),
  ...at(AWAY, away, awayGraph),
};
export const PERSON_WRITES = {
  [`POST /orgs/o1/users/${ASH}/unlink`]: [200, { links: 2 }],
};
