// Made-up imports of files of an older system.

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ago = (ms) => Date.now() - ms;

const reasons = [
  { reason: 'its Steam ID is also in another row, linked to another account', rows: 48, first: [14, 20, 31, 77, 78].map((line) => ({ table: 'users', row: line - 1, line })) },
  { reason: 'the Discord ID was rounded, as spreadsheets do with long numbers; export the column as text', rows: 3, first: [102, 103, 240].map((line) => ({ table: 'users', row: line - 1, line })) },
  { reason: 'its time cannot be read', rows: 1, first: [{ table: 'removed', row: 9, line: 4_120 }] },
];
const none = { links: 0, history: 0, known: 0, refused: 0, boosters: 0, groups: 0, reasons: [] };
const counts = { links: 1_204, history: 87, known: 310, refused: 52, boosters: 41, groups: 512, reasons };

const run = (id, state, more = {}) => ({
  id,
  guild_id: 'g1',
  server_id: null,
  kind: 'dump',
  state,
  stop: null,
  total: 1_653,
  done: 1_653,
  counts,
  columns_read: ['discord_id: discord_id', 'linked_at: created_at', 'steam_id: steam_id'],
  columns_ignored: ['id', 'last_ip'],
  left_out: ['1 unknown causes'],
  started_at_ms: ago(5 * MINUTE),
  ended_at_ms: null,
  forgotten_at_ms: Date.now() + 7 * DAY,
  ...more,
});

const earlier = [
  run('i2', 'done', { started_at_ms: ago(2 * DAY), ended_at_ms: ago(2 * DAY), forgotten_at_ms: Date.now() + 5 * DAY }),
  run('i3', 'stopped', { kind: 'removed', stop: 'server_deleted', counts: { ...none, history: 12 }, started_at_ms: ago(3 * DAY), ended_at_ms: ago(3 * DAY), forgotten_at_ms: null }),
  run('i4', 'cancelled', { guild_id: 'g9', counts: none, started_at_ms: ago(9 * DAY), ended_at_ms: ago(9 * DAY), forgotten_at_ms: null }),
];
const guilds = [
  { id: 'g1', name: 'Rustlands', servers: [{ id: 's1', name: 'EU Main 2x' }, { id: 's2', name: 'US Main 2x' }] },
  { id: 'g2', name: 'Rustlands Modded', servers: [] },
];
const answer = (imports) => ({ imports, guilds, most_bytes: 10 * 1024 * 1024 });

export const checkedImport = run('i1', 'checked');
export const imports = answer(earlier);
export const importsChecked = answer([checkedImport, ...earlier]);
export const importsNothing = answer([run('i1', 'checked', { counts: { ...none, known: 1_601, refused: 52, reasons } })]);
export const importing = answer([run('i1', 'importing', { done: 600, counts: { ...counts, links: 560, history: 0, refused: 12, reasons: reasons.slice(0, 1) } }), ...earlier]);
export const importsNone = { imports: [], guilds: [], most_bytes: 10 * 1024 * 1024 };
