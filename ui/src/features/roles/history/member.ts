// The one person whose changes are looked for.

/** The Discord or Steam ID in what was typed, also in a mention or the URL of a Steam profile; null when there is none. */
export function memberOf(text: string): string | null {
  return /^(?:<@!?)?(\d{17,20})>?$/.exec(text.trim())?.[1] ?? /^https?:\/\/steamcommunity\.com\/profiles\/(\d{17})\/?$/.exec(text.trim())?.[1] ?? null;
}
