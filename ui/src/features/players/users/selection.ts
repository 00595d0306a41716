// Who is chosen to be unlinked together: people by name, or everyone whom the filters match.

import type { BulkUnlinkChoice, User, UserFilter } from '$lib/api/schema';

/** As many as the server takes by name. */
export const MOST_PEOPLE = 500;
/** Above this, the effect has to be confirmed by typing. */
const TYPED_ABOVE = 50;

export interface Selection {
  /** By Discord ID. */
  people: ReadonlyMap<string, User>;
  /** Everyone who matches; then `people` doesn't count. */
  everyone: boolean;
}
export const NOBODY: Selection = { people: new Map(), everyone: false };

/** Where a Guild is asked for, the row tells of the link there. */
export function canBeChosen(user: Pick<User, 'ended_at_ms'>): boolean {
  return user.ended_at_ms == null;
}

export function isChosen({ people, everyone }: Selection, user: User): boolean {
  return canBeChosen(user) && (everyone || people.has(user.discord_id));
}

/** With one person more or less. Whoever takes one out of everyone keeps the others on the page. */
export function choose({ people, everyone }: Selection, user: User, on: boolean, page: readonly User[]): Selection {
  const next = new Map(everyone ? onPage(page) : people);
  if (on) next.set(user.discord_id, user);
  else next.delete(user.discord_id);
  return { people: next, everyone: false };
}

/** With everyone on the page, or without them. */
export function choosePage({ people, everyone }: Selection, page: readonly User[], on: boolean): Selection {
  const next = new Map(everyone ? [] : people);
  for (const [id, user] of onPage(page)) {
    if (on) next.set(id, user);
    else next.delete(id);
  }
  return { people: next, everyone: false };
}

function onPage(page: readonly User[]): Array<[string, User]> {
  return page.filter(canBeChosen).map((user) => [user.discord_id, user]);
}

/** How much of the page is chosen. */
export function pageState(selection: Selection, page: readonly User[]): 'none' | 'some' | 'all' {
  const rows = page.filter(canBeChosen);
  const chosen = rows.filter((user) => isChosen(selection, user)).length;
  if (chosen === 0) return 'none';
  return chosen === rows.length ? 'all' : 'some';
}

export function isNobody({ people, everyone }: Selection): boolean {
  return !everyone && people.size === 0;
}

/** How many links end: one each in a Guild, otherwise all that they have. */
export function linksOf({ people }: Selection, inOneGuild: boolean): number {
  return [...people.values()].reduce((sum, user) => sum + (inOneGuild ? 1 : user.active_links), 0);
}

export function isTyped({ people, everyone }: Selection): boolean {
  return everyone || people.size > TYPED_ABOVE;
}

export function toApi({ people, everyone }: Selection, filter: UserFilter, guild: string | null): BulkUnlinkChoice {
  const where = guild === null ? {} : { guild_id: guild };
  return everyone ? { filter, ...where } : { users: [...people.keys()], ...where };
}
