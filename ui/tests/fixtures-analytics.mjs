// A made-up organisation in numbers.

const DAY = 24 * 60 * 60_000;
const dayOf = (ago) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);
const CAUSES = ['user', 'admin', 'plugin', 'relink', 'zombie-cleanup'];
const AFTER = [1, 7, 30, 90, 180, 365];
const CEILING = 20_000;
const COUNTRIES = [['SE', 412], ['DE', 388], ['US', 301], ['GB', 199], ['BR', 150], ['NL', 98], ['PL', 77], ['CA', 61], ['AU', 40], ['JP', 22], ['FR', 19], ['NO', 4]];

function months(count) {
  const now = new Date();
  return Array.from({ length: count }, (_, i) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count + 1 + i, 1)).toISOString().slice(0, 7));
}

/** As the server would: each day of the range, with the same numbers each time. */
export function analytics(query) {
  const from = Date.parse(`${query.get('from') ?? dayOf(29)}T00:00Z`);
  const length = Math.round((Date.parse(`${dayOf(0)}T00:00Z`) - from) / DAY) + 1;
  const guild = query.get('guild_id');
  let active = guild ? 320 : 1_700;
  const days = Array.from({ length }, (_, i) => {
    const ago = length - 1 - i;
    const linked = guild ? ago % 4 : (ago * 7) % 13 + (ago % 7 === 0 ? 9 : 2);
    const ended = Object.fromEntries(CAUSES.map((cause, at) => [cause, cause === 'zombie-cleanup' || (guild && at > 0) ? 0 : (ago * (at + 3)) % (at + 2)]));
    active += linked - Object.values(ended).reduce((sum, one) => sum + one, 0);
    return { day: dayOf(ago), linked, ended, active };
  });
  return {
    from: dayOf(length - 1),
    to: dayOf(0),
    days,
    ceiling: guild ? null : CEILING,
    tiers: days.slice(1).map(({ day, active: all }, i) => ({ day, trusted: Math.round(all * 0.5) + i, normal: Math.round(all * 0.3), watch: Math.round(all * 0.15), risk: Math.round(all * 0.05) })),
    countries: { as_of: dayOf(0), list: COUNTRIES.map(([country, links]) => ({ country, links })), other: 31, unknown: 112 },
    funnel: { started: 640, discord: 601, steam: 540, joined: 411, verified: 398, failed: [{ reason: 'NOT_IN_GROUP', times: 96 }, { reason: 'SIGN_IN_CANCELLED', times: 41 }, { reason: 'SOMETHING_NEW', times: 2 }] },
    retention: months(14).map((month, i) => ({
      month,
      linked: i === 3 ? 0 : 40 + i * 9,
      after: AFTER.map((days, at) => ({ days, left: (13 - i) * 30 >= days + 30 ? Math.round((40 + i * 9) * (0.97 - at * 0.08)) : null })),
    })),
  };
}

/** Of an organisation where nothing has happened yet. */
export function nothing(query) {
  const { days, retention, ...rest } = analytics(query);
  const none = Object.fromEntries(CAUSES.map((cause) => [cause, 0]));
  return {
    ...rest,
    days: days.map(({ day }) => ({ day, linked: 0, ended: none, active: 0 })),
    tiers: [],
    countries: { as_of: null, list: [], other: 0, unknown: 0 },
    funnel: { started: 0, discord: 0, steam: 0, joined: 0, verified: 0, failed: [] },
    retention: retention.map(({ month, after }) => ({ month, linked: 0, after: after.map(({ days }) => ({ days, left: null })) })),
  };
}
