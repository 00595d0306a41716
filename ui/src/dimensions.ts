// What a plan counts, and where each is looked after.

import type { Usage } from '$lib/api/schema';

export interface Dimension {
  key: keyof Usage;
  label: string;
  /** The page about it. */
  path: string | null;
}

export const DIMENSIONS: readonly Dimension[] = [
  { key: 'guilds', label: 'Guilds', path: '/orgs/:org/guilds' },
  { key: 'servers', label: 'Servers', path: '/orgs/:org/servers' },
  { key: 'links', label: 'Active links', path: null },
  { key: 'navigation_links', label: 'Link-page buttons', path: '/orgs/:org/link-page' },
];

/** The dimensions where an Org has more than its plan allows. */
export function overLimit(usage: Usage, ceilings: Usage): Dimension[] {
  return DIMENSIONS.filter(({ key }) => usage[key] > ceilings[key]);
}
