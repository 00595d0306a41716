// Choosing from things that come in groups, such as actions or permissions.

export interface Group {
  name: string;
  items: readonly string[];
}

export type GroupState = 'all' | 'some' | 'none';

export function stateOf(group: Group, chosen: readonly string[]): GroupState {
  const on = group.items.filter((item) => chosen.includes(item)).length;
  if (on === 0) return 'none';
  return on === group.items.length ? 'all' : 'some';
}

export function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item));
}

export function withItem(chosen: readonly string[], item: string, on: boolean): string[] {
  const rest = chosen.filter((one) => one !== item);
  return on ? [...rest, item] : rest;
}

/** Switches a whole group. What is `locked` stays as it is. */
export function withGroup(chosen: readonly string[], group: Group, on: boolean, locked: readonly string[] = []): string[] {
  const free = group.items.filter((item) => !locked.includes(item));
  const rest = chosen.filter((one) => !free.includes(one));
  return on ? [...rest, ...free] : rest;
}

/** A click on the box of a group: everything when anything that can be chosen is missing, otherwise nothing. */
export function toggleGroup(chosen: readonly string[], group: Group, locked: readonly string[] = []): string[] {
  const missing = group.items.some((item) => !locked.includes(item) && !chosen.includes(item));
  return withGroup(chosen, group, missing, locked);
}

/** Whole groups by name, and the single items of the others. */
export function compact(chosen: readonly string[], groups: readonly Group[]): { groups: string[]; items: string[] } {
  const whole = groups.filter((group) => group.items.length > 0 && stateOf(group, chosen) === 'all');
  const covered = new Set(whole.flatMap((group) => group.items));
  return { groups: whole.map((group) => group.name), items: chosen.filter((item) => !covered.has(item)) };
}
