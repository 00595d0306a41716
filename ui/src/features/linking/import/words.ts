// Imports in words.

import type { Import } from '$lib/api/schema';
import { count, number } from '$lib/format';
import type { Tone } from '$lib/ui/types';

export type Kind = 'dump' | 'users' | 'removed';

export const KINDS: ReadonlyArray<{ value: Kind; title: string; text: string }> = [
  { value: 'dump', title: 'MySQL dump', text: 'An .sql file with the tables users and users_removed, or one of them.' },
  { value: 'users', title: 'CSV: linked users', text: 'Everyone who is linked, with a header row.' },
  { value: 'removed', title: 'CSV: removed users', text: 'Links that have ended, for the history.' },
];

/** What a file is by its name, unless the choice fits already. */
export function kindOf(name: string, chosen: Kind): Kind {
  if (/\.sql$/i.test(name)) return 'dump';
  return /\.(csv|tsv|txt)$/i.test(name) && chosen === 'dump' ? 'users' : chosen;
}

export const isRunning = ({ state }: Pick<Import, 'state'>) => ['reading', 'checking', 'importing'].includes(state);
export const isOpen = (run: Pick<Import, 'state'>) => isRunning(run) || run.state === 'checked';

const STATES: Record<string, { label: string; tone: Tone }> = {
  reading: { label: 'Reading', tone: 'info' },
  checking: { label: 'Checking', tone: 'info' },
  checked: { label: 'Ready to import', tone: 'warn' },
  importing: { label: 'Importing', tone: 'info' },
  done: { label: 'Imported', tone: 'ok' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
  stopped: { label: 'Stopped', tone: 'bad' },
};

export const stateOf = ({ state }: Pick<Import, 'state'>) => STATES[state] ?? { label: state, tone: 'neutral' as const };

const STOPS: Record<string, string> = {
  guild_removed: 'The Guild was removed.',
  server_deleted: 'The Server for the permission groups was deleted. Upload the file again with another Server, or without one.',
  too_many_boosters: 'The Guild would have more boosters than it can have. Remove the booster column from the file and upload it again.',
  interrupted: 'The service was restarted while it read the file. Upload it again.',
  expired: 'Nobody started it for seven days. Upload the file again.',
};

export const stopText = (stop: string) => STOPS[stop] ?? 'It could not go on.';

/** "1,204 links and 3 ended links". */
export function whatOf({ links, history }: Pick<Import['counts'], 'links' | 'history'>): string {
  const ended = count(history, 'ended link');
  if (history === 0) return count(links, 'link');
  return links === 0 ? ended : `${count(links, 'link')} and ${ended}`;
}

/** What came of the rows, or would; only what there is. */
export function results(run: Import): Array<{ label: string; rows: number }> {
  const { counts } = run;
  const dry = run.state === 'checking' || run.state === 'checked';
  const verb = dry ? 'would be' : 'were';
  return [
    { label: `Links that ${verb} added`, rows: counts.links },
    { label: `Ended links that ${verb} added to the history`, rows: counts.history },
    { label: 'Already here, so nothing changes', rows: counts.known },
    { label: `Rows that ${verb} refused`, rows: counts.refused },
    { label: `Boosters among the new links`, rows: counts.boosters },
    { label: `Players whose permission groups ${verb} added`, rows: counts.groups },
  ].filter(({ rows }, at) => at === 0 || rows > 0);
}

/** "Line 14, 20 and 31", and how many there are besides. */
export function firstLines(first: ReadonlyArray<{ line: number }>, rows: number): string {
  const lines = [...new Set(first.map(({ line }) => line))];
  const more = rows - first.length;
  return `${lines.length === 1 ? 'Line' : 'Lines'} ${lines.map(number).join(', ')}${more > 0 ? `, and ${number(more)} more` : ''}`;
}

/** Offsets that are in use somewhere, with UTC first. */
export const OFFSETS = ['+00:00', ...[-11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 3.5, 4, 4.5, 5, 5.5, 5.75, 6, 6.5, 7, 8, 9, 9.5, 10, 10.5, 11, 12, 13].map(offset)].map((value) => ({
  value,
  label: value === '+00:00' ? 'UTC' : `UTC${value}`,
}));

function offset(hours: number): string {
  const size = Math.abs(hours);
  const two = (amount: number) => String(amount).padStart(2, '0');
  return `${hours < 0 ? '-' : '+'}${two(Math.trunc(size))}:${two((size % 1) * 60)}`;
}
