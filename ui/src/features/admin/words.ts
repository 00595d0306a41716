// What the operator area says in more than one place.

export const REASON_MIN = 5;
export const REASON_MAX = 200;
/** What names somebody: an address, a name with its at sign, an ID at Discord or Steam. */
const NAMES_SOMEBODY = /@|\d{15,}/;

/** What is wrong with a reason that the audit log keeps. */
export function reasonProblem(reason: string): string | null {
  const length = [...reason.trim()].length;
  if (length < REASON_MIN) return `Say why, in at least ${REASON_MIN} characters.`;
  if (length > REASON_MAX) return `Use at most ${REASON_MAX} characters.`;
  return NAMES_SOMEBODY.test(reason) ? 'Leave out names with @ and Discord or Steam IDs.' : null;
}

/** A moment as the field for one holds it, in the reader's time zone: 2026-11-15T14:00. */
export function toField(at: number | null | undefined): string {
  if (at === null || at === undefined) return '';
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The moment that a field holds; null when it is blank or no moment. */
export function fromField(text: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) ? new Date(text).getTime() : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** The Discord ID in what was pasted: the ID itself, or a mention. */
export function discordIdIn(text: string): string | null {
  return /^(?:<@!?)?(\d{17,20})>?$/.exec(text.trim())?.[1] ?? null;
}

export const DAYS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
] as const;
export type Days = (typeof DAYS)[number]['value'];

export function daysOf(chosen: Days): number | null {
  return chosen === '' ? null : Number(chosen);
}

/** The whole number that was typed, when it is within these two. */
export function wholeIn(text: string, least: number, most: number): number | null {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}

/** The ID of an account in what was pasted. */
export function accountIdIn(text: string): string | null {
  return /(?:^|\/)(usr_\w+)\/?$/.exec(text.trim())?.[1] ?? null;
}
