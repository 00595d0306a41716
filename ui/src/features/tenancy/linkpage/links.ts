// Buttons of the link page: the same rules as the server's, so that most mistakes are told before saving.

import type { Navigation, NavigationIcon, NavigationLink } from '$lib/api/schema';
import { ACCENT_NAMES } from './accents';

export const LABEL_MAX = 24;
const URL_MAX_BYTES = 2048;
const TURNS_TEXT = /[\u202A-\u202E\u2066-\u2069]/;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const INVISIBLE =
  /^(?:\s|[\u00AD\u034F\u061C\u115F\u1160\u180E\u200B-\u200F\u2060-\u2064\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\u{E0000}-\u{E0FFF}])*$/u;

/** A row of the editor; `id` lasts as long as the page, or as a draft that is kept over a sign-in. */
export interface Row extends NavigationLink {
  id: string;
}

const LOADED = Date.now().toString(36);
let next = 0;
export function asRow(link: NavigationLink): Row {
  next += 1;
  return { ...link, id: `row-${LOADED}-${next}` };
}

/** Each button by its place and each page's colour, as people read them. */
export function describe({ links, link_pages }: Pick<Navigation, 'links' | 'link_pages'>): Record<string, string> {
  const words = ({ label, url, icon, new_tab }: NavigationLink) =>
    [label, url, ICON_NAMES[icon], new_tab ? 'new tab' : 'same tab'].join(', ');
  const colours = link_pages.map(({ name, accent }) => [`Colour of ${name}`, ACCENT_NAMES[accent]]);
  return Object.fromEntries([...links.map((link, at) => [`Button ${at + 1}`, words(link)]), ...colours]);
}

export function emptyRow(): Row {
  return asRow({ label: '', url: '', icon: 'none', new_tab: true });
}

export function asLink({ label, url, icon, new_tab }: Row): NavigationLink {
  return { label: label.trim(), url: url.trim(), icon, new_tab };
}

/** As people count: an accent is no character of its own. */
export function labelLength(label: string): number {
  return [...label.trim().normalize('NFC')].length;
}

export function labelProblem(label: string): string | null {
  if (INVISIBLE.test(label)) return 'Enter a label.';
  if (CONTROL.test(label.trim()) || TURNS_TEXT.test(label)) return 'Use one line of plain text.';
  if (labelLength(label) > LABEL_MAX) return `Use at most ${LABEL_MAX} characters.`;
  return null;
}

export function urlProblem(url: string): string | null {
  const text = url.trim();
  const form = 'Enter a full address that begins with http:// or https://.';
  if (bytes(text) > URL_MAX_BYTES) return 'Use at most 2,048 bytes.';
  if (!/^https?:\/\//i.test(text) || /[\s\\]/.test(text) || CONTROL.test(text) || TURNS_TEXT.test(text)) return form;
  const parsed = URL.parse ? URL.parse(text) : tryParse(text);
  if (!parsed || !parsed.hostname) return form;
  if (parsed.username || parsed.password) return 'Leave out the user name and password.';
  return bytes(parsed.href) > URL_MAX_BYTES ? 'Use at most 2,048 bytes.' : null;
}

function tryParse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

export interface RowProblems {
  label?: string;
  url?: string;
  icon?: string;
}

export function rowProblems(row: Row): RowProblems {
  const label = labelProblem(row.label);
  const url = urlProblem(row.url);
  return { ...(label && { label }), ...(url && { url }) };
}

/** What the server said about one row, by the row's id; empty when it was about none. */
export function refusedRow(
  extra: Record<string, unknown>,
  message: string,
  rows: readonly Row[],
): Record<string, RowProblems> {
  const row = typeof extra.row === 'number' ? rows[extra.row] : undefined;
  const parameter = extra.parameter;
  if (!row || (parameter !== 'label' && parameter !== 'url' && parameter !== 'icon')) return {};
  return { [row.id]: { [parameter]: message } };
}

export function sameLinks(links: readonly NavigationLink[], rows: readonly Row[]): boolean {
  return (
    links.length === rows.length &&
    links.every((link, i) => {
      const row = asLink(rows[i]!);
      return link.label === row.label && link.url === row.url && link.icon === row.icon && link.new_tab === row.new_tab;
    })
  );
}

export const ICON_NAMES: Record<NavigationIcon, string> = {
  none: 'No icon',
  discord: 'Discord',
  steam: 'Steam',
  youtube: 'YouTube',
  x: 'X',
  twitch: 'Twitch',
  github: 'GitHub',
  shop: 'Shop',
  forum: 'Forum',
  news: 'News',
  download: 'Download',
  globe: 'Globe',
  external: 'External',
};
