// Keywords and colours of permission groups: the same rules as the server's, so that most mistakes are told before saving.

import type { GroupClass, GroupKeyword, PillTone, TrustChange, TrustSettings } from '$lib/api/schema';

export const MOST_KEYWORDS = 50;
export const TEXT_MAX = 32;
const HIDDEN = /[\p{Cc}\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\u{E0000}-\u{E0FFF}]/u;

export const CLASS_NAMES: Record<GroupClass, string> = {
  owner: 'Owner',
  admin: 'Admin',
  moderator: 'Moderator',
  staff: 'Staff',
  vip: 'VIP',
  donator: 'Donator',
  custom: 'Custom',
  default: 'Default',
};
export const CLASS_HINTS: Partial<Record<GroupClass, string>> = {
  custom: 'Groups that no keyword matches',
  default: 'The group that everyone is in, and players no Server reported',
};
export const TONE_NAMES: Record<PillTone, string> = {
  ok: 'Green',
  info: 'Blue',
  warn: 'Amber',
  bad: 'Red',
  neutral: 'Grey',
  accent: 'Indigo',
};

/** A keyword in the editor; `id` follows it wherever it is moved. */
export interface Row extends GroupKeyword {
  id: string;
}

export interface TrustDraft {
  rows: Row[];
  tones: Record<string, PillTone>;
}

type Saved = Pick<TrustSettings, 'keywords' | 'classes'>;

/** The same keywords get the same ids whenever they are read, so that nobody is taken to have changed them. */
export function draftOf({ keywords, classes }: Saved): TrustDraft {
  return {
    rows: keywords.map((keyword, place) => ({ ...keyword, id: `row-${place}` })),
    tones: Object.fromEntries(classes.map(({ class: of, tone }) => [of, tone])),
  };
}

// A draft can be kept over a sign-in: its rows and those of the page after it must not share an id.
const LOADED = Date.now().toString(36);
let made = 0;
export function emptyRow(): Row {
  made += 1;
  return { text: '', class: 'staff', id: `new-${LOADED}-${made}` };
}

/** The server keeps them in small letters. */
export function asKeyword(row: Row): GroupKeyword {
  return { text: row.text.trim().toLowerCase(), class: row.class };
}

/** What the server is to be told, whether it differs or not. */
export function wanted({ classes }: Saved, { rows, tones }: TrustDraft): TrustChange {
  return {
    keywords: rows.map(asKeyword),
    tones: classes.flatMap(({ class: of, usual_tone }) => {
      const tone = tones[of] ?? usual_tone;
      return tone === usual_tone ? [] : [{ class: of, tone }];
    }),
  };
}

/** What is to be saved, or null when nothing differs. */
export function changesOf(saved: Saved, draft: TrustDraft): TrustChange | null {
  const recoloured = saved.classes.some(({ class: of, tone }) => (draft.tones[of] ?? tone) !== tone);
  return recoloured || !sameKeywords(saved.keywords, draft.rows) ? wanted(saved, draft) : null;
}

/** Colours move nobody: only keywords can be tried out. */
export function sameKeywords(keywords: readonly GroupKeyword[], rows: readonly Row[]): boolean {
  const flat = (some: readonly GroupKeyword[]) => JSON.stringify(some.map(({ text, class: of }) => [text, of]));
  return flat(keywords) === flat(rows.map(asKeyword));
}

/** Each keyword by its place, and each colour, as people read them. */
export function describe({ keywords, classes }: Saved): Record<string, string> {
  return Object.fromEntries([
    ...keywords.map(({ text, class: of }, at) => [`Keyword ${at + 1}`, `${text}: ${CLASS_NAMES[of]}`]),
    ...classes.map(({ class: of, tone }) => [`Colour of ${CLASS_NAMES[of]}`, TONE_NAMES[tone]]),
  ]);
}

export function textProblem(text: string): string | null {
  const bare = text.trim();
  if (bare === '') return 'Enter a part of a group’s name.';
  if (HIDDEN.test(bare)) return 'Use one line of plain text without invisible characters.';
  return [...bare.toLowerCase()].length > TEXT_MAX ? `Use at most ${TEXT_MAX} characters.` : null;
}

/** What is wrong with each keyword, by its row's id. Of two that are alike, the second is. */
export function problemsOf(rows: readonly Row[]): Record<string, string> {
  const texts = rows.map((row) => asKeyword(row).text);
  return Object.fromEntries(
    rows.flatMap((row, at) => {
      const problem = textProblem(row.text) ?? (texts.indexOf(texts[at]!) < at ? 'There’s already a keyword like this above.' : null);
      return problem === null ? [] : [[row.id, problem]];
    }),
  );
}

/** What the server said about one keyword, by the row's id; empty when it was about none. */
export function refusedRow(error: { extra: Record<string, unknown>; fieldText: string } | null, rows: readonly Row[]): Record<string, string> {
  const row = typeof error?.extra.row === 'number' ? rows[error.extra.row] : undefined;
  if (!error || !row || error.extra.parameter !== 'text') return {};
  const text = error.fieldText.replace(/^Row \d+, /, '');
  return { [row.id]: text[0]!.toUpperCase() + text.slice(1) };
}

/** The scores of each tier: "90 to 100". */
export function ranges({ trusted, normal, watch }: TrustSettings['thresholds']): Array<{ tier: 'Trusted' | 'Normal' | 'Watch' | 'Risk'; from: number; to: number }> {
  return [
    { tier: 'Trusted', from: trusted, to: 100 },
    { tier: 'Normal', from: normal, to: trusted - 1 },
    { tier: 'Watch', from: watch, to: normal - 1 },
    { tier: 'Risk', from: 0, to: watch - 1 },
  ];
}
