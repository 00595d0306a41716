// Buttons of the link page: the same rules as the server's, so that most mistakes are told before saving.

import type { Navigation, NavigationChange, NavigationIcon, NavigationLink } from '$lib/api/schema';
import { ACCENT_NAMES, accentsOf, repainted, type Accents } from './accents';

export const LABEL_MAX = 24;
const URL_MAX_BYTES = 2048;
const TURNS_TEXT = /[\u202A-\u202E\u2066-\u2069]/;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const INVISIBLE =
  /^(?:\s|[\u00AD\u034F\u061C\u115F\u1160\u180E\u200B-\u200F\u2060-\u2064\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\u{E0000}-\u{E0FFF}])*$/u;

/** A row of the editor; `id` follows it wherever it is moved. */
export interface Row extends NavigationLink {
  id: string;
}

/** The same buttons get the same ids whenever they are read, so that nobody is taken to have changed them. */
export function asRow(link: NavigationLink, place: number): Row {
  return { ...link, id: `row-${place}` };
}

type Pages = Pick<Navigation, 'links' | 'link_pages'>;

export interface PagesDraft {
  rows: Row[];
  accents: Accents;
}

export function draftOf({ links, link_pages }: Pages): PagesDraft {
  return { rows: links.map(asRow), accents: accentsOf(link_pages) };
}

/** What is to be saved, or null when nothing differs. */
export function changesOf({ links, link_pages }: Pages, { rows, accents }: PagesDraft): NavigationChange | null {
  const painted = repainted(link_pages, accents);
  return sameLinks(links, rows) && painted.length === 0 ? null : { links: rows.map(asLink), accents: painted };
}

/** Each button by its place, and the colour of each page that was there before and is now, as people read them. */
export function describe({ links, link_pages }: Pages, { before, now }: { before: Pages; now: Pages }): Record<string, string> {
  const words = ({ label, url, icon, new_tab }: NavigationLink) =>
    [label, url, ICON_NAMES[icon], new_tab ? 'new tab' : 'same tab'].join(', ');
  const twice = (name: string) => now.link_pages.filter((page) => page.name === name).length > 1;
  const colours = now.link_pages
    .filter(({ guild_id }) => before.link_pages.some((page) => page.guild_id === guild_id))
    .map(({ guild_id, name, slug }) => {
      const accent = link_pages.find((page) => page.guild_id === guild_id)?.accent;
      return [`Colour of ${name}${twice(name) ? ` (/link/${slug})` : ''}`, accent ? ACCENT_NAMES[accent] : 'none'];
    });
  return Object.fromEntries([...links.map((link, at) => [`Button ${at + 1}`, words(link)]), ...colours]);
}

// A draft can be kept over a sign-in: its rows and those of the page after it must not share an id.
const LOADED = Date.now().toString(36);
let made = 0;
export function emptyRow(): Row {
  made += 1;
  return { label: '', url: '', icon: 'none', new_tab: true, id: `new-${LOADED}-${made}` };
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
  const form = 'Enter a full URL that starts with http:// or https://.';
  if (bytes(text) > URL_MAX_BYTES) return 'Use at most 2,048 bytes.';
  if (!/^https?:\/\//i.test(text) || /[\s\\]/.test(text) || CONTROL.test(text) || TURNS_TEXT.test(text)) return form;
  const parsed = URL.parse ? URL.parse(text) : tryParse(text);
  if (!parsed || !parsed.hostname) return form;
  if (parsed.username || parsed.password) return 'Remove the user name and password.';
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
