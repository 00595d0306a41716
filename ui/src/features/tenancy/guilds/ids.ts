// Discord IDs as people paste them: alone, in lists, or as the mentions that Discord copies.

export const MOST_ROLES = 50;
const ID = /^\d{17,20}$/;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** The ids in a pasted text, and the parts of it that are none. `<@&1…>` and `<#1…>` count as their id. */
export function parseIds(text: string): { ids: string[]; unread: string[] } {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const ids: string[] = [];
  const unread: string[] = [];
  for (const part of parts) {
    const id = part.match(/^<(?:@&|@!?|#)(\d+)>$/)?.[1] ?? part;
    if (isId(id)) ids.push(id);
    else unread.push(part);
  }
  return { ids: [...new Set(ids)], unread };
}

/** The list with what was pasted added to its end, each id once. */
export function addIds(list: readonly string[], text: string): { list: string[]; error: string | null; left: string } {
  const { ids, unread } = parseIds(text);
  const next = [...new Set([...list, ...ids])];
  if (next.length > MOST_ROLES) {
    return { list: [...list], error: `You can add up to ${MOST_ROLES} IDs. Remove some first.`, left: text };
  }
  const error = unread.length ? `Not an ID: ${unread.join(', ')}. IDs have 17 to 20 digits.` : null;
  return { list: next, error, left: unread.join(' ') };
}
