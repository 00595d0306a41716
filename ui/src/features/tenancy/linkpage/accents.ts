// The colours that a link page can have. The server's list and the palette have the same names.

import type { Accent, LinkPage } from '$lib/api/schema';

export const ACCENT_NAMES: Record<Accent, string> = {
  indigo: 'Indigo',
  blue: 'Blue',
  teal: 'Teal',
  green: 'Green',
  amber: 'Amber',
  red: 'Red',
  pink: 'Pink',
  violet: 'Violet',
};

/** The colour of each page, by its Guild. */
export type Accents = Record<string, Accent>;

export function accentsOf(pages: readonly LinkPage[]): Accents {
  return Object.fromEntries(pages.map((page) => [page.guild_id, page.accent]));
}

/** The pages that would get another colour. */
export function repainted(pages: readonly LinkPage[], accents: Accents): Array<{ guild_id: string; accent: Accent }> {
  return pages.flatMap(({ guild_id, accent }) => {
    const chosen = accents[guild_id] ?? accent;
    return chosen === accent ? [] : [{ guild_id, accent: chosen }];
  });
}
