// Words and numbers as people read them.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const NUMBER = new Intl.NumberFormat('en');
const SIZE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const DAY_AND_TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const REGION = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

export function number(value: number): string {
  return NUMBER.format(value);
}

export function date(at: number): string {
  return DATE.format(at);
}

/** To the second, in the time zone of the reader. */
export function exact(at: number): string {
  return EXACT.format(at);
}

/** "2:03 PM"; with the day when it is not today. */
export function clockTime(at: number, now: number): string {
  return (date(at) === date(now) ? TIME : DAY_AND_TIME).format(at);
}

/** What has happened, as in "3 minutes ago". A clock that runs behind the server's does not make it something to come. */
export function since(at: number, now: number): string {
  return relative(Math.min(at, now), now);
}

/** "3 minutes ago", "tomorrow"; the date when it is more than four weeks away. */
export function relative(at: number, now: number): string {
  const away = at - now;
  const size = Math.abs(away);
  if (size < MINUTE) return away > 0 ? 'in a moment' : 'just now';
  if (size < HOUR) return RELATIVE.format(Math.trunc(away / MINUTE), 'minute');
  if (size < DAY) return RELATIVE.format(Math.trunc(away / HOUR), 'hour');
  if (size < 28 * DAY) return RELATIVE.format(Math.trunc(away / DAY), 'day');
  return date(at);
}

/** "2 hours", "1 day 12 hours": to the millisecond, so that what differs reads differently. */
export function duration(ms: number): string {
  const parts = [
    [Math.trunc(ms / DAY), 'day'],
    [Math.trunc((ms % DAY) / HOUR), 'hour'],
    [Math.trunc((ms % HOUR) / MINUTE), 'minute'],
    [(ms % MINUTE) / 1000, 'second'],
  ] as const;
  const said = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => count(amount, unit));
  return said.join(' ') || count(0, 'second');
}

/** "812 B", "41.3 kB", "1.2 MB". */
export function bytes(size: number): string {
  if (size < 1000) return `${number(size)} B`;
  const [amount, unit] = size < 1_000_000 ? [size / 1000, 'kB'] : [size / 1_000_000, 'MB'];
  return `${SIZE.format(amount)} ${unit}`;
}

/** "1 server", "12 servers". */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${number(amount)} ${amount === 1 ? one : many}`;
}

/** What the one with this id is called: the id when there is none, dots until it is known. */
export function nameOf(things: ReadonlyArray<{ id: string; name: string }> | undefined, id: string): string {
  if (!things) return '…';
  return things.find((one) => one.id === id)?.name ?? id;
}

/** "Sweden" for SE; nothing for letters that stand for no country. */
export function countryName(code: string): string | undefined {
  return /^[A-Z]{2}$/.test(code) ? REGION.of(code) : undefined;
}

/** "a, b and c". */
export function list(words: string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export const SLUG_MAX = 40;
/** What the server takes for the name in an address. */
export const SLUG = /^(?=.{3,40}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** What a name would be in an address: "Rust Lands!" becomes "rust-lands". */
export function slugify(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, SLUG_MAX)
    .replace(/-+$/, '');
}

/** The loggable beginning of a key, and dots for the rest. */
export function masked(prefix: string): string {
  return `${prefix}${'•'.repeat(8)}`;
}

/** Up to two letters that stand for a name. */
export function initials(name: string): string {
  const words = name.trim().split(/[\s_.-]+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters.map((word) => [...(word ?? '?')][0]?.toUpperCase() ?? '?').join('');
}

export function sentence(text: string): string {
  return text ? text[0]!.toUpperCase() + text.slice(1) : text;
}
